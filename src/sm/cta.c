#include "sm/cta.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/must.h"
#include "sm/account.h"
#include "sm/barrier.h"
#include "sm/state.h"

/* ---- resources ---- */

sm_resources sm_cta_needs(const config *cfg, const exec_launch *l)
{
    unsigned per_warp = (unsigned)bits_round_up(
        (uint64_t)l->kernel->registers * ISA_WARP, cfg->sm.register_unit);
    unsigned warps = (unsigned)bits_round_up(l->warps, cfg->sm.warp_unit);

    return (sm_resources){
        .ctas = 1,
        .warps = l->warps,
        .threads = l->warps * ISA_WARP,
        .registers = per_warp * warps,
        .shared_bytes = bits_round_up(l->shared_bytes + cfg->sm.shared_reserved,
                                      cfg->sm.shared_unit),
    };
}

unsigned sm_occupancy(const config *cfg, const exec_launch *l,
                      const char **limiter, uint64_t *need, uint64_t *have)
{
    sm_resources n = sm_cta_needs(cfg, l);
    const struct {
        const char *name;
        uint64_t need, have;
    } row[] = {
        {"CTA slots", n.ctas, cfg->sm.ctas},
        {"warps", n.warps, cfg->sm.warps},
        {"threads", n.threads, cfg->sm.threads},
        {"registers", n.registers, cfg->sm.registers},
        {"shared memory", n.shared_bytes, cfg->sm.shared_bytes},
    };
    uint64_t most = UINT64_MAX;
    unsigned least = 0;

    for (unsigned i = 0; i < COUNTOF(row); i++) {
        if (row[i].need && row[i].have / row[i].need < most) {
            most = row[i].have / row[i].need;
            least = i;
        }
    }
    if (limiter)
        *limiter = row[least].name;
    if (need)
        *need = row[least].need;
    if (have)
        *have = row[least].have;
    return (unsigned)most;
}

bool sm_fits(const sm *s) { return s->cta_count < s->cta_limit; }

sm_resources sm_free_resources(const sm *s)
{
    const config *cfg = s->cfg;
    sm_resources n = {0};

    if (s->launch)
        n = sm_cta_needs(cfg, s->launch);
    return (sm_resources){
        .ctas = cfg->sm.ctas - s->cta_count,
        .warps = cfg->sm.warps - s->cta_count * n.warps,
        .threads = cfg->sm.threads - s->cta_count * n.threads,
        .registers = cfg->sm.registers - s->cta_count * n.registers,
        .shared_bytes = cfg->sm.shared_bytes - s->cta_count * n.shared_bytes,
    };
}

/* Makes `*p` at least `size` bytes long, never NULL; contents are lost. */
static bool reserve(void **p, size_t *room, size_t size)
{
    if (*p && size <= *room)
        return true;
    size = size ? size : 1;
    free(*p);
    *room = 0;
    *p = calloc(1, size);
    if (!*p)
        return false;
    *room = size;
    return true;
}

bool sm_launch_twin(sm *s, const exec_launch *l, const sm *twin)
{
    const isa_kernel *k = l->kernel;

    MUST(!s->cta_count);
    s->launch = l;
    s->cta_limit = sm_occupancy(s->cfg, l, NULL, NULL, NULL);
    size_t warps = (size_t)s->cta_limit * l->warps;
    void *reg = s->registers, *shared = s->shared, *local = s->local;
    bool ok =
        reserve(&reg, &s->registers_room,
                warps * k->registers * sizeof *s->registers) &&
        reserve(&shared, &s->shared_room,
                (size_t)s->cta_limit * l->shared_bytes) &&
        reserve(&local, &s->local_room, warps * exec_local_bytes(l) * ISA_WARP);
    s->registers = reg;
    s->shared = shared;
    s->local = local;
    if (!s->fresh) {
        sm_wheel_clear(&s->wheel);
        sm_fetch_clear(&s->fetch);
        sm_constant_clear(&s->constant);
        sm_collect_launch(&s->collect);
        s->fresh = true;
    }
    if (!twin && ok)
        ok = sm_code_load(&s->own_code, s->cfg, k, l->arch);
    s->code = twin ? twin->code : s->own_code;
    return ok;
}

bool sm_launch(sm *s, const exec_launch *l)
{
    return sm_launch_twin(s, l, NULL);
}

/* ---- life of a CTA ---- */

