/* tests/hardware/forms_half.c - f16 and bf16, single and in pairs. */
#include "number.h"

enum { ADD, SUB, MUL, FMA, MIN, MAX, ABS, NEG };

static const struct {
    const char *text;
    int operands;
} ops[] = {
    [ADD] = {"add", 2}, [SUB] = {"sub", 2}, [MUL] = {"mul", 2},
    [FMA] = {"fma", 3}, [MIN] = {"min", 2}, [MAX] = {"max", 2},
    [ABS] = {"abs", 1}, [NEG] = {"neg", 1},
};

static hw_number lesser(const hw_form *f, hw_number a, hw_number b)
{
    bool minus = a.minus != b.minus;
    hw_number r;

    if (f->xorsign)
        a.minus = b.minus = false;
    if (a.kind == HW_NOT || b.kind == HW_NOT) {
        r = f->nan || b.kind == HW_NOT ? a : b;
        if (f->nan)
            r.kind = HW_NOT;
    } else {
        int o = hw_order(a, b);
        if (o == 0)
            o = (int)b.minus - (int)a.minus;
        r = (o < 0) == (f->op == MIN) ? a : b;
    }
    if (f->xorsign)
        r.minus = minus;
    return r;
}

static uint64_t one_ref(const hw_form *f, uint64_t x, uint64_t y, uint64_t z)
{
    hw_type t = f->type;
    hw_number a = hw_unpack(t, x, f->ftz), b = hw_unpack(t, y, f->ftz), r;

    switch (f->op) {
    case ADD:
        r = hw_add(a, b, HW_RN);
        break;
    case SUB:
        r = hw_add(a, hw_neg(b), HW_RN);
        break;
    case MUL:
        r = hw_mul(a, b);
        break;
    case FMA:
        r = hw_add(hw_mul(a, b), hw_unpack(t, z, f->ftz), HW_RN);
        break;
    case MIN:
    case MAX:
        r = lesser(f, a, b);
        break;
    case ABS:
        r = a;
        r.minus = false;
        break;
    default:
        r = hw_neg(a);
    }
    if (f->relu && r.kind != HW_NOT && r.minus)
        r = (hw_number){.kind = HW_ZERO};
    return hw_pack(t, r, HW_RN, f->ftz, f->sat);
}

static uint64_t half_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint64_t d = one_ref(f, in->v[0][i], in->v[1][i], in->v[2][i]);

    if (f->n == 2)
        d |= one_ref(f, in->v[0][i] >> 16, in->v[1][i] >> 16, in->v[2][i] >> 16)
             << 16;
    return d;
}

static hw_form *add_half(hw_list *l, int op, hw_type t)
{
    hw_form *f = hw_list_add(l, "half precision", half_ref, t, t,
                             ops[op].operands > 1 ? t : HW_NONE,
                             ops[op].operands > 2 ? t : HW_NONE);

    f->type = t;
    f->op = op;
    f->n = t == HW_F16X2 || t == HW_BF16X2 ? 2 : 1;
    return f;
}

static void add_f16(hw_list *l, hw_type t)
{
    for (int op = ADD; op <= FMA; op++)
        for (int flags = 0; flags < (op == FMA ? 6 : 4); flags++) {
            hw_form *f = add_half(l, op, t);
            f->ftz = flags & 1;
            f->sat = flags & 2;
            f->relu = flags & 4;
            hw_name(f, "%s.rn%s%s%s.%s", ops[op].text, f->ftz ? ".ftz" : "",
                    f->sat ? ".sat" : "", f->relu ? ".relu" : "",
                    hw_type_text(t));
        }
}

static void add_minmax(hw_list *l, hw_type t)
{
    bool brain = t == HW_BF16 || t == HW_BF16X2;

    for (int op = MIN; op <= MAX; op++)
        for (int flags = 0; flags < 8; flags++) {
            if (brain && flags & 1)
                continue;
            hw_form *f = add_half(l, op, t);
            f->ftz = flags & 1;
            f->nan = flags & 2;
            f->xorsign = flags & 4;
            hw_name(f, "%s%s%s%s.%s", ops[op].text, f->ftz ? ".ftz" : "",
                    f->nan ? ".NaN" : "", f->xorsign ? ".xorsign.abs" : "",
                    hw_type_text(t));
        }
}

void hw_forms_half(hw_list *l)
{
    static const hw_type types[] = {HW_F16, HW_F16X2, HW_BF16, HW_BF16X2};

    for (unsigned k = 0; k < 4; k++) {
        hw_type t = types[k];
        hw_form *f;
        if (k < 2) {
            add_f16(l, t);
        } else {
            for (int op = ADD; op <= FMA; op++) {
                f = add_half(l, op, t);
                hw_name(f, "%s.rn.%s", ops[op].text, hw_type_text(t));
            }
            f = add_half(l, FMA, t);
            f->relu = true;
            hw_name(f, "fma.rn.relu.%s", hw_type_text(t));
        }
        add_minmax(l, t);
        for (int op = ABS; op <= NEG; op++)
            for (int ftz = 0; ftz < (k < 2 ? 2 : 1); ftz++) {
                f = add_half(l, op, t);
                f->ftz = ftz;
                hw_name(f, "%s%s.%s", ops[op].text, ftz ? ".ftz" : "",
                        hw_type_text(t));
            }
    }
}
