/* src/sm/sm.h - one streaming multiprocessor, cycle by cycle: fetch, hazards,
 * schedulers, operand collection, units, load/store unit, barriers, CTAs.
 *
 * Owns warps, registers, shared and local memory of the CTAs it runs. Borrows
 * the configuration, ports, memory view and the launches. Meets the rest of the
 * machine only through its ports:
 *   to_l1     MEM_READ, MEM_WRITE, MEM_ATOMIC, MEM_REDUCE of one line each;
 *   from_l1   MEM_DATA and MEM_ACK with the tag (and atom) of the request;
 *   to_net_i  reads of instruction lines, from_net_i their MEM_DATA;
 *   to_net_c  reads of constant lines, from_net_c their MEM_DATA;
 *   to_net_t  lines of bulk copies, from_net_t their MEM_DATA and MEM_ACK.
 * Instruction, constant and local lines lie in the ranges below; they have no
 * contents, only addresses. Not thread-safe; one thread per SM at a time. */
#ifndef SM_SM_H
#define SM_SM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config/config.h"
#include "exec/exec.h"
#include "mem/port.h"
#include "mem/view.h"
#include "sm/cluster/dissolve.h"
#include "stats/stats.h"

#define SM_LOCAL_BASE  0x400000000ull /* local memory of all warps */
#define SM_LOCAL_BYTES 0x200000000ull
#define SM_CODE_BASE   0x600000000ull /* instructions of kernels */
#define SM_CODE_BYTES  0x010000000ull
#define SM_CONST_BASE  0x610000000ull /* constant banks, */
#define SM_CONST_BYTES 0x000100000ull /* so many of each launch */

typedef struct sm sm;

typedef struct sm_ports {
    mem_port *to_l1, *from_l1;
    mem_port *to_net_i, *from_net_i;
    mem_port *to_net_c, *from_net_c;
    mem_port *to_ro, *from_ro; /* texture and read-only cache; NULL: none */
    mem_port *to_net_t, *from_net_t; /* bulk copies; NULL: none */
    /* Requests for shared memory of other SMs, and for its own; replies. NULL:
     * there are no thread-block clusters. */
    mem_port *to_cga, *from_cga, *to_cga_reply, *from_cga_reply;
    /* The L1 may perform requests of a warp in another order than they came:
     * those that must not be are marked, and fences are sent. */
    bool l1_reorders;
} sm_ports;

/* `id` is the number of the SM and mem_msg.src of what it sends. `name` is the
 * path of its counters. */
sm *sm_new(const config *cfg, unsigned id, stats *reg, const char *name,
           const sm_ports *ports, mem_view *view);
void sm_free(sm *s); /* NULL is fine */

/* Simulates cycle `now`. Returns the next cycle with work; NEVER: only a
 * message or sm_cta_start can bring some. Cycles may be skipped up to then or
 * to the mem_port_wake of a port that it receives from. */
uint64_t sm_tick(sm *s, uint64_t now);

/* Global stores made before `end` are seen by other nodes from `end` on. Call
 * before the first tick of each window. */
void sm_set_window(sm *s, uint64_t end);

/* True: each tick does all of its work even where nothing can have changed, to
 * test that leaving it out changes nothing. */
void sm_set_eager(sm *s, bool eager);

/* ---- launches and CTAs ---- */

/* Resources of the SM and what one CTA takes of them. */
typedef struct sm_resources {
#define RESOURCE(id, type, name) type id;
#include "sm/resource.def"
#undef RESOURCE
} sm_resources;

/* Bytes of shared memory that an SM should have for `l`: what its program
 * wants, else what the CTAs that fit an SM use. */
uint64_t sm_shared_wanted(const config *cfg, const exec_launch *l);

/* What a CTA of `l` takes and how many of them an SM holds at once; *limiter
 * names the scarcest resource, *need and *have its numbers for one CTA and the
 * SM. 0: not even one fits. Any out pointer may be NULL. */
unsigned sm_occupancy(const config *cfg, const exec_launch *l,
                      const char **limiter, uint64_t *need, uint64_t *have);
/* CTAs of `l` that can be on an SM at once: more than that where warps give
 * back what they hold, as all but the last of each may have ended. */
unsigned sm_most_ctas(const config *cfg, const exec_launch *l);
sm_resources sm_cta_needs(const config *cfg, const exec_launch *l);

/* Bytes of shared memory of a CTA, with what the system has of it, before they
 * are rounded up. */
uint64_t sm_cta_shared(const config *cfg, const exec_launch *l);
/* What a warp of a CTA that needs `cta` can give back when it has ended, and
 * what is left for the CTA to give back behind so many of them. */
sm_resources sm_warp_part(const config *cfg, const sm_resources *cta);
sm_resources sm_resources_rest(const sm_resources *cta,
                               const sm_resources *part, unsigned warps);
/* Local memory of all warp slots of all SMs, behind sm_place.local. */
uint64_t sm_local_bytes(const config *cfg, const exec_launch *l);
/* Is there room in `have` for `need`? */
bool sm_has_room(const sm_resources *have, const sm_resources *need);
/* Takes `need` out of `have`, or gives it back. */
void sm_resources_take(sm_resources *have, const sm_resources *need);
void sm_resources_give(sm_resources *have, const sm_resources *need);
sm_resources sm_resources_of(const config *cfg);

