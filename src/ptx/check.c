/* Operands of an instruction against its row of ptx_op.def: how many, of what
 * kind and how wide [PTX85:operand-type-checking]. Where the manual is silent,
 * what ptxas 13.0 accepts decides. */
#include "ptx/check.h"

#include <stdarg.h>
#include <string.h>

const char *check_text(parser *p, const ptx_inst *in)
{
    return arena_printf(p->scratch, "%s%s", ptx_op_text(in->op), in->mods);
}

bool check_error(parser *p, const ptx_inst *in, const char *fmt, ...)
{
    const char *text = ptx_op_text(in->op);
    strbuf b = {0};
    va_list ap;

    va_start(ap, fmt);
    strbuf_vprintf(&b, fmt, ap);
    va_end(ap);
    parse_error(p, in->place, (uint32_t)(strlen(text) + strlen(in->mods)), "%s",
                b.text);
    strbuf_fini(&b);
    return false;
}

bool check_reg_fits(ptx_type want, ptx_type reg, bool wider_allowed)
{
    ptx_kind wk = ptx_type_kind(want), rk = ptx_type_kind(reg);
    unsigned wb = ptx_type_bits(want), rb = ptx_type_bits(reg);

    if (!want || !reg || wk == PTX_KIND_OPAQUE)
        return true;
    if (want == PTX_TYPE_PRED || reg == PTX_TYPE_PRED)
        return want == reg;
    if (wider_allowed ? rb < wb : rb != wb)
        return false;
    if (rk == PTX_KIND_BITS || wk == PTX_KIND_BITS)
        return true;
    if (wk == PTX_KIND_FLOAT || rk == PTX_KIND_FLOAT)
        return want == reg;
    return true;
}

static ptx_type widened_type(ptx_type t)
{
    if (t == PTX_TYPE_U16)
        return PTX_TYPE_U32;
    if (t == PTX_TYPE_S16)
        return PTX_TYPE_S32;
    if (t == PTX_TYPE_U32)
        return PTX_TYPE_U64;
    if (t == PTX_TYPE_S32)
        return PTX_TYPE_S64;
    return t;
}

/* Of the value that stands at a role; NONE: not to be checked. */
static ptx_type type_at(const role *ro, const ptx_inst *in)
{
    unsigned i = ro->index == ROLE_LAST_TYPE ? in->ntypes - 1u : ro->index;
    ptx_type t = PTX_TYPE_NONE;

    if (ro->index == ROLE_FIXED_TYPE)
        t = (ptx_type)ro->fixed;
    else if (i < in->ntypes)
        t = (ptx_type)in->types[i];
    return ro->wide && in->half == PTX_HALF_WIDE ? widened_type(t) : t;
}

static bool operand_error(parser *p, const ptx_inst *in, const ptx_operand *o,
                          const char *wanted)
{
    return parse_error(p, o->place, o->length, "%s needs %s here",
                       check_text(p, in), wanted);
}

static const char *reg_name(const parser *p, const ptx_operand *o)
{
    return LIST_AT(&p->regs, ptx_reg, o->reg)->name;
}

static bool check_reg(parser *p, const ptx_inst *in, const ptx_operand *o,
                      ptx_type want, bool wider)
{
    if (check_reg_fits(want, (ptx_type)o->type, wider))
        return true;
    if (want == PTX_TYPE_PRED)
        return parse_error(p, o->place, o->length,
                           "%s needs a predicate here; '%s' is a .%s",
                           check_text(p, in), reg_name(p, o),
                           ptx_type_text((ptx_type)o->type));
    return parse_error(p, o->place, o->length,
                       "%s needs a .%s here; '%s' is a .%s", check_text(p, in),
                       ptx_type_text(want), reg_name(p, o),
                       ptx_type_text((ptx_type)o->type));
}

static bool check_immediate(parser *p, const ptx_inst *in, const ptx_operand *o,
                            ptx_type want)
{
    constant c = {.is_float = o->kind == PTX_OPD_FIMM,
                  .type = (ptx_type)o->type,
                  .bits = (uint64_t)o->imm};
    bool wide_float = want == PTX_TYPE_F32 || want == PTX_TYPE_F64;
    uint64_t bits;

    if (!want || (c.is_float && wide_float))
        return true;
    if (ptx_type_kind(want) == PTX_KIND_FLOAT || (c.is_float && wide_float))
        return operand_error(
            p, in, o, wide_float ? "a floating-point number" : "a register");
    if (!constant_as(&c, want, &bits))
        return operand_error(p, in, o, "an integer");
    return true;
}

