/* Launches in flight together: when they begin and end, what each gets of an
 * SM, that results, counters and times are the same however it is simulated. */
#include "timing/streams.h"

#include "base/must.h"
#include "base/rng.h"
#include "mem/event_log.h"
#include "sm/sm.h"

static const char *const one_sm[] = {RIG_CORE, "gpu.concurrent=4", NULL};
static const char *const four_sms[] = {"gpu.sms=4", NULL};

TEST(launches_of_two_streams_share_an_sm)
{
    bench *b = bench_new("gtx480", one_sm, &plain);
    uint64_t p = words(b, 0), q = words(b, 5);

    /* alone, one after the other */
    add(b, 0, "inc", 1, 32, p, 200);
    add(b, 0, "inc", 1, 32, q, 200);
    rig_must(b->r, bench_run(b));
    CHECK_EQ(b->groups, 2);
    uint64_t alone = b->part[0].cycles;
    /* one warp hides nothing, so a second one costs next to nothing */
    b->groups = 0;
    b->stream[1] = 1;
    b->streams = 2;
    rig_must(b->r, bench_run(b));
    CHECK_EQ(b->groups, 1);
    CHECK_EQ(b->part[0].start, b->part[1].start);
    CHECK(b->part[0].cycles < alone + alone / 10);
    CHECK(b->part[1].cycles < alone + alone / 10);
    for (unsigned i = 0; i < 32; i++) {
        CHECK_EQ(word(b, p, i), i + 400 * i);
        CHECK_EQ(word(b, q, i), 5 + i + 400 * i);
    }
    bench_free(b);
}

TEST(a_launch_waits_for_the_one_before_it_in_its_stream)
{
    bench *b = bench_new("v100", four_sms, &plain);
    uint64_t p = words(b, 0), q = words(b, 0);

    add(b, 1, "inc", 4, 128, p, 300);
    add(b, 2, "inc", 4, 128, q, 10);
    add(b, 2, "inc", 4, 128, q, 10);
    rig_must(b->r, bench_run(b));
    CHECK_EQ(b->groups, 1);
    CHECK_EQ(b->part[1].start, b->part[0].start);
    CHECK(b->part[2].start >= end_of(b, 1));
    CHECK(end_of(b, 2) < end_of(b, 0));
    for (unsigned i = 0; i < 512; i++)
        CHECK_EQ(word(b, q, i), i + 20 * i);
    bench_free(b);
}

TEST(resources_of_an_sm_are_those_of_all_launches)
{
    bench *b = bench_new("gtx480", one_sm, &plain);
    uint64_t p = words(b, 0), q = words(b, 0), o = words(b, 0);

    add(b, 0, "inc", 1, 32, p, 100);
    add(b, 1, "inc", 1, 32, q, 100);
    add(b, 2, "inc", 1, 32, o, 100);
    /* 48 KB: two of 20 KB fit, the third has to wait for one of them */
    for (unsigned i = 0; i < 3; i++)
        b->launch[i].shared_bytes = 20 << 10;
    rig_must(b->r, bench_run(b));
    CHECK_EQ(b->groups, 1);
    CHECK_EQ(b->part[2].start, b->part[0].start); /* in flight, but nowhere */
    CHECK(end_of(b, 2) > end_of(b, 0) + b->part[0].cycles / 2);
    CHECK(end_of(b, 1) < end_of(b, 0) + b->part[0].cycles / 2);
    bench_free(b);
}

TEST(no_more_are_in_flight_than_the_machine_allows)
{
    bench *b = bench_new("gtx480", one_sm, &plain); /* four */
    uint64_t p[6];

    for (unsigned i = 0; i < 6; i++) {
        p[i] = words(b, i);
        add(b, i, "inc", 1, 32, p[i], i ? 200 : 20);
    }
    rig_must(b->r, bench_run(b));
    for (unsigned i = 1; i < 4; i++)
        CHECK_EQ(b->part[i].start, b->part[0].start);
    CHECK(b->part[4].start >= end_of(b, 0));
    CHECK(b->part[4].start < end_of(b, 1));
    CHECK(b->part[5].start >= end_of(b, 1));
    bench_free(b);
}

