/* Products of matrices from PTX: fragments are loaded, multiplied and stored,
 * and must be what a plain loop makes of small whole numbers; mma.sync with its
 * operands as the manual places them; matrices and copies in shared memory. */
#include <math.h>

#include "base/must.h"
#include "base/strbuf.h"
#include "exec/half.h"
#include "rig.h"
#include "test.h"

typedef enum form {
    F16,
    BF16,
    TF32,
    F32,
    F64,
    S8,
    U8,
    S4,
    U4,
    B1,
    S32,
    E4M3,
    E5M2
} form;

static const struct {
    const char *text, *reg;
    unsigned bits;
} forms[] = {
    [F16] = {"f16", "b32", 16},   [BF16] = {"bf16", "b32", 16},
    [TF32] = {"tf32", "b32", 32}, [F32] = {"f32", "f32", 32},
    [F64] = {"f64", "f64", 64},   [S8] = {"s8", "b32", 8},
    [U8] = {"u8", "b32", 8},      [S4] = {"s4", "b32", 4},
    [U4] = {"u4", "b32", 4},      [B1] = {"b1", "b32", 1},
    [S32] = {"s32", "b32", 32},   [E4M3] = {"e4m3", "b32", 8},
    [E5M2] = {"e5m2", "b32", 8},
};

enum { SIDE = 160 }; /* rows and columns of the largest matrix and more */

/* ---- matrices in memory ------------------------------------------------- */

typedef struct matrix {
    form f;
    unsigned rows, cols, lead; /* lead: elements from line to line */
    bool col;                  /* by columns */
    int v[SIDE][SIDE];
    uint8_t bytes[SIDE * SIDE * 8];
} matrix;

static uint64_t seed = 1;

static uint64_t noise(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    return z ^ z >> 27;
}

/* -4 to 4 as floats of 8 bits: 1, 2, 3 and 4 by their bits. */
static uint32_t encode8(form f, int v)
{
    static const uint8_t e4m3[] = {0, 0x38, 0x40, 0x44, 0x48};
    static const uint8_t e5m2[] = {0, 0x3c, 0x40, 0x42, 0x44};

    return (v < 0 ? 0x80u : 0) | (f == E4M3 ? e4m3 : e5m2)[v < 0 ? -v : v];
}

static uint64_t encode(form f, int v)
{
    float x = (float)v;
    double d = v;
    uint64_t u = 0;

    switch (f) {
    case F16:
        return half_f16_from_float(x);
    case BF16:
        return half_bf16_from_float(x);
    case TF32:
    case F32:
        memcpy(&u, &x, 4);
        return u;
    case F64:
        memcpy(&u, &d, 8);
        return u;
    case E4M3:
    case E5M2:
        return encode8(f, v);
    case S8:
    case U8:
    case S4:
    case U4:
    case B1:
    case S32:
        return (uint32_t)v;
    }
    MUST(!"every value is above");
}

static void put(uint8_t *bytes, unsigned bits, unsigned at, uint64_t v)
{
    for (unsigned i = 0; i < bits; i++, at++) {
        bytes[at / 8] &= (uint8_t) ~(1u << at % 8);
        bytes[at / 8] |= (uint8_t)((v >> i & 1) << at % 8);
    }
}

static unsigned where(const matrix *m, unsigned row, unsigned col)
{
    return m->col ? col * m->lead + row : row * m->lead + col;
}

static void fill(matrix *m, form f, unsigned rows, unsigned cols, bool col,
                 unsigned pad)
{
    unsigned bits = forms[f].bits;

    m->f = f;
    m->rows = rows;
    m->cols = cols;
    m->col = col;
    m->lead = (col ? rows : cols) + pad * 128 / bits;
    memset(m->bytes, 0, sizeof m->bytes);
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < cols; j++) {
            int r = (int)(noise() >> 20 & 7);

            m->v[i][j] = f == B1 ? r & 1 : f == U8 || f == U4 ? r : r - 4;
            put(m->bytes, bits, where(m, i, j) * bits, encode(f, m->v[i][j]));
        }
}

