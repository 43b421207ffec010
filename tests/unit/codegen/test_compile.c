/* What the compiler says of programs, and refuses. */
#include "rig.h"

#include "test.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

static rig R;

static status compile(const char *text, isa_arch arch, unsigned registers)
{
    cg_options o = cg_default_options(arch);

    o.max_registers = registers;
    return rig_compile(&R, "k.ptx", text, &o);
}

/* The i'th message as file:line:column: text. */
static const char *message(size_t i)
{
    static char text[600];
    const diag_item *d;

    if (i >= diag_count(R.dg))
        return "none";
    d = diag_get(R.dg, i);
    snprintf(text, sizeof text, "%s:%u:%u: %s", d->file, d->line, d->column,
             d->text);
    return text;
}

TEST(all_unsupported_instructions_are_named_at_once)
{
    CHECK_EQ(compile(HEAD ".visible .entry a()\n{\n.reg .b32 %r<4>;\n"
                          "multimem.st.u32 [%r2], %r1;\n"
                          "add.u32 %r1, %r1, 1;\n"
                          "    tcgen05.wait::ld.sync.aligned;\nret;\n}\n"
                          ".visible .entry b()\n{\n.reg .b32 %r<4>;\n"
                          "multimem.red.add.u32 [%r2], %r1;\nret;\n}\n",
                     ARCH_VOLTA, 0),
             ST_PROGRAM);
    CHECK_EQ(diag_errors(R.dg), 3);
    CHECK_STR(message(0), "k.ptx:7:1: unsupported instruction "
                          "'multimem.st.u32': memory of several GPUs; "
                          "use ld, st or red on each");
    CHECK_STR(message(1), "k.ptx:9:5: unsupported instruction "
                          "'tcgen05.wait::ld.sync.aligned': tensor memory, "
                          "which only sm_100 and later have; compile for "
                          "sm_90 or older");
    CHECK_STR(message(2), "k.ptx:15:1: unsupported instruction "
                          "'multimem.red.add.u32': memory of several "
                          "GPUs; use ld, st or red on each");
    CHECK(!R.p);
    rig_free(&R);
}

/* A function inlined twice is reported once; one that no kernel calls is not
 * translated at all. */
TEST(functions_are_reported_where_they_are_used)
{
    CHECK_EQ(compile(HEAD ".func unused()\n{\n.reg .b32 %r<4>;\n"
                          "multimem.st.u32 [%r2], %r1;\nret;\n}\n"
                          ".func used()\n{\n.reg .b32 %r<4>;\n"
                          "multimem.st.u32 [%r2], %r1;\nret;\n}\n"
                          ".visible .entry a()\n{\ncall.uni used;\n"
                          "call.uni used;\nret;\n}\n",
                     ARCH_VOLTA, 0),
             ST_PROGRAM);
    CHECK_EQ(diag_errors(R.dg), 1);
    CHECK_STR(message(0), "k.ptx:13:1: unsupported instruction "
                          "'multimem.st.u32': memory of several GPUs; "
                          "use ld, st or red on each");
    rig_free(&R);
}

TEST(functions_without_a_body_are_named)
{
    CHECK_EQ(compile(HEAD ".extern .func print(.param .b32 x)\n;\n"
                          ".visible .entry a()\n{\n"
                          ".param .b32 p;\nst.param.b32 [p], 1;\n"
                          "call.uni print, (p);\nret;\n}\n",
                     ARCH_VOLTA, 0),
             ST_PROGRAM);
    CHECK_STR(message(0), "k.ptx:10:1: unsupported instruction 'call.uni': "
                          "'print' has no body");
    rig_free(&R);
}

/* What no machine has room for is an error, neither memory nor a number that
 * wraps around. */
TEST(variables_have_limits)
{
    CHECK_EQ(compile(HEAD ".global .b32 first[4000000000] = {1, 2};\n"
                          ".visible .entry a()\n{\nret;\n}\n",
                     ARCH_VOLTA, 0),
             ST_PROGRAM);
    CHECK_EQ(diag_errors(R.dg), 1);
    CHECK_STR(message(0), "k.ptx:4:14: variables with initial values need "
                          "more than 268435456 bytes");
    rig_free(&R);
    CHECK_EQ(compile(HEAD ".visible .entry a(.param .u64 p)\n{\n"
                          ".reg .b64 %d<4>;\n.local .b8 x[16777216];\n"
                          ".local .b8 y[4294967296];\n"
                          "mov.u64 %d2, x;\nmov.u64 %d1, y;\n"
                          "ld.param.u64 %d3, [p];\n"
                          "st.global.v2.u64 [%d3], {%d1, %d2};\nret;\n}\n",
                     ARCH_VOLTA, 0),
             ST_PROGRAM);
    CHECK_EQ(diag_errors(R.dg), 1);
    CHECK_STR(message(0), "k.ptx:8:12: the local variables need more than "
                          "16777216 bytes");
    rig_free(&R);
}

