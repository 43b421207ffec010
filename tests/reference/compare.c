/* tests/reference/compare.c - setp, set, selp, slct
 * [PTX85:comparison-and-selection-instructions]. */
#include "reference/state.h"

static bool by_order(unsigned cmp, int order)
{
    switch (cmp) {
    case PTX_CMP_EQ:
    case PTX_CMP_EQU:
        return order == 0;
    case PTX_CMP_NE:
    case PTX_CMP_NEU:
        return order != 0;
    case PTX_CMP_LT:
    case PTX_CMP_LO:
    case PTX_CMP_LTU:
        return order < 0;
    case PTX_CMP_LE:
    case PTX_CMP_LS:
    case PTX_CMP_LEU:
        return order <= 0;
    case PTX_CMP_GT:
    case PTX_CMP_HI:
    case PTX_CMP_GTU:
        return order > 0;
    default: /* ge, hs, geu */
        return order >= 0;
    }
}

/* True of operands of which one is a NaN. */
static bool unordered(unsigned cmp)
{
    return cmp >= PTX_CMP_EQU && cmp <= PTX_CMP_GEU;
}

static ptx_type unsigned_of(ptx_type t)
{
    return t == PTX_TYPE_S16   ? PTX_TYPE_U16
           : t == PTX_TYPE_S32 ? PTX_TYPE_U32
           : t == PTX_TYPE_S64 ? PTX_TYPE_U64
                               : t;
}

static bool compare(const ptx_inst *in, ptx_type type, uint64_t a, uint64_t b)
{
    unsigned cmp = in->cmp;

    if (!ref_is_float(type)) {
        if (cmp >= PTX_CMP_LO && cmp <= PTX_CMP_HS)
            type = unsigned_of(type);
        ref_int x = ref_value(type, a), y = ref_value(type, b);
        return by_order(cmp, x < y ? -1 : x > y);
    }
    bool ftz = ptx_has(in, PTX_FLAG_FTZ);
    hw_number x = ref_unpack(type, a, ftz), y = ref_unpack(type, b, ftz);
    bool nan = x.kind == HW_NOT || y.kind == HW_NOT;
    if (cmp == PTX_CMP_NUM || cmp == PTX_CMP_NAN)
        return nan == (cmp == PTX_CMP_NAN);
    return nan ? unordered(cmp) : by_order(cmp, hw_order(x, y));
}

static bool combine(unsigned op, bool v, bool with)
{
    switch (op) {
    case PTX_BOOL_AND:
        return v && with;
    case PTX_BOOL_OR:
        return v || with;
    case PTX_BOOL_XOR:
        return v != with;
    default:
        return v;
    }
}

static bool third(ref_thread *t, const ptx_inst *in)
{
    return in->nops > 3 && ref_get_pred(t, &in->ops[3]);
}

/* p and q are the comparison and its opposite, each combined with c; of packed
 * halves, the comparisons of the lower and the upper ones. */
void ref_setp(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    uint64_t a = ref_get(t, &in->ops[1], type);
    uint64_t b = ref_get(t, &in->ops[2], type);
    bool with = third(t, in), p = compare(in, type, a, b), q = !p;
    const ptx_operand *second = ref_part(&in->ops[0], 1);

    if (ptx_type_lanes(type) == 2)
        q = compare(in, type, a >> 16, b >> 16);
    ref_put_pred(t, ref_part(&in->ops[0], 0), combine(in->boolop, p, with));
    if (second)
        ref_put_pred(t, second, combine(in->boolop, q, with));
}

/* What `true` is in a type: one, or all bits. */
static uint64_t yes(ptx_type t)
{
    hw_type f = ref_float(t);

    return f ? hw_pack(f, hw_from_int(false, 1), HW_RN, false, false)
             : ref_mask(ptx_type_bits(t));
}

void ref_set(ref_thread *t, const ptx_inst *in)
{
    ptx_type to = ref_type(in, 0), type = ref_type(in, 1);
    uint64_t a = ref_get(t, &in->ops[1], type), d;
    uint64_t b = ref_get(t, &in->ops[2], type);
    bool with = third(t, in);

    d = combine(in->boolop, compare(in, type, a, b), with) ? yes(to) : 0;
    if (ptx_type_lanes(type) == 2) {
        uint64_t one = ref_is_float(to) ? yes(to) : 0xffff;
        bool low = d != 0;
        bool high =
            combine(in->boolop, compare(in, type, a >> 16, b >> 16), with);
        d = (low ? one : 0) | (high ? one << 16 : 0);
    }
    ref_put(t, &in->ops[0], to, d);
}

void ref_selp(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    uint64_t a = ref_get(t, &in->ops[1], type);
    uint64_t b = ref_get(t, &in->ops[2], type);

    ref_put(t, &in->ops[0], type, ref_get_pred(t, &in->ops[3]) ? a : b);
}

/* a if c >= 0, else b; of a NaN, b. */
void ref_slct(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0), by = ref_type(in, 1);
    uint64_t a = ref_get(t, &in->ops[1], type);
    uint64_t b = ref_get(t, &in->ops[2], type);
    uint64_t c = ref_get(t, &in->ops[3], by);
    bool first;

    if (ref_is_float(by)) {
        hw_number v = ref_unpack(by, c, ptx_has(in, PTX_FLAG_FTZ));
        first = v.kind == HW_ZERO || (v.kind != HW_NOT && !v.minus);
    } else {
        first = ref_value(by, c) >= 0;
    }
    ref_put(t, &in->ops[0], type, first ? a : b);
}
