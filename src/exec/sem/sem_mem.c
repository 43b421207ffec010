/* src/exec/sem/sem_mem.c - the first step of memory operations: addresses and
 * the data to be stored. exec/mem.h does the rest. */
#include "exec/sem/access.h"

#include "base/bits.h"
#include "exec/fault.h"

/* Lanes whose address lies in the `bytes` from `base` on. */
static uint32_t lanes_from(const uint64_t addr[ISA_WARP], uint64_t base,
                           uint64_t bytes)
{
    uint32_t hit[ISA_WARP];

    LANES(l) hit[l] = addr[l] - base < bytes;
    return sem_lanes(hit);
}

/* The same of a window of 2^24 bytes. */
static uint32_t lanes_in_window(const uint64_t addr[ISA_WARP], uint64_t base)
{
    return lanes_from(addr, base, MEM_WINDOW_BYTES);
}

/* Lanes in the shared memory of a cluster, but not in the CTA's own window:
 * they keep the rank in their addresses. The CTA itself may have been meant,
 * too: *own gets its lanes. */
static __attribute__((noinline, cold)) uint32_t
find_remote(exec_mem *m, const exec_cta *c, uint32_t lanes, uint32_t *own)
{
    uint32_t remote = 0;

    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        m->addr[l] -= MEM_SHARED_WINDOW;
        if (m->addr[l] / MEM_WINDOW_BYTES == c->rank + 1) {
            m->addr[l] %= MEM_WINDOW_BYTES;
            *own |= 1u << l;
        } else {
            remote |= 1u << l;
        }
    }
    return remote;
}

/* Generic addresses: sorts the lanes by space and makes offsets of those in
 * shared and local memory. */
static void classify(exec_mem *m, const exec_cta *c)
{
    if (sem_has_ranks(c->launch))
        LANES(l)
    m->addr[l] +=
        m->addr[l] - MEM_SHARED_WINDOW < MEM_CGA_BYTES ? MEM_WINDOW_BYTES : 0;
    uint32_t shared = lanes_from(m->addr, MEM_SHARED_WINDOW, MEM_CGA_BYTES);
    uint32_t local = lanes_in_window(m->addr, MEM_LOCAL_WINDOW);

    if (__builtin_expect(shared != 0, 0)) {
        uint32_t own = lanes_in_window(m->addr, MEM_SHARED_WINDOW);

        if (shared != own)
            m->space[EXEC_REMOTE] =
                find_remote(m, c, shared & ~own, &own) & m->mask;
        shared = own;
    }

    m->space[EXEC_SHARED] = shared & m->mask;
    m->space[EXEC_LOCAL] = local & m->mask;
    m->space[EXEC_GLOBAL] = m->mask & ~shared & ~local & ~m->space[EXEC_REMOTE];
    if (shared | local) { /* idle lanes, too: they repeat others */
        LANES(l)
        m->addr[l] &= (shared | local) & exec_lane_bit[l] ? MEM_WINDOW_BYTES - 1
                                                          : UINT64_MAX;
    }
}

/* What a uniform register adds to the addresses. Under .U32 a lane's part of a
 * 64-bit address has 32 bits without a sign. */
static __attribute__((noinline)) void
add_uniform(sem *x, uint64_t addr[ISA_WARP], bool wide)
{
    const isa_inst *in = x->in;
    unsigned regs, plus = isa_uaddr(in, &regs);
    uint64_t base = (uint64_t)(int64_t)(int32_t)in->val[0];
    uint32_t zero[ISA_WARP] = {0};
    const uint32_t *lo = in->src[0] == ISA_RZ ? zero : sem_reg(x, in->src[0]);

    if (regs)
        base += sem_ureg(x, plus) |
                (regs == 2 ? (uint64_t)sem_ureg(x, plus + 1) << 32 : 0);
    if (!wide) {
        LANES(l) addr[l] = (uint32_t)(lo[l] + (uint32_t)base);
    } else if (in->uaddr & UADDR_U32 || in->src[0] == ISA_RZ) {
        LANES(l) addr[l] = lo[l] + base;
    } else {
        const uint32_t *hi = lo + ISA_WARP;
        LANES(l) addr[l] = (lo[l] | (uint64_t)hi[l] << 32) + base;
    }
}

/* [R2.X4]: the register counts more often than once. */
static __attribute__((noinline)) void scale_base(sem *x,
                                                 uint64_t addr[ISA_WARP])
{
    unsigned reg = x->in->src[0], scale = isa_address_scale(x->in);

    if (reg == ISA_RZ)
        return;
    const uint32_t *lo = sem_reg(x, reg);

    LANES(l) addr[l] = (uint32_t)(addr[l] + lo[l] * ((2u << scale) - 1));
}

