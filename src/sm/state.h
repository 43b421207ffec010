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
#include "sm/cga.h"
#include "sm/cluster/cluster.h"
#include "sm/cluster/front_end.h"
#include "sm/collect.h"
#include "sm/decode.h"
#include "sm/dual.h"
#include "sm/fetch.h"
#include "sm/hazard/hazard.h"
#include "sm/hazard/hazard_inline.h"
#include "sm/hazard/oracle.h"
#include "sm/hazard/uniform.h"
#include "sm/issue.h"
#include "sm/limits.h"
#include "sm/memory/async_copy.h"
#include "sm/memory/constant.h"
#include "sm/memory/lsu.h"
#include "sm/memory/owner.h"
#include "sm/memory/remote.h"
#include "sm/memory/tma.h"
#include "sm/observe/profile.h"
#include "sm/observe/spin.h"
#include "sm/observe/trace.h"
#include "sm/scheduler.h"
#include "sm/sm.h"
#include "sm/stats.h"
#include "sm/table_stage.h"
#include "sm/units.h"
#include "sm/warp_group.h"
#include "sm/wheel.h"

enum { SM_UNITS = UNIT_KINDS };

enum {
    FENCE_L1 = UINT8_MAX - 3, /* waits for the L1 to perform requests */
    FENCE_COPIES_BULK = UINT8_MAX - 3, /* waits for both of the next */
    FENCE_BULK = UINT8_MAX - 2,        /* waits for bulk copies */
    FENCE_COPIES = UINT8_MAX - 1,      /* waits for background copies */
    FENCE_OVER = UINT8_MAX,            /* waits for its EVENT_WAKE */
};

typedef struct sm_warp {
    const sm_inst *head;  /* next instruction, valid while fetched */
    uint32_t stores;      /* transactions not yet acknowledged */
    uint32_t wait;        /* at an mbarrier: its number, 0: none */
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
    uint64_t insts;   /* issued by warps that have ended */
    bool taken;
    uint8_t grid;         /* launch */
    uint8_t place;        /* among the CTAs of the launch that are here */
    sm_barrier *barrier;  /* cfg->sm.barriers of them */
    uint64_t arrived;     /* barriers with arrivals */
    bool let_go;          /* sm/let_go.h */
    uint64_t wanting;     /* warps that wait for registers: register_pool.h */
    exec_cga_part at_cga; /* at that of the thread-block cluster */
    uint64_t at_mbarrier; /* warps that wait at mbarriers */
} sm_cta;

/* A launch in flight. Each has memory of its own for the CTAs that are here,
 * so that they can differ in all they need. */
typedef struct sm_grid {
    const exec_launch *launch; /* NULL: there is none */
    sm_decoded code;           /* its own, or the twin's */
    sm_decoded own_code;
    exec_plan *plan, *own_plan; /* likewise; NULL: none suits */
    sm_resources need, part;    /* of a CTA, and of it of a warp */
    uint64_t constants, local;  /* of sm_place */
    uint64_t places;            /* taken by CTAs */
    uint32_t stores;            /* transactions not yet acknowledged */
    uint64_t idle_at;
    uint64_t insts;       /* issued by warps that have ended */
    uint64_t let_go;      /* CTAs: sm/let_go.h */
    bool held;            /* behind a launch that has not ended */
    sm_profile_row *rows; /* by instruction; NULL: not wanted */
    sm_touch touch;       /* lines of its constants */
    uint64_t touch_age,
        touch_at; /* s->launches.age and constants of what is there */
    uint32_t (*registers)[ISA_WARP];
    uint8_t *shared, *memory;                        /* memory: local */
    size_t registers_room, shared_room, memory_room; /* bytes */
} sm_grid;

/* ---- parts of an SM ---- */

/* Schedulers and the policy of what they issue. Written by issue policies; by
 * sm_warp_set(), which opens a scheduler again; and by sm/slots.c. */
