/* tests/unit/gpu/dispatch/test_dispatch_rules.c - the dispatcher in step with a
 * model that works everything out anew in every cycle: which CTA leaves when
 * and to which SM, what the load registers hold, what every cycle is charged
 * to. On random machines, grids and needs, with warps that end at random. */
#include <string.h>

#include "base/must.h"
#include "base/rng.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/dispatch/dispatch_state.h"
#include "test.h"

enum { SMS = 70, SLOTS = 16, LAUNCHES = 6, UNITS = 256, CYCLES = 1 << 15 };
enum { KERNELS = 3 };

typedef struct resident { /* a CTA */
    bool here, ended[SLOTS];
    unsigned launch, alive, unsent, registers_at, shared_at;
    uint64_t number, from;
} resident;

typedef struct model_sm {
    bool off;
    resident cta[SLOTS]; /* in the order of coming, to those that are here */
    unsigned limit[LAUNCHES]; /* CTAs of each, 0: any number */
    bool registers[UNITS], shared[UNITS];
    unsigned order[SLOTS], count; /* cta[], oldest first */
} model_sm;

typedef struct model {
    config cfg;
    rng r;
    model_sm sm[SMS];
    unsigned turn, serve;
    uint64_t pause_at, free_at;
    sm_resources need[LAUNCHES];
    uint32_t grid[LAUNCHES], weight[LAUNCHES];
    uint64_t sent[LAUNCHES], gone[LAUNCHES], first[LAUNCHES];
    unsigned queue[LAUNCHES]; /* that the launch stands in */
    unsigned launches;
    struct { /* the rest of a block */
        unsigned left, queue, to;
        uint64_t at;
    } rest;
    struct { /* what is known of kernels, the oldest first */
        uint64_t code;
        uint32_t weight;
    } known[KERNELS];
    unsigned knows;
    uint32_t mean;
    uint64_t busy[LAUNCHES]; /* cycles that CTAs held SMs */
    int change[SMS][CYCLES]; /* of warp slots held */
    uint64_t cause[16];      /* cycles, see causes[] */
} model;

enum { LEAVING, NOTHING, LATENCY, INTERVAL, WARPS, STALL, SEVERAL = STALL + 6 };
static const char *const causes[] = {
    "leaving",      "nothing_left", "wait_launch", "wait_interval",
    "wait_warps",   "stall_ctas",   "stall_warps", "stall_registers",
    "stall_shared", "stall_pieces", "stall_limit", "stall_several"};

/* ---- What SMs have ---- */

static unsigned held(const model *m, const resident *c)
{
    bool alone = m->cfg.gpu.cta.release == CFG_CTA_RELEASE_WARP;

    return alone ? c->alive : m->need[c->launch].warps;
}

static unsigned per_warp(const model *m, unsigned n)
{
    unsigned unit = m->cfg.sm.warp_unit;

    return m->need[n].registers / ((m->need[n].warps + unit - 1) / unit * unit);
}

static sm_resources left(const model *m, unsigned i)
{
    sm_resources have = sm_resources_of(&m->cfg);

    for (unsigned k = 0; k < SLOTS; k++) {
        const resident *c = &m->sm[i].cta[k];

        if (!c->here)
            continue;
        unsigned ended = m->need[c->launch].warps - held(m, c);
        have.ctas--;
        have.warps -= held(m, c);
        have.threads -= 32 * held(m, c);
        have.registers -=
            m->need[c->launch].registers - ended * per_warp(m, c->launch);
        have.shared_bytes -= m->need[c->launch].shared_bytes;
    }
    return have;
}

/* The lowest place of `n` free units in a row, UNITS if there is none. */
static unsigned place(const bool *used, unsigned size, unsigned n)
{
    for (unsigned at = 0, run = 0; at < size; at++) {
        run = used[at] ? 0 : run + 1;
        if (run >= n && n)
            return at + 1 - n;
    }
    return n ? UNITS : 0;
}

/* What SM `i` lacks for `times` CTAs of launch `n` but for its limit, by bits
 * in the order of causes. */
