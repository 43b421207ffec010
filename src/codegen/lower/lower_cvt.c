/* src/codegen/lower/lower_cvt.c - conversions. */
#include "codegen/lower/context.h"

static const uint8_t itypes[PTX_TYPE_COUNT] = {
    [PTX_TYPE_U8] = ITYPE_U8,   [PTX_TYPE_S8] = ITYPE_S8,
    [PTX_TYPE_B8] = ITYPE_U8,   [PTX_TYPE_U16] = ITYPE_U16,
    [PTX_TYPE_S16] = ITYPE_S16, [PTX_TYPE_B16] = ITYPE_U16,
    [PTX_TYPE_U32] = ITYPE_U32, [PTX_TYPE_S32] = ITYPE_S32,
    [PTX_TYPE_B32] = ITYPE_U32, [PTX_TYPE_U64] = ITYPE_U64,
    [PTX_TYPE_S64] = ITYPE_S64, [PTX_TYPE_B64] = ITYPE_U64,
};

static const uint8_t to_integral[PTX_ROUND_COUNT] = {
    [PTX_ROUND_RNI] = RNDI_RN,
    [PTX_ROUND_RMI] = RNDI_FLOOR,
    [PTX_ROUND_RPI] = RNDI_CEIL,
    [PTX_ROUND_RZI] = RNDI_TRUNC,
};

static bool rounds_to_integral(const ptx_inst *in)
{
    return in->round == PTX_ROUND_RNI || in->round == PTX_ROUND_RMI ||
           in->round == PTX_ROUND_RPI || in->round == PTX_ROUND_RZI;
}

/* A value of type `t` in 32 bits, or 64, brought to the destination, which
 * may be wider than the type of the conversion. */
static void set_int(lower *l, const ptx_inst *in, cg_src s, ptx_type t)
{
    vreg d = lo_dst(l, &in->ops[0]);
    unsigned bits = ptx_type_bits(t), words = l->b.f->regs[d].words;
    ptx_type reg = (ptx_type)in->ops[0].type;

    if (bits < 32 && bits < ptx_type_bits(reg))
        s = lo_ext(l, s, t);
    if (words > 1 && bits < 64)
        s = cb_pair(&l->b, s,
                    lo_signed(t) ? cb_shr(&l->b, true, s, cg_imm(31))
                                 : cg_zero());
    lo_set(l, &in->ops[0], s);
}

/* Limits of `to` that a value of type `from` can pass, in 64 bits. */
static cg_src saturate_integer(lower *l, cg_src s, ptx_type to, ptx_type from)
{
    cg_build *b = &l->b;
    unsigned bits = ptx_type_bits(to);
    bool sign = lo_signed(from), to_sign = lo_signed(to);
    int64_t most = to_sign ? (int64_t)(UINT64_MAX >> (65 - bits))
                           : (int64_t)(UINT64_MAX >> (64 - bits));
    vreg p;

    if (sign) {
        cg_src least = to_sign ? cg_imm(-most - 1) : cg_zero();

        p = cb_isetp64(b, CMP_LT, true, s, least);
        s = cb_sel64(b, cg_p(p), least, s);
        if (bits == 64)
            return s; /* to u64 or s64: only negative ones can be too small */
    }
    p = cb_isetp64(b, CMP_GT, sign, s, cg_imm(most));
    return cb_sel64(b, cg_p(p), cg_imm(most), s);
}

static cg_src widen_to_64(lower *l, cg_src s, ptx_type t)
{
    if (lo_is64(t))
        return s;
    s = lo_ext(l, s, t);
    return cb_pair(&l->b, s,
                   lo_signed(t) ? cb_shr(&l->b, true, s, cg_imm(31))
                                : cg_zero());
}

static void int_to_int(lower *l, const ptx_inst *in, ptx_type to, ptx_type from)
{
    cg_src s = lo_src(l, &in->ops[1], from);

    if (ptx_has(in, PTX_FLAG_SAT)) {
        s = saturate_integer(l, widen_to_64(l, s, from), to, from);
        set_int(l, in, lo_is64(to) ? s : cg_word(s, 0), to);
        return;
    }
    if (lo_is64(to)) {
        lo_set(l, &in->ops[0], widen_to_64(l, s, from));
        return;
    }
    s = cg_word(s, 0);
    /* For narrowing only the destination's bits matter. */
    if (ptx_type_bits(from) < ptx_type_bits(to))
        s = lo_ext(l, s, from);
    set_int(l, in, s, to);
}

