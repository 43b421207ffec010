#include "gpu/window_profile.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "gpu/makespan.h"
#include "gpu/team.h"

const unsigned window_threads[WINDOW_COUNTS] = {1, 2, 4, 8, 16, 32};

enum {
    READINGS = 1000,
    MEETINGS = 4000,
    MEETING_NS = 500000000, /* all of them, at most */
    MEET_MOST = 20000, /* what takes longer is no meeting, but waiting for */
    FURTHER_NS = 200,  /* two atomics on a line that another core has */
    MEET_USUAL = 1000, /* a core; then this is assumed */
};

struct window_profile {
    window_sums sums;
    uint64_t before; /* the clock at the last call */
    uint64_t read_ns;
    uint64_t *cost;  /* of the nodes of this window, as taken */
    unsigned *taken; /* their numbers */
    unsigned count;
    uint64_t side[WINDOW_PARTS];
    unsigned sides;
    uint64_t *last; /* per node: its last cost */
    uint64_t *key, *sorted;
    unsigned *order;
};

/* What reading the clock takes, as it mostly does. */
static uint64_t reading_ns(void)
{
    uint64_t least = UINT64_MAX, t = clock_ran_ns();

    for (unsigned i = 0; i < READINGS; i++) {
        uint64_t now = clock_ran_ns();

        least = now - t < least ? now - t : least;
        t = now;
    }
    return least;
}

window_profile *window_profile_new(unsigned clusters, unsigned partitions)
{
    window_profile *p = new0(1, sizeof *p);
    unsigned nodes = clusters + partitions;

    p->sums.clusters = clusters;
    p->sums.nodes = nodes;
    p->sums.node = new0(nodes, sizeof *p->sums.node);
    p->cost = new0(nodes, sizeof *p->cost);
    p->taken = new0(nodes, sizeof *p->taken);
    p->last = new0(nodes, sizeof *p->last);
    p->key = new0(nodes, sizeof *p->key);
    p->sorted = new0(nodes, sizeof *p->sorted);
    p->order = new0(nodes, sizeof *p->order);
    p->read_ns = reading_ns();
    return p;
}

void window_profile_free(window_profile *p)
{
    if (!p)
        return;
    free(p->sums.node);
    free(p->cost);
    free(p->taken);
    free(p->last);
    free(p->key);
    free(p->sorted);
    free(p->order);
    free(p);
}

void window_profile_resume(window_profile *p) { p->before = clock_ran_ns(); }

static uint64_t since_last_call(window_profile *p)
{
    uint64_t now = clock_ran_ns(), ns = now - p->before;

    p->before = now;
    return ns > p->read_ns ? ns - p->read_ns : 0;
}

void window_profile_part(window_profile *p, window_part part)
{
    uint64_t ns = since_last_call(p);

    p->sums.part_ns[part] += ns;
    p->sums.serial_ns += ns;
}

void window_profile_side(window_profile *p, window_part part)
{
    p->side[p->sides] = since_last_call(p);
    p->sums.part_ns[part] += p->side[p->sides++];
}

void window_profile_node(window_profile *p, unsigned n)
{
    uint64_t ns = since_last_call(p);

    p->cost[p->count] = ns;
    p->taken[p->count++] = n;
    p->sums.node[n].ns += ns;
    p->sums.node[n].runs++;
}

static void add_spans(uint64_t to[WINDOW_COUNTS], const uint64_t *cost,
                      unsigned n)
{
    for (unsigned i = 0; i < WINDOW_COUNTS; i++)
        to[i] += makespan(cost, n, window_threads[i]);
}

/* The same with the nodes of the largest `key` first. */
static void add_sorted_spans(window_profile *p, window_order order,
                             const uint64_t *key)
{
    makespan_longest_first(key, p->count, p->order);
    for (unsigned i = 0; i < p->count; i++)
        p->sorted[i] = p->cost[p->order[i]];
    add_spans(p->sums.span_ns[order], p->sorted, p->count);
}

void window_profile_window(window_profile *p, unsigned cycles)
{
    window_sums *s = &p->sums;
    unsigned longest = 0;

    for (unsigned i = 0; i < p->count; i++) {
        s->nodes_ns += p->cost[i];
        p->key[i] = p->last[p->taken[i]];
        longest = p->cost[i] > p->cost[longest] ? i : longest;
    }
    if (p->count) {
        s->longest_ns += p->cost[longest];
        s->node[p->taken[longest]].longest++;
    }
    add_spans(s->span_ns[WINDOW_AS_TAKEN], p->cost, p->count);
    add_spans(s->side_ns, p->side, p->sides);
    s->meetings += (p->count > 1) + (p->sides > 1);
    add_sorted_spans(p, WINDOW_LONGEST_LAST_TIME, p->key);
    add_sorted_spans(p, WINDOW_LONGEST, p->cost);
    for (unsigned i = 0; i < p->count; i++)
        p->last[p->taken[i]] = p->cost[i];
    s->windows++;
    s->cycles += cycles;
    s->runs += p->count;
    p->count = p->sides = 0;
    window_profile_resume(p);
}

/* ---- Two threads meet ---- */

/* Returns when both items have begun, so on two threads. */
static void meet(void *arg, unsigned i)
{
    atomic_uint *here = arg;

    (void)i;
    atomic_fetch_add(here, 1);
    while (atomic_load(here) < 2)
        __builtin_ia32_pause();
}

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The median of those in which both had a core: where others use the cores,
 * most take as long as these like. 0: there was none. */
static uint64_t meeting_ns(void)
{
    uint64_t *took = new_array(MEETINGS, sizeof *took), from = clock_ns(),
             median = 0;
    team *t = team_new(2, NULL);
    unsigned n = 0;

    for (unsigned i = 0;
         team_members(t) && i < MEETINGS && clock_ns() - from < MEETING_NS;
         i++) {
        atomic_uint here = 0;
        uint64_t began = clock_ns();

        team_run(t, meet, &here, 2, false);
        took[n] = clock_ns() - began;
        n += took[n] < MEET_MOST;
    }
    team_free(t);
    qsort(took, n, sizeof *took, by_size);
    if (n)
        median = took[n / 2];
    free(took);
    return median;
}

const window_sums *window_profile_sums(window_profile *p)
{
    window_sums *s = &p->sums;

    if (!s->meet_ns) {
        s->meet_ns = meeting_ns();
        s->meet_assumed = !s->meet_ns;
        if (s->meet_assumed)
            s->meet_ns = MEET_USUAL;
    }
    return s;
}

/* ---- What follows ---- */

uint64_t window_meet_ns(const window_sums *s, unsigned threads)
{
    return threads < 2 ? 0 : s->meet_ns + (threads - 2) * FURTHER_NS;
}

uint64_t window_predicted_ns(const window_sums *s, window_order order,
                             unsigned count)
{
    return s->serial_ns + s->span_ns[order][count] + s->side_ns[count] +
           s->meetings * window_meet_ns(s, window_threads[count]);
}