static uint64_t bytes_of(const matrix *m)
{
    return ((uint64_t)m->lead * (m->col ? m->cols : m->rows) *
                forms[m->f].bits +
            7) /
           8;
}

/* ---- wmma --------------------------------------------------------------- */

typedef struct shape {
    unsigned m, n, k;
    form ab, c, d;
    unsigned na, nb; /* registers of A and B; those of C follow */
} shape;

static unsigned c_regs(const shape *s, form f)
{
    return s->m * s->n * (f == F16 ? 16 : 32) / 1024;
}

static void list(strbuf *b, const char *name, unsigned n)
{
    strbuf_putc(b, '{');
    for (unsigned i = 0; i < n; i++)
        strbuf_printf(b, "%s%s%u", i ? "," : "", name, i);
    strbuf_putc(b, '}');
}

static const char *layout(bool col) { return col ? "col" : "row"; }

static void load(strbuf *b, const shape *s, char which, const matrix *m,
                 unsigned regs, unsigned how)
{
    char name[4] = {'%', which, 0};

    strbuf_printf(b, "wmma.load.%c.sync.aligned.%s.m%un%uk%u.global.%s ", which,
                  layout(m->col), s->m, s->n, s->k, forms[m->f].text);
    list(b, name, regs);
    strbuf_printf(b, ", [%%p%c]", which);
    if (how == 1)
        strbuf_printf(b, ", %%l%c", which);
    else if (how == 2)
        strbuf_printf(b, ", %u", m->lead);
    strbuf_puts(b, ";\n");
}

static void header(strbuf *b)
{
    strbuf_puts(b, ".version 8.0\n.target sm_90\n.address_size 64\n");
}

static void program(strbuf *b, const shape *s, const matrix m[4], unsigned how)
{
    const char *ab = forms[s->ab].text;

    header(b);
    strbuf_puts(b, ".entry k(.param .u64 a,.param .u64 b,.param .u64 c,"
                   ".param .u64 d) {\n");
    strbuf_printf(b,
                  ".reg .%s %%a<16>,%%b<16>;\n.reg .%s %%c<16>;\n"
                  ".reg .%s %%d<16>;\n",
                  forms[s->ab].reg, forms[s->c].reg, forms[s->d].reg);
    strbuf_puts(b, ".reg .b32 %la,%lb,%lc,%ld;\n"
                   ".reg .b64 %pa,%pb,%pc,%pd;\n");
    for (unsigned i = 0; i < 4; i++)
        strbuf_printf(b, "ld.param.u64 %%p%c, [%c];\nmov.u32 %%l%c, %u;\n",
                      "abcd"[i], "abcd"[i], "abcd"[i], m[i].lead);
    load(b, s, 'a', &m[0], s->na, how);
    load(b, s, 'b', &m[1], s->nb, how);
    load(b, s, 'c', &m[2], c_regs(s, s->c), how);
    strbuf_printf(b, "wmma.mma%s.sync.aligned.%s.%s.m%un%uk%u.%s",
                  s->ab == B1 ? ".xor.popc" : "", layout(m[0].col),
                  layout(m[1].col), s->m, s->n, s->k, forms[s->d].text);
    if (s->ab != F16)
        strbuf_printf(b, ".%s.%s", ab, ab);
    strbuf_printf(b, ".%s ", forms[s->c].text);
    list(b, "%d", c_regs(s, s->d));
    strbuf_putc(b, ',');
    list(b, "%a", s->na);
    strbuf_putc(b, ',');
    list(b, "%b", s->nb);
    strbuf_putc(b, ',');
    list(b, "%c", c_regs(s, s->c));
    strbuf_printf(b,
                  ";\nwmma.store.d.sync.aligned.%s.m%un%uk%u.global.%s "
                  "[%%pd], ",
                  layout(m[3].col), s->m, s->n, s->k, forms[s->d].text);
    list(b, "%d", c_regs(s, s->d));
    strbuf_puts(b, how == 1 ? ", %ld;\n" : "");
    if (how != 1)
        strbuf_printf(b, how ? ", %u;\n" : ";\n", m[3].lead);
    strbuf_puts(b, "ret; }\n");
}

