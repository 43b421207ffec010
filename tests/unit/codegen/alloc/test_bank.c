/* tests/unit/codegen/alloc/test_bank.c - registers that one instruction reads
 * lie in banks that serve it in time. */
#include "unit/codegen/rig.h"

#include "codegen/ir/pipe.h"
#include "config/preset.h"
#include "config/sheet.h"
#include "test.h"

enum { VALUES = 12, ROUNDS = 8, THREADS = 32 };

/* Each value in turn becomes a product of two others and its sum with itself,
 * in changing company: whatever the registers are, some three of them would
 * meet in one bank. */
static const char *products(void)
{
    static char text[32768];
    size_t n = (size_t)sprintf(
        text, ".version 7.0\n.target sm_70\n.address_size 64\n"
              ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<40>;\n"
              ".reg .b64 %%d<9>;\nld.param.u64 %%d1, [out];\n"
              "mov.u32 %%r30, %%tid.x;\n");

    for (unsigned i = 0; i < VALUES; i++)
        n += (size_t)sprintf(text + n, "mad.lo.u32 %%r%u, %%r30, %u, %u;\n", i,
                             2 * i + 3, i);
    for (unsigned i = 0; i < ROUNDS * VALUES; i++)
        n += (size_t)sprintf(
            text + n, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %%r%u;\n", i % VALUES,
            (5 * i + 1) % VALUES, (7 * i + 3) % VALUES, i % VALUES);
    for (unsigned i = 1; i < VALUES; i++)
        n += (size_t)sprintf(text + n, "xor.b32 %%r0, %%r0, %%r%u;\n", i);
    strcpy(text + n, "mul.wide.u32 %d2, %r30, 4;\nadd.u64 %d3, %d1, %d2;\n"
                     "st.global.u32 [%d3], %r0;\nret;\n}\n");
    return text;
}

static uint32_t products_of(uint32_t t)
{
    uint32_t r[VALUES];

    for (uint32_t i = 0; i < VALUES; i++)
        r[i] = t * (2 * i + 3) + i;
    for (uint32_t i = 0; i < ROUNDS * VALUES; i++)
        r[i % VALUES] += r[(5 * i + 1) % VALUES] * r[(7 * i + 3) % VALUES];
    for (uint32_t i = 1; i < VALUES; i++)
        r[0] ^= r[i];
    return r[0];
}

/* Instructions that read three registers of one bank. */
static unsigned count_threes(const isa_kernel *k, const cg_banks *b)
{
    unsigned threes = 0;

    for (uint32_t i = 0; i < k->code_count; i++) {
        const isa_inst *in = &k->code[i];
        bool one = in->op == ISA_IMAD;

        for (unsigned s = 0; s < 3; s++) {
            one = one && in->src_regs[s] == 1 &&
                  cg_bank(b, in->src[s]) == cg_bank(b, in->src[0]);
            for (unsigned j = 0; j < s; j++)
                one = one && in->src[s] != in->src[j];
        }
        threes += one;
    }
    return threes;
}

/* On a v100 with that setting; its banks are those of the default. */
static unsigned run_with(const char *set)
{
    cg_options plain = cg_default_options(ARCH_VOLTA), o;
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    unsigned threes;
    uint64_t out;
    status st;
    rig r;

    CHECK_EQ(config_sheet_load(s, "v100", dg), ST_OK);
    CHECK_EQ(config_sheet_set(s, set, CONFIG_FROM_SET, dg), ST_OK);
    o = cg_options_of(config_sheet_values(s));
    st = rig_compile(&r, "k.ptx", products(), &o);
    if (st != ST_OK)
        rig_tell(&r, st);
    CHECK_EQ(st, ST_OK);
    threes = count_threes(&r.p->kernels[0], &plain.banks);
    rig_prepare(&r, NULL, ARCH_VOLTA, (uint32_t[]){1, 1, 1},
                (uint32_t[]){THREADS, 1, 1}, 0);
    out = rig_alloc(&r, "out", 4 * THREADS, NULL);
    rig_param(&r, &out, 8);
    CHECK_EQ(rig_run(&r), ST_OK);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t v;

        memcpy(&v, mem_host(r.image, out + 4 * t), 4);
        CHECK_EQ(v, products_of(t));
    }
    rig_free(&r);
    config_sheet_free(s);
    diag_free(dg);
    return threes;
}

TEST(three_operands_come_from_both_banks)
{
    CHECK_EQ(run_with("sm.rf.banks=2"), 0);
}

/* With two reads of a bank in a cycle, and where no banks are looked at. */
TEST(banks_that_serve_all_are_not_avoided)
{
    CHECK(run_with("sm.rf.read_ports=2") > 0);
    CHECK(run_with("sm.rf.collect=none") > 0);
}

TEST(banks_are_those_of_the_machine)
{
    cg_banks v = cg_default_options(ARCH_VOLTA).banks;
    cg_banks none = cg_default_options(ARCH_FERMI).banks;
    cg_banks k = {.count = 4, .map = CFG_BANK_MAP_KEPLER};

    CHECK_EQ(v.count, 2);
    CHECK_EQ(cg_bank(&v, 7), 1);
    CHECK_EQ(cg_bank(&v, 10), 0);
    CHECK_EQ(none.count, 0);
    /* R0, R2, R8 and R10 in one bank, R1, R3, R9, R11 in the next. */
    CHECK_EQ(cg_bank(&k, 10), cg_bank(&k, 0));
    CHECK_EQ(cg_bank(&k, 9), cg_bank(&k, 3));
    CHECK(cg_bank(&k, 4) != cg_bank(&k, 0));
    CHECK(cg_bank(&k, 5) != cg_bank(&k, 4));
}
