/* tests/reference/convert.c - cvt between integers and floating point
 * [PTX85:cvt]. */
#include "reference/state.h"

static ref_int limit(ptx_type to, ref_int v)
{
    unsigned bits = ptx_type_bits(to);
    ref_int most = ((ref_int)1 << (ref_is_signed(to) ? bits - 1 : bits)) - 1;
    ref_int least = ref_is_signed(to) ? -most - 1 : 0;

    return v > most ? most : v < least ? least : v;
}

/* Limits hold with and without .sat. Of a NaN: zero, but from a double or to
 * 64 bits the highest bit. */
static uint64_t to_int(const ptx_inst *in, ptx_type to, ptx_type from,
                       uint64_t a)
{
    unsigned bits = ptx_type_bits(to);
    hw_number v =
        ref_unpack(from, a, ptx_has(in, PTX_FLAG_FTZ) && from == PTX_TYPE_F32);

    if (v.kind == HW_NOT)
        return from == PTX_TYPE_F64 || bits == 64 ? (uint64_t)1 << (bits - 1)
                                                  : 0;
    return hw_to_int(v, ref_round(in), ref_is_signed(to), bits);
}

static uint64_t from_int(const ptx_inst *in, ptx_type to, ptx_type from,
                         uint64_t a)
{
    ref_int v = ref_value(from, a);

    return hw_pack(ref_float(to),
                   hw_from_int(v < 0, (uint64_t)(v < 0 ? -v : v)),
                   ref_round(in), false, ptx_has(in, PTX_FLAG_SAT));
}

static bool to_integral(const ptx_inst *in)
{
    return in->round >= PTX_ROUND_RNI && in->round <= PTX_ROUND_RPI;
}

/* .ftz speaks of single precision only. */
static uint64_t float_float(const ptx_inst *in, ptx_type to, ptx_type from,
                            uint64_t a)
{
    bool ftz = ptx_has(in, PTX_FLAG_FTZ);
    hw_number v = ref_unpack(from, a, ftz && from == PTX_TYPE_F32);
    hw_type t = ref_float(to);

    if (to_integral(in))
        v = hw_integral(v, ref_round(in));
    if (ptx_has(in, PTX_FLAG_RELU) && v.kind != HW_NOT && v.minus)
        v = (hw_number){.kind = HW_ZERO};
    uint64_t d = hw_pack(t, v, ref_round(in), ftz && t == HW_F32,
                         ptx_has(in, PTX_FLAG_SAT));
    if (ptx_has(in, PTX_FLAG_SATFINITE) && v.kind != HW_NOT &&
        hw_unpack(t, d, false).kind == HW_INF)
        d--; /* the largest finite number stands before infinity */
    return d;
}

/* Ten bits of mantissa; .rna: halves away from zero. */
static uint64_t to_tf32(const ptx_inst *in, uint64_t a)
{
    hw_number v = hw_unpack(HW_F32, a, false);
    uint64_t rest = a & 0x1fff, d = a & ~(uint64_t)0x1fff;
    uint64_t sign = a & 0x80000000;

    if (v.kind == HW_NOT)
        return 0x7fffffff;
    if (ptx_has(in, PTX_FLAG_RELU) && v.minus)
        return 0;
    if (v.kind != HW_INF &&
        (in->round == PTX_ROUND_RNA ? rest >= 0x1000
         : in->round == PTX_ROUND_RN
             ? rest > 0x1000 || (rest == 0x1000 && d & 0x2000)
             : false))
        d += 0x2000;
    if (ptx_has(in, PTX_FLAG_SATFINITE) && (d ^ sign) == 0x7f800000)
        d = sign | 0x7f7fe000;
    return d;
}

/* Two singles into a pair; the first one is the upper half. */
static void to_pair(ref_thread *t, const ptx_inst *in)
{
    ptx_type to = ref_type(in, 0);
    uint64_t d = float_float(in, to, PTX_TYPE_F32,
                             ref_get(t, &in->ops[1], PTX_TYPE_F32));

    d = d << 16 | float_float(in, to, PTX_TYPE_F32,
                              ref_get(t, &in->ops[2], PTX_TYPE_F32));
    ref_put(t, &in->ops[0], to, d);
}

/* cvt.pack: two integers, limited; the first one is the upper of them, above
 * the lower bits of c. */
static void to_packed(ref_thread *t, const ptx_inst *in)
{
    ptx_type to = ref_type(in, 0);
    unsigned bits = ptx_type_bits(to);
    bool sign = to == PTX_TYPE_S2 || to == PTX_TYPE_S4 || ref_is_signed(to);
    ref_int most = ((ref_int)1 << (bits - sign)) - 1;
    ref_int least = sign ? -most - 1 : 0;
    uint64_t d = in->nops > 3 ? ref_get_u32(t, &in->ops[3]) : 0;

    for (unsigned k = 1; k <= 2; k++) {
        ref_int v = ref_get_int(t, &in->ops[k], PTX_TYPE_S32);
        v = v > most ? most : v < least ? least : v;
        d = d << bits | ((uint64_t)v & ref_mask(bits));
    }
    ref_put(t, &in->ops[0], PTX_TYPE_B32, d & 0xffffffff);
}

void ref_cvt(ref_thread *t, const ptx_inst *in)
{
    ptx_type to = ref_type(in, 0), from = ref_type(in, 1);
    bool is_float = ref_float(to), was_float = ref_float(from);
    uint64_t a, d;

    if (in->nops == 3 && from == PTX_TYPE_F32 && ptx_type_lanes(to) == 2 &&
        is_float) {
        to_pair(t, in);
        return;
    }
    if (ptx_has_sub(in, PTX_SUB_PACK)) {
        to_packed(t, in);
        return;
    }
    if (ref_narrow(t, in))
        return;
    if (in->nops != 2 || in->ntypes != 2 || in->round == PTX_ROUND_RS ||
        ptx_type_lanes(to) > 1 || ptx_type_lanes(from) > 1 ||
        (!is_float && !ptx_type_is_int(to) && to != PTX_TYPE_TF32) ||
        (!was_float && !ptx_type_is_int(from))) {
        ref_unknown(t, in);
        return;
    }
    a = ref_get(t, &in->ops[1], from);
    if (to == PTX_TYPE_TF32)
        d = to_tf32(in, a);
    else if (is_float)
        d = was_float ? float_float(in, to, from, a)
                      : from_int(in, to, from, a);
    else if (was_float)
        d = to_int(in, to, from, a);
    else if (ptx_has(in, PTX_FLAG_SAT))
        d = (uint64_t)limit(to, ref_value(from, a));
    else
        d = (uint64_t)ref_value(from, a);
    ref_put(t, &in->ops[0], to, d);
}