static int wanted(const shape *s, const matrix *m, unsigned i, unsigned j)
{
    int v = m[2].v[i][j];

    for (unsigned k = 0; k < s->k; k++)
        v += s->ab == B1 ? m[0].v[i][k] ^ m[1].v[k][j]
                         : m[0].v[i][k] * m[1].v[k][j];
    return v;
}

static void check(const rig *r, const shape *s, const matrix *m, uint64_t at)
{
    const matrix *d = &m[3];
    const uint8_t *got = mem_host(r->image, at);
    unsigned bytes = forms[d->f].bits / 8;

    for (unsigned i = 0; i < s->m; i++)
        for (unsigned j = 0; j < s->n; j++) {
            uint64_t want = encode(d->f, wanted(s, m, i, j)), v = 0;

            memcpy(&v, got + where(d, i, j) * bytes, bytes);
            if (v != want)
                TEST_FAIL("m%un%uk%u %s %s %s [%u][%u]: 0x%llx, not 0x%llx",
                          s->m, s->n, s->k, forms[s->ab].text, layout(m[0].col),
                          layout(m[1].col), i, j, (unsigned long long)v,
                          (unsigned long long)want);
        }
}

static void run(const char *text, const matrix m[4], const shape *s)
{
    static const uint32_t one[3] = {1, 1, 1}, warp[3] = {32, 1, 1};
    cg_options o = cg_default_options(ARCH_VOLTA);
    rig r;
    status st = rig_compile(&r, "matrix.ptx", text, &o);
    uint64_t at[4];

    if (st != ST_OK)
        rig_tell(&r, st);
    CHECK_EQ(st, ST_OK);
    rig_prepare(&r, NULL, ARCH_VOLTA, one, warp, 0);
    for (unsigned i = 0; i < 4; i++) {
        at[i] = rig_alloc(&r, "m", bytes_of(&m[i]), i < 3 ? m[i].bytes : NULL);
        rig_param(&r, &at[i], 8);
    }
    st = rig_run(&r);
    if (st != ST_OK)
        rig_tell(&r, st);
    CHECK_EQ(st, ST_OK);
    check(&r, s, m, at[3]);
    rig_free(&r);
}

static void multiply(const shape *s, bool acol, bool bcol, bool ccol, bool dcol,
                     unsigned how)
{
    static matrix m[4];
    strbuf b = {0};
    unsigned pad = how ? 1 : 0;

    fill(&m[0], s->ab, s->m, s->k, acol, pad);
    fill(&m[1], s->ab, s->k, s->n, bcol, pad);
    fill(&m[2], s->c, s->m, s->n, ccol, pad);
    fill(&m[3], s->d, s->m, s->n, dcol, pad);
    program(&b, s, m, how);
    run(b.text, m, s);
    strbuf_fini(&b);
}

static const shape shapes[] = {
    {16, 16, 16, F16, F32, F32, 8, 8},  {16, 16, 16, F16, F16, F16, 8, 8},
    {16, 16, 16, F16, F16, F32, 8, 8},  {16, 16, 16, F16, F32, F16, 8, 8},
    {32, 8, 16, F16, F32, F32, 8, 8},   {32, 8, 16, F16, F16, F16, 8, 8},
    {8, 32, 16, F16, F32, F32, 8, 8},   {8, 32, 16, F16, F16, F16, 8, 8},
    {16, 16, 16, S8, S32, S32, 2, 2},   {16, 16, 16, U8, S32, S32, 2, 2},
    {32, 8, 16, S8, S32, S32, 4, 1},    {8, 32, 16, U8, S32, S32, 1, 4},
    {16, 16, 16, BF16, F32, F32, 4, 4}, {32, 8, 16, BF16, F32, F32, 8, 2},
    {8, 32, 16, BF16, F32, F32, 2, 8},  {16, 16, 8, TF32, F32, F32, 4, 4},
    {8, 8, 4, F64, F64, F64, 1, 1},
};

