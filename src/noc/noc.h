/* src/noc/noc.h - the crossbar between SMs and L2 slices.
 *
 * Each SM and each L2 slice has one end. An end takes messages from
 * the ports of its blocks, sends them at the bandwidth of its output link, and
 * delivers what arrives, in (cycle, source) order, at the bandwidth of its
 * input link. The switch itself never blocks; a receiver that is slow holds
 * back its senders through credits: each pair of ends has noc.buffer of them,
 * one is taken when a message leaves and comes back noc.latency cycles after
 * it was delivered.
 *
 * Where the L2 has two partitions (l2.partitions), each slice has two more
 * ends, of links to its counterpart in the other one: for requests, and for
 * answers, so that no answer waits behind a request. They are ends like the
 * others, with a latency and a bandwidth of their own; nothing crosses from one
 * kind to another. An SM's requests go to the slice of its own partition.
 *
 * Requests of SMs are routed by address, replies of slices go to mem_msg.dst.
 * An end belongs to one node and touches nothing else during a window; what it
 * sends is handed over by noc_end_exchange between windows. Every latency
 * between ends is at least one window, so no message can be late. */
#ifndef NOC_NOC_H
#define NOC_NOC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config.h"
#include "mem/event_log.h"
#include "mem/port.h"
#include "stats/stats.h"

typedef struct noc_end noc_end;

enum { NOC_PORTS = 5 }; /* sources and sinks of an end, at most */

typedef struct noc_end_config {
    unsigned id;        /* of this end; SMs first, then slices, each followed
                           by its links */
    unsigned name;      /* in traces: SMs first, then slices */
    unsigned ends;      /* of the crossbar */
    unsigned out_bytes; /* per network cycle, towards the network */
    unsigned in_bytes;  /* per network cycle, from the network */
    unsigned latency;   /* core cycles, one way */
    unsigned window;    /* core cycles, at most `latency` */
    unsigned header_bytes;
    unsigned credits;   /* messages under way to each other end */
    config_ratio clock; /* network cycles per core cycles */
    bool direct;        /* all messages go to their mem_msg.dst */
} noc_end_config;

/* What kind of end a configuration gives. */
noc_end_config noc_sm_end(const config *cfg, unsigned id);
noc_end_config noc_slice_end(const config *cfg, unsigned slice);
/* The end of a slice's link to its counterpart. */
typedef enum noc_link { NOC_LINK_ASK, NOC_LINK_ANSWER, NOC_LINKS } noc_link;
noc_end_config noc_link_end(const config *cfg, unsigned slice, noc_link which);
/* The slice of the other partition that goes with `slice`. */
unsigned noc_counterpart(const config *cfg, unsigned slice);
unsigned noc_ends(const config *cfg); /* of all kinds */
/* Of the networks between SMs that thread-block clusters use. */
noc_end_config noc_cga_end(const config *cfg, unsigned id);
unsigned noc_window(const config *cfg); /* cycles nodes may run alone */

/* `path` names it in the counters; an SM's end finds
 * the slice of an address by `machine`. */
noc_end *noc_end_new(const noc_end_config *cfg, const config *machine,
                     stats *reg, const char *path);
void noc_end_free(noc_end *e); /* NULL is fine */

/* Messages that a block pushes to `from` are sent to their `dst`. */
void noc_end_add_source(noc_end *e, mem_port *from);
/* The end takes what is pushed to its first source at once, where it would
 * leave in the next cycle: nothing else may be pushed to a source later in a
 * cycle, nor more than one message to this in a cycle. */
void noc_end_take_first(noc_end *e);
/* Messages of the clients in the bit set go to `to`. */
void noc_end_add_sink(noc_end *e, unsigned clients, mem_port *to);

/* A window begins that ends before cycle `end`: up to there nothing but what is
 * underway arrives, so the end may do things before their cycle. An end that is
 * not told, or told 0, does each in its own. */
void noc_end_window(noc_end *e, uint64_t end);

/* The next cycle with work, NEVER if only a push or the next window brings
 * any. */
uint64_t noc_end_tick(noc_end *e, uint64_t now);
void noc_end_dump(const noc_end *e, FILE *f);

/* True if nothing waits at this end or is on its way to it. */
bool noc_end_idle(const noc_end *e);

/* Hands over what `e` sent during the window that ended to the other of all
 * ends; `now` is the first cycle of the next window. To be called for the ends
 * that ticked, in the order of their numbers; at the same time for ends that
 * send to others than those do (of `e` it touches only what it sent). Returns
 * the number of messages moved. */
uint64_t noc_end_exchange(noc_end *e, noc_end *const *ends, unsigned count,
                          uint64_t now);

/* From now on *due is lowered to noc_end_next(e) when a message or credit is
 * handed over to the end. Borrowed; NULL: it is not lowered. */
void noc_end_set_due(noc_end *e, uint64_t *due);

/* The earliest cycle in which `e` has something to deliver, NEVER if none. */
uint64_t noc_end_next(const noc_end *e);

/* Records the messages of traced requests into `log`, borrowed; NULL: no
 * longer. */
void noc_end_trace(noc_end *e, event_log *log);

extern const stats_block noc_stats_block;

#endif
