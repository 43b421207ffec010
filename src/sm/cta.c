#include "sm/cta.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "exec/level.h"
#include "exec/plan.h"
#include "sm/barrier.h"
#include "sm/let_go.h"
#include "sm/slots.h"
#include "sm/state.h"

/* ---- resources ---- */

uint64_t sm_cta_shared(const config *cfg, const exec_launch *l)
{
    uint64_t reserved = cfg->sm.shared_reserved;

    if (reserved < l->kernel->shared_reserved) /* they are in shared_bytes */
        reserved = l->kernel->shared_reserved;
    return l->shared_bytes - l->kernel->shared_reserved + reserved;
}

sm_resources sm_cta_needs(const config *cfg, const exec_launch *l)
{
    unsigned per_warp = (unsigned)bits_round_up(
        (uint64_t)isa_kernel_begins_with(l->kernel) * ISA_WARP,
        cfg->sm.register_unit);
    unsigned warps = (unsigned)bits_round_up(l->warps, cfg->sm.warp_unit);

    return (sm_resources){
        .ctas = 1,
        .warps = l->warps,
        .threads = l->warps * ISA_WARP,
        .registers = per_warp * warps,
        .shared_bytes =
            bits_round_up(sm_cta_shared(cfg, l), cfg->sm.shared_unit),
    };
}

/* Shared memory that an SM has for this launch by itself. */
static uint64_t shared_had(const config *cfg, const exec_launch *l)
{
    unsigned asked = l->hints.carveout;
    uint64_t least = sm_cta_needs(cfg, l).shared_bytes;
    uint64_t wanted = asked ? cfg->sm.shared_bytes * (asked - 1ull) / 100 : 0;

    if (!asked)
        return cfg->sm.shared_bytes;
    return config_l1_carve(cfg, wanted > least ? wanted : least).shared;
}

uint64_t sm_shared_wanted(const config *cfg, const exec_launch *l)
{
    if (l->hints.carveout)
        return shared_had(cfg, l);
    return (uint64_t)sm_occupancy(cfg, l, NULL, NULL, NULL) *
           sm_cta_needs(cfg, l).shared_bytes;
}

