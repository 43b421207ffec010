/* src/exec/sem/sem_async.c - mbarriers, and bulk copies as an instruction asks
 * for them: exec/tma.h does the rest. */
#include "base/bits.h"
#include "exec/async.h"
#include "exec/fault.h"
#include "exec/mbarrier.h"
#include "exec/sem/access.h"
#include "exec/tma.h"

/* ---- mbarriers ---- */

static void shared_word(sem *x)
{
    sem_begin_access(x, 8);
    x->mem->space[EXEC_SHARED] = x->mask;
}

SEM(MBTEST)
{
    shared_word(x);
    sem_take_words(x, 1, 1, x->mem->data);
}

/* Once, whoever asks. */
SEM(MBINIT)
{
    exec_mem *m = x->mem;

    shared_word(x);
    m->mask = m->space[EXEC_SHARED] = x->mask & -x->mask;
    LANES(l)
    {
        m->data[0][l] = sem_ureg(x, x->in->src[1]);
        m->data[1][l] = sem_ureg(x, x->in->src[1] + 1u);
    }
}

/* Of another CTA of the cluster, whose rank is in the top byte of its address.
 */
static __attribute__((noinline, cold)) void arrive_elsewhere(sem *x)
{
    exec_mem *m = x->mem;
    const exec_cta *c = x->w->cta;
    uint32_t zero[ISA_WARP] = {0};
    const uint32_t *base =
        x->in->src[0] == ISA_RZ ? zero : sem_reg(x, x->in->src[0]);
    unsigned regs, plus = isa_uaddr(x->in, &regs);
    uint32_t offset = x->in->val[0] + (regs ? sem_ureg(x, plus) : 0);

    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);
        uint32_t at = base[l] + offset, rank = at / MEM_WINDOW_BYTES;

        if (rank == c->rank)
            continue;
        m->addr[l] = at + (uint64_t)MEM_WINDOW_BYTES;
        m->space[EXEC_REMOTE] |= 1u << l;
    }
    m->space[EXEC_SHARED] = m->mask & ~m->space[EXEC_REMOTE];
}

static void put_arrival(sem *x, uint32_t count[ISA_WARP],
                        uint32_t bytes[ISA_WARP])
{
    uint32_t t[ISA_WARP];
    const uint32_t *b = sem_row(x, 1, t);
    unsigned how = ISA_GET(x->in, ARRIVAL);

    LANES(l)
    {
        count[l] = how == ARRIVAL_ART0 ? b[l] : how <= ARRIVAL_A1T0 ? 1 : 0;
        bytes[l] = how == ARRIVAL_A1TR || how == ARRIVAL_A0TR ? b[l]
                   : how == ARRIVAL_A0TX                      ? -b[l]
                   : how == ARRIVAL_A0T1                      ? 1
                                                              : 0;
    }
}

SEM(MBARRIVE)
{
    shared_word(x);
    put_arrival(x, x->mem->data[0], x->mem->data[1]);
    if (ISA_GET(x->in, ANYCTA) && sem_has_ranks(x->w->cta->launch))
        arrive_elsewhere(x);
}

/* Places in the CTA's own shared memory, whatever rank their addresses have. */
static void own_places(sem *x, uint64_t at[ISA_WARP])
{
    sem_addresses(x, at);
    LANES(l) at[l] &= MEM_WINDOW_BYTES - 1;
}

/* The warp waits at the mbarrier of its first lane, if none of its lanes has a
 * phase that is over. */
SEM(MBWAIT)
{
    exec_cta *c = x->w->cta;
    uint64_t at[ISA_WARP];
    uint32_t t[ISA_WARP], u[ISA_WARP], over[ISA_WARP], some;
    const uint32_t *phase = sem_row(x, 1, t), *limit = sem_row(x, 2, u);
    unsigned first = bits_ctz32(x->mask);

    own_places(x, at);
    LANES(l) over[l] = !exec_mbarrier_holds(c, (uint32_t)at[l], phase[l]);
    some = sem_lanes(over) & x->mask;
    *x->bar = (exec_bar){.pc = x->w->simt.pc,
                         .count = some ? 0 : limit[first],
                         .mbarrier = !some,
                         .lanes = x->mask,
                         .at = (uint32_t)at[first],
                         .phase = phase[first]};
    sem_put_pred(x, 0, some);
    if (c->async)
        exec_async_look(x->w, x->bar->at);
    x->result = EXEC_SLEEP;
}

