/* tests/hardware/forms_bits.c - shifts, fields and bit counts [PTX85:and]
 * and following. */
#include "form.h"

static uint64_t low(uint64_t v, unsigned bits)
{
    return bits >= 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

static int64_t sign_extend(uint64_t v, unsigned bits)
{
    return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

/* ---- logic ---- */

enum { AND, OR, XOR, NOT, CNOT };

static uint64_t logic_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint64_t a = in->v[0][i], b = in->v[1][i];

    switch (f->op) {
    case AND:
        return a & b;
    case OR:
        return a | b;
    case XOR:
        return a ^ b;
    case NOT:
        return low(~a, hw_bits(f->d));
    default:
        return a == 0;
    }
}

static uint64_t lop3_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint32_t d = 0;

    for (unsigned k = 0; k < 32; k++) {
        unsigned a = in->v[0][i] >> k & 1, b = in->v[1][i] >> k & 1;
        unsigned c = in->v[2][i] >> k & 1;
        d |= ((unsigned)f->n >> (4 * a + 2 * b + c) & 1) << k;
    }
    return d;
}

static void add_logic(hw_list *l)
{
    static const char *const text[] = {"and", "or", "xor", "not", "cnot"};
    static const hw_type types[] = {HW_U16, HW_U32, HW_U64};
    static const int luts[] = {0x00, 0x01, 0x17, 0x1a, 0x3c, 0x6a, 0x80,
                               0x96, 0xb8, 0xca, 0xd2, 0xe8, 0xfe, 0xff};

    for (int op = AND; op <= CNOT; op++)
        for (unsigned k = 0; k < 3; k++) {
            hw_type t = types[k];
            hw_form *f = hw_list_add(l, "logic", logic_ref, t, t,
                                     op < NOT ? t : HW_NONE, HW_NONE);
            f->op = op;
            hw_name(f, "%s.b%u", text[op], hw_bits(t));
        }
    for (unsigned k = 0; k < sizeof luts / sizeof luts[0]; k++) {
        hw_form *f =
            hw_list_add(l, "logic", lop3_ref, HW_U32, HW_U32, HW_U32, HW_U32);
        f->n = luts[k];
        hw_name(f, "lop3.b32 0x%02x", luts[k]);
        hw_text(f, "lop3.b32 $d, $a, $b, $c, 0x%02x;", luts[k]);
    }
}

/* ---- shifts ---- */

static uint64_t shift_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    unsigned bits = hw_bits(f->type);
    uint64_t a = in->v[0][i];
    uint32_t n = (uint32_t)in->v[1][i];

    if (f->op == 0)
        return n >= bits ? 0 : low(a << n, bits);
    if (!hw_signed(f->type))
        return n >= bits ? 0 : a >> n;
    return low((uint64_t)(sign_extend(a, bits) >> (n >= bits ? bits - 1 : n)),
               bits);
}

static uint64_t funnel_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint64_t v = in->v[0][i] | in->v[1][i] << 32;
    uint32_t n = (uint32_t)in->v[2][i];

    n = f->n ? n & 31 : n > 32 ? 32 : n; /* wrap or clamp */
    return (uint32_t)(f->op ? v >> n : v << n >> 32);
}

static void add_shifts(hw_list *l)
{
    static const hw_type types[] = {HW_U16, HW_S16, HW_U32,
                                    HW_S32, HW_U64, HW_S64};

    for (unsigned k = 0; k < 6; k++)
        for (int right = 0; right < 2; right++) {
            hw_type t = types[k];
            if (!right && hw_signed(t))
                continue;
            hw_form *f =
                hw_list_add(l, "shifts", shift_ref, t, t, HW_AMOUNT, HW_NONE);
            f->op = right;
            f->type = t;
            hw_name(f, right ? "shr.%s" : "shl.b%.2s",
                    right ? hw_type_text(t) : hw_type_text(t) + 1);
        }
    for (int k = 0; k < 4; k++) {
        hw_form *f = hw_list_add(l, "shifts", funnel_ref, HW_U32, HW_U32,
                                 HW_U32, HW_AMOUNT);
        f->op = k & 1;
        f->n = k >> 1;
        hw_name(f, "shf.%s.%s.b32", f->op ? "r" : "l", f->n ? "wrap" : "clamp");
    }
}

/* ---- fields ---- */

static uint64_t bfe_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    unsigned bits = hw_bits(f->type), pos = in->v[1][i] & 0xff;
    unsigned len = in->v[2][i] & 0xff, last = bits - 1, sign = 0;
    uint64_t a = in->v[0][i], d = 0;

    if (hw_signed(f->type) && len)
        sign = a >> (pos + len - 1 < last ? pos + len - 1 : last) & 1;
    for (unsigned k = 0; k < bits; k++) {
        bool inside = k < len && pos + k <= last;
        d |= (inside ? a >> (pos + k) & 1 : sign) << k;
    }
    return d;
}

static uint64_t bfi_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    unsigned bits = hw_bits(f->type), pos = in->v[2][i] & 0xff;
    unsigned len = in->v[2][i] >> 8 & 0xff;
    uint64_t d = in->v[1][i];

    for (unsigned k = 0; k < len && pos + k < bits; k++) {
        uint64_t at = (uint64_t)1 << (pos + k);
        d = (d & ~at) | (in->v[0][i] >> k & 1 ? at : 0);
    }
    return d;
}

static uint64_t mask_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint32_t pos = (uint32_t)in->v[0][i], len = (uint32_t)in->v[1][i];

    if (f->n) { /* wrap */
        pos &= 31;
        len &= 31;
    }
    uint32_t ones = len >= 32 ? ~0u : (1u << len) - 1;
    return pos >= 32 ? 0 : (uint32_t)(ones << pos);
}