/* Lanes that do not execute get the address of one that does, so loops over all
 * 32 lanes see valid addresses only. */
static void addresses(sem *x, uint64_t addr[ISA_WARP])
{
    const isa_inst *in = x->in;
    bool wide = (in->flags & ISA_F_GLOBAL) && ISA_GET(in, EXT);
    uint64_t offset = (uint64_t)(int64_t)(int32_t)in->val[0];

    if (in->uaddr && !isa_is_to_shared(in)) {
        add_uniform(x, addr, wide);
    } else if (in->src[0] == ISA_RZ) {
        LANES(l) addr[l] = wide ? offset : (uint32_t)offset;
    } else if (wide) {
        const uint32_t *lo = sem_reg(x, in->src[0]), *hi = lo + ISA_WARP;
        LANES(l) addr[l] = (lo[l] | (uint64_t)hi[l] << 32) + offset;
    } else {
        const uint32_t *lo = sem_reg(x, in->src[0]);
        LANES(l) addr[l] = (uint32_t)(lo[l] + (uint32_t)offset);
    }
    if (isa_address_scale(in))
        scale_base(x, addr);
    if (!(in->flags & ISA_F_GLOBAL) && sem_has_ranks(x->w->cta->launch))
        LANES(l) addr[l] &= MEM_WINDOW_BYTES - 1;
    if (x->mask != UINT32_MAX) {
        uint64_t some = addr[bits_ctz32(x->mask)];
        LANES(l) addr[l] = x->mask & exec_lane_bit[l] ? addr[l] : some;
    }
}

/* An access of `size` bytes by each lane; the lanes are not yet sorted by
 * space. */
static void begin_access(sem *x, unsigned size)
{
    exec_mem *m = x->mem;

    m->in = x->in;
    m->pc = x->w->simt.pc;
    m->mask = m->lanes = x->mask;
    m->size = size;
    memset(m->space, 0, sizeof m->space);
    addresses(x, m->addr);
    x->result = EXEC_MEM;
}

void sem_begin_access(sem *x, unsigned size) { begin_access(x, size); }

void sem_addresses(sem *x, uint64_t at[ISA_WARP]) { addresses(x, at); }

static void prepare_access(sem *x)
{
    const isa_inst *in = x->in;
    exec_mem *m = x->mem;
    unsigned words = (in->bytes + 3u) / 4;

    begin_access(x, in->bytes ? in->bytes : 4);
    if ((in->flags & ISA_F_GLOBAL) && (in->flags & ISA_F_SHARED))
        classify(m, x->w->cta);
    else
        m->space[in->flags & ISA_F_SHARED  ? EXEC_SHARED
                 : in->flags & ISA_F_LOCAL ? EXEC_LOCAL
                                           : EXEC_GLOBAL] = x->mask;
    if (in->flags & ISA_F_STORE)
        sem_take_words(x, 1, words, m->data);
    if ((in->flags & ISA_F_ATOMIC) && isa_atom_compares(ISA_GET(in, ATOMOP)))
        sem_take_words(x, 2, words, m->data + 4);
}

/* Only the load of the first argument, where that is in local memory, takes
 * time. */
SEM(PRINT)
{
    exec_mem *m = x->mem;
    uint64_t pair[ISA_WARP];
    uint32_t local;

    *m = (exec_mem){
        .in = x->in, .pc = x->w->simt.pc, .mask = x->mask, .size = 4};
    for (unsigned i = 0; i < 2; i++) {
        sem_fetch64(x, i, pair);
        LANES(l)
        {
            m->data[2 * i][l] = (uint32_t)pair[l];
            m->data[2 * i + 1][l] = (uint32_t)(pair[l] >> 32);
        }
    }
    local = lanes_in_window(pair, MEM_LOCAL_WINDOW) & x->mask;
    m->space[EXEC_LOCAL] = local;
    if (local)
        LANES(l)
    m->addr[l] = pair[local & exec_lane_bit[l] ? l : bits_ctz32(local)] &
                 (MEM_WINDOW_BYTES - 4);
    x->result = EXEC_MEM;
}

SEM(LDG) { prepare_access(x); }
SEM(STG) { prepare_access(x); }
SEM(LDS) { prepare_access(x); }
SEM(STS) { prepare_access(x); }
SEM(LDL) { prepare_access(x); }
SEM(STL) { prepare_access(x); }
SEM(LD) { prepare_access(x); }
SEM(ST) { prepare_access(x); }
SEM(ATOMG) { prepare_access(x); }
SEM(ATOMS) { prepare_access(x); }
SEM(ATOM)
{
    prepare_access(x);
    sem_put_pred(x, 0, UINT32_MAX);
}
SEM(RED) { prepare_access(x); }
SEM(CCTL) { prepare_access(x); }