TEST(one_at_a_time_is_what_launches_alone_are)
{
    static const char *const sets[] = {"gpu.sms=4", "gpu.concurrent=1", NULL};
    bench *b = bench_new("k20", sets, &plain), *c;
    uint64_t p = words(b, 0), q = words(b, 0);

    add(b, 0, "inc", 8, 128, p, 50);
    add(b, 1, "rev", 8, 128, p, q);
    add(b, 2, "own", 8, 96, p, 7);
    rig_must(b->r, bench_run(b));
    CHECK_EQ(b->groups, 3);
    c = bench_new("k20", four_sms, &plain);
    CHECK_EQ(words(c, 0), p);
    CHECK_EQ(words(c, 0), q);
    add(c, 0, "inc", 8, 128, p, 50);
    add(c, 0, "rev", 8, 128, p, q);
    add(c, 0, "own", 8, 96, p, 7);
    for (size_t i = 0; i < c->count; i++) {
        rt_result out;

        rig_must(c->r, rt_run(c->d, &c->launch[i], c->r->dg, &out));
        CHECK_EQ(out.start, b->part[i].start);
        CHECK_EQ(out.cycles, b->part[i].cycles);
        CHECK_EQ(out.ctas, b->part[i].ctas);
        CHECK_EQ(out.warp_insts, b->part[i].warp_insts);
    }
    CHECK_EQ(rt_hash(b->d), rt_hash(c->d));
    bench_free(b);
    bench_free(c);
}

/* ---- any mix ---- */

/* Launches at random, streams with buffers of their own. */
static void fill(bench *b, uint64_t seed, uint64_t *at, unsigned streams)
{
    static const char *const kernels[] = {"inc", "rev", "own"};
    rng r;

    rng_init(&r, seed, "flight");
    for (unsigned i = 0; i < 2 * streams; i++)
        at[i] = words(b, i);
    for (unsigned i = 0; i < 14; i++) {
        unsigned s = rng_below(&r, streams), kind = rng_below(&r, 3);
        unsigned ctas = 1 + rng_below(&r, 24);
        unsigned threads = kind == 1 ? 128 : 1 + rng_below(&r, 160);
        uint64_t second = kind == 0   ? 1 + rng_below(&r, 60)
                          : kind == 1 ? at[2 * s + 1]
                                      : rng_below(&r, 1000);
        size_t n = add(b, s, kernels[kind], ctas, threads, at[2 * s], second);

        b->launch[n].shared_bytes = rng_below(&r, 3) ? 0 : rng_below(&r, 12000);
    }
}

/* Hash of memory and counters; checks memory against launches alone. */
static uint64_t run_mix(const char *name, const char *const *sets,
                        uint64_t seed, const rt_options *opt, uint64_t *memory)
{
    bench *b = bench_new(name, sets, opt);
    uint64_t at[8], hash;
    uint32_t v[WORDS];

    fill(b, seed, at, 4);
    rig_must(b->r, bench_run(b));
    *memory = 0;
    for (unsigned i = 0; i < 8; i++) {
        CHECK(rt_read(rt_device_memory(b->d), at[i], v, sizeof v));
        for (unsigned k = 0; k < WORDS; k++)
            *memory = *memory * 31 + v[k];
    }
    hash = rt_hash(b->d) ^ b->cycles << 1 ^ b->insts << 32 ^ b->groups;
    for (size_t i = 0; i < b->count; i++)
        hash = hash * 31 + b->part[i].start * 7 + b->part[i].cycles;
    bench_free(b);
    return hash;
}

TEST(mixes_give_the_same_bits_however_they_are_simulated)
{
    static const rt_options ways[] = {
        {.threads = 1},
        {.threads = 3},
        {.threads = 1, .no_skip = true},
        {.threads = 2, .shuffle = 5},
    };
    static const char *const alone[] = {"gpu.sms=4", "gpu.concurrent=1", NULL};

    for (unsigned g = 0; g < RIG_GPUS; g++) {
        uint64_t memory, serial, first = 0;

        run_mix(rig_gpus[g], alone, 20 + g, &plain, &serial);
        for (unsigned i = 0; i < 4; i++) {
            uint64_t hash =
                run_mix(rig_gpus[g], four_sms, 20 + g, &ways[i], &memory);

            first = i ? first : hash;
            CHECK_EQ(hash, first);
            CHECK_EQ(memory, serial);
        }
    }
}

