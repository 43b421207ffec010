/* src/mem/ring.c - storage of a ring; everything else is inline. */
#include "mem/ring.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"

enum { FIRST_SLOTS = 16 };

void mem_ring_init(mem_ring *r, uint64_t slots)
{
    slots = (uint64_t)1 << bits_log2_up(slots ? slots : 1);
    uint64_t first = slots < FIRST_SLOTS ? slots : FIRST_SLOTS;

    MUST(slots <= UINT32_MAX);
    *r = (mem_ring){
        .mask = (uint32_t)(first - 1), .most = (uint32_t)slots, .next = NEVER};
    r->at = new_array(first, sizeof *r->at);
}

void mem_ring_fini(mem_ring *r)
{
    free(r->at);
    r->at = NULL;
}

void mem_ring_grow(mem_ring *r)
{
    uint32_t slots = r->mask + 1;
    mem_msg *at = new_array(2 * (size_t)slots, sizeof *at);

    for (uint32_t i = 0; i < r->count; i++)
        at[i] = *mem_ring_at(r, i);
    free(r->at);
    r->at = at;
    r->head = 0;
    r->mask = 2 * slots - 1;
}