/* A register, or in sources a number. */
/* %tid and the like are read by component, but for mov.v4. */
static bool check_component(parser *p, const ptx_operand *o)
{
    if (o->sel != PTX_SREG_WHOLE)
        return true;
    return parse_error(p, o->place, o->length,
                       "%s is read by component: %s.x, .y or .z",
                       ptx_sreg_text(o->sreg), ptx_sreg_text(o->sreg));
}

static bool check_scalar(parser *p, const ptx_inst *in, const ptx_operand *o,
                         const role *ro, ptx_type want)
{
    bool source = ro->kind == ROLE_SRC;

    switch (o->kind) {
    case PTX_OPD_REG:
        if (o->negated &&
            !(source && (in->op == PTX_VMAD || o->type == PTX_TYPE_PRED)))
            return operand_error(p, in, o, "a register without a sign");
        return check_reg(p, in, o, want, ro->wider_allowed);
    case PTX_OPD_IMM:
    case PTX_OPD_FIMM:
        if (source)
            return check_immediate(p, in, o, want);
        break;
    case PTX_OPD_SREG:
        if (source && in->op == PTX_CVT)
            return check_component(p, o);
        if (source)
            return parse_error(p, o->place, o->length,
                               "only mov and cvt read special registers");
        break;
    case PTX_OPD_SYM:
        if (source && ((in->op == PTX_CVTA && !ptx_has(in, PTX_FLAG_TO)) ||
                       in->op == PTX_MAPA || in->op == PTX_GETCTARANK))
            return true;
        break;
    case PTX_OPD_SINK:
        if (!source)
            return true;
        break;
    default:
        break;
    }
    return operand_error(p, in, o,
                         source ? "a register or number" : "a register");
}

static bool check_vector(parser *p, const ptx_inst *in, const ptx_operand *o,
                         const role *ro, ptx_type want)
{
    /* cvt to four narrow numbers takes {a, b, c, d} without .v4 */
    unsigned count =
        in->op == PTX_CVT ? ptx_type_lanes(ptx_type0(in)) : in->vec;

    if (o->kind != PTX_OPD_VEC || o->nelems != count)
        return parse_error(p, o->place, o->length,
                           "%s needs a vector of %u here", check_text(p, in),
                           count);
    for (unsigned i = 0; i < o->nelems; i++)
        if (!check_scalar(p, in, &o->elems[i], ro, want))
            return false;
    return true;
}

static bool discards(ptx_op op) /* a lone _ as destination */
{
    return op == PTX_ATOM || op == PTX_LOP3 || op == PTX_ELECT ||
           op == PTX_SETP;
}

static bool check_value(parser *p, const ptx_inst *in, const ptx_operand *o,
                        const role *ro)
{
    ptx_type want = type_at(ro, in);

    if (ro->pair && o->kind == PTX_OPD_PAIR) {
        static const role pred = {.kind = ROLE_PRED_DST};
        return check_scalar(p, in, &o->elems[0], ro, want) &&
               check_scalar(p, in, &o->elems[1], &pred, PTX_TYPE_PRED);
    }
    /* nvcc writes suld.b.2d.b8.trap {r}, [...] */
    if (ro->vector && (in->vec > 1 || o->kind == PTX_OPD_VEC))
        return check_vector(p, in, o, ro, want);
    if (o->kind == PTX_OPD_SINK && ro->kind != ROLE_SRC && !discards(in->op))
        return parse_error(p, o->place, o->length, "%s cannot drop its result",
                           check_text(p, in));
    return check_scalar(p, in, o, ro, want);
}

static bool check_predicate(parser *p, const ptx_inst *in, const ptx_operand *o)
{
    if (o->kind == PTX_OPD_IMM)
        return true;
    if (o->kind == PTX_OPD_REG)
        return check_reg(p, in, o, PTX_TYPE_PRED, false);
    return operand_error(p, in, o, "a predicate");
}

/* Space of a named variable against the space of the instruction. */
static bool check_space(parser *p, const ptx_inst *in, const ptx_operand *o)
{
    ptx_space at = ptx_space_base((ptx_space)in->spaces[0]);

    if (!o->var || !at ||
        (in->op != PTX_LD && in->op != PTX_ST && in->op != PTX_ATOM &&
         in->op != PTX_RED && in->op != PTX_LDU))
        return true;
    if (o->var->space != at)
        return parse_error(p, o->place, o->length,
                           "'%s' is in .%s, but %s accesses .%s", o->var->name,
                           ptx_space_text(o->var->space), check_text(p, in),
                           ptx_space_text(at));
    return true;
}