typedef struct sm_issue_stage {
    const sm_issue_policy *policy;
    /* A scheduler that found nothing to issue would find nothing, for the same
     * reason, before this cycle. 0: something has changed since. */
    uint64_t retry[SM_SCHEDULERS];
    unsigned schedulers;
    bool limits;   /* not every ready warp may issue: by the scheduler, as
                      memory is saturated (sm/memory/owner.h), or none may */
    bool stopped;  /* none may: sm/forward.h */
    bool chooses;  /* by the scheduler: sm_scheduler_eligible() */
    bool yields;   /* one whose instruction yields leaves out a cycle */
    unsigned hold; /* cycles that a constant looked up at issue is awaited */
    uint32_t looks_up; /* INST_: whose constants are looked up before */
    uint8_t gates;     /* GATE_: more than operands decides who is ready */
    bool notifies;     /* the oracle or the hazard policy learns what issues */
    sm_scheduler scheduler[SM_SCHEDULERS];
    sm_ages ages;
    sm_charge charge[SM_SCHEDULERS];
    sm_dual *dual; /* NULL: control codes do not say when to issue */
} sm_issue_stage;

/* Which results are pending. Written as an instruction issues (or passes the
 * hazard table's own stage) and as its result becomes visible. */
typedef struct sm_hazard_stage {
    sm_hazard *policy;
    sm_oracle *oracle;   /* NULL: not wanted */
    sm_uniform *uniform; /* NULL: the family has no uniform registers */
    bool uniform_waits;  /* who needs them waits; else control codes do */
    unsigned release;    /* cycles from write-back to visibility */
    bool reserves; /* what issues is pending for `policy` from then on; false
                      where that was so before, or is so in another SM */
} sm_hazard_stage;

/* Power of the front end: a matter of energy, who switches it off sees to it
 * that nothing is fetched or issued. Written by sm/slots.c. */
typedef struct sm_power {
    bool gated;        /* by the cluster */
    uint64_t sleep_at; /* without a warp: off from this cycle on; or NEVER */
    uint64_t awake_at; /* and back: nothing is fetched before; 0: it is on */
} sm_power;

/* CTA slots and what they hold of the SM. Written by sm/cta.c; barriers by
 * sm/barrier.c. */
typedef struct sm_ctas {
    sm_cta cta[SM_WARPS];
    unsigned count; /* taken */
    uint64_t warps; /* warp slots that they hold, also of warps that ended */
    sm_resources free;
    sm_barrier *barriers;     /* of all CTAs */
    unsigned barrier_latency; /* from the last arrival to the next issue */
    uint32_t waits;           /* at mbarriers, so far */
    sm_done done[2 * SM_WARPS];
    unsigned done_count;
    bool done_taken; /* the list was handed out: start afresh */
} sm_ctas;

/* What CTAs of thread-block clusters have said: sm/cga.c. */
typedef struct sm_cga_words_said {
    sm_cga_word *word;
    unsigned count, room;
    bool taken; /* the list was handed out: start afresh */
    sm_cga_stats st;
} sm_cga_words_said;

/* Launches in flight. Written by sm/cta.c between ticks, `stores` of them by
 * the load unit. */
typedef struct sm_launches {
    sm_grid *grid;  /* by number, as many as there were at once */
    unsigned room;  /* of `grid` */
    unsigned count; /* in flight */
    bool untouched; /* the SM did nothing since it was prepared for launches */
    uint64_t age;   /* times that caches of code and constants were emptied */
    exec_writers writers; /* since it was prepared */
} sm_launches;

/* Who looks at the SM: changes nothing that is simulated. NULL: not wanted.
 * Written by sm/observe/, between launches. */
typedef struct sm_observers {
    sm_profile *profile;
    sm_trace *trace;
    sm_spin *spin;
    bool any;     /* one of them is there */
    bool results; /* the trace or the oracle see results become visible */
    bool stalls;  /* each wait of a slot matters, not only another reason:
                     sm_slots_observe() */
} sm_observers;

