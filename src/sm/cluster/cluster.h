/* src/sm/cluster/cluster.h - a front end shared by neighbouring SMs [FES].
 *
 * The SMs of a cluster have the same CTAs' warps in the same slots, and the
 * lowest of them, the master, fetches and issues for all. The others, slaves,
 * execute what it issues, each with registers, masks and memory of its own;
 * their front ends are without power but for the SIMT stacks. The members talk
 * by links (sm/cluster/link.h), so it does not matter which of them is ticked
 * first.
 *
 * - A slave executes an instruction gpu.cluster.broadcast cycles after the
 * master chose it. So slaves run behind by so much, in lock step with each
 * other; without gpu.cluster.skew the master waits as long and is with them.
 * - A result that comes at a cycle unknown at issue stays pending in the master
 *   until it is there in every member: each slave acknowledges it.
 * - A slave's load unit has gpu.cluster.credits places, or those of its queue;
 *   without one the master issues no memory instruction.
 * - After a branch, an exit or a fence the master's warp goes on when every
 *   member has reported where it goes; if they differ, the cluster dissolves
 *   or, with gpu.cluster.conflict=union, all go all ways (exec/wide_warp.h):
 *   members execute what they have no lanes for, their warps that have ended
 *   follow. At a CTA barrier to which lanes of some members do not come it
 *   dissolves.
 * - A CTA ends when it has ended in all members.
 * - The last row of a grid may be shorter than the cluster. Members behind it
 *   are empty: their slots stay free, instructions of its warps only pass
 *   (sm_issue_pass), and nobody waits for them.
 *
 * Dissolving: the master issues nothing more; each slave's front end gets
 * power, waits until its results of fixed latency are there, takes over a
 * warp's state in each cycle (what it still awaits from memory is pending for
 * its own policy from then on) and says so; when all have, every SM goes on by
 * itself.
 *
 * Fermi and Kepler: members compare the tops of their SIMT stacks. Volta: they
 * compare where the group of lanes goes on that runs; other groups, which
 * differ, are each member's own affair until one of them runs.
 *
 * For the files of this folder, but for what sm.h declares (sm_cluster_*) and
 * the calls below. What masters and slaves both do is in cluster.c, the rest in
 * cluster_master.c and cluster_slave.c, conflict=union in cluster_union.c,
 * reform=aligned in cluster_align.c. */
#ifndef SM_CLUSTER_CLUSTER_H
#define SM_CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"
#include "exec/wide_warp.h"
#include "sm/cluster/link.h"
#include "sm/limits.h"
#include "sm/sm.h"
#include "sm/wheel.h"

enum { CLUSTER_MEMBERS = 4 };

/* A result that awaits members: of instruction pc of its warp. */
typedef struct sm_late {
    uint32_t pc;
    uint16_t next;  /* of the warp, or free; 0: none */
    uint8_t have;   /* members where it is, or that are without the CTA, a bit
                       each; 0 is the master */
    uint64_t first; /* cycle in which it was in the first; 0: in none yet */
} sm_late;

/* A slave's load from constant banks that awaits lines. */
typedef struct sm_ldc {
    uint32_t pc;
    uint8_t warp, lines;
    uint32_t latency; /* from the last of them to the result */
    uint64_t line[ISA_WARP];
} sm_ldc;

/* The last branch, exit or fence of a warp: where the warp goes. In the master,
 * also what other members have reported of it. */
typedef struct sm_outcome {
    uint32_t pc;    /* it went on to */
    uint32_t at;    /* the instruction's */
    uint16_t depth; /* entries of its SIMT stack, or groups that wait */
    bool ended;     /* no lane is left */
    bool laneless;  /* some are left, and none is active */
    /* CTA barrier that lanes came to: number, threads from bit 8 on, and 1 so
     * that 0 is none. */
    uint32_t barrier;
    uint8_t awaited; /* members that have not reported, a bit each */
    bool differs;    /* from that of a member that has, which may be `cause` */
    bool over;       /* all have reported: no lane is left in any */
    uint8_t cause;   /* sm_dissolve_cause */
} sm_outcome;

typedef struct sm_cluster {
    sm_cluster_mode mode;
    unsigned members, self;      /* self: 0 is the master */
    unsigned broadcast, ack;     /* cycles */
    unsigned lag;                /* of the master behind its own choice */
    sm *member[CLUSTER_MEMBERS]; /* of the master: its slaves */
    uint64_t *wake;              /* lowered to when this SM has to be ticked */
    simt_mark was[SM_WARPS];     /* before the last instruction */
    /* Of the master: to and from each slave. Of a slave: [0]. */
    sm_link *control[CLUSTER_MEMBERS], *insts[CLUSTER_MEMBERS];
    sm_link *answer[CLUSTER_MEMBERS], *acks[CLUSTER_MEMBERS];
    sm_link own[4]; /* a slave's: the four of them */

    sm_late *late; /* [0] is unused */
    uint32_t late_room;
    uint16_t late_free, first_late[SM_WARPS]; /* by warp */

    /* Of the master. */
    unsigned credits[CLUSTER_MEMBERS];
    sm_outcome outcome[SM_WARPS];
    uint64_t leaving;             /* warps that ended here, maybe alone */
    unsigned row;                 /* members that get the next CTA */
    uint8_t empty[SM_WARPS];      /* by CTA slot: members without a CTA in it */
    uint8_t cta_ended[SM_WARPS];  /* by CTA slot: members where it has */
    uint8_t warp_ended[SM_WARPS]; /* by warp: members where it has ended, if not
                                  in all; conflict=union */
    uint8_t laneless[SM_WARPS];   /* members where it is without active lanes */
    uint8_t grouped[SM_WARPS];    /* Volta: members where other groups wait */
    uint32_t meets[SM_WARPS]; /* Volta: the next instruction at which a member
                                 that is without active lanes gets some */
    uint32_t apart[SM_WARPS]; /* instructions since it was in none */
    uint8_t awake;      /* members whose front end is on again, a bit each */
    uint64_t slip_from; /* this window's first cycle */
    uint64_t slip_seen; /* cycles before it are counted */
    unsigned slip;      /* those of this window */
    bool windows;       /* an event ends this one */
    bool slipping;      /* since slip_seen */
    uint64_t issued;    /* st.issued at slip_seen */

    /* Of a slave. */
    bool reports; /* the master awaits the outcome of what it executes now */
    uint64_t reporting; /* warps whose outcome the master awaits */
    sm_outcome own_outcome[SM_WARPS];
    unsigned fixed; /* results of fixed latency under way */
    uint64_t acked; /* first cycle in which the wire of acks is free */
    sm_word start;  /* while `starting` */
    bool starting, waking, loading;
    uint64_t sleep_at; /* power ends */
    uint64_t awake_at; /* waking: not before */
    sm_ldc *ldc;
    uint32_t ldc_room, ldcs;
} sm_cluster;

void sm_cluster_init(sm *s); /* also if there is nothing to share */
void sm_cluster_fini(sm *s);
/* A launch: the members work by themselves. */
void sm_cluster_clear(sm *s);

/* ---- for the pipeline, besides sm/cluster/front_end.h ---- */

/* What warp `w`, which waits in WHY_ACK, awaited of other members is there, or
 * they are no members any more. */
void sm_master_resume(sm *s, unsigned w);
/* A constant line has come. */
void sm_cluster_filled(sm *s);
/* EVENT_CLUSTER. */
void sm_cluster_event(sm *s, const sm_event *e);

#endif
