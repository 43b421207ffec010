/* src/exec/atom.c */
#include "exec/atom.h"

#include <string.h>

#include "base/bits.h"
#include "exec/exec.h"
#include "exec/half.h"
#include "mem/touched.h"

unsigned exec_atom_bytes(unsigned type)
{
    switch (type) {
    case ATYPE_U64:
    case ATYPE_S64:
    case ATYPE_F64:
        return 8;
    case ATYPE_F16:
    case ATYPE_BF16:
        return 2;
    case ATYPE_B128:
        return 16;
    default:
        return 4;
    }
}

static uint32_t flushed(uint32_t u)
{
    return u & 0x7f800000 ? u : u & 0x80000000;
}

static uint32_t add_f32(uint32_t x, uint32_t y, bool flush)
{
    float a, b;
    uint32_t r;

    x = flush ? flushed(x) : x;
    y = flush ? flushed(y) : y;
    memcpy(&a, &x, 4);
    memcpy(&b, &y, 4);
    a += b;
    if (a != a)
        return 0x7fffffff;
    memcpy(&r, &a, 4);
    return flush ? flushed(r) : r;
}

static uint64_t add_f64(uint64_t x, uint64_t y)
{
    double a, b;

    memcpy(&a, &x, 8);
    memcpy(&b, &y, 8);
    if (a != a || b != b)
        return (a != a ? x : y) | (uint64_t)1 << 51;
    a += b;
    if (a != a)
        return 0xfff8000000000000; /* as sem_f64.c */
    memcpy(&x, &a, 8);
    return x;
}

static uint64_t atomic_add(unsigned type, uint64_t x, uint64_t y, bool flush)
{
    uint32_t u = (uint32_t)x, v = (uint32_t)y;

    switch (type) {
    case ATYPE_F32:
        return add_f32(u, v, flush);
    case ATYPE_F64:
        return add_f64(x, y);
    case ATYPE_F16:
        return half_add((uint16_t)u, (uint16_t)v, HFMT_F16);
    case ATYPE_BF16:
        return half_add((uint16_t)u, (uint16_t)v, HFMT_BF16);
    case ATYPE_F16X2:
        return half_add2(u, v, HFMT_F16);
    case ATYPE_BF16X2:
        return half_add2(u, v, HFMT_BF16);
    default:
        return x + y;
    }
}

/* An integer with the same order as the value. */
static uint64_t order_key(unsigned type, uint64_t v)
{
    uint64_t top = (uint64_t)1 << (8 * exec_atom_bytes(type) - 1);

    switch (type) {
    case ATYPE_S32:
    case ATYPE_S64:
        return v ^ top;
    case ATYPE_F32:
    case ATYPE_F64:
        return v & top ? ~v & (top | (top - 1)) : v | top;
    default:
        return v;
    }
}

/* The word after arrivals, their number in the lower half of `by`, and with
 * more bytes due, as many as the upper half says, signed. When nothing is due
 * any more a new phase starts, in which those that `drop` are not expected. */
static uint64_t exec_arrive(uint64_t word, uint64_t by, bool drop)
{
    uint64_t mask = bits_mask64(ARRIVE_BITS);
    uint64_t most = bits_mask64(ARRIVE_BYTES_BITS);
    uint64_t want = word >> ARRIVE_EXPECTED & mask; /* negated, as is `due` */
    uint64_t due = ((word >> ARRIVE_DUE) + by) & mask;
    uint64_t bytes = ((word >> ARRIVE_BYTES) + (by >> 32)) & most;
    uint64_t phase = word >> ARRIVE_PHASE;

    want = drop ? (want + by) & mask : want;
    if (!due && !bytes) {
        phase ^= 1;
        due = want;
    }
    return want << ARRIVE_EXPECTED | bytes << ARRIVE_BYTES | due << ARRIVE_DUE |
           phase << ARRIVE_PHASE;
}

/* Ampere's: what is due overflows into the phase. */
static uint64_t exec_arrive80(uint64_t word, uint64_t by)
{
    uint32_t want = (uint32_t)word, high = (uint32_t)(word >> 32);
    uint32_t phase = high >> 31,
             due = (high + (uint32_t)by) & (uint32_t)bits_mask64(31);

    if (!due) {
        phase ^= 1;
        due = (want & (uint32_t)bits_mask64(ARRIVE_OLD_BITS)) |
              1u << ARRIVE_OLD_BITS;
    }
    return want | (uint64_t)(due | phase << 31) << 32;
}

/* min and max of halves; a NaN loses against a number [PTX85:min]. */
static uint32_t limit_half(bool brain, bool max, uint32_t x, uint32_t y)
{
    uint32_t inf = brain ? 0x7f80 : 0x7c00;
    bool nan_x = (x & 0x7fff) > inf, nan_y = (y & 0x7fff) > inf, less;

    if (nan_x || nan_y)
        return nan_x && nan_y ? HALF_NAN : nan_x ? y : x;
    less = (x & 0x8000 ? ~x & 0xffff : x | 0x8000) <
           (y & 0x8000 ? ~y & 0xffff : y | 0x8000);
    return less != max ? x : y;
}

static uint64_t atomic_min_max(unsigned op, unsigned type, uint64_t old,
                               uint64_t a)
{
    bool max = op == ATOM_MAX;
    bool brain = type == ATYPE_BF16 || type == ATYPE_BF16X2;
    uint32_t u = (uint32_t)old, v = (uint32_t)a;

    switch (type) {
    case ATYPE_F16:
    case ATYPE_BF16:
        return limit_half(brain, max, u, v);
    case ATYPE_F16X2:
    case ATYPE_BF16X2:
        return limit_half(brain, max, u & 0xffff, v & 0xffff) |
               limit_half(brain, max, u >> 16, v >> 16) << 16;
    default:
        return (order_key(type, a) < order_key(type, old)) != max ? a : old;
    }
}

