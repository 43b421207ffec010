/* src/sm/cluster/front_end.h - who fetches and issues for the warps of an SM,
 * and what else depends on that: one interface, three policies.
 *
 * private: the SM does, for its own warps. So does every SM when it is made,
 *          and where gpu.cluster.size is 1 no SM ever does anything else.
 * master:  the SM does, for all members of its cluster.
 * slave:   the SM executes what the master of its cluster issues.
 *
 * sm/cluster/ changes the policy of an SM as clusters form and dissolve. The
 * pipeline never asks which policy it has, it only calls. A call may be NULL
 * where there is nothing to do. A private front end needs none of those that
 * are made for each instruction: `fast_path` of struct sm leaves them out. */
#ifndef SM_CLUSTER_FRONT_END_H
#define SM_CLUSTER_FRONT_END_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"
#include "sm/stats.h"

struct sm;
struct sm_event;
struct sm_inst;

typedef struct sm_front_end {
    /* The SM fills instruction buffers of its warps and chooses what issues;
     * otherwise its warps wait for the master in WHY_FOLLOW. */
    bool fetches;
    /* Other SMs wait for results and branches of this one. So results that come
     * at an unknown cycle delay no others, as members must have those of fixed
     * latency in the same cycle; and each branch is resolved
     * before its warp goes on. */
    bool shared;

    /* ---- CTAs ---- */

    /* May the next CTA that was handed out start? Of members of clusters. */
    bool (*starts_cta)(const struct sm *s);
    /* A CTA starts: *slot and *warps are the lowest free ones, or become those
     * that it gets. */
    void (*place_cta)(struct sm *s, uint64_t now, unsigned *slot,
                      uint64_t *warps);
    /* All warps of the CTA in `slot` have ended here. True: it keeps the slot
     * until they have in all members. */
    bool (*holds_cta)(struct sm *s, unsigned slot);
    /* Warp `w` has ended: takes it out of the barriers of its CTA, now or when
     * it has ended in all members. Never NULL. */
    void (*leave_barriers)(struct sm *s, unsigned w);

    /* ---- an instruction ---- */

    /* The head of warp `w`, `si`, is in state `why` by its operands: the state
     * that the warp gets. */
    sm_why (*gate)(const struct sm *s, unsigned w, const struct sm_inst *si,
                   sm_why why);
    /* Executes the next instruction of warp `w`. NULL: exec_step(). */
    exec_result (*step)(struct sm *s, unsigned w, exec_mem *mem,
                        exec_fault *fault);
    /* `si`, a load of constants, is about to execute: its latency if all lines
     * are here. NULL: sm_constant_load(). */
    unsigned (*load_constants)(struct sm *s, unsigned w,
                               const struct sm_inst *si, uint32_t pc);
    /* `si` of warp `w` has executed in the slot of scheduler `n`, with `r`: how
     * many cycles it waits for other members. */
    unsigned (*executed)(struct sm *s, unsigned n, unsigned w,
                         const struct sm_inst *si, uint32_t pc, exec_result r);
    /* Its result is due. True: it comes later, when constants are here. */
    bool (*defers_result)(struct sm *s, unsigned w, const struct sm_inst *si);
    /* It was the EXIT of all its lanes. True: the warp goes on, as it does in
     * other members. */
    bool (*outlives_exit)(struct sm *s, unsigned w);
    /* A result of this SM lands. True: the rest of the pipeline sees it later,
     * or never. */
    bool (*takes_result)(struct sm *s, const struct sm_event *e);
    /* What warp `w` waited for since its last instruction is over. NULL:
     * sm_warp_head(). */
    void (*resume)(struct sm *s, unsigned w);
    /* The load unit is done with an instruction. */
    void (*lsu_done)(struct sm *s);

    /* ---- a cycle ---- */

    /* After replies of memory have been taken: words from other members. */
    void (*receive)(struct sm *s);
    /* After the schedulers. */
    void (*end_issue)(struct sm *s);
    /* Counts the cycles before `now`. */
    void (*settle)(struct sm *s, uint64_t now);
} sm_front_end;

extern const sm_front_end sm_front_private, sm_front_master, sm_front_slave;

#endif
