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

static uint64_t apply(unsigned op, ptx_type t, bool ftz, uint64_t a, uint64_t b,
                      uint64_t c)
{
    switch (op) {
    case PTX_SUB_ADD:
        return ref_is_float(t) ? ref_sum(t, a, b, ftz) : a + b;
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

void ref_atom(ref_thread *t, const ptx_inst *in)
{
    bool returns = in->op == PTX_ATOM;
    const ptx_operand *o = &in->ops[returns];
    ptx_type type = ref_type(in, 0);
    unsigned op = operation(in), size = ptx_type_bytes(type);
    ptx_space space =
        in->nspaces ? ptx_space_base((ptx_space)in->spaces[0]) : PTX_SPACE_NONE;
    uint64_t addr, a = 0, b, c, d;
    uint8_t *p;

    if (!op || in->vec > 1 || size > 8 || ptx_has_sub(in, PTX_SUB_ASYNC) ||
        (ref_is_float(type) && op != PTX_SUB_ADD)) {
        ref_unknown(t, in);
        return;
    }
    addr = ref_address(t, o, &space);
    p = ref_bytes(t, space, addr, size, &space);
    if (!p)
        return;
    b = ref_get(t, &o[1], type);
    c = op == PTX_SUB_CAS ? ref_get(t, &o[2], type) : 0;
    memcpy(&a, p, size);
    /* Single precision flushes subnormals in global memory only. */
    d = apply(op, type, type == PTX_TYPE_F32 && space == PTX_SPACE_GLOBAL, a, b,
              c);
    memcpy(p, &d, size);
    if (returns)
        ref_put(t, &in->ops[0], type, a);
}
