/* src/probe/find/loads.c - the ways of loads: how long they take, and the
 * caches on them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/find/cache.h"

enum {
    NEAR = 8,        /* places that surely stay in any cache */
    MOST = 64 << 20, /* bytes of a ring */
    DENSE = 1 << 20, /* up to here a curve has four points an octave */
};

static const probe_path cached = {
    .load = "LDG.E.64 R8, [R8.64]", .least = 8, .most = MOST};
static const probe_path around = {.load = "LDG.E.64.CG R8, [R8.64]",
                                  .least = 8,
                                  .most = MOST,
                                  .in_shared = true};
static const probe_path read_only = {.load = "LDG.E.64.CONSTANT R8, [R8.64]",
                                     .least = 8,
                                     .most = 1 << 20,
                                     .in_shared = true};
static const probe_path local = {.load = "LDL R8, [R8]",
                                 .space = PROBE_LOCAL,
                                 .least = 128,
                                 .most = 1 << 20};
static const probe_path constant = {.load = "LDC R8, c[0x3][R8]",
                                    .space = PROBE_CONST,
                                    .least = 4,
                                    .most = 64 << 10,
                                    .in_shared = true};

/* Where places must lie a line apart, sectors cannot be found. */
static void report_cache(probe_run *r, const probe_path *path, const char *name,
                         const char *what, const probe_cache *c)
{
    bool coarse = path->least >= 128;
    struct {
        const char *id, *what, *unit;
        double value;
    } row[] = {
        {"size", "what stays", "byte", (double)c->bytes},
        {"line", "line", "byte", coarse ? 0 : c->line},
        {"sector", "brought by a miss", "byte", coarse ? 0 : c->sector},
        {"ways", "associativity", "way", c->ways},
    };
    char id[64], text[96];

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (row[i].value <= 0)
            continue;
        snprintf(id, sizeof id, "%s.%s", name, row[i].id);
        snprintf(text, sizeof text, "%s: %s", what, row[i].what);
        probe_number(r, id, text, row[i].unit, row[i].value);
    }
    if (c->order) {
        snprintf(id, sizeof id, "%s.replacement", name);
        snprintf(text, sizeof text, "%s: which line goes", what);
        probe_word(r, id, text, c->order);
    }
}

/* Mean of a hop on a ring of so many places, gone round before. */
static status mean_hop(probe_run *r, const probe_path *path, size_t count,
                       uint64_t stride, double *cycles)
{
    probe_ring ring = probe_ring_line(count, stride);
    probe_hops h = {0};
    status st = probe_chase(r, path, &ring, 1, 0, &h, NULL);

    *cycles = h.mean;
    probe_ring_fini(&ring);
    return st;
}

/* What loads take on rings so long that nothing of them stays where it did on
 * short ones, and not so long that less stays elsewhere: the first two in a
 * row that take the same, and longer than `hit`. 0: there are none. */
static status find_miss(probe_run *r, const probe_path *path, double hit,
                        uint64_t stride, double *cycles)
{
    double last = 0;
    status st = ST_OK;

    for (size_t n = NEAR; st == ST_OK && n <= path->most / stride; n *= 2) {
        st = mean_hop(r, path, n, stride, cycles);
        if (*cycles > 1.1 * hit && fabs(*cycles / last - 1) < 0.01)
            return st;
        last = *cycles;
    }
    *cycles = last > 1.1 * hit ? last : 0;
    return st;
}

/* ---- Global memory ---- */

status probe_run_loads(probe_run *r)
{
    double l1, l2, far;
    status st = mean_hop(r, &cached, NEAR, 128, &l1);

    if (st == ST_OK)
        st = mean_hop(r, &around, NEAR, 128, &l2);
    if (st == ST_OK)
        st = find_miss(r, &around, l2, 128, &far);
    if (st != ST_OK)
        return st;
    bool has_l1 = l1 < 0.9 * l2;
    probe_word(r, "l1.globals", "global loads are cached in the L1",
               has_l1 ? "yes" : "no");
    if (has_l1)
        probe_number(r, "load.l1", "load that hits the L1", "cycle", l1);
    probe_number(r, "load.l2", "load that hits the L2", "cycle", l2);
    probe_number(r, "load.dram", "load from memory, line by line", "cycle",
                 far);
    return ST_OK;
}

/* Latency against working set: each size is a quarter more of the power of
 * two below it. */
