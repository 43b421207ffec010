/* Which modifiers, types and operand counts go together: what the word lists of
 * ptx_op.def cannot say. One small function per family; the table at the end
 * gives the function of each instruction. Follows the manual's page of each
 * instruction; where it is silent, what ptxas 13.0 accepts. */
#include "ptx/check.h"

#include "base/must.h"

static ptx_kind kind0(const ptx_inst *in)
{
    return ptx_type_kind(ptx_type0(in));
}

static bool is_float(const ptx_inst *in) { return kind0(in) == PTX_KIND_FLOAT; }

static bool no(parser *p, const ptx_inst *in, const char *modifier)
{
    return check_error(p, in, "%s cannot have %s with this type",
                       check_text(p, in), modifier);
}

static bool error_needs(parser *p, const ptx_inst *in, const char *what)
{
    return check_error(p, in, "%s needs %s", check_text(p, in), what);
}

/* ---- of all instructions ------------------------------------------------ */

static bool has_ftz_type(const ptx_inst *in)
{
    for (unsigned i = 0; i < in->ntypes; i++) {
        ptx_type t = (ptx_type)in->types[i];
        if (ptx_type_kind(t) == PTX_KIND_FLOAT && t != PTX_TYPE_F64)
            return true;
    }
    return (in->op == PTX_RCP || in->op == PTX_RSQRT) &&
           ptx_has(in, PTX_FLAG_APPROX); /* rcp.approx.ftz.f64 */
}

static bool check_common(parser *p, const ptx_inst *in)
{
    if (ptx_has(in, PTX_FLAG_FTZ) && !has_ftz_type(in))
        return no(p, in, ".ftz");
    if (in->round && in->op != PTX_CVT && !is_float(in))
        return no(p, in, "a rounding modifier");
    if (ptx_has(in, PTX_FLAG_CC) &&
        (is_float(in) || ptx_type_bits(ptx_type0(in)) < 32))
        return no(p, in, ".cc");
    return true;
}

/* ---- arithmetic --------------------------------------------------------- */

static bool check_sat(parser *p, const ptx_inst *in)
{
    ptx_type t = ptx_type0(in);

    if (ptx_has(in, PTX_FLAG_SAT) && t != PTX_TYPE_S32 &&
        (!is_float(in) || t == PTX_TYPE_F64))
        return no(p, in, ".sat");
    return true;
}

static bool check_mixed(parser *p, const ptx_inst *in)
{
    if (in->ntypes == 2 &&
        (in->types[0] != PTX_TYPE_F32 ||
         (in->types[1] != PTX_TYPE_F16 && in->types[1] != PTX_TYPE_BF16)))
        return check_error(p, in,
                           "%s mixes types; only .f32 with .f16 or "
                           ".bf16 can be mixed",
                           check_text(p, in));
    return check_sat(p, in);
}

/* mul, mad and their kin: which half of the product. */
static bool check_half(parser *p, const ptx_inst *in)
{
    if (is_float(in))
        return !in->half || no(p, in, ".lo, .hi or .wide");
    if (!in->half && ptx_type_lanes(ptx_type0(in)) == 1)
        return error_needs(p, in,
                           in->op == PTX_MUL || in->op == PTX_MAD
                               ? ".lo, .hi or .wide"
                               : ".lo or .hi");
    if (in->half == PTX_HALF_WIDE && ptx_type_bits(ptx_type0(in)) > 32)
        return no(p, in, ".wide");
    if (ptx_has(in, PTX_FLAG_SAT) &&
        (in->half != PTX_HALF_HI || ptx_type0(in) != PTX_TYPE_S32))
        return no(p, in, ".sat");
    return true;
}

/* fma, and mad of floating point since sm_20. */
static bool check_rounded(parser *p, const ptx_inst *in)
{
    if (is_float(in) && !in->round && !(in->op == PTX_MAD && p->m->sm < 20))
        return error_needs(p, in, "a rounding modifier such as .rn");
    return true;
}

static bool check_mad(parser *p, const ptx_inst *in)
{
    return check_half(p, in) && check_rounded(p, in);
}

