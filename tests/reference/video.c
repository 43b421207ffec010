/* tests/reference/video.c - arithmetic on two or four parts of a word
 * [PTX85:simd-video-instructions], without selectors of parts. */
#include "reference/state.h"

static int32_t part(ptx_type t, uint32_t v, unsigned at, unsigned bits)
{
    uint32_t x = v >> at & (uint32_t)ref_mask(bits);

    if (ref_is_signed(t) && x >> (bits - 1))
        return (int32_t)x - (1 << bits);
    return (int32_t)x;
}

static bool by_two(ptx_op op)
{
    return op == PTX_VABSDIFF2 || op == PTX_VADD2 || op == PTX_VSUB2 ||
           op == PTX_VMIN2 || op == PTX_VMAX2 || op == PTX_VAVRG2;
}

static int32_t apply(ptx_op op, int32_t a, int32_t b)
{
    switch (op) {
    case PTX_VADD2:
    case PTX_VADD4:
        return a + b;
    case PTX_VSUB2:
    case PTX_VSUB4:
        return a - b;
    case PTX_VMIN2:
    case PTX_VMIN4:
        return a < b ? a : b;
    case PTX_VMAX2:
    case PTX_VMAX4:
        return a > b ? a : b;
    case PTX_VAVRG2:
    case PTX_VAVRG4:
        return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    default:
        return a < b ? b - a : a - b;
    }
}

static int32_t limit(ptx_type t, int32_t v, unsigned bits)
{
    int32_t most = (1 << (bits - ref_is_signed(t))) - 1;
    int32_t least = ref_is_signed(t) ? -most - 1 : 0;

    return v > most ? most : v < least ? least : v;
}

void ref_video(ref_thread *t, const ptx_inst *in)
{
    unsigned bits = by_two(in->op) ? 16 : 8;
    ptx_type to = ref_type(in, 0);
    uint32_t a = ref_get_u32(t, &in->ops[1]), b = ref_get_u32(t, &in->ops[2]);
    bool add = ptx_has_sub(in, PTX_SUB_ADD);
    uint32_t d = 0, sum = add ? ref_get_u32(t, &in->ops[3]) : 0;

    for (unsigned k = 0; k < in->nops; k++)
        if (in->ops[k].part || in->ops[k].negated) {
            ref_unknown(t, in);
            return;
        }
    for (unsigned at = 0; at < 32; at += bits) {
        int32_t v = apply(in->op, part(ref_type(in, 1), a, at, bits),
                          part(ref_type(in, 2), b, at, bits));
        if (ptx_has(in, PTX_FLAG_SAT))
            v = limit(to, v, bits);
        d |= ((uint32_t)v & (uint32_t)ref_mask(bits)) << at;
        sum += (uint32_t)v;
    }
    ref_put(t, &in->ops[0], PTX_TYPE_B32, add ? sum : d);
}
