/* src/probe/find/units.c - P13: which schedulers share the units that a pair's
 * second instruction goes to, and which of them has priority. */
#include <math.h>
#include <stdio.h>

#include "probe/groups.h"

static const char all_pairs[] = "1222";

/* Of twice the rate of one scheduler: if two reach less they share a unit; two
 * thirds are to be expected, since seven FFMAs of each need four cycles and six
 * in all that unit. */
static const double shared = 0.9;

/* Of each scheduler, cycles of a pass while warps of those in `set` alone pair
 * everything. */
static status time_set(probe_run *r, unsigned set,
                       double cycles[LOOP_SCHEDULERS], unsigned *work)
{
    char choose[256];
    strbuf text = {0};
    unsigned active = 0;

    for (unsigned n = 0; n < LOOP_SCHEDULERS; n++)
        active += set >> n & 1;
    snprintf(choose, sizeof choose,
             "S2R R8, SR_WARPID\n    LOP3.LUT R8, R8, 0x%x, RZ, 0xc0\n"
             "    MOV R9, 0x%x\n    SHR.U32 R9, R9, R8\n"
             "    LOP3.LUT R9, R9, 0x1, RZ, 0xc0\n"
             "    ISETP.EQ.AND P0, PT, R9, RZ, PT\n    @P0 BRA out",
             LOOP_SCHEDULERS - 1, set);
    *work = probe_groups_put(r, &(probe_groups){.order = all_pairs}, &text);
    status st = probe_passes(
        r,
        &(probe_loop){.text = text.text,
                      .set = choose,
                      .warps = LOOP_WARPS,
                      .active = active * LOOP_WARPS / LOOP_SCHEDULERS},
        cycles);
    strbuf_fini(&text);
    return st;
}

/* FFMAs in a cycle of the schedulers of `set`, all together. */
static double rate_of(const double *cycles, unsigned work, unsigned set)
{
    double last = 0;
    unsigned n = 0;

    for (unsigned i = 0; i < LOOP_SCHEDULERS; i++)
        if (set >> i & 1) {
            last = fmax(last, cycles[i]);
            n++;
        }
    return (double)n * work * LOOP_WARPS / LOOP_SCHEDULERS / last;
}

typedef struct sharing {
    bool share[LOOP_SCHEDULERS][LOOP_SCHEDULERS];
    double alone;    /* FFMAs in a cycle of one */
    double together; /* of two that share, apart: that do not */
    double apart;
    double lead; /* how much the one with priority is faster */
} sharing;

static status find_two(probe_run *r, unsigned a, unsigned b, sharing *s)
{
    double cycles[LOOP_SCHEDULERS] = {0};
    unsigned set = 1u << a | 1u << b, work = 0;
    status st = time_set(r, set, cycles, &work);
    double both = rate_of(cycles, work, set);

    if (st != ST_OK)
        return st;
    s->share[a][b] = s->share[b][a] = both < shared * 2 * s->alone;
    if (s->share[a][b]) {
        s->together = both;
        s->lead = fmax(s->lead, fabs(cycles[b] / cycles[a] - 1));
    } else {
        s->apart = both;
    }
    return ST_OK;
}

static void report_share(probe_run *r, const sharing *s)
{
    strbuf text = {0};

    for (unsigned a = 0; a < LOOP_SCHEDULERS; a++)
        for (unsigned b = a + 1; b < LOOP_SCHEDULERS; b++)
            if (s->share[a][b])
                strbuf_printf(&text, "%s%u+%u", text.size ? " " : "", a, b);
    probe_word(r, "pairs.share", "schedulers that get in each other's way",
               text.size ? text.text : "none");
    strbuf_fini(&text);
}

/* Groups of schedulers, each with a unit of its own for second instructions. */
static unsigned count_groups(const sharing *s)
{
    unsigned n = 0;

    for (unsigned a = 0; a < LOOP_SCHEDULERS; a++) {
        bool first = true;

        for (unsigned b = 0; b < a; b++)
            first = first && !s->share[a][b];
        n += first;
    }
    return n;
}

status probe_run_shared_units(probe_run *r)
{
    if (!r->known.pair) {
        probe_word(r, "pairs.share", "schedulers that get in each other's way",
                   "no pairs");
        return ST_OK;
    }
    double cycles[LOOP_SCHEDULERS] = {0};
    sharing s = {.alone = 0};
    unsigned groups = 0, work = 0;
    status st = time_set(r, 1, cycles, &work);

    s.alone = rate_of(cycles, work, 1);
    for (unsigned a = 0; a < LOOP_SCHEDULERS; a++)
        for (unsigned b = a + 1; b < LOOP_SCHEDULERS && st == ST_OK; b++)
            st = find_two(r, a, b, &s);
    if (st != ST_OK)
        return st;
    report_share(r, &s);
    if (s.alone > 1.05) /* two of one kind do issue together */
        groups = count_groups(&s);
    r->known.peak = 32 * (LOOP_SCHEDULERS + groups);
    probe_number(r, "pairs.units", "units for seconds that are FFMAs", "unit",
                 groups);
    probe_number(r, "pairs.lanes", "lanes for FFMAs", "lane/cycle",
                 r->known.peak);
    probe_number(r, "pairs.alone", "FFMAs of one scheduler that pairs",
                 "inst/cycle", s.alone);
    if (s.apart > 0)
        probe_number(r, "pairs.apart", "of two that share nothing",
                     "inst/cycle", s.apart);
    if (s.together > 0) {
        probe_number(r, "pairs.together", "of two that share a unit",
                     "inst/cycle", s.together);
        probe_word(r, "pairs.arbiter", "priority for a shared unit",
                   s.lead > 0.05 ? "fixed" : "alternate");
    }
    return ST_OK;
}