/* Lanes 8n..8n+7 give the rows, of 16 bytes, of matrix n; all lanes read or
 * give what the rows hold. */
static void matrices(sem *x)
{
    exec_mem *m = x->mem;

    begin_access(x, 16);
    m->mask = x->mask & bits_mask32(8u << ISA_GET(x->in, MATNUM));
    m->space[EXEC_SHARED] = m->mask;
}

SEM(LDSM) { matrices(x); }

SEM(STSM)
{
    matrices(x);
    sem_take_words(x, 1, 1u << ISA_GET(x->in, MATNUM), x->mem->data);
}

/* What a uniform register adds to the address that is copied to. */
static uint32_t plus_shared(const sem *x)
{
    unsigned regs, plus = isa_uaddr(x->in, &regs);

    return isa_is_to_shared(x->in) && regs ? sem_ureg(x, plus) : 0;
}

/* The addresses in shared memory are data[0], the bytes to read data[1]. */
SEM(LDGSTS)
{
    exec_mem *m = x->mem;
    uint32_t some[ISA_WARP];

    begin_access(x, 4u << ISA_GET(x->in, SIZE)); /* 4, 8 or 16 bytes */
    sem_take_words(x, 1, 1, m->data);
    LANES(l) m->data[0][l] += x->in->val[1] + plus_shared(x);
    if (x->in->src_kind[2] == SRC_REG)
        sem_take_words(x, 2, 1, m->data + 1);
    else
        LANES(l) m->data[1][l] = m->size;
    if (x->in->psrc[0] != ISA_PT) {
        uint32_t s = sem_pred(x, 0);

        LANES(l) m->data[1][l] = s & exec_lane_bit[l] ? m->data[1][l] : 0;
    }
    LANES(l) some[l] = m->data[1][l] != 0;
    m->space[EXEC_GLOBAL] = x->mask & sem_lanes(some);
}

static void ldc_fault(sem *x, enum exec_fault_kind kind, uint32_t lane,
                      uint32_t at)
{
    *x->fault = exec_fault_at(x->w, kind, 1u << lane);
    x->fault->addr = at;
    x->fault->size = x->in->bytes;
    x->result = EXEC_FAULT;
}

SEM(LDC)
{
    const isa_inst *in = x->in;
    const uint8_t *bank =
        in->lut < CBANKS ? x->w->cta->launch->cbank[in->lut] : NULL;
    const uint32_t *a =
        in->src[0] == ISA_RZ ? exec_zero : sem_reg(x, in->src[0]);
    uint32_t d[4][ISA_WARP] = {{0}}, bytes = in->bytes;
    unsigned words = (bytes + 3) / 4;

    LANES(l)
    {
        uint32_t at = a[l] + in->val[0], v[4] = {0};

        if (!(x->mask >> l & 1))
            continue;
        if (!bank || at > CBANK_BYTES - bytes) {
            ldc_fault(x, FAULT_CONST_BOUNDS, l, at);
            return;
        }
        if (at % bytes) {
            ldc_fault(x, FAULT_MISALIGNED, l, at);
            return;
        }
        memcpy(v, bank + at, bytes);
        for (unsigned k = 0; k < words; k++)
            d[k][l] = sem_widen(ISA_GET(in, SIZE), v[k]);
    }
    if (in->dst == ISA_RZ)
        return;
    for (unsigned k = 0; k < words; k++)
        sem_store(x->w, in->dst + k, d[k], x->mask);
}

SEM(QSPC)
{
    enum { GLOBAL, LOCAL, SHARED, CLUSTER };
    const exec_cta *c = x->w->cta;
    uint64_t a[ISA_WARP], own = MEM_SHARED_WINDOW;
    uint32_t cluster, local, hit, tb[ISA_WARP];
    const uint32_t *b = sem_fetch_raw(x, 1, tb);

    if (sem_has_ranks(c->launch))
        own += (uint64_t)c->rank * MEM_WINDOW_BYTES;
    sem_fetch64(x, 0, a);
    LANES(l) a[l] += (uint64_t)(int64_t)(int32_t)b[l];
    cluster = lanes_from(a, MEM_SHARED_WINDOW, MEM_CGA_BYTES);
    local = lanes_in_window(a, MEM_LOCAL_WINDOW);
    hit = x->in->lut == SHARED    ? lanes_in_window(a, own)
          : x->in->lut == CLUSTER ? cluster
          : x->in->lut == LOCAL   ? local
                                  : ~(cluster | local);
    sem_put_pred(x, 0, hit);
}