static uint64_t atomic_result(unsigned op, unsigned type, uint64_t old,
                              uint64_t a, uint64_t b, bool flush)
{
    switch (op) {
    case ATOM_ADD:
        return atomic_add(type, old, a, flush);
    case ATOM_MIN:
    case ATOM_MAX:
        return atomic_min_max(op, type, old, a);
    case ATOM_INC:
        return old >= a ? 0 : old + 1;
    case ATOM_DEC:
        return old == 0 || old > a ? a : old - 1;
    case ATOM_POPC_INC:
        return old + 1;
    case ATOM_AND:
        return old & a;
    case ATOM_OR:
        return old | a;
    case ATOM_XOR:
        return old ^ a;
    case ATOM_CAS:
    case ATOM_CAST:
        return old == a ? b : old;
    case ATOM_ARRIVE:
    case ATOM_DROP:
        return exec_arrive(old, a, op == ATOM_DROP);
    case ATOM_ARRIVE80:
        return exec_arrive80(old, a);
    default:
        return a;
    }
}

uint64_t exec_atom_apply(unsigned op, unsigned type, uint64_t old, uint64_t a,
                         uint64_t b, bool flush)
{
    uint64_t keep = bits_mask64(8 * exec_atom_bytes(type));

    return atomic_result(op, type, old & keep, a & keep, b & keep, flush) &
           keep;
}

static uint64_t atomic_operand(const uint32_t (*data)[ISA_WARP], unsigned lane,
                               unsigned bytes)
{
    return data[0][lane] | (bytes >= 8 ? (uint64_t)data[1][lane] << 32 : 0);
}

void exec_atom_pack(const exec_mem *m, uint32_t mask, mem_atom *a)
{
    a->op = (uint8_t)ISA_GET(m->in, ATOMOP);
    a->type = (uint8_t)ISA_GET(m->in, ATYPE);
    a->lanes = mask;
    a->silent = false;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        a->addr[l] = m->addr[l];
        a->a[l] = atomic_operand(m->data, l, m->size);
        a->b[l] = isa_atom_compares(a->op)
                      ? atomic_operand(m->data + 4, l, m->size)
                      : 0;
        if (m->size == 16) {
            a->upper[0][l] = atomic_operand(m->data + 2, l, 8);
            a->upper[1][l] = atomic_operand(m->data + 6, l, 8);
        }
    }
}

/* 128 bits are exchanged as a whole or not at all. */
static void lane128(mem_atom *a, unsigned l, const uint8_t was[16],
                    uint8_t now[16])
{
    bool cas = a->op == ATOM_CAS, equal;

    memcpy(&a->old[l], was, 8);
    memcpy(&a->upper[2][l], was + 8, 8);
    equal = a->old[l] == a->a[l] && a->upper[2][l] == a->upper[0][l];
    memcpy(now, was, 16);
    if (cas && !equal)
        return;
    memcpy(now, cas ? &a->b[l] : &a->a[l], 8);
    memcpy(now + 8, &a->upper[cas][l], 8);
}

void exec_atom_lane(mem_atom *a, unsigned l, const uint8_t was[16],
                    uint8_t now[16], bool flush)
{
    unsigned bytes = exec_atom_bytes(a->type);
    uint64_t v = 0;

    if (bytes == 16) {
        lane128(a, l, was, now);
        return;
    }
    exec_atom_copy(&v, was, bytes);
    a->old[l] = v;
    v = exec_atom_apply(a->op, a->type, v, a->a[l], a->b[l], flush);
    exec_atom_copy(now, &v, bytes);
    if (a->op == ATOM_CAST)
        a->old[l] = a->old[l] == a->a[l];
}

/* Without a log. */
static void perform_direct(mem_atom *a, unsigned bytes, uint8_t *image)
{
    for (uint32_t left = a->lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);
        uint8_t *at = image + (a->addr[l] - MEM_BASE), now[16];

        exec_atom_lane(a, l, at, now, true);
        a->changed |= (uint32_t)(memcmp(at, now, bytes) != 0) << l;
        exec_atom_copy(at, now, bytes);
    }
}

void exec_atom_perform(mem_atom *a, mem_view *view)
{
    unsigned bytes = exec_atom_bytes(a->type);
    mem_touched *t = mem_view_touched(view);

    a->changed = 0;
    if (a->silent)
        return;
    if (mem_view_direct(view)) {
        perform_direct(a, bytes, mem_host(mem_view_image(view), MEM_BASE));
        for (uint32_t left = a->changed; t && left; left &= left - 1)
            mem_touch(t, a->addr[bits_ctz32(left)], bytes);
        return;
    }
    for (uint32_t left = a->lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);
        uint8_t was[16], now[16];

        mem_view_read(view, a->addr[l], was, bytes);
        exec_atom_lane(a, l, was, now, true);
        if (memcmp(was, now, bytes)) {
            mem_view_write(view, a->addr[l], now, bytes);
            a->changed |= 1u << l;
        }
    }
}

void exec_atom_unpack(exec_warp *w, const isa_inst *in, const mem_atom *a)
{
    unsigned bytes = exec_atom_bytes(a->type);

    if (in->dst == ISA_RZ)
        return;
    for (uint32_t left = a->lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        w->reg[in->dst][l] = (uint32_t)a->old[l];
        if (bytes >= 8)
            w->reg[in->dst + 1][l] = (uint32_t)(a->old[l] >> 32);
        if (bytes == 16) {
            w->reg[in->dst + 2][l] = (uint32_t)a->upper[2][l];
            w->reg[in->dst + 3][l] = (uint32_t)(a->upper[2][l] >> 32);
        }
    }
}