static status draw_latency_curve(probe_run *r, const probe_path *path,
                                 const char *line, uint64_t most)
{
    size_t curve = probe_found_curve(
        r->found, &(probe_curve){.probe = r->kind->name,
                                 .id = "latency",
                                 .what = "Latency of a load by what is visited "
                                         "in turn, 128 bytes apart",
                                 .x_is = "working set, bytes",
                                 .y_is = "cycles",
                                 .line = line,
                                 .log_x = true});
    status st = ST_OK;

    if (most > path->most)
        most = path->most;
    for (size_t n = NEAR; st == ST_OK && n * 128 <= most; n *= 2)
        for (size_t k = n; k < 2 * n && st == ST_OK && k * 128 <= most;
             k += k * 128 < DENSE ? n / 4 : n / 2) {
            double cycles = 0;

            st = mean_hop(r, path, k, 128, &cycles);
            if (st == ST_OK)
                probe_found_point(r->found, curve, (double)k * 128, cycles);
        }
    return st;
}

static status find_and_report(probe_run *r, const probe_path *path,
                              const char *name, const char *what, double hit,
                              double miss, probe_cache *c)
{
    *c = (probe_cache){.hit = hit, .miss = miss};
    status st = probe_cache_find(r, path, c);

    if (st == ST_OK)
        report_cache(r, path, name, what, c);
    return st;
}

static double found_number(const probe_run *r, const char *id)
{
    const probe_value *v = probe_found_get(r->found, id);

    return v ? v->number : 0;
}

status probe_run_caches(probe_run *r)
{
    double l1 = found_number(r, "load.l1"), l2 = found_number(r, "load.l2");
    probe_cache c = {0};
    status st = ST_OK;

    if (l1 > 0)
        st = find_and_report(r, &cached, "l1", "L1", l1, l2, &c);
    if (st == ST_OK)
        st = find_and_report(r, &around, "l2", "L2", l2,
                             found_number(r, "load.dram"), &c);
    if (st == ST_OK)
        st = draw_latency_curve(r, &cached, "LDG", 2 * c.bytes);
    return st;
}

/* ---- Local memory, read-only loads, constants ---- */

/* Where global loads are not cached, local ones show what the L1 is. */
status probe_run_local(probe_run *r)
{
    const probe_value *globals = probe_found_get(r->found, "l1.globals");
    double hit = 0, miss = 0;
    probe_cache c;
    status st = mean_hop(r, &local, NEAR, 128, &hit);

    if (st == ST_OK)
        st = find_miss(r, &local, hit, 128, &miss);
    if (st != ST_OK)
        return st;
    probe_number(r, "load.local", "load of local memory", "cycle", hit);
    if (miss > 0 && globals && strcmp(globals->word, "no") == 0)
        st = find_and_report(r, &local, "l1", "L1, by local memory", hit, miss,
                             &c);
    if (st == ST_OK)
        st = draw_latency_curve(r, &local, "LDL", 128 << 10);
    return st;
}

/* Through a cache of their own? Then they take what no other load does. */
status probe_run_read_only(probe_run *r)
{
    double hit = 0, miss = 0, global = 0;
    probe_cache c;
    status st = mean_hop(r, &read_only, NEAR, 128, &hit);

    if (st == ST_OK)
        st = mean_hop(r, &cached, NEAR, 128, &global);
    if (st == ST_OK && fabs(hit - global) > 0.5)
        st = find_miss(r, &read_only, hit, 128, &miss);
    if (st != ST_OK)
        return st;
    probe_word(r, "rocache.nc", "read-only loads go another way",
               miss > 0 ? "yes" : "no");
    if (!(miss > 0))
        return ST_OK;
    probe_number(r, "load.read_only", "read-only load that hits", "cycle", hit);
    st = find_and_report(r, &read_only, "rocache", "read-only cache", hit, miss,
                         &c);
    if (st == ST_OK)
        st = draw_latency_curve(r, &read_only, "LDG.CONSTANT", 256 << 10);
    return st;
}

status probe_run_constant(probe_run *r)
{
    double hit = 0, miss = 0;
    probe_cache c;
    status st = mean_hop(r, &constant, NEAR, 16, &hit);

    if (st == ST_OK)
        st = find_miss(r, &constant, hit, 256, &miss);
    if (st != ST_OK)
        return st;
    probe_number(r, "load.constant", "load of a constant that hits", "cycle",
                 hit);
    if (!(miss > 0))
        return ST_OK;
    probe_number(r, "load.constant_miss", "load of a constant that misses once",
                 "cycle", miss);
    return find_and_report(r, &constant, "constant", "constant cache", hit,
                           miss, &c);
}