/* Up to where the SM has been simulated. */
typedef struct sm_time {
    uint64_t ticked;  /* the cycle after the last tick, or accounted */
    uint64_t counted; /* first cycle not in st.cycles and the like */
    uint64_t change;  /* cycle in which more than a transaction can change */
    bool never_skips; /* do all the work of a cycle in each */
} sm_time;

/* ---- an SM ----
 *
 * Between two calls of sm_tick() the following holds. A file that breaks one of
 * these within a cycle puts it right before it returns to sm.c.
 *
 * Warps
 * - Warp slot w is in the state warp[w].why: bit w is set in wait[] of that
 *   state and in no other. Only sm_warp_set() writes these.
 * - `resident` has the slots that are not in WHY_NO_WARP, `residents` of them.
 * - While a warp is in WHY_READY, warp[w].head is its next instruction and the
 *   hazard policy has let it pass; its bit is in heads[] of warp[w].unit, and
 *   in mem_heads if it needs a place in the load unit's queue. Bits of warps
 *   that are not ready are stale.
 * - A warp that waits for anything else is woken by an event: one of the wheel,
 *   a reply at a port, the release of a result, another warp's arrival at its
 *   barrier, or a word of another SM of the cluster. Nothing is polled.
 * - warp[w].outstanding counts what will still refer to the slot: events of the
 *   wheel, entries of the load unit. It is not given to another warp before
 *   that is 0; warp[w].life tells warps of one slot apart.
 *
 * Time
 * - Each cycle before time.ticked is charged, or will be, to what
 *   issue.charge[] says: a slot of each scheduler to one issue or one stall.
 * - issue.retry[n] is 0 after any change that can matter to scheduler n.
 * - No event of the wheel is due before `now` + 1.
 * - Skipping all cycles before what sm_tick() returned, or a message, changes
 *   nothing.
 *
 * Policies
 * - hazards.policy, issue.policy and front_end are asked by calls alone; no
 * file outside of their own looks which policy it has. After one of them
 * changes, and after observers come or go, sm_policies() works out what depends
 * on several: fast_path, issue.gates, issue.notifies, hazards.reserves,
 *   observe.results. Nobody else writes these.
 * - fast_path: a private front end, single issue by operands alone, a hazard
 *   policy that hears of reserves and releases only, write-backs that never
 *   wait, no dispatch ports, no yields. Then sm.c and issue.c leave out all
 *   calls that would do nothing. plain: the same, but for the oracle.
 *
 * Memory
 * - Registers change as an instruction issues, memory as the head of the load
 *   unit's queue starts; what comes later is only their time. With
 *   l1.values=turn loads and stores change them line by line, while the L1 is
 *   ticked: sm/memory/turn.h. */
struct sm {
    uint64_t now; /* the cycle of the last tick, or of a call between ticks */
    bool fast_path, plain;

    /* ---- warp slots, in the order of how often they are used ---- */
    uint64_t resident;
    uint64_t wait[WHY_COUNT]; /* warps by state */
    uint64_t heads[SM_UNITS]; /* READY warps by unit, and stale bits */
    uint64_t mem_heads; /* READY warps bound for the load unit, and stale */
    /* Of warps that wait for a line of code, or for constants: those whose line
     * is used for the first time. */
    uint64_t cold_code, cold_constants;
    unsigned residents;
    sm_warp warp[SM_WARPS];

    /* ---- the pipeline, from the front end to write-back ---- */
    sm_fetch fetch;
    const sm_front_end *front_end;
    sm_cluster *cluster; /* NULL: clusters are of one SM */
    sm_power power;
    sm_issue_stage issue;
    sm_hazard_stage hazards;
    sm_table_stage table_stage;
    sm_collect collect;
    sm_units units;
    sm_wheel wheel;
    sm_constant constant;
    sm_lsu lsu;
    sm_owner owner;