/* .sat of operations without the modifier: a number from 0 to 1, NaN
 * becomes 0. */
static cg_src limit_float(lower *l, cg_src d, ptx_type t)
{
    cg_build *b = &l->b;
    vreg p;

    if (t != PTX_TYPE_F64) {
        d = cb_op(b, lo_is_half(t) ? ISA_HADD2 : ISA_FADD, d, cg_neg(cg_zero()),
                  cb_none());
        CG_PUT(cb_last(b), SAT, 1);
        if (t == PTX_TYPE_BF16)
            CG_PUT(cb_last(b), HFMT, HFMT_BF16);
        return d;
    }
    p = cb_fsetp(b, ISA_DSETP, CMP_GT, d, cg_zero());
    d = cb_sel64(b, cg_p(p), d, cg_zero());
    p = cb_fsetp(b, ISA_DSETP, CMP_LT, d, cg_imm(0x3ff0000000000000));
    return cb_sel64(b, cg_p(p), d, cg_imm(0x3ff0000000000000));
}

static void int_to_float(lower *l, const ptx_inst *in, ptx_type to,
                         ptx_type from)
{
    static const struct {
        uint8_t to;
        uint16_t op[2];
    } rows[] = {
        {PTX_TYPE_F32, {ISA_I2F, ISA_I2F_L}},
        {PTX_TYPE_F64, {ISA_I2F_D, ISA_I2F_DL}},
        {PTX_TYPE_F16, {ISA_I2F_H, ISA_I2F_HL}},
        {PTX_TYPE_BF16, {ISA_I2F_B, ISA_I2F_BL}},
    };
    cg_src s = lo_src(l, &in->ops[1], from), d;
    unsigned wide = lo_is64(from), op = 0;
    cg_inst *i;

    for (unsigned k = 0; k < COUNTOF(rows); k++)
        if (rows[k].to == to)
            op = rows[k].op[wide];
    if (!op) {
        lo_unsupported(l, "no conversion between these types; go through .f32");
        return;
    }
    d = cb_op(&l->b, op, s, cb_none(), cb_none());
    i = cb_last(&l->b);
    lo_float_mods(in, i);
    /* As ptxas 13.0 does for 8.6 and later, but not for 8.0. */
    if (op == ISA_I2F && l->u->opt->arch >= ARCH_HOPPER &&
        ptx_type_bytes(from) == 4 &&
        (CG_GET(i, RND) == RND_RN || CG_GET(i, RND) == RND_RZ))
        i->op = ISA_I2FP;
    CG_PUT(i, ITYPE, itypes[from]);
    if (ptx_has(in, PTX_FLAG_SAT))
        d = limit_float(l, d, to);
    lo_set(l, &in->ops[0], d);
}

static void float_to_int(lower *l, const ptx_inst *in, ptx_type to,
                         ptx_type from)
{
    static const uint16_t ops[3][2] = {
        {ISA_F2I, ISA_F2I_L}, {ISA_F2I_D, ISA_F2I_DL}, {ISA_F2I_H, ISA_F2I_HL}};
    cg_src s = lo_src(l, &in->ops[1], from), d;
    unsigned kind = 0;
    cg_inst *i;

    if (from == PTX_TYPE_BF16)
        s = lo_half_to_f32(l, from, s, false);
    else if (from == PTX_TYPE_F64)
        kind = 1;
    else if (from == PTX_TYPE_F16)
        kind = 2;
    d = cb_op(&l->b, ops[kind][lo_is64(to)], s, cb_none(), cb_none());
    i = cb_last(&l->b);
    CG_PUT(i, DTYPE, itypes[to]);
    CG_PUT(i, RNDI, to_integral[in->round]);
    if (!kind)
        CG_PUT(i, FTZ, ptx_has(in, PTX_FLAG_FTZ));
    set_int(l, in, d, to);
}

