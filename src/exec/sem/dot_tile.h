/* src/exec/sem/dot_tile.h - the sums of dot.h for 16 rows and 8 columns at
 * once, where that can be quick: no infinity or NaN, and products that are
 * floats even when scaled. Bits are those of dot_sum.
 *
 * A vector has rows of one column, all 16 where the host's are that long. The
 * rows are in the order in which shuffles within parts of a vector leave them
 * (tile_turn); nothing else knows it. Pure functions. */
#ifndef EXEC_SEM_DOT_TILE_H
#define EXEC_SEM_DOT_TILE_H

#include "exec/sem/dot.h"
#include "isa/isa.h"

#if defined __AVX512BW__ && defined __AVX512DQ__ && defined __AVX512VL__
#define TILE_WIDE 1
#else
#define TILE_WIDE 0
#endif

enum {
    TILE_ROWS = 16,
    TILE_COLUMNS = 8,
    TILE_VEC = TILE_WIDE ? 16 : 8, /* rows of a vector */
    TILE_PARTS = TILE_ROWS / TILE_VEC,
    TILE_WORDS = 8, /* most words of 32 bits of a line along k */
    TILE_K = 4 * TILE_WORDS,
};

/* Before short loops over vectors. */
#define TILE_UNROLL _Pragma("GCC unroll 16")

/* Factors by element of a word and word. Exponents are 16 bits, two in a lane
 * of 32: of both halves of the word, or of elements 0 and 2, and 1 and 3, if
 * those are bytes, or one twice. */
typedef struct tile_rows {
    float value[TILE_K][TILE_ROWS];
    int16_t exp[2 * TILE_WORDS][2 * TILE_ROWS];
} tile_rows;

typedef struct tile_columns {
    float value[TILE_COLUMNS][TILE_K];
    int16_t exp[TILE_COLUMNS][2 * TILE_WORDS][2];
} tile_columns;

typedef float tile_floats __attribute__((vector_size(4 * TILE_VEC)));
typedef int32_t tile_ints __attribute__((vector_size(4 * TILE_VEC)));
typedef uint32_t tile_words __attribute__((vector_size(4 * TILE_VEC)));
typedef int16_t tile_shorts __attribute__((vector_size(4 * TILE_VEC)));
typedef uint32_t tile_piece __attribute__((vector_size(16)));

/* What dot.h has for its own length. */
#define TILE_ALL(x) ((tile_ints){0} + (x))
#if TILE_WIDE
#define TILE_SHUFFLE(x, y, a, b, c, d)                                         \
    __builtin_shufflevector(x, y, a, b, c, d, (a) + 4, (b) + 4, (c) + 4,       \
                            (d) + 4, (a) + 8, (b) + 8, (c) + 8, (d) + 8,       \
                            (a) + 12, (b) + 12, (c) + 12, (d) + 12)
#define TILE_MAX(x, y) ((tile_ints)_mm512_max_epi32((__m512i)(x), (__m512i)(y)))
#define TILE_MIN(x, y) ((tile_ints)_mm512_min_epi32((__m512i)(x), (__m512i)(y)))
#define TILE_MAX16(x, y)                                                       \
    ((tile_shorts)_mm512_max_epi16((__m512i)(x), (__m512i)(y)))
#define TILE_ANY(x) (_mm512_test_epi32_mask((__m512i)(x), (__m512i)(x)) != 0)
#else
#define TILE_SHUFFLE(x, y, a, b, c, d)                                         \
    __builtin_shufflevector(x, y, a, b, c, d, (a) + 4, (b) + 4, (c) + 4,       \
                            (d) + 4)
#define TILE_MAX(x, y) DOT_MAX(x, y)
#define TILE_MIN(x, y) DOT_MIN(x, y)
#ifdef __AVX2__
#define TILE_MAX16(x, y)                                                       \
    ((tile_shorts)_mm256_max_epi16((__m256i)(x), (__m256i)(y)))
#else
#define TILE_MAX16(x, y) DOT_CHOOSE((x) > (y), x, y)
#endif
#define TILE_ANY(x) dot_any(&(x))
#endif

/* ---- lanes to rows ------------------------------------------------------ */

