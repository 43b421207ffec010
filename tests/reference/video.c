/* tests/reference/video.c - arithmetic on parts of words: one of an operand
 * [PTX85:scalar-video-instructions], or two or four at once
 * [PTX85:simd-video-instructions]. */
#include <string.h>

#include "base/must.h"
#include "reference/state.h"

/* ---- parts ---- */

/* `bits` bits of v from bit `at` on, by a sign or not. */
static int64_t field(uint32_t v, unsigned at, unsigned bits, bool sign)
{
    int64_t x = (int64_t)(v >> at & ref_mask(bits));

    return sign && x >> (bits - 1) ? x - ((int64_t)1 << bits) : x;
}

/* .b2 is 8 bits from bit 16 on; without a part all of the word. */
static void place(const char *part, unsigned *at, unsigned *bits)
{
    *bits = !part ? 32 : part[0] == 'b' ? 8 : 16;
    *at = part ? (unsigned)(part[1] - '0') * *bits : 0;
}

static int64_t scalar(ref_thread *t, const ptx_operand *o, bool sign)
{
    unsigned at, bits;

    place(o->part, &at, &bits);
    return field(ref_get_u32(t, o), at, bits, sign);
}

/* ---- operations ---- */

typedef enum what { ADD, SUB, ABSDIFF, MIN, MAX, AVERAGE, SET, SHL, SHR } what;

static what what_of(ptx_op op)
{
    if (op == PTX_VADD || op == PTX_VADD2 || op == PTX_VADD4)
        return ADD;
    if (op == PTX_VSUB || op == PTX_VSUB2 || op == PTX_VSUB4)
        return SUB;
    if (op == PTX_VMIN || op == PTX_VMIN2 || op == PTX_VMIN4)
        return MIN;
    if (op == PTX_VMAX || op == PTX_VMAX2 || op == PTX_VMAX4)
        return MAX;
    if (op == PTX_VAVRG2 || op == PTX_VAVRG4)
        return AVERAGE;
    if (op == PTX_VSET || op == PTX_VSET2 || op == PTX_VSET4)
        return SET;
    if (op == PTX_VSHL)
        return SHL;
    if (op == PTX_VSHR)
        return SHR;
    return ABSDIFF;
}

static bool holds(unsigned cmp, int64_t a, int64_t b)
{
    switch (cmp) {
    case PTX_CMP_EQ:
        return a == b;
    case PTX_CMP_NE:
        return a != b;
    case PTX_CMP_LT:
        return a < b;
    case PTX_CMP_LE:
        return a <= b;
    case PTX_CMP_GT:
        return a > b;
    default:
        return a >= b;
    }
}

static ref_int shift(const ptx_inst *in, what w, int64_t a, int64_t b)
{
    uint64_t n = (uint64_t)b & 0xffffffff;

    if (ptx_has_sub(in, PTX_SUB_WRAP))
        n &= 31;
    else if (n > 32)
        n = 32;
    return w == SHL ? (ref_int)((ref_bits)(ref_int)a << n) : a >> n;
}

static ref_int operate(const ptx_inst *in, int64_t a, int64_t b)
{
    what w = what_of(in->op);

    switch (w) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case ABSDIFF:
        return a < b ? b - a : a - b;
    case MIN:
        return a < b ? a : b;
    case MAX:
        return a > b ? a : b;
    case AVERAGE:
        return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case SET:
        return holds(in->cmp, a, b);
    case SHL:
    case SHR:
        return shift(in, w, a, b);
    }
    MUST(!"every value is above");
}

static ref_int limit(ref_int v, bool sign, unsigned bits)
{
    ref_int most = ((ref_int)1 << (bits - sign)) - 1;
    ref_int least = sign ? -most - 1 : 0;

    return v > most ? most : v < least ? least : v;
}

/* vset names the types of its operands only. */
static ptx_type type_of(const ptx_inst *in, unsigned n)
{
    if (what_of(in->op) != SET)
        return ref_type(in, n);
    return n ? ref_type(in, n - 1) : PTX_TYPE_U32;
}

/* ---- one part ---- */

