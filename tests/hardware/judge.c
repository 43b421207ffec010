/* tests/hardware/judge.c - compares results of a form from two sources. */
#include "judge.h"

#include <math.h>

#include "number.h"

typedef struct part {
    hw_type type; /* of one value */
    unsigned bits, count;
} part;

static part part_of(const hw_form *f)
{
    if (f->d == HW_F16X2)
        return (part){HW_F16, 16, 2};
    if (f->d == HW_BF16X2)
        return (part){HW_BF16, 16, 2};
    return (part){f->d, hw_bits(f->d), 1};
}

static uint64_t piece(part p, uint64_t v, unsigned k)
{
    v >>= k * p.bits;
    return p.bits == 64 ? v : v & (((uint64_t)1 << p.bits) - 1);
}

static bool is_nan(part p, uint64_t v)
{
    return hw_float(p.type) && hw_unpack(p.type, v, false).kind == HW_NOT;
}

static long double plain(hw_type t, uint64_t v)
{
    hw_number n = hw_unpack(t, v, false);
    long double r = 0;

    if (n.kind == HW_INF)
        r = INFINITY;
    if (n.kind == HW_FINITE)
        r = ldexpl((long double)(uint64_t)(n.m >> 61), n.e + 61);
    return n.minus ? -r : r;
}

/* Steps between two numbers of one format. */
static double steps(part p, uint64_t a, uint64_t b)
{
    uint64_t sign = (uint64_t)1 << (p.bits - 1);
    __int128 x = (__int128)(a & ~sign), y = (__int128)(b & ~sign);

    return fabs((double)((a & sign ? -x : x) - (b & sign ? -y : y)));
}

/* Whether the manual promises anything about this operand. */
static bool promised(const hw_form *f, part p, uint64_t operand)
{
    long double x = fabsl(plain(p.type, operand));

    return is_nan(p, operand) || (x >= f->bound.low && x <= f->bound.high);
}

static bool within(const hw_form *f, part p, uint64_t got, uint64_t want)
{
    const hw_bound *b = &f->bound;
    long double w = plain(p.type, want), g = plain(p.type, got);
    /* The reference is itself rounded: half a step more. */
    long double last = fabsl(w - plain(p.type, want ^ 1)) / 2;
    long double error = fabsl(w - g) - last;

    if (isinf(w) || isinf(g))
        return w == g || steps(p, got, want) <= 1;
    return (b->ulp > 0 && steps(p, got, want) <= b->ulp) ||
           error <= b->rel * fabsl(w) || error <= b->abs;
}

hw_verdict hw_judge(const hw_form *f, const hw_input *in, const uint64_t *got,
                    const uint64_t *want)
{
    part p = part_of(f);
    /* Division promises something for a range of the divisor. */
    unsigned bounded = f->s[1] ? 1 : 0;
    hw_verdict v = {0};

    for (unsigned i = 0; i < HW_VECTORS; i++) {
        bool equal = got[i] == want[i], nan = false, near = true;
        for (unsigned k = 0; k < p.count; k++) {
            uint64_t g = piece(p, got[i], k), w = piece(p, want[i], k);
            if (g == w)
                continue;
            if (f->class != HW_EXACT && is_nan(p, g) && is_nan(p, w)) {
                nan = true;
                continue;
            }
            if (f->class == HW_APPROX &&
                !promised(f, p, piece(p, in->v[bounded][i], k)))
                continue;
            near = near && f->class == HW_APPROX && !is_nan(p, g) &&
                   !is_nan(p, w) && within(f, p, g, w);
            if (near && steps(p, g, w) > v.ulp)
                v.ulp = steps(p, g, w);
        }
        bool wrong = !equal && (!near || (!nan && f->class != HW_APPROX));
        if (wrong && !v.wrong++)
            v.first = i;
        v.equal += equal;
        v.payload += !equal && !wrong && nan;
        v.close += !equal && !wrong && !nan;
    }
    return v;
}

void hw_reference(const hw_form *f, const hw_input *in, uint64_t *want)
{
    for (unsigned i = 0; i < HW_VECTORS; i++)
        want[i] = f->ref(f, in, i);
}

uint64_t hw_hash(const hw_form *f, const uint64_t *got)
{
    part p = part_of(f);
    uint64_t h = 0xcbf29ce484222325u;

    for (unsigned i = 0; i < HW_VECTORS; i++)
        for (unsigned k = 0; k < p.count; k++) {
            uint64_t v = piece(p, got[i], k);
            if (f->class != HW_EXACT && is_nan(p, v))
                v = 0x7fff;
            for (unsigned b = 0; b < p.bits; b += 8)
                h = (h ^ (v >> b & 0xff)) * 0x100000001b3u;
        }
    return h;
}