/* Parts of four words: the first words of two vectors in turns, the last;
 * the first two of both, the last two. */
#define TILE_LOW(x, y)   TILE_SHUFFLE(x, y, 0, TILE_VEC, 1, TILE_VEC + 1)
#define TILE_HIGH(x, y)  TILE_SHUFFLE(x, y, 2, TILE_VEC + 2, 3, TILE_VEC + 3)
#define TILE_LOW2(x, y)  TILE_SHUFFLE(x, y, 0, 1, TILE_VEC, TILE_VEC + 1)
#define TILE_HIGH2(x, y) TILE_SHUFFLE(x, y, 2, 3, TILE_VEC + 2, TILE_VEC + 3)

/* A vector from 16 bytes each time: hosts are slow to read in one what was
 * just written in several. */
static inline __attribute__((always_inline)) void
tile_load(const uint32_t *const from[TILE_VEC / 4], tile_words *to)
{
    tile_piece p[TILE_VEC / 4];

    TILE_UNROLL
    for (unsigned i = 0; i < TILE_VEC / 4; i++)
        memcpy(&p[i], from[i], sizeof p[i]);
#if TILE_WIDE
    __m512i all = _mm512_castsi128_si512((__m128i)p[0]);

    all = _mm512_inserti32x4(all, (__m128i)p[1], 1);
    all = _mm512_inserti32x4(all, (__m128i)p[2], 2);
    *to = (tile_words)_mm512_inserti32x4(all, (__m128i)p[3], 3);
#else
    *to = __builtin_shufflevector(p[0], p[1], 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

/* Within parts of four words of v[0] to v[3], word i of the j-th changes place
 * with word j of the i-th. */
static inline __attribute__((always_inline)) void tile_transpose(tile_words *v)
{
    tile_words low0 = TILE_LOW(v[0], v[1]), low1 = TILE_LOW(v[2], v[3]);
    tile_words high0 = TILE_HIGH(v[0], v[1]), high1 = TILE_HIGH(v[2], v[3]);

    v[0] = TILE_LOW2(low0, low1);
    v[1] = TILE_HIGH2(low0, low1);
    v[2] = TILE_LOW2(high0, high1);
    v[3] = TILE_HIGH2(high0, high1);
}

/* Lane 4 i + j of `low` has word j of row i, of `high` of row 8 + i. The words
 * j of all rows go to to[j * step]. `pieces`: they were just written. */
static inline __attribute__((always_inline)) void
tile_turn(const uint32_t low[ISA_WARP], const uint32_t high[ISA_WARP],
          bool pieces, uint32_t *to, size_t step)
{
    for (unsigned part = 0; part < TILE_PARTS; part++) {
        tile_words v[4];

        TILE_UNROLL
        for (unsigned i = 0; i < 4; i++) {
            unsigned at = 4 * part + i; /* vectors of both registers */
            unsigned each = ISA_WARP / TILE_VEC;
            const uint32_t *p = &(at < each ? low : high)[at % each * TILE_VEC];

            if (pieces)
                tile_load(
                    (const uint32_t *const[]) {
                        p, p + 4,
#if TILE_WIDE
                            p + 8, p + 12
#endif
                    },
                    &v[i]);
            else
                memcpy(&v[i], p, sizeof v[i]);
        }
        tile_transpose(v);
        TILE_UNROLL
        for (unsigned j = 0; j < 4; j++)
            memcpy(to + j * step + part * TILE_VEC, &v[j], sizeof v[j]);
    }
}

/* The way back, which is the same. */
static inline __attribute__((always_inline)) void
tile_turn_back(const uint32_t *from, size_t step, uint32_t low[ISA_WARP],
               uint32_t high[ISA_WARP])
{
    for (unsigned part = 0; part < TILE_PARTS; part++) {
        tile_words v[4];

        TILE_UNROLL
        for (unsigned j = 0; j < 4; j++)
            memcpy(&v[j], from + j * step + part * TILE_VEC, sizeof v[j]);
        tile_transpose(v);
        TILE_UNROLL
        for (unsigned i = 0; i < 4; i++) {
            unsigned at = 4 * part + i, each = ISA_WARP / TILE_VEC;

            memcpy(&(at < each ? low : high)[at % each * TILE_VEC], &v[i],
                   sizeof v[i]);
        }
    }
}

/* ---- factors ------------------------------------------------------------ */

/* What the factors that were decoded are like: the largest of |value|, as the
 * first 16 bits of a float of this format, and whether some number is too
 * small. */
typedef struct tile_seen {
    tile_shorts most, small;
} tile_seen;

static inline unsigned tile_width(const dot_layout o)
{
    unsigned n = 1u + o.digits + o.fraction;

    return n > 16 ? 32 : n;
}

/* The values of element e of words. */
static inline __attribute__((always_inline)) void
tile_values(const dot_layout o, const tile_words *words, unsigned e,
            tile_floats *to)
{
    int32_t ones = (1 << (o.digits + o.fraction)) - 1, down = 23 - o.fraction;
    tile_words high = *words << (32 - tile_width(o) * (e + 1));
    tile_ints u;

    memcpy(&u, &high, sizeof u);
    u = (u >> (8 - o.digits)) & (int32_t)(0x80000000 | (uint32_t)ones << down);
    memcpy(to, &u, sizeof u);
    if (o.digits != 8) /* denormal numbers, too */
        *to *= half_bits_float((254u - o.bias) << 23);
}

/* Two exponents a lane, from elements whose first bits are those of 16 bits and
 * have nothing below. */
static inline __attribute__((always_inline)) void
tile_exponents(const dot_layout o, const tile_words *words, tile_shorts *exp,
               tile_seen *seen)
{
    tile_shorts size, zero, e;

    memcpy(&size, words, sizeof size);
    size &= INT16_MAX;
    zero = size == 0;
    seen->most = TILE_MAX16(seen->most, size);
    if (o.digits == 8)
        seen->small |=
            (size < (int16_t)((o.bias - DOT_NEAR) << (15 - o.digits))) & ~zero;
    e = (size >> (15 - o.digits)) - (int16_t)o.bias;
    e = TILE_MAX16(e, (tile_shorts){0} + (int16_t)(1 - o.bias));
    *exp = e - (zero & DOT_FAR);
}

/* The same for elements of 32 bits. */
static inline __attribute__((always_inline)) void
tile_exponent(const dot_layout o, const tile_words *words, tile_shorts *exp,
              tile_seen *seen)
{
    tile_words bits = (*words & INT32_MAX) >> (22 - o.fraction + 1)
                                                  << (22 - o.fraction + 1);
    tile_words high = bits >> 16;
    tile_shorts most;
    tile_ints size, zero, e, small;

    memcpy(&most, &high, sizeof most);
    seen->most = TILE_MAX16(seen->most, most);
    memcpy(&size, &bits, sizeof size);
    zero = size == 0;
    small = (size < (o.bias - DOT_NEAR) << 23) & ~zero;
    memcpy(&most, &small, sizeof most);
    seen->small |= most;
    e = (size >> 23) - o.bias - (zero & DOT_FAR);
    e = (e & UINT16_MAX) | e << 16;
    memcpy(exp, &e, sizeof e);
}

/* No infinity, NaN or, with many exponents, one beyond DOT_NEAR. */
static inline __attribute__((always_inline)) bool
tile_is_plain(const dot_layout o, const tile_seen *seen)
{
    int16_t top = o.finite ? (int16_t)(((1 << (o.digits + o.fraction)) - 1)
                                       << (15 - o.digits - o.fraction))
                           : (int16_t)((o.digits == 8 ? o.bias + DOT_NEAR + 1
                                                      : (1 << o.digits) - 1)
                                       << (15 - o.digits));
    tile_shorts odd = (seen->most >= top) | seen->small;
    tile_ints all;

    memcpy(&all, &odd, sizeof all);
    return !TILE_ANY(all);
}

/* Exponents of all elements of words: one vector or, of bytes, two. */
static inline __attribute__((always_inline)) void
tile_word_exponents(const dot_layout o, const tile_words *words,
                    tile_shorts exp[2], tile_seen *seen)
{
    unsigned width = tile_width(o);
    tile_words high = *words & 0xff00ff00, low = *words << 8 & 0xff00ff00;

    if (width == 32) {
        tile_exponent(o, words, &exp[0], seen);
    } else if (width == 16) {
        tile_exponents(o, words, &exp[0], seen);
    } else {
        tile_exponents(o, &low, &exp[0], seen);
        tile_exponents(o, &high, &exp[1], seen);
    }
}

/* `words` of each row, from registers 2 q and 2 q + 1, which have words 4 q
 * and on of rows 0 to 7 and 8 to 15; all are xored with `minus`. False: not
 * for this file. */
static inline __attribute__((always_inline)) bool
tile_read_rows(const dot_layout o, const uint32_t (*reg)[ISA_WARP],
               unsigned words, uint32_t minus, tile_rows *to)
{
    unsigned each = 32 / tile_width(o);
    uint32_t lines[TILE_WORDS][TILE_ROWS];
    tile_seen seen = {{0}, {0}};

    for (unsigned q = 0; q < words / 4; q++)
        tile_turn(reg[2 * q], reg[2 * q + 1], true, lines[4 * q], TILE_ROWS);
    for (unsigned i = 0; i < words * TILE_PARTS; i++) {
        unsigned w = i / TILE_PARTS, row = i % TILE_PARTS * TILE_VEC;
        tile_shorts exp[2];
        tile_words bits;

        memcpy(&bits, &lines[w][row], sizeof bits);
        bits ^= minus;
        TILE_UNROLL
        for (unsigned e = 0; e < each; e++) {
            tile_floats value;

            tile_values(o, &bits, e, &value);
            memcpy(&to->value[e * TILE_WORDS + w][row], &value, sizeof value);
        }
        tile_word_exponents(o, &bits, exp, &seen);
        for (unsigned e = 0; e < (each + 1) / 2; e++)
            memcpy(&to->exp[e * TILE_WORDS + w][2 * row], &exp[e],
                   sizeof exp[e]);
    }
    return tile_is_plain(o, &seen);
}

/* Lane 4 i + j of register q has word 4 q + j of column i. */
static inline __attribute__((always_inline)) bool
tile_read_columns(const dot_layout o, const uint32_t (*reg)[ISA_WARP],
                  unsigned words, uint32_t minus, tile_columns *to)
{
    static const uint32_t none[4];
    enum { LINES = TILE_VEC / TILE_WORDS, SOME = 4 * TILE_WORDS };
    unsigned each = 32 / tile_width(o);
    tile_seen seen = {{0}, {0}};

    for (unsigned i = 0; i < TILE_COLUMNS; i += LINES) {
        const uint32_t *from[TILE_VEC / 4];
        tile_shorts exp[2];
        tile_words bits;

        for (unsigned j = 0; j < LINES; j++) {
            from[2 * j] = &reg[0][4 * (i + j)];
            from[2 * j + 1] = words > 4 ? &reg[1][4 * (i + j)] : none;
        }
        tile_load(from, &bits);
        bits ^= minus;
        TILE_UNROLL
        for (unsigned e = 0; e < each; e++) {
            tile_floats value;

            tile_values(o, &bits, e, &value);
            for (unsigned j = 0; j < LINES; j++)
                memcpy(&to->value[i + j][e * TILE_WORDS],
                       (char *)&value + j * SOME, SOME);
        }
        tile_word_exponents(o, &bits, exp, &seen);
        for (unsigned e = 0; e < (each + 1) / 2; e++)
            for (unsigned j = 0; j < LINES; j++)
                memcpy(to->exp[i + j][e * TILE_WORDS],
                       (char *)&exp[e] + j * SOME, SOME);
    }
    return tile_is_plain(o, &seen);
}

/* ---- sums --------------------------------------------------------------- */

/* Words [first, first + words) of the factors. */
typedef struct tile_block {
    unsigned each, first, words; /* each: elements of a word */
    bool half;
} tile_block;

/* Before loops over the vectors of a column. */
#define TILE_EACH(h) TILE_UNROLL for (unsigned h = 0; h < TILE_PARTS; h++)

/* The largest exponent of the products of each row, or the floor. */
static inline __attribute__((always_inline)) void
tile_top(const tile_rows *a, const int16_t (*b)[2], const tile_block *k,
         int16_t floor, tile_ints top[TILE_PARTS])
{
    tile_shorts most[TILE_PARTS];

    TILE_EACH(h)
    most[h] = (tile_shorts){0} + floor;
    for (unsigned w = k->first; w < k->first + k->words; w++)
        for (unsigned e = 0; e < (k->each + 1) / 2; e++) {
            unsigned at = e * TILE_WORDS + w;
            tile_shorts x, y;
            tile_ints pairs;
            int32_t pair;

            memcpy(&pair, b[at], sizeof pair);
            pairs = TILE_ALL(pair);
            memcpy(&y, &pairs, sizeof y);
            TILE_EACH(h)
            {
                memcpy(&x, &a->exp[at][2 * TILE_VEC * h], sizeof x);
                x += y;
                most[h] = TILE_MAX16(x, most[h]);
            }
        }
    TILE_EACH(h)
    {
        tile_ints both;

        memcpy(&both, &most[h], sizeof both);
        top[h] = TILE_MAX(both << 16 >> 16, both >> 16);
    }
}

/* |c| = sig * 2^(exp - 23), minus where all bits are set: dot_take, but for the
 * exponent of zero, which here is that of denormal numbers: products are not so
 * small, and without any, all exponents make the same of zero. */
static inline __attribute__((always_inline)) void
tile_take(const uint32_t c[TILE_VEC], tile_ints *sig, tile_ints *exp,
          tile_ints *minus)
{
    tile_ints bits, field, none;

    memcpy(&bits, c, sizeof bits);
    field = bits >> 23 & 255;
    none = field == 0;
    *minus = bits >> 31;
    *sig = (bits & 0x7fffff) | (0x800000 & ~none);
    *exp = field - none - 127;
}

/* x + y cut to 24 digits, and `fewer` less, as floats. False: not by this
 * way, as some sum is too large. */
static inline __attribute__((always_inline)) bool
tile_cut(const tile_ints *x, const tile_ints *y, int32_t fewer, tile_ints *to)
{
#if TILE_WIDE
    tile_ints sum = *x + *y, over = ((*x ^ sum) & (*y ^ sum)) >> 31;
    __m512 cut = _mm512_cvt_roundepi32_ps((__m512i)sum, _MM_FROUND_TO_ZERO |
                                                            _MM_FROUND_NO_EXC);

    memcpy(to, &cut, sizeof cut);
    *to &= -(1 << fewer);
    return !TILE_ANY(over);
#else
    int64_t mask = (int64_t)(~(uint64_t)0 << (29 + fewer));
    dot_few low[2], high[2];
    dot_few_floats half[2];
    tile_floats whole;

    memcpy(low, x, sizeof low);
    memcpy(high, y, sizeof high);
    dot_cut(&low[0], &high[0], mask, &half[0]);
    dot_cut(&low[1], &high[1], mask, &half[1]);
    whole = __builtin_shufflevector(half[0], half[1], 0, 1, 2, 3, 4, 5, 6, 7);
    memcpy(to, &whole, sizeof whole);
    return true;
#endif
}

/* (x + y) * 2^exp to zero, as floats of which `fewer` digits stay 0. */
static inline __attribute__((always_inline)) void
tile_round(const tile_ints *x, const tile_ints *y, const tile_ints *exp,
           int32_t fewer, uint32_t d[TILE_VEC])
{
    tile_ints u, zero, field, odd;
    bool fits = tile_cut(x, y, fewer, &u);

    zero = u == 0;
    field = (u >> 23 & 255) + *exp;
    odd = ((field - 1) | (254 - field)) >> 31 & ~zero;
    if (__builtin_expect(!fits || TILE_ANY(odd), 0)) {
        for (unsigned v = 0; v < TILE_VEC; v++)
            d[v] = dot_float((double)(*x)[v] + (*y)[v], (*exp)[v], fewer);
        return;
    }
    u = (u + (*exp << 23)) & ~zero;
    memcpy(d, &u, sizeof u);
}

/* What a column's sums are in units of, and begin with: the accumulator c,
 * shifted to the largest exponent. */
typedef struct tile_acc {
    tile_ints c[TILE_PARTS], sum[TILE_PARTS], exp[TILE_PARTS];
    tile_floats unit[TILE_PARTS];
} tile_acc;

static inline __attribute__((always_inline)) void
tile_begin(const tile_rows *a, const int16_t (*exp)[2], const tile_block *k,
           const dot_rules *r, const uint32_t acc[TILE_ROWS], tile_acc *s)
{
    int32_t up = r->extra > 0 ? r->extra : 0, down = up - r->extra;
    int32_t kept = 23 + r->extra;
    tile_ints top[TILE_PARTS];

    tile_top(a, exp, k, r->floor, top);
    TILE_EACH(h)
    {
        tile_ints sig, c, minus, cut, unit;

        tile_take(acc + h * TILE_VEC, &sig, &c, &minus);
        top[h] = TILE_MAX(top[h], c);
        cut = TILE_MIN(top[h] + down - c, TILE_ALL(31)); /* digits */
        s->c[h] = (((sig << up) >> cut) ^ minus) - minus;
        s->exp[h] = top[h] - kept;
        unit = (TILE_MIN(kept - top[h], TILE_ALL(127)) + 127) << 23;
        memcpy(&s->unit[h], &unit, sizeof unit);
        s->sum[h] = (tile_ints){0};
    }
}

/* acc += a block of products with one column. At most 16 of the products are
 * not 0, so their sum fits in 31 bits (below 16 * 4 * 2^25) if the accumulator
 * is kept apart. */
static inline __attribute__((always_inline)) void
tile_add(const tile_rows *a, const float *value, const int16_t (*exp)[2],
         const tile_block *k, const dot_rules *r, uint32_t acc[TILE_ROWS])
{
    tile_acc s;

    tile_begin(a, exp, k, r, acc, &s);
    for (unsigned w = k->first; w < k->first + k->words; w++)
        for (unsigned e = 0; e < k->each; e++)
            TILE_EACH(h)
            {
                unsigned at = e * TILE_WORDS + w;
                tile_floats x;

                memcpy(&x, &a->value[at][h * TILE_VEC], sizeof x);
                x = x * value[at] * s.unit[h];
                s.sum[h] += __builtin_convertvector(x, tile_ints);
            }
    if (!k->half) {
        TILE_EACH(h)
        tile_round(&s.c[h], &s.sum[h], &s.exp[h], r->extra < 0 ? -r->extra : 0,
                   acc + h * TILE_VEC);
        return;
    }
    for (unsigned v = 0; v < TILE_ROWS; v++) {
        unsigned h = v / TILE_VEC, i = v % TILE_VEC;

        acc[v] = half_float_bits(half_f16_to_float(
            dot_half((double)s.c[h][i] + s.sum[h][i], s.exp[h][i])));
    }
}

/* Blocks of `block` words of lines that have `words`. */
static inline __attribute__((always_inline)) void
tile_blocks(const tile_rows *a, const tile_columns *b, unsigned each,
            unsigned words, unsigned block, const dot_rules *r, bool half,
            uint32_t acc[TILE_COLUMNS][TILE_ROWS])
{
    for (unsigned i = 0; i < TILE_COLUMNS; i++)
        for (unsigned w = 0; w < words; w += block) {
            tile_block k = {each, w, block, half};

            tile_add(a, b->value[i], b->exp[i], &k, r, acc[i]);
        }
}

/* acc[column] += products of `words` of each line, 4 or 8, block by block of as
 * many words as `block`. Loops whose ends are known are unrolled. */
static inline __attribute__((always_inline)) void
tile_sum(const tile_rows *a, const tile_columns *b, unsigned each,
         unsigned words, unsigned block, const dot_rules *r, bool half,
         uint32_t acc[TILE_COLUMNS][TILE_ROWS])
{
    if (words == 8 && block >= 8)
        tile_blocks(a, b, each, 8, 8, r, half, acc);
    else if (block >= 4)
        tile_blocks(a, b, each, words, 4, r, half, acc);
    else
        tile_blocks(a, b, each, words, 2, r, half, acc);
}

#endif