static uint64_t szext_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    uint32_t a = (uint32_t)in->v[0][i], n = (uint32_t)in->v[1][i];

    if (f->n)
        n &= 31;
    if (n >= 32)
        return a;
    if (n == 0)
        return 0;
    return hw_signed(f->type) ? (uint32_t)sign_extend(a, n) : low(a, n);
}

static void add_fields(hw_list *l)
{
    static const hw_type types[] = {HW_U32, HW_S32, HW_U64, HW_S64};

    for (unsigned k = 0; k < 4; k++) {
        hw_form *f = hw_list_add(l, "bit fields", bfe_ref, types[k], types[k],
                                 HW_AMOUNT, HW_AMOUNT);
        f->type = types[k];
        hw_name(f, "bfe.%s", hw_type_text(types[k]));
    }
    for (unsigned k = 0; k < 4; k += 2) {
        /* Position and length in one operand, or there would be four. */
        hw_form *f = hw_list_add(l, "bit fields", bfi_ref, types[k], types[k],
                                 types[k], HW_U32);
        f->type = types[k];
        hw_name(f, "bfi.b%u", hw_bits(types[k]));
        hw_text(f,
                "{.reg .b32 x, y; and.b32 x, $c, 255; shr.u32 y, $c, 8; "
                "and.b32 y, y, 255; bfi.b%u $d, $a, $b, x, y;}",
                hw_bits(types[k]));
    }
    for (int wrap = 0; wrap < 2; wrap++) {
        const char *mode = wrap ? "wrap" : "clamp";
        hw_form *f = hw_list_add(l, "bit fields", mask_ref, HW_U32, HW_AMOUNT,
                                 HW_AMOUNT, HW_NONE);
        f->n = wrap;
        hw_name(f, "bmsk.%s.b32", mode);
        for (unsigned k = 0; k < 2; k++) {
            f = hw_list_add(l, "bit fields", szext_ref, types[k], types[k],
                            HW_AMOUNT, HW_NONE);
            f->n = wrap;
            f->type = types[k];
            hw_name(f, "szext.%s.%s", mode, hw_type_text(types[k]));
        }
    }
}

/* ---- counts ---- */

enum { CLZ, POPC, BREV };

static uint64_t count_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    unsigned bits = hw_bits(f->type), n = 0;
    uint64_t a = in->v[0][i], r = 0;

    if (f->op == CLZ) {
        while (n < bits && !(a >> (bits - 1 - n) & 1))
            n++;
        return n;
    }
    for (unsigned k = 0; k < bits; k++) {
        n += a >> k & 1;
        r |= (a >> k & 1) << (bits - 1 - k);
    }
    return f->op == POPC ? n : r;
}

/* Place of the highest bit that differs from the sign. */
static uint64_t bfind_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    unsigned bits = hw_bits(f->type), n = bits;
    uint64_t a = in->v[0][i];

    if (hw_signed(f->type) && a >> (bits - 1))
        a = low(~a, bits);
    while (n && !(a >> (n - 1) & 1))
        n--;
    if (!n)
        return 0xffffffff;
    return f->n ? bits - n : n - 1;
}

static void add_counts(hw_list *l)
{
    static const char *const text[] = {"clz", "popc", "brev"};
    static const hw_type types[] = {HW_U32, HW_U64, HW_S32, HW_S64};

    for (int op = CLZ; op <= BREV; op++)
        for (unsigned k = 0; k < 2; k++) {
            hw_form *f = hw_list_add(l, "bit counts", count_ref,
                                     op == BREV ? types[k] : HW_U32, types[k],
                                     HW_NONE, HW_NONE);
            f->op = op;
            f->type = types[k];
            hw_name(f, "%s.b%u", text[op], hw_bits(types[k]));
        }
    for (unsigned k = 0; k < 8; k++) {
        hw_form *f = hw_list_add(l, "bit counts", bfind_ref, HW_U32,
                                 types[k / 2], HW_NONE, HW_NONE);
        f->n = k & 1;
        f->type = types[k / 2];
        hw_name(f, "bfind%s.%s", f->n ? ".shiftamt" : "",
                hw_type_text(f->type));
    }
}

/* ---- bytes ---- */

static uint64_t prmt_ref(const hw_form *f, const hw_input *in, unsigned i)
{
    /* Which byte each place takes, by the two bits of the selector. */
    static const uint8_t table[6][4][4] = {
        {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}, /* f4e */
        {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}, /* b4e */
        {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}, /* rc8 */
        {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}, /* ecl */
        {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}, /* ecr */
        {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}, /* rc16 */
    };
    uint64_t v = in->v[0][i] | in->v[1][i] << 32;
    uint32_t c = (uint32_t)in->v[2][i], d = 0;

    for (unsigned k = 0; k < 4; k++) {
        unsigned pick = c >> 4 * k & 15;
        if (f->n)
            pick = table[f->n - 1][c & 3][k];
        uint32_t byte = (uint32_t)(v >> 8 * (pick & 7)) & 0xff;
        if (pick & 8)
            byte = byte & 0x80 ? 0xff : 0;
        d |= byte << 8 * k;
    }
    return d;
}

static void add_prmt(hw_list *l)
{
    static const char *const mode[] = {"",     ".f4e", ".b4e", ".rc8",
                                       ".ecl", ".ecr", ".rc16"};

    for (int n = 0; n < 7; n++) {
        hw_form *f =
            hw_list_add(l, "bytes", prmt_ref, HW_U32, HW_U32, HW_U32, HW_U32);
        f->n = n;
        hw_name(f, "prmt.b32%s", mode[n]);
    }
}

void hw_forms_bits(hw_list *l)
{
    add_logic(l);
    add_shifts(l);
    add_fields(l);
    add_counts(l);
    add_prmt(l);
}