/* div, sqrt, rcp: rounding, or .approx or .full, exactly one. */
static bool check_division(parser *p, const ptx_inst *in)
{
    bool approx = ptx_has(in, PTX_FLAG_APPROX),
         full = ptx_has(in, PTX_FLAG_FULL);

    if (!is_float(in))
        return !(approx || full) || no(p, in, approx ? ".approx" : ".full");
    if (p->m->version_major == 1 && p->m->version_minor < 4)
        return true; /* the modifiers are of PTX 1.4 */
    if ((in->round != 0) + approx + full != 1)
        return error_needs(p, in,
                           in->op == PTX_DIV
                               ? "one of .rn, .rz, .rm, .rp, .approx, .full"
                               : "one of .rn, .rz, .rm, .rp, .approx");
    if (ptx_type0(in) == PTX_TYPE_F64 && (approx || full)) {
        if (in->op != PTX_RCP)
            return no(p, in, approx ? ".approx" : ".full");
        if (!ptx_has(in, PTX_FLAG_FTZ))
            return error_needs(p, in, ".ftz with .approx");
    }
    return true;
}

/* sin, cos, lg2, ex2, tanh, rsqrt */
static bool check_approx(parser *p, const ptx_inst *in)
{
    if (!ptx_has(in, PTX_FLAG_APPROX) &&
        !(p->m->version_major == 1 && p->m->version_minor < 4))
        return error_needs(p, in, ".approx");
    return true;
}

/* ---- comparisons -------------------------------------------------------- */

static bool comparison_fits(ptx_cmp c, ptx_kind k)
{
    switch (c) {
    case PTX_CMP_EQ:
    case PTX_CMP_NE:
        return true;
    case PTX_CMP_LT:
    case PTX_CMP_LE:
    case PTX_CMP_GT:
    case PTX_CMP_GE:
        return k != PTX_KIND_BITS;
    case PTX_CMP_LO:
    case PTX_CMP_LS:
    case PTX_CMP_HI:
    case PTX_CMP_HS:
        return k == PTX_KIND_UINT;
    case PTX_CMP_NONE:
    case PTX_CMP_EQU:
    case PTX_CMP_NEU:
    case PTX_CMP_LTU:
    case PTX_CMP_LEU:
    case PTX_CMP_GTU:
    case PTX_CMP_GEU:
    case PTX_CMP_NUM:
    case PTX_CMP_NAN:
    case PTX_CMP_COUNT:
        return k == PTX_KIND_FLOAT;
    }
    MUST(!"every value is above");
}

static bool check_compare(parser *p, const ptx_inst *in)
{
    ptx_type t = (ptx_type)in->types[in->ntypes - 1];

    if (!in->cmp)
        return error_needs(p, in, "a comparison such as .eq");
    if (!comparison_fits((ptx_cmp)in->cmp, ptx_type_kind(t)))
        return check_error(p, in, "%s: .%s does not compare .%s values",
                           check_text(p, in), ptx_cmp_text((ptx_cmp)in->cmp),
                           ptx_type_text(t));
    if (in->nops == 4 && !in->boolop)
        return error_needs(p, in, ".and, .or or .xor for its third source");
    if (in->nops == 3 && in->boolop)
        return error_needs(p, in,
                           "a third source, which its .and, .or or .xor uses");
    return true;
}

/* ---- conversions -------------------------------------------------------- */

static bool rounds_to_int(const ptx_inst *in)
{
    return in->round >= PTX_ROUND_RNI;
}

static bool check_cvt_float(parser *p, const ptx_inst *in, ptx_type to,
                            ptx_type from)
{
    unsigned tb = ptx_type_bits(to), fb = ptx_type_bits(from);

    if (to == from)
        return !in->round || rounds_to_int(in) ||
               no(p, in, "this rounding; .rni, .rzi, .rmi or .rpi is meant");
    if (rounds_to_int(in))
        return no(p, in, "rounding to an integer");
    if (tb < fb && !in->round)
        return error_needs(p, in, "a rounding modifier such as .rn");
    /* ptxas lets a bfloat16 be rounded to a wider type */
    if (tb > fb && in->round && ptx_type_lanes(to) == 1 &&
        ptx_type_kind(from) == PTX_KIND_FLOAT && from != PTX_TYPE_BF16)
        return no(p, in, "a rounding modifier: the result is exact");
    return true;
}

