/* src/sm/register_cache.h - the register-file cache that the compiler fills by
 * reuse bits [HUERTA:register-file-cache].
 *
 * A scheduler has an entry for each bank and operand slot. An instruction finds
 * a register there if one of its own warp left it for that slot. Whatever it
 * finds, an entry that it asked for is empty afterwards, unless the reuse bit
 * of that slot keeps what it got. A device compares no entry with results: that
 * a register was not written since is the compiler's word, which `stale` here
 * checks. Owns its entries, borrows nothing. */
#ifndef SM_REGISTER_CACHE_H
#define SM_REGISTER_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/decode.h"

enum { REGISTER_SLOTS = 3, REGISTER_BANKS = 64 };

typedef struct sm_register_entry {
    uint8_t reg, warp;
    bool stale; /* written since */
} sm_register_entry;

typedef struct sm_register_cache {
    uint64_t valid[REGISTER_SLOTS]; /* banks, a bit each */
    sm_register_entry entry[REGISTER_SLOTS][REGISTER_BANKS];
} sm_register_cache;

/* It is empty and stays so: `in` finds nothing, and keeps nothing. */
static inline bool sm_register_cache_rests(const sm_register_cache *c,
                                           const isa_inst *in)
{
    enum { ALL = (1 << REGISTER_SLOTS) - 1 };

    return !(c->valid[0] | c->valid[1] | c->valid[2]) &&
           !(in->ctl >> CTL_REUSE & ALL);
}

/* The operands of `si` that all their slots find, as bits of si->read; bank[i]
 * is that of si->read[i]. *stale grows by those that were written since. */
uint32_t sm_register_cache_read(sm_register_cache *c, unsigned warp,
                                const sm_inst *si, const uint8_t *bank,
                                unsigned *stale);

/* `in` of `warp` writes its results, or ends lanes of the warp. */
void sm_register_cache_write(sm_register_cache *c, unsigned warp,
                             const isa_inst *in);

#endif
