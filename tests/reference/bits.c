/* tests/reference/bits.c - logic, shifts, bit fields and bytes [PTX85:and] to
 * [PTX85:prmt], moves [PTX85:mov]. Bit fields go bit by bit, as the manual's
 * pseudocode does. */
#include "reference/state.h"

/* ---- logic ---- */

static uint64_t combine(ptx_op op, uint64_t a, uint64_t b)
{
    if (op == PTX_AND)
        return a & b;
    if (op == PTX_OR)
        return a | b;
    if (op == PTX_XOR)
        return a ^ b;
    if (op == PTX_NOT)
        return ~a;
    return a == 0;
}

void ref_logic(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    bool two = in->nops > 2;

    if (type == PTX_TYPE_PRED) {
        bool p = ref_get_pred(t, &in->ops[1]);
        bool q = two && ref_get_pred(t, &in->ops[2]);
        ref_put_pred(t, &in->ops[0], combine(in->op, p, q) & 1);
        return;
    }
    uint64_t a = ref_get(t, &in->ops[1], type);
    uint64_t b = two ? ref_get(t, &in->ops[2], type) : 0;
    ref_put(t, &in->ops[0], type, combine(in->op, a, b));
}

void ref_lop3(ref_thread *t, const ptx_inst *in)
{
    uint32_t a = ref_get_u32(t, &in->ops[1]), b = ref_get_u32(t, &in->ops[2]);
    uint32_t c = ref_get_u32(t, &in->ops[3]), d = 0;
    const ptx_operand *p = ref_part(&in->ops[0], 1);

    for (unsigned k = 0; k < 32; k++) {
        unsigned row = (a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1);
        d |= (uint32_t)(in->ops[4].imm >> row & 1) << k;
    }
    if (p) {
        bool q = ref_get_pred(t, &in->ops[5]);
        ref_put_pred(t, p,
                     in->boolop == PTX_BOOL_OR ? d != 0 || q : d != 0 && q);
    }
    ref_put(t, ref_part(&in->ops[0], 0), PTX_TYPE_B32, d);
}

/* ---- shifts: amounts beyond the width clamp ---- */

void ref_shift(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    unsigned bits = ptx_type_bits(type);
    ref_int a = ref_get_int(t, &in->ops[1], type);
    uint32_t n = ref_get_u32(t, &in->ops[2]);

    if (n > bits)
        n = bits;
    ref_put(t, &in->ops[0], type,
            in->op == PTX_SHL ? (uint64_t)((ref_bits)a << n)
                              : (uint64_t)(a >> n));
}

void ref_shf(ref_thread *t, const ptx_inst *in)
{
    uint64_t low = ref_get_u32(t, &in->ops[1]);
    ref_bits v = (ref_bits)ref_get_u32(t, &in->ops[2]) << 32 | low;
    uint32_t n = ref_get_u32(t, &in->ops[3]);

    if (ptx_has_sub(in, PTX_SUB_WRAP))
        n &= 31;
    else if (n > 32)
        n = 32;
    v = ptx_has_sub(in, PTX_SUB_L) ? v << n >> 32 : v >> n;
    ref_put(t, &in->ops[0], PTX_TYPE_B32, (uint64_t)v);
}

/* ---- bit fields ---- */

void ref_bfe(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    unsigned bits = ptx_type_bits(type);
    uint64_t a = ref_get(t, &in->ops[1], type), d = 0, fill = 0;
    unsigned pos = ref_get_u32(t, &in->ops[2]) & 0xff;
    unsigned len = ref_get_u32(t, &in->ops[3]) & 0xff;

    if (ref_is_signed(type) && len) {
        unsigned top = pos + len - 1;
        fill = a >> (top < bits ? top : bits - 1) & 1;
    }
    for (unsigned k = 0; k < bits; k++) {
        bool inside = k < len && pos + k < bits;
        d |= (inside ? a >> (pos + k) & 1 : fill) << k;
    }
    ref_put(t, &in->ops[0], type, d);
}

void ref_bfi(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    unsigned bits = ptx_type_bits(type);
    uint64_t a = ref_get(t, &in->ops[1], type);
    uint64_t d = ref_get(t, &in->ops[2], type);
    unsigned pos = ref_get_u32(t, &in->ops[3]) & 0xff;
    unsigned len = ref_get_u32(t, &in->ops[4]) & 0xff;

    for (unsigned k = 0; k < len && pos + k < bits; k++) {
        d &= ~((uint64_t)1 << (pos + k));
        d |= (a >> k & 1) << (pos + k);
    }
    ref_put(t, &in->ops[0], type, d);
}

void ref_bmsk(ref_thread *t, const ptx_inst *in)
{
    uint32_t pos = ref_get_u32(t, &in->ops[1]);
    uint32_t len = ref_get_u32(t, &in->ops[2]), d = 0;

    if (ptx_has_sub(in, PTX_SUB_WRAP)) {
        pos &= 31;
        len &= 31;
    }
    for (uint64_t k = 0; k < len && pos + k < 32; k++)
        d |= (uint32_t)1 << (pos + k);
    ref_put(t, &in->ops[0], PTX_TYPE_B32, d);
}

void ref_szext(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    uint32_t a = ref_get_u32(t, &in->ops[1]);
    uint32_t n = ref_get_u32(t, &in->ops[2]);

    if (ptx_has_sub(in, PTX_SUB_WRAP))
        n &= 31;
    if (n < 32) {
        uint32_t above = ~(uint32_t)0 << n;
        bool minus = n && ref_is_signed(type) && a >> (n - 1) & 1;
        a = minus ? a | above : a & ~above;
    }
    ref_put(t, &in->ops[0], type, a);
}

