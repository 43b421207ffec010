/* tests/hardware/forms_int.c - integer arithmetic [PTX85:add] and following,
 * carried chains included. */
#include "form.h"

#include <string.h>

typedef __int128 wide;

enum {
    ADD,
    SUB,
    MUL_LO,
    MUL_HI,
    MUL_WIDE,
    MAD_LO,
    MAD_HI,
    MAD_WIDE,
    DIV,
    REM,
    MIN,
    MAX,
    SAD,
    ABS,
    NEG
};

static const struct {
    const char *text;
    int operands;
} ops[] = {
    [ADD] = {"add", 2},           [SUB] = {"sub", 2},
    [MUL_LO] = {"mul.lo", 2},     [MUL_HI] = {"mul.hi", 2},
    [MUL_WIDE] = {"mul.wide", 2}, [MAD_LO] = {"mad.lo", 3},
    [MAD_HI] = {"mad.hi", 3},     [MAD_WIDE] = {"mad.wide", 3},
    [DIV] = {"div", 2},           [REM] = {"rem", 2},
    [MIN] = {"min", 2},           [MAX] = {"max", 2},
    [SAD] = {"sad", 3},           [ABS] = {"abs", 1},
    [NEG] = {"neg", 1},
};

static const hw_type all_types[] = {HW_U16, HW_S16, HW_U32,
                                    HW_S32, HW_U64, HW_S64};

static uint64_t low(uint64_t v, unsigned bits)
{
    return bits >= 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

static wide value(hw_type t, uint64_t v)
{
    unsigned up = 64 - hw_bits(t);

    return hw_signed(t) ? (wide)((int64_t)(v << up) >> up)
                        : (wide)(v << up >> up);
}

/* Product of 64-bit unsigned values does not fit a signed 128-bit one, but
 * its bits do. */
static wide product(wide a, wide b)
{
    return (wide)((unsigned __int128)a * (unsigned __int128)b);
}

static wide divide(const hw_form *f, wide a, wide b)
{
    /* Left open by the manual; the code of NVIDIA's compiler gives this. */
    if (b == 0)
        return f->op == DIV || hw_bits(f->type) > 16 ? -1 : a;
    if (f->op == DIV)
        return a / b;
    return a % b;
}

static wide saturate(wide v)
{
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
}

/* The upper half; of unsigned products too. */
static wide upper(hw_type t, wide v)
{
    unsigned bits = hw_bits(t);

    if (hw_signed(t))
        return v >> bits;
    return (wide)((unsigned __int128)v >> bits);
}

static uint64_t int_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    hw_type t = f->type;
    wide a = value(t, in->v[0][i]), b = value(t, in->v[1][i]), r = 0;
    wide c = f->s[2] ? value(f->s[2], in->v[2][i]) : 0;

    switch (f->op) {
    case ADD:
        r = a + b;
        break;
    case SUB:
        r = a - b;
        break;
    case MUL_LO:
    case MUL_WIDE:
        r = product(a, b);
        break;
    case MUL_HI:
        r = upper(t, product(a, b));
        break;
    case MAD_LO:
    case MAD_WIDE:
        r = (wide)((unsigned __int128)product(a, b) + (unsigned __int128)c);
        break;
    case MAD_HI:
        r = upper(t, product(a, b)) + c;
        break;
    case DIV:
    case REM:
        r = divide(f, a, b);
        break;
    case MIN:
        r = a < b ? a : b;
        break;
    case MAX:
        r = a > b ? a : b;
        break;
    case SAD:
        r = c + (a < b ? b - a : a - b);
        break;
    case ABS:
        r = a < 0 ? -a : a;
        break;
    default:
        r = -a;
    }
    return low((uint64_t)(f->sat ? saturate(r) : r), hw_bits(f->d));
}

static hw_type twice(hw_type t)
{
    switch (t) {
    case HW_U16:
        return HW_U32;
    case HW_S16:
        return HW_S32;
    case HW_U32:
        return HW_U64;
    case HW_NONE:
    case HW_U8:
    case HW_S8:
    case HW_S32:
    case HW_U64:
    case HW_S64:
    case HW_F16:
    case HW_BF16:
    case HW_F32:
    case HW_F64:
    case HW_F16X2:
    case HW_BF16X2:
    case HW_AMOUNT:
    case HW_TYPES:
        break;
    }
    return HW_S64;
}

