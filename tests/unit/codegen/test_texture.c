/* What textures, surfaces and samplers compile to. */
#include "rig.h"

#include "isa/print.h"
#include "test.h"

static rig R;

#define BEGIN                                                                  \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                          \
    ".global .texref t;\n.shared .align 4 .b8 sh[16];\n"                       \
    ".visible .entry k(.param .u64 h, .param .texref q,\n"                     \
    " .param .u64 s, .param .u64 o) {\n"                                       \
    ".reg .b64 %h, %s, %o; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .pred %p;\n" \
    "ld.param.u64 %h, [h]; ld.param.u64 %s, [s]; ld.param.u64 %o, [o];\n"      \
    "ld.global.v4.f32 {%f0,%f1,%f2,%f3}, [%o];\n"                              \
    "ld.global.v2.u32 {%r0,%r1}, [%o];\n"
#define END "ret; }\n"

static status compile(const char *body, isa_arch arch)
{
    cg_options o = cg_default_options(arch);
    char text[4096];

    snprintf(text, sizeof text, "%s%s%s", BEGIN, body, END);
    return rig_compile(&R, "k.ptx", text, &o);
}

/* The texture instructions of what `body` becomes, one a line, registers as
 * they are. */
static const char *textures(const char *body)
{
    static char text[1024];
    strbuf b = {0};
    status st = compile(body, ARCH_VOLTA);

    if (st != ST_OK)
        rig_tell(&R, st);
    CHECK_EQ(st, ST_OK);
    const isa_kernel *k = &R.p->kernels[0];
    for (uint32_t i = 0; i < k->code_count; i++) {
        isa_inst in = k->code[i];

        if (in.class != ISA_CLASS_TEX)
            continue;
        in.ctl = CTL_NONE;
        isa_print(&in, ARCH_VOLTA, &b, NULL, NULL);
        strbuf_putc(&b, '\n');
    }
    snprintf(text, sizeof text, "%s", b.text ? b.text : "");
    strbuf_fini(&b);
    rig_free(&R);
    return text;
}

static void has(const char *body, const char *want)
{
    const char *got = textures(body);

    if (!strstr(got, want))
        TEST_FAIL("no '%s' in\n%s", want, got);
}

#define STORE(r) "st.global.f32 [%o], " r ";\n"

TEST(handles_stay_in_constant_banks)
{
    has("tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%h, {%f0,%f1}];\n" STORE("%f4"),
        ", c[0x0][0x160], ");
    has("tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [q, {%f0,%f1}];\n" STORE("%f4"),
        ", c[0x0][0x168], ");
    has("tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [t, {%f0,%f1}];\n" STORE("%f4"),
        ", c[0x4][0x0], ");
}

TEST(channels_that_nobody_reads_take_no_registers)
{
    has("tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%h, {%f0,%f1}];\n" STORE("%f6"),
        ", 0x4\n");
    has("tex.3d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%h, {%f0,%f1,%f2,%f2}];\n"
        "add.f32 %f4, %f4, %f7;\n" STORE("%f4"),
        ", 0x9\n");
    has("tex.1d.v4.f32.s32 {_,_,_,%f7}, [%h, {%r0}];\n" STORE("%f7"),
        ", 0x8\n");
    /* two of four in a pair of halves: all */
    has("tex.2d.v2.f16x2.f32 {%r2,%r3}, [%h, {%f0,%f1}];\n"
        "st.global.u32 [%o], %r3;\n",
        ", 0xf\n");
    /* nobody reads any */
    CHECK_STR(textures("tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%h, "
                       "{%f0,%f1}];\n"),
              "");
}

