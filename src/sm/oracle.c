/* src/sm/oracle.c - see oracle.h. */
#include "sm/oracle.h"

#include <stdlib.h>

typedef struct note {
    bool reg[256];
    uint8_t pred, guard; /* a bit each */
} note;

struct sm_oracle {
    note warp[64];
};

sm_oracle *sm_oracle_new(const config *cfg, bool *ok)
{
    bool wanted = cfg->sm.issue.oracle;
    sm_oracle *o;

#ifdef HEDDLE_CHECKS
    wanted = true;
#endif
    if (!wanted || cfg->sm.issue.hazard == CFG_HAZARD_NONE)
        return NULL;
    o = calloc(1, sizeof *o);
    *ok = *ok && o;
    return o;
}

void sm_oracle_free(sm_oracle *o) { free(o); }

bool sm_oracle_allows(const sm_oracle *o, unsigned w, const sm_inst *si)
{
    const note *n = &o->warp[w];
    const isa_inst *in = si->in;

    for (unsigned i = 0; i < si->reads; i++)
        if (n->reg[si->read[i]])
            return false;
    for (unsigned i = 0; i < in->dst_regs; i++)
        if (n->reg[in->dst + i])
            return false;
    return !(n->pred & (in->pread | in->pwrite)) && !(n->guard & si->guard);
}

static void mark(note *n, const isa_inst *in, bool pending)
{
    for (unsigned i = 0; i < in->dst_regs; i++)
        n->reg[in->dst + i] = pending;
}

void sm_oracle_pend(sm_oracle *o, unsigned w, const sm_inst *si)
{
    mark(&o->warp[w], si->in, true);
    o->warp[w].pred |= si->in->pwrite;
    o->warp[w].guard |= si->in->pwrite;
}

void sm_oracle_write(sm_oracle *o, unsigned w, const sm_inst *si)
{
    mark(&o->warp[w], si->in, false);
    o->warp[w].pred &= (uint8_t)~si->in->pwrite;
}

void sm_oracle_guard(sm_oracle *o, unsigned w, const sm_inst *si)
{
    o->warp[w].guard &= (uint8_t)~si->in->pwrite;
}
