/* src/study/nsga.c - see nsga.h. Deb et al. [NSGA2]: parents by tournaments of
 * rank and crowding, children by crossover and mutation, survivors of both by
 * rank, then by crowding. Axes are discrete, so a crossover takes each value
 * from either parent, and a mutation steps to a neighbour or draws anew; what
 * was asked for before is no child, so that every simulation is a new one. */
#include "study/nsga.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "base/rng.h"
#include "study/pareto.h"

enum {
    TRIES = 64,          /* to breed a child that is new, */
    SCANNED = 1 << 20,   /* then places that are looked at in their order */
    CROSSED_PERCENT = 90 /* of children have two parents [NSGA2:V] */
};

struct nsga {
    const nsga_space *space;
    nsga_options o;
    rng random;
    size_t *first;
    size_t *places; /* of each that was asked for, a value of each axis */
    double *goals;
    bool *told;
    size_t count, room;
    size_t *slots; /* hash of places: 1 + index */
    size_t slot_count;
    size_t *alive; /* the population: indices */
    size_t *rank;  /* of those alive */
    double *crowding;
    size_t alive_count;
    size_t last; /* the first of the last generation */
};

/* ---- Places that were asked for ---- */

static size_t *place_of(const nsga *n, size_t i)
{
    return &n->places[i * n->space->axes];
}

static size_t slot_of(const nsga *n, const size_t *at)
{
    uint64_t h = 0x9e3779b97f4a7c15u;

    for (size_t i = 0; i < n->space->axes; i++)
        h = (h ^ at[i]) * 0xbf58476d1ce4e5b9u + (h >> 29);
    return (size_t)(h ^ h >> 32) & (n->slot_count - 1);
}

/* Its slot, or the empty one where it belongs. */
static size_t find_slot(const nsga *n, const size_t *at)
{
    size_t s = slot_of(n, at), bytes = n->space->axes * sizeof *at;

    while (n->slots[s] && memcmp(place_of(n, n->slots[s] - 1), at, bytes) != 0)
        s = (s + 1) & (n->slot_count - 1);
    return s;
}

static void grow(nsga *n)
{
    size_t axes = n->space->axes, goals = n->space->goals;
    size_t room = n->room ? 2 * n->room : 256;

    n->places = renew(n->places, room * axes, sizeof *n->places);
    n->goals = renew(n->goals, room * goals, sizeof *n->goals);
    n->told = renew(n->told, room, sizeof *n->told);
    n->room = room;
    free(n->slots);
    n->slot_count = 4 * room;
    n->slots = new0(n->slot_count, sizeof *n->slots);
    for (size_t i = 0; i < n->count; i++)
        n->slots[find_slot(n, place_of(n, i))] = i + 1;
}

/* Could it be asked for? */
static bool is_new(const nsga *n, const size_t *at)
{
    return !n->slots[find_slot(n, at)] &&
           (!n->space->allowed || n->space->allowed(n->space->arg, at));
}

static void add(nsga *n, const size_t *at)
{
    if (n->count == n->room)
        grow(n);
    memcpy(place_of(n, n->count), at, n->space->axes * sizeof *at);
    n->told[n->count] = false;
    for (size_t g = 0; g < n->space->goals; g++)
        n->goals[n->count * n->space->goals + g] = NAN;
    n->slots[find_slot(n, at)] = n->count + 1;
    n->count++;
}

/* ---- Ranks ---- */

void nsga_rank(const double *x, size_t goals, size_t count, size_t *rank)
{
    double *left = new0(count * goals + 1, sizeof *left);
    bool *on = new0(count + 1, sizeof *on);
    size_t done = 0, r = 0;

    memcpy(left, x, count * goals * sizeof *left);
    for (size_t i = 0; i < count; i++)
        rank[i] = SIZE_MAX;
    while (done < count) {
        size_t found = pareto_front(left, goals, count, on);

        for (size_t i = 0; i < count; i++) {
            if (on[i]) {
                rank[i] = r;
                left[i * goals] = NAN; /* takes no part from now on */
            }
        }
        if (!found)
            break;
        done += found;
        r++;
    }
    for (size_t i = 0; i < count; i++)
        rank[i] = rank[i] == SIZE_MAX ? r : rank[i];
    free(on);
    free(left);
}

