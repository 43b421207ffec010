/* tests/unit/stats/test_stats.c - registering, reading, matching. */
#include "stats/stats.h"

#include "base/must.h"
#include "stats/bins.h"
#include "stats/stats_doc.h"
#include "test.h"

typedef struct cache_stats {
    uint64_t loads;
    uint64_t load_hits;
} cache_stats;

static const stat_desc cache_desc[] = {
    STAT_DESC(cache_stats, loads, "request", "load requests"),
    STAT_DESC(cache_stats, load_hits, "request", "loads that hit"),
};

/* Declared in another order than the struct, to see that offsets count. */
typedef struct stall_stats {
    uint64_t raw, waw;
} stall_stats;

static const stat_desc stall_desc[] = {
    STAT_DESC(stall_stats, waw, "cycle", "write after write"),
    STAT_DESC(stall_stats, raw, "cycle", "read after write"),
};

typedef struct machine {
    stats *s;
    cache_stats l1[12];
    stall_stats stall[12];
    cache_stats l2;
} machine;

/* Twelve SMs, so that [1] and [11] can be confused. Every counter has its own
 * power of ten or a small number, so that sums show what went into them. */
static void build(machine *m)
{
    char path[64];

    memset(m, 0, sizeof *m);
    m->s = stats_new();
    for (unsigned i = 0; i < 12; i++) {
        snprintf(path, sizeof path, "sm[%u].l1", i);
        stats_add(m->s, path, cache_desc, COUNTOF(cache_desc), &m->l1[i]);
        snprintf(path, sizeof path, "sm[%u].issue.stall", i);
        stats_add(m->s, path, stall_desc, COUNTOF(stall_desc), &m->stall[i]);
        m->l1[i] = (cache_stats){100, i};
        m->stall[i] = (stall_stats){1000, 7};
    }
    stats_add(m->s, "l2[0]", cache_desc, COUNTOF(cache_desc), &m->l2);
    m->l2 = (cache_stats){1000000, 1};
}

TEST(counters_are_walked_in_order_of_registration)
{
    machine m;
    stats_item it;

    build(&m);
    CHECK_EQ(stats_count(m.s), 12 * 4 + 2);
    CHECK_EQ(stats_block_count(m.s), 25);
    it = stats_get(m.s, 0);
    CHECK_STR(it.path, "sm[0].l1");
    CHECK_STR(it.desc->id, "loads");
    CHECK_EQ(it.value, 100);
    it = stats_get(m.s, 4 * 11 + 3);
    CHECK_STR(it.path, "sm[11].issue.stall");
    CHECK_STR(it.desc->id, "raw");
    CHECK_STR(it.desc->unit, "cycle");
    CHECK_EQ(it.value, 1000);
    it = stats_get(m.s, 49);
    CHECK_STR(it.path, "l2[0]");
    CHECK_EQ(it.value, 1);
    CHECK_EQ(stats_block_get(m.s, 24).first, 48);
    CHECK_EQ(stats_block_get(m.s, 24).count, 2);
    stats_free(m.s);
}

/* Twelve times 100, 1 + 2 + ... + 11, and so on: one sum for each counter of
 * a kind, whatever the number of its instances. */
TEST(totals_are_sums_over_the_instances_of_a_kind)
{
    machine m;
    uint64_t totals[6], values[50];
    size_t matched;

    build(&m);
    CHECK_EQ(stats_total_count(m.s), 6);
    CHECK_EQ(stats_kind_count(m.s), 3);
    CHECK_STR(stats_kind_get(m.s, 1).path, "sm[*].issue.stall");
    CHECK_EQ(stats_kind_get(m.s, 2).first, 4);
    CHECK_STR(stats_total_get(m.s, 1).path, "sm[*].l1");
    CHECK_STR(stats_total_get(m.s, 1).desc->id, "load_hits");
    CHECK_STR(stats_total_get(m.s, 5).path, "l2[*]");
    stats_totals(m.s, NULL, totals);
    CHECK_EQ(totals[0], 1200);
    CHECK_EQ(totals[1], 66);
    CHECK_EQ(totals[2], 84);
    CHECK_EQ(totals[3], 12000);
    CHECK_EQ(totals[4], 1000000);
    CHECK_EQ(stats_total_find(m.s, "sm[*].issue.stall.raw"), 3);
    CHECK(stats_total_find(m.s, "sm[0].issue.stall.raw") == SIZE_MAX);
    CHECK(stats_total_find(m.s, "sm[*].issue.raw") == SIZE_MAX);
    CHECK_EQ(stats_total_sum(m.s, totals, "sm[*].*.load*", &matched), 1266);
    CHECK_EQ(matched, 2);
    CHECK_EQ(stats_total_sum(m.s, totals, "l3.loads", &matched), 0);
    CHECK_EQ(matched, 0);
    stats_read(m.s, values);
    m.l1[3].loads++;
    stats_totals(m.s, values, totals);
    CHECK_EQ(totals[0], 1200);
    stats_free(m.s);
}

