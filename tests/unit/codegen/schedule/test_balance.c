/* tests/unit/codegen/schedule/test_balance.c - moves, shifts and sums go to the
 * unit of products where that has less to do, and compute the same there. */
#include "unit/codegen/rig.h"

#include "config/preset.h"
#include "config/sheet.h"
#include "test.h"

#define HEAD                                                                   \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<40>;\n"               \
    ".reg .b64 %d<9>;\n.reg .pred %p<3>;\nld.param.u64 %d1, [out];\n"          \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r9, %r1;\n"
/* Thread t writes %r9. */
#define END                                                                    \
    "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d3, %d1, %d2;\n"                      \
    "st.global.u32 [%d3], %r9;\nret;\n}\n"

enum { THREADS = 64 };

typedef struct work { /* instructions by unit; what IMAD is used as */
    unsigned alu, fma, moves, shifts, sums, differences;
} work;

static bool is_number(const isa_inst *in, unsigned i, uint32_t n)
{
    return in->src_kind[i] == SRC_IMM && in->val[i] == n;
}

static work count_work(const isa_kernel *k)
{
    work w = {0};

    for (uint32_t i = 0; i < k->code_count; i++) {
        const isa_inst *in = &k->code[i];

        switch (in->class) {
        case ISA_CLASS_INT_ADD:
        case ISA_CLASS_INT_CMP:
        case ISA_CLASS_LOGIC:
        case ISA_CLASS_SHIFT:
        case ISA_CLASS_MOVE:
            w.alu++;
            break;
        case ISA_CLASS_INT_MUL:
            w.fma++;
            break;
        default:
            break;
        }
        if (in->op != ISA_IMAD)
            continue;
        w.moves += !in->src_regs[0] && in->src_kind[1] == SRC_REG;
        w.sums += is_number(in, 1, 1);
        w.differences += is_number(in, 1, UINT32_MAX);
        w.shifts += is_number(in, 1, 32) && !in->src_regs[2];
    }
    return w;
}

/* The code for a machine, which runs; thread t has to write want(t). */
static work run_on(const char *preset, const char *set, const char *text,
                   uint32_t (*want)(uint32_t t))
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    cg_options o;
    rig r;
    uint64_t out;
    status st;
    work w;

    CHECK_EQ(config_sheet_load(s, preset, dg), ST_OK);
    if (set)
        CHECK_EQ(config_sheet_set(s, set, CONFIG_FROM_SET, dg), ST_OK);
    o = cg_options_of(config_sheet_values(s));
    st = rig_compile(&r, "k.ptx", text, &o);
    if (st != ST_OK)
        rig_tell(&r, st);
    CHECK_EQ(st, ST_OK);
    w = count_work(&r.p->kernels[0]);
    rig_prepare(&r, NULL, o.arch, (uint32_t[]){1, 1, 1},
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
    config_sheet_free(s);
    diag_free(dg);
    return w;
}

#define FOUR_TIMES(x) x x x x
#define BITS                                                                   \
    "shl.b32 %r2, %r9, 5;\nxor.b32 %r9, %r9, %r2;\n"                           \
    "add.u32 %r3, %r9, %r2;\nxor.b32 %r9, %r9, %r3;\n"                         \
    "sub.u32 %r4, %r2, %r9;\nxor.b32 %r9, %r3, %r4;\n"                         \
    "shr.u32 %r5, %r9, 7;\nxor.b32 %r9, %r9, %r5;\n"

static uint32_t bits_of(uint32_t t)
{
    uint32_t x = t;

    for (unsigned i = 0; i < 16; i++) {
        uint32_t a = x << 5, b, c;

        x ^= a;
        b = x + a;
        x ^= b;
        c = a - x;
        x = b ^ c;
        x ^= x >> 7;
    }
    return x;
}

/* Of eight operations three can go: logic and shifts to the right cannot. What
 * stays is more than what goes, so all of them go. */
