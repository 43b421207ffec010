/* tests/hardware/forms_compare.c - setp, set, selp, slct. */
#include "number.h"

static const char *const names[] = {"eq",  "ne",  "lt",  "le",  "gt",
                                    "ge",  "equ", "neu", "ltu", "leu",
                                    "gtu", "geu", "num", "nan"};

static bool by_order(hw_cmp cmp, int o)
{
    switch (cmp) {
    case HW_EQ:
    case HW_EQU:
        return o == 0;
    case HW_NE:
    case HW_NEU:
        return o != 0;
    case HW_LT:
    case HW_LTU:
        return o < 0;
    case HW_LE:
    case HW_LEU:
        return o <= 0;
    case HW_GT:
    case HW_GTU:
        return o > 0;
    case HW_GE:
    case HW_GEU:
    case HW_NUM:
    case HW_NAN:
        break;
    }
    return o >= 0;
}

static int int_order(hw_type t, uint64_t a, uint64_t b)
{
    unsigned up = 64 - hw_bits(t);

    a <<= up;
    b <<= up;
    if (hw_signed(t))
        return (int64_t)a < (int64_t)b ? -1 : (int64_t)a > (int64_t)b;
    return a < b ? -1 : a > b;
}

static bool compare(const hw_form *f, uint64_t x, uint64_t y)
{
    if (!hw_float(f->type))
        return by_order(f->cmp, int_order(f->type, x, y));
    hw_number a = hw_unpack(f->type, x, f->ftz);
    hw_number b = hw_unpack(f->type, y, f->ftz);
    bool nan = a.kind == HW_NOT || b.kind == HW_NOT;
    if (f->cmp == HW_NUM || f->cmp == HW_NAN)
        return nan == (f->cmp == HW_NAN);
    return nan ? f->cmp >= HW_EQU : by_order(f->cmp, hw_order(a, b));
}

static bool combine(int op, bool t, bool with)
{
    return op == 0   ? t
           : op == 1 ? (t && with)
           : op == 2 ? (t || with)
                     : t != with;
}

/* p | q << 1; the third operand's lowest bit is the predicate. */
static uint64_t setp_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    bool t = compare(f, in->v[0][i], in->v[1][i]), with = in->v[2][i] & 1;

    return combine(f->op, t, with) | combine(f->op, !t, with) << 1;
}

static hw_form *add_setp(hw_list *l, hw_type t, hw_cmp cmp, int op, bool ftz)
{
    static const char *const bops[] = {"", ".and", ".or", ".xor"};
    hw_form *f = hw_list_add(l, "comparisons", setp_ref, HW_U32, t, t,
                             op ? HW_U32 : HW_NONE);
    bool half = t == HW_F16 || t == HW_BF16;

    f->type = t;
    f->cmp = cmp;
    f->op = op;
    f->ftz = ftz;
    hw_name(f, "setp.%s%s%s.%s", names[cmp], bops[op], ftz ? ".ftz" : "",
            hw_type_text(t));
    if (op)
        hw_text(f,
                "{.reg .b32 x, y; and.b32 x, $c, 1; setp.ne.u32 r, x, 0; "
                "%s p|q, $a, $b, r; selp.u32 x, 1, 0, p; selp.u32 y, 2, 0, q; "
                "or.b32 $d, x, y;}",
                f->name);
    else if (half)
        hw_text(f, "%s p, $a, $b; selp.u32 $d, 1, 2, p;", f->name);
    else
        hw_text(f,
                "{.reg .b32 x, y; %s p|q, $a, $b; selp.u32 x, 1, 0, p; "
                "selp.u32 y, 2, 0, q; or.b32 $d, x, y;}",
                f->name);
    return f;
}

/* setp.f16x2 p|q: p is of the lower halves, q of the upper. */
static uint64_t pair_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    return compare(f, in->v[0][i], in->v[1][i]) |
           compare(f, in->v[0][i] >> 16, in->v[1][i] >> 16) << 1;
}

static void add_pairs(hw_list *l)
{
    static const hw_type types[] = {HW_F16X2, HW_BF16X2};

    for (unsigned k = 0; k < 2; k++)
        for (int cmp = HW_EQ; cmp <= HW_NAN; cmp++) {
            hw_form *f = hw_list_add(l, "comparisons", pair_ref, HW_U32,
                                     types[k], types[k], HW_NONE);
            f->type = types[k];
            f->cmp = (hw_cmp)cmp;
            hw_name(f, "setp.%s.%s", names[cmp], hw_type_text(types[k]));
            hw_text(f,
                    "{.reg .b32 x, y; %s p|q, $a, $b; selp.u32 x, 1, 0, p; "
                    "selp.u32 y, 2, 0, q; or.b32 $d, x, y;}",
                    f->name);
        }
}

static uint64_t set_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    bool t = compare(f, in->v[0][i], in->v[1][i]);

    return !t ? 0 : f->d == HW_F32 ? 0x3f800000 : 0xffffffff;
}