TEST(levels_gradients_and_offsets)
{
    has("tex.level.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%h, {%f0,%f1}], "
        "%f2;\n" STORE("%f4"),
        "TEX.LO.2D ");
    has("tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%h, {%f0,%f1}], {1,-1};\n" STORE(
            "%f4"),
        "TEX.LO.2D ");
    has("tex.grad.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%h, {%f0,%f1}],\n"
        "{%f0,%f1}, {%f2,%f3};\n" STORE("%f4"),
        "TXQ.NORMALIZED_COORDS ");
    has("tex.base.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%h, {%f0,%f1}];\n" STORE(
            "%f4"),
        "TEX.2D ");
    has("tld4.b.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%h, {%f0,%f1}], "
        "{1,2};\n" STORE("%f4"),
        "TLD4.2D.B ");
    has("tld4.b.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%h, {%f0,%f1}], "
        "{1,2};\n" STORE("%f4"),
        ", 0x201, ");
}

TEST(the_same_fetch_is_done_once_and_surfaces_are_kept_in_order)
{
    CHECK_STR(textures("tex.1d.v4.f32.s32 {%f4,_,_,_}, [%h, {%r0}];\n"
                       "tex.1d.v4.f32.s32 {%f5,_,_,_}, [%h, {%r0}];\n"
                       "add.f32 %f4, %f4, %f5;\n" STORE("%f4")),
              "TEX.1D.S32 R0, c[0x0][0x160], R0, 0x1\n");
    const char *got = textures("suld.b.1d.u32.zero %r2, [%h, {%r0}];\n"
                               "sust.b.1d.u32.clamp [%s, {%r0}], %r1;\n"
                               "suld.b.1d.u32.trap %r3, [%h, {%r0}];\n"
                               "add.u32 %r2, %r2, %r3;\n"
                               "st.global.u32 [%o], %r2;\n");
    const char *first = strstr(got, "SULD.B.1D.ZERO");
    const char *store = strstr(got, "SUST.B.1D.CLAMP");
    const char *second = strstr(got, "SULD.B.1D.TRAP");
    CHECK(first && store && second && first < store && store < second);
}

TEST(samplers_join_their_texture)
{
    const char *text = ".version 7.0\n.target sm_70, texmode_independent\n"
                       ".address_size 64\n"
                       ".visible .entry k(.param .u64 h, .param .u64 s,\n"
                       " .param .u64 o) { .reg .b64 %h, %s, %o;\n"
                       ".reg .f32 %f<4>;\n"
                       "ld.param.u64 %h, [h]; ld.param.u64 %s, [s];\n"
                       "ld.param.u64 %o, [o]; ld.global.f32 %f0, [%o];\n"
                       "tex.1d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%h, %s, {%f0}];\n"
                       "st.global.f32 [%o], %f0; ret; }\n";
    cg_options o = cg_default_options(ARCH_VOLTA);
    bool joined = false;

    CHECK_EQ(rig_compile(&R, "k.ptx", text, &o), ST_OK);
    const isa_kernel *k = &R.p->kernels[0];
    for (uint32_t i = 0; i < k->code_count; i++)
        joined |= k->code[i].op == ISA_LOP3 && k->code[i].lut == 0xfc;
    CHECK(joined);
    rig_free(&R);
}

TEST(what_there_is_not_is_named)
{
    static const struct {
        const char *body, *why;
    } rows[] = {
        {"tex.2dms.v4.f32.s32 {%f4,%f5,%f6,%f7}, [%h, {%r0,%r1,%r2,%r2}];",
         "multisample"},
        {"tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%h, {%f0,%f1}], {1,1}, %f2;",
         "depths"},
        {"tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%h];", "coordinates"},
        {"tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%h, %tid.x, {%f0,%f1}];",
         "handle"},
        {"tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [12, {%f0,%f1}];", "handle"},
        {"istypep.texref %p, %tid.x;", "handle"},
        {"suld.p.2d.v4.b32.zero {%r0,%r1,%r2,%r3}, [%h, {%r0,%r1}];",
         "formatted load"},
    };

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_EQ(compile(rows[i].body, ARCH_KEPLER), ST_PROGRAM);
        if (!strstr(diag_get(R.dg, 0)->text, rows[i].why))
            TEST_FAIL("%s", diag_get(R.dg, 0)->text);
        rig_free(&R);
    }
}