/* Blocks below one path that count different things are told apart. */
TEST(kinds_of_one_path_are_told_apart_by_what_they_count)
{
    stats *s = stats_new();
    cache_stats c[2] = {{1, 2}, {3, 4}};
    stall_stats t = {5, 6};
    uint64_t totals[4];

    stats_add(s, "x[0]", cache_desc, COUNTOF(cache_desc), &c[0]);
    stats_add(s, "x[1]", stall_desc, COUNTOF(stall_desc), &t);
    stats_add(s, "x[2]", cache_desc, COUNTOF(cache_desc), &c[1]);
    CHECK_EQ(stats_total_count(s), 4);
    stats_totals(s, NULL, totals);
    CHECK_EQ(totals[0], 4);
    CHECK_EQ(totals[1], 6);
    CHECK_EQ(totals[2], 6);
    CHECK_EQ(totals[3], 5);
    stats_free(s);
}

TEST(exact_names_are_found_live)
{
    machine m;
    uint64_t v = 0;

    build(&m);
    CHECK(stats_find(m.s, NULL, "sm[3].l1.load_hits", &v));
    CHECK_EQ(v, 3);
    m.l1[3].load_hits++;
    CHECK(stats_find(m.s, NULL, "sm[3].l1.load_hits", &v));
    CHECK_EQ(v, 4);
    CHECK(stats_find(m.s, NULL, "sm[0].issue.stall.waw", &v));
    CHECK_EQ(v, 7);
    CHECK(!stats_find(m.s, NULL, "sm[3].l1", &v));
    CHECK(!stats_find(m.s, NULL, "sm[3].l1.", &v));
    CHECK(!stats_find(m.s, NULL, "sm[12].l1.loads", &v));
    CHECK(!stats_find(m.s, NULL, "sm[*].l1.loads", &v));
    CHECK(!stats_find(m.s, NULL, "loads", &v));
    CHECK(!stats_find(m.s, NULL, "", &v));
    stats_free(m.s);
}

static uint64_t sum(const machine *m, const char *pattern, size_t matched)
{
    size_t n;
    uint64_t v = stats_sum(m->s, NULL, pattern, &n);

    CHECK_EQ(n, matched);
    return v;
}

TEST(stars_stand_for_anything_but_a_dot)
{
    machine m;

    build(&m);
    CHECK_EQ(sum(&m, "sm[*].l1.load_hits", 12), 66);
    CHECK_EQ(sum(&m, "sm[1*].l1.load_hits", 3), 1 + 10 + 11);
    CHECK_EQ(sum(&m, "sm[1].l1.load_hits", 1), 1);
    CHECK_EQ(sum(&m, "sm[*].l1.*", 24), 12 * 100 + 66);
    CHECK_EQ(sum(&m, "*.l1.loads", 12), 1200);
    CHECK_EQ(sum(&m, "*.loads", 1), 1000000); /* not sm[3].l1 */
    CHECK_EQ(sum(&m, "*.*.loads", 12), 1200);
    CHECK_EQ(sum(&m, "sm[*].issue.stall.*aw", 24), 12 * 1007);
    CHECK_EQ(sum(&m, "l*.*s", 2), 1000001);
    CHECK_EQ(sum(&m, "sm[*].stall.raw", 0), 0);
    CHECK_EQ(sum(&m, "", 0), 0);
    CHECK_EQ(sum(&m, "**].l1.*oad*s", 24), 1266);
    stats_free(m.s);
}

TEST(differences_belong_to_what_ran_between)
{
    machine m;
    uint64_t before[50], after[50], diff[50], v;

    build(&m);
    stats_read(m.s, before);
    m.l1[5].loads += 17;
    m.l2.load_hits += 2;
    stats_read(m.s, after);
    stats_subtract(m.s, after, before, diff);
    CHECK_EQ(stats_sum(m.s, diff, "sm[*].l1.loads", NULL), 17);
    CHECK_EQ(stats_sum(m.s, diff, "*.*", NULL), 2);
    CHECK(stats_find(m.s, diff, "l2[0].load_hits", &v));
    CHECK_EQ(v, 2);
    CHECK_EQ(stats_sum(m.s, before, "sm[5].l1.loads", NULL), 100);
    stats_free(m.s);
}

TEST(hash_depends_on_values_and_names_not_on_order)
{
    cache_stats a = {1, 2}, b = {3, 4};
    stats *x = stats_new(), *y = stats_new(), *z = stats_new();
    uint64_t h;

    stats_add(x, "a", cache_desc, 2, &a);
    stats_add(x, "b", cache_desc, 2, &b);
    stats_add(y, "b", cache_desc, 2, &b);
    stats_add(y, "a", cache_desc, 2, &a);
    stats_add(z, "b", cache_desc, 2, &a); /* names exchanged */
    stats_add(z, "a", cache_desc, 2, &b);
    h = stats_hash(x, NULL);
    CHECK_EQ(stats_hash(y, NULL), h);
    CHECK(stats_hash(z, NULL) != h);
    a.loads++;
    CHECK(stats_hash(x, NULL) != h);
    a.loads--;
    CHECK_EQ(stats_hash(x, (uint64_t[]){1, 2, 3, 4}), h);
    CHECK(stats_hash(x, (uint64_t[]){2, 1, 3, 4}) != h);
    stats_free(x);
    stats_free(y);
    stats_free(z);
    stats_free(NULL);
}

