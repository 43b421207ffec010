/* src/exec/sem/dot_tile.h - the sums of dot.h for 16 rows and 8 columns at
 * once, where that can be quick: no infinity or NaN, and products that are
 * floats even when scaled. Bits are those of dot_sum.
 *
 * A vector has eight rows of one column, so that an element of B meets two
 * vectors of A. Exponents are 16 bits, so that all rows fit in one. The rows
 * of a vector are in the order in which shuffles of halves of a vector leave
 * them (tile_turn); nothing else knows it. Pure functions. */
#ifndef EXEC_SEM_DOT_TILE_H
#define EXEC_SEM_DOT_TILE_H

#include "exec/sem/dot.h"
#include "isa/isa.h"

enum {
    TILE_ROWS = 16,
    TILE_COLUMNS = 8,
    TILE_WORDS = 16, /* most words of 32 bits of a line along k */
    TILE_K = 4 * TILE_WORDS,
};

/* Before short loops over vectors. */
#define TILE_UNROLL _Pragma("GCC unroll 8")

/* Factors by element of a word and word. */
typedef struct tile_rows {
    float value[TILE_K][TILE_ROWS];
    int16_t exp[TILE_K][TILE_ROWS];
} tile_rows;

typedef struct tile_columns {
    float value[TILE_COLUMNS][TILE_K];
    int16_t exp[TILE_COLUMNS][TILE_K];
} tile_columns;

typedef int16_t tile_shorts __attribute__((vector_size(2 * TILE_ROWS)));
typedef uint32_t tile_quad __attribute__((vector_size(2 * DOT_VEC)));
typedef int16_t tile_few __attribute__((vector_size(2 * DOT_VEC)));

/* ---- lanes to rows ------------------------------------------------------ */

#define TILE_LOW(x, y) __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13)
#define TILE_HIGH(x, y)                                                        \
    __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15)
#define TILE_LOW2(x, y) __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13)
#define TILE_HIGH2(x, y)                                                       \
    __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15)

/* Eight words from two places: hosts are slow to read in one what was written
 * in two. */
#define TILE_LOAD(to, low, high)                                               \
    do {                                                                       \
        tile_quad l_, h_;                                                      \
                                                                               \
        memcpy(&l_, low, sizeof l_);                                           \
        memcpy(&h_, high, sizeof h_);                                          \
        to = __builtin_shufflevector(l_, h_, 0, 1, 2, 3, 4, 5, 6, 7);          \
    } while (0)

/* Lane 4 i + j of a register has word j of row i: eight words j, row by row,
 * go to to[j * step]. */
static inline __attribute__((always_inline)) void
tile_turn(const uint32_t reg[ISA_WARP], uint32_t *to, size_t step)
{
    dot_words v0, v1, v2, v3, low0, low1, high0, high1;

    TILE_LOAD(v0, reg, reg + 4);
    TILE_LOAD(v1, reg + 8, reg + 12);
    TILE_LOAD(v2, reg + 16, reg + 20);
    TILE_LOAD(v3, reg + 24, reg + 28);
    low0 = TILE_LOW(v0, v1);
    low1 = TILE_LOW(v2, v3);
    high0 = TILE_HIGH(v0, v1);
    high1 = TILE_HIGH(v2, v3);
    v0 = TILE_LOW2(low0, low1);
    v1 = TILE_HIGH2(low0, low1);
    v2 = TILE_LOW2(high0, high1);
    v3 = TILE_HIGH2(high0, high1);
    memcpy(to, &v0, sizeof v0);
    memcpy(to + step, &v1, sizeof v1);
    memcpy(to + 2 * step, &v2, sizeof v2);
    memcpy(to + 3 * step, &v3, sizeof v3);
}

/* The way back, which is the same. */
static inline __attribute__((always_inline)) void
tile_turn_back(const uint32_t *from, size_t step, uint32_t reg[ISA_WARP])
{
    dot_words v0, v1, v2, v3, low0, low1, high0, high1;

    memcpy(&v0, from, sizeof v0);
    memcpy(&v1, from + step, sizeof v1);
    memcpy(&v2, from + 2 * step, sizeof v2);
    memcpy(&v3, from + 3 * step, sizeof v3);
    low0 = TILE_LOW(v0, v1);
    low1 = TILE_LOW(v2, v3);
    high0 = TILE_HIGH(v0, v1);
    high1 = TILE_HIGH(v2, v3);
    v0 = TILE_LOW2(low0, low1);
    v1 = TILE_HIGH2(low0, low1);
    v2 = TILE_LOW2(high0, high1);
    v3 = TILE_HIGH2(high0, high1);
    memcpy(reg, &v0, sizeof v0);
    memcpy(reg + 8, &v1, sizeof v1);
    memcpy(reg + 16, &v2, sizeof v2);
    memcpy(reg + 24, &v3, sizeof v3);
}