/* The kernel needs more registers at once than can be had. */
TEST(too_few_registers_are_an_error)
{
    CHECK_EQ(compile(HEAD ".visible .entry a(.param .u64 p)\n{\n"
                          ".reg .b64 %d<4>;\n.reg .b32 %r<8>;\n"
                          "ld.param.u64 %d1, [p];\n"
                          "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];\n"
                          "add.u32 %r1, %r1, 1;\n"
                          "st.global.v4.u32 [%d1+16], {%r1, %r2, %r3, %r4};\n"
                          "ret;\n}\n",
                     ARCH_VOLTA, 3),
             ST_PROGRAM);
    CHECK_STR(message(0), "k.ptx:4:17: 'a' does not fit into 3 registers, not "
                          "even with spilling");
    rig_free(&R);
}

TEST(limits_come_from_option_directive_and_architecture)
{
    static const char text[] =
        HEAD ".visible .entry a(.param .u64 p)\n.maxnreg 16\n{\nret;\n}\n";

    CHECK_EQ(cg_register_limit(ARCH_FERMI), 63);
    CHECK_EQ(cg_register_limit(ARCH_KEPLER), 255);
    CHECK_EQ(cg_register_limit(ARCH_VOLTA), 255);
    CHECK_EQ(compile(text, ARCH_VOLTA, 0), ST_OK);
    CHECK(R.p->kernels[0].registers <= 16);
    rig_free(&R);
}

TEST(parameters_have_their_places)
{
    CHECK_EQ(compile(HEAD ".visible .entry a(.param .u8 c, .param .u64 .ptr "
                          ".global .align 4 p,\n.param .f32 f, .param .align "
                          "8 .b8 s[12], .param .u16 h)\n{\nret;\n}\n",
                     ARCH_VOLTA, 0),
             ST_OK);
    const isa_kernel *k = &R.p->kernels[0];
    CHECK_EQ(k->param_count, 5);
    CHECK_STR(k->params[1].name, "p");
    CHECK_EQ(k->params[1].kind, PARAM_POINTER);
    CHECK_EQ(k->params[1].offset, 8);
    CHECK_EQ(k->params[2].kind, PARAM_FLOAT);
    CHECK_EQ(k->params[2].offset, 16);
    CHECK_EQ(k->params[3].kind, PARAM_BYTES);
    CHECK_EQ(k->params[3].offset, 24);
    CHECK_EQ(k->params[4].offset, 36);
    CHECK_EQ(k->param_bytes, 38);
    rig_free(&R);
}

TEST(only_one_kernel_can_be_asked_for)
{
    cg_options o = cg_default_options(ARCH_VOLTA);

    o.only = "b";
    CHECK_EQ(rig_compile(&R, "k.ptx",
                         HEAD ".visible .entry a()\n{\ntrap;\nret;\n}\n"
                              ".visible .entry b()\n{\nret;\n}\n",
                         &o),
             ST_OK);
    CHECK_EQ(R.p->kernel_count, 1);
    CHECK_STR(R.p->kernels[0].name, "b");
    rig_free(&R);
}

TEST(shared_memory_and_launch_bounds_are_noted)
{
    CHECK_EQ(compile(HEAD ".shared .align 4 .b8 one[100];\n"
                          ".shared .align 4 .b8 other[1000];\n"
                          ".visible .entry a()\n.maxntid 32, 4, 1\n"
                          ".reqntid 16, 2\n{\n.reg .b32 %r<3>;\n"
                          "ld.shared.u32 %r1, [one];\n"
                          "st.shared.u32 [one+4], %r1;\nbar.sync 3;\nret;\n}\n",
                     ARCH_KEPLER, 0),
             ST_OK);
    const isa_kernel *k = &R.p->kernels[0];
    CHECK_EQ(k->shared_bytes, 100);
    CHECK_EQ(k->max_threads, 128);
    CHECK_EQ(k->req_threads[0], 16);
    CHECK_EQ(k->req_threads[1], 2);
    CHECK_EQ(k->req_threads[2], 1);
    CHECK_EQ(k->barriers, 4);
    rig_free(&R);
}

