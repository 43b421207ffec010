/* tests/unit/codegen/opt/test_tile.c - addresses of a swizzled tile: sums of a
 * few values and of many constants. The constants go to the offsets of the
 * loads, so that the sums are as many as the values make. */
#include "unit/codegen/rig.h"

#include "test.h"

enum { THREADS = 32, PLACES = 6, WORDS = 4096 };

/* Thread t adds up, for c = 0, 1024, ... of PLACES, the words at x + c,
 * x + c + a, x + c + b and x + c + a + b, x = 4 t: in the order in which
 * compilers write it, constants first. */
static void write_kernel(char *to, size_t room)
{
    size_t n = (size_t)snprintf(
        to, room,
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".extern .shared .align 16 .b8 tile[];\n"
        ".visible .entry k(.param .u64 out, .param .u32 a, .param .u32 b)\n{\n"
        ".reg .b32 %%r<200>;\n.reg .b64 %%d<9>;\n.reg .pred %%p<9>;\n"
        "ld.param.u64 %%d1, [out];\nld.param.u32 %%r1, [a];\n"
        "ld.param.u32 %%r2, [b];\nmov.u32 %%r3, %%tid.x;\n"
        "shl.b32 %%r4, %%r3, 2;\nmov.u32 %%r5, 0;\nmov.u32 %%r7, %%r4;\n"
        "fill: st.shared.u32 [%%r7], %%r7;\nadd.u32 %%r7, %%r7, 128;\n"
        "setp.lt.u32 %%p1, %%r7, %u;\n@%%p1 bra fill;\nbar.sync 0;\n",
        4 * WORDS);

    for (unsigned i = 0; i < PLACES; i++) {
        unsigned r = 10 + 4 * i;

        n += (size_t)snprintf(
            to + n, room - n,
            "add.s32 %%r%u, %%r4, %u;\nadd.s32 %%r%u, %%r%u, %%r1;\n"
            "add.s32 %%r%u, %%r%u, %%r2;\nadd.s32 %%r%u, %%r%u, %%r2;\n",
            r, 1024 * i, r + 1, r, r + 2, r, r + 3, r + 1);
        for (unsigned k = 0; k < 4; k++)
            n += (size_t)snprintf(to + n, room - n,
                                  "ld.shared.u32 %%r6, [%%r%u];\n"
                                  "mad.lo.u32 %%r5, %%r5, 3, %%r6;\n",
                                  r + k);
    }
    snprintf(to + n, room - n,
             "mul.wide.u32 %%d2, %%r3, 4;\nadd.u64 %%d3, %%d1, %%d2;\n"
             "st.global.u32 [%%d3], %%r5;\nret;\n}\n");
}

static unsigned count_sums(const isa_kernel *k)
{
    unsigned sums = 0;

    for (uint32_t i = 0; i < k->code_count; i++) {
        const isa_inst *in = &k->code[i];

        sums += in->op == ISA_IADD3 && in->pdst[0] == ISA_PT;
    }
    return sums;
}

TEST(constants_of_a_tile_are_offsets)
{
    static char text[16384];
    cg_options o = cg_default_options(ARCH_VOLTA);
    uint32_t a = 4 * 96, b = 4 * 160;
    uint64_t out;
    rig r;

    write_kernel(text, sizeof text);
    CHECK_EQ(rig_compile(&r, "k.ptx", text, &o), ST_OK);
    /* x + a, x + b, x + a + b, and one that counts in the loop */
    CHECK(count_sums(&r.p->kernels[0]) <= 4);
    rig_prepare(&r, NULL, ARCH_VOLTA, (uint32_t[]){1, 1, 1},
                (uint32_t[]){THREADS, 1, 1}, 4 * WORDS);
    out = rig_alloc(&r, "out", 4 * THREADS, NULL);
    rig_param(&r, &out, 8);
    rig_param(&r, &a, 4);
    rig_param(&r, &b, 4);
    CHECK_EQ(rig_run(&r), ST_OK);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t want = 0, v;

        for (uint32_t i = 0; i < PLACES; i++) {
            uint32_t x = 4 * t + 1024 * i;

            want = want * 3 + x;
            want = want * 3 + x + a;
            want = want * 3 + x + b;
            want = want * 3 + x + a + b;
        }
        memcpy(&v, mem_host(r.image, out + 4 * t), 4);
        CHECK_EQ(v, want);
    }
    rig_free(&r);
}