/* Waits for the copies first. */
SEM(MBCOPIES)
{
    uint64_t at[ISA_WARP];

    own_places(x, at);
    *x->bar = (exec_bar){.pc = x->w->simt.pc, .lanes = x->mask};
    x->result = EXEC_COPIES;
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        if (exec_mbarrier_in_bounds(x->w->cta, (uint32_t)at[l]))
            continue;
        *x->fault = exec_fault_at(
            x->w, at[l] % 8 ? FAULT_MISALIGNED : FAULT_SHARED_BOUNDS,
            left & -left);
        x->fault->addr = at[l];
        x->fault->size = 8;
        x->fault->write = true;
        x->result = EXEC_FAULT;
        return;
    }
}

/* ---- bulk copies ---- */

static uint32_t uniform_word(const sem *x, unsigned source, unsigned n)
{
    return x->in->src[source] == ISA_RZ ? 0
                                        : sem_ureg(x, x->in->src[source] + n);
}

/* A box from uniform registers, for the one lane `l`: in a row the address in
 * shared memory, that of the mbarrier if it is a load, and the coordinates.
 * Offsets share half a word, so each has the bits that are left to it. */
static void uniform_box(sem *x, unsigned l)
{
    const isa_inst *in = x->in;
    exec_mem *m = x->mem;
    unsigned n = 0, dims = ISA_GET(in, TDIM) + 1;
    bool load = in->op == ISA_UTMALDG;
    bool offsets = ISA_GET(in, TIM2COL) && (load || in->op == ISA_UTMAPF);
    uint32_t rest = uniform_word(x, 2, 0);

    if (in->op != ISA_UTMAPF)
        m->data[TMA_W_SHARED][l] = uniform_word(x, 1, n++);
    if (load)
        m->data[TMA_W_MBARRIER][l] = uniform_word(x, 1, n++);
    for (unsigned i = 0; i < dims; i++)
        m->data[i < 4 ? TMA_W_FIRST + i : TMA_W_MORE][l] =
            uniform_word(x, 1, n++);
    if (offsets) {
        unsigned bits = dims == 3 ? 16 : dims == 4 ? 8 : 5;
        uint32_t mask = (uint32_t)bits_mask64(bits);

        m->data[TMA_W_MORE + 1][l] =
            (rest & mask) | (dims > 3 ? (rest >> bits & mask) << 16 : 0);
        m->extra[0][l] = dims > 4 ? rest >> 2 * bits & mask : 0;
    }
    if (load && ISA_GET(in, TMCAST) && ISA_GET(in, TWIDE))
        m->extra[0][l] |= rest & 0xffff0000;
    else if (load && ISA_GET(in, TMCAST))
        m->data[TMA_W_MORE][l] = rest >> 16;
}

/* Bytes, of which 16 count as one. */
static void uniform_range(sem *x, unsigned l)
{
    const isa_inst *in = x->in;
    exec_mem *m = x->mem;
    uint32_t rest = uniform_word(x, in->op == ISA_UBLKPF ? 1 : 2, 0);
    bool cluster = in->op != ISA_UBLKPF && ISA_GET(in, TPATH) == TPATH_SS;

    m->data[TMA_W_FIRST][l] = (rest & 0xffff) << 4;
    if (in->op == ISA_UBLKPF)
        return;
    m->data[TMA_W_SHARED][l] = uniform_word(x, 1, 0);
    if (ISA_GET(in, TPATH) == TPATH_SG)
        m->data[TMA_W_MBARRIER][l] = uniform_word(x, 1, 1);
    if (cluster) {
        m->data[TMA_W_MBARRIER][l] = uniform_word(x, 0, 1);
        m->addr[l] &= UINT32_MAX;
    }
    if (in->op == ISA_UBLKCP && ISA_GET(in, TMCAST))
        m->data[TMA_W_MORE][l] = rest >> 16;
}