unsigned sm_occupancy(const config *cfg, const exec_launch *l,
                      const char **limiter, uint64_t *need, uint64_t *have)
{
    sm_resources n = sm_cta_needs(cfg, l), has = sm_resources_of(cfg);

    if (l->hints.carveout)
        has.shared_bytes = shared_had(cfg, l);
    const struct {
        const char *name;
        uint64_t need, have;
    } row[] = {
#define RESOURCE(id, type, name) {name, n.id, has.id},
#include "sm/resource.def"
#undef RESOURCE
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

sm_resources sm_resources_of(const config *cfg)
{
    return (sm_resources){
#define RESOURCE(id, type, name) .id = (type)cfg->sm.id,
#include "sm/resource.def"
#undef RESOURCE
    };
}

bool sm_has_room(const sm_resources *have, const sm_resources *need)
{
#define RESOURCE(id, type, name) have->id >= need->id &&
    return
#include "sm/resource.def"
        true;
#undef RESOURCE
}

void sm_resources_take(sm_resources *have, const sm_resources *need)
{
    MUST(sm_has_room(have, need));
#define RESOURCE(id, type, name) have->id -= need->id;
#include "sm/resource.def"
#undef RESOURCE
}

void sm_resources_give(sm_resources *have, const sm_resources *need)
{
#define RESOURCE(id, type, name) have->id += need->id;
#include "sm/resource.def"
#undef RESOURCE
}

sm_resources sm_warp_part(const config *cfg, const sm_resources *cta)
{
    uint64_t warps = bits_round_up(cta->warps, cfg->sm.warp_unit);

    return (sm_resources){
        .warps = 1,
        .threads = ISA_WARP,
        .registers = warps ? cta->registers / (unsigned)warps : 0,
    };
}

sm_resources sm_resources_rest(const sm_resources *cta,
                               const sm_resources *part, unsigned warps)
{
    return (sm_resources){
#define RESOURCE(id, type, name) .id = cta->id - warps * part->id,
#include "sm/resource.def"
#undef RESOURCE
    };
}

bool sm_fits(const sm *s, unsigned n)
{
    return sm_has_room(&s->ctas.free, &s->launches.grid[n].need);
}

/* ---- launches ---- */

unsigned sm_most_ctas(const config *cfg, const exec_launch *l)
{
    sm_resources need = sm_cta_needs(cfg, l), have = sm_resources_of(cfg);
    sm_resources part = sm_warp_part(cfg, &need);
    sm_resources last = sm_resources_rest(&need, &part, need.warps - 1);
    unsigned n = 0;

    if (cfg->gpu.cta.release == CFG_CTA_RELEASE_CTA)
        return sm_occupancy(cfg, l, NULL, NULL, NULL);
    for (; sm_has_room(&have, &last); n++)
        sm_resources_take(&have, &last);
    return n;
}

/* Makes `*p` at least `size` bytes long, never NULL; contents are lost. What is
 * new is zero, unless its user clears it anyway: clearing makes pages real that
 * are perhaps never used. */
static void reserve_memory(void **p, size_t *room, size_t size, bool zero)
{
    if (*p && size <= *room)
        return;
    size = size ? size : 1;
    free(*p);
    *p = zero ? new0(1, size) : new_array(size, 1);
    *room = size;
}

void sm_clear(sm *s, bool keep)
{
    MUST(!s->ctas.count && !s->launches.count);
    sm_power_idle(s, s->time.counted);
    if (s->launches.untouched)
        return;
    sm_wheel_clear(&s->wheel);
    sm_cluster_clear(s);
    sm_fetch_clear(&s->fetch, keep);
    sm_constant_clear(&s->constant, keep);
    if (!keep)
        sm_tma_clear(s->tma);
    s->cold_code = s->cold_constants = 0;
    s->launches.age += !keep;
    sm_collect_launch(&s->collect);
    exec_writers_clear(&s->launches.writers);
    s->launches.untouched = true;
}

/* Memory of the CTAs of `g` that fit the SM at once. */
static void reserve_all(const sm *s, sm_grid *g)
{
    const exec_launch *l = g->launch;
    size_t ctas = sm_most_ctas(s->cfg, l);
    size_t warps = ctas * l->warps;
    void *reg = g->registers, *shared = g->shared, *memory = g->memory;
    /* Registers are cleared when a warp starts: exec_warp_start. */
    reserve_memory(&reg, &g->registers_room,
                   warps * l->kernel->registers * sizeof *g->registers, false);
    reserve_memory(&shared, &g->shared_room, ctas * exec_shared_room(l), true);
    reserve_memory(&memory, &g->memory_room,
                   warps * exec_local_room(l) * ISA_WARP, true);
    g->registers = reg;
    g->shared = shared;
    g->memory = memory;
}

/* Which lines of code and constants have been touched: of a launch that is
 * repeated those of the one before. */
static void reserve_touch(sm *s, sm_grid *g, uint64_t code_end)
{
    sm_fetch_reserve(&s->fetch, code_end);
    sm_touch_reserve(&g->touch, SM_CONST_BYTES >> s->constant.l1.shift);
    if (g->touch_age != s->launches.age || g->touch_at != g->constants)
        sm_touch_clear(&g->touch);
    g->touch_age = s->launches.age;
    g->touch_at = g->constants;
}

/* The launch of number `n`: for most programs there are few. */
static sm_grid *take_grid(sm_launches *l, unsigned n)
{
    unsigned had = l->room;

    GROW(l->grid, n + 1, l->room);
    memset(l->grid + had, 0, (l->room - had) * sizeof *l->grid);
    return &l->grid[n];
}

/* To plan an instruction costs what some ten warps save. */
enum { PLAN_WARPS = 128 };

static uint64_t grid_warps(const exec_launch *l)
{
    return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] * l->warps;
}

void sm_launch(sm *s, unsigned n, const exec_launch *l, const sm_place *at,
               uint64_t now, const sm *twin)
{
    MUST(n < s->cfg->gpu.concurrent);
    sm_grid *g = take_grid(&s->launches, n);

    MUST(!g->launch && !g->places && !g->stores);
    g->launch = l;
    g->need = sm_cta_needs(s->cfg, l);
    g->part = sm_warp_part(s->cfg, &g->need);
    g->constants = at->constants;
    g->local = at->local;
    g->idle_at = now;
    g->insts = g->let_go = 0;
    g->held = false;
    s->launches.count++;
    reserve_all(s, g);
    reserve_touch(s, g,
                  SM_CODE_BASE + at->code +
                      isa_address(l->arch, l->kernel->code_count));
    if (!twin)
        sm_decode_load(&g->own_code, s->cfg, l->kernel, l->arch, at->code);
    if (!twin && exec_plan_suits(l) && grid_warps(l) >= PLAN_WARPS)
        g->own_plan = exec_plan_new_steps(l, exec_ops_best());
    g->code = twin ? twin->launches.grid[n].code : g->own_code;
    g->plan = twin ? twin->launches.grid[n].plan : g->own_plan;
}

void sm_launch_end(sm *s, unsigned n)
{
    sm_grid *g = &s->launches.grid[n];

    MUST(g->launch && !g->places && !g->stores && !g->rows);
    exec_plan_free(g->own_plan);
    g->own_plan = g->plan = NULL;
    g->launch = NULL;
    s->launches.count--;
}

bool sm_launch_idle(const sm *s, unsigned n)
{
    return !s->launches.grid[n].places && !s->launches.grid[n].stores;
}

uint64_t sm_launch_idle_at(const sm *s, unsigned n)
{
    return s->launches.grid[n].idle_at;
}

uint64_t sm_launch_insts(const sm *s, unsigned n)
{
    uint64_t insts = s->launches.grid[n].insts;

    for (uint64_t left = s->resident; left; left &= left - 1) {
        unsigned w = bits_ctz64(left);

        insts += s->warp[w].grid == n ? s->x[w].executed : 0;
    }
    return insts;
}

static void note_idle(sm *s, unsigned n)
{
    if (sm_launch_idle(s, n))
        s->launches.grid[n].idle_at = s->now + 1;
}

void sm_grid_stored(sm *s, unsigned n)
{
    MUST(s->launches.grid[n].stores > 0);
    s->launches.grid[n].stores--;
    note_idle(s, n);
}

void sm_grids_free(sm *s)
{
    for (unsigned i = 0; i < SM_WARPS; i++) /* of launches that were lost */
        exec_cta_end(&s->ctas.cta[i].x);
    for (unsigned n = 0; n < s->launches.room; n++) {
        sm_grid *g = &s->launches.grid[n];

        sm_decode_fini(&g->own_code);
        exec_plan_free(g->own_plan);
        free(g->rows);
        free(g->registers);
        free(g->shared);
        free(g->memory);
        sm_touch_fini(&g->touch);
    }
    free(s->launches.grid);
}

/* ---- life of a CTA ---- */

/* What is beside local memory is as new, also in the place of another warp. */
static void clear_beyond(const exec_warp *x)
{
    const exec_launch *l = x->cta->launch;

    if (__builtin_expect(l->local_beyond != 0, 0))
        memset(x->local + (size_t)exec_local_bytes(l) * ISA_WARP, 0,
               (size_t)l->local_beyond * ISA_WARP);
}

/* Warp `w` starts: others may have to do with fewer slots of the hazard table
 * from the first cycle on in which it is there. */
static void divide_slots(sm *s, unsigned w)
{
    uint64_t others = s->hazards.policy->ops->begin(s->hazards.policy, w);

    for (; others; others &= others - 1)
        sm_event_at(s, s->time.change, EVENT_ROOM, bits_ctz64(others), 0, 0);
}

static void start_warp(sm *s, sm_cta *c, unsigned w, unsigned index)
{
    const sm_grid *g = &s->launches.grid[c->grid];
    size_t place = (size_t)c->place * g->launch->warps + index;
    exec_warp *x = &s->x[w];
    sm_warp *p = &s->warp[w];

    x->reg = g->registers + place * g->launch->kernel->registers;
    x->cta = &c->x;
    x->local = g->memory + place * exec_local_room(g->launch) * ISA_WARP;
    x->index = index;
    clear_beyond(x);
    exec_warp_start(x);
    x->plan = g->plan;
    if (s->observe.spin)
        sm_spin_start(s, w);
    MUST(!p->outstanding && !p->queued && !p->loads);
    MUST_CHECK(s->hazards.policy->ops->idle(s->hazards.policy, w));
    MUST_CHECK(!s->hazards.uniform || sm_uniform_idle(s->hazards.uniform, w));
    if (s->hazards.policy->ops->begin)
        divide_slots(s, w);
    p->stores = 0; /* of the warp before, as its tags tell */
    p->ended = false;
    p->cta = (uint8_t)(c - s->ctas.cta);
    p->grid = c->grid;
    s->constant.found[w] = 0;
    s->constant.base[w] = SM_CONST_BASE + g->constants;
    s->resident |= BIT(w);
    s->residents++;
    c->warps |= BIT(w);
    sm_warp_set(s, w, WHY_FETCH);
    sm_fetch_start(s, w, &g->code, x->simt.pc);
    if (!s->front_end->fetches) {
        sm_fetch_flush(s, w);
        sm_warp_set(s, w, WHY_FOLLOW);
    } else if (s->power.awake_at) {
        sm_fetch_flush(s, w);
        sm_warp_set(s, w, WHY_WAKE);
        sm_event_at(s, s->power.awake_at, EVENT_BRANCH, w, 0, 0);
    }
}

/* The lowest `n` free warp slots. */
static uint64_t lowest_free(const sm *s, unsigned n)
{
    uint64_t free = bits_mask64(s->cfg->sm.warps) & ~s->ctas.warps, rest = free;

    while (n--) {
        MUST(rest);
        rest &= rest - 1;
    }
    return free & ~rest;
}

/* A free CTA slot, with what the CTA takes of the SM. */
static sm_cta *take_slot(sm *s, uint64_t now, unsigned n)
{
    sm_grid *g = &s->launches.grid[n];
    unsigned slot = 0, place = bits_ctz64(~g->places);

    sm_resources_take(&s->ctas.free, &g->need);
    while (s->ctas.cta[slot].taken)
        slot++;
    uint64_t slots = lowest_free(s, g->launch->warps);
    if (s->front_end->place_cta)
        s->front_end->place_cta(s, now, &slot, &slots);
    sm_cta *c = &s->ctas.cta[slot];
    MUST(!c->taken && !(s->ctas.warps & slots));
    *c = (sm_cta){
        .taken = true,
        .grid = (uint8_t)n,
        .place = (uint8_t)place,
        .slots = slots,
        .barrier = s->ctas.barriers + (size_t)slot * s->cfg->sm.barriers,
    };
    g->places |= BIT(place);
    s->ctas.warps |= c->slots;
    return c;
}

void sm_cta_start(sm *s, uint64_t now, unsigned n, const uint32_t id[3],
                  uint64_t number, exec_cga *cga, unsigned rank)
{
    const exec_launch *l = s->launches.grid[n].launch;

    s->launches.untouched = false;
    if (cga && !s->remote)
        s->remote = sm_remote_new();
    sm_slots_account(s, now);
    if (s->table_stage.stage)
        sm_table_stage_skip(s, now);
    s->time.change = now;
    sm_slots_count_cycles(s, now);
    sm_power_wanted(s, now);
    sm_cta *c = take_slot(s, now, n);
    memset(c->barrier, 0, s->cfg->sm.barriers * sizeof *c->barrier);
    c->x = (exec_cta){
        .launch = l,
        .id = {id[0], id[1], id[2]},
        .number = number,
        .cga = cga,
        .rank = rank,
        .shared =
            s->launches.grid[n].shared + (size_t)c->place * exec_shared_room(l),
        .sm = s->id,
    };
    if (l->shared_beyond)
        memset(c->x.shared + l->shared_bytes, 0, l->shared_beyond);
    uint64_t warps = exec_cta_start(&c->x), slots = c->slots;
    c->running = c->x.live_warps;
    for (unsigned i = 0; i < l->warps; i++, slots &= slots - 1)
        if (warps >> i & 1)
            start_warp(s, c, bits_ctz64(slots), i);
    if (s->observe.profile)
        sm_profile_begin_warps(s, c->warps, now);
    if (s->observe.trace)
        sm_trace_warps(s, c->warps, now);
    s->issue.ages.cta[s->issue.ages.count++] = c->warps;
    s->ctas.count++;
    s->st.ctas_started++;
}

/* Notes for sm_finished() that warp `warp` of `c`, or all of it, has ended. */
static void note_end(sm *s, const sm_cta *c, unsigned warp)
{
    if (s->ctas.done_taken) {
        s->ctas.done_taken = false;
        s->ctas.done_count = 0;
    }
    MUST(s->ctas.done_count < COUNTOF(s->ctas.done));
    sm_done *d = &s->ctas.done[s->ctas.done_count++];
    *d = (sm_done){.number = c->x.number,
                   .cycle = s->now,
                   .launch = c->grid,
                   .warp = warp,
                   .given = c->given};
    if (s->cfg->gpu.cta.limit == CFG_CTA_LIMIT_LAZY && warp == SM_WHOLE_CTA) {
        d->insts = c->insts;
        d->launch_insts = sm_launch_insts(s, c->grid);
    }
}

/* Warp `w` gives back its slot and registers before its CTA ends. */
static void end_alone(sm *s, sm_cta *c, unsigned w)
{
    uint64_t *age = s->issue.ages.cta;

    while (*age != c->warps)
        age++;
    *age = c->warps &= ~BIT(w);
    c->slots &= ~BIT(w);
    c->given++;
    s->ctas.warps &= ~BIT(w);
    sm_resources_give(&s->ctas.free, &s->launches.grid[c->grid].part);
    note_end(s, c, s->x[w].index);
}

static void end_cta(sm *s, sm_cta *c)
{
    sm_grid *g = &s->launches.grid[c->grid];
    sm_ages *a = &s->issue.ages;
    unsigned i = 0;

    sm_dependent_let(s, c);
    while (a->cta[i] != c->warps)
        i++;
    a->count--;
    memmove(&a->cta[i], &a->cta[i + 1], (a->count - i) * sizeof a->cta[0]);
    exec_cta_end(&c->x);
    c->taken = false;
    s->ctas.count--;
    s->ctas.warps &= ~c->slots;
    sm_resources rest = sm_resources_rest(&g->need, &g->part, c->given);
    sm_resources_give(&s->ctas.free, &rest);
    g->places &= ~BIT(c->place);
    note_idle(s, c->grid);
    s->st.ctas_done++;
    note_end(s, c, SM_WHOLE_CTA);
}

unsigned sm_finished(sm *s, const sm_done **list)
{
    unsigned n = s->ctas.done_taken ? 0 : s->ctas.done_count;

    s->ctas.done_taken = true;
    *list = s->ctas.done;
    return n;
}

void sm_warp_end(sm *s, unsigned w)
{
    sm_warp *p = &s->warp[w];

    p->ended = true;
    s->st.warps_done++;
    sm_fetch_stop(s, w);
    sm_warp_set(s, w, WHY_DRAIN);
    if (s->issue.policy->warp_ended)
        s->issue.policy->warp_ended(s, w);
    s->front_end->leave_barriers(s, w);
    sm_warp_group_leave(s, w);
    sm_warp_drain(s, w);
}

void sm_warp_leave(sm *s, unsigned w)
{
    sm_cta *c = &s->ctas.cta[s->warp[w].cta];

    c->x.live_warps--;
    sm_barrier_leave(s, s->warp[w].cta);
    if (c->x.cga || c->at_cga.arrived)
        sm_cga_leave(s, s->warp[w].cta, w);
}

static __attribute__((noinline)) void drained(sm *s, unsigned w)
{
    sm_warp *p = &s->warp[w];
    sm_cta *c = &s->ctas.cta[p->cta];
    p->ended = false;
    p->life++;
    s->launches.grid[p->grid].insts += s->x[w].executed;
    c->insts += s->x[w].executed;
    sm_slots_count_cycles(s, s->now);
    s->resident &= ~BIT(w);
    s->residents--;
    if (!s->residents)
        sm_power_idle(s, s->now);
    sm_warp_set(s, w, WHY_NO_WARP);
    if (s->hazards.policy->ops->end)
        sm_table_stage_room(s,
                            s->hazards.policy->ops->end(s->hazards.policy, w));
    if (s->cfg->gpu.cta.release == CFG_CTA_RELEASE_WARP)
        end_alone(s, c, w);
    if (!--c->running &&
        !(s->front_end->holds_cta && s->front_end->holds_cta(s, p->cta)))
        end_cta(s, c);
}

void sm_cta_release(sm *s, unsigned slot)
{
    MUST(s->ctas.cta[slot].taken && !s->ctas.cta[slot].running);
    end_cta(s, &s->ctas.cta[slot]);
}

void sm_warp_drain(sm *s, unsigned w)
{
    if (s->warp[w].ended && !s->warp[w].outstanding)
        drained(s, w);
}
