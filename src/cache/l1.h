/* src/cache/l1.h - the L1 data cache of an SM, between its load and store unit
 * and the network. Holds tags only; the data are in the memory image.
 * Owns its state, borrows ports and registry. Not thread-safe.
 *
 * Requests: MEM_READ, MEM_WRITE, MEM_ATOMIC, MEM_REDUCE, one line each. Every
 * read and atomic is answered by one MEM_DATA, every reduction and every write
 * with `ack` by one MEM_ACK, with the tag of the request. Requests to one line
 * are performed in the order of arrival; others, too, unless `l1.queue` says
 * otherwise: then MEM_FENCE is answered when all earlier requests of its warp
 * have been performed.
 *
 * Towards the network, fills carry the L1's own tags and client; all else
 * passes with the requester's tag and client. */
#ifndef CACHE_L1_H
#define CACHE_L1_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cache/mmu.h"
#include "config/config.h"
#include "mem/event_log.h"
#include "mem/port.h"
#include "stats/stats.h"

typedef struct l1 l1;

typedef struct l1_ports {
    mem_port *from_lsu, *to_lsu;
    mem_port *to_net, *from_net;
    uint16_t node;  /* src of what it sends */
    uint8_t client; /* mem_client of its fills */
    const mmu *mmu; /* NULL: all addresses are translated */
} l1_ports;

/* `cfg` with the texture and read-only cache as its L1, for l1_new: there are
 * two in an SM that has one. */
void l1_read_only_config(const config *cfg, config *out);

/* May it perform requests of one warp in another order than they come? */
bool l1_reorders(const config *cfg);

/* `name` is its path in the registry. */
l1 *l1_new(const config *cfg, stats *reg, const char *name,
           const l1_ports *ports);
void l1_free(l1 *b);

/* One cycle. Returns the next one in which something can happen given what is
 * in the ports now; mem_port_wake of from_lsu and from_net may be earlier. */
uint64_t l1_tick(l1 *b, uint64_t now);

/* Charges the cycles before `now` to the counters, as the next l1_tick would;
 * needed before they are read. */
void l1_settle(l1 *b, uint64_t now);

/* Start of a kernel: invalidates all lines. So many sets, and ways of each, are
 * cache, the rest is shared memory; 0 means all. The cache must be idle. */
void l1_reset(l1 *b, uint32_t sets, uint32_t ways);

/* What it has asked the MMU, and will be answered by it. */
struct tlb *l1_tlb(l1 *b);

bool l1_idle(const l1 *b); /* no request in it or underway for it */
void l1_dump(const l1 *b, FILE *f);

/* Records what happens into `log`, borrowed, with `unit` as its number; NULL:
 * no longer. */
void l1_trace(l1 *b, event_log *log, unsigned unit);
/* In place of l1_tick meanwhile: records queues, too. */
uint64_t l1_tick_traced(l1 *b, uint64_t now);

/* Names of the refusals that TRACE_L1_REFUSE has in `a`. */
extern const char *const l1_refusals[];

extern const stats_block l1_stats_block, l1_read_only_stats_block,
    l1_queue_stats_block;

#endif