static unsigned lacks_for(const model *m, unsigned i, unsigned n,
                          unsigned times)
{
    const sm_resources have = left(m, i), *need = &m->need[n];
    const config *c = &m->cfg;
    unsigned registers = times * need->registers, bits = 0;
    unsigned shared = times * (unsigned)need->shared_bytes;

    bits |= have.ctas < times ? 1 : 0;
    bits |= have.warps < times * need->warps ? 2 : 0;
    bits |= have.threads < times * need->threads ? 2 : 0;
    bits |= have.registers < registers ? 4 : 0;
    bits |= have.shared_bytes < shared ? 8 : 0;
    if (!bits && c->gpu.cta.allocation == CFG_ALLOCATION_CONTIGUOUS &&
        (place(m->sm[i].registers, c->sm.registers, registers) == UNITS ||
         place(m->sm[i].shared, (unsigned)c->sm.shared_bytes, shared) == UNITS))
        bits = 16;
    return bits;
}

/* CTAs of launch `n` that go together: no more than are left, or than there is
 * room for in any SM. */
static unsigned block(const model *m, unsigned n)
{
    const sm_resources have = sm_resources_of(&m->cfg), *need = &m->need[n];
    unsigned b = m->cfg.gpu.cta.block;

    while (b > 1 &&
           (b > m->grid[n] - m->sent[n] || b > have.ctas ||
            b * need->warps > have.warps || b * need->threads > have.threads ||
            b * need->registers > have.registers ||
            b * need->shared_bytes > have.shared_bytes))
        b--;
    return b;
}

static unsigned resident_of(const model *m, unsigned i, unsigned n)
{
    unsigned count = 0;

    for (unsigned k = 0; k < SLOTS; k++)
        count += m->sm[i].cta[k].here && m->sm[i].cta[k].launch == n;
    return count;
}

static unsigned lacks(const model *m, unsigned i, unsigned n)
{
    unsigned limit = m->sm[i].limit[n];

    return lacks_for(m, i, n, block(m, n)) |
           (limit && resident_of(m, i, n) >= limit ? 32 : 0);
}

static uint32_t register_of(const model *m, unsigned i)
{
    static const uint32_t most[] = {1, 64, 4095};
    uint32_t v = most[m->cfg.gpu.load_weight.weight] * m->cfg.sm.warps;

    for (unsigned k = 0; k < SLOTS; k++) {
        const resident *c = &m->sm[i].cta[k];

        if (c->here)
            v -= m->weight[c->launch] * (held(m, c) - c->unsent);
    }
    return v;
}

/* ---- Which CTA goes where ---- */

static unsigned fewest(const model *m, unsigned i) { return left(m, i).ctas; }

/* Of the SMs with room for launch `n`; UINT_MAX: none. */
static unsigned choose(const model *m, unsigned n)
{
    unsigned best = ~0u, sms = m->cfg.gpu.sms;
    cfg_dispatch how = m->cfg.gpu.dispatch;
    bool turns = how == CFG_DISPATCH_ROUND_ROBIN ||
                 (how == CFG_DISPATCH_LOAD_WEIGHT &&
                  m->cfg.gpu.load_weight.ties == CFG_TIES_ROTATING);

    for (unsigned k = 0; k < sms; k++) {
        unsigned i = turns ? (m->turn + k) % sms : k;

        if (m->sm[i].off || lacks(m, i, n))
            continue;
        if (best == ~0u ||
            (how == CFG_DISPATCH_LEAST_CTAS &&
             fewest(m, i) > fewest(m, best)) ||
            (how == CFG_DISPATCH_LOAD_WEIGHT &&
             register_of(m, i) > register_of(m, best)))
            best = i;
    }
    return best;
}

/* The launch whose CTA is the head of queue `q`; LAUNCHES: none. */
static unsigned head(const model *m, unsigned q)
{
    for (unsigned n = 0; n < m->launches; n++)
        if (m->queue[n] == q && m->sent[n] < m->grid[n])
            return n;
    return LAUNCHES;
}

/* ---- What kernels took ---- */

static uint64_t code_of(unsigned n) { return 0x100 * (n % (KERNELS + 1)); }

static uint32_t weight_of(const model *m, unsigned n)
{
    if (m->cfg.gpu.load_weight.weight != CFG_LOAD_WEIGHT_MEASURED)
        return load_weight_of_warp(&m->cfg, &m->need[n]);
    for (unsigned i = 0; i < m->knows; i++)
        if (m->known[i].code == code_of(n))
            return m->known[i].weight;
    return m->mean ? m->mean : 1;
}