/* The operation that converts between formats; 0: none. */
static unsigned format_op(ptx_type to, ptx_type from)
{
    static const struct {
        uint8_t to, from;
        uint16_t op;
    } rows[] = {
        {PTX_TYPE_F32, PTX_TYPE_F64, ISA_F2F_SD},
        {PTX_TYPE_F64, PTX_TYPE_F32, ISA_F2F_DS},
        {PTX_TYPE_F16, PTX_TYPE_F32, ISA_F2F_HS},
        {PTX_TYPE_F32, PTX_TYPE_F16, ISA_F2F_SH},
        {PTX_TYPE_F16, PTX_TYPE_F64, ISA_F2F_HD},
        {PTX_TYPE_F64, PTX_TYPE_F16, ISA_F2F_DH},
        {PTX_TYPE_BF16, PTX_TYPE_F32, ISA_F2F_BS},
        {PTX_TYPE_BF16, PTX_TYPE_F64, ISA_F2F_BD},
    };

    for (unsigned i = 0; i < COUNTOF(rows); i++)
        if (rows[i].to == to && rows[i].from == from)
            return rows[i].op;
    return 0;
}

static cg_src same_format(lower *l, const ptx_inst *in, ptx_type t, cg_src s)
{
    unsigned op = t == PTX_TYPE_F64   ? ISA_DRND
                  : t == PTX_TYPE_F16 ? ISA_HRND
                                      : ISA_FRND;
    cg_src d;

    if (rounds_to_integral(in)) {
        d = cb_op(&l->b, op, s, cb_none(), cb_none());
        CG_PUT(cb_last(&l->b), RNDI, to_integral[in->round]);
    } else if (!ptx_has(in, PTX_FLAG_SAT) && !ptx_has(in, PTX_FLAG_FTZ)) {
        return s;
    } else if (t == PTX_TYPE_F64) {
        return limit_float(l, s, t);
    } else {
        op = t == PTX_TYPE_F16 ? ISA_HADD2 : ISA_FADD;
        d = cb_op(&l->b, op, s, cg_neg(cg_zero()), cb_none());
    }
    if (op == ISA_DRND || op == ISA_HRND) {
        if (ptx_has(in, PTX_FLAG_SAT))
            d = limit_float(l, d, t);
    } else {
        CG_PUT(cb_last(&l->b), FTZ, ptx_has(in, PTX_FLAG_FTZ));
        CG_PUT(cb_last(&l->b), SAT, ptx_has(in, PTX_FLAG_SAT));
    }
    return d;
}

/* .satfinite and .relu of a result in halves. */
static cg_src limited(lower *l, const ptx_inst *in, ptx_type t, cg_src s)
{
    if (ptx_has(in, PTX_FLAG_SATFINITE))
        s = lo_finite_half(l, t, s);
    if (ptx_has(in, PTX_FLAG_RELU))
        s = lo_relu_half(l, t, s);
    return s;
}

/* Negative numbers of single precision to zero. */
static cg_src relu32(lower *l, const ptx_inst *in, cg_src s)
{
    cg_inst *i;

    if (!ptx_has(in, PTX_FLAG_RELU))
        return s;
    s = cb_op(&l->b, ISA_FMNMX, s, cg_zero(), cb_none());
    i = cb_last(&l->b);
    i->psrc[0] = (cg_pred){0, true};
    CG_PUT(i, NANP, 1);
    return s;
}