static void add_set(hw_list *l, hw_type t, bool ftz)
{
    static const hw_type to[] = {HW_U32, HW_S32, HW_F32};

    for (unsigned k = 0; k < 3; k++)
        for (int cmp = HW_EQ; cmp <= (hw_float(t) ? HW_NAN : HW_GE); cmp += 3) {
            hw_form *f =
                hw_list_add(l, "comparisons", set_ref, to[k], t, t, HW_NONE);
            f->type = t;
            f->cmp = (hw_cmp)cmp;
            f->ftz = ftz;
            hw_name(f, "set.%s%s.%s.%s", names[cmp], ftz ? ".ftz" : "",
                    hw_type_text(to[k]), hw_type_text(t));
        }
}

/* One half: all ones, or one, as wide as the destination; a pair: 16 bits for
 * each of its halves. */
static uint64_t set_half_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint64_t one = !hw_float(f->d)      ? 0xffffffff
                   : f->type == HW_BF16 ? 0x3f80
                                        : 0x3c00;
    uint64_t a = in->v[0][i], b = in->v[1][i];

    if (f->n == 1)
        return compare(f, a, b) ? hw_bits(f->d) == 16 ? one & 0xffff : one : 0;
    one &= 0xffff;
    return (compare(f, a, b) ? one : 0) |
           (compare(f, a >> 16, b >> 16) ? one << 16 : 0);
}

static void add_set_half(hw_list *l, hw_type t, bool ftz)
{
    bool brain = t == HW_BF16 || t == HW_BF16X2;
    bool pair = t == HW_F16X2 || t == HW_BF16X2;
    const hw_type to[] = {t, HW_U32, HW_S32, HW_U16, HW_S16};

    for (unsigned k = 0; k < (pair ? 3 : 5); k++)
        for (int cmp = HW_EQ; cmp <= HW_NAN; cmp++) {
            hw_form *f = hw_list_add(l, "comparisons", set_half_ref, to[k], t,
                                     t, HW_NONE);

            f->type = brain ? HW_BF16 : HW_F16;
            f->cmp = (hw_cmp)cmp;
            f->ftz = ftz;
            f->n = pair ? 2 : 1;
            hw_name(f, "set.%s%s.%s.%s", names[cmp], ftz ? ".ftz" : "",
                    hw_type_text(to[k]), hw_type_text(t));
        }
}

/* ---- selection ---- */

static uint64_t slct_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint64_t c = in->v[2][i];
    bool first;

    if (f->op) /* selp */
        first = c & 1;
    else if (f->s[2] == HW_S32)
        first = (int32_t)c >= 0;
    else {
        hw_number v = hw_unpack(HW_F32, c, f->ftz);
        first = v.kind == HW_ZERO || (v.kind != HW_NOT && !v.minus);
    }
    return in->v[!first][i];
}

static void add_selection(hw_list *l)
{
    static const hw_type types[] = {HW_U16, HW_U32, HW_F32, HW_U64, HW_F64};

    for (unsigned k = 0; k < 5; k++)
        for (int how = 0; how < 4; how++) {
            hw_type t = types[k];
            hw_form *f = hw_list_add(l, "selection", slct_ref, t, t, t,
                                     how < 2 ? HW_S32 : HW_F32);
            f->class = HW_EXACT;
            f->ftz = how == 3;
            f->op = how == 0;
            if (f->op) {
                hw_name(f, "selp.%s", hw_type_text(t));
                hw_text(f,
                        "{.reg .b32 x; and.b32 x, $c, 1; setp.ne.u32 p, x, 0; "
                        "%s $d, $a, $b, p;}",
                        f->name);
            } else {
                hw_name(f, "slct%s.%s.%s", f->ftz ? ".ftz" : "",
                        hw_type_text(t), how == 1 ? "s32" : "f32");
            }
        }
}

void hw_forms_compare(hw_list *l)
{
    static const hw_type ints[] = {HW_U16, HW_S16, HW_U32,
                                   HW_S32, HW_U64, HW_S64};
    static const hw_type floats[] = {HW_F32, HW_F64, HW_F16, HW_BF16};

    for (unsigned k = 0; k < 6; k++) {
        for (int cmp = HW_EQ; cmp <= HW_GE; cmp++)
            add_setp(l, ints[k], (hw_cmp)cmp, 0, false);
        for (int op = 1; op < 4; op++)
            add_setp(l, ints[k], HW_LT, op, false);
        add_set(l, ints[k], false);
    }
    for (unsigned k = 0; k < 4; k++) {
        for (int cmp = HW_EQ; cmp <= HW_NAN; cmp++) {
            add_setp(l, floats[k], (hw_cmp)cmp, 0, false);
            if (k == 0 || k == 2)
                add_setp(l, floats[k], (hw_cmp)cmp, 0, true);
        }
        if (k < 2) {
            for (int op = 1; op < 4; op++)
                add_setp(l, floats[k], HW_LTU, op, false);
            add_set(l, floats[k], false);
        }
    }
    add_set(l, HW_F32, true);
    add_set_half(l, HW_F16, false);
    add_set_half(l, HW_F16, true);
    add_set_half(l, HW_BF16, false);
    add_set_half(l, HW_F16X2, false);
    add_set_half(l, HW_BF16X2, false);
    add_pairs(l);
    add_selection(l);
}