/* ---- factors ------------------------------------------------------------ */

/* What the factors that were decoded are like: the largest of |value|, as the
 * bits of a float of this format, and whether some number is too small. */
typedef struct tile_seen {
    dot_ints most, small;
} tile_seen;

/* Factors whose first bit is bit 31 of a word, with anything below their
 * last. */
static inline __attribute__((always_inline)) void
tile_decode(const dot_layout o, const dot_words *words, void *value,
            dot_ints *exp, tile_seen *seen)
{
    int32_t ones = (1 << (o.digits + o.fraction)) - 1, down = 23 - o.fraction;
    dot_ints u, size, e, zero;
    dot_floats f;

    memcpy(&u, words, sizeof u);
    u = (u >> (8 - o.digits)) & (int32_t)(0x80000000 | (uint32_t)ones << down);
    memcpy(&f, &u, sizeof f);
    if (o.digits != 8) /* denormal numbers, too */
        f *= half_bits_float((254u - o.bias) << 23);
    memcpy(value, &f, sizeof f);
    size = u & INT32_MAX;
    zero = size == 0;
    seen->most = DOT_MAX(seen->most, size);
    if (o.digits == 8)
        seen->small |= (size < (o.bias - DOT_NEAR) << 23) & ~zero;
    e = (size >> 23) - o.bias;
    e = DOT_MAX(e, DOT_ALL(1 - o.bias));
    *exp = e - (zero & DOT_FAR);
}

/* No infinity, NaN or, with many exponents, one beyond DOT_NEAR. */
static inline __attribute__((always_inline)) bool
tile_is_plain(const dot_layout o, const tile_seen *seen)
{
    int32_t top = o.finite ? ((1 << (o.digits + o.fraction)) - 1)
                                 << (23 - o.fraction)
                  : o.digits == 8 ? (o.bias + DOT_NEAR + 1) << 23
                                  : ((1 << o.digits) - 1) << 23;
    dot_ints odd = (seen->most > top - 1) | seen->small;

    return !dot_any(&odd);
}

/* Both as 16 bits. */
static inline __attribute__((always_inline)) void
tile_pack(const dot_ints x[2], int16_t to[2 * DOT_VEC])
{
#ifdef __AVX2__
    __m256i both = _mm256_packs_epi32((__m256i)x[0], (__m256i)x[1]);

    both = _mm256_permute4x64_epi64(both, 0xd8);
    memcpy(to, &both, sizeof both);
#else
    for (unsigned i = 0; i < 2 * DOT_VEC; i++)
        to[i] = (int16_t)x[i / DOT_VEC][i % DOT_VEC];
#endif
}

static inline unsigned tile_width(const dot_layout o)
{
    unsigned n = 1u + o.digits + o.fraction;

    return n > 16 ? 32 : n;
}

/* `words` of each row, from registers 2 q and 2 q + 1, which have words 4 q
 * and on of rows 0 to 7 and 8 to 15; all are xored with `minus`. False: not
 * for this file. */
static inline __attribute__((always_inline)) bool
tile_read_rows(const dot_layout o, const uint32_t (*reg)[ISA_WARP],
               unsigned words, uint32_t minus, tile_rows *to)
{
    unsigned width = tile_width(o);
    tile_seen seen = {{0}, {0}};

    for (unsigned q = 0; q < words / 4; q++) {
        dot_words lines[2][4];

        tile_turn(reg[2 * q], (uint32_t *)lines[0], DOT_VEC);
        tile_turn(reg[2 * q + 1], (uint32_t *)lines[1], DOT_VEC);
        for (unsigned j = 0; j < 4; j++)
            TILE_UNROLL
        for (unsigned e = 0; e < 32 / width; e++) {
            unsigned k = e * TILE_WORDS + 4 * q + j;
            dot_ints exp[2];

            for (unsigned h = 0; h < 2; h++) {
                dot_words w = (lines[h][j] ^ minus) << (32 - width - e * width);

                tile_decode(o, &w, &to->value[k][h * DOT_VEC], &exp[h], &seen);
            }
            tile_pack(exp, to->exp[k]);
        }
    }
    return tile_is_plain(o, &seen);
}