/* Into a part of c, or combined with all of c. */
static uint32_t finish(ref_thread *t, const ptx_inst *in, uint32_t v)
{
    ptx_type to = type_of(in, 0);
    unsigned at, bits;
    uint32_t c = in->nops > 3 ? ref_get_u32(t, &in->ops[3]) : 0, mask;
    bool less = ref_value(to, v) < ref_value(to, c);

    if (ptx_has_sub(in, PTX_SUB_ADD))
        return v + c;
    if (ptx_has_sub(in, PTX_SUB_MIN))
        return less ? v : c;
    if (ptx_has_sub(in, PTX_SUB_MAX))
        return less ? c : v;
    place(in->ops[0].part, &at, &bits);
    mask = (uint32_t)(ref_mask(bits) << at);
    return ((v << at) & mask) | (c & ~mask);
}

void ref_video(ref_thread *t, const ptx_inst *in)
{
    unsigned at, bits;
    int64_t a = scalar(t, &in->ops[1], ref_is_signed(type_of(in, 1)));
    int64_t b = scalar(t, &in->ops[2], ref_is_signed(type_of(in, 2)));
    ref_int v = operate(in, a, b);

    place(in->ops[0].part, &at, &bits);
    if (ptx_has(in, PTX_FLAG_SAT))
        v = limit(v, ref_is_signed(type_of(in, 0)), bits);
    ref_put_all(t, &in->ops[0], finish(t, in, (uint32_t)v));
}

/* vmad: the sum of product and c, either of them negative, with .po one more;
 * signed if an operand is or one is negative. */
void ref_vmad(ref_thread *t, const ptx_inst *in)
{
    const ptx_operand *o = in->ops;
    bool sa = ref_is_signed(ref_type(in, 1)),
         sb = ref_is_signed(ref_type(in, 2));
    bool product_minus = o[1].negated != o[2].negated, sum_minus = o[3].negated;
    bool sign = sa || sb || product_minus || sum_minus;
    ref_int r = (ref_int)scalar(t, &o[1], sa) * scalar(t, &o[2], sb);
    uint32_t word = ref_get_u32(t, &o[3]);
    ref_int c = sign ? (int32_t)word : (ref_int)word;

    if (ptx_has(in, PTX_FLAG_PO))
        r = r + c + 1;
    else if (product_minus)
        r = c - r;
    else
        r = sum_minus ? r + (int32_t)~word + 1 : r + c;
    r >>= ptx_has_sub(in, PTX_SUB_SHR7)    ? 7
          : ptx_has_sub(in, PTX_SUB_SHR15) ? 15
                                           : 0;
    if (ptx_has(in, PTX_FLAG_SAT))
        r = limit(r, sign, 32);
    ref_put_all(t, &in->ops[0], (uint32_t)r);
}

/* ---- two or four ---- */

/* Which of the parts of a, then those of b, stands in place `lane`: the
 * selection names the highest first. */
static unsigned selected(const char *part, unsigned lanes, unsigned first,
                         unsigned lane)
{
    return part ? (unsigned)(part[lanes - lane] - '0') : first + lane;
}

void ref_videos(ref_thread *t, const ptx_inst *in)
{
    unsigned lanes = strchr(ptx_op_text(in->op), '4') ? 4 : 2;
    unsigned bits = 32 / lanes;
    const char *mask = in->ops[0].part;
    uint32_t v[2] = {ref_get_u32(t, &in->ops[1]), ref_get_u32(t, &in->ops[2])};
    uint32_t c = in->nops > 3 ? ref_get_u32(t, &in->ops[3]) : 0, d = 0;
    bool add = ptx_has_sub(in, PTX_SUB_ADD);

    for (unsigned k = 0; k < lanes; k++) {
        unsigned i = selected(in->ops[1].part, lanes, 0, k);
        unsigned j = selected(in->ops[2].part, lanes, lanes, k);
        ref_int r = operate(in,
                            field(v[i / lanes], i % lanes * bits, bits,
                                  ref_is_signed(type_of(in, 1))),
                            field(v[j / lanes], j % lanes * bits, bits,
                                  ref_is_signed(type_of(in, 2))));
        bool inside = !mask || strchr(mask + 1, (int)('0' + k));
        if (ptx_has(in, PTX_FLAG_SAT))
            r = limit(r, ref_is_signed(type_of(in, 0)), bits);
        if (add)
            c += inside ? (uint32_t)r : 0;
        else
            d |= ((inside ? (uint32_t)r : c >> k * bits) &
                  (uint32_t)ref_mask(bits))
                 << k * bits;
    }
    ref_put_all(t, &in->ops[0], add ? c : d);
}
