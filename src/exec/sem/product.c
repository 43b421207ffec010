/* src/exec/sem/product.c - compiled once for each level, as the bodies are. */
#include "exec/sem/product.h"

#include "exec/sem/dot_tile.h"

/* Factors one by one, for product_slow. */
typedef struct product_lists {
    matrix a, b;
} product_lists;

/* Rows of A: register r of lane l holds p elements of row l / 4 + r % 2 * 8. */
static void read_a(const product *m, group a, matrix *to)
{
    unsigned p = 32 / m->bits, regs = m->stored / (2 * p);
    uint32_t all[16 * DOT_K], mask = UINT32_MAX >> (32 - m->bits);

    for (unsigned r = 0; r < regs; r++)
        LANES(l)
    for (unsigned j = 0; j < p; j++)
        all[(l / 4 + r % 2 * 8) * m->stored + r / 2 * 4 * p + l % 4 * p + j] =
            (a[r][l] ^ m->minus_a) >> m->bits * j & mask;
    matrix_read(to, m->aform, all, 16 * m->stored);
}

static void read_b(const product *m, group b, matrix *to)
{
    unsigned p = 32 / m->bits, regs = m->k / (4 * p);
    uint32_t all[8 * DOT_K], mask = UINT32_MAX >> (32 - m->bits);

    for (unsigned r = 0; r < regs; r++)
        LANES(l)
    for (unsigned j = 0; j < p; j++)
        all[(r * 4 * p + l % 4 * p + j) * 8 + l / 4] =
            (b[r][l] ^ m->minus_b) >> m->bits * j & mask;
    matrix_read(to, m->bform, all, 8 * m->k);
}

/* What the stored elements of a row of A are multiplied by. */
static const matrix *picked(const product *m, const matrix *b, unsigned row,
                            matrix *to)
{
    if (m->stored == m->k)
        return b;
    to->f = (dot_factors){to->value, to->sig, to->exp, b->f.far, b->f.special};
    for (unsigned j = 0; j < m->stored; j++)
        DOT_EACH(v)
        {
            unsigned at = m->pick[row][j] * DOT_VEC + v;

            to->value[j * DOT_VEC + v] = b->value[at];
            to->sig[j * DOT_VEC + v] = b->sig[at];
            to->exp[j * DOT_VEC + v] = b->exp[at];
        }
    return to;
}

/* Row `row` of C or D in its registers: columns 2 j and 2 j + 1 are in lane j
 * of four. */
static void get_row(const product *m, group c, unsigned row,
                    uint32_t acc[DOT_VEC])
{
    unsigned lane = result_lane(row, 0), at = row / 8 * 2;

    if (!m->adds)
        memset(acc, 0, DOT_VEC * sizeof acc[0]);
    else if (m->half)
        DOT_EACH(v)
    acc[v] = half_float_bits(
        half_f16_to_float(half_of(c, at + v % 2, lane + v / 2)));
    else for (unsigned j = 0; j < DOT_VEC / 2; j++)
    {
        acc[2 * j] = c[at][lane + j];
        acc[2 * j + 1] = c[at + 1][lane + j];
    }
}

static void put_row(const product *m, unsigned row, const uint32_t acc[DOT_VEC],
                    uint32_t (*d)[ISA_WARP])
{
    unsigned lane = result_lane(row, 0), at = row / 8 * 2;

    if (m->half)
        DOT_EACH(v)
    put_half(d, at + v % 2, lane + v / 2,
             half_f16_from_float(half_bits_float(acc[v])));
    else for (unsigned j = 0; j < DOT_VEC / 2; j++)
    {
        d[at][lane + j] = acc[2 * j];
        d[at + 1][lane + j] = acc[2 * j + 1];
    }
}

/* Any factors and rules. */
static void product_slow(const product *m, group a, group b, group c,
                         uint32_t d[4][ISA_WARP])
{
    unsigned fraction =
        dot_layout_of(m->aform).fraction + dot_layout_of(m->bform).fraction;
    product_lists all; /* not set to zero, as it is large */
    uint32_t acc[DOT_VEC];
    matrix some;

    read_a(m, a, &all.a);
    read_b(m, b, &all.b);
    for (unsigned row = 0; row < 16; row++) {
        const matrix *factors = picked(m, &all.b, row, &some);
        dot_side left = {&all.a.f, row * m->stored, 1, 0};
        dot_side right = {&factors->f, 0, DOT_VEC, 1};

        get_row(m, c, row, acc);
        dot_sum(&left, &right, m->stored, m->rules, fraction, acc, acc);
        put_row(m, row, acc, d);
    }
}

/* ---- the quick way ------------------------------------------------------ */

/* Factors of the usual kind, or false. */
static bool quick_rows(dot_form form, group reg, unsigned words, uint32_t minus,
                       tile_rows *to)
{
    switch (form) {
#define FORM(form)                                                             \
    case form:                                                                 \
        return words == 8                                                      \
                   ? tile_read_rows(dot_layout_of(form), reg, 8, minus, to)    \
                   : tile_read_rows(dot_layout_of(form), reg, words, minus,    \
                                    to);
        FORM(DOT_F16)
        FORM(DOT_BF16)
        FORM(DOT_TF32)
        FORM(DOT_E4M3)
        FORM(DOT_E5M2)
#undef FORM
    case DOT_FORMS:
        break;
    }
    return false;
}