static void learn(model *m, unsigned n)
{
    uint64_t mean = m->busy[n] / m->grid[n] / 64;
    uint32_t w = mean < 1 ? 1 : mean > 4095 ? 4095 : (uint32_t)mean;
    unsigned i = 0;

    while (i < m->knows && m->known[i].code != code_of(n))
        i++;
    if (i == m->cfg.gpu.load_weight.kernels) {
        memmove(&m->known[0], &m->known[1], --i * sizeof m->known[0]);
        m->knows--;
    }
    m->knows += i == m->knows;
    m->known[i].code = code_of(n);
    m->known[i].weight = w;
    if (!m->mean)
        m->mean = w;
    else if (w > m->mean)
        m->mean += (w - m->mean) / 4;
    else
        m->mean -= (m->mean - w) / 4;
}

/* ---- In every cycle ---- */

/* What happens in cycle `t`: true if a CTA of *n leaves for *to. */
static bool decide(model *m, uint64_t t, unsigned *n, unsigned *to)
{
    unsigned queues = m->cfg.gpu.cta.queues, bits = 0, cause = NOTHING;

    if (m->rest.left && t == m->rest.at) {
        *n = head(m, m->rest.queue);
        *to = m->rest.to;
        m->cause[LEAVING]++;
        return true;
    }
    for (unsigned k = 0; k < queues; k++) {
        unsigned q = (m->serve + k) % queues;

        *n = head(m, q);
        if (*n == LAUNCHES)
            continue;
        if (t < m->free_at) {
            m->cause[t < m->pause_at ? INTERVAL : WARPS]++;
            return false;
        }
        cause = cause == NOTHING ? LATENCY : cause;
        if (m->first[*n] > t)
            continue;
        if ((*to = choose(m, *n)) != ~0u) {
            m->serve = (q + 1) % queues;
            m->cause[LEAVING]++;
            return true;
        }
        cause = STALL;
        for (unsigned i = 0; i < m->cfg.gpu.sms; i++)
            bits |= m->sm[i].off ? 0 : lacks(m, i, *n);
    }
    if (cause == STALL && (bits & (bits - 1)))
        cause = SEVERAL;
    else if (cause == STALL)
        while (bits >>= 1)
            cause++;
    m->cause[cause]++;
    return false;
}

static void fill(bool *used, unsigned at, unsigned n, bool value)
{
    for (unsigned k = at; k < at + n; k++) {
        CHECK(used[k] != value);
        used[k] = value;
    }
}

static void come(model *m, uint64_t t, unsigned n, unsigned i)
{
    model_sm *s = &m->sm[i];
    const sm_resources *need = &m->need[n];
    const config *cfg = &m->cfg;
    unsigned k = 0;

    while (s->cta[k].here)
        k++;
    resident *c = &s->cta[k];
    *c = (resident){.here = true,
                    .launch = n,
                    .alive = need->warps,
                    .number = m->sent[n]++,
                    .from = t};
    s->order[s->count++] = k;
    if (cfg->gpu.load_weight.update == CFG_LOAD_UPDATE_WARP)
        c->unsent = need->warps;
    if (cfg->gpu.cta.allocation == CFG_ALLOCATION_CONTIGUOUS) {
        c->registers_at =
            place(s->registers, cfg->sm.registers, need->registers);
        c->shared_at = place(s->shared, (unsigned)cfg->sm.shared_bytes,
                             (unsigned)need->shared_bytes);
        fill(s->registers, c->registers_at, need->registers, true);
        fill(s->shared, c->shared_at, (unsigned)need->shared_bytes, true);
    }
    m->change[i][t] += (int)need->warps;
    m->turn = (i + 1) % cfg->gpu.sms;
}

/* A CTA of launch `n`, one of `together`, leaves for SM `i` in cycle `t`: when
 * the next ones may. */
static void wait_behind(model *m, uint64_t t, unsigned n, unsigned i,
                        unsigned together)
{
    uint64_t interval = m->cfg.gpu.dispatch_interval, gap = interval;
    uint64_t warps = m->cfg.gpu.cta.overlap ? 0 : m->need[n].warps;

    gap = warps > gap ? warps : gap;
    if (m->rest.left) {
        m->rest.left--;
    } else {
        m->rest.left = together - 1;
        m->pause_at = m->free_at = t + m->rest.left * gap + interval;
        if (t + m->rest.left * gap + warps > m->free_at)
            m->free_at = t + m->rest.left * gap + warps;
    }
    m->rest.queue = m->queue[n];
    m->rest.to = i;
    m->rest.at = t + gap;
}

