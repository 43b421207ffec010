/* src/sm/state.h - the state of an SM, shared by the files of this folder.
 *
 * Each warp slot is in exactly one state (sm_why), and for each state there is
 * a mask of the warps in it; choosing a warp or naming a stall is an AND of
 * masks. States change only by events, in sm_warp_set. */
#ifndef SM_STATE_H
#define SM_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "exec/exec.h"
#include "sm/cluster/cluster.h"
#include "sm/cluster/front_end.h"
#include "sm/collect.h"
#include "sm/decode.h"
#include "sm/dual.h"
#include "sm/fetch.h"
#include "sm/hazard/hazard.h"
#include "sm/hazard/hazard_inline.h"
#include "sm/hazard/oracle.h"
#include "sm/issue.h"
#include "sm/memory/async_copy.h"
#include "sm/memory/constant.h"
#include "sm/memory/lsu.h"
#include "sm/observe/profile.h"
#include "sm/observe/spin.h"
#include "sm/observe/trace.h"
#include "sm/scheduler.h"
#include "sm/sm.h"
#include "sm/stats.h"
#include "sm/table_stage.h"
#include "sm/units.h"
#include "sm/wheel.h"

enum {
    SM_BARRIERS = 64,
    SM_WARPS = 64,
    SM_SCHEDULERS = 4,
    SM_UNITS = UNIT_KINDS
};

enum {
    FENCE_L1 = UINT8_MAX - 2,     /* waits for the L1 to perform requests */
    FENCE_COPIES = UINT8_MAX - 1, /* waits for background copies */
    FENCE_OVER = UINT8_MAX,       /* waits for its EVENT_WAKE */
};

typedef struct sm_warp {
    const sm_inst *head;  /* next instruction, valid while fetched */
    uint32_t stores;      /* transactions not yet acknowledged */
    uint16_t outstanding; /* results, LSU entries: keep the slot taken */
    uint16_t loads;       /* memory instructions awaiting data */
    uint16_t queued;      /* memory instructions in the LSU queue */
    uint16_t life;        /* counts the warps this slot has held */
    uint8_t why;          /* sm_why */
    uint8_t unit;         /* of `head`, valid while READY */
    uint8_t cta;          /* slot */
    uint8_t sched;        /* scheduler it belongs to */
    uint8_t grid;         /* launch it belongs to */
    uint8_t fence;        /* isa_scope of the fence it waits at, or FENCE_ */
    bool ended;
} sm_warp;

/* What a scheduler's slots from `since` on will be charged to. */
typedef struct sm_charge {
    uint64_t since;
    sm_profile_row *row; /* with a profile: and to which instruction */
    uint8_t why;         /* sm_why */
    bool cold; /* and its warps wait for what the SM never touched before */
} sm_charge;

/* Arrivals at one barrier of a CTA. */
typedef struct sm_barrier {
    uint32_t arrived;  /* threads, whole warps */
    uint32_t expected; /* threads; 0: all that live */
    uint64_t waiting;  /* warps */
    uint32_t count;    /* reduction: threads whose predicate is true */
    uint32_t lanes;    /* reduction: threads that took part */
} sm_barrier;

typedef struct sm_cta {
    exec_cta x;
    uint64_t warps;   /* slots of those that exist */
    uint64_t slots;   /* that it holds: of a smaller CTA, too, all of them */
    uint32_t running; /* warps whose slot is still taken */
    unsigned given;   /* warps that have given back what they held */
    bool taken;
    uint8_t grid;        /* launch */
    uint8_t place;       /* among the CTAs of the launch that are here */
    sm_barrier *barrier; /* cfg->sm.barriers of them */
    uint64_t arrived;    /* barriers with arrivals */
} sm_cta;

/* A launch in flight. Each has memory of its own for the CTAs that are here,
 * so that they can differ in all they need. */
typedef struct sm_grid {
    const exec_launch *launch; /* NULL: there is none */
    sm_code code;              /* its own, or the twin's */
    sm_code own_code;
    sm_resources need, part;   /* of a CTA, and of it of a warp */
    uint64_t constants, local; /* of sm_place */
    uint64_t places;           /* taken by CTAs */
    uint32_t stores;           /* transactions not yet acknowledged */
    uint64_t idle_at;
    uint64_t insts;               /* issued by warps that have ended */
    sm_profile_row *rows;         /* by instruction; NULL: nobody asked */
    sm_touch touch;               /* lines of its constants */
    uint64_t touch_age, touch_at; /* s->age and constants of what is there */
    uint32_t (*registers)[ISA_WARP];
    uint8_t *shared, *memory;                        /* memory: local */
    size_t registers_room, shared_room, memory_room; /* bytes */
} sm_grid;