/* Lane 4 i + j of register q has word 4 q + j of column i. */
static inline __attribute__((always_inline)) bool
tile_read_columns(const dot_layout o, const uint32_t (*reg)[ISA_WARP],
                  unsigned words, uint32_t minus, tile_columns *to)
{
    unsigned width = tile_width(o);
    tile_seen seen = {{0}, {0}};

    for (unsigned i = 0; i < TILE_COLUMNS; i += 2)
        for (unsigned first = 0; first < words; first += DOT_VEC) {
            static const uint32_t none[4];
            const uint32_t *low = &reg[first / 4][4 * i];
            const uint32_t *high =
                words - first < DOT_VEC ? none : &reg[first / 4 + 1][4 * i];
            dot_words line[2];

            TILE_LOAD(line[0], low, high);
            TILE_LOAD(line[1], low + 4, high == none ? none : high + 4);
            TILE_UNROLL
            for (unsigned e = 0; e < 32 / width; e++) {
                unsigned k = e * TILE_WORDS + first;
                int16_t all[2 * DOT_VEC];
                dot_ints exp[2];

                for (unsigned h = 0; h < 2; h++) {
                    dot_words w = (line[h] ^ minus) << (32 - width - e * width);

                    tile_decode(o, &w, &to->value[i + h][k], &exp[h], &seen);
                }
                tile_pack(exp, all);
                memcpy(&to->exp[i][k], all, 2 * DOT_VEC);
                memcpy(&to->exp[i + 1][k], all + DOT_VEC, 2 * DOT_VEC);
            }
        }
    return tile_is_plain(o, &seen);
}

/* ---- sums --------------------------------------------------------------- */

#ifdef __AVX2__
#define TILE_MAX(x, y)                                                         \
    ((tile_shorts)_mm256_max_epi16((__m256i)(x), (__m256i)(y)))
#else
#define TILE_MAX(x, y) DOT_CHOOSE((x) > (y), x, y)
#endif

/* The largest exponent of the products of words [first, first + words) of each
 * row, or the floor. */
static inline __attribute__((always_inline)) void
tile_top(const tile_rows *a, const int16_t *b, unsigned each, unsigned first,
         unsigned words, int16_t floor, dot_ints top[2])
{
    tile_shorts most = (tile_shorts){0} + floor;
    tile_few part[2];

    for (unsigned w = first; w < first + words; w++)
        for (unsigned e = 0; e < each; e++) {
            unsigned k = e * TILE_WORDS + w;
            tile_shorts x;

            memcpy(&x, a->exp[k], sizeof x);
            x += b[k];
            most = TILE_MAX(x, most);
        }
    memcpy(part, &most, sizeof most);
    top[0] = __builtin_convertvector(part[0], dot_ints);
    top[1] = __builtin_convertvector(part[1], dot_ints);
}

/* acc += a block of products with one column. `each`: elements of a word.
 * At most 16 of the products are not 0, so their sum fits in 31 bits (below
 * 16 * 4 * 2^25) if the accumulator is kept apart. */
static inline __attribute__((always_inline)) void
tile_block(const tile_rows *a, const float *value, const int16_t *exp,
           unsigned each, unsigned first, unsigned words, const dot_rules *r,
           bool half, uint32_t acc[TILE_ROWS])
{
    dot_addend c[2];
    dot_floats unit[2];
    dot_ints top[2];
    dot_acc s[2];

    tile_top(a, exp, each, first, words, r->floor, top);
    for (unsigned h = 0; h < 2; h++) {
        dot_take(acc + h * DOT_VEC, &c[h]);
        s[h].top = DOT_MAX(top[h], c[h].exp);
        dot_begin(&c[h], r, &s[h]);
        dot_unit(&s[h].top, 23 + r->extra, &unit[h]);
    }
    for (unsigned w = first; w < first + words; w++)
        for (unsigned e = 0; e < each; e++)
            for (unsigned h = 0; h < 2; h++) {
                unsigned k = e * TILE_WORDS + w;
                dot_floats x;

                memcpy(&x, &a->value[k][h * DOT_VEC], sizeof x);
                x = x * value[k] * unit[h];
                s[h].sum[1] += __builtin_convertvector(x, dot_ints);
            }
    TILE_UNROLL
    for (unsigned h = 0; h < 2; h++)
        dot_round(&s[h], r, half, acc + h * DOT_VEC);
}

/* acc[column] += products of `words` of each line, block by block of as many
 * words as `block`. */
static inline __attribute__((always_inline)) void
tile_sum(const tile_rows *a, const tile_columns *b, unsigned each,
         unsigned words, unsigned block, const dot_rules *r, bool half,
         uint32_t acc[TILE_COLUMNS][TILE_ROWS])
{
    const unsigned usual = 8; /* loops whose ends are known are unrolled */

    for (unsigned i = 0; i < TILE_COLUMNS && words == usual && block >= usual;
         i++)
        tile_block(a, b->value[i], b->exp[i], each, 0, usual, r, half, acc[i]);
    for (unsigned i = 0; i < TILE_COLUMNS && (words != usual || block < usual);
         i++)
        for (unsigned w = 0; w < words; w += block)
            tile_block(a, b->value[i], b->exp[i], each, w,
                       words - w < block ? words - w : block, r, half, acc[i]);
}

#endif
