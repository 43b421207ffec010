/* src/cache/tlb.h - the TLB in front of the network of an L1, which is
 * addressed virtually: what hits there needs no translation. Fully associative,
 * least recently used goes. Requests to a page whose translation is on its way
 * wait together; those to others pass them. Owned by its L1, borrows the MMU.
 */
#ifndef CACHE_TLB_H
#define CACHE_TLB_H

#include <stdbool.h>
#include <stdint.h>

#include "cache/mmu.h"
#include "mem/port.h"
#include "mem/spread.h"

typedef struct tlb_wait { /* a page on its way */
    uint64_t page;
    uint64_t ready; /* NEVER: the MMU has not answered yet */
} tlb_wait;

typedef struct tlb_ask { /* what the second level was looked up for */
    uint64_t page, when;
    bool hit;
} tlb_ask;

typedef struct tlb {
    const mmu *mmu; /* NULL: there is no TLB, all is translated */
    unsigned sm;
    uint32_t entries, held;
    uint32_t shift;   /* log2 of the page */
    uint32_t latency; /* of a hit in the second level */
    uint64_t *page;   /* held, the most recently used first */
    tlb_wait *wait;
    uint32_t waits, wait_room;
    uint64_t next; /* when the first of them is ready; NEVER */
    tlb_ask *ask;  /* in this window */
    uint32_t asks, ask_room;
} tlb;

/* For the L1 of `sm`; `m` may be NULL. */
void tlb_init(tlb *t, const config *cfg, const mmu *m, unsigned sm);
void tlb_fini(tlb *t);

/* Not the page used last: true if it is held. Else its translation is on its
 * way; *anew tells whether it is asked for only now. */
bool tlb_search(tlb *t, uint64_t now, uint64_t page, bool *anew);

/* True if a request to `addr` may leave. */
static inline bool tlb_find(tlb *t, uint64_t now, uint64_t addr, bool *anew)
{
    uint64_t page = mem_place(addr) >> t->shift;

    return (t->held && t->page[0] == page) || tlb_search(t, now, page, anew);
}

/* Is the translation of `addr`, which was on its way, there? */
bool tlb_ready(const tlb *t, uint64_t now, uint64_t addr);
/* Holds what is there from now on; to be called once the requests to it have
 * left. */
void tlb_fill(tlb *t, uint64_t now);

/* The MMU: `page` is there in cycle `when`. */
void tlb_answer(tlb *t, uint64_t page, uint64_t when);

#endif