struct sm {
    uint64_t now;
    uint64_t resident;        /* slots taken */
    uint64_t wait[WHY_COUNT]; /* warps by state */
    uint64_t heads[SM_UNITS]; /* READY warps by unit, and stale bits */
    uint64_t mem_heads;       /* READY warps bound for the LSU queue */
    /* A scheduler that found nothing to issue would find nothing, for the same
     * reason, before this cycle. 0: something has changed since. */
    uint64_t retry[SM_SCHEDULERS];
    /* Warps whose line of code, or whose constants, nobody had touched before:
     * of those that wait for such. */
    uint64_t cold_code, cold_constants;
    unsigned schedulers;
    bool two_level;     /* not every ready warp may issue */
    unsigned residents; /* warps in `resident` */
    sm_scheduler scheduler[SM_SCHEDULERS];
    sm_warp warp[SM_WARPS];
    sm_ages ages;
    sm_wheel wheel;
    sm_hazard *hazard;
    sm_check check;
    const sm_front_end *front_end;
    const sm_issue_policy *issue;
    sm_dual *dual;   /* NULL: control codes do not say when to issue */
    sm_share *share; /* NULL: clusters are of one SM */
    /* What sm_policies() derives from the policies. */
    bool fast_path; /* none of those below, a private front end, single issue,
                       write-backs that never wait, no dispatch ports */
    bool gated;     /* more than operands decides whether a warp is ready */
    bool notifies;  /* the oracle or the hazard policy learns what issues */
    bool reserves;  /* what issues is pending for `hazard` from then on; false
                       where that was so before, or is so in another SM */
    sm_oracle *oracle; /* NULL: nobody asked */
    sm_collect collect;
    sm_units units;
    sm_fetch fetch;
    sm_constant constant;
    sm_lsu lsu;
    sm_stats st;
    sm_profile *profile;  /* NULL: nobody asked */
    sm_trace *trace;      /* NULL: nobody asked */
    sm_spin *spin;        /* NULL: nobody asked */
    bool watched;         /* one of them is there */
    bool results_watched; /* somebody sees results become visible: the oracle or
                             the trace */
    bool heeds;           /* or a first touch is awaited: sm_slots_heed */
    uint64_t ticked;      /* the cycle after the last tick, or accounted */
    uint64_t counted;     /* first cycle not in st.cycles and the like */
    bool unpowered;       /* the front end has no power: its cluster's doing */
    uint64_t sleep_at; /* without a warp: it is from this cycle on; or NEVER */
    uint64_t awake_at; /* and back: nothing is fetched before; 0: it is on */
    sm_charge charge[SM_SCHEDULERS];
    uint64_t change; /* cycle in which more than a transaction can change */
    bool eager;      /* do a whole tick every time */
    bool fresh;      /* did nothing since it was prepared for a launch */
    uint64_t age;    /* times that caches of code and constants were emptied */

    const config *cfg;
    unsigned id;
    sm_ports port;
    mem_view *view;
    uint64_t window_end;
    sm_grid *grid;    /* gpu.concurrent of them */
    unsigned grids;   /* in flight */
    exec_fault fault; /* FAULT_NONE while running */
    unsigned fault_grid;

    exec_warp x[SM_WARPS] __attribute__((aligned(64)));
    exec_bar bar[SM_WARPS]; /* the barrier a warp waits at */
    sm_copies copies[SM_WARPS];
    sm_cta cta[SM_WARPS];
    simt_entry *deep;     /* of all warps, see exec/simt.h; NULL: Volta */
    sm_barrier *barriers; /* of all CTAs */
    void *block;          /* of host memory that this struct lies in */
    unsigned cta_count;   /* resident */
    uint64_t warps_taken; /* slots that CTAs hold */
    sm_resources free;
    sm_done done[2 * SM_WARPS];
    unsigned done_count;
    bool done_taken;          /* the list was handed out: start afresh */
    unsigned barrier_latency; /* from the last arrival to the next issue */
    unsigned release;         /* cycles from write-back to visibility */
    exec_writers writers;     /* since the SM was last prepared for launches */
};

