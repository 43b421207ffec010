/* src/codegen/flow/wait_find.h - the loops of a function that wait, for wait.c.
 *
 * A loop waits if its exit depends on the result of a volatile or stronger load
 * or of an atomic that reads the same address in every round. A loop around a
 * compare-and-swap that has a new address or a new value in each round makes
 * progress by itself, unless that address is written plainly behind it: then it
 * was a lock, too (of a node of a tree, say).
 *
 * Where the exit depends on values that are the same for all lanes, such as a
 * flag at one address, they leave together: none has to release anything before
 * the others go on.
 *
 * "Behind" a loop are the blocks that lanes come to when they leave it, in the
 * same round of the loops around it. */
#ifndef CODEGEN_FLOW_WAIT_FIND_H
#define CODEGEN_FLOW_WAIT_FIND_H

#include "codegen/ir/defuse.h"

typedef struct sync { /* a read that a loop is left by */
    const cg_inst *in;
    bool steady; /* the same place and value each time */
    struct sync *next;
} sync;

typedef struct waiting { /* a loop that may wait */
    sync *reads;
    bool waits;
    bool sure;        /* `ends` write where it reads, else they may */
    bool outlives;    /* what it got is given back by the function's caller */
    uint32_t *ends;   /* blocks behind it with writes that end the wait */
    uint32_t n;       /* their number */
    uint32_t *behind; /* all blocks behind it, in the same round of the loops
                         around it */
    uint32_t nbehind;
} waiting;

typedef struct waits {
    arena *mem;
    cg_func *f;
    const cg_defuse *d;
    const graph *g;
    const graph_loops *loops;
    uint32_t *meet_in_loop;
    waiting *of; /* by loop */
    bool any;
    bool *tainted; /* by word: depends on what a read of a loop gave */
    uint32_t *stamps, *work; /* of walks, by block */
    uint32_t stamp;
} waits;

/* Looks at all loops. False if none waits. Borrows d and loops; the results
 * live in the arena. */
bool wt_find(arena *a, const cg_defuse *d, const graph_loops *loops, waits *w);

/* Reads what other threads may have written since it was read last. */
bool wt_is_read(const cg_inst *in);
bool wt_reads(const cg_block *b); /* has such an instruction */

/* Writes what other threads may read; compare-and-swap does not count. */
bool wt_is_write(const cg_inst *in);

/* All lanes have to come to this instruction together. */
bool wt_is_meeting(const cg_inst *in);

/* The last write of block b that ends the wait in loop l, before lanes have to
 * meet there; NULL: none. *closed: what is behind the block does not count. */
cg_inst *wt_last_end(const waits *w, uint32_t l, uint32_t b, bool *closed);

bool wt_in_loop(const waits *w, uint32_t l, uint32_t block);

/* Blocks from `from` on before `to` (GRAPH_NONE: all) behind loop l, in
 * w->work; their number. */
uint32_t wt_onward_between(waits *w, uint32_t l, uint32_t from, uint32_t to);

#endif
