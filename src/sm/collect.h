/* src/sm/collect.h - operand collection: registers lie in single-ported banks,
 * an instruction keeps a collector until it has its operands.
 *
 * Banks serve reads in the order of issue, so when an operand is read is known
 * at issue and nothing needs to be polled. Owns its times, borrows nothing. */
#ifndef SM_COLLECT_H
#define SM_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/decode.h"
#include "sm/limits.h"
#include "sm/register_cache.h"

enum {
    COLLECT_GROUPS = 4,
    COLLECT_BANKS = 64,
    COLLECT_UNITS_MAX = 64,
    COLLECT_ENTRIES = 8,
    COLLECT_CACHE = 16
};

/* Of one scheduler under CFG_COLLECT_PORTS: the entries of its dispatch ports,
 * each busy until its last operand has been read, and its operand cache. */
typedef struct sm_gather {
    uint64_t entry[2][COLLECT_ENTRIES]; /* free from */
    uint64_t first[2];                  /* the earliest of them */
    uint64_t until;                     /* its banks' last read so far */
    uint32_t warp;                      /* whose registers are cached */
    uint32_t oldest, cached;            /* in `reg`, a ring; how many */
    uint8_t reg[COLLECT_CACHE];
    uint64_t fill;      /* how often the cache has begun to fill */
    uint64_t mark[256]; /* by register: it is cached if this is `fill`, */
    uint64_t at[256];   /* and when it was read */
} sm_gather;

typedef struct sm_collect {
    cfg_collect mode;
    uint32_t group_of[COLLECT_GROUPS]; /* by scheduler */
    uint32_t banks, ports, window, collectors;
    bool shared;              /* what one scheduler takes, another lacks */
    uint8_t offset[SM_WARPS]; /* by warp: added to its registers' banks */
    /* Per bank: the next free read slot, counted cycle * ports + port. */
    uint64_t bank[COLLECT_GROUPS][COLLECT_BANKS];
    uint64_t unit[COLLECT_GROUPS][COLLECT_UNITS_MAX]; /* free from */
    uint64_t first[COLLECT_GROUPS];                   /* the earliest of them */
    /* Under ports: of each scheduler; what was gathered last, from the banks or
     * the cache, and by how many cycles operands and result come late; the next
     * instruction is the second of a pair. */
    sm_gather gather[COLLECT_GROUPS];
    uint32_t entries[2], cache, reuse;
    uint32_t read, hit, late, after;
    bool second;
    /* sm_collect_stage() is to be called: under allocate, or with a register
     * cache. Of each scheduler: from when on the Allocate stage is free, and
     * the last cycle in which a register is read; and whether what was found
     * in the cache had been written since. */
    bool staged, keeps;
    bool frees; /* units are free again when an instruction has left them */
    uint64_t stage[COLLECT_GROUPS], until[COLLECT_GROUPS];
    unsigned stale;
    sm_register_cache kept[COLLECT_GROUPS];
    /* What the tensor cores of a scheduler multiplied last. */
    const sm_inst *factors[COLLECT_GROUPS];
    unsigned factors_of[COLLECT_GROUPS]; /* warp */
} sm_collect;

/* *c is zero. */
void sm_collect_init(sm_collect *c, const config *cfg);

/* Other code comes. */
void sm_collect_launch(sm_collect *c);

/* The bank of a register, but for the warp's offset. */
unsigned sm_collect_bank(const config *cfg, unsigned reg);

/* The cycle from which scheduler `sched` has a free collector. */
static inline uint64_t sm_collect_when(const sm_collect *c, unsigned sched)
{
    return c->first[c->group_of[sched]];
}

/* The same of its second port, under ports. */
static inline uint64_t sm_collect_second(const sm_collect *c, unsigned sched)
{
    return c->gather[sched].first[1];
}

/* For sm_collect_read: under ports; and registers of `si` to read: not those
 * that its tensor cores hold since the instruction before, if that was the
 * warp's. */
void sm_collect_gather(sm_collect *c, unsigned sched, unsigned warp,
                       const sm_inst *si, uint64_t now);
unsigned sm_collect_kept(sm_collect *c, unsigned sched, unsigned warp,
                         const sm_inst *si);

/* In place of sm_collect_read and _release where there is a stage or a cache:
 * books the reads of `si`, issued at `now`, and when the scheduler may issue
 * next. Returns by how many cycles its operands come late; of them `late`
 * behind another instruction, `after` is by how many its result does; `read`,
 * `hit` and `stale` are its operands by where they came from. */
unsigned sm_collect_stage(sm_collect *c, unsigned sched, unsigned warp,
                          const sm_inst *si, uint64_t now);

/* The last read slot used, if reads start in slot `first` or later. */
static inline uint64_t sm_collect_slot(const sm_collect *c, uint64_t *bank,
                                       unsigned warp, const sm_inst *si,
                                       unsigned reads, uint64_t first)
{
    unsigned offset = c->offset[warp];
    uint64_t last = first;

    for (unsigned i = 0; i < reads; i++) {
        unsigned b = si->bank[i] + offset;
        if (b >= c->banks)
            b -= c->banks;
        uint64_t slot = bank[b] > first ? bank[b] : first;

        bank[b] = slot + 1;
        if (slot > last)
            last = slot;
    }
    return last;
}

/* Reads the operands of `si`, issued at `now` from a free collector. Returns
 * by how many cycles conflicts delay it; *held is the collector it keeps until
 * sm_collect_release. Under ports nothing is kept, and what is late is in
 * `late`: it does not hold up the unit. */
static inline __attribute__((always_inline)) unsigned
sm_collect_read(sm_collect *c, unsigned sched, unsigned warp, const sm_inst *si,
                uint64_t now, unsigned *held)
{
    unsigned g = c->group_of[sched];

    *held = 0;
    if (c->mode < CFG_COLLECT_UNITS) {
        if (c->mode == CFG_COLLECT_PORTS)
            sm_collect_gather(c, sched, warp, si, now);
        return 0;
    }
    while (*held + 1 < c->collectors && c->unit[g][*held] > now)
        ++*held;
    if (!si->reads)
        return 0;
    unsigned reads = si->class == ISA_CLASS_TENSOR
                         ? sm_collect_kept(c, sched, warp, si)
                         : si->reads;
    uint64_t last =
        sm_collect_slot(c, c->bank[g], warp, si, reads, now * c->ports);
    if (c->ports > 1)
        last /= c->ports;
    uint64_t due = now + c->window;
    return last >= due ? (unsigned)(last + 1 - due) : 0;
}

/* Cycles from issue to when nothing delays operands. */
static inline unsigned sm_collect_time(const sm_collect *c)
{
    return c->mode == CFG_COLLECT_NONE ? 0 : c->window;
}

/* The collector is free from cycle `when`. */
void sm_collect_release(sm_collect *c, unsigned sched, unsigned held,
                        uint64_t when);

#endif