TEST(fragments_of_every_shape_and_layout)
{
    for (size_t i = 0; i < COUNTOF(shapes); i++)
        for (unsigned k = 0; k < 16; k++)
            if (k % 3 == i % 3 || k == 0 || k == 15)
                multiply(&shapes[i], k & 1, k & 2, k & 4, k & 8,
                         (k + (unsigned)i) % 3);
}

TEST(fragments_of_less_than_a_byte)
{
    static const shape small[] = {{8, 8, 32, S4, S32, S32, 1, 1},
                                  {8, 8, 32, U4, S32, S32, 1, 1},
                                  {8, 8, 128, B1, S32, S32, 1, 1}};

    for (size_t i = 0; i < COUNTOF(small); i++)
        for (unsigned how = 0; how < 3; how++)
            multiply(&small[i], false, true, how & 1, how & 2, how);
}

/* ---- mma.sync: operands where the manual has them ----------------------- */

typedef struct product {
    const char *text; /* behind mma.sync.aligned. */
    unsigned m, n, k;
    form ab, d;
} product;

/* Row and column of what element i of lane holds of A (B: rows are k). */
static void a_place(const product *p, unsigned lane, unsigned i, unsigned *row,
                    unsigned *col)
{
    unsigned per = 32 / forms[p->ab].bits, word;

    per = per ? per : 1;
    word = i / per;
    *row = lane / 4 + (p->m == 16 && word % 2 ? 8 : 0);
    *col = lane % 4 * per + i % per + (p->m == 16 ? word / 2 : word) * 4 * per;
}

static void b_place(const product *p, unsigned lane, unsigned i, unsigned *row,
                    unsigned *col)
{
    unsigned per = 32 / forms[p->ab].bits;

    per = per ? per : 1;
    *row = lane % 4 * per + i % per + i / per * 4 * per;
    *col = lane / 4;
}

static void c_place(unsigned lane, unsigned i, unsigned *row, unsigned *col)
{
    *row = lane / 4 + i / 2 * 8;
    *col = lane % 4 * 2 + i % 2;
}

/* The operands of each lane, one behind the other, as 32-bit words. */
static void spread(matrix *to, const product *p, char which, const matrix *m)
{
    unsigned bits = forms[m->f].bits, row, col, count;

    count = (which == 'a'   ? p->m * p->k
             : which == 'b' ? p->k * p->n
                            : p->m * p->n) /
            32;
    memset(to->bytes, 0, sizeof to->bytes);
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < count; i++) {
            if (which == 'a')
                a_place(p, lane, i, &row, &col);
            else if (which == 'b')
                b_place(p, lane, i, &row, &col);
            else
                c_place(lane, i, &row, &col);
            put(to->bytes, bits, (lane * count + i) * bits,
                encode(m->f, m->v[row][col]));
        }
}

/* Each lane loads `words` words as registers of type `reg`. */
static void load_words(strbuf *b, char which, const char *reg, unsigned words)
{
    unsigned wide = !strcmp(reg, "f64") ? 2 : 1;

    strbuf_printf(b,
                  "mad.lo.u32 %%r1, %%lane, %u, 0;\ncvt.u64.u32 %%rd1, "
                  "%%r1;\nadd.u64 %%rd1, %%rd1, %%p%c;\n",
                  4 * words, which);
    for (unsigned i = 0; i < words / wide; i++)
        strbuf_printf(b, "ld.global.%s %%%c%u, [%%rd1+%u];\n", reg, which, i,
                      4 * wide * i);
}

