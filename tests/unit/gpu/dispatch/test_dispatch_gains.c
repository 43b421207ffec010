/* tests/unit/gpu/dispatch/test_dispatch_gains.c - when grids end on a toy
 * machine that only has a dispatcher: 16 SMs of 40 warp slots, 1024 registers,
 * 64 units of shared memory and 16 CTA slots, each of which does 4 warp cycles
 * a cycle that its warps share equally; one warp is sent in a cycle. Speed-ups
 * over round robin stand beside those that somebody else's toy of these figures
 * had [LWD:claims]; only what does not hang on the random grid is compared. */
#include "base/rng.h"
#include "gpu/dispatch/dispatch.h"
#include "test.h"

enum { SMS = 16, CTAS = 16, SLOTS = 40, RATE = 4, MOST = 640, SHORT = 500 };
enum { UNIT = 1 << 16 }; /* of a warp cycle */

typedef struct shape { /* of a CTA */
    unsigned warps, registers, shared;
    uint64_t cycles; /* of a warp that is alone */
} shape;

typedef struct toy_sm {
    uint64_t done; /* of each warp that is there, in units */
    unsigned warps;
    struct {
        bool here;
        unsigned number;
        uint64_t until;
    } cta[CTAS];
} toy_sm;

typedef struct toy {
    config cfg;
    toy_sm sm[SMS];
    unsigned left;
} toy;

static void configure(config *c, cfg_dispatch how)
{
    config_defaults(c);
    c->gpu.sms = SMS;
    c->gpu.dispatch = how;
    c->gpu.concurrent = MOST;
    c->gpu.cta.overlap = false;
    c->sm.ctas = CTAS;
    c->sm.warps = SLOTS;
    c->sm.threads = 32 * SLOTS;
    c->sm.registers = 1024;
    c->sm.warp_unit = 1;
    c->sm.shared_bytes = 64;
    c->noc.latency = 1;
}

static void start(toy *t, const dispatch_order *o, const shape *s)
{
    toy_sm *m = &t->sm[o->sm];
    unsigned k = 0;

    while (m->cta[k].here)
        k++;
    m->cta[k].here = true;
    m->cta[k].number = o->launch;
    m->cta[k].until = m->done + s->cycles * UNIT;
    m->warps += s->warps;
}

/* What an SM does in cycle `now`. */
static void step(toy *t, dispatch *d, unsigned i, uint64_t now,
                 const shape *grid)
{
    toy_sm *m = &t->sm[i];

    if (!m->warps)
        return;
    m->done += m->warps <= RATE ? UNIT : (uint64_t)UNIT * RATE / m->warps;
    for (unsigned k = 0; k < CTAS; k++) {
        unsigned n = m->cta[k].number;
        const sm_done what = {.cycle = now, .launch = n, .warp = SM_WHOLE_CTA};

        if (!m->cta[k].here || m->done < m->cta[k].until)
            continue;
        m->cta[k].here = false;
        m->warps -= grid[n].warps;
        t->left--;
        dispatch_done(d, now + 1, i, &what);
    }
}

/* Cycles of a grid of CTAs of different shapes; *uneven: squares of the warps
 * that SMs hold, over the squares if all held the same. */
static uint64_t run(cfg_dispatch how, const shape *grid, unsigned ctas,
                    double *uneven)
{
    static const uint32_t one[3] = {1, 1, 1};
    toy *t = calloc(1, sizeof *t);
    stats *reg = stats_new();
    uint64_t now = 0, squares, totals;
    dispatch_order o;

    configure(&t->cfg, how);
    dispatch *d = dispatch_new(&t->cfg, reg);
    CHECK(d != NULL);
    dispatch_clear(d, dispatch_offer(d), 0);
    for (unsigned n = 0; n < ctas; n++) {
        const shape *s = &grid[n];
        const sm_resources need = {.ctas = 1,
                                   .warps = s->warps,
                                   .threads = 32 * s->warps,
                                   .registers = s->registers,
                                   .shared_bytes = s->shared};

        dispatch_start(d, n, one, &need, 0);
    }
    for (t->left = ctas; t->left; now++) {
        if (dispatch_next(d, now, now + 1, &o))
            start(t, &o, &grid[o.launch]);
        for (unsigned i = 0; i < SMS; i++)
            step(t, d, i, now, grid);
        dispatch_gathered(d, now + 1);
    }
    dispatch_end(d, now);
    CHECK(stats_find(reg, NULL, "dispatch.held_squares", &squares));
    CHECK(stats_find(reg, NULL, "dispatch.held_total_squares", &totals));
    *uneven = SMS * (double)squares / (double)totals;
    dispatch_free(d);
    stats_free(reg);
    free(t);
    return now;
}

