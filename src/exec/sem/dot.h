/* src/exec/sem/dot.h - the sum of products that a tensor core makes, for VEC
 * elements of the result at once.
 *
 * Products are exact and not normalised: their exponent is the sum of the
 * factors'. All of a block and the accumulator are shifted right to the
 * largest exponent among them, which cuts off what lies below 2^-23 of it, or
 * so many bits further down, or up (dot_rules.extra); the integer sum is
 * rounded once, to zero for a float, to nearest for a half. Factors, results
 * and the accumulator may be denormal [FASI] [KHATTAK]. Pure functions. */
#ifndef EXEC_SEM_DOT_H
#define EXEC_SEM_DOT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "exec/half.h"
#include "exec/sem/dot_rules.h"

enum {
    DOT_VEC = 8,
    DOT_K = 32,     /* most products of an element of the result */
    DOT_FAR = 4096, /* minus it: the exponent of zero */
    /* Exponents of factors, but for their sign, up to which the products and
     * what they are scaled by are floats. */
    DOT_NEAR = 48,
};
#define DOT_EACH(v) for (unsigned v = 0; v < DOT_VEC; v++)
/* Products are summed by multiples of four. */
#define DOT_FOUR(j) _Pragma("GCC unroll 4") for (unsigned j = 0; j < 4; j++)

/* Factors, element by element: value = sig * 2^(exp - fraction digits). `far`:
 * some exponent is beyond DOT_NEAR; `special`: there is an infinity or NaN,
 * whose sig and exp are those of some number. */
typedef struct dot_factors {
    float *value;
    int32_t *sig, *exp;
    bool far, special;
} dot_factors;

/* Element k of the lines that VEC results need is at k * step + v * across. */
typedef struct dot_side {
    const dot_factors *f;
    unsigned first, step, across;
} dot_side;

/* Digits of an exponent and a fraction, and the exponent of a one. */
typedef struct dot_layout {
    uint8_t digits, fraction, bias;
    bool finite; /* no infinities: all ones but one are numbers */
} dot_layout;

static inline dot_layout dot_layout_of(unsigned form)
{
    switch (form) {
    case DOT_F16:
        return (dot_layout){5, 10, 15, false};
    case DOT_BF16:
        return (dot_layout){8, 7, 127, false};
    case DOT_TF32:
        return (dot_layout){8, 10, 127, false};
    case DOT_E4M3:
        return (dot_layout){4, 3, 7, true};
    default:
        return (dot_layout){5, 2, 15, false};
    }
}

/* n elements of one layout from their bits; of tf32, a float whose last 13
 * bits are ignored [PTX85:mma]. */
static inline __attribute__((always_inline)) void
dot_read_as(const dot_layout o, const uint32_t *bits, unsigned n, unsigned down,
            dot_factors *f)
{
    uint32_t top = (1u << o.digits) - 1, ones = (1u << o.fraction) - 1;
    float *restrict value = f->value;
    int32_t *restrict sigs = f->sig, *restrict exps = f->exp;
    int32_t far = 0, special = 0;

    for (unsigned i = 0; i < n; i++) {
        uint32_t u = bits[i] >> down;
        int32_t field = (int32_t)(u >> o.fraction & top), part = u & ones;
        int32_t sig = part | (field ? (int32_t)ones + 1 : 0);
        int32_t exp = (field ? field : 1) - o.bias;
        int32_t all = o.finite ? part == (int32_t)ones : 1;
        int32_t odd = (field == (int32_t)top ? 1 : 0) & all;
        int32_t minus = -(int32_t)(u >> (o.digits + o.fraction) & 1);
        float number;

        sig = (sig ^ minus) - minus;
        if (o.digits == 8) {
            number = half_bits_float(u << (23 - o.fraction));
        } else {
            uint32_t none = o.finite || part ? 0x7fffffff : 0x7f800000;
            uint32_t unit = (uint32_t)(exp - o.fraction + 127) << 23;

            number = (float)sig * half_bits_float(unit);
            number = half_bits_float(odd ? none | (uint32_t)minus << 31
                                         : half_float_bits(number));
        }
        sigs[i] = sig;
        exps[i] = sig ? exp : -DOT_FAR;
        value[i] = number;
        exp = sig ? exp : 0;
        far |= (exp > DOT_NEAR ? 1 : 0) | (exp < -DOT_NEAR ? 1 : 0);
        special |= odd;
    }
    f->far |= far != 0;
    f->special |= special != 0;
}

