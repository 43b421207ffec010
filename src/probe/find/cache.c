/* src/probe/find/cache.c
 *
 * The first line too many overfills one set of the cache: all lines of that set
 * then miss in every round, if the least recent goes, and no others. So the
 * misses of that round are the ways and one more, and the places that miss are
 * lines of one set, with which line, sector and replacement are found. */
#include "probe/find/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

enum {
    ROUNDS = 2, /* before the one that counts */
    VISITS = 3, /* of a line in a round where its replacement is looked at */
    WORD = 8,   /* bytes of a pointer */
    LINE_MAX = 1024,
};

typedef struct search {
    probe_run *r;
    const probe_path *path;
    double limit; /* cycles from which a load is a miss */
    uint64_t stride;
    probe_ring set; /* lines of the set that was overfilled, in order */
} search;

static status count_misses(const search *s, const probe_ring *ring,
                           uint64_t *misses)
{
    probe_hops h = {0};
    status st = probe_chase(s->r, s->path, ring, ROUNDS, s->limit, &h, NULL);

    *misses = h.misses;
    return st;
}

/* Of so many places in a row. */
static status misses_of(const search *s, size_t count, uint64_t *misses)
{
    probe_ring ring = probe_ring_line(count, s->stride);
    status st = count_misses(s, &ring, misses);

    probe_ring_fini(&ring);
    return st;
}

/* ---- Capacity ---- */

/* Numbers of places: none of `low` misses, some of `high` do, as many as
 * `misses`. */
typedef struct bracket {
    size_t low, high;
    uint64_t misses;
} bracket;

static status narrow_bracket(const search *s, size_t count, bracket *b)
{
    uint64_t misses = 0;
    status st = misses_of(s, count, &misses);

    if (misses) {
        b->high = count;
        b->misses = misses;
    } else {
        b->low = count;
    }
    return st;
}

/* Where each place more overfills another set, the places before the last one
 * say how many these are. */
static status leap_over_sets(const search *s, bracket *b)
{
    bracket before = *b;
    status st = narrow_bracket(s, b->high - 1, b);
    uint64_t each = before.misses - b->misses;

    if (st != ST_OK || b->low == b->high - 1 || !each || each > before.misses)
        return st;
    size_t first = before.high - before.misses / each + 1;
    if (first > b->low && first < b->high)
        st = narrow_bracket(s, first, b);
    if (st == ST_OK && first == b->high && first - 1 > b->low)
        st = narrow_bracket(s, first - 1, b);
    return st;
}

/* The smallest number of places of which any misses; 0: more than can be. */
static status find_first(const search *s, size_t *first)
{
    size_t most = s->path->most / s->stride;
    bracket b = {.low = 2};
    bool leapt = false;
    status st = ST_OK;

    *first = 0;
    while (st == ST_OK && !b.high) {
        if (b.low == most)
            return ST_OK;
        st = narrow_bracket(s, 2 * b.low < most ? 2 * b.low : most, &b);
    }
    while (st == ST_OK && b.high - b.low > 1) {
        st = narrow_bracket(s, b.low + (b.high - b.low) / 2, &b);
        if (st == ST_OK && !leapt && b.high - b.low > 8 &&
            b.misses < b.high / 2) {
            st = leap_over_sets(s, &b);
            leapt = true;
        }
    }
    *first = b.high;
    return st;
}

/* The number of places of which half miss, to a hundredth or so. */
static status find_half(const search *s, size_t first, size_t *half)
{
    size_t low = first, high = 2 * first;
    uint64_t misses = 0;
    status st = ST_OK;

    while (st == ST_OK && high - low > 1 + low / 128) {
        size_t mid = low + (high - low) / 2;

        st = misses_of(s, mid, &misses);
        if (misses > mid / 2)
            high = mid;
        else
            low = mid;
    }
    *half = low + (high - low) / 2;
    return st;
}

/* Where lines spread evenly over the sets, the first miss comes when all of
 * them are full. Elsewhere half of the lines miss when as many sets have one
 * too many as have room. */
static status find_bytes(const search *s, size_t first, probe_cache *c)
{
    size_t near = first + first / (c->ways + 1), half;
    uint64_t misses = 0;
    status st = misses_of(s, near, &misses);

    c->even = misses > near / 2;
    c->bytes = (first - 1) * s->stride;
    if (st != ST_OK || c->even)
        return st;
    st = find_half(s, first, &half);
    c->bytes = half * s->stride;
    return st;
}

/* ---- The set ---- */

static status find_set(search *s, size_t first, probe_cache *c)
{
    uint32_t missed[PROBE_MISSED];
    probe_ring ring = probe_ring_line(first, s->stride);
    probe_hops h = {0};
    status st = count_misses(s, &ring, &h.misses);

    if (st == ST_OK && h.misses > 1 && h.misses <= PROBE_MISSED) {
        st = probe_chase(s->r, s->path, &ring, ROUNDS, s->limit, &h, missed);
        s->set = probe_ring_line(h.misses, 0);
        for (size_t i = 0; i < h.misses && i < PROBE_MISSED; i++)
            s->set.at[i] = ring.at[missed[i]];
        c->ways = (unsigned)h.misses - 1;
    }
    probe_ring_fini(&ring);
    return st;
}

/* Does the set still overflow when its second line is visited `by` bytes
 * further on? */
static status still_full(const search *s, int64_t by, bool *full)
{
    uint64_t misses = 0, at = s->set.at[1];

    s->set.at[1] = at + (uint64_t)by;
    status st = count_misses(s, &s->set, &misses);
    s->set.at[1] = at;
    *full = misses == s->set.count;
    return st;
}