typedef struct entry {
    double x;
    size_t index, at;
} entry;

static int by_x(const void *a, const void *b)
{
    const entry *p = a, *q = b;

    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

void nsga_crowding(const double *x, size_t goals, const size_t *members,
                   size_t count, double *distance)
{
    entry *e = new0(count + 1, sizeof *e);

    for (size_t i = 0; i < count; i++)
        distance[i] = 0;
    for (size_t g = 0; g < goals && count; g++) {
        double range;

        for (size_t i = 0; i < count; i++) {
            double v = x[members[i] * goals + g];

            e[i] = (entry){isnan(v) ? 0 : v, members[i], i};
        }
        qsort(e, count, sizeof *e, by_x);
        range = e[count - 1].x - e[0].x;
        if (!(range > 0)) /* the same for all, or unknown */
            continue;
        distance[e[0].at] = distance[e[count - 1].at] = HUGE_VAL;
        for (size_t i = 1; i + 1 < count; i++)
            distance[e[i].at] += (e[i + 1].x - e[i - 1].x) / range;
    }
    free(e);
}

/* ---- Survivors ---- */

typedef struct candidate {
    size_t index, rank;
    double crowding;
} candidate;

/* The better first. */
static int by_worth(const void *a, const void *b)
{
    const candidate *p = a, *q = b;

    if (p->rank != q->rank)
        return p->rank < q->rank ? -1 : 1;
    if (p->crowding != q->crowding)
        return p->crowding > q->crowding ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

/* Crowding among those of the same rank, which are sorted by it. */
static void crowd_ranks(const nsga *n, candidate *c, size_t count)
{
    size_t *members = new0(count + 1, sizeof *members);
    double *distance = new0(count + 1, sizeof *distance);

    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && c[to].rank == c[from].rank; to++)
            members[to - from] = c[to].index;
        nsga_crowding(n->goals, n->space->goals, members, to - from, distance);
        for (size_t i = from; i < to; i++)
            c[i].crowding = distance[i - from];
    }
    free(distance);
    free(members);
}

/* The best of those alive and of all from `first` on become the population. */
static void select_survivors(nsga *n, size_t first)
{
    size_t count = n->alive_count + n->count - first, goals = n->space->goals;
    candidate *c = new0(count + 1, sizeof *c);
    double *x = new0(count * goals + 1, sizeof *x);
    size_t *rank = new0(count + 1, sizeof *rank);

    for (size_t i = 0; i < count; i++) {
        c[i].index =
            i < n->alive_count ? n->alive[i] : first + i - n->alive_count;
        MUST(n->told[c[i].index]);
        memcpy(&x[i * goals], &n->goals[c[i].index * goals], goals * sizeof *x);
    }
    nsga_rank(x, goals, count, rank);
    for (size_t i = 0; i < count; i++)
        c[i].rank = rank[i];
    qsort(c, count, sizeof *c, by_worth);
    crowd_ranks(n, c, count);
    qsort(c, count, sizeof *c, by_worth);
    n->alive_count = count < n->o.population ? count : n->o.population;
    for (size_t i = 0; i < n->alive_count; i++) {
        n->alive[i] = c[i].index;
        n->rank[i] = c[i].rank;
        n->crowding[i] = c[i].crowding;
    }
    free(rank);
    free(x);
    free(c);
}

/* ---- Children ---- */

static size_t below(nsga *n, size_t most)
{
    return rng_below(&n->random, (uint32_t)most);
}

static void draw(nsga *n, size_t *at)
{
    for (size_t i = 0; i < n->space->axes; i++)
        at[i] = below(n, n->space->values[i]);
}

/* The better one of two that are alive. */
static const size_t *choose_parent(nsga *n)
{
    size_t i = below(n, n->alive_count), k = below(n, n->alive_count);
    bool first = n->rank[i] != n->rank[k] ? n->rank[i] < n->rank[k]
                                          : n->crowding[i] >= n->crowding[k];

    return place_of(n, n->alive[first ? i : k]);
}

/* Another value: half of the time a neighbour, if these are alike. */
static size_t mutate_value(nsga *n, size_t axis, size_t is)
{
    size_t count = n->space->values[axis], v;

    if (n->space->ordered[axis] && below(n, 2)) {
        bool up = below(n, 2);

        return up ? (is + 1 < count ? is + 1 : is - 1) : is ? is - 1 : is + 1;
    }
    v = below(n, count - 1);
    return v < is ? v : v + 1;
}

