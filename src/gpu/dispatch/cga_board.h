/* src/gpu/dispatch/cga_board.h - the thread-block clusters that are on the
 * machine, and their barriers: a CTA whose warps have all arrived says so, and
 * when all CTAs of the cluster have, or have ended, the SMs are told. Written
 * between windows only. Owns its entries, whose addresses stay. */
#ifndef GPU_DISPATCH_CGA_BOARD_H
#define GPU_DISPATCH_CGA_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/cga.h"
#include "sm/cga.h"

typedef struct cga_entry {
    exec_cga is;            /* first, so that its address is the entry's */
    uint32_t arrived, left; /* CTAs, by rank */
    uint64_t last;          /* the cycle in which the last of them did */
    struct cga_entry *next; /* free ones, */
    struct cga_entry *all;  /* and all */
} cga_entry;

typedef struct cga_board {
    cga_entry *free, *all;
    uint32_t serial;
} cga_board;

void cga_board_fini(cga_board *b);  /* zeroed is fine */
void cga_board_clear(cga_board *b); /* no cluster is on the machine */

/* A cluster of `size` CTAs begins. Valid until the last of them has ended. */
exec_cga *cga_board_begin(cga_board *b, unsigned size);

/* Takes a word of an SM. True: with it all CTAs have arrived, in cycle *last;
 * the SMs of *who, a bit of each rank, are to be told. */
bool cga_board_take(cga_board *b, const sm_cga_word *w, uint64_t *last,
                    uint32_t *who);

#endif