/* ---- counting and finding ---- */

void ref_count(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    unsigned bits = ptx_type_bits(type), ones = 0, zeros = 0;
    uint64_t a = ref_get(t, &in->ops[1], type), turned = 0;

    for (unsigned k = 0; k < bits; k++) {
        bool one = a >> k & 1;
        ones += one;
        zeros = one ? 0 : zeros + 1; /* above the highest one */
        turned |= (uint64_t)one << (bits - 1 - k);
    }
    if (in->op == PTX_BREV)
        ref_put(t, &in->ops[0], type, turned);
    else
        ref_put(t, &in->ops[0], PTX_TYPE_U32, in->op == PTX_CLZ ? zeros : ones);
}

void ref_bfind(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    unsigned top = ptx_type_bits(type) - 1;
    ref_int a = ref_get_int(t, &in->ops[1], type);
    uint32_t d = UINT32_MAX;

    if (a < 0)
        a = ~a;
    for (unsigned k = 0; k <= top; k++)
        if (a >> k & 1)
            d = k;
    if (ptx_has(in, PTX_FLAG_SHIFTAMT) && d != UINT32_MAX)
        d = top - d;
    ref_put(t, &in->ops[0], PTX_TYPE_U32, d);
}

/* The offset-th one from `base` upwards, or downwards if it is negative. */
void ref_fns(ref_thread *t, const ptx_inst *in)
{
    uint32_t mask = ref_get_u32(t, &in->ops[1]), d = UINT32_MAX;
    uint32_t base = ref_get_u32(t, &in->ops[2]);
    int32_t offset = (int32_t)ref_get_u32(t, &in->ops[3]), found = 0;

    if (base < 32 && offset == 0 && mask >> base & 1)
        d = base;
    int step = offset < 0 ? -1 : 1;
    for (int k = base < 32 ? (int)base : -1; offset && k >= 0 && k < 32;
         k += step)
        if (mask >> k & 1 && (found += step) == offset) {
            d = (uint32_t)k;
            break;
        }
    ref_put(t, &in->ops[0], PTX_TYPE_B32, d);
}

/* ---- bytes ---- */

/* Byte of a and b that place `k` takes in a mode, by the low two bits of c. */
static unsigned pick_by_mode(const ptx_inst *in, unsigned c, unsigned k)
{
    if (ptx_has_sub(in, PTX_SUB_F4E))
        return c + k;
    if (ptx_has_sub(in, PTX_SUB_B4E))
        return (c - k) & 7;
    if (ptx_has_sub(in, PTX_SUB_RC8))
        return c;
    if (ptx_has_sub(in, PTX_SUB_ECL))
        return k > c ? k : c;
    if (ptx_has_sub(in, PTX_SUB_ECR))
        return k < c ? k : c;
    return (c & 1) * 2 + (k & 1); /* rc16 */
}

void ref_prmt(ref_thread *t, const ptx_inst *in)
{
    uint64_t v = ref_get_u32(t, &in->ops[1]);
    uint32_t c = ref_get_u32(t, &in->ops[3]), d = 0;

    v |= (uint64_t)ref_get_u32(t, &in->ops[2]) << 32;
    for (unsigned k = 0; k < 4; k++) {
        unsigned pick = in->nsubs ? pick_by_mode(in, c & 3, k) : c >> 4 * k;
        uint32_t byte = (uint32_t)(v >> 8 * (pick & 7)) & 0xff;
        if (!in->nsubs && pick & 8)
            byte = byte & 0x80 ? 0xff : 0;
        d |= byte << 8 * k;
    }
    ref_put(t, &in->ops[0], PTX_TYPE_B32, d);
}

/* ---- moves, packing, unpacking ---- */

static ptx_type bits_type(unsigned bits)
{
    return bits == 8    ? PTX_TYPE_B8
           : bits == 16 ? PTX_TYPE_B16
           : bits == 32 ? PTX_TYPE_B32
                        : PTX_TYPE_B64;
}

void ref_mov(ref_thread *t, const ptx_inst *in)
{
    const ptx_operand *d = &in->ops[0], *a = &in->ops[1];
    ptx_type type = ref_type(in, 0);
    unsigned bits = ptx_type_bits(type);
    ref_bits v = 0;

    if (type == PTX_TYPE_PRED) {
        ref_put_pred(t, d, ref_get_pred(t, a));
        return;
    }
    if (a->kind == PTX_OPD_SREG && d->kind == PTX_OPD_VEC) { /* of all parts */
        for (unsigned k = 0; k < d->nelems; k++) {
            ptx_operand one = *a;
            one.sel = (uint8_t)k;
            ref_put_all(t, &d->elems[k], ref_get_all(t, &one, type));
        }
        return;
    }
    if (a->kind == PTX_OPD_VEC && d->kind == PTX_OPD_VEC) { /* mov.v2 */
        for (unsigned k = 0; k < a->nelems; k++)
            ref_put_all(t, &d->elems[k], ref_get_all(t, &a->elems[k], type));
        return;
    }
    if (a->kind == PTX_OPD_VEC) {
        unsigned part = bits / a->nelems;
        for (unsigned k = 0; k < a->nelems; k++)
            v |= (ref_bits)ref_get(t, &a->elems[k], bits_type(part))
                 << part * k;
    } else {
        v = ref_get_all(t, a, type);
    }
    if (d->kind == PTX_OPD_VEC) {
        unsigned part = bits / d->nelems;
        for (unsigned k = 0; k < d->nelems; k++)
            ref_put(t, &d->elems[k], bits_type(part),
                    (uint64_t)(v >> part * k) & ref_mask(part));
        return;
    }
    ref_put_all(t, d, v);
}
