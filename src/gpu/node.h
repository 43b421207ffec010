/* src/gpu/node.h - what one host thread simulates without asking anybody: an
 * SM cluster with its L1s, or a memory partition. Owns its blocks, the ports
 * between them, its view of memory and its ends of the crossbar. */
#ifndef GPU_NODE_H
#define GPU_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cache/mmu.h"
#include "config/config.h"
#include "exec/exec.h"
#include "gpu/block.h"
#include "gpu/dispatch/dispatch.h"
#include "mem/event_log.h"
#include "mem/view.h"
#include "noc/noc.h"
#include "sm/sm.h"
#include "stats/stats.h"

/* ---- SM clusters ---- */

typedef struct cluster cluster;

/* SMs first .. first + gpu.cluster.size - 1. `m` is borrowed, NULL: addresses
 * need no translation. */
cluster *cluster_new(const config *cfg, unsigned first, mem_image *image,
                     stats *reg, const mmu *m);
void cluster_free(cluster *c); /* NULL is fine */

unsigned cluster_sms(const cluster *c);
sm *cluster_sm(const cluster *c, unsigned i);
noc_end *cluster_end(const cluster *c, unsigned i);
/* Its ends of the networks between SMs, of requests and replies; NULL: there
 * are no thread-block clusters. */
enum { CLUSTER_CGA_ENDS = 2 };
noc_end *cluster_cga_end(const cluster *c, unsigned i, unsigned k);
mem_view *cluster_view(const cluster *c);

/* No launch is in flight: caches of code and constants forget what they hold,
 * unless they are to `keep` it. */
void cluster_clear(cluster *c, bool keep);
/* Each L1 forgets what it holds, and keeps so much of it as a cache. */
void cluster_carve(cluster *c, const config_carve *carve);
/* Takes launch `n`, see sm_launch. The program is decoded by the first SM,
 * whose `twin` the others are; NULL: this is the first. */
void cluster_launch(cluster *c, unsigned n, const exec_launch *l,
                    const sm_place *at, uint64_t now, const sm *twin);
/* Front ends that members share, see sm/cluster/cluster.h: between windows, for
 * cycles from `now` on. To form it has to be idle: no CTA there or on its way.
 */
sm_cluster_mode cluster_mode(const cluster *c);
bool cluster_idle(const cluster *c);
/* Could it form with the CTAs of its members, all of one launch, and none on
 * its way? */
bool cluster_aligned(const cluster *c, unsigned *launch);
void cluster_align(cluster *c, uint64_t now);
void cluster_form(cluster *c, uint64_t now);
void cluster_dissolve(cluster *c, uint64_t now, sm_dissolve_cause cause);
/* A CTA that SM i will start in the future. Orders come in the order of
 * cycles. */
void cluster_order(cluster *c, const dispatch_order *o, unsigned i);
uint64_t cluster_ordered(const cluster *c); /* so far */
/* SM i has work in cycle `when`, the first of a window. */
void cluster_wake(cluster *c, unsigned i, uint64_t when);

/* The barrier of a thread-block cluster lets its CTAs on SM i go on in a future
 * cycle: see sm/cga.h. */
void cluster_cga_release(cluster *c, unsigned i, uint64_t when,
                         uint32_t serial);

/* The launch before `n` has ended: see sm/let_go.h. */
void cluster_dependent_free(cluster *c, unsigned n, uint64_t when);

/* Simulates cycles [from, to). */
void cluster_run(cluster *c, uint64_t from, uint64_t to, node_pace pace);
/* The next cycle with work, given what has arrived. */
uint64_t cluster_next(const cluster *c);
/* Between windows: hands what TLBs have asked over to the MMU. */
void cluster_ask(cluster *c, mmu *m);
/* Its answers, which are no messages, wake the caches: cluster_next with them.
 */
uint64_t cluster_answered(cluster *c);
/* Charges skipped cycles to the counters: of SMs those before `end`, of other
 * blocks those before `now`. */
void cluster_settle(cluster *c, uint64_t end, uint64_t now);
/* Records a launch that begins now; it ends with cluster_trace_end. NULL: no
 * memory. */
event_log *cluster_trace(cluster *c, const trace_filter *f);
void cluster_trace_end(cluster *c);
void cluster_dump(const cluster *c, FILE *f);

/* ---- Memory partitions ---- */

typedef struct partition partition;

/* DRAM channel `channel` with its L2 slices. */
partition *partition_new(const config *cfg, unsigned channel, mem_image *image,
                         stats *reg);
void partition_free(partition *p);
unsigned partition_ends(const partition *p);
noc_end *partition_end(const partition *p, unsigned i);
/* See l2_pair; the slices of one are the counterparts of those of the other. */
void partition_pair(partition *p, partition *q);
mem_view *partition_view(const partition *p);
/* See l2_copied; slice `i` of it. */
void partition_copied(partition *p, unsigned i, uint64_t line, uint8_t sectors);
/* See l2_touched, likewise. */
void partition_touched(partition *p, unsigned i, uint64_t line, uint8_t sectors,
                       bool store);
/* See l2_persist and l2_persist_no_more. */
void partition_persist(partition *p, uint64_t bytes);
void partition_persist_no_more(partition *p);
void partition_run(partition *p, uint64_t from, uint64_t to, node_pace pace);
uint64_t partition_next(const partition *p);
void partition_settle(partition *p, uint64_t now);
event_log *partition_trace(partition *p);
void partition_trace_end(partition *p);
void partition_dump(const partition *p, FILE *f);

#endif