/* Two numbers as halves of a word, or as smaller ones above which a third goes
 * on [PTX85:cvt.pack]. */
static bool check_pack(parser *p, const ptx_inst *in)
{
    ptx_type to = (ptx_type)in->types[0];
    bool halves = to == PTX_TYPE_U16 || to == PTX_TYPE_S16;
    bool less = to == PTX_TYPE_U8 || to == PTX_TYPE_S8 || to == PTX_TYPE_U4 ||
                to == PTX_TYPE_S4 || to == PTX_TYPE_U2 || to == PTX_TYPE_S2;
    bool known = in->types[1] == PTX_TYPE_S32 && ptx_has(in, PTX_FLAG_SAT) &&
                 ((halves && in->ntypes == 2) ||
                  (less && in->ntypes == 3 && in->types[2] == PTX_TYPE_B32));

    if (!known)
        return error_needs(
            p, in, "to be like .pack.sat.s16.s32 or .pack.sat.u8.s32.b32");
    if (in->nops != in->ntypes + 1u)
        return check_error(p, in, "%s takes %u operands, not %u",
                           check_text(p, in), in->ntypes + 1u,
                           (unsigned)in->nops);
    return true;
}

static bool check_cvt(parser *p, const ptx_inst *in)
{
    ptx_type to = (ptx_type)in->types[0], from = (ptx_type)in->types[1];
    ptx_kind tk = ptx_type_kind(to), fk = ptx_type_kind(from);
    bool to_float = tk == PTX_KIND_FLOAT, from_float = fk == PTX_KIND_FLOAT;

    if (ptx_has_sub(in, PTX_SUB_PACK))
        return check_pack(p, in);
    if (in->ntypes == 3)
        return check_error(p, in, "%s has three types; only cvt.pack has",
                           check_text(p, in));
    if (tk == PTX_KIND_SMALL || fk == PTX_KIND_SMALL || to == PTX_TYPE_TF32)
        return true;
    if (to_float && from_float)
        return check_cvt_float(p, in, to, from);
    if (to_float && (!in->round || rounds_to_int(in)))
        return error_needs(p, in, "a rounding modifier such as .rn");
    if (from_float && !rounds_to_int(in))
        return in->round
                   ? no(p, in, "this rounding; .rzi is meant")
                   : error_needs(p, in, "a rounding modifier such as .rzi");
    if (!to_float && !from_float && in->round)
        return no(p, in, "a rounding modifier");
    return true;
}

/* ---- memory ------------------------------------------------------------- */

static bool check_order(parser *p, const ptx_inst *in)
{
    bool scoped = in->order >= PTX_ORDER_RELAXED;

    if (ptx_has(in, PTX_FLAG_MMIO))
        return true;
    if (scoped && !in->scope && in->op != PTX_ATOM && in->op != PTX_RED)
        return error_needs(p, in, "a scope such as .gpu");
    if (!scoped && in->scope && in->op != PTX_ATOM && in->op != PTX_RED)
        return error_needs(p, in,
                           "an order such as .relaxed to go with its scope");
    if (in->order == PTX_ORDER_VOLATILE && in->cache)
        return no(p, in, "a cache operator beside .volatile");
    return true;
}

/* 128 bits, or 256 where the target has such accesses. */
static bool check_width(parser *p, const ptx_inst *in)
{
    unsigned bits = ptx_type_bits(ptx_type0(in)) * in->vec;

    if (bits > (p->m->sm >= 100 ? 256u : 128u))
        return check_error(p, in, "%s accesses %u bits at once",
                           check_text(p, in), bits);
    return true;
}