static bool check_address(parser *p, const ptx_inst *in, const ptx_operand *o)
{
    ptx_type t = (ptx_type)o->type;

    if (o->kind != PTX_OPD_ADDR)
        return operand_error(p, in, o, "an address in [ ]");
    if (o->reg != PTX_NO_REG &&
        (!ptx_type_is_int(t) || (t != PTX_TYPE_NONE && ptx_type_bits(t) != 32 &&
                                 ptx_type_bits(t) != 64)))
        return parse_error(p, o->place, o->length,
                           "an address register has 32 or 64 bits; '%s' is "
                           "a .%s",
                           reg_name(p, o), ptx_type_text(t));
    return check_space(p, in, o);
}

static bool check_operand(parser *p, const ptx_inst *in, const ptx_operand *o,
                          const role *ro)
{
    static const char *const wanted[] = {[ROLE_IMM] = "a whole number"};
    static const role pred = {.kind = ROLE_DST,
                              .index = ROLE_FIXED_TYPE,
                              .fixed = PTX_TYPE_PRED,
                              .pair = true};

    switch (ro->kind) {
    case ROLE_DST:
    case ROLE_SRC:
        return check_value(p, in, o, ro);
    case ROLE_PRED:
        return check_predicate(p, in, o);
    case ROLE_PRED_DST:
        if (o->kind == PTX_OPD_PAIR && !ro->pair)
            return operand_error(p, in, o, "one predicate");
        return check_value(p, in, o, &pred);
    case ROLE_ADDR:
        return check_address(p, in, o);
    case ROLE_IMM:
        return o->kind == PTX_OPD_IMM ||
               operand_error(p, in, o, wanted[ro->kind]);
    default:
        return true;
    }
}

static bool check_count(parser *p, const rule *r, const ptx_inst *in)
{
    unsigned n = in->nops;

    if (n >= r->needed && (r->rest || n <= r->nroles))
        return true;
    if (r->rest || r->needed == r->nroles)
        return check_error(
            p, in, "%s takes %u operand%s%s, not %u", check_text(p, in),
            r->needed, r->needed == 1 ? "" : "s", r->rest ? " or more" : "", n);
    return check_error(p, in, "%s takes %u to %u operands, not %u",
                       check_text(p, in), r->needed, r->nroles, n);
}

/* ---- mov ---------------------------------------------------------------- */

/* mov.b64 rd, {a, b}; mov.b64 {a, b}, rd: n parts of an n-th each. */
static bool check_parts(parser *p, const ptx_inst *in, const ptx_operand *o,
                        bool source)
{
    unsigned bits = ptx_type_bits(ptx_type0(in)) / o->nelems;

    if (ptx_type_kind(ptx_type0(in)) != PTX_KIND_BITS)
        return operand_error(p, in, o, "a scalar, its type being no .bNN,");
    for (unsigned i = 0; i < o->nelems; i++) {
        const ptx_operand *e = &o->elems[i];
        bool number = e->kind == PTX_OPD_IMM || e->kind == PTX_OPD_FIMM;
        if (e->kind == PTX_OPD_SINK && !source)
            continue;
        if (number && source)
            continue;
        if (e->kind != PTX_OPD_REG || e->negated ||
            (e->type && ptx_type_bits((ptx_type)e->type) != bits))
            return parse_error(p, e->place, e->length,
                               "each of the %u parts of %s has %u bits",
                               o->nelems, check_text(p, in), bits);
    }
    return true;
}

static bool check_mov_sreg(parser *p, const ptx_inst *in, const ptx_operand *o)
{
    ptx_type t = ptx_type0(in);
    unsigned bits = ptx_type_bits(t), have = ptx_sreg_bits(o->sreg);

    if (!check_component(p, o))
        return false;
    /* 16-bit reads are of PTX 1.x; %gridid had 32 bits before PTX 3.0. */
    if ((ptx_type_is_int(t) || t == PTX_TYPE_PRED) &&
        (bits == have || (bits == 16 && have == 32) ||
         (bits == 32 && o->sreg == PTX_SREG_GRIDID)))
        return true;
    return parse_error(p, o->place, o->length,
                       "%s has %u bits and %s moves a "
                       ".%s",
                       ptx_sreg_text(o->sreg), have, ptx_op_text(in->op),
                       ptx_type_text(t));
}

