/* tests/unit/codegen/opt/test_legal.c - constants that an instruction cannot
 * hold: those of 64 bits are read from the constant bank, those in registers
 * are put there once for the blocks behind. What the code computes is compared
 * with the host. */
#include "unit/codegen/rig.h"

#include <math.h>

#include "test.h"

#define HEAD                                                                   \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<40>;\n"               \
    ".reg .b64 %d<9>;\n.reg .f64 %f<40>;\n.reg .f32 %s<20>;\n"                 \
    ".reg .pred %p<9>;\nld.param.u64 %d1, [out];\n"                            \
    "mov.u32 %r1, %tid.x;\ncvt.rn.f64.u32 %f1, %r1;\n"                         \
    "cvt.rn.f32.u32 %s1, %r1;\n"
/* Thread t writes %f9. */
#define END                                                                    \
    "mul.wide.u32 %d2, %r1, 8;\nadd.u64 %d3, %d1, %d2;\n"                      \
    "st.global.f64 [%d3], %f9;\nret;\n}\n"

enum {
    THREADS = 64,
    FACTOR = 1, /* a move: that of the address, which IMAD.WIDE needs */
};

typedef struct constants {
    unsigned moves;    /* of a number into a register */
    unsigned in_bank;  /* operands of FP64 instructions in the bank */
    unsigned products; /* DFMA */
} constants;

static constants count_constants(const isa_kernel *k)
{
    constants n = {0};

    for (uint32_t i = 0; i < k->code_count; i++) {
        const isa_inst *in = &k->code[i];

        n.products += in->op == ISA_DFMA;
        for (unsigned j = 0; j < 3; j++) {
            n.moves += (in->op == ISA_MOV ||
                        (in->op == ISA_IMAD && !in->src_regs[0])) &&
                       in->src_kind[j] == SRC_IMM;
            n.in_bank +=
                in->class == ISA_CLASS_FP64 && in->src_kind[j] == SRC_CONST;
        }
    }
    return n;
}

/* The constants in the code, which runs; thread t has to write want(t). */
static constants run(const char *text, double (*want)(double t))
{
    cg_options o = cg_default_options(ARCH_VOLTA);
    constants n;
    uint64_t out;
    rig r;

    CHECK_EQ(rig_compile(&r, "k.ptx", text, &o), ST_OK);
    n = count_constants(&r.p->kernels[0]);
    rig_prepare(&r, NULL, ARCH_VOLTA, (uint32_t[]){1, 1, 1},
                (uint32_t[]){THREADS, 1, 1}, 0);
    out = rig_alloc(&r, "out", 8 * THREADS, NULL);
    rig_param(&r, &out, 8);
    CHECK_EQ(rig_run(&r), ST_OK);
    for (uint32_t t = 0; t < THREADS; t++) {
        double v;

        memcpy(&v, mem_host(r.image, out + 8 * t), 8);
        CHECK(v == want(t));
    }
    rig_free(&r);
    return n;
}

/* 0.1, 0.2, -0.3: their lower halves are not 0, so no immediate holds them. */
#define NUMBERS                                                                \
    "mov.f64 %f2, 0d3FB999999999999A;\nmov.f64 %f3, 0d3FC999999999999A;\n"     \
    "mov.f64 %f4, 0dBFD3333333333333;\n"
#define POLYNOMIAL(to, x)                                                      \
    "fma.rn.f64 %f5, " x ", %f2, %f3;\nfma.rn.f64 %f5, %f5, " x ", %f4;\n"     \
    "fma.rn.f64 " to ", %f5, " x ", %f3;\n"

static double polynomial(double x)
{
    return fma(fma(fma(x, 0.1, 0.2), x, -0.3), x, 0.2);
}

/* Of the four uses one stands beside another constant: that is in a register,
 * by two moves. */
TEST(numbers_of_64_bits_are_read_from_the_bank)
{
    constants n = run(HEAD NUMBERS POLYNOMIAL("%f9", "%f1") END, polynomial);

    CHECK_EQ(n.products, 3);
    CHECK_EQ(n.in_bank, 3);
    CHECK_EQ(n.moves, FACTOR + 2);
}

/* Two branches with the same polynomial of different numbers. */
#define TWICE                                                                  \
    HEAD NUMBERS                                                               \
        "setp.gt.f64 %p1, %f1, 0d4024000000000000;\n"                          \
        "@%p1 bra more;\nadd.f64 %f6, %f1, 0d3FF8000000000000;\n"              \
        "bar.warp.sync -1;\n" POLYNOMIAL(                                      \
            "%f9",                                                             \
            "%f6") "bra done;\nmore:\nbar.warp.sync -1;\n" POLYNOMIAL("%f7",   \
                                                                      "%f1")   \
            POLYNOMIAL("%f9", "%f7") "done:\n" END

static double twice(double t)
{
    return t > 10 ? polynomial(polynomial(t)) : polynomial(t + 1.5);
}

TEST(each_block_reads_them_there)
{
    constants n = run(TWICE, twice);

    CHECK_EQ(n.products, 9);
    CHECK_EQ(n.in_bank, 9);
    CHECK_EQ(n.moves, FACTOR + 2);
}

/* A sign that the instruction gives it stays. */
#define NEGATIVE                                                               \
    HEAD NUMBERS "neg.f64 %f5, %f2;\nfma.rn.f64 %f6, %f1, %f5, %f1;\n"         \
                 "abs.f64 %f7, %f4;\nsub.f64 %f8, %f6, %f7;\n"                 \
                 "sub.f64 %f9, %f3, %f8;\n" END

static double negative(double t) { return 0.2 - (fma(t, -0.1, t) - 0.3); }

TEST(signs_of_numbers_in_the_bank_count)
{
    constants n = run(NEGATIVE, negative);

    CHECK_EQ(n.in_bank, 3);
    CHECK_EQ(n.moves, FACTOR);
}

/* 0.1 and 0.2 stand in one instruction, so one of them is in a register. */
#define PAIR(x) "fma.rn.f32 %s2, " x ", 0f3DCCCCCD, 0f3E4CCCCD;\n"
#define BLOCKS                                                                 \
    HEAD PAIR(                                                                 \
        "%s1") "setp.gt.f32 %p1, %s2, 0f40000000;\n@%p1 bra more;\n"           \
               "bar.warp.sync -1;\n" PAIR(                                     \
                   "%s2") "bra done;\nmore:\n"                                 \
                          "bar.warp.sync -1;\nadd.f32 %s2, %s2, %s1;\n" PAIR(  \
                              "%s2") "done:\ncvt.f64.f32 %f9, %s2;\n" END

static float pair(float x) { return fmaf(x, 0.1f, 0.2f); }

static double blocks(double t)
{
    float x = pair((float)t);

    return x > 2 ? pair(x + (float)t) : pair(x);
}

TEST(a_constant_serves_the_blocks_behind)
{
    constants n = run(BLOCKS, blocks);

    CHECK_EQ(n.moves, FACTOR + 1);
}