/* Before launches: no launch is in flight, the SM is idle. The caches of
 * instructions and constants are emptied, or kept. */
void sm_clear(sm *s, bool keep);

/* Where the lines of a launch lie, in bytes behind the bases above. Those of
 * launches in flight differ, but for kernels that they share. */
typedef struct sm_place {
    uint64_t code, constants, local;
} sm_place;

/* Takes `l` as launch `n` of those in flight, below gpu.concurrent; borrowed
 * until sm_launch_end. An SM of the same configuration that has launched it is
 * the `twin`, whose decoded program is used; it ends the launch later. NULL:
 * there is none. */
void sm_launch(sm *s, unsigned n, const exec_launch *l, const sm_place *at,
               uint64_t now, const sm *twin);
void sm_launch_end(sm *s, unsigned n);
/* True if no CTA of the launch is here and its stores have landed;
 * sm_launch_idle_at is the first cycle of which that holds. */
bool sm_launch_idle(const sm *s, unsigned n);
uint64_t sm_launch_idle_at(const sm *s, unsigned n);
/* Issued by its warps so far. */
uint64_t sm_launch_insts(const sm *s, unsigned n);

bool sm_fits(const sm *s, unsigned n); /* one more CTA of launch `n` */

/* Starts a CTA of launch `n`; its warps fetch in cycle `now`. Call before that
 * cycle's tick, and only if sm_fits. It is CTA `rank` of the thread-block
 * cluster `cga`, borrowed, if that is not NULL. */
void sm_cta_start(sm *s, uint64_t now, unsigned n, const uint32_t id[3],
                  uint64_t number, exec_cga *cga, unsigned rank);

enum { SM_WHOLE_CTA = ~0u }; /* sm_done.warp */

typedef struct sm_done {
    uint64_t number; /* linear index of the CTA */
    uint64_t cycle;  /* in which it, or its warp, ended */
    unsigned launch;
    unsigned warp;  /* of the CTA, with gpu.cta.release=warp */
    unsigned given; /* SM_WHOLE_CTA: warps of it that ended in entries before */
    /* With gpu.cta.limit=lazy, of a whole CTA: warp instructions that it has
     * issued, and all of its launch on that SM by then. */
    uint64_t insts, launch_insts;
} sm_done;

/* What has ended since the last call, in order; valid until the next tick. */
unsigned sm_finished(sm *s, const sm_done **list);

/* True if no CTA is resident and every store has been acknowledged. */
bool sm_idle(const sm *s);

/* The next cycle, `now` or later, in which the SM has to be ticked if it is
 * idle and nothing arrives: fetched lines may be on their way still. NEVER:
 * none. */
uint64_t sm_expects(const sm *s, uint64_t now);

/* The fault that stopped the SM, NULL if none did; and whose it is. */
const exec_fault *sm_fault(const sm *s);
unsigned sm_fault_launch(const sm *s);

/* ---- clusters with one front end at work, see sm/cluster/cluster.h ---- */

typedef enum sm_cluster_mode {
    CLUSTER_ALONE, /* each member works by itself */
    CLUSTER_FORMING,
    CLUSTER_SHARED,
    CLUSTER_DISSOLVING,
} sm_cluster_mode;

/* SMs member[0 .. n - 1], n > 1, are a cluster. wake[i]: lowered to the next
 * cycle in which member i has to be ticked. */
void sm_cluster_join(sm *const member[], uint64_t *const wake[], unsigned n);
/* Of the cluster whose first member is `s`. */
sm_cluster_mode sm_cluster_mode_of(const sm *s);
/* Before the tick of cycle `now`: the idle members share from now on, or part
 * as soon as they can. Of the first member. */
void sm_cluster_form(sm *s, uint64_t now);
void sm_cluster_dissolve(sm *s, uint64_t now, sm_dissolve_cause cause);
/* All members alone have warps, which stand at the same place in all, at the
 * start of a cycle, with nothing under way; of which launch. */
bool sm_cluster_aligned(const sm *s, unsigned *launch);
/* They share from now on, as soon as their states have been compared. */
void sm_cluster_align(sm *s, uint64_t now);
/* Words from other members: takes what concerns CTAs and power. Call before
 * sm_cta_start and the tick of cycle `now`. True: sm_tick is to be called. */
bool sm_cluster_receive(sm *s, uint64_t now);
/* The cycle in which the next word of another member arrives; NEVER. */
uint64_t sm_cluster_next(const sm *s);
/* May the next CTA that was handed out start? It is one of a row, which the
 * first `row` members get: 1 if it is none. */
bool sm_cluster_starts(sm *s, unsigned row);

/* Charges cycles before `now` that were skipped; call before the counters are
 * read. */
void sm_finish_stats(sm *s, uint64_t now);

uint64_t sm_warp_insts(const sm *s); /* issued so far */

/* Each warp: pc, instruction and what it waits for. */
void sm_dump(const sm *s, FILE *f);

extern const stats_block sm_stats_block;

#endif
