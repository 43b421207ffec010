/* tests/hardware/forms_float.c - single and double precision [PTX85:add]
 * and following; everything here is rounded correctly. */
#include "number.h"

enum { ADD, SUB, MUL, FMA, DIV, RCP, SQRT };

static const struct {
    const char *text;
    int operands;
} ops[] = {
    [ADD] = {"add", 2},   [SUB] = {"sub", 2}, [MUL] = {"mul", 2},
    [FMA] = {"fma", 3},   [DIV] = {"div", 2}, [RCP] = {"rcp", 1},
    [SQRT] = {"sqrt", 1},
};

static const char *const rounds[] = {"rn", "rz", "rm", "rp"};
static const hw_type both[] = {HW_F32, HW_F64};

static uint64_t arith_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    hw_type t = f->type;
    hw_number a = hw_unpack(t, in->v[0][i], f->ftz);
    hw_number b = hw_unpack(t, in->v[1][i], f->ftz), r;

    switch (f->op) {
    case ADD:
        r = hw_add(a, b, f->round);
        break;
    case SUB:
        r = hw_add(a, hw_neg(b), f->round);
        break;
    case MUL:
        r = hw_mul(a, b);
        break;
    case FMA:
        r = hw_add(hw_mul(a, b), hw_unpack(t, in->v[2][i], f->ftz), f->round);
        break;
    case DIV:
        r = hw_div(a, b);
        break;
    case RCP:
        r = hw_div(hw_from_int(false, 1), a);
        break;
    default:
        r = hw_sqrt(a);
    }
    return hw_pack(t, r, f->round, f->ftz, f->sat);
}

static void add_arith(hw_list *l, int op, hw_type t, int round, int flags)
{
    hw_form *f = hw_list_add(
        l, op < DIV ? "floating-point arithmetic" : "division and square root",
        arith_ref, t, t, ops[op].operands > 1 ? t : HW_NONE,
        ops[op].operands > 2 ? t : HW_NONE);

    f->type = t;
    f->op = op;
    f->round = (hw_round)round;
    f->ftz = flags & 1;
    f->sat = flags & 2;
    hw_name(f, "%s.%s%s%s.%s", ops[op].text, rounds[round],
            f->ftz ? ".ftz" : "", f->sat ? ".sat" : "", hw_type_text(t));
}

/* ---- signs, minimum, maximum, classes ---- */

enum { ABS, NEG, COPYSIGN };

static uint64_t sign_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint64_t a = in->v[0][i], sign = (uint64_t)1 << (hw_bits(f->type) - 1);

    if (f->op == COPYSIGN) /* the sign of a, the rest of b */
        return (in->v[1][i] & ~sign) | (a & sign);
    hw_number v = hw_unpack(f->type, a, f->ftz);
    if (v.kind == HW_ZERO)
        a &= sign;
    return f->op == ABS ? a & ~sign : a ^ sign;
}

static void add_signs(hw_list *l)
{
    static const char *const text[] = {"abs", "neg", "copysign"};

    for (int op = ABS; op <= COPYSIGN; op++)
        for (int k = 0; k < 3; k++) {
            hw_type t = k == 2 ? HW_F64 : HW_F32;
            if (op == COPYSIGN && k == 1)
                continue;
            hw_form *f = hw_list_add(l, "signs and classes", sign_ref, t, t,
                                     op == COPYSIGN ? t : HW_NONE, HW_NONE);
            f->type = t;
            f->op = op;
            f->ftz = k == 1;
            if (op == COPYSIGN)
                f->class = HW_EXACT;
            hw_name(f, "%s%s.%s", text[op], f->ftz ? ".ftz" : "",
                    hw_type_text(t));
        }
}

static uint64_t minmax_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    hw_number a = hw_unpack(f->type, in->v[0][i], f->ftz);
    hw_number b = hw_unpack(f->type, in->v[1][i], f->ftz), r;
    bool minus = a.minus != b.minus;

    if (f->xorsign)
        a.minus = b.minus = false;
    if (a.kind == HW_NOT || b.kind == HW_NOT) {
        r = f->nan || b.kind == HW_NOT ? a : b;
        if (f->nan)
            r.kind = HW_NOT;
    } else {
        int o = hw_order(a, b);
        if (o == 0) /* -0 is below +0 */
            o = (int)b.minus - (int)a.minus;
        r = (o < 0) == (f->op == 0) ? a : b;
    }
    if (f->xorsign)
        r.minus = minus;
    return hw_pack(f->type, r, HW_RN, false, false);
}

static void add_minmax(hw_list *l)
{
    for (int op = 0; op < 2; op++)
        for (int k = 0; k < 9; k++) {
            bool is_double = k == 8;
            hw_type t = is_double ? HW_F64 : HW_F32;
            hw_form *f = hw_list_add(l, "minimum and maximum", minmax_ref, t, t,
                                     t, HW_NONE);
            f->type = t;
            f->op = op;
            if (!is_double) {
                f->ftz = k & 1;
                f->nan = k & 2;
                f->xorsign = k & 4;
            }
            hw_name(f, "%s%s%s%s.%s", op ? "max" : "min", f->ftz ? ".ftz" : "",
                    f->nan ? ".NaN" : "", f->xorsign ? ".xorsign.abs" : "",
                    hw_type_text(t));
        }
}

enum { FINITE, INFINITE, NUMBER, NOTANUMBER, NORMAL, SUBNORMAL };

static uint64_t class_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint64_t a = in->v[0][i];
    hw_number v = hw_unpack(f->type, a, false);
    bool small = hw_unpack(f->type, a, true).kind == HW_ZERO;

    switch (f->op) {
    case FINITE:
        return v.kind == HW_FINITE || v.kind == HW_ZERO;
    case INFINITE:
        return v.kind == HW_INF;
    case NUMBER:
        return v.kind != HW_NOT;
    case NOTANUMBER:
        return v.kind == HW_NOT;
    case NORMAL: /* zeros count as normal */
        return v.kind == HW_ZERO || (v.kind == HW_FINITE && !small);
    default:
        return v.kind == HW_FINITE && small;
    }
}

static void add_classes(hw_list *l)
{
    static const char *const text[] = {"finite",     "infinite", "number",
                                       "notanumber", "normal",   "subnormal"};

    for (int op = FINITE; op <= SUBNORMAL; op++)
        for (int k = 0; k < 2; k++) {
            hw_form *f = hw_list_add(l, "signs and classes", class_ref, HW_U32,
                                     both[k], HW_NONE, HW_NONE);
            f->type = both[k];
            f->op = op;
            hw_name(f, "testp.%s.%s", text[op], hw_type_text(both[k]));
            hw_text(f, "%s p, $a; selp.u32 $d, 1, 0, p;", f->name);
        }
}

void hw_forms_float(hw_list *l)
{
    for (int op = ADD; op <= SQRT; op++)
        for (int round = 0; round < 4; round++) {
            for (int flags = 0; flags < (op < DIV ? 4 : 2); flags++)
                add_arith(l, op, HW_F32, round, flags);
            add_arith(l, op, HW_F64, round, 0);
        }
    add_signs(l);
    add_minmax(l);
    add_classes(l);
}