static status find_line_size(const search *s, probe_cache *c)
{
    uint64_t step = s->path->least;
    unsigned up = 1, down = 0;
    bool full = true;
    status st = ST_OK;

    for (; st == ST_OK && up * step <= LINE_MAX; up++)
        if ((st = still_full(s, (int64_t)(up * step), &full)) != ST_OK || !full)
            break;
    for (full = true; st == ST_OK && (down + 1) * step <= LINE_MAX; down++)
        if (s->set.at[1] < (down + 1) * step ||
            (st = still_full(s, -(int64_t)((down + 1) * step), &full)) !=
                ST_OK ||
            !full)
            break;
    c->line = (unsigned)((up + down) * step);
    return st;
}

/* Does another visit to the same line miss, `by` bytes from the first? */
static status misses_too(const search *s, uint64_t by, bool *yes)
{
    size_t n = s->set.count;
    probe_ring ring = probe_ring_line(n + 1, 0);
    uint64_t misses = 0;

    for (size_t i = 0; i <= n; i++)
        ring.at[i] = s->set.at[i < 2 ? i : i - 1] + (i == 2 ? by : 0);
    status st = count_misses(s, &ring, &misses);
    probe_ring_fini(&ring);
    *yes = misses > n;
    return st;
}

/* The sector is the least distance, in steps of the path, at which a second
 * visit to a line misses. */
static status find_sector(const search *s, probe_cache *c)
{
    uint64_t step = s->path->least, by = step;
    bool missed = false;
    status st = ST_OK;

    for (; st == ST_OK && by < c->line; by += step)
        if ((st = misses_too(s, by, &missed)) != ST_OK || missed)
            break;
    c->sector = (unsigned)by;
    return st;
}

/* ---- Replacement ---- */

typedef enum order { LRU, FIFO, ORDERS } order;
static const char *const order_names[] = {"lru", "fifo"};

/* Which of a set's lines are there, the one that goes next first. */
typedef struct model {
    size_t line[PROBE_MISSED], count;
} model;

static void drop_model_line(model *m, size_t at)
{
    memmove(m->line + at, m->line + at + 1,
            (m->count - at - 1) * sizeof *m->line);
    m->count--;
}

/* True if it hits. */
static bool visit_model_line(model *m, order o, size_t ways, size_t line)
{
    size_t at = 0;

    while (at < m->count && m->line[at] != line)
        at++;
    bool hit = at < m->count;
    if (hit && o == FIFO)
        return true;
    if (hit)
        drop_model_line(m, at);
    else if (m->count == ways)
        drop_model_line(m, 0);
    m->line[m->count++] = line;
    return hit;
}

static uint64_t predict(const size_t *lines, size_t count, order o, size_t ways)
{
    model m = {.count = 0};
    uint64_t misses = 0;

    for (unsigned i = 0; i <= ROUNDS; i++)
        for (size_t k = 0; k < count; k++) {
            bool hit = visit_model_line(&m, o, ways, lines[k]);

            misses += i == ROUNDS && !hit;
        }
    return misses;
}

/* Lines of the set in an order without rule, each VISITS times, by another
 * word each time. */
static void mix_visits(const search *s, probe_ring *ring, size_t *lines)
{
    size_t n = s->set.count;
    uint32_t state = 1;

    for (size_t i = 0; i < VISITS * n; i++)
        lines[i] = i % n;
    for (size_t i = VISITS * n; i-- > 1;) {
        size_t j, l = lines[i];

        state = state * 1664525u + 1013904223u; /* any generator will do */
        j = (state >> 8) % (i + 1);
        lines[i] = lines[j];
        lines[j] = l;
    }
    for (size_t i = 0; i < VISITS * n; i++) {
        uint64_t word = 0;

        for (size_t k = 0; k < i; k++)
            word += lines[k] == lines[i];
        ring->at[i] = s->set.at[lines[i]] + word * s->path->least;
    }
}

static status find_order(const search *s, probe_cache *c)
{
    size_t n = s->set.count * VISITS;
    size_t lines[VISITS * PROBE_MISSED];
    probe_ring ring = probe_ring_line(n, 0);
    uint64_t misses = 0;
    status st = ST_OK;

    if (VISITS * s->path->least > c->sector)
        goto done; /* no room for so many words */
    mix_visits(s, &ring, lines);
    st = count_misses(s, &ring, &misses);
    c->order = "other";
    for (order o = 0; o < ORDERS; o++)
        if (predict(lines, n, o, c->ways) == misses) {
            c->order = order_names[o];
            break;
        }
done:
    probe_ring_fini(&ring);
    return st;
}

status probe_cache_find(probe_run *r, const probe_path *path, probe_cache *c)
{
    search s = {.r = r,
                .path = path,
                .limit = (c->hit + c->miss) / 2,
                .stride = path->least > 128 ? path->least : 128};
    size_t first;
    status st;

    if (path->space == PROBE_CONST)
        s.stride = 16;
    st = find_first(&s, &first);
    if (st != ST_OK || !first)
        return st;
    st = find_set(&s, first, c);
    if (st == ST_OK && c->ways)
        st = find_line_size(&s, c);
    if (st == ST_OK && c->ways && c->line != s.stride) {
        s.stride = c->line; /* counts lines from now on */
        st = find_first(&s, &first);
    }
    if (st == ST_OK)
        st = find_bytes(&s, first, c);
    if (st == ST_OK && c->ways)
        st = find_sector(&s, c);
    if (st == ST_OK && c->ways)
        st = find_order(&s, c);
    probe_ring_fini(&s.set);
    return st;
}
