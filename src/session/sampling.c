#include "session/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"

enum {
    FIRST = 3, /* launches of a group that are timed in any case */
    MOST = 24, /* to make a figure surer */
    KEPT = 64, /* samples of a group, the latest */
    GAP = 4,   /* launches until the first look whether all is as it was */
    GAP_MOST = 512,
};

/* Of cycles: how well they are to be known; from when on a look finds something
 * else; and of the warp instructions of launches that count as alike. */
static const double TARGET = 0.01, CHANGED = 0.05, ALIKE = 0.03;
/* Of cycles: what is assumed of a guess before any was looked at, and where the
 * data make the size of a launch. */
static const double UNSEEN = 0.05, UNSEEN_OF_DATA = 0.25;
/* A launch of another size is timed if cycles on the way to it, or between
 * those on both sides of it, change by more; or if it is so many times as long,
 * or as short, as the nearest. */
static const double BEND = 0.1, FAR = 1.5;
/* Of instructions: so much others must differ to say how steep cycles are. */
static const double APART = 0.2;

typedef struct sample {
    double insts, cycles;
    bool behind; /* another launch in flight */
} sample;

typedef struct group {
    sampling_launch is;
    sample sample[KEPT];
    unsigned count, next; /* in `sample`: in use, and where the next one goes */
    uint64_t launches, timed;
    uint64_t since, gap;        /* launches since the last one that was timed */
    double per_cta;             /* warp instructions of the last launch */
    double looks, off, squares; /* guesses of launches that were timed: how
                                   many, sums of what they were off by, as a
                                   part, and of its squares */
    uint64_t far; /* launches of other sizes up to one that is timed; 0: not
                     known yet */
    bool of_data; /* that is not the same in each */
    bool again;   /* the next one is timed, too */
    bool behind;  /* launches follow each other in flight */
} group;

struct sampling {
    group *group;
    uint32_t count, room;
    uint32_t *slot; /* hash table of numbers + 1; 0: free */
    uint32_t slots; /* a power of two */
    rng random;
};

sampling *sampling_new(void)
{
    sampling *s = new0(1, sizeof *s);

    rng_init(&s->random, 1, "sampling");
    return s;
}

void sampling_free(sampling *s)
{
    if (!s)
        return;
    free(s->group);
    free(s->slot);
    free(s);
}

/* ---- groups ---- */

static bool is_same(const sampling_launch *a, const sampling_launch *b)
{
    return a->code == b->code && a->device == b->device &&
           a->shared_bytes == b->shared_bytes &&
           !memcmp(a->block, b->block, sizeof a->block);
}

