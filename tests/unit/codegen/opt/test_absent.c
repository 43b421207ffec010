/* tests/unit/codegen/opt/test_absent.c - what Volta has no instruction for is
 * made of others, and computes the same: fields of bits of all places and
 * lengths, signs extended, minima and maxima. */
#include "unit/codegen/rig.h"

#include "base/strbuf.h"
#include "test.h"

#define HEAD                                                                   \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                          \
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<40>;\n"               \
    ".reg .b64 %d<9>;\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n"                  \
    "ld.param.u64 %d1, [out];\n"                                               \
    "mov.u32 %r1, %tid.x;\nmul.lo.u32 %r2, %r1, 0x9e3779b1;\n"                 \
    "xor.b32 %r3, %r2, 0x5bd1e995;\nmov.u32 %r9, 0;\n"
/* Thread t writes %r9. */
#define END                                                                    \
    "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d3, %d1, %d2;\n"                      \
    "st.global.u32 [%d3], %r9;\nret;\n}\n"
/* The next result. */
#define MORE "mad.lo.u32 %r9, %r9, 31, %r4;\n"

enum { THREADS = 64 };

static uint32_t first(uint32_t t) { return t * 0x9e3779b1; }
static uint32_t second(uint32_t t) { return first(t) ^ 0x5bd1e995; }
static uint32_t more(uint32_t sum, uint32_t x) { return sum * 31 + x; }

static unsigned count_op(const isa_kernel *k, unsigned op)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < k->code_count; i++)
        n += k->code[i].op == op;
    return n;
}

/* Compiles and runs; thread t has to write want(t). The caller frees. */
static void run_on(rig *r, isa_arch arch, const char *text,
                   uint32_t (*want)(uint32_t t))
{
    cg_options o = cg_default_options(arch);
    uint64_t out;

    CHECK_EQ(rig_compile(r, "k.ptx", text, &o), ST_OK);
    rig_prepare(r, NULL, arch, (uint32_t[]){1, 1, 1},
                (uint32_t[]){THREADS, 1, 1}, 0);
    out = rig_alloc(r, "out", 4 * THREADS, NULL);
    rig_param(r, &out, 8);
    CHECK_EQ(rig_run(r), ST_OK);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t v;

        memcpy(&v, mem_host(r->image, out + 4 * t), 4);
        CHECK_EQ(v, want(t));
    }
}

/* Places and lengths of fields: bytes, halves, others, up to the end. */
static const uint8_t fields[][2] = {
    {0, 1},  {0, 7},  {0, 8},   {0, 16}, {0, 31}, {0, 32}, {8, 8}, {8, 16},
    {16, 8}, {24, 8}, {16, 16}, {3, 9},  {4, 8},  {31, 1}, {5, 27}};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static uint32_t field(uint32_t x, unsigned i)
{
    unsigned len = fields[i][1];

    return x >> fields[i][0] & (len < 32 ? (1u << len) - 1 : UINT32_MAX);
}

static uint32_t fields_of(uint32_t t)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < FIELDS; i++) {
        unsigned rest = 32u - fields[i][1], pos = fields[i][0];
        uint32_t x = field(first(t), i), mask = field(UINT32_MAX, i) << pos;

        sum = more(sum, x);
        sum = more(sum, (uint32_t)((int32_t)(x << rest) >> rest));
        sum = more(sum, (second(t) << pos & mask) | (first(t) & ~mask));
    }
    return sum;
}

static void fields_text(strbuf *s)
{
    strbuf_puts(s, HEAD);
    for (unsigned i = 0; i < FIELDS; i++) {
        unsigned pos = fields[i][0], len = fields[i][1];

        strbuf_printf(s, "bfe.u32 %%r4, %%r2, %u, %u;\n%s", pos, len, MORE);
        strbuf_printf(s, "bfe.s32 %%r4, %%r2, %u, %u;\n%s", pos, len, MORE);
        strbuf_printf(s, "bfi.b32 %%r4, %%r3, %%r2, %u, %u;\n%s", pos, len,
                      MORE);
    }
    strbuf_puts(s, END);
}