/* Each SM is sent one warp, of the CTA that came first. */
static void send(model *m)
{
    for (unsigned i = 0; i < m->cfg.gpu.sms; i++)
        for (unsigned k = 0; k < m->sm[i].count; k++) {
            resident *c = &m->sm[i].cta[m->sm[i].order[k]];

            if (c->unsent) {
                c->unsent--;
                break;
            }
        }
}

/* ---- Ends ---- */

static void forget(model_sm *s, unsigned k)
{
    unsigned at = 0;

    while (s->order[at] != k)
        at++;
    for (s->count--; at < s->count; at++)
        s->order[at] = s->order[at + 1];
    s->cta[k].here = false;
}

static void give_pieces(model *m, unsigned i, resident *c, unsigned at,
                        unsigned n)
{
    if (m->cfg.gpu.cta.allocation == CFG_ALLOCATION_CONTIGUOUS)
        fill(m->sm[i].registers, c->registers_at + at, n, false);
}

static void end_warp(model *m, dispatch *d, unsigned i, resident *c, unsigned w,
                     uint64_t when, uint64_t now)
{
    unsigned size = per_warp(m, c->launch);
    const sm_done what = {
        .number = c->number, .cycle = when, .launch = c->launch, .warp = w};

    give_pieces(m, i, c, w * size, size);
    c->ended[w] = true;
    m->change[i][when + 1]--;
    dispatch_done(d, now, i, &what);
    c->alive--;
}

static void end_cta(model *m, dispatch *d, unsigned i, unsigned k,
                    uint64_t when, uint64_t now)
{
    resident *c = &m->sm[i].cta[k];
    const sm_resources *need = &m->need[c->launch];
    bool alone = m->cfg.gpu.cta.release == CFG_CTA_RELEASE_WARP;
    unsigned insts = 1 + rng_below(&m->r, 50);
    unsigned all = insts + rng_below(&m->r, 400), *limit;
    unsigned given = alone ? need->warps - c->alive : 0;
    unsigned size = per_warp(m, c->launch);
    const sm_done what = {.number = c->number,
                          .cycle = when,
                          .launch = c->launch,
                          .warp = SM_WHOLE_CTA,
                          .given = given,
                          .insts = insts,
                          .launch_insts = all};

    for (unsigned w = 0; w < need->warps; w++)
        if (!c->ended[w])
            give_pieces(m, i, c, w * size, size);
    give_pieces(m, i, c, need->warps * size,
                need->registers - need->warps * size);
    if (m->cfg.gpu.cta.allocation == CFG_ALLOCATION_CONTIGUOUS)
        fill(m->sm[i].shared, c->shared_at, (unsigned)need->shared_bytes,
             false);
    m->change[i][when + 1] -= (int)(need->warps - given);
    dispatch_done(d, now, i, &what);
    limit = &m->sm[i].limit[c->launch];
    if (!*limit && m->cfg.gpu.cta.limit == CFG_CTA_LIMIT_LAZY)
        while (*limit < m->cfg.sm.ctas && *limit * insts < all)
            ++*limit;
    m->busy[c->launch] += when + 1 - c->from;
    if (++m->gone[c->launch] == m->grid[c->launch])
        learn(m, c->launch);
    forget(&m->sm[i], k);
}

/* Some of what is there ends in a cycle before `now`. A CTA may end with warps
 * that never were: those of which none is told. */
static void end_some(model *m, dispatch *d, uint64_t now, unsigned window)
{
    bool alone = m->cfg.gpu.cta.release == CFG_CTA_RELEASE_WARP;

    for (unsigned i = 0; i < m->cfg.gpu.sms; i++)
        for (unsigned k = 0; k < SLOTS; k++) {
            resident *c = &m->sm[i].cta[k];
            bool told = false;

            if (!c->here)
                continue;
            uint64_t from = now - window > c->from ? now - window : c->from;
            uint64_t when = from + rng_below(&m->r, (uint32_t)(now - from));
            for (unsigned w = 0; alone && w + 1 < m->need[c->launch].warps; w++)
                if (!c->ended[w] && !rng_below(&m->r, 4)) {
                    end_warp(m, d, i, c, w, when, now);
                    told = true;
                }
            if (!rng_below(&m->r, alone ? 8 : 4)) {
                end_cta(m, d, i, k, when, now);
                told = true;
            }
            /* whoever has ended had been sent, and those before it */
            for (unsigned n = 0; told && n < SLOTS; n++)
                m->sm[i].cta[n].unsent = 0;
        }
}

/* ---- Runs ---- */