TEST(a_listing_shows_lines_and_figures)
{
    static const char text[] =
        HEAD ".visible .entry a(.param .u64 p)\n{\n.reg .b64 %d<4>;\n"
             ".reg .b32 %r<3>;\nld.param.u64 %d1, [p];\n"
             "mov.u32 %r1, %tid.x;\nst.global.u32 [%d1], %r1;\nret;\n}\n";
    strbuf b = {0};

    CHECK_EQ(compile(text, ARCH_FERMI, 0), ST_OK);
    CHECK_EQ(R.p->file_count, 1);
    sources *from = sources_new(R.p->files, 1, NULL);
    sources_put(from, 0, text, strlen(text));
    cg_list(R.p, from, &b);
    sources_free(from);
    CHECK(strstr(b.text, "kernel a"));
    CHECK(strstr(b.text, "0 bytes shared"));
    CHECK(strstr(b.text, "k.ptx:9  mov.u32 %r1, %tid.x;"));
    CHECK(strstr(b.text, "S2R R"));
    CHECK(strstr(b.text, "STG.E [R"));
    strbuf_fini(&b);
    rig_free(&R);
}

/* The source of the first instruction whose operation is `op`: "a.cu:7". */
static const char *source_of(unsigned op, char text[64])
{
    const isa_kernel *k = &R.p->kernels[0];

    for (uint32_t i = 0; i < k->code_count; i++) {
        const char *file = isa_kernel_file(k, &k->code[i]);

        if (k->code[i].op != op)
            continue;
        snprintf(text, 64, "%s:%u", file ? file : "?", k->code[i].line);
        return text;
    }
    return "none";
}

#define LOCATED                                                                \
    HEAD ".file 3 \"/src/a.cu\"\n.file 9 \"/inc/b.h\"\n"                       \
         ".func (.reg .b32 %o) f(.reg .b32 %i)\n{\n"                           \
         ".loc 9 40 1\nsin.approx.f32 %o, %i;\nret;\n}\n"                      \
         ".func (.reg .b32 %o) g(.reg .b32 %i)\n{\n"                           \
         "ex2.approx.f32 %o, %i;\nret;\n}\n"                                   \
         ".visible .entry a(.param .u64 p)\n{\n.reg .b64 %d<4>;\n"             \
         ".reg .b32 %r<9>;\nld.param.u64 %d1, [p];\nmov.u32 %r1, %clock;\n"    \
         ".loc 3 12 5\nmov.u32 %r2, %laneid;\n"                                \
         ".loc 9 7 1, function_name $L__info_string0, inlined_at 3 13 2\n"     \
         "popc.b32 %r3, %r1;\n.loc 3 0 0\nbrev.b32 %r4, %r2;\n"                \
         ".loc 3 14 1\ncall (%r5), f, (%r3);\ncall (%r6), g, (%r4);\n"         \
         "add.u32 %r7, %r5, %r6;\n.loc 3 15\t9\n"                              \
         "st.global.u32 [%d1], %r7;\nret;\n}\n"

TEST(instructions_know_their_file_and_line)
{
    char at[64];

    CHECK_EQ(compile(LOCATED, ARCH_VOLTA, 0), ST_OK);
    CHECK_EQ(R.p->file_count, 2);
    CHECK_STR(source_of(ISA_S2R, at), "/src/a.cu:12"); /* before .loc */
    CHECK_STR(source_of(ISA_POPC, at), "/inc/b.h:7");
    CHECK_STR(source_of(ISA_BREV, at), "/inc/b.h:7"); /* line 0 is none */
    CHECK_STR(source_of(ISA_IADD3, at), "/src/a.cu:14");
    CHECK_STR(source_of(ISA_STG, at), "/src/a.cu:15");
    for (uint32_t i = 0; i < R.p->kernels[0].code_count; i++) {
        const isa_inst *in = &R.p->kernels[0].code[i];

        CHECK(in->file && in->line);
        if (in->op == ISA_MUFU) /* f has lines, g has not */
            CHECK_EQ(in->line, ISA_GET(in, MUFUFN) == MUFU_SIN ? 40 : 14);
    }
    rig_free(&R);
}

TEST(without_loc_lines_are_those_of_the_ptx)
{
    char at[64];

    CHECK_EQ(compile(HEAD ".visible .entry a(.param .u64 p)\n{\n"
                          ".reg .b64 %d<4>;\n.reg .b32 %r<3>;\n"
                          "ld.param.u64 %d1, [p];\nmov.u32 %r1, %laneid;\n"
                          "st.global.u32 [%d1], %r1;\nret;\n}\n",
                     ARCH_VOLTA, 0),
             ST_OK);
    CHECK_STR(source_of(ISA_S2R, at), "k.ptx:9");
    CHECK_STR(source_of(ISA_STG, at), "k.ptx:10");
    CHECK_STR(source_of(ISA_EXIT, at), "k.ptx:11");
    rig_free(&R);
}