/* Structures that are kept by warp slot, by CTA or by line see warps of several
 * launches side by side. */
TEST(mixes_run_on_other_machines)
{
    static const char *const sets[][8] = {
        {"gpu.sms=4", "gpu.dispatch=load_weight", "gpu.cta.release=warp", NULL},
        {"gpu.sms=4", "gpu.dispatch=load_weight", "gpu.cta.release=warp",
         "gpu.load_weight.weight=linear", "gpu.load_weight.update=warp",
         "gpu.cta.allocation=contiguous", "gpu.cta.queues=4", NULL},
        {"gpu.sms=6", "gpu.dispatch=load_weight", "gpu.cta.disabled=0,4-5",
         "gpu.load_weight.tree=pipelined", "gpu.load_weight.ties=rotating",
         "gpu.cta.overlap=false", "gpu.cta.queues=2", NULL},
        {"gpu.sms=4", "gpu.dispatch=random", "gpu.cta.release=warp",
         "sm.issue.scheduler=lrr", "gpu.cta.allocation=contiguous", NULL},
        {"gpu.sms=4", "l1.queue=reod", NULL},
        {"gpu.sms=4", "l1.queue=mrpb", NULL},
        {"gpu.sms=6", "gpu.cluster.size=2", "gpu.dispatch_interval=7",
         "gpu.launch_latency=300", NULL},
        {"gpu.sms=7", "gpu.cluster.size=4", "gpu.cluster.reform=aligned", NULL},
        {"gpu.sms=3", "sm.issue.hazard=table", "sm.issue.scheduler=two_level",
         NULL},
        {"gpu.sms=2", "sm.ctas=3", "gpu.concurrent=3", "sm.lsu.stores=4", NULL},
        {"gpu.sms=2", "sm.l1i.bytes=512", "sm.constant.l1.bytes=256",
         "gpu.window=5", NULL},
    };
    static const char *const alone[] = {"gpu.sms=4", "gpu.concurrent=1", NULL};
    static const rt_options other = {.threads = 2, .shuffle = 3};

    uint64_t memory, serial, hash;

    run_mix("gtx480", alone, 55, &plain, &serial);
    for (unsigned i = 0; i < COUNTOF(sets); i++) {
        hash = run_mix("gtx480", sets[i], 55, &plain, &memory);
        CHECK_EQ(memory, serial);
        CHECK_EQ(run_mix("gtx480", sets[i], 55, &other, &memory), hash);
        CHECK_EQ(memory, serial);
    }
}

/* ---- pauses ---- */

static void unheard(void *arg, const rt_result *sum, const rt_part *part,
                    size_t n)
{
    (void)sum, (void)part;
    *(size_t *)arg = n;
}

/* Launch 0 begins, launch 1 in cycle `second`; time stops at every multiple of
 * `step`. Where launch 1 began; *hash of all there is. */
static uint64_t paused(uint64_t second, uint64_t step, uint64_t *hash)
{
    bench *b = bench_new("v100", four_sms, &plain);
    uint64_t p = words(b, 0), q = words(b, 0), begin = 0, until = 0;
    size_t parts = 0;
    const rt_group calls = {.ended = unheard, .arg = &parts};
    rt_flight *f = rt_flight_new(b->d, &calls);
    rt_event e = {.paused = true};

    add(b, 0, "inc", 9, 128, p, 200);
    add(b, 1, "own", 9, 128, q, 3);
    rig_must(b->r, rt_flight_prepare(f, &b->launch[0], 0, b->r->dg));
    rt_flight_begin(f);
    *hash = 0;
    do {
        if (!begin && rt_flight_now(f) >= second) {
            rig_must(b->r, rt_flight_prepare(f, &b->launch[1], 1, b->r->dg));
            CHECK(rt_flight_room(f));
            rt_flight_begin(f);
            begin = rt_flight_now(f);
        }
        until += step;
        if (!begin && (!until || until > second))
            until = second;
        else if (!step)
            until = 0;
        rig_must(b->r, rt_flight_advance(f, until, &e, b->r->dg));
        CHECK(!e.paused || rt_flight_now(f) >= until);
        if (!e.paused)
            *hash = *hash * 31 + e.part.start * 7 + e.part.cycles;
    } while (e.paused || !e.idle);
    CHECK_EQ(parts, 2);
    *hash ^= rt_hash(b->d);
    rt_flight_free(f);
    bench_free(b);
    return begin;
}