/* `selector`: of the metadata of a sparse A, which is %e; NULL: it is not. */
static void mma_program(strbuf *b, const product *p, const unsigned words[3],
                        const unsigned *selector)
{
    const char *reg = forms[p->ab].reg, *sum = forms[p->d].reg;
    unsigned wide = p->ab == F64 ? 2 : 1;

    if (p->d == F16)
        sum = "b32";
    header(b);
    strbuf_puts(b, ".entry k(.param .u64 a,.param .u64 b,.param .u64 c,"
                   ".param .u64 d,.param .u64 e) {\n.reg .b32 %lane,%r<3>;\n"
                   ".reg .b64 %rd<3>,%pa,%pb,%pc,%pd,%pe;\n");
    strbuf_printf(b,
                  ".reg .%s %%a<8>,%%b<8>;\n.reg .%s %%c<8>,%%d<8>;\n"
                  ".reg .b32 %%e<1>;\nmov.u32 %%lane, %%laneid;\n",
                  reg, sum);
    for (unsigned i = 0; i < 5; i++)
        strbuf_printf(b, "ld.param.u64 %%p%c, [%c];\n", "abcde"[i], "abcde"[i]);
    if (selector)
        load_words(b, 'e', "b32", 1);
    load_words(b, 'a', reg, words[0]);
    load_words(b, 'b', reg, words[1]);
    load_words(b, 'c', sum, words[2]);
    strbuf_printf(b, "mma%s.sync.aligned.%s ",
                  !selector       ? ""
                  : *selector % 2 ? ".sp::ordered_metadata"
                                  : ".sp",
                  p->text);
    for (unsigned i = 0; i < 4; i++) {
        list(b,
             i == 0   ? "%d"
             : i == 1 ? "%a"
             : i == 2 ? "%b"
                      : "%c",
             words[i == 0 ? 2 : i - 1] / wide);
        strbuf_puts(b, i < 3 ? "," : "");
    }
    if (selector)
        strbuf_printf(b, ", %%e0, %u", *selector);
    strbuf_puts(b, ";\n");
    strbuf_printf(b,
                  "mad.lo.u32 %%r1, %%lane, %u, 0;\ncvt.u64.u32 %%rd1, "
                  "%%r1;\nadd.u64 %%rd1, %%rd1, %%pd;\n",
                  4 * words[2]);
    for (unsigned i = 0; i < words[2] / wide; i++)
        strbuf_printf(b, "st.global.%s [%%rd1+%u], %%d%u;\n", sum, 4 * wide * i,
                      i);
    strbuf_puts(b, "ret; }\n");
}

/* Runs `p` with the words of each lane: A, B, C and what A's metadata are; D
 * is to be that of `want`. */
static void run_mma(const product *p, const matrix at[3], matrix *want,
                    const uint32_t meta[32], const unsigned *selector)
{
    static const uint32_t one[3] = {1, 1, 1}, warp[3] = {32, 1, 1};
    cg_options o = cg_default_options(ARCH_VOLTA);
    unsigned bits = forms[p->ab].bits, sum = forms[p->d].bits;
    unsigned stored = selector ? p->k / 2 : p->k;
    unsigned words[3] = {p->m * stored * bits / 1024, p->k * p->n * bits / 1024,
                         p->m * p->n * sum / 1024};
    static matrix d;
    strbuf b = {0};
    uint64_t base[5];
    rig r;

    spread(&d, p, 'c', want);
    mma_program(&b, p, words, selector);
    status st = rig_compile(&r, "mma.ptx", b.text, &o);
    if (st != ST_OK)
        rig_tell(&r, st);
    CHECK_EQ(st, ST_OK);
    rig_prepare(&r, NULL, ARCH_VOLTA, one, warp, 0);
    for (unsigned i = 0; i < 5; i++) {
        base[i] = i == 4 ? rig_alloc(&r, "m", 128, meta)
                         : rig_alloc(&r, "m", 32 * 4 * words[i < 3 ? i : 2],
                                     i < 3 ? at[i].bytes : NULL);
        rig_param(&r, &base[i], 8);
    }
    CHECK_EQ(rig_run(&r), ST_OK);
    if (memcmp(mem_host(r.image, base[3]), d.bytes, 32 * 4 * words[2]))
        TEST_FAIL("mma.sync.aligned.%s, selector %u", p->text,
                  selector ? *selector : 0);
    rig_free(&r);
    strbuf_fini(&b);
}