TEST(fields_of_known_place_take_no_slow_unit)
{
    strbuf text = {0};
    rig r;

    fields_text(&text);
    run_on(&r, ARCH_VOLTA, text.text, fields_of);
    CHECK_EQ(count_op(&r.p->kernels[0], ISA_BFE), 0);
    CHECK_EQ(count_op(&r.p->kernels[0], ISA_BFI), 0);
    CHECK(count_op(&r.p->kernels[0], ISA_PRMT) >= 10); /* bytes and halves */
    rig_free(&r);
    run_on(&r, ARCH_KEPLER, text.text, fields_of);
    CHECK(count_op(&r.p->kernels[0], ISA_BFE) >= 20);
    CHECK(count_op(&r.p->kernels[0], ISA_BFI) >= 10);
    rig_free(&r);
    strbuf_fini(&text);
}

#define ANY                                                                    \
    HEAD "and.b32 %r5, %r1, 31;\nbfe.u32 %r4, %r2, %r5, 5;\n" MORE             \
         "bfi.b32 %r4, %r3, %r2, %r5, 7;\n" MORE END

static uint32_t any_of(uint32_t t)
{
    unsigned pos = t & 31;
    uint32_t mask = 127u << pos, sum = first(t) >> pos & 31;

    return more(sum, (second(t) << pos & mask) | (first(t) & ~mask));
}

TEST(fields_of_any_place_stay)
{
    rig r;

    run_on(&r, ARCH_VOLTA, ANY, any_of);
    CHECK_EQ(count_op(&r.p->kernels[0], ISA_BFE), 1);
    CHECK_EQ(count_op(&r.p->kernels[0], ISA_BFI), 1);
    rig_free(&r);
}

#define SIGNS                                                                  \
    HEAD "cvt.s32.s8 %r4, %r2;\n" MORE "cvt.s32.s16 %r4, %r2;\n" MORE          \
         "szext.wrap.s32 %r4, %r2, 13;\n" MORE                                 \
         "szext.clamp.s32 %r4, %r2, 8;\n" MORE END

static uint32_t signs_of(uint32_t t)
{
    uint32_t x = first(t), sum = (uint32_t)(int8_t)x;

    sum = more(sum, (uint32_t)(int16_t)x);
    sum = more(sum, (uint32_t)((int32_t)(x << 19) >> 19));
    return more(sum, (uint32_t)(int8_t)x);
}

#define LESSER                                                                 \
    HEAD "min.u32 %r4, %r2, %r3;\n" MORE "max.u32 %r4, %r2, %r3;\n" MORE       \
         "min.s32 %r4, %r2, %r3;\n" MORE "max.s32 %r4, %r2, -77;\n" MORE       \
         "and.b32 %r5, %r1, 1;\nsetp.ne.u32 %p1, %r5, 0;\n"                    \
         "@%p1 max.s32 %r4, %r2, %r3;\n" MORE END

static uint32_t lesser_of(uint32_t t)
{
    uint32_t x = first(t), y = second(t), sum = x < y ? x : y, last;

    sum = more(sum, x < y ? y : x);
    sum = more(sum, (int32_t)x < (int32_t)y ? x : y);
    last = (int32_t)x < -77 ? (uint32_t)-77 : x;
    sum = more(sum, last);
    if (t & 1)
        last = (int32_t)x < (int32_t)y ? y : x;
    return more(sum, last);
}

/* A minimum and a maximum of the same share their comparison. */
TEST(minima_are_compared_and_selected)
{
    rig r;

    run_on(&r, ARCH_VOLTA, LESSER, lesser_of);
    CHECK_EQ(count_op(&r.p->kernels[0], ISA_IMNMX), 0);
    CHECK_EQ(count_op(&r.p->kernels[0], ISA_ISETP), 3);
    CHECK_EQ(count_op(&r.p->kernels[0], ISA_SEL), 5);
    rig_free(&r);
    run_on(&r, ARCH_KEPLER, LESSER, lesser_of);
    CHECK_EQ(count_op(&r.p->kernels[0], ISA_IMNMX), 5);
    rig_free(&r);
}

TEST(signs_are_extended_without_the_slow_unit)
{
    rig r;

    run_on(&r, ARCH_VOLTA, SIGNS, signs_of);
    CHECK_EQ(count_op(&r.p->kernels[0], ISA_SGXT), 0);
    rig_free(&r);
}
