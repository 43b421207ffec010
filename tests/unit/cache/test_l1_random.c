/* tests/unit/cache/test_l1_random.c - what holds of an L1 for any cache, any
 * surroundings and any requests. HEDDLE_POINTS=1000 in the environment makes
 * it try more of them. */
#include "l1_random.h"

static unsigned points(unsigned few)
{
    const char *more = getenv("HEDDLE_POINTS");

    return more ? (unsigned)strtoul(more, NULL, 10) : few;
}

static const char *as_the_model(const point *p)
{
    return point_watch(p).broken;
}

TEST(in_every_cycle_it_does_what_the_model_does)
{
    for (unsigned seed = 0; seed < points(80); seed++)
        point_holds(as_the_model, seed, 300);
}

/* Nothing but time is saved where nothing happens. */
static const char *skipping(const point *p)
{
    outcome slow = point_run(p, false, false);

    for (unsigned how = 1; how < 4; how++) {
        outcome fast = point_run(p, how & 1, how & 2);

        if (slow.broken || fast.broken)
            return slow.broken ? slow.broken : fast.broken;
        if (slow.replies != fast.replies)
            return "skipping or the order of the neighbours moves a reply";
        for (unsigned i = 0; i < COUNTERS; i++)
            if (slow.counter[i] != fast.counter[i]) {
                static char text[100];

                snprintf(text, sizeof text, "skipping moves counter %s",
                         slow.name[i]);
                return text;
            }
    }
    return NULL;
}

TEST(skipping_and_the_order_of_neighbours_change_nothing)
{
    for (unsigned seed = 0; seed < points(40); seed++)
        point_holds(skipping, 5000 + seed, 300);
}

/* Loads and stores that are cached, no atomics, nothing volatile: all of them
 * enter queues; and a port that is no bottleneck. */
static point all_queued(const point *p)
{
    point q = *p;

    q.ask = malloc(p->n * sizeof *q.ask);
    CHECK(q.ask != NULL);
    for (unsigned i = 0; i < p->n; i++) {
        q.ask[i] = p->ask[i];
        q.ask[i].kind = p->ask[i].kind == MEM_WRITE ? MEM_WRITE : MEM_READ;
        q.ask[i].hint = CACHE_CA;
        q.ask[i].ordered = false;
    }
    q.cfg.l1.globals = q.cfg.l1.locals = true;
    q.cfg.l1.queue = CFG_L1_QUEUE_REOD;
    if (q.cfg.l1.reod.select == CFG_REOD_SELECT_SETBIT) /* holds up merges */
        q.cfg.l1.reod.select = CFG_REOD_SELECT_BLIND;
    q.chaos = 0;
    q.slots = 64;
    return q;
}

static outcome as_fifo(point p, unsigned later)
{
    for (unsigned i = 0; i < p.n; i++)
        p.ask[i].born += later;
    p.cfg.l1.queue = CFG_L1_QUEUE_FIFO;
    outcome out = point_run(&p, true, false);
    for (unsigned i = 0; i < p.n; i++)
        p.ask[i].born -= later;
    return out;
}

/* Storage alone does not help: one queue is the fifo of requests that come a
 * cycle later, and of the same requests where an empty queue is passed by. */
static const char *one_queue(const point *p)
{
    const char *broken = NULL;
    point q = all_queued(p);

    q.cfg.l1.reod.queues = 1;
    q.cfg.l1.reod.bypass_empty = true;
    outcome passed = point_run(&q, true, false);
    q.cfg.l1.reod.bypass_empty = false;
    if (q.cfg.l1.reod.depth < q.cfg.l1.tag_ports)
        q.cfg.l1.reod.depth = q.cfg.l1.tag_ports;
    outcome staged = point_run(&q, true, false);
    outcome now = as_fifo(q, 0), later = as_fifo(q, 1);
    if (passed.replies != now.replies)
        broken = "one queue that is passed by when empty is no fifo";
    else if (staged.replies != later.replies)
        broken = "one queue is not a fifo behind a stage of a cycle";
    free(q.ask);
    return broken;
}

TEST(one_queue_is_a_fifo)
{
    for (unsigned seed = 0; seed < points(60); seed++)
        point_holds(one_queue, 10000 + seed, 200);
}

/* Where nothing is refused there is nothing to gain, nor to lose but the
 * cycle of the stage. */
static const char *unblocked(const point *p)
{
    const char *broken = NULL;
    point q = all_queued(p);

    q.cfg.l1.tag_ports = 1;
    q.cfg.l1.data_bytes = 128;
    q.cfg.l1.reod.bypass_empty = false;
    for (unsigned i = 0; i < q.n; i++)
        q.ask[i].born *= 2; /* less dense */
    outcome base = as_fifo(q, 0), later = as_fifo(q, 1);
    outcome reod = point_run(&q, true, false);
    if (!base.blocked && (reod.blocked || reod.replies != later.replies))
        broken = "more than the stage differs where nothing is blocked";
    free(q.ask);
    return broken;
}

/* Half of these caches are so large that nothing is refused. */
TEST(without_refusals_only_the_stage_differs)
{
    unsigned free = 0;

    for (unsigned seed = 0; seed < points(40); seed++) {
        point p;

        point_init(&p, 15000 + seed, 60);
        p.cfg.l1.sets = 32;
        p.cfg.l1.ways = 16;
        p.cfg.l1.mshrs = 128;
        p.cfg.l1.merges = 32;
        p.cfg.l1.miss_queue = 64;
        p.period = 0;
        point q = all_queued(&p);
        q.cfg.l1.tag_ports = 1;
        q.cfg.l1.data_bytes = 128;
        free += as_fifo(q, 0).blocked == 0;
        const char *why = unblocked(&p);
        if (why) {
            shrink(unblocked, &p, why);
            point_print(&p);
            TEST_FAIL("%s", why);
        }
        point_fini(&p);
        point_fini(&q);
    }
    CHECK(free > 8);
}