static bool check_ld_st(parser *p, const ptx_inst *in)
{
    const ptx_operand *address = in->ops;
    unsigned plain = 2 + ptx_has(in, PTX_FLAG_L2_HINT);

    if (in->nops > plain && !ptx_has_sub(in, PTX_SUB_ASYNC))
        return check_error(p, in, "%s takes %u operands, not %u",
                           check_text(p, in), plain, in->nops);
    if (in->op == PTX_ST && in->nops && address->kind == PTX_OPD_ADDR &&
        address->var && address->var->func == p->f && p->f->entry &&
        address->var->number < p->f->nparams &&
        p->f->params[address->var->number] == address->var)
        return parse_error(p, address->place, address->length,
                           "'%s' is a parameter of the kernel and cannot be "
                           "written",
                           address->var->name);
    return check_order(p, in) && check_width(p, in);
}

static bool atomic_fits(ptx_sub s, ptx_type t, unsigned vec)
{
    unsigned bits = ptx_type_bits(t);
    ptx_kind k = ptx_type_kind(t);

    if (s == PTX_SUB_AND || s == PTX_SUB_OR || s == PTX_SUB_XOR)
        return k == PTX_KIND_BITS && (bits == 32 || bits == 64);
    if (s == PTX_SUB_EXCH)
        return k == PTX_KIND_BITS && bits >= 32;
    if (s == PTX_SUB_CAS)
        return k == PTX_KIND_BITS && bits >= 16;
    if (s == PTX_SUB_INC || s == PTX_SUB_DEC)
        return t == PTX_TYPE_U32;
    if (s == PTX_SUB_ADD) {
        return k == PTX_KIND_FLOAT || t == PTX_TYPE_U32 || t == PTX_TYPE_S32 ||
               t == PTX_TYPE_U64;
    }
    return (k == PTX_KIND_FLOAT && bits < 64 &&
            (t != PTX_TYPE_F32 || vec > 1)) ||
           ((k == PTX_KIND_UINT || k == PTX_KIND_SINT) && bits >= 32);
}

static bool check_atomic(parser *p, const ptx_inst *in)
{
    ptx_sub s = PTX_SUB_NONE;
    unsigned plain = in->op == PTX_RED ? 2 : 3;

    if (ptx_has_sub(in, PTX_SUB_ASYNC))
        return true;
    for (unsigned i = 0; i < in->nsubs; i++)
        if (in->subs[i] <= PTX_SUB_XOR)
            s = (ptx_sub)in->subs[i];
    if (!s || in->nsubs != 1)
        return error_needs(p, in, "one operation such as .add");
    if (in->op == PTX_RED && (s == PTX_SUB_EXCH || s == PTX_SUB_CAS))
        return check_error(p, in, "%s: a reduction cannot .%s",
                           check_text(p, in), ptx_sub_text(s));
    if (!atomic_fits(s, ptx_type0(in), in->vec))
        return check_error(p, in, "%s: .%s does not work on .%s",
                           check_text(p, in), ptx_sub_text(s),
                           ptx_type_text(ptx_type0(in)));
    plain += (s == PTX_SUB_CAS) + ptx_has(in, PTX_FLAG_L2_HINT);
    if (in->nops != plain)
        return check_error(p, in, "%s takes %u operands, not %u",
                           check_text(p, in), plain, in->nops);
    return check_order(p, in) && check_width(p, in);
}

/* ---- warps and barriers ------------------------------------------------- */

/* One and only one of the words from `first` to `last`. */
static bool check_mode(parser *p, const ptx_inst *in, ptx_sub first,
                       ptx_sub last)
{
    unsigned n = 0;

    for (unsigned i = 0; i < in->nsubs; i++)
        n += in->subs[i] >= first && in->subs[i] <= last;
    if (n == 1)
        return true;
    return check_error(p, in, "%s needs one of .%s to .%s", check_text(p, in),
                       ptx_sub_text(first), ptx_sub_text(last));
}