TEST(launches_begin_at_pauses_which_change_nothing)
{
    uint64_t hash, other;
    uint64_t begin = paused(700, 0, &hash);

    CHECK(begin >= 700 && begin < 800); /* at the next window */
    CHECK_EQ(paused(700, 1, &other), begin);
    CHECK_EQ(other, hash);
    CHECK_EQ(paused(700, 333, &other), begin);
    CHECK_EQ(other, hash);
}

/* ---- what is watched ---- */

static uint64_t total(bench *b, const char *name)
{
    size_t matched;

    return stats_sum(rt_stats(b->d), NULL, name, &matched);
}

TEST(profiles_tell_launches_apart_and_add_up)
{
    bench *b = bench_new("v100", four_sms, &plain);
    uint64_t p = words(b, 0), q = words(b, 0);
    uint64_t slots = 0, waits = 0;

    add(b, 1, "inc", 6, 128, p, 60);
    add(b, 2, "rev", 9, 128, q, p);
    add(b, 2, "own", 9, 64, q, 3);
    for (unsigned i = 0; i < 3; i++)
        b->launch[i].profile =
            calloc(b->launch[i].kernel->code_count + 1, sizeof(sm_profile_row));
    rig_must(b->r, bench_run(b));
    CHECK_EQ(b->groups, 1);
    for (unsigned i = 0; i < 3; i++) {
        const sm_profile_row *row = b->launch[i].profile;
        uint64_t insts = 0;

        for (uint32_t k = 0; k <= b->launch[i].kernel->code_count; k++) {
            insts += row[k].insts;
            slots += row[k].insts;
            for (unsigned w = 0; w < WHY_STALLS; w++)
                slots += row[k].stall[w];
            for (unsigned w = 0; w < WHY_COUNT; w++)
                waits += row[k].wait[w];
        }
        CHECK_EQ(insts, b->part[i].warp_insts);
        free(b->launch[i].profile);
    }
    CHECK_EQ(slots, total(b, "sm[*].slots"));
    CHECK_EQ(waits, total(b, "sm[*].warp_cycles"));
    bench_free(b);
}

TEST(a_fault_ends_all_in_flight_and_the_device_goes_on)
{
    bench *b = bench_new("k20", four_sms, &plain);
    uint64_t p = words(b, 0), q = words(b, 0);

    add(b, 1, "inc", 4, 128, p, 100000);
    size_t bad = add(b, 2, "bad", 1, 32, q, 0);
    CHECK_EQ(bench_run(b), ST_FAULT);
    CHECK_EQ(b->groups, 1);
    CHECK_EQ(b->part[bad].status, ST_FAULT);
    CHECK_EQ(diag_errors(b->r->dg), 1);
    CHECK(strstr(diag_get(b->r->dg, 0)->text, "bad") != NULL);
    CHECK_EQ(diag_count(b->r->dg), 2);
    CHECK(strstr(diag_get(b->r->dg, 1)->text, "1 other launch") != NULL);
    b->count = 0;
    uint64_t o = words(b, 0);
    add(b, 0, "inc", 4, 128, o, 3);
    rig_must(b->r, bench_run(b));
    CHECK_EQ(word(b, o, 100), 400);
    bench_free(b);
}

/* One awaits what the other stores; alone it would for ever. */
TEST(launches_in_flight_see_each_others_stores)
{
    static const char *const alone[] = {"gpu.sms=4", "gpu.concurrent=1", NULL};

    for (unsigned serial = 0; serial < 2; serial++) {
        bench *b = bench_new("v100", serial ? alone : four_sms, &plain);
        uint64_t p = words(b, 0), o = words(b, 9);

        add(b, 1, "await", 1, 32, p, o);
        add(b, 2, "post", 1, 1, p, 77);
        b->launch[0].max_cycles = b->launch[1].max_cycles = 20000;
        CHECK_EQ(bench_run(b), serial ? ST_LIMIT : ST_OK);
        CHECK_EQ(word(b, o, 0), serial ? 9 : 77);
        char *notes = notes_of(b);
        CHECK(!serial == !strstr(notes, "'post' has not begun"));
        free(notes);
        if (!serial)
            CHECK(end_of(b, 0) > end_of(b, 1));
        bench_free(b);
    }
}