static void find_result(const product *p, const matrix m[3], matrix *want)
{
    shape s = {p->m, p->n, p->k, p->ab, p->d, p->d, 0, 0};

    *want = m[2];
    for (unsigned i = 0; i < p->m; i++)
        for (unsigned j = 0; j < p->n; j++)
            want->v[i][j] = wanted(&s, m, i, j);
}

static void multiply_at_once(const product *p)
{
    static matrix m[3], at[3], want;
    static const uint32_t none[32];

    fill(&m[0], p->ab, p->m, p->k, false, 0);
    fill(&m[1], p->ab, p->k, p->n, false, 0);
    fill(&m[2], p->d, p->m, p->n, false, 0);
    for (unsigned i = 0; i < 3; i++)
        spread(&at[i], p, "abc"[i], &m[i]);
    find_result(p, m, &want);
    run_mma(p, at, &want, none, NULL);
}

TEST(operands_of_mma_are_where_the_manual_says)
{
    static const product all[] = {
        {"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, F16, F32},
        {"m16n8k8.row.col.f16.f16.f16.f16", 16, 8, 8, F16, F16},
        {"m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, F16, F32},
        {"m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, F16, F16},
        {"m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, BF16, F32},
        {"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, BF16, F32},
        {"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, TF32, F32},
        {"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, TF32, F32},
        {"m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, F64, F64},
        {"m16n8k4.row.col.f64.f64.f64.f64", 16, 8, 4, F64, F64},
        {"m16n8k8.row.col.f64.f64.f64.f64", 16, 8, 8, F64, F64},
        {"m16n8k16.row.col.f64.f64.f64.f64", 16, 8, 16, F64, F64},
        {"m16n8k16.row.col.f32.e4m3.e4m3.f32", 16, 8, 16, E4M3, F32},
        {"m16n8k32.row.col.f32.e4m3.e4m3.f32", 16, 8, 32, E4M3, F32},
        {"m16n8k32.row.col.f16.e4m3.e4m3.f16", 16, 8, 32, E4M3, F16},
        {"m16n8k32.row.col.f32.e5m2.e5m2.f32", 16, 8, 32, E5M2, F32},
        {"m16n8k16.row.col.f16.e5m2.e5m2.f16", 16, 8, 16, E5M2, F16},
        {"m8n8k16.row.col.s32.s8.s8.s32", 8, 8, 16, S8, S32},
        {"m8n8k16.row.col.satfinite.s32.u8.u8.s32", 8, 8, 16, U8, S32},
        {"m16n8k16.row.col.s32.s8.s8.s32", 16, 8, 16, S8, S32},
        {"m16n8k32.row.col.s32.u8.u8.s32", 16, 8, 32, U8, S32},
        {"m8n8k32.row.col.s32.s4.s4.s32", 8, 8, 32, S4, S32},
        {"m16n8k32.row.col.s32.u4.u4.s32", 16, 8, 32, U4, S32},
        {"m16n8k64.row.col.s32.s4.s4.s32", 16, 8, 64, S4, S32},
        {"m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 8, 8, 128, B1, S32},
        {"m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 16, 8, 128, B1, S32},
    };

    for (size_t i = 0; i < COUNTOF(all); i++)
        multiply_at_once(&all[i]);
}

/* ---- mma.sp: A of which every other element is stored ------------------- */

/* Where the 4 bits of a chunk of row `row` from column `col` on are: lane and
 * first bit, as the manual's figures of the metadata have them. */
static unsigned meta_place(const product *p, unsigned row, unsigned col,
                           unsigned selector, unsigned *bit)
{
    unsigned bits = forms[p->ab].bits, lane = row % 8 * 4;
    unsigned half = 256 / bits; /* columns that the first lanes are for */
    bool both = p->k > half;

    col *= bits;
    if (bits >= 16) { /* a lane has rows n and n + 8 of 256 bits */
        *bit = row / 8 * 16 + col % 256 / 64 * 4;
        return lane + (both ? 2 * selector + col / 256 : selector);
    }
    *bit = col % 256 / 32 * 4; /* two lanes, one for each of the rows */
    return lane + (both ? 2 * (col / 256) : 2 * selector) + row / 8;
}

/* Chunks: 4 elements of which 2 are stored; 2 of tf32 and 1; 8 of 4 bits, of
 * which 2 pairs are. */
static void make_sparse(const product *p, unsigned selector, matrix *a,
                        matrix *stored, uint32_t meta[32])
{
    unsigned bits = forms[p->ab].bits;
    unsigned chunk = bits == 32  ? 2
                     : bits == 4 ? 8
                                 : 4,
             pair = bits == 4 ? 2 : 1;

    memset(meta, 0, 128);
    for (unsigned i = 0; i < p->m; i++)
        for (unsigned c = 0; c < p->k; c += chunk) {
            static const uint8_t picks[6][2] = {{0, 1}, {0, 2}, {0, 3},
                                                {1, 2}, {1, 3}, {2, 3}};
            const uint8_t *at = picks[(noise() >> 20) % 6];
            unsigned bit, lane = meta_place(p, i, c, selector, &bit);
            int keep[8] = {0};

            if (bits == 32) {
                unsigned second = noise() >> 30 & 1;

                stored->v[i][c / 2] = keep[second] = a->v[i][c + second];
                meta[lane] |= (second ? 14u : 4u) << bit;
            } else {
                for (unsigned j = 0; j < 2 * pair; j++) {
                    unsigned from = at[j / pair] * pair + j % pair;

                    stored->v[i][c / 2 + j] = keep[from] = a->v[i][c + from];
                }
                meta[lane] |= (at[0] | (uint32_t)at[1] << 2) << bit;
            }
            memcpy(&a->v[i][c], keep, chunk * sizeof *keep);
        }
}

static void multiply_sparse(const product *p, unsigned selector)
{
    static matrix m[3], stored, at[3], want;
    product half = *p;
    uint32_t meta[32];

    half.k /= 2;
    fill(&m[0], p->ab, p->m, p->k, false, 0);
    fill(&m[1], p->ab, p->k, p->n, false, 0);
    fill(&m[2], p->d, p->m, p->n, false, 0);
    stored = m[0];
    make_sparse(p, selector, &m[0], &stored, meta);
    spread(&at[0], &half, 'a', &stored);
    spread(&at[1], p, 'b', &m[1]);
    spread(&at[2], p, 'c', &m[2]);
    find_result(p, m, &want);
    run_mma(p, at, &want, meta, &selector);
}

TEST(half_of_a_sparse_matrix_is_stored)
{
    static const struct {
        product p;
        unsigned selectors;
    } all[] = {
        {{"m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, F16, F32}, 4},
        {{"m16n8k32.row.col.f32.f16.f16.f32", 16, 8, 32, F16, F32}, 2},
        {{"m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, F16, F16}, 4},
        {{"m16n8k32.row.col.f32.bf16.bf16.f32", 16, 8, 32, BF16, F32}, 2},
        {{"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, TF32, F32}, 4},
        {{"m16n8k16.row.col.f32.tf32.tf32.f32", 16, 8, 16, TF32, F32}, 2},
        {{"m16n8k32.row.col.s32.s8.s8.s32", 16, 8, 32, S8, S32}, 2},
        {{"m16n8k64.row.col.s32.u8.u8.s32", 16, 8, 64, U8, S32}, 1},
        {{"m16n8k64.row.col.s32.s4.s4.s32", 16, 8, 64, S4, S32}, 2},
        {{"m16n8k128.row.col.s32.u4.u4.s32", 16, 8, 128, U4, S32}, 1},
        {{"m16n8k64.row.col.f32.e4m3.e4m3.f32", 16, 8, 64, E4M3, F32}, 1},
        {{"m16n8k64.row.col.f16.e5m2.e5m2.f16", 16, 8, 64, E5M2, F16}, 1},
    };

    for (size_t i = 0; i < COUNTOF(all); i++)
        for (unsigned sel = 0; sel < all[i].selectors; sel++)
            multiply_sparse(&all[i].p, sel);
}