static void float_to_float(lower *l, const ptx_inst *in, ptx_type to,
                           ptx_type from)
{
    cg_src s = lo_src(l, &in->ops[1], from), d;
    bool flags = ptx_has(in, PTX_FLAG_SAT) || ptx_has(in, PTX_FLAG_FTZ);
    unsigned op;

    /* Single precision has every bfloat16, and every half on its way to one. */
    if (from == PTX_TYPE_BF16 && (to != from || flags || in->round)) {
        s = lo_half_to_f32(l, from, s, false);
        from = PTX_TYPE_F32;
        if (to == PTX_TYPE_F32 || rounds_to_integral(in))
            s = same_format(l, in, from, s);
    } else if (from == PTX_TYPE_F16 && to == PTX_TYPE_BF16) {
        s = lo_half_to_f32(l, from, s, false);
        from = PTX_TYPE_F32;
    } else if (to == from) {
        s = same_format(l, in, to, s);
    }
    if (to == from) {
        lo_set(l, &in->ops[0], s);
        return;
    }
    op = format_op(to, from);
    if (!op) {
        lo_unsupported(l, "no conversion between these types; go through .f32");
        return;
    }
    d = cb_op(&l->b, op, s, cb_none(), cb_none());
    lo_float_mods(in, cb_last(&l->b));
    lo_set(l, &in->ops[0], limited(l, in, to, d));
}

/* ---- pairs ------------------------------------------------------------- */

/* The formats of 4, 6 and 8 bits, -1: none of them. */
static int narrow_format(ptx_type t)
{
    if (t == PTX_TYPE_E4M3X2)
        return F8FMT_E4M3;
    if (t == PTX_TYPE_E5M2X2)
        return F8FMT_E5M2;
    if (t == PTX_TYPE_E2M3X2)
        return F8FMT_E2M3;
    if (t == PTX_TYPE_E3M2X2)
        return F8FMT_E3M2;
    if (t == PTX_TYPE_E2M1X2)
        return F8FMT_E2M1;
    if (t == PTX_TYPE_UE8M0X2)
        return F8FMT_UE8M0;
    return -1;
}

static bool is_pair(ptx_type t)
{
    return lo_is_half(t) && ptx_type_lanes(t) == 2;
}

/* cvt.rn.f16x2.f32 d, a, b: a becomes the upper half. */
static void pack_halves(lower *l, const ptx_inst *in, ptx_type to)
{
    lo_args s = lo_sources(l, in, PTX_TYPE_F32);
    cg_src d = cb_op(&l->b, ISA_F2FP, s.a, s.b, cb_none());

    lo_float_mods(in, cb_last(&l->b));
    CG_PUT(cb_last(&l->b), HFMT, to == PTX_TYPE_BF16X2 ? HFMT_BF16 : HFMT_F16);
    lo_set(l, &in->ops[0], limited(l, in, to, d));
}

/* From two singles, or from the halves of one register. */
static void pack_narrow(lower *l, const ptx_inst *in, ptx_type from, int format)
{
    lo_args s = lo_sources(l, in, PTX_TYPE_F32);
    cg_src d;

    if (is_pair(from)) {
        s.b = lo_half_to_f32(l, from, s.a, false);
        s.a = lo_half_to_f32(l, from, s.a, true);
    }
    s.a = relu32(l, in, s.a);
    s.b = relu32(l, in, s.b);
    d = cb_op(&l->b, ISA_F2FP_F8, s.a, s.b, cb_none());
    CG_PUT(cb_last(&l->b), F8FMT, format);
    CG_PUT(cb_last(&l->b), RND, lo_rounding(in));
    CG_PUT(cb_last(&l->b), SAT, ptx_has(in, PTX_FLAG_SATFINITE));
    lo_set(l, &in->ops[0], d);
}

static void unpack_narrow(lower *l, const ptx_inst *in, ptx_type to, int format)
{
    cg_src s = lo_src(l, &in->ops[1], PTX_TYPE_B16);
    cg_src d = cb_op(&l->b, ISA_F2F_F8, s, cb_none(), cb_none());

    CG_PUT(cb_last(&l->b), F8FMT, format);
    lo_set(l, &in->ops[0], limited(l, in, to, d));
}

/* True if one side of the conversion is a pair of floating-point numbers. */
static bool convert_pairs(lower *l, const ptx_inst *in, ptx_type to,
                          ptx_type from)
{
    int narrow_to = narrow_format(to), narrow_from = narrow_format(from);
    bool brain = to == PTX_TYPE_BF16X2;

    if (is_pair(to) && from == PTX_TYPE_F32 && in->nops == 3)
        pack_halves(l, in, to);
    else if (is_pair(to) && narrow_from >= 0 &&
             brain == (narrow_from == F8FMT_UE8M0) && in->nops == 2)
        unpack_narrow(l, in, to, narrow_from);
    else if (narrow_to >= 0 && ((from == PTX_TYPE_F32 && in->nops == 3) ||
                                (is_pair(from) && in->nops == 2)))
        pack_narrow(l, in, from, narrow_to);
    else
        return false;
    return true;
}

