/* src/sm/memory/tma_state.h - the state of a tensor memory accelerator, for
 * tma.c and tma_groups.c. */
#ifndef SM_MEMORY_TMA_STATE_H
#define SM_MEMORY_TMA_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/cga.h"
#include "exec/tma.h"
#include "mem/port.h"

enum {
    TMA_GROUPS = 16, /* of a warp under way, the open one included [guess] */
    TMA_ATOMS = 64,  /* lines of reductions under way */
};

/* In tags: which copy, and what the message is. */
#define TMA_TAG_NUMBER 0xffffu
#define TMA_TAG_MAP    0x80000000u /* a tensor map comes */
#define TMA_TAG_LAST   0x40000000u /* all data went before */

typedef struct sm_tma_stats {
#define STAT(id, unit, help) uint64_t id;
#include "sm/tma_stats.def"
#undef STAT
} sm_tma_stats;

/* A copy under way. */
typedef struct tma_op {
    exec_tma t;
    exec_tma_walk walk; /* behind `run` */
    exec_tma_run run;   /* what is left of it is next */
    const exec_cga *cga;
    uint64_t born, ready; /* cycles: handed over; it begins, at the earliest */
    uint32_t pc;
    uint32_t moved; /* bytes, between shared memories */
    uint32_t left;  /* requests without answer */
    uint32_t acks;  /* other CTAs that have yet to answer */
    uint16_t own;   /* rank of the CTA that asked, as a bit */
    uint16_t told;  /* CTAs that know that all is there */
    uint16_t next;  /* free list, number + 1 */
    uint8_t warp, cta, group;
    bool asked, mapped; /* for its map; has it */
    bool all;           /* its lines have been asked for, or have left */
    bool ended;         /* and are there; all others have been told */
    uint8_t failed[EXEC_CGA_MOST]; /* exec_fault_kind, at other CTAs */
} tma_op;

/* A part of a copy in one line of memory. */
typedef struct tma_piece {
    uint64_t at;
    uint32_t offset, bytes; /* in the image of the box */
} tma_piece;

/* Stores of a warp in groups, as sm/memory/async_copy.h has copies. */
typedef struct tma_groups {
    uint16_t left[TMA_GROUPS];    /* not complete */
    uint16_t reading[TMA_GROUPS]; /* that may yet read their source */
    uint8_t open, older;
    bool read; /* the warp waits for sources only */
} tma_groups;

struct sm_tma {
    tma_op *op;
    unsigned room, used, free; /* free: number + 1 */
    uint16_t *order;           /* copies that have yet to ask for lines */
    unsigned first, waiting;
    uint16_t *ending; /* whose lines are all there */
    unsigned end_first, end_count;
    unsigned lines;     /* under way */
    uint64_t link_free; /* from this cycle on others' lines can come */
    bool yields;        /* the load unit comes before the next line */
    bool taken;         /* of the line that came first, `targets` are left */
    uint16_t targets;
    tensor_map *maps; /* cached: map_count of them */
    uint64_t *map_at, *map_age, ages;
    unsigned map_count;
    tma_groups *groups; /* by warp slot */
    mem_atom *atoms, *atom_free;
    sm_tma_stats st;
};

struct sm;

/* A copy of warp `w` has read its source, or is complete. */
void sm_tma_group_changed(struct sm *s, unsigned w);

#endif
