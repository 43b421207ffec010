/* src/probe/find/limits.c - what fits a multiprocessor: CTAs write down where
 * they ran and when, so those that overlap in time were resident together; and
 * which launches are refused. */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "probe/harness.h"

enum { WORDS = 4, SPIN = 2000, PER_SM = 72, SMALL = 16 };

typedef struct cta {
    uint32_t began, ended, sm, sms;
} cta;

typedef struct shape {
    unsigned threads, shared, top; /* highest register */
} shape;

static status launch_census(probe_run *r, const shape *s, unsigned ctas,
                            unsigned cycles, cta *out)
{
    char shared[SMALL], top[SMALL];
    probe_kernel k = {
        .name = "census",
        .vars = {{"shared", shared}, {"R", top}},
        .ctas = ctas,
        .threads = s->threads,
        .args = {cycles},
        .out = (uint32_t *)out,
        .out_words = (size_t)WORDS * ctas,
    };

    snprintf(shared, sizeof shared, "%u", s->shared);
    snprintf(top, sizeof top, "%u", s->top);
    return probe_launch_kernel(r, &k);
}

/* CTAs of the first SM that were there when the first of them ended. */
static unsigned count_together(const cta *c, unsigned ctas)
{
    uint32_t end = 0, n = 0;
    bool any = false;

    for (unsigned i = 0; i < ctas; i++)
        if (c[i].sm == c[0].sm && (!any || (int32_t)(c[i].ended - end) < 0)) {
            end = c[i].ended;
            any = true;
        }
    for (unsigned i = 0; i < ctas; i++)
        n += c[i].sm == c[0].sm && (int32_t)(c[i].began - end) < 0;
    return n;
}

/* Of that shape on a multiprocessor at once; 0: none can be launched. */
static status count_resident(probe_run *r, unsigned sms, const shape *s,
                             unsigned most, unsigned *count)
{
    unsigned ctas = sms * (most + 1);
    cta *c = new0(ctas, sizeof *c);

    /* All that fit have to be there before the first ends, also where CTAs are
     * handed out one in a cycle. */
    status st = launch_census(r, s, ctas, SPIN + 2 * ctas, c);
    *count = st == ST_OK ? count_together(c, ctas) : 0;
    free(c);
    return st == ST_USAGE ? ST_OK : st;
}

/* The most that is not refused, up to `most`, in steps. */
static status find_limit(probe_run *r, bool threads, unsigned step,
                         unsigned most, unsigned *limit)
{
    unsigned low = 0, high = most / step + 1;
    status st = ST_OK;
    cta c;

    while (high - low > 1 && (st == ST_OK || st == ST_USAGE)) {
        unsigned mid = low + (high - low) / 2;
        shape s = {.threads = threads ? mid * step : 32,
                   .shared = threads ? 0 : mid * step,
                   .top = 15};

        st = launch_census(r, &s, 1, 0, &c);
        if (st == ST_OK)
            low = mid;
        else
            high = mid;
    }
    *limit = low * step;
    return st == ST_USAGE ? ST_OK : st;
}

/* Registers of a multiprocessor: the sum over all resident warps, with the
 * number a thread that divides best. */
static status find_registers(probe_run *r, unsigned sms, unsigned *registers)
{
    static const unsigned each[] = {32, 64, 128};
    status st = ST_OK;

    *registers = 0;
    for (size_t i = 0; i < 3 && st == ST_OK; i++) {
        shape s = {.threads = 128, .top = each[i] - 1};
        unsigned n = 0;

        if (r->machine->family == PROBE_FERMI && each[i] > 32)
            break;
        st = count_resident(r, sms, &s, PER_SM / 4, &n);
        if (n * s.threads * each[i] > *registers)
            *registers = n * s.threads * each[i];
    }
    return st;
}

/* From the last clock of a launch to the first of the next. */
static status find_gap(probe_run *r)
{
    shape one = {.threads = 32, .top = 15};
    cta before = {0}, after = {0};
    status st = launch_census(r, &one, 1, 0, &before);

    if (st == ST_OK)
        st = launch_census(r, &one, 1, 0, &after);
    if (st == ST_OK)
        probe_number(r, "launch.gap",
                     "from the end of a kernel to the next one's beginning",
                     "cycle", (uint32_t)(after.began - before.ended));
    return st;
}

status probe_run_limits(probe_run *r)
{
    unsigned threads = 0, shared = 0, ctas = 0, warps = 0, registers = 0, n = 0;
    shape one = {.threads = 32, .top = 15};
    cta c = {0};
    status st = launch_census(r, &one, 1, 0, &c);

    if (st == ST_OK)
        st = find_limit(r, true, 32, 4096, &threads);
    if (st == ST_OK)
        st = find_limit(r, false, 1024, 256 << 10, &shared);
    if (st == ST_OK)
        st = count_resident(r, c.sms, &one, PER_SM, &ctas);
    for (unsigned w = 2; st == ST_OK && 32 * w <= threads && w <= 8; w *= 2) {
        shape more = {.threads = 32 * w, .top = 15};

        st = count_resident(r, c.sms, &more, PER_SM / w, &n);
        warps = n * w > warps ? n * w : warps;
    }
    if (st == ST_OK)
        st = find_registers(r, c.sms, &registers);
    shape half = {.threads = 32, .shared = 8 << 10, .top = 15};
    if (st == ST_OK)
        st = count_resident(r, c.sms, &half, PER_SM / 2, &n);
    if (st != ST_OK)
        return st;
    probe_number(r, "limits.sms", "multiprocessors", "sm", c.sms);
    probe_number(r, "limits.cta_threads", "threads of a CTA", "thread",
                 threads);
    probe_number(r, "limits.cta_shared", "shared memory of a CTA", "byte",
                 shared);
    probe_number(r, "limits.ctas", "CTAs of a multiprocessor", "cta", ctas);
    probe_number(r, "limits.warps", "warps of a multiprocessor", "warp", warps);
    probe_number(r, "limits.registers", "registers of a multiprocessor",
                 "register", registers);
    probe_number(r, "limits.shared", "shared memory of a multiprocessor",
                 "byte", (double)n * half.shared);
    return find_gap(r);
}
