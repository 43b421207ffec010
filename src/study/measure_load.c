/* src/study/measure_load.c - see measure_load.h. Sums are those of the kernels
 * of the run: what is 0 has no row. */
#include "study/measure_load.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/kernels_load.h"

typedef struct loader {
    store *s;
    int64_t run;
    arena *mem;
    diag *dg;
    measure_run *to;
} loader;

/* ---- The run ---- */

static suite_verdict verdict_of(const char *text)
{
    for (int v = 0; v < SUITE_VERDICTS; v++)
        if (text && !strcmp(suite_verdict_text((suite_verdict)v), text))
            return (suite_verdict)v;
    return SUITE_FAIL;
}

/* Columns of the query in read_run. */
static void load_run_row(const loader *l, const store_query *q, bool *whole)
{
    suite_result *r = &l->to->result;
    measure_sum *to = &l->to->sum;
    const char *hash = store_text(q, 5), *out;
    size_t size = 0;

    *r = (suite_result){.verdict = verdict_of(store_text(q, 0)), .tail = ""};
    if (!store_null(q, 8))
        r->tail = arena_strdup(l->mem, store_text(q, 8));
    if (!store_null(q, 1))
        r->why = arena_strdup(l->mem, store_text(q, 1));
    if (!store_null(q, 9))
        r->outside = arena_strdup(l->mem, store_text(q, 9));
    r->exit_code = (int)store_int(q, 2);
    r->signal = (int)store_int(q, 3);
    r->host_s = store_real(q, 4);
    to->sums = stored_sums(q, 10);
    to->has_hash = hash != NULL;
    to->memory_hash = hash ? strtoull(hash, NULL, 16) : 0;
    out = store_blob(q, 6, &size);
    *whole = store_null(q, 7) || (size_t)store_int(q, 7) == size;
    r->out.text = size ? arena_strndup(l->mem, out, size) : "";
    r->out.size = size;
    l->to->done = r->verdict != SUITE_STOPPED;
}

static bool read_run_row(const loader *l, bool *whole)
{
    store_query *q = store_select(
        l->s, l->dg,
        "SELECT r.status, r.why, r.exit_code, r.signal, r.wall_s,"
        " r.memory_hash, a.content, a.bytes, CAST(t.content AS TEXT),"
        " CAST(o.content AS TEXT)"
#define SUM(id, ...) ", r." #id
#include "stats/sums.def"
#undef SUM
        " FROM run r"
        " LEFT JOIN artifact a ON a.run = r.run AND a.kind = 'stdout'"
        " LEFT JOIN artifact t ON t.run = r.run AND t.kind = 'tail'"
        " LEFT JOIN artifact o ON o.run = r.run AND o.kind = 'outside'"
        " WHERE r.run = ?1",
        "i", l->run);
    bool there = q && store_next(q, l->dg);

    if (there)
        load_run_row(l, q, whole);
    store_done(q);
    return there;
}

/* ---- Counters ---- */

static void add_energy(measure_sum *to, const char *part, double joules)
{
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        if (!strcmp(energy_part_table[i].name, part)) {
            uint64_t fj = (uint64_t)llround(joules * 1e15);

            to->part_fj[i] += fj;
            to->energy_fj += fj;
        }
}

/* Path, unit and value; counters of one name follow each other. */
static void take_counter(const loader *l, const store_query *q)
{
    measure_sum *to = &l->to->sum;
    const char *path = store_text(q, 0), *unit = store_text(q, 1);
    measure_counter *last =
        to->counter_count ? &to->counters[to->counter_count - 1] : NULL;

    if (!strncmp(path, "energy.", 7)) {
        add_energy(to, path + 7, store_real(q, 2));
        return;
    }
    if (last && !strcmp(last->name, path)) { /* of another kernel */
        last->value += (uint64_t)store_int(q, 2);
        return;
    }
    ARENA_GROW(l->mem, to->counters, to->counter_count, to->counter_room);
    to->counters[to->counter_count++] =
        (measure_counter){.name = arena_strdup(l->mem, path),
                          .unit = arena_strdup(l->mem, unit ? unit : ""),
                          .value = (uint64_t)store_int(q, 2)};
}

