/* tests/reference/memory.c - state spaces, generic addresses
 * [PTX85:generic-addressing], loads, stores and copies. */
#include <string.h>

#include "base/must.h"
#include "reference/state.h"

/* ---- places ---- */

uint64_t ref_offset(ref_thread *t, const ptx_var *v)
{
    uint64_t at = 0;
    ptx_space space = ptx_space_base(v->space);

    if (!map_get(t->cta->r->places, (uintptr_t)v, &at))
        ref_fail(t, "the reference has no place for '%s'", v->name);
    if (space == PTX_SPACE_LOCAL || space == PTX_SPACE_PARAM) {
        const ref_frame *f = t->top;
        while (f && f->f != v->func) /* the kernel's, seen from below */
            f = f->up;
        at += f ? f->base : 0;
    }
    return at;
}

uint64_t ref_to_generic(ptx_space space, uint64_t addr)
{
    switch (space) {
    case PTX_SPACE_SHARED:
        return REF_SHARED_WINDOW + addr;
    case PTX_SPACE_LOCAL:
    case PTX_SPACE_PARAM:
        return REF_LOCAL_WINDOW + addr;
    case PTX_SPACE_CONST:
        return REF_CONST_WINDOW + addr;
    case PTX_SPACE_NONE:
    case PTX_SPACE_REG:
    case PTX_SPACE_SREG:
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_PARAM_ENTRY:
    case PTX_SPACE_PARAM_FUNC:
    case PTX_SPACE_SHARED_CTA:
    case PTX_SPACE_SHARED_CLUSTER:
    case PTX_SPACE_TEX:
    case PTX_SPACE_COUNT:
        return addr;
    }
    MUST(!"every value is above");
}

static ptx_space from_generic(uint64_t *addr)
{
    static const struct {
        uint64_t base;
        ptx_space space;
    } windows[] = {{REF_SHARED_WINDOW, PTX_SPACE_SHARED},
                   {REF_LOCAL_WINDOW, PTX_SPACE_LOCAL},
                   {REF_CONST_WINDOW, PTX_SPACE_CONST}};

    for (unsigned k = 0; k < 3; k++)
        if (*addr - windows[k].base < REF_WINDOW_BYTES) {
            *addr -= windows[k].base;
            return windows[k].space;
        }
    return PTX_SPACE_GLOBAL;
}

uint64_t ref_address(ref_thread *t, const ptx_operand *o, ptx_space *space)
{
    uint64_t at = 0;

    if (o->kind != PTX_OPD_ADDR) {
        ref_fail(t, "an address of a kind that the reference does not know");
        return 0;
    }
    if (o->reg != PTX_NO_REG) { /* the sum is as wide as the register */
        ptx_type type = t->top->f->regs[o->reg].type;
        at = (uint64_t)t->top->reg[o->reg] + (uint64_t)o->imm;
        return at & ref_mask(ptx_type_bits(type));
    } else if (o->var) {
        at = ref_offset(t, o->var);
        if (*space == PTX_SPACE_NONE)
            *space = ptx_space_base(o->var->space);
    }
    return at + (uint64_t)o->imm;
}

static uint8_t *global_bytes(const ref *r, uint64_t addr, uint64_t size)
{
    for (uint32_t k = 0; k < r->nranges; k++) {
        const ref_range *g = &r->ranges[k];
        if (addr >= g->addr && addr - g->addr < g->size &&
            size <= g->size - (addr - g->addr))
            return g->bytes + (addr - g->addr);
    }
    return NULL;
}

static uint8_t *inside(uint8_t *bytes, uint64_t room, uint64_t addr,
                       uint64_t size)
{
    return addr <= room && size <= room - addr ? bytes + addr : NULL;
}

uint8_t *ref_bytes(ref_thread *t, ptx_space space, uint64_t addr, uint64_t size,
                   ptx_space *in)
{
    const ref *r = t->cta->r;
    uint64_t given = addr;
    uint8_t *p = NULL;

    if (space == PTX_SPACE_NONE)
        space = from_generic(&addr);
    switch (space) {
    case PTX_SPACE_GLOBAL:
        p = global_bytes(r, addr, size);
        break;
    case PTX_SPACE_SHARED:
        p = inside(t->cta->shared, t->cta->shared_bytes, addr, size);
        break;
    case PTX_SPACE_CONST:
        p = inside(r->constants, r->const_bytes, addr, size);
        break;
    case PTX_SPACE_NONE:
    case PTX_SPACE_REG:
    case PTX_SPACE_SREG:
    case PTX_SPACE_LOCAL:
    case PTX_SPACE_PARAM:
    case PTX_SPACE_PARAM_ENTRY:
    case PTX_SPACE_PARAM_FUNC:
    case PTX_SPACE_SHARED_CTA:
    case PTX_SPACE_SHARED_CLUSTER:
    case PTX_SPACE_TEX:
    case PTX_SPACE_COUNT:
        p = inside(t->local, t->top->end, addr, size);
    }
    if (in)
        *in = space;
    if (!p)
        ref_fail(t, "%u bytes at 0x%llx are outside of all variables",
                 (unsigned)size, (unsigned long long)given);
    else if (addr % size)
        ref_fail(t, "address 0x%llx is not a multiple of %u",
                 (unsigned long long)given, (unsigned)size);
    return t->cta->r->failed ? NULL : p;
}