static void add_plain(hw_list *l, int op, hw_type t, bool sat)
{
    bool is_wide = op == MUL_WIDE || op == MAD_WIDE;
    hw_type d = is_wide ? twice(t) : t;
    hw_form *f = hw_list_add(l, "integer arithmetic", int_ref, d, t,
                             ops[op].operands > 1 ? t : HW_NONE,
                             ops[op].operands > 2 ? d : HW_NONE);

    f->op = op;
    f->type = t;
    f->sat = sat;
    hw_name(f, "%s%s.%s", ops[op].text, sat ? ".sat" : "", hw_type_text(t));
}

/* ---- 24-bit products, sums of products ---- */

static uint64_t mul24_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    bool is_signed = hw_signed(f->type);
    int64_t a = (int64_t)(in->v[0][i] << 40), b = (int64_t)(in->v[1][i] << 40);
    wide r = is_signed ? (wide)(a >> 40) * (b >> 40)
                       : (wide)((uint64_t)a >> 40) * ((uint64_t)b >> 40);

    if (f->op == 1) /* .hi: bits 16 to 47 */
        r >>= 16;
    r = is_signed ? (int32_t)r : (wide)(uint32_t)r;
    if (f->s[2])
        r += value(f->type, in->v[2][i]);
    return low((uint64_t)(f->sat ? saturate(r) : r), 32);
}

static void add_24(hw_list *l)
{
    for (int k = 0; k < 9; k++) { /* four of each, and the saturating one */
        hw_type t = k == 8 || k & 1 ? HW_S32 : HW_U32;
        hw_form *f = hw_list_add(l, "24-bit products", mul24_ref, t, t, t,
                                 k >= 4 ? t : HW_NONE);
        f->op = k == 8 || k >> 1 & 1;
        f->sat = k == 8;
        f->type = t;
        hw_name(f, "%s24.%s%s.%s", k >= 4 ? "mad" : "mul", f->op ? "hi" : "lo",
                f->sat ? ".sat" : "", hw_type_text(t));
    }
}

static uint64_t dot_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    bool sa = f->n & 1, sb = f->n & 2;
    bool two = f->op != 0; /* dp2a, lower (1) or upper (2) bytes of b */
    int64_t sum = 0;

    for (unsigned k = 0; k < (two ? 2u : 4u); k++) {
        unsigned bits = two ? 16 : 8;
        uint32_t a = (uint32_t)(in->v[0][i] >> k * bits);
        uint32_t b = (uint32_t)(in->v[1][i] >> (f->op == 2 ? 16 : 0) >> k * 8);
        int64_t va = two ? (sa ? (int16_t)a : (int64_t)(uint16_t)a)
                         : (sa ? (int8_t)a : (int64_t)(uint8_t)a);
        int64_t vb = sb ? (int8_t)b : (int64_t)(uint8_t)b;
        sum += va * vb;
    }
    return (uint32_t)(sum + (int64_t)in->v[2][i]);
}

static void add_dot(hw_list *l)
{
    static const char *const text[] = {"dp4a", "dp2a.lo", "dp2a.hi"};

    for (int op = 0; op < 3; op++)
        for (int n = 0; n < 4; n++) {
            hw_form *f = hw_list_add(l, "sums of products", dot_ref, HW_U32,
                                     HW_U32, HW_U32, HW_U32);
            f->op = op;
            f->n = n;
            hw_name(f, "%s.%s.%s", text[op], n & 1 ? "s32" : "u32",
                    n & 2 ? "s32" : "u32");
        }
}

/* ---- carried chains: the flag comes out in the result ---- */

enum { ADDC, SUBC, MADC };

/* a, b: one word; the second step adds c and the carry. The result holds
 * both words, mixed if they have 64 bits. */