static inline void dot_read(unsigned form, const uint32_t *bits, unsigned n,
                            dot_factors *f)
{
    switch (form) {
    case DOT_F16:
        dot_read_as(dot_layout_of(DOT_F16), bits, n, 0, f);
        return;
    case DOT_BF16:
        dot_read_as(dot_layout_of(DOT_BF16), bits, n, 0, f);
        return;
    case DOT_TF32:
        dot_read_as(dot_layout_of(DOT_TF32), bits, n, 13, f);
        return;
    case DOT_E4M3:
        dot_read_as(dot_layout_of(DOT_E4M3), bits, n, 0, f);
        return;
    default:
        dot_read_as(dot_layout_of(DOT_E5M2), bits, n, 0, f);
        return;
    }
}

/* ---- rounding ---------------------------------------------------------- */

/* 2^exp, or something tiny. */
static inline double dot_scale(int32_t exp)
{
    uint64_t u = (uint64_t)(exp < -900 ? 123 : exp + 1023) << 52;
    double d;

    memcpy(&d, &u, 8);
    return d;
}

/* sum * 2^exp to zero, as a float of which `fewer` digits stay 0: `sum` is an
 * integer below 2^50. */
static inline uint32_t dot_float(double sum, int32_t exp, int32_t fewer)
{
    uint64_t bits, mask;
    int32_t least, cut;
    uint32_t u;

    memcpy(&bits, &sum, 8);
    least = -126 - ((int32_t)(bits >> 52 & 0x7ff) - 1023 + exp);
    cut = 29 + (least > fewer ? least : fewer); /* digits too many; denormal */
    mask = cut > 52 ? 0 : ~(uint64_t)0 << (cut & 63);
    bits &= mask;
    memcpy(&sum, &bits, 8);
    u = half_float_bits((float)(sum * dot_scale(exp)));
    return u << 1 ? u : 0;
}

/* sum * 2^exp to nearest, as a half. */
static inline uint32_t dot_half(double sum, int32_t exp)
{
    return sum != 0 ? half_f16_from_float(half_narrow(sum * dot_scale(exp)))
                    : 0;
}

/* ---- one block ---------------------------------------------------------- */

/* Compilers make scalar code of these loops, so the vectors are spelled out. */
typedef float dot_floats __attribute__((vector_size(4 * DOT_VEC)));
typedef int32_t dot_ints __attribute__((vector_size(4 * DOT_VEC)));
typedef uint32_t dot_words __attribute__((vector_size(4 * DOT_VEC)));
typedef int32_t dot_few __attribute__((vector_size(2 * DOT_VEC)));
typedef float dot_few_floats __attribute__((vector_size(2 * DOT_VEC)));
typedef double dot_doubles __attribute__((vector_size(4 * DOT_VEC)));
typedef int64_t dot_longs __attribute__((vector_size(4 * DOT_VEC)));

/* x where all bits of `mask` are set, y where none is. Functions cannot return
 * vectors of hosts that they are not compiled for. */
#define DOT_CHOOSE(mask, x, y) (((x) & (mask)) | ((y) & ~(mask)))
#define DOT_ALL(x)             ((dot_ints){0} + (x))
/* Of dot_ints; compilers do not see that it is one instruction. */
#ifdef __AVX2__
#define DOT_MAX(x, y) ((dot_ints)_mm256_max_epi32((__m256i)(x), (__m256i)(y)))
#define DOT_MIN(x, y) ((dot_ints)_mm256_min_epi32((__m256i)(x), (__m256i)(y)))
#else
#define DOT_MAX(x, y) DOT_CHOOSE((x) > (y), x, y)
#define DOT_MIN(x, y) DOT_CHOOSE((x) < (y), x, y)
#endif

