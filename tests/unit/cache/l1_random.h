/* tests/unit/cache/l1_random.h - random caches, what surrounds them, and
 * random requests of warps, as points that can be run again and made smaller.
 */
#ifndef L1_RANDOM_H
#define L1_RANDOM_H

#include "base/must.h"
#include "l1_config.h"
#include "l1_watch.h"

enum { MOST_REQUESTS = 1 << 12, LIMIT = 400000, WARPS = 12, COUNTERS = 400 };

/* A cache, its surroundings and requests, which are offered in the cycles
 * `born`. */
typedef struct point {
    unsigned seed;
    config cfg;
    uint64_t latency, chaos;
    uint32_t jitter, period, slots; /* slots: of the port to the L1 */
    unsigned ways;                  /* of a set that are used, 0: all */
    mem_msg *ask;
    unsigned n;
} point;

static void random_surroundings(point *p, rng *g)
{
    p->latency = 1 + rng_below(g, 300);
    p->jitter = rng_below(g, 2) ? 1 + rng_below(g, 300) : 0;
    p->period = rng_below(g, 3);
    p->slots = rng_below(g, 3) ? 2 + rng_below(g, 4) : 64;
    p->chaos = rng_below(g, 2) ? 1 + rng_below(g, 1000000) : 0;
}

/* Where the lines of an instruction are. */
typedef enum pattern {
    STREAM, /* one after the other */
    COLUMN, /* with a pitch */
    GATHER, /* anywhere in a region */
    SKEWED, /* half of them in two sets */
    HOT,    /* few lines */
    PATTERNS
} pattern;

static uint64_t random_line(rng *g, pattern p, unsigned sets, uint64_t *next)
{
    switch (p) {
    case STREAM:
        return ++*next;
    case COLUMN:
        return *next += sets;
    case SKEWED:
        if (rng_below(g, 2))
            return rng_below(g, 40) * sets + rng_below(g, 2);
        /* fall through */
    case GATHER:
        return rng_below(g, 16 * sets);
    case HOT:
    case PATTERNS:
        return rng_below(g, 6);
    }
    MUST(!"every value is above");
}

static void random_kind(mem_msg *m, rng *g, bool reads)
{
    static const uint8_t hints[] = {CACHE_CA, CACHE_CA, CACHE_CA, CACHE_CA,
                                    CACHE_CA, CACHE_CS, CACHE_CG, CACHE_CV};
    unsigned what = rng_below(g, 20);

    m->kind = MEM_READ;
    m->hint = reads ? (uint8_t)CACHE_CA : hints[rng_below(g, 8)];
    m->ordered = m->hint == CACHE_CV || (!reads && rng_below(g, 20) == 0);
    m->warp = (uint8_t)rng_below(g, WARPS);
    m->cta = m->warp / 2;
    if (reads || what < 13)
        return;
    m->kind = what < 18 ? MEM_WRITE : what < 19 ? MEM_ATOMIC : MEM_REDUCE;
    m->ack = m->kind == MEM_WRITE && rng_below(g, 2);
    m->partial = m->kind == MEM_WRITE && rng_below(g, 2);
}

/* A warp waits for the answer to its fence; so here it has but one. */
static void random_fence(point *p, rng *g, uint64_t when, uint64_t *fenced)
{
    unsigned warp = rng_below(g, WARPS);

    if (p->cfg.l1.queue == CFG_L1_QUEUE_FIFO || *fenced >> warp & 1)
        return;
    *fenced |= (uint64_t)1 << warp;
    p->ask[p->n++] = (mem_msg){
        .kind = MEM_FENCE, .warp = (uint8_t)warp, .born = when, .traced = true};
}

/* Instructions of warps, each with up to 32 requests, in bursts. */
static void random_requests(point *p, rng *g, unsigned n)
{
    bool reads = rng_below(g, 4) == 0, past = rng_below(g, 4) == 0,
         whole = rng_below(g, 2);
    pattern how = (pattern)rng_below(g, PATTERNS);
    uint64_t when = 0, next = rng_below(g, 100), fenced = 0;

    p->ask = calloc(n, sizeof *p->ask);
    CHECK(p->ask != NULL);
    while (p->n < n) {
        mem_msg first = {.local = rng_below(g, 6) == 0};
        unsigned lines = rng_below(g, 4) ? 1 + rng_below(g, 32) : 1;

        if (rng_below(g, 3) == 0)
            how = (pattern)rng_below(g, PATTERNS);
        random_kind(&first, g, reads);
        if (past && first.kind == MEM_READ && rng_below(g, 2))
            first.hint = CACHE_CG;
        when += rng_below(g, 20) ? rng_below(g, 40) : rng_below(g, 2000);
        for (; lines && p->n < n; lines--) {
            mem_msg *m = &p->ask[p->n++];

            *m = first;
            m->addr = 0x8000 + 128 * random_line(g, how, p->cfg.l1.sets, &next);
            m->addr |= (uint64_t)m->local << 40;
            m->sectors = whole ? 0xf : (uint8_t)(1 + rng_below(g, 15));
            m->born = when;
            m->traced = true;
        }
        if (p->n < n && rng_below(g, 4) == 0)
            random_fence(p, g, when, &fenced);
    }
}