static bool quick_columns(dot_form form, group reg, unsigned words,
                          uint32_t minus, tile_columns *to)
{
    switch (form) {
#define FORM(form)                                                             \
    case form:                                                                 \
        return words == 8                                                      \
                   ? tile_read_columns(dot_layout_of(form), reg, 8, minus, to) \
                   : tile_read_columns(dot_layout_of(form), reg, words, minus, \
                                       to);
        FORM(DOT_F16)
        FORM(DOT_BF16)
        FORM(DOT_TF32)
        FORM(DOT_E4M3)
        FORM(DOT_E5M2)
#undef FORM
    case DOT_FORMS:
        break;
    }
    return false;
}

/* C by column. False: it has an infinity or NaN. */
static bool quick_addend(const product *m, group c,
                         uint32_t to[TILE_COLUMNS][TILE_ROWS])
{
    uint32_t pairs[4][TILE_ROWS];
    tile_ints odd = {0};

    if (!m->adds) {
        memset(to, 0, TILE_COLUMNS * sizeof to[0]);
        return true;
    }
    if (m->half) {
        tile_turn(c[0], c[1], false, pairs[0], TILE_ROWS);
        for (unsigned j = 0; j < TILE_COLUMNS; j++)
            for (unsigned v = 0; v < TILE_ROWS; v++)
                to[j][v] = half_float_bits(half_f16_to_float(
                    pairs[j / 2][v] >> 16 * (j % 2) & 0xffff));
    } else {
        tile_turn(c[0], c[2], false, to[0], 2 * TILE_ROWS);
        tile_turn(c[1], c[3], false, to[1], 2 * TILE_ROWS);
    }
    for (unsigned i = 0; i < TILE_COLUMNS * TILE_PARTS; i++) {
        tile_ints bits;

        memcpy(&bits, &to[i / TILE_PARTS][i % TILE_PARTS * TILE_VEC],
               sizeof bits);
        odd |= (bits & 0x7f800000) == 0x7f800000;
    }
    return !TILE_ANY(odd);
}

static void quick_result(const product *m,
                         uint32_t from[TILE_COLUMNS][TILE_ROWS],
                         uint32_t d[4][ISA_WARP])
{
    uint32_t pairs[4][TILE_ROWS];

    if (!m->half) {
        tile_turn_back(from[0], 2 * TILE_ROWS, d[0], d[2]);
        tile_turn_back(from[1], 2 * TILE_ROWS, d[1], d[3]);
        return;
    }
    for (unsigned j = 0; j < 4; j++)
        for (unsigned v = 0; v < TILE_ROWS; v++)
            pairs[j][v] =
                half_f16_from_float(half_bits_float(from[2 * j][v])) |
                half_f16_from_float(half_bits_float(from[2 * j + 1][v])) << 16;
    tile_turn_back(pairs[0], TILE_ROWS, d[0], d[1]);
}

/* Functions of their own, so that each has the vector registers to itself. */
#define SUM(name, each, half)                                                  \
    static __attribute__((noinline)) void name(                                \
        const tile_rows *a, const tile_columns *b, unsigned words,             \
        unsigned block, const dot_rules *r,                                    \
        uint32_t acc[TILE_COLUMNS][TILE_ROWS])                                 \
    {                                                                          \
        const dot_rules own = *r; /* stores to acc do not change it */         \
                                                                               \
        tile_sum(a, b, each, words, block, &own, half, acc);                   \
    }
SUM(quick_sum1, 1, false)
SUM(quick_sum2, 2, false)
SUM(quick_sum4, 4, false)
SUM(quick_sum2_half, 2, true)
SUM(quick_sum4_half, 4, true)
#undef SUM

static bool product_quick(const product *m, group a, group b, group c,
                          uint32_t d[4][ISA_WARP])
{
    unsigned each = 32 / m->bits, words = m->k / each;
    unsigned block = m->rules->block / each;
    uint32_t acc[TILE_COLUMNS][TILE_ROWS];
    tile_rows rows;
    tile_columns columns;

    if (m->rules->exact || m->stored != m->k || !quick_addend(m, c, acc) ||
        !quick_rows(m->aform, a, words, m->minus_a, &rows) ||
        !quick_columns(m->bform, b, words, m->minus_b, &columns))
        return false;
    if (each == 1)
        quick_sum1(&rows, &columns, words, block, m->rules, acc);
    else if (each == 2)
        (m->half ? quick_sum2_half : quick_sum2)(&rows, &columns, words, block,
                                                 m->rules, acc);
    else
        (m->half ? quick_sum4_half : quick_sum4)(&rows, &columns, words, block,
                                                 m->rules, acc);
    quick_result(m, acc, d);
    return true;
}

void product_run(const product *m, group a, group b)
{
    const sem *x = m->x;
    group c = source_rows(x, 2);
    uint32_t own[4][ISA_WARP];
    /* All is read before a quick result is written. */
    bool direct = x->mask == UINT32_MAX && x->in->dst != ISA_RZ;

    if (product_quick(m, a, b, c, direct ? x->w->reg + x->in->dst : own)) {
        if (direct)
            return;
    } else {
        memset(own, 0, sizeof own); /* halves join what is there */
        product_slow(m, a, b, c, own);
    }
    put_result_group(m->x, own, x->in->dst_regs);
}