static inline bool dot_any(const dot_ints *mask)
{
#ifdef __AVX2__
    return !_mm256_testz_si256((__m256i)*mask, (__m256i)*mask);
#else
    uint64_t all[DOT_VEC / 2], any = 0;

    memcpy(all, mask, sizeof all);
    for (unsigned i = 0; i < DOT_VEC / 2; i++)
        any |= all[i];
    return any != 0;
#endif
}

/* *to = elements i of the lines of `side`, in `from`. */
#define DOT_LINE(to, from, side, i)                                            \
    do {                                                                       \
        if ((side)->across)                                                    \
            memcpy(to, &(from)[(size_t)(i) * (side)->step], sizeof *(to));     \
        else                                                                   \
            *(to) =                                                            \
                (from)[(size_t)(i) * (side)->step] - (__typeof__(*(to))){0};   \
    } while (0)

/* Two sums, as one would not fit, and what a unit of theirs is worth. */
typedef struct dot_acc {
    dot_ints sum[2], top;
} dot_acc;

/* |x| >> n with the sign of x. */
static inline int32_t dot_shift(int32_t x, int32_t n)
{
    uint32_t m = x < 0 ? -(uint32_t)x : (uint32_t)x;

    m = n > 31 ? 0 : m >> n;
    return x < 0 ? -(int32_t)m : (int32_t)m;
}

/* The accumulator: |c| = sig * 2^(exp - 23), minus where all bits are set. */
typedef struct dot_addend {
    dot_ints sig, exp, minus;
} dot_addend;

static inline __attribute__((always_inline)) void
dot_take(const uint32_t c[DOT_VEC], dot_addend *to)
{
    dot_ints bits, field, none;

    memcpy(&bits, c, sizeof bits);
    field = bits >> 23 & 255;
    none = field == 0;
    to->minus = bits >> 31;
    to->sig = (bits & 0x7fffff) | (0x800000 & ~none);
    to->exp = DOT_CHOOSE(to->sig == 0, DOT_ALL(-DOT_FAR), field - none - 127);
}

/* Begins with c; s->top is the largest exponent. */
static inline __attribute__((always_inline)) void
dot_begin(const dot_addend *c, const dot_rules *r, dot_acc *s)
{
    int32_t up = r->extra > 0 ? r->extra : 0, down = up - r->extra;
    dot_ints cut = s->top + down - c->exp; /* digits */

    cut = DOT_MIN(cut, DOT_ALL(31));
    s->sum[0] = (((c->sig << up) >> cut) ^ c->minus) - c->minus;
    s->sum[1] = (dot_ints){0};
}

/* Aligns to the largest exponent of c, the products and the least that there
 * is; begins with c. */
static inline __attribute__((always_inline)) void
dot_align(const dot_side *a, const dot_side *b, unsigned k, unsigned count,
          const dot_rules *r, const uint32_t c[DOT_VEC], dot_acc *s)
{
    const int32_t *ea = a->f->exp + a->first, *eb = b->f->exp + b->first;
    dot_addend addend;
    dot_ints top;

    dot_take(c, &addend);
    top = DOT_MAX(addend.exp, DOT_ALL(r->floor));
    for (size_t i = k; i < k + count; i += 4)
        DOT_FOUR(j)
        {
            dot_ints x, y;

            DOT_LINE(&x, ea, a, i + j);
            DOT_LINE(&y, eb, b, i + j);
            x += y;
            top = DOT_MAX(x, top);
        }
    s->top = top;
    dot_begin(&addend, r, s);
}

/* What products are multiplied by to be in units of the last bit kept. */
static inline __attribute__((always_inline)) void
dot_unit(const dot_ints *top, int32_t kept, dot_floats *unit)
{
    dot_ints e = kept - *top;

    e = (DOT_MIN(e, DOT_ALL(127)) + 127) << 23;
    memcpy(unit, &e, sizeof e);
}

/* The products [k, k + count), where products are floats, and so are they in
 * units of the last bit that is kept: to cut one off is to convert it. */