/* CTAs that await what another launch stores are in all clusters, and take what
 * there is or leave room: then a cluster parts for it. */
TEST(who_awaits_in_all_clusters_leaves_room_or_is_told)
{
    static const char *const sets[][5] = {
        {"gpu.sms=4", "gpu.cluster.size=2", NULL},
        {"gpu.sms=4", "gpu.cluster.size=4", NULL},
        {"gpu.sms=4", "gpu.cluster.size=2", "gpu.cluster.conflict=union", NULL},
        {"gpu.sms=4", "gpu.cluster.size=2", "gpu.dispatch=load_weight", NULL},
    };

    for (unsigned i = 0; i < 2 * COUNTOF(sets); i++) {
        bool full = i % 2;
        bench *b = bench_new("gtx480", sets[i / 2], &plain);
        uint64_t p = words(b, 0), o = words(b, 9);

        add(b, 1, "await", full ? 32 : 28, 32, p, o); /* eight in an SM */
        add(b, 2, "post", 1, 1, p, 77);
        b->launch[0].max_cycles = b->launch[1].max_cycles = 8000;
        CHECK_EQ(bench_run(b), full ? ST_LIMIT : ST_OK);
        CHECK_EQ(word(b, o, 0), full ? 9 : 77);
        char *notes = notes_of(b);
        CHECK(!full == !strstr(notes, "'post' has had no room for a CTA; if "
                                      "'await' waits for it"));
        free(notes);
        if (!full) {
            CHECK_EQ(counted(b, "sm[*].parted_launch"), 1);
            CHECK(end_of(b, 0) > end_of(b, 1));
        }
        bench_free(b);
    }
}

/* ---- who owns a cluster ---- */

enum { SMS = 6, CTAS = 512, STAGES = 4096 };

typedef struct stay { /* of a CTA, in an SM */
    uint64_t from, to;
    unsigned sm, slot, warps, alive;
} stay;

typedef struct ledger {
    stay cta[CTAS];
    unsigned ctas;
    struct {
        uint64_t from;
        unsigned sm, stage;
    } change[STAGES];
    unsigned changes;
} ledger;

static stay *staying(ledger *l, const trace_event *e)
{
    for (unsigned i = 0; i < l->ctas; i++)
        if (l->cta[i].sm == e->sm && l->cta[i].slot == e->b && l->cta[i].alive)
            return &l->cta[i];
    CHECK(l->ctas < CTAS);
    l->cta[l->ctas] = (stay){.from = e->cycle, .sm = e->sm, .slot = e->b};
    return &l->cta[l->ctas++];
}

static bool enter(void *arg, const trace_event *e, size_t n)
{
    ledger *l = arg;

    for (; n; n--, e++) {
        if (e->kind == TRACE_WARP_BEGIN) {
            stay *s = staying(l, e);

            s->warps++;
            s->alive++;
        } else if (e->kind == TRACE_WARP_END) {
            stay *s = staying(l, e);

            s->alive--;
            s->to = e->cycle;
        } else if (e->kind == TRACE_STAGE) {
            CHECK(l->changes < STAGES);
            l->change[l->changes].from = e->cycle;
            l->change[l->changes].sm = e->sm;
            l->change[l->changes++].stage = e->a;
        }
    }
    return true;
}

/* The stage of SM `n` in a cycle. */
static unsigned stage_at(const ledger *l, unsigned n, uint64_t cycle)
{
    unsigned stage = CLUSTER_ALONE;

    for (unsigned i = 0; i < l->changes; i++)
        if (l->change[i].sm == n && l->change[i].from <= cycle)
            stage = l->change[i].stage;
    return stage;
}

/* CTAs of one, three and two warps, each of a launch of its own, that fit an SM
 * side by side: by their warps CTAs tell their launch. */