static void start_warp(sm *s, sm_cta *c, unsigned w, unsigned index)
{
    const isa_kernel *k = s->launch->kernel;
    exec_warp *x = &s->x[w];
    sm_warp *p = &s->warp[w];

    x->reg = s->registers + (size_t)w * k->registers;
    x->cta = &c->x;
    x->local = s->local + (size_t)w * exec_local_bytes(s->launch) * ISA_WARP;
    x->index = index;
    exec_warp_start(x);
    MUST(!p->outstanding && !p->queued && !p->loads);
    MUST_CHECK(s->hazard->ops->idle(s->hazard, w));
    p->stores = 0; /* of the warp before, as its tags tell */
    p->ended = false;
    p->cta = (uint8_t)(c - s->cta);
    s->constant.found[w] = 0;
    s->resident |= BIT(w);
    s->residents++;
    c->warps |= BIT(w);
    sm_warp_set(s, w, WHY_FETCH);
    sm_fetch_start(s, w, x->simt.pc);
}

void sm_cta_start(sm *s, uint64_t now, const uint32_t id[3], uint64_t number)
{
    unsigned slot = 0;

    MUST(sm_fits(s));
    s->fresh = false;
    sm_account(s, now);
    if (s->check.stage)
        sm_check_skip(s, now);
    s->change = now;
    sm_cycles_count(s, now);
    s->change = now;
    while (s->cta[slot].taken)
        slot++;
    sm_cta *c = &s->cta[slot];
    *c = (sm_cta){
        .taken = true,
        .barrier = s->barriers + (size_t)slot * s->cfg->sm.barriers,
    };
    memset(c->barrier, 0, s->cfg->sm.barriers * sizeof *c->barrier);
    c->x = (exec_cta){
        .launch = s->launch,
        .id = {id[0], id[1], id[2]},
        .number = number,
        .shared = s->shared + (size_t)slot * s->launch->shared_bytes,
        .sm = s->id,
    };
    uint64_t warps = exec_cta_start(&c->x);
    c->running = c->x.live_warps;
    for (uint64_t left = warps; left; left &= left - 1) {
        unsigned i = bits_ctz64(left);

        start_warp(s, c, slot * s->launch->warps + i, i);
    }
    if (s->profile)
        sm_profile_begin_warps(s, c->warps, now);
    if (s->trace)
        sm_trace_warps(s, c->warps, now);
    s->ages.cta[s->ages.count++] = c->warps;
    s->cta_count++;
    s->st.ctas_started++;
}

static void end_cta(sm *s, sm_cta *c)
{
    sm_ages *a = &s->ages;
    unsigned i = 0;

    while (a->cta[i] != c->warps)
        i++;
    a->count--;
    memmove(&a->cta[i], &a->cta[i + 1], (a->count - i) * sizeof a->cta[0]);
    c->taken = false;
    s->cta_count--;
    s->st.ctas_done++;
    if (s->done_taken) {
        s->done_taken = false;
        s->done_count = 0;
    }
    MUST(s->done_count < COUNTOF(s->done));
    s->done[s->done_count++] =
        (sm_done){.number = c->x.number, .cycle = s->now};
}

unsigned sm_finished(sm *s, const sm_done **list)
{
    unsigned n = s->done_taken ? 0 : s->done_count;

    s->done_taken = true;
    *list = s->done;
    return n;
}

void sm_warp_end(sm *s, unsigned w)
{
    sm_warp *p = &s->warp[w];

    p->ended = true;
    s->st.warps_done++;
    sm_fetch_stop(s, w);
    sm_warp_set(s, w, WHY_DRAIN);
    s->cta[p->cta].x.live_warps--;
    sm_barrier_leave(s, p->cta);
    sm_warp_drain(s, w);
}

static __attribute__((noinline)) void drained(sm *s, unsigned w)
{
    sm_warp *p = &s->warp[w];
    sm_cta *c = &s->cta[p->cta];
    p->ended = false;
    p->life++;
    sm_cycles_count(s, s->now);
    s->resident &= ~BIT(w);
    s->residents--;
    sm_warp_set(s, w, WHY_NO_WARP);
    if (!--c->running)
        end_cta(s, c);
}

void sm_warp_drain(sm *s, unsigned w)
{
    if (s->warp[w].ended && !s->warp[w].outstanding)
        drained(s, w);
}
