/* src/probe/find/icache.c - instruction caches: cycles of an instruction of one
 * warp by the length of the loop that it stands in. */
#include <math.h>
#include <stdio.h>

#include "probe/harness.h"

enum {
    SHORTEST = 64,   /* instructions */
    LONGEST = 12288, /* 192 KB of instructions of 16 bytes */
};

/* Code in bytes: a control word stands before every seven of Kepler. */
static double code_bytes(const probe_run *r, double count)
{
    return r->machine->family == PROBE_FERMI    ? 8 * count
           : r->machine->family == PROBE_KEPLER ? 8 * count * 8 / 7
                                                : 16 * count;
}

static status time_loop(probe_run *r, unsigned n, double *cycles)
{
    probe_body b = {.text = "MOV R$(16 + i % 16), R8", .n = n};

    return probe_time(r, &b, cycles);
}

/* Instructions that take `each` cycles, and `more` in all. */
typedef struct pace {
    double each, more;
    bool even;
} pace;

static status find_pace(probe_run *r, unsigned from, unsigned to, pace *p)
{
    double a = 0, b = 0;
    status st = time_loop(r, from, &a);

    if (st == ST_OK)
        st = time_loop(r, to, &b);
    p->each = (b - a) / (to - from);
    p->more = a - from * p->each;
    p->even = true;
    return st;
}

/* The longest loop at that pace, `low` at least and shorter than `high`: a line
 * that misses takes more than eight cycles, and where lines miss anyway and the
 * pace is not even, a hundredth more in the mean. */
static status find_knee(probe_run *r, unsigned low, unsigned high,
                        const pace *p, unsigned *knee)
{
    enum { SLACK = 8 };
    status st = ST_OK;

    while (st == ST_OK && high - low > 1) {
        unsigned mid = low + (high - low) / 2;
        double cycles = 0;

        st = time_loop(r, mid, &cycles);
        if (p->even ? cycles > mid * p->each + p->more + SLACK
                    : cycles > 1.01 * mid * p->each)
            high = mid;
        else
            low = mid;
    }
    *knee = low;
    return st;
}

static void report_icache(probe_run *r, unsigned number, unsigned knee)
{
    enum { LOOP = 20 }; /* instructions of probes/timed.sass */
    char id[32], what[64];

    snprintf(id, sizeof id, "icache.%u", number);
    snprintf(what, sizeof what, "loop that fits cache %u of code", number);
    probe_number(r, id, what, "byte", code_bytes(r, knee + LOOP));
}

status probe_run_icache(probe_run *r)
{
    size_t curve = probe_found_curve(
        r->found, &(probe_curve){.probe = r->kind->name,
                                 .id = "icache",
                                 .what = "Cycles of an instruction of a warp "
                                         "by the code of its loop",
                                 .x_is = "loop, bytes",
                                 .y_is = "cycles",
                                 .log_x = true});
    pace p = {0};
    double now = 0, last = 0;
    unsigned found = 0, knee = 0;
    bool level = true; /* the pace is that of a cache */
    status st = find_pace(r, SHORTEST / 2, SHORTEST, &p);

    for (unsigned n = SHORTEST; st == ST_OK && n <= LONGEST; n += n / 4) {
        st = time_loop(r, n, &now);
        now /= n;
        probe_found_point(r->found, curve, code_bytes(r, n), now);
        if (level && now > 1.04 * (p.each + p.more / n)) {
            level = false;
            if (st == ST_OK)
                st = find_knee(r, p.even ? n / 2 : n * 4 / 5, n, &p, &knee);
            report_icache(r, ++found, knee);
        } else if (!level && fabs(now / last - 1) < 0.02) {
            level = true;
            p = (pace){.each = fmax(now, last)};
        }
        last = now;
    }
    return st;
}