TEST(the_document_needs_no_machine)
{
    static const stats_block l1 = {"sm[*].l1", "First-level data cache",
                                   cache_desc, COUNTOF(cache_desc)};
    const stats_block *const all[] = {&l1};
    strbuf b = {0};

    stats_doc(&b, all, 1);
    CHECK(strstr(b.text, "\n## `sm[*].l1`\n\nFirst-level data cache.\n"));
    CHECK(strstr(b.text, "| `load_hits` | request | loads that hit |\n"));
    strbuf_fini(&b);
}

/* ---- Histograms ---- */

typedef struct queue_stats {
    uint64_t pushes;
    uint64_t depth[HIST_POWERS];
    uint64_t lanes[HIST_LANES];
    uint64_t pops;
    uint64_t wait[HIST_CYCLES];
} queue_stats;

static const stat_desc queue_desc[] = {
    STAT_DESC(queue_stats, pushes, "message", "messages pushed"),
    STAT_HIST(queue_stats, depth, POWERS, "message", "push", "depth at a push")
        STAT_HIST(queue_stats, lanes, LANES, "lane", "push", "lanes of it")
            STAT_DESC(queue_stats, pops, "message", "messages popped"),
    STAT_HIST(queue_stats, wait, CYCLES, "cycle", "pop", "time in it")};

/* The bin whose interval has `v`, by the bounds of the descriptors. */
static unsigned bin_by_bounds(const char *hist, uint64_t v)
{
    unsigned bin = 0, n = 0;

    for (size_t i = 0; i < COUNTOF(queue_desc); i++)
        if (queue_desc[i].hist && !strcmp(queue_desc[i].hist, hist)) {
            if (queue_desc[i].from <= v)
                bin = n;
            n++;
        }
    return bin;
}

TEST(a_value_goes_to_the_bin_that_says_so)
{
    for (uint64_t v = 0; v < 10000; v++) {
        CHECK_EQ(bins_powers(v), bin_by_bounds("depth", v));
        CHECK_EQ(bins_cycles(v), bin_by_bounds("wait", v));
        if (v <= 32)
            CHECK_EQ(bins_lanes((unsigned)v), bin_by_bounds("lanes", v));
    }
    CHECK_EQ(bins_powers(UINT64_MAX / 2), HIST_POWERS - 1);
    CHECK_EQ(bins_cycles(UINT64_MAX), HIST_CYCLES - 1);
}

TEST(histograms_are_counters_that_follow_each_other)
{
    stats *s = stats_new();
    queue_stats q[2] = {{0}};
    cache_stats c = {0};
    stats_hist h = {0};
    uint64_t totals[2 + HIST_POWERS + HIST_LANES + HIST_CYCLES + 2];

    CHECK(s);
    stats_add(s, "l1", cache_desc, COUNTOF(cache_desc), &c);
    stats_add(s, "q[0]", queue_desc, COUNTOF(queue_desc), &q[0]);
    stats_add(s, "q[1]", queue_desc, COUNTOF(queue_desc), &q[1]);
    CHECK_EQ(stats_total_count(s), COUNTOF(totals));
    q[0].depth[3] = 5;
    q[1].depth[3] = 7;
    q[1].wait[HIST_CYCLES - 1] = 9;
    stats_totals(s, NULL, totals);

    CHECK(stats_hist_next(s, &h));
    CHECK_STR(h.path, "q[*]");
    CHECK_STR(h.bin->hist, "depth");
    CHECK_EQ(h.bins, HIST_POWERS);
    CHECK_EQ(totals[h.first + 3], 12);
    CHECK_EQ(h.bin[3].from, 4);
    CHECK_EQ(h.first + 3, stats_total_find(s, "q[*].depth_4"));
    CHECK(stats_hist_next(s, &h));
    CHECK_STR(h.bin->hist, "lanes");
    CHECK_STR(h.bin->of, "lane");
    CHECK(stats_hist_next(s, &h));
    CHECK_STR(h.bin->hist, "wait");
    CHECK_EQ(totals[h.first + h.bins - 1], 9);
    CHECK_EQ(h.bin[h.bins - 1].from, 4096);
    CHECK(!stats_hist_next(s, &h));
    stats_free(s);
}

/* Equal counts in other bins are another result. */
TEST(the_hash_sees_bins)
{
    stats *s = stats_new();
    queue_stats q = {0};
    uint64_t before;

    CHECK(s);
    stats_add(s, "q", queue_desc, COUNTOF(queue_desc), &q);
    q.depth[2] = 1;
    before = stats_hash(s, NULL);
    q.depth[2] = 0;
    q.depth[3] = 1;
    CHECK(stats_hash(s, NULL) != before);
    stats_free(s);
}