static uint64_t carry_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    unsigned bits = (unsigned)f->n;
    unsigned __int128 a = in->v[0][i], b = in->v[1][i], c = in->v[2][i];
    unsigned __int128 first, second;
    unsigned __int128 all = bits == 64 ? ~(uint64_t)0 : 0xffffffffu;

    if (f->op == ADDC) {
        first = a + b;
        second = c + a + (first >> bits & 1);
    } else if (f->op == SUBC) {
        first = a - b;
        second = c - a - (a < b);
    } else {
        first = (a * b & all) + c;
        second = (a * b >> bits) + c + (first >> bits & 1);
    }
    if (bits == 32)
        return (uint64_t)((first & all) | (second & all) << 32);
    return (uint64_t)(first ^ (second & all) * 3);
}

static void add_carry(hw_list *l)
{
    static const char *const name[] = {"add.cc, addc", "sub.cc, subc",
                                       "mad.lo.cc, madc.hi"};
    static const char *const text[] = {
        "add.cc.%s x, $a, $b; addc.%s y, $c, $a;",
        "sub.cc.%s x, $a, $b; subc.%s y, $c, $a;",
        "mad.lo.cc.%s x, $a, $b, $c; madc.hi.%s y, $a, $b, $c;"};

    for (int op = 0; op < 3; op++)
        for (int k = 0; k < 4; k++) {
            static const hw_type types[] = {HW_U32, HW_S32, HW_U64, HW_S64};
            hw_type t = types[k];
            const char *tt = hw_type_text(t);
            char mid[160];
            if (op == MADC && hw_signed(t)) /* the high half differs */
                continue;
            hw_form *f =
                hw_list_add(l, "carried chains", carry_ref, HW_U64, t, t, t);
            f->op = op;
            f->n = (int)hw_bits(t);
            hw_name(f, "%s.%s", name[op], tt);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(mid, sizeof mid, text[op], tt, tt);
#pragma GCC diagnostic pop
            hw_text(f, "{.reg .b%d x, y; %s %s}", f->n, mid,
                    f->n == 32 ? "mov.b64 $d, {x, y};"
                               : "mad.lo.u64 y, y, 3, 0; xor.b64 $d, x, y;");
        }
}

/* ---- four bytes at a time ---- */

static uint64_t absdiff_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint32_t r = 0, sum = 0;

    for (unsigned k = 0; k < 32; k += 8) {
        int a = (uint8_t)(in->v[0][i] >> k), b = (uint8_t)(in->v[1][i] >> k);
        if (f->n & 1) {
            a = (int8_t)a;
            b = (int8_t)b;
        }
        uint32_t d = (uint32_t)(a < b ? b - a : a - b);
        r |= (d & 0xff) << k;
        sum += d;
    }
    return f->op ? sum + (uint32_t)in->v[2][i] : r;
}

static void add_absdiff(hw_list *l)
{
    for (int k = 0; k < 2; k++) {
        hw_form *f = hw_list_add(l, "four bytes at a time", absdiff_ref, HW_U32,
                                 HW_U32, HW_U32, HW_U32);
        const char *t = k ? "s32" : "u32";
        f->n = k;
        f->op = 1;
        hw_name(f, "vabsdiff4.u32.%s.%s.add", t, t);
    }
}

void hw_forms_int(hw_list *l)
{
    for (int op = ADD; op <= NEG; op++)
        for (unsigned k = 0; k < 6; k++) {
            hw_type t = all_types[k];
            bool is_wide = op == MUL_WIDE || op == MAD_WIDE;
            if ((op >= ABS && !hw_signed(t)) || (is_wide && hw_bits(t) == 64))
                continue;
            add_plain(l, op, t, false);
        }
    add_plain(l, ADD, HW_S32, true);
    add_plain(l, SUB, HW_S32, true);
    hw_form *f = hw_list_add(l, "integer arithmetic", int_ref, HW_S32, HW_S32,
                             HW_S32, HW_S32);
    f->op = MAD_HI;
    f->type = HW_S32;
    f->sat = true;
    hw_name(f, "mad.hi.sat.s32");
    add_24(l);
    add_dot(l);
    add_carry(l);
    add_absdiff(l);
}
