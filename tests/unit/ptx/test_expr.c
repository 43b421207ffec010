/* Constant expressions: the values that the C compiler gives for the same. */
#include "test.h"

#include "text.h"

typedef struct value {
    const char *text;
    uint64_t bits;
} value;

/* What binds tighter is what is tested. */
#pragma GCC diagnostic ignored "-Wparentheses"

#define SAME(e)                                                                \
    {                                                                          \
#e, (uint64_t)(e)                                                      \
    }

static const value integers[] = {
    SAME(1 + 2 * 3 - 4 / 2 % 3),
    SAME((1 + 2) * 3),
    SAME(-7 / 2),
    SAME(-7 % 3),
    SAME(-1 >> 1),
    SAME(1 << 20 >> 3),
    SAME(0xF0 | 0x0F & 0x3C ^ 5),
    SAME(~5),
    SAME(!5 + !0),
    SAME(3 < 4),
    SAME(4 <= 3),
    SAME(5 > 4 == 1),
    SAME(5 >= 6 != 0),
    SAME(2 && 0 || 1),
    SAME(1 ? 2 : 3),
    SAME(0   ? 2
         : 1 ? 4
             : 5),
    SAME(0777 + 0b101),
    SAME(- -3),
    SAME(+3),
    SAME(0xFFFFFFFFFFFFFFFF / 3),
    SAME(-1 < 1),
    SAME(1 - 2 < 0),
    {"-1 < 1U", 0}, /* unsigned, in 64 bits */
    {"(.u64)-1 / 2", UINT64_MAX / 2},
    {"(.u64)-1 % 10", UINT64_MAX % 10},
    {"(.u64)-1 >> 60", 15},
    {"(.s64)(.u64)-1 >> 60", UINT64_MAX},
    {"(.s64)2.75", 2},
    {"(.u64)1.8e19", 0xf9ccd8a1c5080000},
    {"1 << 64", 0},
    {"-1 >> 99", UINT64_MAX},
    {"(0-0x7fffffffffffffff-1) / -1", 1ull << 63},
    {"(0-0x7fffffffffffffff-1) % -1", 0},
    {"WARP_SZ / 4", 8},
    {"17 %5", 2},
    {"17 % 5", 2},
    {"1.5 < 2 && 2.0 >= 2.0 && 1.0 != 2.0 && 1.0 <= 0f3F800000", 1},
    {"2.0 > 3.0 || 2.0 == 3.0", 0},
    {"!0.0", 1},
};

static const struct {
    const char *text;
    double d;
} floats[] = {
    {"1.5", 1.5},
    {"1e3", 1e3},
    {"1.25e-3", 1.25e-3},
    {"-2.5E+2", -2.5e2},
    {"0d4000000000000000", 2.0},
    {"1.0 + 2 * 3.5", 8.0},
    {"1.0 - 0f3F000000", 0.5},
    {"7.0 / 2", 3.5},
    {"1 ? 0.25 : 4", 0.25},
    {"3.", 3.0},
};

/* The operand of `mov.TYPE reg, text`. */
static const ptx_operand *operand(text *t, const char *mov, const char *s)
{
    char line[256];

    snprintf(line, sizeof line, "%s, %s;", mov, s);
    *t = text_body(line);
    if (!t->m)
        TEST_FAIL("%s: %s", s, diag_get(t->dg, 0)->text);
    return &text_inst(t, 0)->ops[1];
}

TEST(integers_are_computed_in_64_bits)
{
    for (size_t i = 0; i < COUNTOF(integers); i++) {
        text t;
        const ptx_operand *o = operand(&t, "mov.u64 %rd1", integers[i].text);
        CHECK_EQ(o->kind, PTX_OPD_IMM);
        if ((uint64_t)o->imm != integers[i].bits)
            TEST_FAIL("%s is %lld, not %lld", integers[i].text,
                      (long long)o->imm, (long long)integers[i].bits);
        text_free(&t);
    }
}

TEST(floats_are_computed_in_double)
{
    for (size_t i = 0; i < COUNTOF(floats); i++) {
        text t;
        const ptx_operand *o = operand(&t, "mov.f64 %fd1", floats[i].text);
        double d;
        CHECK_EQ(o->kind, PTX_OPD_FIMM);
        CHECK_EQ(o->type, PTX_TYPE_F64);
        memcpy(&d, &o->imm, sizeof d);
        if (d != floats[i].d)
            TEST_FAIL("%s is %g, not %g", floats[i].text, d, floats[i].d);
        text_free(&t);
    }
}

TEST(minus_keeps_the_bits_of_a_literal)
{
    text t;
    const ptx_operand *o = operand(&t, "mov.f32 %f1", "-0f7F800001");

    CHECK_EQ(o->type, PTX_TYPE_F32);
    CHECK_EQ(o->imm, 0xff800001);
    text_free(&t);
}

TEST(broken_expressions)
{
    static const char *const broken[] = {
        "1 +",
        "1.5 & 2",
        "1.0 % 2.0",
        "(.s32)1",
        "(.u64)-1.0",
        "(.s64 1",
        "1 ? 2",
        "~1.5",
        "0x",
        "08",
        "1e",
        "(.s64)1e30",
        "nobody + 1",
        "0d12",
        "1..2",
        "5 / (3 - 3)",
        "12345678901234567890123",
        "1.0000000000000000000000000000000000000000000000000000000000000000",
    };

    for (size_t i = 0; i < COUNTOF(broken); i++) {
        char line[256];
        snprintf(line, sizeof line, "mov.u64 %%rd1, %s;", broken[i]);
        text t = text_body(line);
        if (t.m)
            TEST_FAIL("%s is accepted", broken[i]);
        CHECK_EQ(diag_get(t.dg, 0)->line, 10);
        text_free(&t);
    }
}

TEST(nesting_has_a_limit)
{
    strbuf b = {0};

    strbuf_puts(&b, "mov.u64 %rd1, ");
    for (int i = 0; i < 100000; i++)
        strbuf_putc(&b, "(-~!"[i & 3]);
    strbuf_puts(&b, "1;");
    text t = text_body(b.text);
    CHECK(!t.m);
    CHECK(strstr(diag_get(t.dg, 0)->text, "nested too deeply"));
    text_free(&t);
    b.size = 0;
    for (int i = 0; i < 100000; i++)
        strbuf_putc(&b, '{');
    t = text_body(b.text);
    CHECK(!t.m);
    CHECK(strstr(diag_get(t.dg, 0)->text, "nested too deeply"));
    text_free(&t);
    strbuf_fini(&b);
}
