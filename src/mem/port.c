/* src/mem/port.c - storage of a port; everything else is inline. */
#include "mem/port.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"

void mem_port_init(mem_port *p, uint32_t capacity, uint32_t latency)
{
    MUST(capacity > 0 && latency > 0);
    memset(p, 0, sizeof *p);
    uint64_t slots = (uint64_t)1 << bits_log2_up(capacity);
    p->ring = new_array(slots, sizeof *p->ring);
    p->mask = (uint32_t)(slots - 1);
    p->capacity = capacity;
    p->latency = latency;
    p->pop_cycle = p->next = NEVER;
}

void mem_port_fini(mem_port *p)
{
    free(p->ring);
    p->ring = NULL;
}