static void point_init(point *p, unsigned seed, unsigned n)
{
    rng g;

    memset(p, 0, sizeof *p);
    rng_init(&g, seed, "l1 queues");
    p->seed = seed;
    config_defaults(&p->cfg);
    random_l1(&p->cfg, &g);
    random_l1_queues(&p->cfg, &g, MODEL_QUEUES);
    p->ways = rng_below(&g, 4) ? 0 : 1 + rng_below(&g, p->cfg.l1.ways);
    random_surroundings(p, &g);
    random_requests(p, &g, n);
}

static void point_fini(point *p) { free(p->ask); }

/* What a run comes to. */
typedef struct outcome {
    const char *broken;
    uint64_t at, end, blocked;
    uint64_t replies; /* hash of when and what they are */
    uint64_t counter[COUNTERS];
    char name[COUNTERS][40];
} outcome;

static rig *point_start(const point *p)
{
    rig *r = rig_new();

    r->cfg = p->cfg;
    r->latency = p->latency;
    r->jitter = p->jitter;
    r->period = p->period;
    r->chaos = p->chaos;
    r->lsu_slots = p->slots;
    rig_start(r);
    l1_reset(r->b, 0, p->ways);
    for (unsigned i = 0; i < p->n; i++)
        p->ask[i].tag = rig_ask(r, p->ask[i].born, p->ask[i]);
    return r;
}

static void point_finish(rig *r, outcome *out)
{
    out->end = r->stop ? r->now : 0;
    for (unsigned i = 0; i < r->entered; i++) {
        out->replies = (out->replies ^ r->at[i]) * 0x100000001b3u;
        if (r->at[i] > out->end)
            out->end = r->at[i];
    }
    l1_settle(r->b, LIMIT + 1);
    out->blocked = rig_stat(r, "blocked_cycles");
    for (size_t i = 0; i < stats_count(r->reg); i++) {
        stats_item c = stats_get(r->reg, i);

        CHECK(i < COUNTERS);
        out->counter[i] = c.value;
        snprintf(out->name[i], sizeof out->name[i], "%s", c.desc->id);
    }
    rig_free(r);
}

/* In step with the model. */
static inline outcome point_watch(const point *p)
{
    rig *r = point_start(p);
    watch *w = watch_new(r, p->ways, p->ask, p->n);
    outcome out = {0};

    rig_run(r, LIMIT);
    out.broken = watch_end(w, r);
    out.at = w->at;
    point_finish(r, &out);
    watch_free(w);
    return out;
}

/* Alone. */
static outcome point_run(const point *p, bool skip, bool reversed)
{
    rig *r = point_start(p);
    outcome out = {0};

    r->no_skip = !skip;
    r->reversed = reversed;
    rig_run(r, LIMIT);
    if (!l1_idle(r->b))
        out.broken = "requests are never answered";
    point_finish(r, &out);
    return out;
}

/* ---- shrinking ---- */

typedef const char *property(const point *p); /* NULL or what does not hold */

static bool shrink_list(property *holds, point *p, const char *why)
{
    bool smaller = false;

    for (unsigned n = p->n / 2; n; n /= 2) {
        for (unsigned at = 0; at + n <= p->n;) {
            point less = *p;

            less.ask = malloc(p->n * sizeof *p->ask);
            CHECK(less.ask != NULL);
            less.n = p->n - n;
            memcpy(less.ask, p->ask, at * sizeof *p->ask);
            memcpy(less.ask + at, p->ask + at + n,
                   (p->n - n - at) * sizeof *p->ask);
            const char *still = less.n ? holds(&less) : NULL;
            if (still && !strcmp(still, why)) {
                free(p->ask);
                *p = less;
                smaller = true;
            } else {
                free(less.ask);
                at += n;
            }
        }
    }
    return smaller;
}