static ptx_space space_of(const ptx_inst *in, unsigned n)
{
    return in->nspaces > n ? ptx_space_base((ptx_space)in->spaces[n])
                           : PTX_SPACE_NONE;
}

/* ---- loads and stores ---- */

static const ptx_operand *element(const ptx_operand *o, unsigned k)
{
    return o->kind == PTX_OPD_VEC ? &o->elems[k] : o;
}

void ref_ld(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    unsigned size = ptx_type_bytes(type), n = in->vec ? in->vec : 1;
    ptx_space space = space_of(in, 0);
    uint64_t addr = ref_address(t, &in->ops[1], &space);
    const uint8_t *p = ref_bytes(t, space, addr, (uint64_t)size * n, NULL);
    ref_bits v[8] = {0};

    for (unsigned k = 0; p && k < n; k++)
        memcpy(&v[k], p + k * size, size);
    for (unsigned k = 0; p && k < n; k++) {
        const ptx_operand *d = element(&in->ops[0], k);
        if (size == 16)
            ref_put_all(t, d, v[k]);
        else
            ref_put(t, d, type, (uint64_t)v[k]);
    }
}

void ref_st(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    unsigned size = ptx_type_bytes(type), n = in->vec ? in->vec : 1;
    ptx_space space = space_of(in, 0);
    uint64_t addr = ref_address(t, &in->ops[0], &space);
    uint8_t *p = ref_bytes(t, space, addr, (uint64_t)size * n, &space);

    if (in->nsubs) { /* st.async, st.bulk */
        ref_unknown(t, in);
        return;
    }
    if (p && space == PTX_SPACE_CONST)
        ref_fail(t, "a store to constant memory");
    for (unsigned k = 0; p && k < n; k++) {
        ref_bits v = ref_get_all(t, element(&in->ops[1], k), type);
        memcpy(p + k * size, &v, size);
    }
}

/* cp.async: done at once, so there is nothing to wait for. */
void ref_cp(ref_thread *t, const ptx_inst *in)
{
    ptx_space to = PTX_SPACE_SHARED, from = PTX_SPACE_GLOBAL;
    uint64_t size, used;
    const uint8_t *src;
    uint8_t *dst;

    if (!ptx_has_sub(in, PTX_SUB_ASYNC) || ptx_has_sub(in, PTX_SUB_BULK) ||
        ptx_has_sub(in, PTX_SUB_MBARRIER) || ptx_has_sub(in, PTX_SUB_REDUCE)) {
        ref_unknown(t, in);
        return;
    }
    if (in->nops < 3) /* commit_group, wait_group, wait_all */
        return;
    size = used = (uint64_t)in->ops[2].imm;
    if (in->nops > 3) {
        const ptx_operand *o = &in->ops[3];
        if (o->kind == PTX_OPD_REG && o->type == PTX_TYPE_PRED)
            used = ref_get_pred(t, o) ? 0 : size;
        else
            used = ref_get_u32(t, o);
    }
    dst = ref_bytes(t, to, ref_address(t, &in->ops[0], &to), size, NULL);
    if (!dst)
        return;
    memset(dst, 0, size);
    if (!used)
        return;
    src = ref_bytes(t, from, ref_address(t, &in->ops[1], &from), size, NULL);
    if (src)
        memcpy(dst, src, used < size ? used : size);
}

/* ---- addresses ---- */

void ref_cvta(ref_thread *t, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    ptx_space space = space_of(in, 0);
    uint64_t a = ref_get(t, &in->ops[1], type);

    /* Windows are aligned, so the way back takes the same distance off. */
    if (ptx_has(in, PTX_FLAG_TO))
        a -= ref_to_generic(space, 0);
    else
        a = ref_to_generic(space, a);
    ref_put(t, &in->ops[0], type, a);
}

void ref_isspacep(ref_thread *t, const ptx_inst *in)
{
    uint64_t a = ref_get(t, &in->ops[1], PTX_TYPE_U64);
    ptx_space space = space_of(in, 0), is = from_generic(&a);

    if (space == PTX_SPACE_PARAM)
        space = PTX_SPACE_LOCAL;
    ref_put_pred(t, &in->ops[0], is == space);
}