static unsigned some(model *m, unsigned most)
{
    return 1 + rng_below(&m->r, most);
}

static void make_machine(model *m)
{
    config *c = &m->cfg;

    config_defaults(c);
    c->gpu.sms = rng_below(&m->r, 8) ? some(m, 9) : SMS;
    c->gpu.dispatch = (cfg_dispatch)rng_below(&m->r, 5);
    c->gpu.dispatch_interval = rng_below(&m->r, 3) ? 1 : some(m, 5);
    c->gpu.launch_latency = rng_below(&m->r, 2) * rng_below(&m->r, 40);
    c->gpu.cta.queues = rng_below(&m->r, 2) ? 1 : some(m, 4);
    c->gpu.cta.overlap = rng_below(&m->r, 3);
    c->gpu.cta.block = rng_below(&m->r, 2) ? 1 : some(m, 4);
    c->gpu.cta.limit = (cfg_cta_limit)(rng_below(&m->r, 3) == 0);
    c->gpu.cta.release = (cfg_cta_release)rng_below(&m->r, 2);
    c->gpu.cta.allocation = (cfg_allocation)rng_below(&m->r, 2);
    c->gpu.load_weight.weight = (cfg_load_weight)rng_below(&m->r, 3);
    c->gpu.load_weight.kernels = some(m, KERNELS);
    c->gpu.load_weight.update = (cfg_load_update)rng_below(&m->r, 2);
    c->gpu.load_weight.ties = (cfg_ties)rng_below(&m->r, 2);
    if (c->gpu.dispatch != CFG_DISPATCH_LOAD_WEIGHT)
        c->gpu.load_weight.update = CFG_LOAD_UPDATE_CTA;
    if (c->gpu.sms > 1 && rng_below(&m->r, 3) == 0)
        snprintf(c->gpu.cta.disabled, sizeof c->gpu.cta.disabled, "%u",
                 rng_below(&m->r, c->gpu.sms));
    c->sm.ctas = some(m, 8);
    c->sm.warps = 4 + rng_below(&m->r, SLOTS - 3);
    c->sm.threads = 32 * c->sm.warps - 32 * rng_below(&m->r, 2);
    c->sm.warp_unit = some(m, 2);
    c->sm.registers = UNITS - rng_below(&m->r, UNITS / 2);
    c->sm.shared_bytes = UNITS - rng_below(&m->r, UNITS / 2);
    c->noc.latency = 20;
    for (unsigned i = 0; i < c->gpu.sms; i++)
        m->sm[i].off = config_listed(c->gpu.cta.disabled, i);
}

static void make_launch(model *m, dispatch *d, uint64_t now)
{
    unsigned n = m->launches, q = 0, waiting[4] = {0};
    const config *c = &m->cfg;
    sm_resources *need = &m->need[n];
    unsigned warps = some(m, c->sm.threads / 32 < 4 ? 2 : c->sm.threads / 32);
    unsigned rounded =
        (warps + c->sm.warp_unit - 1) / c->sm.warp_unit * c->sm.warp_unit;

    for (unsigned k = 0; k < n; k++)
        waiting[m->queue[k]] += m->sent[k] < m->grid[k];
    for (unsigned k = 1; k < c->gpu.cta.queues; k++)
        q = waiting[k] < waiting[q] ? k : q;
    *need = (sm_resources){
        .ctas = 1,
        .warps = warps,
        .threads = 32 * warps,
        .registers = rng_below(&m->r, c->sm.registers / rounded) * rounded,
        .shared_bytes = rng_below(&m->r, 2) *
                        rng_below(&m->r, (uint32_t)c->sm.shared_bytes + 1),
    };
    m->grid[n] = some(m, 40);
    m->queue[n] = q;
    m->first[n] = now + c->gpu.launch_latency;
    m->launches++;
    dispatch_start(d, n, (const uint32_t[3]){m->grid[n], 1, 1}, need, now);
    dispatch_kernel(d, n, code_of(n));
}

static void check_counter(stats *reg, const char *name, uint64_t want)
{
    char path[64];
    uint64_t v;

    snprintf(path, sizeof path, "dispatch.%s", name);
    CHECK(stats_find(reg, NULL, path, &v));
    if (v != want)
        TEST_FAIL("%s is %llu, not %llu", path, (unsigned long long)v,
                  (unsigned long long)want);
}