static void own_clusters(const char *name, const char *const *sets)
{
    static const unsigned warps[] = {1, 3, 2};
    ledger *l = calloc(1, sizeof *l);
    bench *b = bench_new(name, sets, &plain);
    unsigned pairs = 0, together = 0;

    CHECK(l != NULL);
    gpu_trace trace = {
        .filter = {.last_sm = SMS - 1, .warps = UINT64_MAX, .to = UINT64_MAX},
        .take = enter,
        .arg = l};
    for (unsigned i = 0; i < 3; i++)
        add(b, i, "inc", 40, 32 * warps[i], words(b, 0), 20 + 5 * i);
    b->launch[0].trace = &trace;
    rig_must(b->r, bench_run(b));
    CHECK_EQ(b->groups, 1);
    CHECK_EQ(l->ctas, 3 * 40);
    for (unsigned i = 0; i < l->ctas; i++)
        for (unsigned k = 0; k < l->ctas; k++) {
            const stay *x = &l->cta[i], *y = &l->cta[k];
            bool other = x->warps != y->warps;

            /* x comes while y is there */
            if (x->from < y->from || x->from >= y->to)
                continue;
            together += other;
            if (x->sm / 2 != y->sm / 2 ||
                stage_at(l, x->sm / 2 * 2, x->from) != CLUSTER_SHARED)
                continue;
            pairs += i != k;
            if (other)
                TEST_FAIL("SM %u has CTAs of two launches in cycle %llu", x->sm,
                          (unsigned long long)x->from);
        }
    CHECK(pairs > 20 && together > 20);
    CHECK(counted(b, "sm[*].parted_launch") > 0);
    bench_free(b);
    free(l);
}

TEST(a_cluster_is_owned_by_one_launch)
{
    static const char *const row[] = {"gpu.sms=6",
                                      "sm.ctas=4",
                                      "gpu.cluster.size=2",
                                      "gpu.cluster.slip=0",
                                      "gpu.cluster.reform=row",
                                      NULL};
    static const char *const kernel[] = {"gpu.sms=6",
                                         "gpu.cluster.size=2",
                                         "gpu.cluster.slip=0",
                                         "gpu.dispatch=load_weight",
                                         "gpu.cluster.conflict=union",
                                         NULL};

    own_clusters("gtx480", row);
    own_clusters("k20-single", kernel);
}

/* Two with CTAs for two of three clusters: SMs take them one by one. */
TEST(a_cluster_forms_for_one_that_has_ctas_for_all_or_is_alone)
{
    static const char *const sets[] = {"gpu.sms=6", "gpu.cluster.size=2", NULL};

    for (unsigned n = 1; n <= 2; n++) {
        bench *b = bench_new("gtx480", sets, &plain);

        for (unsigned i = 0; i < n; i++)
            add(b, i, "inc", 4, 32, words(b, 0), 200);
        rig_must(b->r, bench_run(b));
        CHECK_EQ(counted(b, "sm[*].forms"), n == 1 ? 3 : 0);
        bench_free(b);
    }
}

/* On a V100 shared memory is taken from the L1 when a group begins; who needs
 * more than there is waits for the next. */
TEST(who_needs_more_shared_memory_than_was_carved_waits_for_an_idle_machine)
{
    bench *b = bench_new("v100", four_sms, &plain);
    uint64_t p = words(b, 0), q = words(b, 0), o = words(b, 0);

    add(b, 1, "inc", 4, 128, p, 300);
    add(b, 2, "inc", 4, 128, q, 10);
    add(b, 2, "inc", 4, 128, o, 10);
    b->launch[2].shared_bytes = 40 << 10;
    rig_must(b->r, bench_run(b));
    CHECK_EQ(b->groups, 2);
    CHECK_EQ(b->group[2], 1);
    CHECK(b->part[2].start >= end_of(b, 0));
    /* ready at the same time, it is considered from the start */
    b->stream[2] = 3;
    b->streams = 4;
    b->groups = 0;
    rig_must(b->r, bench_run(b));
    CHECK_EQ(b->groups, 1);
    CHECK_EQ(b->part[2].start, b->part[0].start);
    bench_free(b);
}
