/* Products of warp groups from PTX: tiles are laid out in shared memory as the
 * manual's figures have them, and every element of the result is what a plain
 * loop makes of small whole numbers. */
#include <math.h>

#include "base/must.h"
#include "base/strbuf.h"
#include "exec/half.h"
#include "rig.h"
#include "test.h"

typedef enum form { F16, BF16, TF32, E4M3, E5M2, S8, U8, B1 } form;
typedef enum result { F32, HALF, S32 } result;

static const struct {
    const char *text;
    unsigned bits;
} forms[] = {{"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"e4m3", 8},
             {"e5m2", 8}, {"s8", 8},    {"u8", 8},    {"b1", 1}};
static const char *const sums[] = {"f32", "f16", "s32"};

typedef struct side {
    form f;
    unsigned lines;   /* rows of A, columns of B */
    unsigned swizzle; /* bytes of a row of the pattern; 16: none */
    bool turned;      /* lines follow each other in memory */
    unsigned skip;    /* bytes of k in front of the product's */
    bool minus;
    int v[256][256]; /* [line][k] */
    uint8_t bytes[65536];
    unsigned lead, stride; /* bytes */
} side;

typedef struct product {
    unsigned n;
    form a, b;
    result d;
    unsigned swizzle_a, swizzle_b;
    bool registers, turned_a, turned_b, fresh, minus_a, minus_b;
    unsigned skip;
} product;

static uint64_t seed = 9;

static uint64_t noise(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    return z ^ z >> 27;
}

static unsigned depth(form f) { return 256 / forms[f].bits; }

static uint32_t encode(form f, int v)
{
    static const uint8_t e4m3[] = {0, 0x38, 0x40, 0x44, 0x48};
    static const uint8_t e5m2[] = {0, 0x3c, 0x40, 0x42, 0x44};
    float x = (float)v;
    uint32_t u;

    switch (f) {
    case F16:
        return half_f16_from_float(x);
    case BF16:
        return half_bf16_from_float(x);
    case TF32:
        memcpy(&u, &x, 4);
        return u;
    case E4M3:
    case E5M2:
        return (v < 0 ? 0x80u : 0) | (f == E4M3 ? e4m3 : e5m2)[v < 0 ? -v : v];
    case S8:
    case U8:
    case B1:
        return (uint32_t)v;
    }
    MUST(!"every value is above");
}

/* Where the 16 bytes from byte `c` on of row `r` of a pattern are: the pieces
 * of a row change places, from row to row, two rows or four. */
static unsigned pattern(unsigned wide, unsigned r, unsigned c)
{
    unsigned by = wide == 128  ? r % 8
                  : wide == 64 ? r / 2 % 4
                  : wide == 32 ? r / 4 % 2
                               : 0;

    return r * wide + ((c / 16) ^ by) * 16 + c % 16;
}

/* The byte at which element k of a line begins. */
static unsigned place(const side *s, unsigned line, unsigned k)
{
    unsigned wide = s->swizzle, per = wide / 2, c;

    if (s->turned) {
        if (wide == 16)
            return line / 8 * s->stride + k / 8 * s->lead + k % 8 * 16 +
                   line % 8 * 2;
        return line / per * s->lead + k / 8 * s->stride +
               pattern(wide, k % 8, line % per * 2);
    }
    c = s->skip + k * forms[s->f].bits / 8;
    if (wide == 16)
        return line / 8 * s->stride + c / 16 * s->lead + line % 8 * 16 + c % 16;
    return line / 8 * s->stride + pattern(wide, line % 8, c);
}

/* Distances of what lies side by side, with a gap between them. */
static void lay_out(side *s)
{
    unsigned wide = s->swizzle, atom = 8 * wide;

    if (s->turned && wide == 16) {
        s->lead = 128;
        s->stride = 256 + 16;
    } else if (s->turned) {
        s->stride = atom;
        s->lead = 2 * atom;
    } else {
        s->stride = wide == 16 ? 256 + 32 : atom;
        s->lead = wide == 16 ? 128 : 16;
    }
}

static void fill(side *s)
{
    unsigned bits = forms[s->f].bits;

    lay_out(s);
    memset(s->bytes, 0x5a, sizeof s->bytes);
    for (unsigned i = 0; i < s->lines; i++)
        for (unsigned k = 0; k < depth(s->f); k++) {
            int r = (int)(noise() >> 20 & 7);
            uint32_t u;

            r = s->f == B1 ? r & 1 : s->f == U8 ? r : r - 4;
            s->v[i][k] = s->minus ? -r : r;
            u = encode(s->f, r);
            if (bits == 1) {
                uint8_t *b = &s->bytes[place(s, i, k / 8 * 8)];
                *b = (uint8_t)((*b & ~(1u << k % 8)) | u << k % 8);
            } else {
                memcpy(&s->bytes[place(s, i, k)], &u, bits / 8);
            }
        }
}

/* Without the address, for which 16384 bytes are room at most. */
static uint64_t descriptor(const side *s)
{
    uint64_t mode = s->swizzle == 128  ? 1
                    : s->swizzle == 64 ? 2
                    : s->swizzle == 32 ? 3
                                       : 0;

    return mode << 62 | (uint64_t)(s->stride / 16) << 32 |
           (uint64_t)(s->lead / 16) << 16;
}

static void list(strbuf *b, const char *name, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        strbuf_printf(b, "%s%s%u%s", i ? "," : "{", name, i,
                      i + 1 == n ? "}" : "");
}

enum { AT_B = 16384 }; /* of the tiles in shared memory, A first */

static const char copy[] =
    "mov.u32 %t, %tid.x;\nmov.u32 %s, tiles;\nld.param.u64 %p, [src];\n"
    "mov.u32 %i, %t;\n"
    "more:\nmul.wide.u32 %q, %i, 4;\nadd.u64 %q, %q, %p;\n"
    "ld.global.u32 %w, [%q];\nmad.lo.u32 %j, %i, 4, %s;\n"
    "st.shared.u32 [%j], %w;\nadd.u32 %i, %i, 128;\n"
    "setp.lt.u32 %more, %i, 20480;\n@%more bra more;\nbar.sync 0;\n";

static void put_product(strbuf *b, const product *p, unsigned regs)
{
    strbuf_printf(b, "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s%s ", p->n,
                  depth(p->a), sums[p->d], forms[p->a].text, forms[p->b].text,
                  p->a == B1 ? ".and.popc" : "");
    list(b, "%d", regs);
    strbuf_putc(b, ',');
    if (p->registers)
        list(b, "%a", 4);
    else
        strbuf_puts(b, "%da");
    strbuf_puts(b, ", %db, %add");
    if (p->a <= E5M2)
        strbuf_printf(b, ", %d, %d", p->minus_a ? -1 : 1, p->minus_b ? -1 : 1);
    if (p->a <= BF16 && !p->registers)
        strbuf_printf(b, ", %d", p->turned_a);
    if (p->a <= BF16)
        strbuf_printf(b, ", %d", p->turned_b);
    strbuf_puts(b, ";\n");
}

static void program(strbuf *b, const product *p, unsigned regs)
{
    strbuf_puts(b, ".version 8.0\n.target sm_90a\n.address_size 64\n"
                   ".extern .shared .align 1024 .b8 tiles[];\n"
                   ".entry k(.param .u64 src,.param .u64 c,.param .u64 d,"
                   ".param .u64 da,.param .u64 db,.param .u32 add) {\n"
                   ".reg .b32 %t,%s,%i,%j,%w,%a<4>,%add0;\n"
                   ".reg .b64 %p,%q,%da,%db,%x;\n.reg .pred %more,%add;\n");
    strbuf_printf(b, ".reg .%s %%d<%u>;\n", p->d == F32 ? "f32" : "b32", regs);
    strbuf_puts(b, copy);
    for (unsigned i = 0; i < 2; i++)
        strbuf_printf(b,
                      "ld.param.u64 %%d%c, [d%c];\nadd.u32 %%j, %%s, %u;\n"
                      "shr.u32 %%j, %%j, 4;\ncvt.u64.u32 %%x, %%j;\n"
                      "or.b64 %%d%c, %%d%c, %%x;\n",
                      "ab"[i], "ab"[i], (i ? AT_B : 0) + p->skip, "ab"[i],
                      "ab"[i]);
    if (p->registers) /* 16 bytes of each lane, in front of C */
        strbuf_puts(b, "ld.param.u64 %p, [c];\nmul.wide.u32 %q, %t, 16;\n"
                       "add.u64 %q, %q, %p;\n"
                       "ld.global.v4.u32 {%a0,%a1,%a2,%a3}, [%q];\n");
    strbuf_printf(b,
                  "ld.param.u32 %%add0, [add];\nsetp.ne.u32 %%add, %%add0, 0;\n"
                  "ld.param.u64 %%p, [c];\nmul.wide.u32 %%q, %%t, %u;\n"
                  "add.u64 %%q, %%q, %%p;\n",
                  4 * regs);
    for (unsigned i = 0; i < regs; i++)
        strbuf_printf(b, "ld.global.%s %%d%u, [%%q+%u];\n",
                      p->d == F32 ? "f32" : "b32", i, 2048 + 4 * i);
    strbuf_puts(b, "wgmma.fence.sync.aligned;\n");
    put_product(b, p, regs);
    strbuf_puts(b, "wgmma.commit_group.sync.aligned;\n"
                   "wgmma.wait_group.sync.aligned 0;\nld.param.u64 %p, [d];\n");
    strbuf_printf(b, "mul.wide.u32 %%q, %%t, %u;\nadd.u64 %%q, %%q, %%p;\n",
                  4 * regs);
    for (unsigned i = 0; i < regs; i++)
        strbuf_printf(b, "st.global.%s [%%q+%u], %%d%u;\n",
                      p->d == F32 ? "f32" : "b32", 4 * i, i);
    strbuf_puts(b, "ret; }\n");
}

/* ---- results ------------------------------------------------------------ */

/* Word and half of thread `t` that has D's element. */
static unsigned d_place(const product *p, unsigned row, unsigned col,
                        unsigned *thread)
{
    *thread = row / 16 * 32 + row % 8 * 4 + col % 8 / 2;
    if (p->d == HALF)
        return (col / 8 * 2 + row % 16 / 8) * 2 + col % 2;
    return col / 8 * 4 + row % 16 / 8 * 2 + col % 2;
}

static void put_sum(const product *p, uint8_t *to, int v)
{
    float x = (float)v;
    uint16_t h = (uint16_t)half_f16_from_float(x);

    if (p->d == HALF)
        memcpy(to, &h, 2);
    else if (p->d == F32)
        memcpy(to, &x, 4);
    else
        memcpy(to, &v, 4);
}

static void expect(const product *p, const side *a, const side *b, uint8_t *c,
                   uint8_t *d)
{
    unsigned size = p->d == HALF ? 2 : 4;
    unsigned regs = p->n / (p->d == HALF ? 4 : 2);

    for (unsigned i = 0; i < 64; i++)
        for (unsigned j = 0; j < p->n; j++) {
            int v = (int)(noise() % 33) - 16, sum;
            unsigned t, at = d_place(p, i, j, &t);

            put_sum(p, c + t * 4 * regs + at * size, v);
            sum = p->fresh ? 0 : v;
            for (unsigned k = 0; k < depth(p->a); k++)
                sum += a->v[i][k] * b->v[j][k];
            put_sum(p, d + t * 4 * regs + at * size, sum);
        }
}

/* A of each thread as of mma.m16n8: 16 bytes. */
static void spread_a(const side *a, uint8_t *to)
{
    unsigned bits = forms[a->f].bits, per = 32 / bits;

    for (unsigned t = 0; t < 128; t++)
        for (unsigned r = 0; r < 4; r++)
            for (unsigned e = 0; e < per; e++) {
                unsigned row = t / 32 * 16 + t % 32 / 4 + r % 2 * 8;
                unsigned k = r / 2 * 4 * per + t % 4 * per + e;
                int v = a->v[row][k];
                uint32_t u = encode(a->f, a->minus ? -v : v);

                memcpy(to + 16 * t + 4 * r + e * bits / 8, &u, bits / 8);
            }
}

static void multiply(const product *p)
{
    static side a, b;
    static uint8_t tiles[AT_B + 65536], c[2048 + 65536], d[65536];
    static const uint32_t one[3] = {1, 1, 1}, group[3] = {128, 1, 1};
    cg_options o = cg_default_options(ARCH_HOPPER);
    unsigned regs = p->n / (p->d == HALF ? 4 : 2);
    strbuf text = {0};
    uint64_t at[3], param[2];
    uint32_t add = !p->fresh;
    rig r;
    status st;

    a = (side){.f = p->a,
               .lines = 64,
               .swizzle = p->swizzle_a,
               .turned = p->turned_a,
               .skip = p->skip,
               .minus = p->minus_a};
    b = (side){.f = p->b,
               .lines = p->n,
               .swizzle = p->swizzle_b,
               .turned = p->turned_b,
               .skip = p->skip,
               .minus = p->minus_b};
    fill(&a);
    fill(&b);
    memcpy(tiles, a.bytes, AT_B);
    memcpy(tiles + AT_B, b.bytes, sizeof tiles - AT_B);
    spread_a(&a, c);
    expect(p, &a, &b, c + 2048, d);
    program(&text, p, regs);
    st = rig_compile(&r, "wgmma.ptx", text.text, &o);
    if (st != ST_OK)
        rig_tell(&r, st);
    CHECK_EQ(st, ST_OK);
    rig_prepare(&r, NULL, ARCH_HOPPER, one, group, 81920);
    at[0] = rig_alloc(&r, "tiles", sizeof tiles, tiles);
    at[1] = rig_alloc(&r, "c", sizeof c, c);
    at[2] = rig_alloc(&r, "d", 512 * regs, NULL);
    param[0] = descriptor(&a);
    param[1] = descriptor(&b);
    for (unsigned i = 0; i < 3; i++)
        rig_param(&r, &at[i], 8);
    rig_param(&r, &param[0], 8);
    rig_param(&r, &param[1], 8);
    rig_param(&r, &add, 4);
    st = rig_run(&r);
    if (st != ST_OK)
        rig_tell(&r, st);
    CHECK_EQ(st, ST_OK);
    if (memcmp(mem_host(r.image, at[2]), d, 512 * regs))
        TEST_FAIL("m64n%u %s %s %s, swizzle %u %u, %s%s%s", p->n, sums[p->d],
                  forms[p->a].text, forms[p->b].text, p->swizzle_a,
                  p->swizzle_b, p->registers ? "A in registers " : "",
                  p->turned_a ? "A turned " : "",
                  p->turned_b ? "B turned" : "");
    rig_free(&r);
    strbuf_fini(&text);
}

TEST(every_width)
{
    for (unsigned n = 8; n <= 256; n += 8) {
        product p = {
            .n = n, .a = F16, .b = F16, .swizzle_a = 128, .swizzle_b = 128};

        p.skip = n / 8 % 4 * 32; /* the slices of k of a pattern */
        multiply(&p);
    }
}

TEST(every_type)
{
    static const struct {
        form a, b;
        result d;
    } all[] = {{F16, F16, F32},   {F16, F16, HALF},  {BF16, BF16, F32},
               {TF32, TF32, F32}, {E4M3, E4M3, F32}, {E4M3, E5M2, F32},
               {E5M2, E4M3, F32}, {E5M2, E5M2, F32}, {E4M3, E5M2, HALF},
               {S8, S8, S32},     {S8, U8, S32},     {U8, S8, S32},
               {U8, U8, S32},     {B1, B1, S32}};

    for (size_t i = 0; i < COUNTOF(all); i++)
        for (unsigned k = 0; k < 4; k++) {
            product p = {
                .n = 8 + 24 * k, .a = all[i].a, .b = all[i].b, .d = all[i].d};

            p.swizzle_a = 16u << k;
            p.swizzle_b = 128u >> k;
            p.registers = k == 1 && p.a != B1;
            p.fresh = k == 2;
            p.minus_a = k == 3 && p.a <= E5M2;
            p.minus_b = k >= 2 && p.a <= E5M2;
            multiply(&p);
        }
}

TEST(tiles_of_either_order)
{
    for (unsigned k = 0; k < 64; k++) {
        product p = {
            .n = 64, .a = k & 32 ? BF16 : F16, .b = k & 32 ? BF16 : F16};

        p.turned_a = k & 1;
        p.turned_b = k & 2;
        p.swizzle_a = 16u << (k >> 2 & 3);
        p.swizzle_b = 16u << (((k >> 2) + k / 16) & 3);
        multiply(&p);
    }
}

/* ---- what is refused ---------------------------------------------------- */

static void refused(const char *body, unsigned line, const char *why)
{
    cg_options o = cg_default_options(ARCH_HOPPER);
    strbuf b = {0};
    rig r;

    strbuf_printf(&b,
                  ".version 8.0\n.target sm_90a\n.address_size 64\n"
                  ".entry k() {\n.reg .f32 %%d<4>;\n.reg .b64 %%a,%%b;\n"
                  ".reg .pred %%p;\n%sret; }\n",
                  body);
    CHECK_EQ(rig_compile(&r, "wgmma.ptx", b.text, &o), ST_PROGRAM);
    const diag_item *last = diag_get(r.dg, diag_count(r.dg) - 1);
    if (!strstr(last->text, why) || last->line != line)
        TEST_FAIL("%u: %s", last->line, last->text);
    rig_free(&r);
    strbuf_fini(&b);
}

#define PRODUCT                                                                \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "                       \
    "{%d0,%d1,%d2,%d3}, %a, %b, %p, 1, 1, 0, 0;\n"
#define FENCE  "wgmma.fence.sync.aligned;\n"
#define COMMIT "wgmma.commit_group.sync.aligned;\n"

TEST(results_are_not_to_be_touched_before_they_are_awaited)
{
    refused(PRODUCT, 8, "no wgmma.fence before it");
    refused(FENCE PRODUCT COMMIT "add.f32 %d1, %d2, %d2;\n", 11,
            "without a wgmma.wait_group");
    refused(FENCE PRODUCT COMMIT
            "wgmma.wait_group.sync.aligned 1;\nmov.f32 %d1, 0f00000000;\n",
            12, "without a wgmma.wait_group");
    refused(FENCE "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                  "{%d0,%d1,%d2}, %a, %b, %p, 1, 1, 0, 0;\n",
            9, "the operands do not have the size of the matrices");
}

/* What the product of `body` reads as its sum. */
static unsigned sum_of(const char *body)
{
    cg_options o = cg_default_options(ARCH_HOPPER);
    unsigned sum = 0, products = 0;
    strbuf b = {0};
    rig r;

    strbuf_puts(&b,
                ".version 8.0\n.target sm_90a\n.address_size 64\n"
                ".entry k(.param .u64 out) {\n.reg .f32 %d<4>;\n"
                ".reg .b64 %a,%b,%o;\n.reg .b32 %z;\n.reg .pred %p;\n"
                "ld.param.u64 %o, [out];\nmov.b64 %a, 0;\nmov.b64 %b, 0;\n"
                "ld.global.f32 %d0, [%o];\nld.global.f32 %d1, [%o+64];\n"
                "ld.global.f32 %d2, [%o+32];\nld.global.f32 %d3, [%o+8];\n");
    strbuf_puts(&b, body);
    strbuf_puts(&b, FENCE PRODUCT COMMIT
                "wgmma.wait_group.sync.aligned 0;\n"
                "st.global.v4.f32 [%o+128], {%d0,%d1,%d2,%d3};\nret; }\n");
    CHECK_EQ(rig_compile(&r, "wgmma.ptx", b.text, &o), ST_OK);
    const isa_kernel *k = &r.p->kernels[0];
    for (uint32_t i = 0; i < k->code_count; i++)
        if (k->code[i].op == ISA_HGMMA) {
            sum = k->code[i].src[2];
            products++;
        }
    CHECK_EQ(products, 1);
    rig_free(&r);
    strbuf_fini(&b);
    return sum;
}

/* Registers that a product only writes are not brought together for it. */
TEST(a_product_that_does_not_add_reads_no_sum)
{
    CHECK_EQ(sum_of("mov.b32 %z, 0;\nsetp.ne.b32 %p, %z, 0;\n"), ISA_RZ);
    CHECK(sum_of("mov.b32 %z, 1;\nsetp.ne.b32 %p, %z, 0;\n") != ISA_RZ);
    CHECK(sum_of("mov.b32 %z, %laneid;\nsetp.ne.b32 %p, %z, 0;\n") != ISA_RZ);
}
