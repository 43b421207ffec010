/* src/exec/sem/fetch.c - operands into rows and rows into registers. */
#include "exec/sem/sem.h"

#include "exec/fault.h"

/* The value behind a constant operand; a bad one ends the instruction. */
static uint64_t constant_operand(sem *x, unsigned i, unsigned bytes)
{
    uint32_t bank = x->in->val[i] >> 16, at = x->in->val[i] & 0xffff;
    const exec_launch *l = x->w->cta->launch;
    uint64_t v = 0;

    if (bank >= CBANKS || !l->cbank[bank] || at + bytes > CBANK_BYTES) {
        *x->fault = exec_fault_at(x->w, FAULT_CONST_BOUNDS, x->mask);
        x->fault->addr = at;
        x->fault->size = bytes;
        x->result = EXEC_FAULT;
        return 0;
    }
    memcpy(&v, l->cbank[bank] + at, bytes);
    return v;
}

const uint32_t *sem_fetch_raw(sem *x, unsigned i, uint32_t tmp[ISA_WARP])
{
    const uint32_t *planned = sem_planned(x, i);
    uint32_t v;

    if (planned)
        return planned;
    switch (x->in->src_kind[i]) {
    case SRC_IMM:
        v = x->in->val[i];
        break;
    case SRC_CONST:
        v = (uint32_t)constant_operand(x, i, 4);
        break;
    case SRC_UREG:
        v = sem_ureg(x, x->in->src[i]);
        break;
    default:
        return x->in->src[i] == ISA_RZ ? exec_zero : sem_reg(x, x->in->src[i]);
    }
    LANES(l) tmp[l] = v;
    return tmp;
}

const uint32_t *sem_fetch32(sem *x, unsigned i, uint32_t tmp[ISA_WARP])
{
    const uint32_t *r = sem_fetch_raw(x, i, tmp);
    unsigned mod = x->in->src_mod[i];

    if (!mod)
        return r;
    if (mod & SRC_ABS) {
        LANES(l) tmp[l] = (int32_t)r[l] < 0 ? 0u - r[l] : r[l];
        r = tmp;
    }
    if (mod & SRC_NEG) {
        LANES(l) tmp[l] = 0u - r[l];
        r = tmp;
    }
    if (mod & SRC_NOT) {
        LANES(l) tmp[l] = ~r[l];
        r = tmp;
    }
    return r;
}

void sem_ftz(float r[ISA_WARP])
{
    uint32_t *u = (uint32_t *)r;

    LANES(l) u[l] &= (u[l] & 0x7f800000) ? UINT32_MAX : 0x80000000;
}

const float *sem_fetch_f32(sem *x, unsigned i, bool ftz, float tmp[ISA_WARP])
{
    uint32_t *t = (uint32_t *)tmp;
    const uint32_t *r = sem_fetch_raw(x, i, t);
    unsigned mod = x->in->src_mod[i];
    uint32_t keep = mod & SRC_ABS ? 0x7fffffff : UINT32_MAX;
    uint32_t flip = mod & SRC_NEG ? 0x80000000 : 0;

    if (!mod && !ftz)
        return (const float *)r;
    LANES(l) t[l] = (r[l] & keep) ^ flip;
    if (ftz)
        sem_ftz(tmp);
    return tmp;
}

void sem_fetch64(sem *x, unsigned i, uint64_t to[ISA_WARP])
{
    const isa_inst *in = x->in;
    bool real = in->flags & ISA_F_FLOAT;
    unsigned mod = in->src_mod[i];
    const uint32_t *lo = sem_planned(x, i), *hi;

    if (lo && !(real && in->src_kind[i] == SRC_IMM)) {
        hi = lo + ISA_WARP;
        LANES(l) to[l] = lo[l] | (uint64_t)hi[l] << 32;
        return;
    }
    if (in->src_kind[i] == SRC_IMM || in->src_kind[i] == SRC_CONST) {
        uint64_t v = in->src_kind[i] == SRC_CONST ? constant_operand(x, i, 8)
                     : real                       ? (uint64_t)in->val[i] << 32
                            : (uint64_t)(int64_t)(int32_t)in->val[i];
        LANES(l) to[l] = v;
    } else if (in->src_kind[i] == SRC_UREG) {
        uint64_t v = sem_ureg(x, in->src[i]) |
                     (uint64_t)sem_ureg(x, in->src[i] + 1u) << 32;
        LANES(l) to[l] = v;
    } else if (in->src[i] == ISA_RZ) {
        memset(to, 0, 8 * ISA_WARP);
    } else {
        lo = sem_reg(x, in->src[i]);
        hi = lo + ISA_WARP;
        LANES(l) to[l] = lo[l] | (uint64_t)hi[l] << 32;
    }
    if (real && mod) {
        uint64_t keep = mod & SRC_ABS ? INT64_MAX : UINT64_MAX;
        uint64_t flip = mod & SRC_NEG ? (uint64_t)1 << 63 : 0;
        LANES(l) to[l] = (to[l] & keep) ^ flip;
    } else if (mod & SRC_NEG) {
        LANES(l) to[l] = 0 - to[l];
    }
}

void sem_blend(uint32_t *to, const uint32_t *from, uint32_t mask)
{
    LANES(l)
    {
        uint32_t m = mask & exec_lane_bit[l] ? UINT32_MAX : 0;
        to[l] = (from[l] & m) | (to[l] & ~m);
    }
}

void sem_put64(sem *x, const uint64_t r[ISA_WARP])
{
    uint32_t lo[ISA_WARP], hi[ISA_WARP];

    if (x->in->dst == ISA_RZ)
        return;
    LANES(l)
    {
        lo[l] = (uint32_t)r[l];
        hi[l] = (uint32_t)(r[l] >> 32);
    }
    sem_store(x->w, x->in->dst, lo, x->mask);
    sem_store(x->w, x->in->dst + 1u, hi, x->mask);
}

uint32_t sem_lanes(const uint32_t r[ISA_WARP])
{
    uint32_t lanes = 0;

    LANES(l) lanes |= r[l] ? exec_lane_bit[l] : 0;
    return lanes;
}

void sem_finish_f32(sem *x, float r[ISA_WARP], bool ftz, bool sat)
{
    if (ftz)
        sem_ftz(r);
    if (sat) { /* NaN becomes +0, -0 becomes +0 [PTX85:add] */
        LANES(l) r[l] = r[l] > 0.0f ? r[l] : 0.0f;
        LANES(l) r[l] = r[l] < 1.0f ? r[l] : 1.0f;
    }
    sem_put(x, (const uint32_t *)r);
}