static void read_counters(const loader *l)
{
    store_query *q =
        store_select(l->s, l->dg,
                     "SELECT n.path, n.unit, x.value FROM kernel k"
                     " JOIN kernel_stat x USING(kernel)"
                     " JOIN name n ON n.name = x.name WHERE k.run = ?1"
                     " ORDER BY x.name",
                     "i", l->run);

    while (q && store_next(q, l->dg))
        take_counter(l, q);
    store_done(q);
}

/* Path, least value of a bin and what it counts, of all kernels. The unit of
 * that is not kept. */
static void read_bins(const loader *l)
{
    measure_sum *to = &l->to->sum;
    store_query *q =
        store_select(l->s, l->dg,
                     "SELECT n.path, h.lo, sum(h.n) FROM kernel k"
                     " JOIN hist h USING(kernel) JOIN name n ON n.name = h.name"
                     " WHERE k.run = ?1 GROUP BY h.name, h.lo",
                     "i", l->run);

    while (q && store_next(q, l->dg)) {
        const char *hist = arena_strdup(l->mem, store_text(q, 0));
        uint64_t from = (uint64_t)store_int(q, 1);

        ARENA_GROW(l->mem, to->counters, to->counter_count, to->counter_room);
        to->counters[to->counter_count++] = (measure_counter){
            .name = arena_printf(l->mem, "%s_%" PRIu64, hist, from),
            .unit = "",
            .value = (uint64_t)store_int(q, 2),
            .hist = hist,
            .from = from};
    }
    store_done(q);
}

/* ---- Kernels ---- */

static void load_kernel_row(const loader *l, const store_query *q)
{
    measure_sum *to = &l->to->sum;
    const char *name = store_text(q, 0);
    size_t i = 0;

    while (i < to->kernel_count && strcmp(to->kernels[i].name, name) != 0)
        i++;
    if (i == to->kernel_count) {
        ARENA_GROW(l->mem, to->kernels, to->kernel_count, to->kernel_room);
        to->kernels[to->kernel_count++] =
            (measure_kernel){.name = arena_strdup(l->mem, name)};
    }
    to->kernels[i].timed += (uint64_t)store_int(q, 1);
    to->kernels[i].cycles += (uint64_t)store_int(q, 2);
    to->kernels[i].time_s += store_real(q, 3);
    to->kernels[i].warp_insts += (uint64_t)store_int(q, 4);
}

static void read_kernels(const loader *l)
{
    store_query *q = store_select(l->s, l->dg,
                                  "SELECT name, timed, cycles, time_s, "
                                  "warp_insts FROM kernel WHERE run = ?1 AND"
                                  " timed ORDER BY kernel",
                                  "i", l->run);

    while (q && store_next(q, l->dg))
        load_kernel_row(l, q);
    store_done(q);
}

/* ---- All of it ---- */

static uint64_t counter_of(const void *of, const char *name)
{
    const measure_sum *s = of;

    for (size_t i = 0; i < s->counter_count; i++)
        if (!strcmp(s->counters[i].name, name))
            return s->counters[i].value;
    return 0;
}

static void add_levels(const config *cfg, measure_sum *to)
{
    for (unsigned i = 0; i < LEVELS && to->timed; i++)
        if (figure_has_level(i, cfg)) {
            to->level[i] = figure_level_name(i);
            to->bytes[i] = figure_bytes(i, cfg, counter_of, to);
        }
}

bool measure_load(store *s, int64_t run, const config *cfg, arena *mem,
                  diag *dg, measure_run *out, bool *whole)
{
    const loader l = {s, run, mem, dg, out};

    *out = (measure_run){0};
    if (!read_run_row(&l, whole))
        return false;
    read_counters(&l);
    read_bins(&l);
    read_kernels(&l);
    add_levels(cfg, &out->sum);
    return !diag_errors(dg);
}

int64_t measure_find(store *s, const char *id, diag *dg)
{
    store_query *q =
        store_select(s, dg, "SELECT run FROM run WHERE id = ?1", "t", id);
    int64_t run = q && store_next(q, dg) ? store_int(q, 0) : 0;

    store_done(q);
    return run;
}
