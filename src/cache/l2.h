/* src/cache/l2.h - a slice of the L2, between the network and a DRAM channel.
 * Holds tags only; atomics are performed here, on the memory image, in the
 * order of arrival. Owns its state, borrows ports, view and registry. Not
 * thread-safe.
 *
 * Requests as for the L1 (cache/l1.h); replies go back to their `src` with tag
 * and client unchanged, and with the mem_atom they came with. Towards DRAM the
 * slice sends MEM_READ with its own tags, answered by MEM_DATA, and MEM_WRITE,
 * not answered.
 *
 * Where the L2 has two partitions (l2.partitions), slice i of one has a
 * counterpart in the other, slice i of that. A request comes to the slice that
 * is near its SM, be it the line's home or the home's counterpart. The home
 * holds the line and knows which sectors its counterpart may have copies of;
 * the counterpart keeps copies of what was read, and sends on the rest
 * (l2_far.h).
 *
 * Runs on its own clock, `l2.clock_khz`; `now` is always a core cycle. */
#ifndef CACHE_L2_H
#define CACHE_L2_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config.h"
#include "mem/event_log.h"
#include "mem/port.h"
#include "mem/view.h"
#include "stats/stats.h"

typedef struct l2 l2;

typedef struct l2_ports {
    mem_port *from_net, *to_net;
    mem_port *to_dram, *from_dram;
    /* To and from the counterpart, NULL where there is one partition: requests
     * for lines of the receiver; answers, and what takes back copies. */
    mem_port *to_home, *from_near;
    mem_port *to_link, *from_link;
    mem_view *view;              /* of the memory partition: what atomics see */
    uint16_t slice;              /* number in the chip */
    uint16_t node;               /* src of its replies */
    uint16_t home_end, link_end; /* of the counterpart: dst of the two */
} l2_ports;

/* `name` is its path in the registry. */
l2 *l2_new(const config *cfg, stats *reg, const char *name,
           const l2_ports *ports);
void l2_free(l2 *b);

/* One core cycle. Returns the next one in which something can happen given
 * what is in the ports now; mem_port_wake of from_net and from_dram may be
 * earlier. */
uint64_t l2_tick(l2 *b, uint64_t now);

/* Charges the cycles before `now` to the counters, as l1_settle. */
void l2_settle(l2 *b, uint64_t now);

/* A copy that is none of the SMs' has written these sectors of a line of the
 * slice. Between launches. */
void l2_copied(l2 *b, uint64_t line, uint8_t sectors);

/* These sectors of a line of the slice were accessed in no time: they are there
 * from now on, and newer than in DRAM if it was a store. What it takes the
 * place of goes without traffic. Between windows. */
void l2_touched(l2 *b, uint64_t line, uint8_t sectors, bool store);

/* So many bytes of the chip's L2 are set aside for lines that access windows
 * have stay; what is there stays. Between launches. */
void l2_persist(l2 *b, uint64_t bytes);
/* Lines that are to stay are as all others again. Between launches. */
void l2_persist_no_more(l2 *b);

/* Counterparts know each other, for l2_copied only; borrowed. */
void l2_pair(l2 *a, l2 *b);

bool l2_idle(const l2 *b);
void l2_dump(const l2 *b, FILE *f);

/* Records what happens into `log`, borrowed; NULL: no longer. */
void l2_trace(l2 *b, event_log *log);
/* In place of l2_tick meanwhile: records queues, too. */
uint64_t l2_tick_traced(l2 *b, uint64_t now);

/* Names of the refusals that TRACE_L2_REFUSE has in `a`. */
extern const char *const l2_refusals[];

extern const stats_block l2_stats_block;

#endif