/* The mask of the lanes that take part is the last operand of .sync forms. */
static bool check_mask(parser *p, const ptx_inst *in, unsigned with)
{
    unsigned want = ptx_has(in, PTX_FLAG_SYNC) ? with : with - 1;

    if (in->nops != want)
        return check_error(p, in, "%s takes %u operands, not %u",
                           check_text(p, in), want, in->nops);
    return true;
}

static bool check_shfl(parser *p, const ptx_inst *in)
{
    return check_mode(p, in, PTX_SUB_UP, PTX_SUB_IDX) && check_mask(p, in, 5);
}

static bool check_vote(parser *p, const ptx_inst *in)
{
    bool ballot = ptx_has_sub(in, PTX_SUB_BALLOT);

    if (!check_mode(p, in, PTX_SUB_ALL, PTX_SUB_BALLOT) ||
        !check_mask(p, in, 3))
        return false;
    if (ptx_type0(in) != (ballot ? PTX_TYPE_B32 : PTX_TYPE_PRED))
        return error_needs(p, in, ballot ? "the type .b32" : "the type .pred");
    return true;
}

static bool check_match(parser *p, const ptx_inst *in)
{
    if (!check_mode(p, in, PTX_SUB_ALL, PTX_SUB_ANY))
        return false;
    if (ptx_has_sub(in, PTX_SUB_ANY) && in->nops &&
        in->ops[0].kind == PTX_OPD_PAIR)
        return check_error(p, in, "%s gives no predicate", check_text(p, in));
    return true;
}

static bool operand_is(const ptx_inst *in, unsigned i, ptx_type t)
{
    const ptx_operand *o = &in->ops[i];

    if (o->kind == PTX_OPD_REG)
        return check_reg_fits(t, (ptx_type)o->type, false);
    return o->kind == PTX_OPD_IMM && i > 0;
}

/* bar.red.popc.u32 d, a{, b}, {!}c */
static bool check_bar_red(parser *p, const ptx_inst *in)
{
    bool count = ptx_has_sub(in, PTX_SUB_POPC);

    if (!check_mode(p, in, PTX_SUB_AND, PTX_SUB_POPC))
        return false;
    if (in->nops < 3)
        return check_error(p, in, "%s takes 3 or 4 operands, not %u",
                           check_text(p, in), in->nops);
    if (ptx_type0(in) != (count ? PTX_TYPE_U32 : PTX_TYPE_PRED))
        return error_needs(p, in, count ? "the type .u32" : "the type .pred");
    if (!operand_is(in, 0, ptx_type0(in)))
        return error_needs(p, in,
                           count ? "a 32-bit register as its result"
                                 : "a predicate as its result");
    if (!operand_is(in, in->nops - 1, PTX_TYPE_PRED))
        return error_needs(p, in, "a predicate as its last operand");
    return true;
}

static bool check_bar(parser *p, const ptx_inst *in)
{
    bool arrive = ptx_has_sub(in, PTX_SUB_ARRIVE);
    unsigned most = 2, least = arrive ? 2 : 1;

    if (ptx_has_sub(in, PTX_SUB_RED))
        return check_bar_red(p, in);
    if (in->ntypes)
        return check_error(p, in, "%s has a type only with .red",
                           check_text(p, in));
    if (in->scope == PTX_SCOPE_CLUSTER)
        most = least = 0;
    else if (!ptx_has(in, PTX_FLAG_SYNC) && !arrive)
        return error_needs(p, in, "one of .sync, .arrive, .red");
    if (ptx_has_sub(in, PTX_SUB_WARP))
        most = least = 1;
    if (in->nops < least || in->nops > most)
        return check_error(
            p, in, "%s takes %u%s operand%s, not %u", check_text(p, in), least,
            most > least ? " or 2" : "", most == 1 ? "" : "s", in->nops);
    if (in->nops && in->ops[0].kind == PTX_OPD_IMM &&
        !ptx_has_sub(in, PTX_SUB_WARP) && (uint64_t)in->ops[0].imm > 15)
        return parse_error(p, in->ops[0].place, in->ops[0].length,
                           "a CTA has 16 barriers, 0 to 15");
    for (unsigned i = 0; i < in->nops; i++)
        if (in->ops[i].kind != PTX_OPD_IMM && !operand_is(in, i, PTX_TYPE_B32))
            return error_needs(p, in, "32-bit registers or numbers");
    return true;
}