static bool check_mov(parser *p, const ptx_inst *in)
{
    static const role dst = {.kind = ROLE_DST, .vector = true};
    static const role src = {.kind = ROLE_SRC, .vector = true};
    const ptx_operand *d = &in->ops[0], *s = &in->ops[1];
    ptx_type t = ptx_type0(in);

    if (in->vec > 1 && s->kind == PTX_OPD_SREG && s->sel == PTX_SREG_WHOLE)
        return check_value(p, in, d, &dst) &&
               ((in->vec == 4 && ptx_type_bits(t) == 32) ||
                operand_error(p, in, s, "a component of it"));
    if (in->vec > 1)
        return check_value(p, in, d, &dst) && check_value(p, in, s, &src);
    if (d->kind == PTX_OPD_VEC && s->kind == PTX_OPD_VEC)
        return operand_error(p, in, s, "a scalar");
    if (d->kind == PTX_OPD_VEC ? !check_parts(p, in, d, false)
                               : !check_value(p, in, d, &dst))
        return false;
    if (s->kind == PTX_OPD_VEC)
        return check_parts(p, in, s, true);
    if (s->kind == PTX_OPD_SREG)
        return check_mov_sreg(p, in, s);
    if (s->kind == PTX_OPD_SYM)
        return (ptx_type_is_int(t) && ptx_type_bits(t) >= 32) ||
               operand_error(p, in, s,
                             "a value, an address having 32 or 64 "
                             "bits,");
    return check_value(p, in, s, &src);
}

/* ---- call --------------------------------------------------------------- */

static bool check_call_list(parser *p, const ptx_inst *in, const char *what,
                            uint32_t have, uint32_t want)
{
    if (have == want)
        return true;
    return check_error(p, in, "'%s' %s %u, not %u",
                       in->call->func ? in->call->func->name
                                      : in->call->proto->name,
                       what, want, have);
}

static bool is_argument(const ptx_operand *o, bool result)
{
    switch (o->kind) {
    case PTX_OPD_REG:
        return !o->negated;
    case PTX_OPD_SYM:
        return o->var && o->var->space == PTX_SPACE_PARAM;
    case PTX_OPD_SINK:
        return result;
    case PTX_OPD_IMM:
    case PTX_OPD_FIMM:
        return !result;
    default:
        return false;
    }
}

static bool check_arguments(parser *p, const ptx_inst *in, uint32_t count,
                            const ptx_operand *args, bool result)
{
    for (uint32_t i = 0; i < count; i++)
        if (!is_argument(&args[i], result))
            return operand_error(p, in, &args[i],
                                 "a register or .param variable");
    return true;
}

/* clang declares OpenCL's printf without the arguments behind the format. */
static bool is_variadic(const ptx_func *f)
{
    return !f->has_body && !strcmp(f->name, "printf");
}

static bool check_call(parser *p, const ptx_inst *in)
{
    const ptx_call *c = in->call;
    const ptx_func *f = c->func ? c->func : c->proto;

    if (!check_arguments(p, in, c->nrets, c->rets, true) ||
        !check_arguments(p, in, c->nargs, c->args, false))
        return false;
    if (f && c->nargs > f->nparams && is_variadic(f))
        return true;
    return !f || (check_call_list(p, in, "returns", c->nrets, f->nrets) &&
                  check_call_list(p, in, "takes", c->nargs, f->nparams));
}

/* ---- all ---------------------------------------------------------------- */

static bool check_types(parser *p, const rule *r, const ptx_inst *in)
{
    if (in->ntypes >= r->types_min)
        return true;
    return check_error(p, in, "%s needs %s", check_text(p, in),
                       r->types_min == 1   ? "a type"
                       : r->types_min == 2 ? "two types"
                                           : "three types");
}

/* Of operand `i`: the cache policy of an atom without second value comes where
 * others have that. */
static const role *role_of(const rule *r, const ptx_inst *in, unsigned i)
{
    if (in->op == PTX_ATOM && i == 3 && in->nops == 4 &&
        ptx_has(in, PTX_FLAG_L2_HINT))
        i = 4;
    return &r->roles[i];
}

bool check_inst(parser *p, const rule *r, const ptx_inst *in)
{
    bool ok = true;

    if (in->op == PTX_CALL)
        return check_call(p, in);
    if (!check_types(p, r, in) || !check_modifiers(p, in) ||
        !check_count(p, r, in))
        return false;
    if (in->op == PTX_MOV)
        return check_mov(p, in);
    for (unsigned i = 0; i < in->nops && i < r->nroles; i++)
        ok = check_operand(p, in, &in->ops[i], role_of(r, in, i)) && ok;
    return ok;
}