static void to_tf32(lower *l, const ptx_inst *in)
{
    cg_src s = lo_src(l, &in->ops[1], PTX_TYPE_F32);
    cg_inst *i;

    s = relu32(l, in, s);
    s = cb_op(&l->b, ISA_F2F_TS, s, cb_none(), cb_none());
    i = cb_last(&l->b);
    CG_PUT(i, RND, lo_rounding(in));
    CG_PUT(i, RNA, in->round == PTX_ROUND_RNA);
    CG_PUT(i, SAT, ptx_has(in, PTX_FLAG_SATFINITE));
    lo_set(l, &in->ops[0], s);
}

/* ---- cvt.pack ---------------------------------------------------------- */

/* `s` within the range of a type of `bits` bits, cut off to them. */
static cg_src clamp_integer(lower *l, cg_src s, unsigned bits, bool sign)
{
    cg_build *b = &l->b;
    int64_t least = sign ? -((int64_t)1 << (bits - 1)) : 0;

    s = cb_op(b, ISA_IMNMX, s, cg_imm(least), cb_none());
    cb_last(b)->psrc[0] = (cg_pred){0, true};
    s = cb_op(b, ISA_IMNMX, s, cg_imm(least + ((int64_t)1 << bits) - 1),
              cb_none());
    return sign ? cb_zext(b, s, bits) : s;
}

/* cvt.pack.sat.u8.s32.b32 d, a, b, c: b in the lowest bits, a above it, above
 * both what is lowest in c. */
static void pack_ints(lower *l, const ptx_inst *in)
{
    cg_build *b = &l->b;
    ptx_type to = lo_type(in, 0);
    lo_args s = lo_sources(l, in, PTX_TYPE_S32);
    unsigned bits = ptx_type_bits(to);
    bool sign = to == PTX_TYPE_S16 || to == PTX_TYPE_S8 || to == PTX_TYPE_S4 ||
                to == PTX_TYPE_S2;
    cg_src high = clamp_integer(l, s.a, bits, sign),
           low = clamp_integer(l, s.b, bits, sign);

    low = cb_or(b, cb_shl(b, high, cg_imm(bits)), low);
    if (in->nops > 3)
        low = cb_or(b, cb_shl(b, s.c, cg_imm(2 * (int64_t)bits)), low);
    lo_set(l, &in->ops[0], low);
}

void lop_cvt(lower *l, const ptx_inst *in)
{
    ptx_type to = lo_type(in, 0), from = lo_type(in, 1);
    bool to_float = ptx_type_kind(to) == PTX_KIND_FLOAT;
    bool from_float = ptx_type_kind(from) == PTX_KIND_FLOAT;
    bool known = (to_float || itypes[to] || to == PTX_TYPE_U32) &&
                 (from_float || itypes[from] || from == PTX_TYPE_U32 ||
                  from == PTX_TYPE_B32);

    if (in->round == PTX_ROUND_RS)
        lo_unsupported(l, "stochastic rounding, which only sm_100a and "
                          "later have; use .rn");
    else if (ptx_has_sub(in, PTX_SUB_PACK))
        pack_ints(l, in);
    else if (convert_pairs(l, in, to, from))
        return;
    else if (!known || in->nsubs || in->nops != 2 ||
             ptx_type_lanes(to) * ptx_type_lanes(from) != 1)
        lo_unsupported(l, "no conversion between these types; go through .f32");
    else if (to == PTX_TYPE_TF32 && from == PTX_TYPE_F32)
        to_tf32(l, in);
    else if (to_float && from_float)
        float_to_float(l, in, to, from);
    else if (to_float)
        int_to_float(l, in, to, from);
    else if (from_float)
        float_to_int(l, in, to, from);
    else
        int_to_int(l, in, to, from);
}