#define BIT(n) ((uint64_t)1 << (n))

/* True if what scheduler `n` does in cycle `t` has to be worked out. Who
 * watches wants to see each cycle that ready warps wait. */
static inline bool sm_slot_open(const sm *s, unsigned n, uint64_t t)
{
    return s->retry[n] <= t || (__builtin_expect(s->watched, 0) &&
                                (s->wait[WHY_READY] & s->scheduler[n].mask));
}

/* The LSU queue is full now, or is not any more; or one of the collectors that
 * all take from is taken. */
static inline void sm_slots_reopen(sm *s)
{
    for (unsigned n = 0; n < SM_SCHEDULERS; n++)
        s->retry[n] = 0;
}

/* Warp `w` is about to wait for `why`, and somebody watches. */
SM_COLD void sm_watch_warp(sm *s, unsigned w, sm_why why);

static inline void sm_warp_set(sm *s, unsigned w, sm_why why)
{
    if (__builtin_expect(s->watched, 0))
        sm_watch_warp(s, w, why);
    s->wait[s->warp[w].why] &= ~BIT(w);
    s->wait[why] |= BIT(w);
    s->warp[w].why = (uint8_t)why;
    s->retry[s->warp[w].sched] = 0;
}

/* The warp may issue again, or its head or what the head needs has changed:
 * works out its state. Not for warps that wait at a barrier and the like. */
void sm_warp_head(sm *s, unsigned w);

/* What the warp waited for since its last instruction is over. */
static inline void sm_warp_resume(sm *s, unsigned w)
{
    if (__builtin_expect(s->front_end->resume != NULL, 0))
        s->front_end->resume(s, w);
    else
        sm_warp_head(s, w);
}

/* The warp has ended and something of it came back: frees it if it was the
 * last. */
void sm_warp_drain(sm *s, unsigned w);

/* An instruction of the kernel that warp `w` runs, and back. */
static inline const sm_inst *sm_inst_at(const sm *s, unsigned w, uint32_t pc)
{
    return &s->fetch.warp[w].inst[pc];
}

static inline uint32_t sm_pc_of(const sm *s, unsigned w, const sm_inst *si)
{
    return (uint32_t)(si - s->fetch.warp[w].inst);
}

/* Something happens to warp `w` in cycle `when`: not before the wheel has been
 * run in this cycle, unless `when` is later. */
static inline void sm_event_at(sm *s, uint64_t when, sm_event_kind kind,
                               unsigned w, uint32_t pc, uint32_t arg)
{
    sm_event *e = sm_wheel_add(&s->wheel, when);

    e->pc = pc;
    e->arg = arg;
    e->kind = (uint8_t)kind;
    e->warp = (uint8_t)w;
}

/* The results of `si`, which warp `w` issues, are pending from now on. */
static inline void sm_pend(sm *s, unsigned w, const sm_inst *si)
{
    if (__builtin_expect(s->reserves, 1))
        sm_hazard_reserve(s->hazard, w, si);
    if (__builtin_expect(s->oracle != NULL, 0))
        sm_oracle_pend(s->oracle, w, si, s->x[w].ran != 0, s->now);
}

/* A result is there, and is written when that is possible. */
void sm_result_lands(sm *s, const sm_event *e);
/* The results of instruction `pc` are visible: EVENT_WRITE, or EVENT_GUARD. */
void sm_write_back(sm *s, sm_event_kind kind, unsigned w, uint32_t pc);
/* So are `n` registers of its result from the `first` on, but not all. */
void sm_write_part(sm *s, unsigned w, uint32_t pc, unsigned first, unsigned n);

/* The cycle in which a result of `w`, due at `when`, gets the result bus. */
static inline uint64_t sm_result_at(sm *s, unsigned w, uint64_t when)
{
    uint64_t at = sm_units_result(&s->units, s->warp[w].sched, s->now, when);

    s->st.result_waits += at - when;
    return at;
}

/* Derives what depends on all policies, after a change of one. */
void sm_policies(sm *s);

/* Stops the SM at a fault of warp `w`. */
void sm_stop(sm *s, unsigned w, const exec_fault *f);
/* So does the oracle: instruction `pc` of warp `w` is where it must not be. */
SM_COLD void sm_hazard_fault(sm *s, enum exec_fault_kind kind, unsigned w,
                             uint32_t pc);

#endif