static uint64_t hash_of(const sampling_launch *l)
{
    uint64_t h =
        (uintptr_t)l->code ^ l->shared_bytes ^ (uint64_t)l->device << 40;

    for (unsigned i = 0; i < 3; i++)
        h = (h ^ l->block[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint32_t *slot_of(const sampling *s, const sampling_launch *l)
{
    uint64_t at = hash_of(l);

    for (;; at++) {
        uint32_t *slot = &s->slot[at & (s->slots - 1)];

        if (!*slot || is_same(&s->group[*slot - 1].is, l))
            return slot;
    }
}

static void grow(sampling *s)
{
    s->room = s->room ? 2 * s->room : 16;
    s->group = renew(s->group, s->room, sizeof *s->group);
    free(s->slot);
    s->slots = 2 * s->room;
    s->slot = new0(s->slots, sizeof *s->slot);
    for (uint32_t i = 0; i < s->count; i++)
        *slot_of(s, &s->group[i].is) = i + 1;
}

static group *group_of(sampling *s, const sampling_launch *l, uint32_t *number)
{
    uint32_t *slot;

    if (s->count == s->room)
        grow(s);
    slot = slot_of(s, l);
    if (!*slot) {
        s->group[s->count] = (group){.is = *l, .gap = GAP};
        *slot = ++s->count;
    }
    *number = *slot - 1;
    return &s->group[*number];
}

/* ---- what a launch takes ---- */

static bool is_alike(double a, double b)
{
    return fabs(a - b) <= ALIKE * (a > b ? a : b);
}

/* The launch that came first found cold caches; it tells nothing of the others.
 */
static bool counts(const group *g, const sample *x)
{
    bool first = x == g->sample && g->timed == g->count; /* none was lost */

    return x->behind == g->behind && !(first && g->count >= FIRST);
}

typedef struct known {
    unsigned count;
    double rate, spread; /* cycles of a warp instruction; of that */
} known;

/* From samples of about `insts` instructions. */
static known known_of(const group *g, double insts)
{
    known k = {.count = 0};
    double sum = 0, squares = 0;

    for (const sample *x = g->sample; x < g->sample + g->count; x++) {
        double rate = x->cycles / x->insts;

        if (!counts(g, x) || !is_alike(x->insts, insts))
            continue;
        k.count++;
        sum += rate;
        squares += rate * rate;
    }
    if (!k.count)
        return k;
    k.rate = sum / k.count;
    if (k.count > 1)
        k.spread = sqrt(fmax(0, (squares - sum * k.rate) / (k.count - 1)));
    return k;
}

/* The sample that is next below `insts`, or above, by `least` at least, as a
 * part; of several the latest. */
static const sample *neighbour(const group *g, double insts, bool above,
                               double least)
{
    const sample *best = NULL;

    for (unsigned i = 1; i <= g->count; i++) {
        const sample *x = &g->sample[(g->next + KEPT - i) % KEPT];
        bool there = above ? x->insts > insts * (1 + least)
                           : x->insts * (1 + least) <= insts;

        if (there && counts(g, x) &&
            (!best ||
             (above ? x->insts < best->insts : x->insts > best->insts)))
            best = x;
    }
    return best;
}

/* A line through samples of two sizes: through the two beside a launch, or
 * through the nearest and one of those beyond it. */
typedef struct line {
    const sample *near, *other; /* NULL: there is none */
    bool between;
} line;

static line line_of(const group *g, double insts)
{
    const sample *low = neighbour(g, insts, false, 0),
                 *high = neighbour(g, insts, true, 0), *near;

    if (low && high)
        return (line){low, high, true};
    near = low ? low : high;
    if (!near)
        return (line){NULL, NULL, false};
    return (line){near, neighbour(g, near->insts, !low, APART), false};
}

/* More instructions take no fewer cycles, and no more than in proportion. */
static double cycles_on(const line *l, double insts)
{
    const sample *a = l->near, *b = l->other;
    double rate = a->cycles / a->insts, slope = rate;

    if (b)
        slope = (b->cycles - a->cycles) / (b->insts - a->insts);
    if (!l->between)
        slope = fmax(0, fmin(slope, rate));
    return a->cycles + slope * (insts - a->insts);
}

/* As a part of the cycles: what the guesses were off by that could be looked
 * at, and what is not known of their mean. */
static void off_of(const group *g, double *spread, double *error)
{
    double n = g->looks + 1, bias = g->off / n,
           unseen = g->of_data ? UNSEEN_OF_DATA : UNSEEN;

    *spread = sqrt((g->squares + unseen * unseen) / n);
    *error = hypot(bias, *spread / sqrt(n));
}

static sampling_guess guess_on_line(const group *g, double insts)
{
    line l = line_of(g, insts);
    double spread, error, cycles;

    if (!l.near)
        return (sampling_guess){0, 0, 0};
    cycles = cycles_on(&l, insts);
    off_of(g, &spread, &error);
    return (sampling_guess){cycles, spread * cycles, error * cycles};
}

/* Where two samples are alike, by what those took; else on a line. */
static sampling_guess guess_of(const group *g, double insts)
{
    known k = known_of(g, insts);

    if (k.count < 2)
        return guess_on_line(g, insts);
    return (sampling_guess){.cycles = k.rate * insts,
                            .spread = k.spread * insts,
                            .error = k.spread * insts / sqrt(k.count)};
}

/* ---- which are timed ---- */

/* Is a launch of that size too far from those that were timed? */
static bool is_far(const group *g, double insts)
{
    line l = line_of(g, insts);
    double a, b, share;

    if (!l.near)
        return true;
    a = l.near->cycles;
    if (l.between) {
        b = l.other->cycles;
        share = (insts - l.near->insts) / (l.other->insts - l.near->insts);
        return 4 * share * (1 - share) * fabs(b - a) > BEND * (a + b);
    }
    return fabs(log(insts / l.near->insts)) > log(FAR) ||
           fabs(cycles_on(&l, insts) - a) > BEND * a;
}

/* Not the first that is far: what sizes follow, other things may follow too, as
 * every eighth column of a matrix begins a sector. Within half of the distance
 * from the last launch that was timed. */
static bool is_wanted_far(sampling *s, group *g)
{
    if (!g->far)
        g->far = 1 + rng_below(&s->random, (uint32_t)(g->since / 2 + 1));
    return !--g->far;
}

/* One of `insts` instructions is expected. */
static bool is_wanted(sampling *s, group *g, double insts)
{
    known k;

    if (g->timed < FIRST || g->since >= g->gap || g->again)
        return true;
    k = known_of(g, insts);
    /* What changes from launch to launch would be timed for ever. */
    if (k.count < 2 && g->of_data)
        return g->timed < MOST ||
               ((g->far || g->since >= GAP) && is_wanted_far(s, g));
    if (k.count < 2)
        return (g->far || is_far(g, insts)) && is_wanted_far(s, g);
    return g->timed < MOST && k.spread / sqrt(k.count) > TARGET * k.rate;
}

bool sampling_is_timed(sampling *s, const sampling_launch *l, uint64_t ctas,
                       uint32_t *number)
{
    group *g = group_of(s, l, number);
    bool timed = is_wanted(s, g, g->per_cta * (double)ctas);

    g->again = timed && g->behind && !g->again && g->timed >= FIRST;
    g->launches++;
    g->since = timed ? 0 : g->since + 1;
    g->far = timed ? 0 : g->far;
    return timed;
}

/* Not at equal distances, which launches that alternate could hide behind. */
static void look_later(sampling *s, group *g, bool as_before)
{
    uint64_t most = g->launches / 4, gap = as_before ? 2 * g->gap : GAP;

    most = most < GAP ? GAP : most < GAP_MOST ? most : GAP_MOST;
    gap = gap < most ? gap : most;
    g->gap = gap - gap / 4 + rng_below(&s->random, (uint32_t)(gap / 2 + 1));
}

/* Of a launch, that of one CTA is noted; 0 would say nothing. */
static double note_insts(group *g, uint64_t ctas, uint64_t warp_insts)
{
    double insts = warp_insts ? (double)warp_insts : 1,
           per_cta = insts / (ctas ? (double)ctas : 1);

    g->of_data |= g->launches > 1 && !is_alike(per_cta, g->per_cta);
    g->per_cta = per_cta;
    return insts;
}

/* A guess could be looked at. */
static void note_look(group *g, double cycles, double guess)
{
    double off = guess > 0 ? cycles / guess - 1 : 0;

    g->looks++;
    g->off += off;
    g->squares += off * off;
}

void sampling_timed(sampling *s, uint32_t number, uint64_t ctas,
                    uint64_t warp_insts, uint64_t cycles, bool behind)
{
    group *g = &s->group[number];
    double insts = note_insts(g, ctas, warp_insts);

    /* The second of two says how they follow each other. */
    if (behind || !g->again)
        g->behind = behind;
    if (g->timed >= FIRST && behind == g->behind) {
        sampling_guess was = guess_of(g, insts);
        double off = fabs((double)cycles - was.cycles);
        bool as_before = off <= fmax(CHANGED * was.cycles, 3 * was.spread);

        look_later(s, g, as_before);
        if (known_of(g, insts).count < 2)
            note_look(g, (double)cycles, was.cycles);
        else if (!as_before)
            g->count = g->next = 0;
    }
    g->sample[g->next] = (sample){insts, (double)cycles, behind};
    g->next = (g->next + 1) % KEPT;
    g->count += g->count < KEPT;
    g->timed++;
}

sampling_guess sampling_computed(sampling *s, uint32_t number, uint64_t ctas,
                                 uint64_t warp_insts)
{
    group *g = &s->group[number];

    return guess_of(g, note_insts(g, ctas, warp_insts));
}