static double gain(cfg_dispatch how, const shape *grid, unsigned ctas)
{
    double uneven;
    uint64_t base = run(CFG_DISPATCH_ROUND_ROBIN, grid, ctas, &uneven);

    return (double)base / (double)run(how, grid, ctas, &uneven);
}

/* ---- Grids ---- */

static void uniform(shape *g, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        g[i] = (shape){4, 64, 4, SHORT};
}

static void sizes(shape *g, unsigned n, uint64_t seed)
{
    rng r;

    rng_init(&r, seed, "dispatch.gains");
    for (unsigned i = 0; i < n; i++)
        g[i] = (shape){1 + rng_below(&r, 16), 64, 2, SHORT};
}

static void adversarial(shape *g, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        g[i] =
            i % 16 ? (shape){1, 16, 1, SHORT} : (shape){16, 16, 1, 12 * SHORT};
}

static void near_to(double v, double want, double by)
{
    if (v < want - by || v > want + by)
        TEST_FAIL("%.3f is not within %.2f of %.2f", v, by, want);
}

TEST(uniform_grids_take_as_long_as_in_turn)
{
    static const unsigned n[] = {16, 48, 160, 640};
    shape g[MOST];

    for (unsigned i = 0; i < 4; i++) {
        uniform(g, n[i]);
        CHECK(gain(CFG_DISPATCH_LOAD_WEIGHT, g, n[i]) == 1);
        CHECK(gain(CFG_DISPATCH_LEAST_CTAS, g, n[i]) == 1);
    }
    uniform(g, 48);
    near_to(gain(CFG_DISPATCH_FIRST_FIT, g, 16), 0.11, 0.01);
    near_to(gain(CFG_DISPATCH_FIRST_FIT, g, 48), 0.31, 0.02);
}

TEST(large_ctas_that_come_in_step_with_the_sms_are_spread)
{
    shape g[MOST];

    adversarial(g, 160);
    near_to(gain(CFG_DISPATCH_LOAD_WEIGHT, g, 48), 1.89, 0.1);
    near_to(gain(CFG_DISPATCH_LOAD_WEIGHT, g, 160), 1.95, 0.1);
    near_to(gain(CFG_DISPATCH_LEAST_CTAS, g, 48), 1, 0.01);
    near_to(gain(CFG_DISPATCH_LEAST_CTAS, g, 160), 1, 0.01);
}

/* The other toy had 1.60 on one such grid; over many of them the mean is 1.12.
 * No grid is less even than in turn. */
TEST(small_grids_of_mixed_sizes_are_more_even)
{
    double base = 0, weighed = 0, uneven[2];
    shape g[MOST];

    for (unsigned seed = 0; seed < 12; seed++) {
        sizes(g, 48, seed);
        base += (double)run(CFG_DISPATCH_ROUND_ROBIN, g, 48, &uneven[0]);
        weighed += (double)run(CFG_DISPATCH_LOAD_WEIGHT, g, 48, &uneven[1]);
        CHECK(uneven[1] <= uneven[0]);
    }
    near_to(base / weighed, 1.12, 0.05);
}

TEST(grids_that_fill_the_machine_many_times_do_not_care)
{
    shape g[MOST];

    for (unsigned seed = 0; seed < 2; seed++) {
        sizes(g, 640, seed);
        near_to(gain(CFG_DISPATCH_LOAD_WEIGHT, g, 640), 1, 0.03);
    }
}