/* Addresses in shared memory count ranks from 1 here. */
static void count_ranks(sem *x, unsigned l)
{
    const isa_inst *in = x->in;
    exec_mem *m = x->mem;
    bool cluster = (in->op == ISA_UBLKCP || in->op == ISA_UBLKRED) &&
                   ISA_GET(in, TPATH) == TPATH_SS;

    if (!sem_has_ranks(x->w->cta->launch))
        return;
    m->data[TMA_W_SHARED][l] += MEM_WINDOW_BYTES;
    m->data[TMA_W_MBARRIER][l] += MEM_WINDOW_BYTES;
    if (cluster)
        m->addr[l] += MEM_WINDOW_BYTES;
}

/* By uniform registers: once for the warp. */
static __attribute__((noinline)) void bulk_uniform(sem *x)
{
    exec_mem *m = x->mem;
    unsigned l = bits_ctz32(x->mask);

    m->mask = 1u << l;
    m->addr[l] = uniform_word(x, 0, 0) | (uint64_t)uniform_word(x, 0, 1) << 32;
    memset(m->extra, 0, sizeof m->extra);
    if (x->in->op == ISA_UTMACCTL)
        return;
    if (isa_table[x->in->op].mods >> MOD_TDIM & 1)
        uniform_box(x, l);
    else
        uniform_range(x, l);
    count_ranks(x, l);
}

static bool same_in_all(const uint32_t row[ISA_WARP], uint32_t mask)
{
    uint32_t first = row[bits_ctz32(mask)], differs[ISA_WARP];

    LANES(l) differs[l] = row[l] != first;
    return !(sem_lanes(differs) & mask);
}

/* A store that all lanes ask for alike is done once: ptxas 13.0 makes one
 * instruction of uniform registers of it, but a loop over the lanes of loads
 * and reductions. */
static bool once_for_all(const sem *x)
{
    const isa_inst *in = x->in;
    const exec_mem *m = x->mem;
    uint32_t low[ISA_WARP], high[ISA_WARP];
    bool same = in->op == ISA_UTMASTG ||
                (in->op == ISA_UBLKCP && ISA_GET(in, TPATH) == TPATH_GS);

    LANES(l)
    {
        low[l] = (uint32_t)m->addr[l];
        high[l] = (uint32_t)(m->addr[l] >> 32);
    }
    same = same && same_in_all(low, x->mask) && same_in_all(high, x->mask);
    for (unsigned i = 0; same && i < COUNTOF(m->data); i++)
        same = same_in_all(m->data[i], x->mask);
    return same;
}

/* Bulk copies: addr: the first two words of F, data: the others, J, then those
 * of I that fit; `extra` the rest. */
static void bulk(sem *x)
{
    const isa_inst *in = x->in;
    exec_mem *m = x->mem;
    uint64_t at[ISA_WARP];

    m->in = in;
    m->pc = x->w->simt.pc;
    m->mask = m->lanes = x->mask;
    m->size = 16;
    memset(m->space, 0, sizeof m->space);
    memset(m->data, 0, sizeof m->data);
    x->result = EXEC_MEM;
    if (in->src_kind[0] == SRC_UREG) {
        bulk_uniform(x);
        return;
    }
    sem_fetch64(x, 0, at);
    memcpy(m->addr, at, sizeof at);
    if (in->src[0] != ISA_RZ)
        memcpy(m->data, sem_reg(x, in->src[0] + 2u), 2 * sizeof *m->data);
    if (in->src_regs[1])
        sem_take_words(x, 1, in->src_regs[1], m->data + TMA_W_FIRST);
    if (in->src_regs[2] && in->src[2] != ISA_RZ) {
        unsigned n = in->src_regs[2];

        sem_take_words(x, 2, n < 2 ? n : 2, m->data + TMA_W_MORE);
        if (n > 2)
            memcpy(m->extra, sem_reg(x, in->src[2] + 2u), sizeof m->extra);
    }
    if (once_for_all(x))
        m->mask = x->mask & -x->mask;
}

SEM(UBLKCP) { bulk(x); }
SEM(UBLKRED) { bulk(x); }
SEM(UBLKPF) { bulk(x); }
SEM(UTMALDG) { bulk(x); }
SEM(UTMASTG) { bulk(x); }
SEM(UTMAREDG) { bulk(x); }
SEM(UTMAPF) { bulk(x); }
SEM(UTMACCTL) { bulk(x); }
