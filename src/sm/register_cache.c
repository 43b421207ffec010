#include "sm/register_cache.h"

#include "base/bits.h"

static unsigned index_of(const sm_inst *si, unsigned reg)
{
    unsigned i = 0;

    while (i < si->reads && si->read[i] != reg)
        i++;
    return i;
}

/* Slot `slot` of an instruction asks for `reg`; `keep`: its reuse bit. */
static bool look(sm_register_cache *c, unsigned bank, unsigned slot,
                 unsigned warp, unsigned reg, bool keep, unsigned *stale)
{
    sm_register_entry *e = &c->entry[slot][bank];
    bool valid = c->valid[slot] >> bank & 1;
    bool found = valid && e->warp == warp && e->reg == reg;

    *stale += found && e->stale;
    *e = (sm_register_entry){
        .reg = (uint8_t)reg,
        .warp = (uint8_t)warp,
        .stale = found && e->stale,
    };
    c->valid[slot] &= ~((uint64_t)1 << bank);
    c->valid[slot] |= (uint64_t)keep << bank;
    return found;
}

uint32_t sm_register_cache_read(sm_register_cache *c, unsigned warp,
                                const sm_inst *si, const uint8_t *bank,
                                unsigned *stale)
{
    const isa_inst *in = si->in;
    uint32_t missed = 0;

    for (unsigned slot = 0; slot < REGISTER_SLOTS; slot++) {
        bool keep = in->ctl >> (CTL_REUSE + slot) & 1;

        for (unsigned r = 0; r < in->src_regs[slot]; r++) {
            unsigned reg = in->src[slot] + r, i = index_of(si, reg);

            if (reg < ISA_RZ && !look(c, bank[i], slot, warp, reg, keep, stale))
                missed |= 1u << i;
        }
    }
    return ((1u << si->reads) - 1) & ~missed;
}

void sm_register_cache_write(sm_register_cache *c, unsigned warp,
                             const isa_inst *in)
{
    for (unsigned slot = 0; slot < REGISTER_SLOTS; slot++)
        for (uint64_t left = c->valid[slot]; left; left &= left - 1) {
            unsigned bank = bits_ctz64(left);
            sm_register_entry *e = &c->entry[slot][bank];

            if (e->warp != warp)
                continue;
            if (e->reg - in->dst < in->dst_regs && e->reg >= in->dst)
                e->stale = true;
            if (in->op == ISA_EXIT)
                c->valid[slot] &= ~((uint64_t)1 << bank);
        }
}