TEST(what_can_go_goes_where_less_is_to_do)
{
    work w =
        run_on("v100", NULL, HEAD FOUR_TIMES(FOUR_TIMES(BITS)) END, bits_of);

    CHECK(w.shifts >= 15);
    CHECK(w.sums >= 15);
    CHECK(w.differences >= 15);
    CHECK(w.fma <= w.alu);
}

#define SUMS                                                                   \
    "shl.b32 %r2, %r9, 5;\nxor.b32 %r9, %r1, %r2;\n"                           \
    "sub.u32 %r3, %r2, %r9;\nshl.b32 %r2, %r3, 5;\n"                           \
    "sub.u32 %r9, %r2, %r9;\n"

static uint32_t sums_of(uint32_t t)
{
    uint32_t x = t;

    for (unsigned i = 0; i < 16; i++) {
        uint32_t a = x << 5, b;

        x = t ^ a;
        b = a - x;
        x = (b << 5) - x;
    }
    return x;
}

/* Of five operations four could go: half of all do. */
TEST(no_more_go_than_even_out_the_units)
{
    work w =
        run_on("v100", NULL, HEAD FOUR_TIMES(FOUR_TIMES(SUMS)) END, sums_of);

    CHECK(w.fma + w.alu >= 60);
    CHECK(w.fma <= w.alu);
    CHECK(w.alu <= w.fma + 2);
}

#define PRODUCTS                                                               \
    "mul.lo.u32 %r9, %r9, %r9;\nshl.b32 %r2, %r9, 5;\n"                        \
    "mul.lo.u32 %r9, %r2, %r1;\nmad.lo.u32 %r9, %r9, %r9, %r2;\n"

static uint32_t products_of(uint32_t t)
{
    uint32_t x = t;

    for (unsigned i = 0; i < 16; i++) {
        uint32_t a;

        x *= x;
        a = x << 5;
        x = a * t;
        x = x * x + a;
    }
    return x;
}

TEST(nothing_goes_where_more_is_to_do)
{
    work w = run_on("v100", NULL, HEAD FOUR_TIMES(FOUR_TIMES(PRODUCTS)) END,
                    products_of);

    CHECK_EQ(w.shifts, 0);
    CHECK(w.alu >= 16);
}

/* Where IMAD takes longer, or occupies its unit for longer, and where it runs
 * beside the sums. */
TEST(nothing_goes_where_products_are_slow)
{
    const char *text = HEAD FOUR_TIMES(FOUR_TIMES(BITS)) END;
    work w = run_on("v100", "sm.op.int_mul.latency=5", text, bits_of);

    CHECK_EQ(w.shifts + w.sums + w.differences, 0);
    w = run_on("v100", "sm.op.int_mul.interval=3", text, bits_of);
    CHECK_EQ(w.shifts + w.sums + w.differences, 0);
    w = run_on("v100", "sm.op.int_mul.unit=alu", text, bits_of);
    CHECK_EQ(w.shifts + w.sums + w.differences, 0);
}

#define GUARDED                                                                \
    "setp.lt.u32 %p1, %r9, 1000;\nmov.u32 %r2, 77;\n"                          \
    "@%p1 mov.u32 %r2, %r9;\n@%p1 shl.b32 %r9, %r2, 5;\n"                      \
    "@!%p1 sub.u32 %r9, %r2, %r9;\nxor.b32 %r9, %r9, %r2;\n"                   \
    "xor.b32 %r9, %r9, %r1;\n"

static uint32_t guarded_of(uint32_t t)
{
    uint32_t x = t;

    for (unsigned i = 0; i < 16; i++) {
        uint32_t a = x < 1000 ? x : 77;

        x = x < 1000 ? a << 5 : a - x;
        x ^= a;
        x ^= t;
    }
    return x;
}

TEST(guards_stay)
{
    work w = run_on("v100", NULL, HEAD FOUR_TIMES(FOUR_TIMES(GUARDED)) END,
                    guarded_of);

    CHECK(w.moves > 0);
    CHECK(w.shifts + w.differences > 0);
}