/* Fused only where neither says how to round. */
static unsigned count_ops(const char *body, bool contract, unsigned op)
{
    cg_options o = cg_default_options(ARCH_VOLTA);
    char text[1024];
    unsigned n = 0;

    o.contract = contract;
    snprintf(text, sizeof text,
             HEAD ".visible .entry a(.param .u64 p)\n{\n.reg .b64 %%d<4>;\n"
                  ".reg .f32 %%f<8>;\nld.param.u64 %%d1, [p];\n"
                  "ld.global.f32 %%f1, [%%d1];\n"
                  "ld.global.f32 %%f2, [%%d1+4];\n"
                  "%s\nst.global.f32 [%%d1], %%f4;\nret;\n}\n",
             body);
    CHECK_EQ(rig_compile(&R, "k.ptx", text, &o), ST_OK);
    for (uint32_t i = 0; i < R.p->kernels[0].code_count; i++)
        n += R.p->kernels[0].code[i].op == op;
    rig_free(&R);
    return n;
}

TEST(products_and_sums_fuse_where_ptx_leaves_it_open)
{
    const char *open = "mul.f32 %f3, %f1, %f2;\nadd.f32 %f4, %f3, %f1;";
    const char *rn = "mul.rn.f32 %f3, %f1, %f2;\nadd.f32 %f4, %f3, %f1;";
    const char *ftz = "mul.ftz.f32 %f3, %f1, %f2;\nadd.f32 %f4, %f3, %f1;";
    const char *twice = "mul.f32 %f3, %f1, %f2;\nadd.f32 %f4, %f3, %f1;\n"
                        "add.f32 %f4, %f4, %f3;";

    CHECK_EQ(count_ops(open, true, ISA_FFMA), 1);
    CHECK_EQ(count_ops(open, false, ISA_FFMA), 0);
    CHECK_EQ(count_ops(rn, true, ISA_FFMA), 0);
    CHECK_EQ(count_ops(ftz, true, ISA_FFMA), 0);
    CHECK_EQ(count_ops(twice, true, ISA_FFMA), 0);
}

TEST(an_address_is_one_wide_multiplication)
{
    const char *body = "mov.f32 %f4, %f1;\n.reg .b32 %r1;\n"
                       "mov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\n"
                       "add.s64 %d3, %d1, %d2;\nadd.s64 %d3, %d3, 64;\n"
                       "st.global.f32 [%d3], %f2;";

    CHECK_EQ(count_ops(body, true, ISA_IMADW), 1);
    CHECK_EQ(count_ops(body, true, ISA_IADD3), 0);
}

/* Two divisions of a kind share their rare half, which is called; one has it
 * where it stands. */
TEST(rare_halves_of_divisions_stand_once)
{
    const char *two = "div.rn.f32 %f3, %f1, %f2;\ndiv.rn.f32 %f4, %f1, %f3;";
    const char *mixed =
        "div.rn.f32 %f3, %f1, %f2;\ndiv.rn.ftz.f32 %f4, %f1, %f3;";

    CHECK_EQ(count_ops(two, true, ISA_CALL), 2);
    CHECK_EQ(count_ops(two, true, ISA_RET), 1);
    CHECK_EQ(count_ops(mixed, true, ISA_CALL), 0);
    CHECK_EQ(count_ops(mixed, true, ISA_RET), 0);
}

/* Bytes that are unpacked and packed again are one word, or one permutation
 * of it. */
TEST(bytes_are_not_taken_apart_in_vain)
{
#define BYTES(order)                                                           \
    ".reg .b16 %h<5>;\nld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%d1];\n"         \
    "st.global.v4.u8 [%d1+8], {" order "};\nmov.f32 %f4, %f1;"
    const char *same = BYTES("%h1, %h2, %h3, %h4");
    const char *turned = BYTES("%h4, %h3, %h2, %h1");

    CHECK_EQ(count_ops(same, true, ISA_BFE), 0);
    CHECK_EQ(count_ops(same, true, ISA_PRMT), 0);
    CHECK_EQ(count_ops(turned, true, ISA_BFE), 0);
    CHECK_EQ(count_ops(turned, true, ISA_PRMT), 1);
}
