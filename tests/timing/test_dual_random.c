/* tests/timing/test_dual_random.c - random programs with control codes on a
 * whole machine: the same counters however it is simulated, and the memory of
 * the functional mode. */
#include "cluster.h"

#include "unit/sm/dual_random.h"

static cluster_run *run(const char *text, unsigned ctas, unsigned threads,
                        rt_options opt)
{
    static const char *const sets[] = {"gpu.sms=4", NULL};
    const cluster_job j = {.head = ".shared 5120\n.local 16\n",
                           .text = text,
                           .ctas = ctas,
                           .threads = threads,
                           .fill = 0x9e3779b1};

    return cluster_run_well("k20", sets, &j, &opt, false);
}

static void same(const cluster_run *a, const cluster_run *b)
{
    const stats *s = rt_stats(a->r->d);

    for (size_t i = 0; i < stats_count(s); i++)
        if (a->r->last.counters[i] != b->r->last.counters[i])
            TEST_FAIL("%s.%s: %llu, %llu", stats_get(s, i).path,
                      stats_get(s, i).desc->id,
                      (unsigned long long)a->r->last.counters[i],
                      (unsigned long long)b->r->last.counters[i]);
    CHECK_EQ(a->cycles, b->cycles);
    CHECK_EQ(a->memory, b->memory);
    CHECK_EQ(a->hash, b->hash);
}

TEST(codes_issue_alike_however_they_are_simulated)
{
    static const rt_options way[] = {{.threads = 2, .shuffle = 3},
                                     {.threads = 4},
                                     {.threads = 1, .no_skip = true}};
    uint64_t pairs = 0;

    for (unsigned seed = 0; seed < 4; seed++) {
        unsigned ctas = 1 + 2 * seed, threads = 32 + 32 * (seed % 3);
        char *text = dual_program(900 + seed);
        cluster_run *a = run(text, ctas, threads, (rt_options){.threads = 1});
        cluster_run *b = run(text, ctas, threads, way[seed % COUNTOF(way)]);
        cluster_run *plain =
            run(text, ctas, threads,
                (rt_options){.threads = 1, .functional = true});

        same(a, b);
        CHECK_EQ(plain->memory, a->memory);
        pairs += cluster_count(a, "sm[*].pairs_alike");
        cluster_free(a);
        cluster_free(b);
        cluster_free(plain);
        free(text);
    }
    CHECK(pairs > 500);
}