static void check_counters(const model *m, stats *reg, uint64_t end)
{
    uint64_t sum = 0, squares = 0, totals = 0, most = 0;
    int held_by[SMS] = {0};

    for (unsigned i = 0; i < COUNTOF(causes); i++)
        check_counter(reg, causes[i], m->cause[i]);
    for (uint64_t t = 0; t <= end; t++) {
        uint64_t all = 0, top = 0;

        for (unsigned i = 0; i < m->cfg.gpu.sms; i++) {
            uint64_t h = (uint64_t)(held_by[i] += m->change[i][t]);

            all += h;
            squares += h * h;
            top = h > top ? h : top;
        }
        sum += all;
        totals += all * all;
        most += top;
    }
    check_counter(reg, "held", sum);
    check_counter(reg, "held_squares", squares);
    check_counter(reg, "held_total_squares", totals);
    check_counter(reg, "held_most", most);
}

static bool all_gone(const model *m)
{
    for (unsigned n = 0; n < m->launches; n++)
        if (m->gone[n] < m->grid[n])
            return false;
    return m->launches == LAUNCHES;
}

/* One window, cycle by cycle. */
static void run_window(model *m, dispatch *d, uint64_t now, unsigned window)
{
    dispatch_order o;
    bool any = dispatch_next(d, now, now + window, &o);

    for (uint64_t t = now; t < now + window; t++) {
        unsigned n, to;

        if (!decide(m, t, &n, &to)) {
            CHECK(!any || o.when > t);
        } else {
            CHECK(any);
            CHECK_EQ(o.when, t);
            CHECK_EQ(o.launch, n);
            CHECK_EQ(o.number, m->sent[n]);
            unsigned together = block(m, n);
            if (!m->sent[n])
                m->weight[n] = weight_of(m, n);
            if (m->cfg.gpu.dispatch == CFG_DISPATCH_RANDOM && !m->rest.left)
                CHECK(!m->sm[o.sm].off && !lacks(m, o.sm, n));
            else
                CHECK_EQ(o.sm, to);
            come(m, t, n, o.sm);
            wait_behind(m, t, n, o.sm, together);
            any = dispatch_next(d, now, now + window, &o);
        }
        send(m);
    }
    CHECK(!any);
}

static void check_limits(const model *m, const dispatch *d)
{
    for (unsigned i = 0; i < m->cfg.gpu.sms; i++)
        for (unsigned n = 0; n < m->launches; n++) {
            const cta_count *c = cta_limit_of(&d->limit, i, n);

            CHECK_EQ(c->held, resident_of(m, i, n));
            CHECK_EQ(c->limit, m->sm[i].limit[n]);
            CHECK(c->limit <= m->cfg.sm.ctas);
        }
}

static void check_registers(const model *m, const dispatch *d)
{
    for (unsigned i = 0; i < m->cfg.gpu.sms; i++)
        CHECK_EQ(d->load.left[i], register_of(m, i));
}

static void run(uint64_t seed)
{
    model *m = calloc(1, sizeof *m);
    stats *reg = stats_new();

    rng_init(&m->r, seed, "dispatch.rules");
    make_machine(m);
    dispatch *d = dispatch_new(&m->cfg, reg);
    CHECK(d != NULL);
    unsigned window = some(m, 20);
    bool exact = m->cfg.gpu.load_weight.update == CFG_LOAD_UPDATE_CTA &&
                 m->cfg.gpu.dispatch == CFG_DISPATCH_LOAD_WEIGHT;
    uint64_t now = 0;

    make_launch(m, d, 0);
    dispatch_clear(d, dispatch_offer(d), 0);
    for (; !all_gone(m); now += window) {
        CHECK(now + 2 * window < CYCLES);
        if (m->launches < LAUNCHES && !rng_below(&m->r, 4))
            make_launch(m, d, now);
        run_window(m, d, now, window);
        end_some(m, d, now + window, window);
        dispatch_gathered(d, now + window);
        if (exact)
            check_registers(m, d);
        if (m->cfg.gpu.cta.limit == CFG_CTA_LIMIT_LAZY)
            check_limits(m, d);
    }
    dispatch_end(d, now);
    check_counters(m, reg, now);
    for (unsigned i = 0; exact && i < m->cfg.gpu.sms; i++)
        CHECK_EQ(d->load.left[i], d->load.full);
    dispatch_free(d);
    stats_free(reg);
    free(m);
}

TEST(every_cycle_is_as_the_rules_say)
{
    for (unsigned i = 0; i < 250; i++)
        run(i);
}
