/* src/sm/memory/hints.h - what an access says of how long caches are to keep
 * its lines: by its modifiers, a cache policy, or the access window of its
 * kernel [PTX85:cache-eviction-priority-hints]. */
#ifndef SM_MEMORY_HINTS_H
#define SM_MEMORY_HINTS_H

#include "isa/isa.h"
#include "mem/port.h"

struct sm;
struct sm_lsu_entry;

/* isa_cache of an access. */
static inline unsigned sm_hint_of(const isa_inst *in)
{
    if (in->op == ISA_CCTL)
        return ISA_GET(in, PFLEVEL) ? CACHE_CA : CACHE_CG;
    return ISA_GET(in, CACHE);
}

static inline bool sm_is_volatile(const isa_inst *in)
{
    return sm_hint_of(in) == CACHE_CV ||
           (isa_table[in->op].mods >> MOD_ORDER & 1 &&
            ISA_GET(in, ORDER) == ORDER_VOLATILE);
}

/* Tells the L2 something about lines: no data go either way. */
static inline bool sm_is_order(const isa_inst *in)
{
    return in->op == ISA_CCTL && ISA_GET(in, PFLEVEL) >= PFLEVEL_APPLY;
}

/* Is the number 2 of its sources a cache policy? */
static inline bool sm_keep_by_policy(const isa_inst *in)
{
    return in->src_kind[2] == SRC_REG && in->src[2] != ISA_RZ &&
           isa_table[in->op].mods >> MOD_KEEP & 1;
}

/* The policy of an access that is being issued: that of the lowest lane. */
uint64_t sm_keep_policy(const struct sm *s, unsigned warp, const isa_inst *in,
                        uint32_t lanes);

/* Fills in what `m`, a request of `e`, says of it. */
void sm_keep_note(const struct sm *s, const struct sm_lsu_entry *e, mem_msg *m);

#endif