static inline __attribute__((always_inline)) void
dot_near(const dot_side *a, const dot_side *b, unsigned k, unsigned count,
         int32_t kept, const dot_ints *top, dot_ints *sum)
{
    const float *va = a->f->value + a->first, *vb = b->f->value + b->first;
    dot_ints all = *sum;
    dot_floats unit;

    dot_unit(top, kept, &unit);
    for (size_t i = k; i < k + count; i += 4)
        DOT_FOUR(j)
        {
            dot_floats x, y;

            DOT_LINE(&x, va, a, i + j);
            DOT_LINE(&y, vb, b, i + j);
            all += __builtin_convertvector(x * y * unit, dot_ints);
        }
    *sum = all;
}

static inline __attribute__((always_inline)) void
dot_far(const dot_side *a, const dot_side *b, unsigned k, unsigned count,
        int32_t up, const dot_ints *top, dot_ints *sum)
{
    const int32_t *ea = a->f->exp + a->first, *eb = b->f->exp + b->first;
    const int32_t *sa = a->f->sig + a->first, *sb = b->f->sig + b->first;
    int32_t left = up > 0 ? up : 0, right = left - up;

    for (unsigned i = k; i < k + count; i++)
        DOT_EACH(v)
        {
            unsigned x = i * a->step + v * a->across;
            unsigned y = i * b->step + v * b->across;

            (*sum)[v] += dot_shift(sa[x] * sb[y] * (1 << left),
                                   (*top)[v] - ea[x] - eb[y] + right);
        }
}

/* The sum to nearest as a half's value. */
static inline __attribute__((always_inline)) void
dot_round_half(const dot_acc *s, int32_t kept, uint32_t d[DOT_VEC])
{
    DOT_EACH(v)
    d[v] = half_float_bits(half_f16_to_float(
        dot_half((double)s->sum[0][v] + s->sum[1][v], s->top[v] - kept)));
}

#ifdef __AVX2__ /* gcc 12 converts two at a time */
#define DOT_WIDEN(x) ((dot_doubles)_mm256_cvtepi32_pd((__m128i)(x)))
#else
#define DOT_WIDEN(x) __builtin_convertvector(x, dot_doubles)
#endif

/* Four sums cut to `mask` of a double, as floats. */
static inline __attribute__((always_inline)) void
dot_cut(const dot_few *x, const dot_few *y, int64_t mask, dot_few_floats *to)
{
    dot_doubles sum = DOT_WIDEN(*x) + DOT_WIDEN(*y);
    dot_longs bits;

    memcpy(&bits, &sum, sizeof bits);
    bits &= mask;
    memcpy(&sum, &bits, sizeof sum);
    *to = __builtin_convertvector(sum, dot_few_floats);
}

/* To zero, as floats of which `fewer` digits stay 0. */
static inline __attribute__((always_inline)) void
dot_round_float(const dot_acc *s, int32_t kept, int32_t fewer,
                uint32_t d[DOT_VEC])
{
    int64_t mask = (int64_t)(~(uint64_t)0 << (29 + fewer));
    dot_ints exp = s->top - kept, odd, u, field, zero;
    dot_few x[2], y[2];
    dot_few_floats low, high;
    dot_floats whole;

    memcpy(x, &s->sum[0], sizeof x);
    memcpy(y, &s->sum[1], sizeof y);
    dot_cut(&x[0], &y[0], mask, &low);
    dot_cut(&x[1], &y[1], mask, &high);
    whole = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    memcpy(&u, &whole, sizeof u);
    zero = u == 0;
    field = (u >> 23 & 255) + exp;
    odd = ((field - 1) | (254 - field)) >> 31 & ~zero;
    if (dot_any(&odd)) {
        DOT_EACH(v)
        d[v] = dot_float((double)s->sum[0][v] + s->sum[1][v], exp[v], fewer);
        return;
    }
    u = (u + (exp << 23)) & ~zero;
    memcpy(d, &u, sizeof u);
}

static inline __attribute__((always_inline)) void
dot_round(const dot_acc *s, const dot_rules *r, bool half, uint32_t d[DOT_VEC])
{
    int32_t kept = 23 + r->extra;

    if (half)
        dot_round_half(s, kept, d);
    else
        dot_round_float(s, kept, r->extra < 0 ? -r->extra : 0, d);
}

