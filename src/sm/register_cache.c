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
static inline bool look(sm_register_cache *c, unsigned bank, unsigned slot,
                        unsigned warp, unsigned reg, bool keep, unsigned *stale)
{
    sm_register_entry *e = &c->entry[slot][bank];
    uint64_t bit = (uint64_t)1 << bank;
    bool found = false, old = false;

    if (c->valid[slot] & bit) {
        found = e->warp == warp && e->reg == reg;
        old = found && e->stale;
        *stale += old;
        c->valid[slot] &= ~bit;
    }
    if (keep) {
        *e = (sm_register_entry){(uint8_t)reg, (uint8_t)warp, old};
        c->valid[slot] |= bit;
    }
    return found;
}

uint32_t sm_register_cache_read(sm_register_cache *c, unsigned warp,
                                const sm_inst *si, const uint8_t *bank,
                                unsigned *stale)
{
    const isa_inst *in = si->in;
    unsigned next = 0; /* registers mostly come in the order of si->read */
    uint32_t missed = 0;

    for (unsigned slot = 0; slot < REGISTER_SLOTS; slot++) {
        bool keep = in->ctl >> (CTL_REUSE + slot) & 1;

        for (unsigned r = 0; r < in->src_regs[slot]; r++) {
            unsigned reg = in->src[slot] + r, i = next;

            if (reg >= ISA_RZ)
                continue;
            if (i >= si->reads || si->read[i] != reg)
                i = index_of(si, reg);
            next = i + 1;
            if (!look(c, bank[i], slot, warp, reg, keep, stale))
                missed |= 1u << i;
        }
    }
    return ((1u << si->reads) - 1) & ~missed;
}

void sm_register_cache_write(sm_register_cache *c, unsigned warp,
                             const isa_inst *in)
{
    if (!in->dst_regs && in->op != ISA_EXIT)
        return;
    for (unsigned slot = 0; slot < REGISTER_SLOTS; slot++)
        for (uint64_t left = c->valid[slot]; left; left &= left - 1) {
            unsigned bank = bits_ctz64(left);
            sm_register_entry *e = &c->entry[slot][bank];

            if (e->warp != warp)
                continue;
            if ((unsigned)e->reg - in->dst < in->dst_regs)
                e->stale = true;
            if (in->op == ISA_EXIT)
                c->valid[slot] &= ~((uint64_t)1 << bank);
        }
}
