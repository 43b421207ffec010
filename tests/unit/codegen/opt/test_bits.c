/* tests/unit/codegen/opt/test_bits.c - bits that are tested take one operation
 * each, where logic has a predicate as a result, and compute the same. */
#include "unit/codegen/rig.h"

#include "test.h"

#define HEAD                                                                   \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<40>;\n"               \
    ".reg .b64 %d<9>;\n.reg .pred %p<9>;\nld.param.u64 %d1, [out];\n"          \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r9, 0;\n"
/* Thread t writes %r9. */
#define END                                                                    \
    "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d3, %d1, %d2;\n"                      \
    "st.global.u32 [%d3], %r9;\nret;\n}\n"

enum { THREADS = 64 };

typedef struct tests { /* of bits */
    unsigned logic, logic_with_value, comparisons;
} tests;

static tests count_tests(const isa_kernel *k)
{
    tests n = {0};

    for (uint32_t i = 0; i < k->code_count; i++) {
        const isa_inst *in = &k->code[i];

        n.comparisons += in->op == ISA_ISETP;
        if (in->op != ISA_LOP3 || !in->pwrite)
            continue;
        n.logic++;
        n.logic_with_value += in->dst_regs != 0;
    }
    return n;
}

/* The tests in the code for `arch`, which runs; thread t has to write
 * want(t). */
static tests run_on(isa_arch arch, const char *text,
                    uint32_t (*want)(uint32_t t))
{
    cg_options o = cg_default_options(arch);
    uint64_t out;
    tests n;
    rig r;

    CHECK_EQ(rig_compile(&r, "k.ptx", text, &o), ST_OK);
    n = count_tests(&r.p->kernels[0]);
    rig_prepare(&r, NULL, arch, (uint32_t[]){1, 1, 1},
                (uint32_t[]){THREADS, 1, 1}, 0);
    out = rig_alloc(&r, "out", 4 * THREADS, NULL);
    rig_param(&r, &out, 8);
    CHECK_EQ(rig_run(&r), ST_OK);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t v;

        memcpy(&v, mem_host(r.image, out + 4 * t), 4);
        CHECK_EQ(v, want(t));
    }
    rig_free(&r);
    return n;
}

/* If `cmp` of the bits `mask` of the thread's number and `with`: adds 1. */
#define IF(n, mask, cmp, with)                                                 \
    "and.b32 %r" n ", %r1, " mask ";\n"                                        \
    "setp." cmp ".u32 %p" n ", %r" n ", " with ";\n"                           \
    "@%p" n " add.u32 %r9, %r9, %r1;\n"

#define FOUR                                                                   \
    IF("2", "1", "eq", "1")                                                    \
    IF("3", "6", "ne", "0") IF("4", "8", "eq", "0") IF("5", "16", "ne", "16")

static uint32_t four_of(uint32_t t)
{
    return t * ((t & 1) + ((t & 6) != 0) + !(t & 8) + !(t & 16));
}

TEST(bits_are_tested_by_the_logic_that_picks_them)
{
    tests n = run_on(ARCH_VOLTA, HEAD FOUR END, four_of);

    CHECK_EQ(n.logic, 4);
    CHECK_EQ(n.logic_with_value, 0);
    CHECK_EQ(n.comparisons, 0);
}

/* Fermi and Kepler compare what was picked. */
TEST(older_machines_compare)
{
    tests n = run_on(ARCH_KEPLER, HEAD FOUR END, four_of);

    CHECK_EQ(n.logic, 0);
    CHECK_EQ(n.comparisons, 4);
}

#define OTHERS                                                                 \
    IF("2", "6", "eq", "6") /* of two bits */                                  \
    IF("3", "8", "eq", "16") /* never */ IF("4", "24", "lt", "16")

static uint32_t others_of(uint32_t t)
{
    return t * (((t & 6) == 6) + ((t & 24) < 16));
}

TEST(several_bits_and_other_orders_are_compared)
{
    tests n = run_on(ARCH_VOLTA, HEAD OTHERS END, others_of);

    CHECK_EQ(n.logic, 0);
    CHECK(n.comparisons >= 2);
}

#define VALUE                                                                  \
    "and.b32 %r2, %r1, 12;\nsetp.ne.u32 %p1, %r2, 0;\n"                        \
    "@%p1 add.u32 %r9, %r2, 5;\n"

static uint32_t value_of(uint32_t t) { return t & 12 ? (t & 12) + 5 : 0; }

TEST(bits_that_are_used_otherwise_are_compared)
{
    tests n = run_on(ARCH_VOLTA, HEAD VALUE END, value_of);

    CHECK_EQ(n.comparisons, 1);
}