/* One block: d = c + the products [k, k + count). c and d are floats, of the
 * value of a half if results are halves. */
static inline __attribute__((always_inline)) void
dot_block(const dot_side *a, const dot_side *b, bool far, unsigned k,
          unsigned count, const dot_rules *r, bool half, unsigned fraction,
          const uint32_t c[DOT_VEC], uint32_t d[DOT_VEC])
{
    int32_t kept = 23 + r->extra;
    dot_acc s;

    dot_align(a, b, k, count, r, c, &s);
    for (unsigned done = 0; done < count; done += 8) {
        unsigned n = count - done < 8 ? count - done : 8;
        dot_ints *sum = done & 8 ? &s.sum[1] : &s.sum[0];

        if (far)
            dot_far(a, b, k + done, n, kept - (int32_t)fraction, &s.top, sum);
        else
            dot_near(a, b, k + done, n, kept, &s.top, sum);
    }
    dot_round(&s, r, half, d);
}

/* True if some exponent field is all ones: an infinity or NaN. */
static inline bool dot_is_special(const uint32_t c[DOT_VEC])
{
    dot_ints bits;

    memcpy(&bits, c, sizeof bits);
    bits = (bits & 0x7f800000) == 0x7f800000;
    return dot_any(&bits);
}

/* Puts infinities and the one NaN where they belong: products and sums of the
 * finite values cannot leave the range of a double. */
static inline void dot_infinities(const dot_side *a, const dot_side *b,
                                  unsigned k, const uint32_t c[DOT_VEC],
                                  uint32_t d[DOT_VEC])
{
    const float *va = a->f->value + a->first, *vb = b->f->value + b->first;

    DOT_EACH(v)
    {
        double s = half_bits_float(c[v]);

        for (unsigned i = 0; i < k; i++)
            s += (double)va[i * a->step + v * a->across] *
                 vb[i * b->step + v * b->across];
        if (s != s)
            d[v] = 0x7fffffff;
        else if (s - s != 0.0)
            d[v] = s < 0 ? 0xff800000 : 0x7f800000;
    }
}

/* The same with one rounding of the whole. */
static inline void dot_once(const dot_side *a, const dot_side *b, unsigned k,
                            bool half, const uint32_t c[DOT_VEC],
                            uint32_t d[DOT_VEC])
{
    const float *va = a->f->value + a->first, *vb = b->f->value + b->first;

    DOT_EACH(v)
    {
        double term[DOT_K + 1];

        for (unsigned i = 0; i < k; i++)
            term[i] = (double)va[i * a->step + v * a->across] *
                      vb[i * b->step + v * b->across];
        term[k] = half_bits_float(c[v]);
        d[v] = half_float_bits(dot_exact(term, k + 1, half));
    }
}

static inline bool dot_is_plain(const dot_factors *f)
{
    return !f->far && !f->special;
}

/* d = c + the k products of each element, block by block. `fraction`: digits of
 * two factors behind the point. */
static inline __attribute__((always_inline)) void
dot_sum(const dot_side *a, const dot_side *b, unsigned k, const dot_rules *r,
        unsigned fraction, const uint32_t c[DOT_VEC], uint32_t d[DOT_VEC])
{
    bool far = !dot_is_plain(a->f) || !dot_is_plain(b->f);
    uint32_t acc[DOT_VEC];

    memcpy(acc, c, sizeof acc);
    if (r->exact)
        dot_once(a, b, k, r->half, c, acc);
    for (unsigned i = 0; i < k && !r->exact; i += r->block) {
        unsigned count = k - i < r->block ? k - i : r->block;
        uint32_t next[DOT_VEC];

        dot_block(a, b, far, i, count, r, r->half, fraction, acc, next);
        memcpy(acc, next, sizeof acc);
    }
    if (a->f->special || b->f->special || dot_is_special(c))
        dot_infinities(a, b, k, c, acc);
    memcpy(d, acc, sizeof acc);
}

#endif
