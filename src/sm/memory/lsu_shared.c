/* src/sm/memory/lsu_shared.c - accesses to shared memory, see lsu.h. */
#include "sm/memory/lsu_impl.h"
#include "sm/state.h"

static SM_COLD void watch_shared(sm *s, const sm_lsu_entry *e, unsigned passes,
                                 unsigned conflicts)
{
    if (s->observe.profile) {
        sm_profile_row *row = sm_profile_at(s, e->warp, e->pc);

        row->mem_shared++;
        row->shared_passes += passes;
        row->shared_conflicts += conflicts;
    }
    if (s->observe.trace)
        sm_trace_shared(s, e, passes, conflicts);
}

uint64_t sm_lsu_shared(sm *s, const sm_lsu_entry *e)
{
    const config *cfg = s->cfg;
    const sm_banks of = {.count = cfg->sm.shared.banks,
                         .width = cfg->sm.shared.bank_bytes,
                         .pair = cfg->sm.shared.pair && is_plain_load(e)};
    uint32_t mask = e->m->space[EXEC_SHARED];
    unsigned passes, least;

    if (is_copy(e)) { /* the turn that its data will take */
        uint64_t to[ISA_WARP];

        for (unsigned l = 0; l < ISA_WARP; l++)
            to[l] = e->m->data[0][l];
        passes = sm_shared_passes(to, e->m->lanes, e->m->size, &of);
        least = e->m->size > of.width ? e->m->size / of.width : 1;
    } else if (is_atomic(e)) {
        passes = sm_shared_atomic_passes(e->m->addr, mask, of.count, of.width) *
                 (1 + cfg->sm.shared.atomic);
        least = 1 + cfg->sm.shared.atomic;
    } else {
        passes =
            sm_shared_passes_noted(&s->lsu.pattern[e->pc % LSU_PATTERNS], e->pc,
                                   e->m->addr, mask, e->m->size, &of);
        least = e->m->size > of.width ? e->m->size / of.width : 1;
    }
    if (__builtin_expect(cfg->sm.shared.perfect, 0))
        passes = passes < least ? passes : least;
    if (__builtin_expect(s->observe.any, 0))
        watch_shared(s, e, passes, passes > least ? passes - least : 0);
    s->st.mem_shared++;
    s->st.shared_passes += passes;
    s->st.shared_conflicts += passes > least ? passes - least : 0;
    s->st.lsu_busy += passes - 1; /* the last cycle is counted at the end */
    s->lsu.free = s->now + passes - 1;
    return s->now + passes + cfg->sm.shared.latency + cfg->sm.lsu.write_back;
}