/* One axis in the mean, and one at least if `surely`. */
static void mutate(nsga *n, size_t *at, bool surely)
{
    size_t axes = n->space->axes, one = below(n, axes);

    for (size_t i = 0; i < axes; i++) {
        bool it = below(n, axes) == 0 || (surely && i == one);

        if (it && n->space->values[i] > 1)
            at[i] = mutate_value(n, i, at[i]);
    }
}

static void breed(nsga *n, size_t *at)
{
    const size_t *mother = choose_parent(n), *father = choose_parent(n);
    bool crossed = below(n, 100) < CROSSED_PERCENT;

    for (size_t i = 0; i < n->space->axes; i++)
        at[i] = crossed && below(n, 2) ? father[i] : mother[i];
    mutate(n, at, !crossed || mother == father);
}

/* The next place in the order of the space; false: it starts again. */
static bool step(const nsga *n, size_t *at)
{
    for (size_t i = n->space->axes; i-- > 0;) {
        if (++at[i] < n->space->values[i])
            return true;
        at[i] = 0;
    }
    return false;
}

/* From a place that is drawn on, the first that is new. */
static bool scan(nsga *n, size_t *at)
{
    bool wrapped = false;
    size_t *start = new0(n->space->axes + 1, sizeof *start);
    bool found = false;

    draw(n, at);
    memcpy(start, at, n->space->axes * sizeof *at);
    for (size_t i = 0; i < SCANNED && !found; i++) {
        if (wrapped && !memcmp(start, at, n->space->axes * sizeof *at))
            break;
        found = is_new(n, at);
        if (!found && !step(n, at))
            wrapped = true;
    }
    free(start);
    return found;
}

static bool next_child(nsga *n, bool drawn, size_t *at)
{
    for (unsigned i = 0; i < TRIES; i++) {
        if (drawn)
            draw(n, at);
        else
            breed(n, at);
        if (is_new(n, at))
            return true;
    }
    return scan(n, at);
}

/* ---- The search ---- */

nsga *nsga_new(const nsga_space *space, const nsga_options *o,
               const size_t *first)
{
    nsga *n = new0(1, sizeof *n);

    MUST(space->axes && space->goals && space->goals <= PARETO_GOALS);
    MUST(o->population >= 2);
    n->space = space;
    n->o = *o;
    n->alive = new0(o->population, sizeof *n->alive);
    n->rank = new0(o->population, sizeof *n->rank);
    n->crowding = new0(o->population, sizeof *n->crowding);
    rng_init(&n->random, o->seed, "study.nsga");
    if (first) {
        n->first = new0(space->axes, sizeof *n->first);
        memcpy(n->first, first, space->axes * sizeof *first);
    }
    grow(n);
    return n;
}

void nsga_free(nsga *n)
{
    if (!n)
        return;
    free(n->first);
    free(n->places);
    free(n->goals);
    free(n->told);
    free(n->slots);
    free(n->alive);
    free(n->rank);
    free(n->crowding);
    free(n);
}

size_t nsga_ask(nsga *n, size_t most)
{
    size_t before = n->count, *at = new0(n->space->axes, sizeof *at);
    bool drawn = n->o.random || !before;

    if (before && !n->o.random)
        select_survivors(n, n->last);
    n->last = before;
    most = most < n->o.population ? most : n->o.population;
    if (!before && n->first && most && is_new(n, n->first))
        add(n, n->first);
    while (n->count - before < most && next_child(n, drawn, at))
        add(n, at);
    free(at);
    return n->count - before;
}

size_t nsga_count(const nsga *n) { return n->count; }

const size_t *nsga_place(const nsga *n, size_t i)
{
    MUST(i < n->count);
    return place_of(n, i);
}

void nsga_tell(nsga *n, size_t i, const double *goals)
{
    MUST(i < n->count && !n->told[i]);
    memcpy(&n->goals[i * n->space->goals], goals,
           n->space->goals * sizeof *goals);
    n->told[i] = true;
}

size_t nsga_front(const nsga *n, bool *on)
{
    return pareto_front(n->goals, n->space->goals, n->count, on);
}