/* Sets *number to `value` if the property still fails in the same way. */
#define SHRINK(number, value)                                                  \
    do {                                                                       \
        __typeof__((number) + 0) was_ = (number);                              \
        (number) = (value);                                                    \
        const char *still_ = was_ == (number) ? NULL : holds(p);               \
        if (!still_ || strcmp(still_, why))                                    \
            (number) = was_;                                                   \
    } while (0)

static void shrink(property *holds, point *p, const char *why)
{
    SHRINK(p->chaos, 0);
    SHRINK(p->jitter, 0);
    SHRINK(p->period, 0);
    SHRINK(p->latency, 1);
    SHRINK(p->slots, 4);
    SHRINK(p->ways, 0);
    SHRINK(p->cfg.l1.tag_ports, 1);
    SHRINK(p->cfg.l1.data_bytes, 128);
    SHRINK(p->cfg.l1.fill_bytes, 128);
    SHRINK(p->cfg.l1.sector, 128);
    SHRINK(p->cfg.l1.index, CFG_INDEX_MOD);
    SHRINK(p->cfg.l1.queue, CFG_L1_QUEUE_FIFO);
    SHRINK(p->cfg.l1.reod.select, CFG_REOD_SELECT_AWARE);
    SHRINK(p->cfg.l1.reod.map, CFG_REOD_MAP_MOD);
    SHRINK(p->cfg.l1.reod.bypass_empty, false);
    while (shrink_list(holds, p, why))
        ;
    for (unsigned i = 0; i < p->n; i++) {
        SHRINK(p->ask[i].sectors, 0xf);
        SHRINK(p->ask[i].kind, MEM_READ);
        SHRINK(p->ask[i].hint, CACHE_CA);
        SHRINK(p->ask[i].born, i ? p->ask[i - 1].born : 0);
    }
}

static void point_print(const point *p)
{
    fprintf(
        stderr,
        "  seed %u: %u sets, %u (%u) ways, sector %u, %s, %u MSHRs x %u, miss "
        "queue %u, %u ports\n  memory %u+%u/%u, chaos %u\n",
        p->seed, p->cfg.l1.sets, p->cfg.l1.ways, p->ways, p->cfg.l1.sector,
        p->cfg.l1.alloc == CFG_ALLOC_ON_MISS ? "on miss" : "on fill",
        p->cfg.l1.mshrs, p->cfg.l1.merges, p->cfg.l1.miss_queue,
        p->cfg.l1.tag_ports, (unsigned)p->latency, p->jitter, p->period,
        (unsigned)p->chaos);
    if (p->cfg.l1.queue == CFG_L1_QUEUE_REOD)
        fprintf(stderr, "  %u queues of %u, %s, select %u%s\n",
                p->cfg.l1.reod.queues, p->cfg.l1.reod.depth,
                p->cfg.l1.reod.map == CFG_REOD_MAP_MOD ? "mod" : "block",
                p->cfg.l1.reod.select,
                p->cfg.l1.reod.bypass_empty ? ", bypass" : "");
    if (p->cfg.l1.queue == CFG_L1_QUEUE_MRPB)
        fprintf(stderr, "  mrpb: %u queues of %u, by %u, drain %u%s\n",
                p->cfg.l1.mrpb.queues, p->cfg.l1.mrpb.depth,
                p->cfg.l1.mrpb.signature, p->cfg.l1.mrpb.drain,
                p->cfg.l1.mrpb.bypass ? ", bypass" : "");
    for (unsigned i = 0; i < p->n && i < 40; i++)
        fprintf(
            stderr,
            "  %3u at %4u: warp %u kind %u hint %u%s line 0x%x sectors %x\n", i,
            (unsigned)p->ask[i].born, p->ask[i].warp, p->ask[i].kind,
            p->ask[i].hint, p->ask[i].ordered ? " ordered" : "",
            (unsigned)(p->ask[i].addr / 128), p->ask[i].sectors);
}

/* The property holds at random point `seed`, or the test ends with the
 * smallest point at which it does not. */
static inline void point_holds(property *holds, unsigned seed, unsigned n)
{
    point p;

    point_init(&p, seed, n);
    const char *why = holds(&p);
    if (why) {
        shrink(holds, &p, why);
        point_print(&p);
        TEST_FAIL("%s", why);
    }
    point_fini(&p);
}

#endif