static bool check_membar(parser *p, const ptx_inst *in)
{
    if (!in->scope && !ptx_has_sub(in, PTX_SUB_PROXY))
        return error_needs(p, in, "one of .cta, .gl, .sys");
    return true;
}

/* No order is .acq_rel. */
static bool check_fence(parser *p, const ptx_inst *in)
{
    if (ptx_has_sub(in, PTX_SUB_PROXY))
        return true;
    return in->scope || error_needs(p, in, "a scope such as .gpu");
}

/* ---- bits --------------------------------------------------------------- */

static bool check_shf(parser *p, const ptx_inst *in)
{
    return check_mode(p, in, PTX_SUB_L, PTX_SUB_R) &&
           check_mode(p, in, PTX_SUB_CLAMP, PTX_SUB_WRAP);
}

static bool check_clamp(parser *p, const ptx_inst *in)
{
    return check_mode(p, in, PTX_SUB_CLAMP, PTX_SUB_WRAP);
}

static bool check_testp(parser *p, const ptx_inst *in)
{
    return check_mode(p, in, PTX_SUB_FINITE, PTX_SUB_SUBNORMAL);
}

static bool check_slct(parser *p, const ptx_inst *in)
{
    if (in->types[1] != PTX_TYPE_S32 && in->types[1] != PTX_TYPE_F32)
        return error_needs(p, in, ".s32 or .f32 as its second type");
    return true;
}

static bool check_lop3(parser *p, const ptx_inst *in)
{
    bool pair = in->nops && in->ops[0].kind == PTX_OPD_PAIR;

    if ((in->boolop != 0) != pair || (in->nops == 6) != pair)
        return error_needs(p, in,
                           "d|p, .and or .or, and a sixth operand together");
    return true;
}

static bool check_dp2a(parser *p, const ptx_inst *in)
{
    return in->half || error_needs(p, in, ".lo or .hi");
}

/* ---- the check of each instruction --------------------------------------- */

static bool (*const checks[PTX_OP_COUNT])(parser *p, const ptx_inst *in) = {
    [PTX_ADD] = check_mixed,    [PTX_SUB] = check_mixed,
    [PTX_MUL] = check_half,     [PTX_MAD] = check_mad,
    [PTX_MUL24] = check_half,   [PTX_MAD24] = check_half,
    [PTX_MADC] = check_half,    [PTX_FMA] = check_rounded,
    [PTX_DIV] = check_division, [PTX_SQRT] = check_division,
    [PTX_RCP] = check_division, [PTX_RSQRT] = check_approx,
    [PTX_SIN] = check_approx,   [PTX_COS] = check_approx,
    [PTX_LG2] = check_approx,   [PTX_EX2] = check_approx,
    [PTX_TANH] = check_approx,  [PTX_SET] = check_compare,
    [PTX_SETP] = check_compare, [PTX_CVT] = check_cvt,
    [PTX_LD] = check_ld_st,     [PTX_ST] = check_ld_st,
    [PTX_ATOM] = check_atomic,  [PTX_RED] = check_atomic,
    [PTX_SHFL] = check_shfl,    [PTX_VOTE] = check_vote,
    [PTX_MATCH] = check_match,  [PTX_BAR] = check_bar,
    [PTX_BARRIER] = check_bar,  [PTX_MEMBAR] = check_membar,
    [PTX_FENCE] = check_fence,  [PTX_SHF] = check_shf,
    [PTX_BMSK] = check_clamp,   [PTX_SZEXT] = check_clamp,
    [PTX_TESTP] = check_testp,  [PTX_SLCT] = check_slct,
    [PTX_LOP3] = check_lop3,    [PTX_DP2A] = check_dp2a,
};

bool check_modifiers(parser *p, const ptx_inst *in)
{
    return check_common(p, in) && (!checks[in->op] || checks[in->op](p, in));
}
