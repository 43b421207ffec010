#include "sm/account.h"

#include "base/must.h"
#include "sm/issue.h"
#include "sm/state.h"

static void charge(sm *s, uint64_t cycles)
{
    unsigned warps = s->residents;

    s->st.cycles += cycles;
    s->st.slots += cycles * s->schedulers;
    s->st.warp_cycles += cycles * warps;
    if (warps)
        s->st.active_cycles += cycles;
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

void sm_account(sm *s, uint64_t now)
{
    if (now <= s->charged)
        return;
    uint64_t cycles = now - s->charged;

    charge(s, cycles);
    for (unsigned n = 0; n < s->schedulers; n++) {
        sm_slot slot = sm_slot_at(s, n, s->charged);

        MUST(s->fault.kind || (!slot.issues && slot.retry >= now));
        s->st.stall[slot.issues ? WHY_DRAIN : slot.why] += cycles;
    }
    s->charged = now;
}

void sm_account_tick(sm *s)
{
    uint64_t slots = s->st.issued;

    charge(s, 1);
    s->charged = s->now + 1;
#ifdef HEDDLE_CHECKS
    for (unsigned i = 0; i < WHY_STALLS; i++)
        slots += s->st.stall[i];
    MUST(slots == s->st.slots);
#else
    (void)slots;
#endif
}

void sm_finish_stats(sm *s, uint64_t now) { sm_account(s, now); }
