/* src/exec/remote.c - see remote.h. */
#include "exec/remote.h"

#include <string.h>

#include "base/bits.h"
#include "exec/arrivals.h"
#include "exec/atom.h"
#include "exec/fault.h"

static unsigned rank_of(const exec_mem *m, unsigned lane)
{
    return (unsigned)(m->addr[lane] >> EXEC_REMOTE_SHIFT) - 1;
}

static uint64_t offset_of(const exec_mem *m, unsigned lane)
{
    return m->addr[lane] & bits_mask64(EXEC_REMOTE_SHIFT);
}

bool exec_remote_check(const exec_warp *w, const exec_mem *m, exec_fault *fault)
{
    const exec_launch *l = w->cta->launch;
    uint64_t bytes = (uint64_t)l->shared_bytes + l->shared_slack;

    for (uint32_t left = m->space[EXEC_REMOTE]; left; left &= left - 1) {
        unsigned lane = bits_ctz32(left);
        uint64_t at = offset_of(m, lane), end = at + m->size;
        enum exec_fault_kind kind = FAULT_NONE;

        if (!w->cta->cga || rank_of(m, lane) >= w->cta->cga->size)
            kind = FAULT_CGA_RANK;
        else if (at % m->size)
            kind = FAULT_MISALIGNED;
        else if (end > bytes)
            kind = FAULT_SHARED_BOUNDS;
        if (!kind)
            continue;
        *fault = exec_fault_of(w, m, kind, lane);
        fault->addr = at;
        fault->rank = rank_of(m, lane);
        fault->reach = end > l->shared_bytes ? end - l->shared_bytes : 0;
        return false;
    }
    return true;
}

uint32_t exec_remote_ranks(const exec_mem *m)
{
    uint32_t ranks = 0;

    for (uint32_t left = m->space[EXEC_REMOTE]; left; left &= left - 1)
        ranks |= 1u << rank_of(m, bits_ctz32(left));
    return ranks;
}

void exec_remote_pack(const exec_warp *w, const exec_mem *m, unsigned rank,
                      exec_remote *r)
{
    uint32_t lanes = 0;

    r->m = *m;
    r->rank = rank;
    r->from = w->cta->rank;
    r->cga = w->cta->cga->serial;
    for (uint32_t left = m->space[EXEC_REMOTE]; left; left &= left - 1) {
        unsigned lane = bits_ctz32(left);

        if (rank_of(m, lane) != rank)
            continue;
        lanes |= 1u << lane;
        r->m.addr[lane] = offset_of(m, lane);
    }
    r->m.mask = lanes;
    memset(r->m.space, 0, sizeof r->m.space);
    r->m.space[EXEC_REMOTE] = lanes;
    /* What is told if the CTA has ended. */
    r->fault = exec_fault_of(w, &r->m, FAULT_NONE, bits_ctz32(lanes));
    r->fault.rank = rank;
    if (m->in->flags & ISA_F_ATOMIC)
        exec_atom_pack(&r->m, lanes, &r->atom);
}

static void perform_atomic(exec_remote *r, exec_cta *c)
{
    r->m.changed = 0;
    for (uint32_t left = r->m.mask; left; left &= left - 1) {
        unsigned lane = bits_ctz32(left);
        uint8_t *at = c->shared + r->m.addr[lane], now[16];
        uint64_t after;

        exec_atom_lane(&r->atom, lane, at, now, false);
        r->m.changed |= (uint32_t)(memcmp(at, now, r->m.size) != 0) << lane;
        exec_atom_copy(at, now, r->m.size);
        if (!exec_atom_arrives(r->atom.op))
            continue;
        memcpy(&after, now, 8);
        exec_arrivals_note(c, (uint32_t)r->m.addr[lane], r->atom.old[lane],
                           after, r->atom.a[lane], r->from, r->fault.warp);
    }
}

static void perform_lane(exec_remote *r, unsigned lane, uint8_t *at)
{
    unsigned words = (r->m.size + 3) / 4;
    uint32_t v[4] = {0};

    if (r->m.in->flags & ISA_F_LOAD) {
        memcpy(v, at, r->m.size);
        for (unsigned k = 0; k < words; k++)
            r->m.data[k][lane] = v[k];
    } else {
        for (unsigned k = 0; k < words; k++)
            v[k] = r->m.data[k][lane];
        memcpy(at, v, r->m.size);
    }
}

void exec_remote_perform(exec_remote *r, exec_cta *c)
{
    if (!c) {
        r->fault.kind = FAULT_CGA_EXITED;
        return;
    }
    if (r->m.in->flags & ISA_F_ATOMIC) {
        perform_atomic(r, c);
        return;
    }
    for (uint32_t left = r->m.mask; left; left &= left - 1) {
        unsigned lane = bits_ctz32(left);

        perform_lane(r, lane, c->shared + r->m.addr[lane]);
    }
}

/* A register's value of the lowest bytes of a word. */
static uint32_t widen(unsigned size, uint32_t v)
{
    switch (size) {
    case SIZE_U8:
        return v & 0xff;
    case SIZE_S8:
        return (uint32_t)(int8_t)v;
    case SIZE_U16:
        return v & 0xffff;
    case SIZE_S16:
        return (uint32_t)(int16_t)v;
    default:
        return v;
    }
}

void exec_remote_unpack(exec_warp *w, const exec_remote *r)
{
    const isa_inst *in = r->m.in;
    unsigned words = (r->m.size + 3) / 4;

    if (!(in->flags & ISA_F_LOAD) || in->dst == ISA_RZ)
        return;
    if (in->flags & ISA_F_ATOMIC) {
        exec_atom_unpack(w, in, &r->atom);
        return;
    }
    for (uint32_t left = r->m.mask; left; left &= left - 1) {
        unsigned lane = bits_ctz32(left);

        for (unsigned k = 0; k < words; k++)
            w->reg[in->dst + k][lane] =
                r->m.size < 4 ? widen(ISA_GET(in, SIZE), r->m.data[k][lane])
                              : r->m.data[k][lane];
    }
}

bool exec_remote_at_once(exec_warp *w, exec_mem *m, exec_fault *fault)
{
    exec_remote r;

    for (uint32_t ranks = exec_remote_ranks(m); ranks; ranks &= ranks - 1) {
        unsigned rank = bits_ctz32(ranks);

        exec_remote_pack(w, m, rank, &r);
        exec_remote_perform(&r, w->cta->cga->member[rank]);
        if (r.fault.kind) {
            *fault = r.fault;
            return false;
        }
        exec_remote_unpack(w, &r);
    }
    return true;
}
