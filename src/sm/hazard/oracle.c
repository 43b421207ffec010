/* src/sm/hazard/oracle.c - see oracle.h. */
#include "sm/hazard/oracle.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"
#include "sm/limits.h"

typedef struct mark {
    uint64_t due;  /* of the last writer, by its latency */
    uint64_t read; /* cycle in which the last reader has its operands */
    uint8_t writers;
    bool dry; /* of one of them no lane writes */
} mark;

typedef struct note {
    mark reg[256], pred[8];
    uint8_t guard[8]; /* writers that guards do not see yet */
} note;

struct sm_oracle {
    bool ordered; /* results of one register may follow each other */
    note warp[SM_WARPS];
};

sm_oracle *sm_oracle_new(const config *cfg)
{
    bool wanted = cfg->sm.issue.oracle;
    sm_oracle *o;

#ifdef HEDDLE_CHECKS
    wanted = true;
#endif
    if (cfg->sm.issue.hazard ==
        CFG_HAZARD_CODES) /* nothing else would notice */
        wanted = true;
    if (!wanted || cfg->sm.issue.hazard == CFG_HAZARD_NONE)
        return NULL;
    o = new0(1, sizeof *o);
    o->ordered = cfg->sm.issue.hazard == CFG_HAZARD_CODES ||
                 cfg->sm.issue.hazard == CFG_HAZARD_COUNTED;
    return o;
}

void sm_oracle_free(sm_oracle *o) { free(o); }

/* May a result that is due then be written, too? */
static bool overwrites(const sm_oracle *o, const mark *m, uint64_t due)
{
    return !m->writers || (o->ordered && due > m->due);
}

bool sm_oracle_allows(const sm_oracle *o, unsigned w, const sm_inst *si,
                      uint64_t now)
{
    const note *n = &o->warp[w];
    const isa_inst *in = si->in;
    uint64_t due = now + (si->flags & INST_LATE ? 0 : si->latency);

    for (unsigned i = 0; i < si->reads; i++)
        if (n->reg[si->read[i]].writers)
            return false;
    for (unsigned i = 0; i < in->dst_regs; i++)
        if (!overwrites(o, &n->reg[in->dst + i], due))
            return false;
    for (unsigned i = 0; i < in->dst2_regs; i++)
        if (!overwrites(o, &n->reg[isa_second(in) + i], due))
            return false;
    for (unsigned i = 0; i < 8; i++)
        if ((in->pread >> i & 1 && n->pred[i].writers) ||
            (in->pwrite >> i & 1 && !overwrites(o, &n->pred[i], due)))
            return false;
    return in->guard == ISA_PT || !n->guard[in->guard & 7];
}

static void add(mark *m, uint64_t due, bool writes)
{
    m->dry = !writes || (m->writers && m->dry);
    m->writers++;
    m->due = due;
}

void sm_oracle_pend(sm_oracle *o, unsigned w, const sm_inst *si, bool writes,
                    uint64_t now)
{
    note *n = &o->warp[w];
    uint64_t due = si->flags & INST_LATE ? UINT64_MAX : now + si->latency;

    for (unsigned i = 0; i < si->in->dst_regs; i++)
        add(&n->reg[si->in->dst + i], due, writes);
    for (unsigned i = 0; i < si->in->dst2_regs; i++)
        add(&n->reg[isa_second(si->in) + i], due, writes);
    for (unsigned i = 0; i < 8; i++)
        if (si->in->pwrite >> i & 1) {
            add(&n->pred[i], due, writes);
            n->guard[i]++;
        }
}

void sm_oracle_read(sm_oracle *o, unsigned w, const sm_inst *si, uint64_t when)
{
    note *n = &o->warp[w];

    for (unsigned i = 0; i < si->reads; i++)
        if (n->reg[si->read[i]].read < when)
            n->reg[si->read[i]].read = when;
}

bool sm_oracle_write(sm_oracle *o, unsigned w, const sm_inst *si,
                     unsigned first, unsigned count, uint64_t now)
{
    note *n = &o->warp[w];
    bool read = true;

    for (unsigned i = first; i < first + count; i++) {
        mark *m = &n->reg[si->in->dst + i];

        m->writers--;
        read = read && (m->dry || m->read <= now);
    }
    for (unsigned i = 0;
         i < si->in->dst2_regs && first + count == si->in->dst_regs; i++)
        n->reg[isa_second(si->in) + i].writers--;
    for (unsigned i = 0; i < 8 && first + count == si->in->dst_regs; i++)
        n->pred[i].writers -= si->in->pwrite >> i & 1;
    return read;
}

bool sm_oracle_awaits(const sm_oracle *o, unsigned w, const uint64_t reg[4])
{
    const note *n = &o->warp[w];

    for (unsigned i = 0; i < COUNTOF(n->reg); i++)
        if ((n->reg[i].writers != 0) != (reg[i / 64] >> i % 64 & 1))
            return false;
    return true;
}

void sm_oracle_guard(sm_oracle *o, unsigned w, const sm_inst *si)
{
    for (unsigned i = 0; i < 8; i++)
        o->warp[w].guard[i] -= si->in->pwrite >> i & 1;
}
