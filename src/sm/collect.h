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
#include "sm/code.h"

enum {
    COLLECT_GROUPS = 4,
    COLLECT_BANKS = 64,
    COLLECT_UNITS_MAX = 64,
    COLLECT_WARPS = 64
};

typedef struct sm_collect {
    cfg_collect mode;
    uint32_t group_of[COLLECT_GROUPS]; /* by scheduler */
    uint32_t banks, ports, window, collectors;
    bool shared;                   /* what one scheduler takes, another lacks */
    uint8_t offset[COLLECT_WARPS]; /* by warp: added to its registers' banks */
    /* Per bank: the next free read slot, counted cycle * ports + port. */
    uint64_t bank[COLLECT_GROUPS][COLLECT_BANKS];
    uint64_t unit[COLLECT_GROUPS][COLLECT_UNITS_MAX]; /* free from */
    uint64_t first[COLLECT_GROUPS];                   /* the earliest of them */
    /* What the tensor cores of a scheduler multiplied last. */
    const sm_inst *factors[COLLECT_GROUPS];
    unsigned factors_of[COLLECT_GROUPS]; /* warp */
} sm_collect;

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

/* Reads the operands of `si`, issued at `now` from a free collector. Returns
 * by how many cycles conflicts delay it; *held is the collector it keeps until
 * sm_collect_release. */
unsigned sm_collect_read(sm_collect *c, unsigned sched, unsigned warp,
                         const sm_inst *si, uint64_t now, unsigned *held);

/* Cycles from issue to when nothing delays operands. */
static inline unsigned sm_collect_time(const sm_collect *c)
{
    return c->mode == CFG_COLLECT_NONE ? 0 : c->window;
}

/* The collector is free from cycle `when`. */
void sm_collect_release(sm_collect *c, unsigned sched, unsigned held,
                        uint64_t when);

#endif
