/* tests/reference/atomic.c - atom and red [PTX85:atom]. Threads run one at a
 * time, so nothing comes between the read and the write. */
#include <string.h>

#include "reference/state.h"

static unsigned operation(const ptx_inst *in)
{
    static const uint8_t known[] = {
        PTX_SUB_ADD, PTX_SUB_MIN, PTX_SUB_MAX, PTX_SUB_INC,  PTX_SUB_DEC,
        PTX_SUB_AND, PTX_SUB_OR,  PTX_SUB_XOR, PTX_SUB_EXCH, PTX_SUB_CAS};

    for (unsigned k = 0; k < sizeof known; k++)
        if (ptx_has_sub(in, (ptx_sub)known[k]))
            return known[k];
    return PTX_SUB_NONE;
}

static bool less(ptx_type t, uint64_t a, uint64_t b)
{
    return ref_value(t, a) < ref_value(t, b);
}

/* The lesser or greater of two floats; a NaN loses. */
static uint64_t extreme(ptx_type t, bool greater, uint64_t a, uint64_t b)
{
    hw_type f = ref_float(t);
    unsigned bits = hw_bits(f);
    uint64_t d = 0;

    for (unsigned k = 0; k < ptx_type_bits(t); k += bits) {
        hw_number x = hw_unpack(f, a >> k, false), y, r;
        y = hw_unpack(f, b >> k, false);
        if (x.kind == HW_NOT || y.kind == HW_NOT) {
            r = x.kind == HW_NOT ? y : x;
        } else {
            int order = hw_order(x, y);
            if (order == 0)
                order = (int)y.minus - (int)x.minus;
            r = (order < 0) == greater ? y : x;
        }
        d |= hw_pack(f, r, HW_RN, false, false) << k;
    }
    return d;
}

static uint64_t on_floats(unsigned op, ptx_type t, bool ftz, uint64_t a,
                          uint64_t b)
{
    return op == PTX_SUB_ADD ? ref_sum(t, a, b, ftz)
                             : extreme(t, op == PTX_SUB_MAX, a, b);
}

static uint64_t apply(unsigned op, ptx_type t, uint64_t a, uint64_t b,
                      uint64_t c)
{
    switch (op) {
    case PTX_SUB_ADD:
        return a + b;
    case PTX_SUB_MIN:
        return less(t, b, a) ? b : a;
    case PTX_SUB_MAX:
        return less(t, a, b) ? b : a;
    case PTX_SUB_INC:
        return a >= b ? 0 : a + 1;
    case PTX_SUB_DEC:
        return a == 0 || a > b ? b : a - 1;
    case PTX_SUB_AND:
        return a & b;
    case PTX_SUB_OR:
        return a | b;
    case PTX_SUB_XOR:
        return a ^ b;
    case PTX_SUB_EXCH:
        return b;
    default: /* cas */
        return a == b ? c : a;
    }
}

/* Exchanges and compares 128 bits. */
static void wide(ref_thread *t, const ptx_inst *in, unsigned op, uint8_t *p)
{
    const ptx_operand *o = &in->ops[2];
    ref_bits a, b = ref_get_all(t, &o[0], PTX_TYPE_B128), d = b;

    memcpy(&a, p, sizeof a);
    if (op == PTX_SUB_CAS)
        d = a == b ? ref_get_all(t, &o[1], PTX_TYPE_B128) : a;
    memcpy(p, &d, sizeof d);
    ref_put_all(t, &in->ops[0], a);
}

static const ptx_operand *element(const ptx_operand *o, unsigned k)
{
    return o->kind == PTX_OPD_VEC ? &o->elems[k] : o;
}

void ref_atom(ref_thread *t, const ptx_inst *in)
{
    bool returns = in->op == PTX_ATOM;
    const ptx_operand *o = &in->ops[returns];
    ptx_type type = ref_type(in, 0);
    unsigned op = operation(in), size = ptx_type_bytes(type);
    unsigned n = in->vec ? in->vec : 1;
    ptx_space space =
        in->nspaces ? ptx_space_base((ptx_space)in->spaces[0]) : PTX_SPACE_NONE;
    uint64_t a[8] = {0};
    uint8_t *p;

    if (!op || ptx_has_sub(in, PTX_SUB_ASYNC) || (size == 16 && !returns)) {
        ref_unknown(t, in);
        return;
    }
    uint64_t addr = ref_address(t, o, &space);
    p = ref_bytes(t, space, addr, (uint64_t)size * n, &space);
    if (!p)
        return;
    if (size == 16) {
        wide(t, in, op, p);
        return;
    }
    /* Single precision flushes subnormals in global memory only. */
    bool ftz = type == PTX_TYPE_F32 && space == PTX_SPACE_GLOBAL;
    for (unsigned k = 0; k < n; k++) {
        uint64_t b = ref_get(t, element(&o[1], k), type), d;
        memcpy(&a[k], p + k * size, size);
        d = ref_is_float(type)
                ? on_floats(op, type, ftz, a[k], b)
                : apply(op, type, a[k], b,
                        op == PTX_SUB_CAS ? ref_get(t, &o[2], type) : 0);
        memcpy(p + k * size, &d, size);
    }
    for (unsigned k = 0; returns && k < n; k++)
        ref_put(t, element(&in->ops[0], k), type, a[k]);
}
