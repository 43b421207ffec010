#include "sm/slots.h"

#include "base/must.h"
#include "sm/issue.h"
#include "sm/state.h"

static void settle_charge(sm *s, unsigned n, uint64_t when)
{
    sm_charge *c = &s->issue.charge[n];

    if (__builtin_expect(s->observe.profile != NULL, 0))
        sm_profile_slots(s, n, when);
    s->st.stall[c->why] += when - c->since;
    if (c->cold)
        *(c->why == WHY_ICACHE ? &s->st.cold_icache : &s->st.cold_constant) +=
            when - c->since;
    c->since = when;
}

/* All warps of scheduler `n` that wait for `why` would not with caches that
 * had been used before. */
static bool is_cold(const sm *s, unsigned n, sm_why why)
{
    uint64_t set = s->wait[why] & s->issue.scheduler[n].mask;

    return (why == WHY_ICACHE && !(set & ~s->cold_code)) ||
           (why == WHY_CONSTANT && !(set & ~s->cold_constants));
}

static void observe_stalls(sm *s)
{
    s->observe.stalls = s->observe.any || s->cold_code || s->cold_constants;
    for (unsigned n = 0; n < s->issue.schedulers; n++)
        s->observe.stalls |= s->issue.charge[n].cold;
}

void sm_slots_observe(sm *s)
{
    sm_lsu_observe(s);
    observe_stalls(s);
}

/* This and settle_issue() stay apart, so that their callers, which mostly need
 * neither, are short. */
static __attribute__((noinline)) void change(sm *s, unsigned n, uint64_t when,
                                             sm_why why)
{
    sm_charge *c = &s->issue.charge[n];
    sm_profile_row *row =
        s->observe.profile ? sm_profile_blame(s, n, why) : NULL;
    bool cold = s->observe.stalls && is_cold(s, n, why);

    if (s->observe.trace && when == s->now) /* not one that was skipped */
        sm_trace_slot(s, n);

    if (c->why == why && c->row == row && c->cold == cold)
        return;
    settle_charge(s, n, when);
    c->why = (uint8_t)why;
    c->row = row;
    c->cold = cold;
    if (s->observe.stalls)
        observe_stalls(s);
}

void sm_slots_wait(sm *s, unsigned n, uint64_t when, sm_why why)
{
    if (s->issue.charge[n].why != why || s->observe.stalls)
        change(s, n, when, why);
}

static __attribute__((noinline)) void settle_issue(sm *s, unsigned n,
                                                   uint64_t when)
{
    settle_charge(s, n, when);
    s->issue.charge[n].since = when + 1;
}

static inline void use_slot(sm *s, unsigned n, uint64_t when)
{
    sm_charge *c = &s->issue.charge[n];

    if (c->since == when) /* the cycle after another issue */
        c->since = when + 1;
    else
        settle_issue(s, n, when);
}

void sm_slots_again(sm *s, unsigned n)
{
    s->st.issued--;
    s->st.issued_second++;
    s->issue.charge[n].since--;
}

void sm_slots_issue(sm *s, unsigned n, uint64_t when)
{
    s->st.issued++;
    use_slot(s, n, when);
}

void sm_slots_issue_remote(sm *s, unsigned n, uint64_t when)
{
    s->st.followed++;
    use_slot(s, n, when);
}

static void count_mode(sm *s, uint64_t cycles)
{
    switch (s->cluster->mode) {
    case CLUSTER_ALONE:
        break;
    case CLUSTER_FORMING:
        s->st.forming_cycles += cycles;
        break;
    case CLUSTER_SHARED:
        s->st.shared_cycles += cycles;
        s->st.shared_active += s->residents ? cycles : 0;
        break;
    case CLUSTER_DISSOLVING:
        s->st.dissolving_cycles += cycles;
        break;
    }
}

/* Counts cycles `from` to `when` of a front end without power since sleep_at,
 * or since a cycle among them. */
static SM_COLD void count_sleep(sm *s, uint64_t from, uint64_t when)
{
    bool falls = s->power.sleep_at >= from;

    s->st.sleeps += falls;
    s->st.gated_idle += when - (falls ? s->power.sleep_at : from);
}

void sm_slots_count_cycles(sm *s, uint64_t when)
{
    uint64_t cycles = when - s->time.counted;

    if (__builtin_expect(s->power.sleep_at < when, 0))
        count_sleep(s, s->time.counted, when);

    s->time.counted = when;
    s->st.cycles += cycles;
    s->st.slots += cycles * s->issue.schedulers;
    s->st.warp_cycles += cycles * s->residents;
    if (s->residents)
        s->st.active_cycles += cycles;
    if (s->cluster)
        count_mode(s, cycles);
    if (s->power.gated)
        *(s->residents ? &s->st.gated_active : &s->st.gated_idle) += cycles;
    switch (s->lsu.block) {
    case LSU_RUNS:
        break;
    case LSU_PORT:
        s->st.lsu_port_full += cycles;
        break;
    case LSU_PENDING:
        s->st.lsu_pending_full += cycles;
        break;
    case LSU_COHERENCE:
        s->st.lsu_coherence += cycles;
        break;
    }
}

void sm_power_set(sm *s, uint64_t when, bool on)
{
    if (s->power.gated == !on)
        return;
    sm_slots_count_cycles(s, when);
    s->power.gated = !on;
    s->st.sleeps += !on;
    s->st.wakes += on;
}

void sm_power_idle(sm *s, uint64_t when)
{
    if (s->cfg->sm.fetch.front_end == CFG_FRONT_END_GATED)
        s->power.sleep_at = when + s->cfg->sm.fetch.sleep;
}

void sm_power_wanted(sm *s, uint64_t when)
{
    if (s->power.sleep_at < when) {
        s->st.wakes++;
        s->power.awake_at = when + s->cfg->sm.fetch.wake;
    }
    if (s->power.awake_at <= when)
        s->power.awake_at = 0;
    s->power.sleep_at = NEVER;
}

void sm_slots_account(sm *s, uint64_t now)
{
    uint64_t first = s->time.ticked;

    if (now <= first)
        return;
    s->time.ticked = now;
    for (unsigned n = 0; n < s->issue.schedulers; n++) {
        if (s->fault.kind) {
            sm_slots_wait(s, n, first, WHY_DRAIN);
        } else if (sm_slot_open(s, n, first)) {
            sm_slot slot = sm_slot_at(s, n, first);
            MUST(!slot.warps && slot.retry >= now);
            sm_slots_wait(s, n, first, slot.why);
        }
    }
}

void sm_slots_check(const sm *s)
{
    uint64_t slots = s->st.issued + s->st.followed;

    for (unsigned i = 0; i < WHY_STALLS; i++)
        slots += s->st.stall[i];
    for (unsigned n = 0; n < s->issue.schedulers; n++)
        slots += s->now + 1 - s->issue.charge[n].since;
    MUST(slots == (s->now + 1) * s->issue.schedulers);
}

void sm_finish_stats(sm *s, uint64_t now)
{
    sm_slots_account(s, now);
    if (s->table_stage.stage)
        sm_table_stage_skip(s, now);
    for (unsigned n = 0; n < s->issue.schedulers; n++)
        settle_charge(s, n, now);
    sm_slots_count_cycles(s, now);
    if (s->front_end->settle)
        s->front_end->settle(s, now);
    if (s->hazards.policy->ops->settle)
        s->hazards.policy->ops->settle(s->hazards.policy, now);
}