    sm_ctas ctas;
    sm_cga_words_said cga;
    sm_remote *remote; /* NULL: there was no CTA of a cluster */
    sm_tma *tma;       /* NULL: there are no bulk copies */
    bool bulk;         /* there was one: its accelerator may have work */
    sm_launches launches;
    exec_fault fault; /* FAULT_NONE while running */
    unsigned fault_grid;

    sm_time time;
    sm_stats st;
    sm_observers observe;

    /* ---- constant once built, but for window_end ---- */
    const config *cfg;
    unsigned id;
    sm_ports port;
    mem_view *view;
    uint64_t window_end;
    simt_entry *deep; /* of all warps, see exec/simt.h; NULL: Volta */
    void *block;      /* of host memory that this struct lies in */

    /* ---- what warps compute with ---- */
    exec_warp x[SM_WARPS] __attribute__((aligned(64)));
    exec_bar bar[SM_WARPS]; /* the barrier a warp waits at */
    sm_async_copies copies[SM_WARPS];
    sm_warp_groups *groups; /* NULL until a warp group multiplies */
};

#define BIT(n) ((uint64_t)1 << (n))

/* True if what scheduler `n` does in cycle `t` has to be worked out. Who
 * watches wants to see each cycle that ready warps wait. */
static inline bool sm_slot_open(const sm *s, unsigned n, uint64_t t)
{
    return s->issue.retry[n] <= t ||
           (__builtin_expect(s->observe.any, 0) &&
            (s->wait[WHY_READY] & s->issue.scheduler[n].mask));
}

/* The LSU queue is full now, or is not any more; or one of the collectors that
 * all take from is taken. */
static inline void sm_slots_reopen(sm *s)
{
    for (unsigned n = 0; n < SM_SCHEDULERS; n++)
        s->issue.retry[n] = 0;
}

/* After a change of what decides who may issue. */
static inline void sm_limit_issue(sm *s)
{
    s->issue.limits =
        s->issue.chooses || s->owner.saturated || s->issue.stopped;
}

/* Warp `w` stands in front of an exit. */
static inline bool sm_exits_next(const sm *s, unsigned w)
{
    const exec_warp *x = &s->x[w];

    return x->simt.pc < x->code_count &&
           isa_table[x->code[x->simt.pc].op].flags & ISA_F_EXIT;
}

/* Warp `w` is about to wait for `why`: observers see it. */
SM_COLD void sm_watch_warp(sm *s, unsigned w, sm_why why);

static inline void sm_warp_set(sm *s, unsigned w, sm_why why)
{
    if (__builtin_expect(s->observe.any, 0))
        sm_watch_warp(s, w, why);
    s->wait[s->warp[w].why] &= ~BIT(w);
    s->wait[why] |= BIT(w);
    s->warp[w].why = (uint8_t)why;
    s->issue.retry[s->warp[w].sched] = 0;
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

/* Instructions of its kernel; a trace's warp has none of its own. */
static inline uint32_t sm_code_count(const sm *s, unsigned w)
{
    uint32_t own = s->x[w].code_count;

    return own ? own : s->fetch.warp[w].insts;
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
    if (__builtin_expect(s->hazards.reserves, 1))
        sm_hazard_reserve(s->hazards.policy, w, si);
    if (__builtin_expect(s->hazards.oracle != NULL, 0))
        sm_oracle_pend(s->hazards.oracle, w, si, s->x[w].ran != 0, s->now);
}

/* So are its uniform ones. */
static inline void sm_pend_uniform(sm *s, unsigned w, const sm_inst *si)
{
    if (__builtin_expect(si->flags & INST_UNIFORM, 0))
        sm_uniform_pend(s->hazards.uniform, w, si->in);
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
/* So does the oracle: instruction `pc` of warp `w` is where it must not be.
 * False: it goes on, counted only. The vendor's code is right by its own
 * latencies: if it comes early, ours are too long. */
SM_COLD bool sm_hazard_fault(sm *s, enum exec_fault_kind kind, unsigned w,
                             uint32_t pc);

#endif
