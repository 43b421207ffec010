/* src/pages/page_run.c - runs of a study: in words, all of them, their launches
 * and configurations; see page_run.h. */
#include "pages/page_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "config/param.h"
#include "pages/page_warps.h"

/* ---- Studies ---- */

static const char *copy_cell_text(arena *mem, const store_query *q, int column)
{
    return store_null(q, column) ? NULL
                                 : arena_strdup(mem, store_text(q, column));
}

status page_studies(store *s, arena *mem, diag *dg, page_study **out,
                    size_t *count)
{
    store_query *q = store_select(s, dg, "SELECT count(*) FROM study", "");
    size_t room = q && store_next(q, dg) ? (size_t)store_int(q, 0) : 0;

    store_done(q);
    *out = ARENA_ARRAY(mem, page_study, room + 1);
    *count = 0;
    q = store_select(s, dg,
                     "SELECT study, kind, name, about, command, created, plan"
                     " FROM study ORDER BY study",
                     "");
    while (q && *count < room && store_next(q, dg))
        (*out)[(*count)++] = (page_study){.s = s,
                                          .study = store_int(q, 0),
                                          .mem = mem,
                                          .dg = dg,
                                          .kind = copy_cell_text(mem, q, 1),
                                          .name = copy_cell_text(mem, q, 2),
                                          .about = copy_cell_text(mem, q, 3),
                                          .command = copy_cell_text(mem, q, 4),
                                          .created = copy_cell_text(mem, q, 5),
                                          .plan = copy_cell_text(mem, q, 6)};
    store_done(q);
    return diag_errors(dg) ? ST_IO : ST_OK;
}

page_origin page_study_origin(const page_study *y)
{
    page_origin o = {.command = y->command, .date = y->created};
    store_query *q = store_select(
        y->s, y->dg,
        "SELECT group_concat(DISTINCT version), group_concat(DISTINCT build),"
        " group_concat(DISTINCT host) FROM point JOIN run USING(run)"
        " WHERE study = ?1",
        "i", y->study);

    if (q && store_next(q, y->dg)) {
        o.version = copy_cell_text(y->mem, q, 0);
        o.build = copy_cell_text(y->mem, q, 1);
        o.host = copy_cell_text(y->mem, q, 2);
    }
    store_done(q);
    return o;
}

/* ---- Tables of queries ---- */

static bool is_good(const char *word_of)
{
    return !strcmp(word_of, "pass") || !strcmp(word_of, "ok") ||
           !strcmp(word_of, "skipped");
}

static void put_typed_cell(page *p, const store_query *q, int i,
                           page_cell_kind kind)
{
    double v = store_real(q, i);

    if (store_null(q, i)) {
        page_cell(p, "-");
        return;
    }
    switch (kind) {
    case CELL_TEXT:
    case CELL_STATUS:
        page_cell(p, "%s", store_text(q, i));
        break;
    case CELL_COUNT:
        page_number(p, v, "%s", word_grouped((uint64_t)store_int(q, i)).s);
        break;
    case CELL_REAL:
        page_number(p, v, "%.3f", v);
        break;
    case CELL_MILLI:
        page_number(p, 1e3 * v, "%.3f", 1e3 * v);
        break;
    case CELL_MICRO:
        page_number(p, 1e6 * v, "%.2f", 1e6 * v);
        break;
    }
}

/* Gives the number of rows; none: no table is made. `sql` has ?1 for the
 * study. */
static size_t page_query(page *p, const page_study *y, const char *caption,
                         const char *file, const page_query_column *columns,
                         size_t count, const char *sql)
{
    return page_query_rows(p, y, caption, file, columns, count,
                           store_select(y->s, y->dg, sql, "i", y->study));
}

size_t page_query_rows(page *p, const page_study *y, const char *caption,
                       const char *file, const page_query_column *columns,
                       size_t count, store_query *q)
{
    page_column *heads = ARENA_ARRAY(y->mem, page_column, count);
    size_t rows = 0;

    for (size_t i = 0; i < count; i++)
        heads[i] = columns[i].is;
    while (q && store_next(q, y->dg)) {
        if (!rows++)
            page_table(p, caption, file, heads, count);
        if ((size_t)store_columns(q) > count)
            page_row_place(p, store_text(q, (int)count));
        for (size_t i = 0; i < count; i++)
            if (columns[i].kind == CELL_STATUS && !store_null(q, (int)i) &&
                !is_good(store_text(q, (int)i)))
                page_row_bad(p);
        for (size_t i = 0; i < count; i++)
            put_typed_cell(p, q, (int)i, columns[i].kind);
    }
    if (rows)
        page_table_end(p);
    store_done(q);
    return rows;
}

/* ---- In words ---- */

typedef struct run_sums {
    uint64_t runs, passed, launches, failed, cycles, insts;
    double time_s, energy_j, wall_s;
} run_sums;

static run_sums sum_runs(const page_study *y)
{
    store_query *q = store_select(
        y->s, y->dg,
        "SELECT count(*), sum(status = 'pass'), sum(launches), sum(failed),"
        " sum(cycles), sum(warp_insts), sum(time_s), sum(energy_j),"
        " sum(wall_s) FROM point JOIN run USING(run) WHERE study = ?1",
        "i", y->study);
    run_sums s = {.energy_j = NAN};

    if (q && store_next(q, y->dg))
        s = (run_sums){(uint64_t)store_int(q, 0), (uint64_t)store_int(q, 1),
                       (uint64_t)store_int(q, 2), (uint64_t)store_int(q, 3),
                       (uint64_t)store_int(q, 4), (uint64_t)store_int(q, 5),
                       store_real(q, 6),          store_real(q, 7),
                       store_real(q, 8)};
    store_done(q);
    return s;
}

static const figure_stall *largest_stall(const figures *f)
{
    const figure_stall *most = NULL;

    for (unsigned i = 0; i < f->stall_count; i++)
        if (!most || f->stalls[i].slots > most->slots)
            most = &f->stalls[i];
    return most && most->slots ? most : NULL;
}

static void put_run_lead(page *p, const run_sums *s, const stored_kernels *k)
{
    const stored_kernel *first = k->count ? &k->row[0] : NULL;
    const figure_stall *stall = first ? largest_stall(&first->f) : NULL;

    page_open(p, "p", "lead");
    if (s->runs > 1)
        page_strong(p, "%" PRIu64 " of %" PRIu64 " runs passed. ", s->passed,
                    s->runs);
    page_strong(p, "%s launch%s of %zu kernel%s took %s cycles",
                word_grouped(s->launches).s, s->launches == 1 ? "" : "es",
                k->count, word_plural(k->count), word_grouped(s->cycles).s);
    page_printf(p, " (%s simulated), %s warp instructions",
                word_duration(s->time_s).s, word_grouped(s->insts).s);
    if (!isnan(s->energy_j) && s->energy_j > 0 && s->time_s > 0)
        page_printf(p, " and %s, %.1f W on average", word_joules(s->energy_j).s,
                    s->energy_j / s->time_s);
    page_printf(p, ".");
    if (first && s->time_s > 0 && first->timed)
        page_printf(p, " %s of %s took %s of the time", first->name,
                    first->workload, word_percent(first->time_s / s->time_s).s);
    if (stall)
        page_printf(p, "; of its issue slots %s issued and %s were lost: %s",
                    word_percent(word_share(first->f.issued, first->f.slots)).s,
                    word_percent(word_share(stall->slots, first->f.slots)).s,
                    stall->help);
    page_printf(p, first ? "." : "");
    page_close(p, "p");
}

/* Where cycles are charged, what is above is of the rest. */
static void put_sampled(page *p, const page_study *y)
{
    store_query *q;

    if (!store_knows_sampled(y->s))
        return;
    q = store_select(y->s, y->dg,
                     "SELECT r.workload, r.sampled, r.launches,"
                     " r.estimated_cycles, r.half_interval_95 FROM point"
                     " JOIN run r USING(run) WHERE study = ?1 AND"
                     " r.sampled IS NOT NULL ORDER BY number LIMIT 50",
                     "i", y->study);
    while (q && store_next(q, y->dg))
        page_note(p,
                  "%s is sampled: %s of %s launches are not simulated in "
                  "full, and all figures are of what was timed. All of it: "
                  "~%s cycles, \u00b1%s (95 %%).",
                  store_text(q, 0), word_grouped((uint64_t)store_int(q, 1)).s,
                  word_grouped((uint64_t)store_int(q, 2)).s,
                  word_grouped((uint64_t)(store_real(q, 3) + 0.5)).s,
                  word_percent(store_real(q, 4)).s);
    store_done(q);
}

static void put_failures(page *p, const page_study *y)
{
    store_query *q = store_select(
        y->s, y->dg,
        "SELECT r.workload, r.status, r.why FROM point JOIN run r USING(run)"
        " WHERE study = ?1 AND r.status NOT IN ('pass', 'skipped')"
        " ORDER BY number LIMIT 50",
        "i", y->study);
    strbuf text = {0};

    while (q && store_next(q, y->dg))
        strbuf_printf(&text, "\n%s: %s%s%s", store_text(q, 0), store_text(q, 1),
                      store_null(q, 2) ? "" : ": ",
                      store_null(q, 2) ? "" : store_text(q, 2));
    store_done(q);
    if (text.size)
        page_alarm(p, "Not passed", "%s", text.text);
    strbuf_fini(&text);
}

void page_run_outside(page *p, const page_study *y)
{
    store_query *q = store_select(
        y->s, y->dg,
        "SELECT r.workload, CAST(a.content AS TEXT), count(*) FROM point p"
        " JOIN run r USING(run) JOIN artifact a USING(run)"
        " WHERE p.study = ?1 AND a.kind = 'outside'"
        " GROUP BY r.workload, a.content ORDER BY min(p.number) LIMIT 50",
        "i", y->study);
    strbuf text = {0};

    while (q && store_next(q, y->dg)) {
        int64_t n = store_int(q, 2);

        strbuf_printf(&text, "\n%s", store_text(q, 0));
        if (n > 1)
            strbuf_printf(&text, ", %" PRId64 " runs", n);
        strbuf_puts(&text, ":");
        words_tail(&text, store_text(q, 1));
    }
    store_done(q);
    words_outside(p, &text);
    strbuf_fini(&text);
}

static void put_run_facts(page *p, const page_study *y)
{
    page_origin o = page_study_origin(y);
    store_query *q = store_select(
        y->s, y->dg,
        "SELECT group_concat(DISTINCT d.gpu) FROM point JOIN device d"
        " USING(run) WHERE study = ?1",
        "i", y->study);
    const char *gpus =
        q && store_next(q, y->dg) ? copy_cell_text(y->mem, q, 0) : NULL;
    page_fact f[4];
    size_t n = 0;

    store_done(q);
    if (gpus)
        f[n++] = (page_fact){"GPU", gpus};
    f[n++] = (page_fact){"date", o.date ? o.date : "-"};
    if (o.version)
        f[n++] = (page_fact){"Heddle", o.version};
    if (o.host)
        f[n++] = (page_fact){"host", o.host};
    page_facts(p, f, n);
}

/* ---- Runs ---- */

static const page_query_column run_columns[] = {
    {{.name = "workload"}, CELL_TEXT},
    {{.name = "status"}, CELL_STATUS},
    {{.name = "GPU"}, CELL_TEXT},
    {{.name = "launches", .number = true}, CELL_COUNT},
    {{.name = "cycles", .number = true}, CELL_COUNT},
    {{.name = "time",
      .unit = "\u00b5s",
      .number = true,
      .help = "simulated, by the clocks of the GPUs"},
     CELL_MICRO},
    {{.name = "warp inst.", .number = true}, CELL_COUNT},
    {{.name = "IPC",
      .number = true,
      .help = "warp instructions per cycle of the chip"},
     CELL_REAL},
    {{.name = "energy", .unit = "mJ", .number = true}, CELL_MILLI},
    {{.name = "host", .unit = "s", .number = true}, CELL_REAL}};

static const char runs_sql[] =
    "SELECT r.workload, r.status, (SELECT group_concat(gpu, ', ') FROM device d"
    " WHERE d.run = r.run), r.launches, r.cycles, r.time_s, r.warp_insts,"
    " CAST(r.warp_insts AS REAL) / nullif(r.cycles, 0), r.energy_j, r.wall_s"
    " FROM point p JOIN run r USING(run) WHERE p.study = ?1 ORDER BY p.number";

/* ---- Configurations ---- */

static void put_config(page *p, const page_study *y, int64_t run,
                       int64_t device, const char *title)
{
    static const page_column columns[] = {{.name = "parameter"},
                                          {.name = "value", .number = true},
                                          {.name = "unit"},
                                          {.name = "origin"},
                                          {.name = "meaning"}};
    store_query *q =
        store_select(y->s, y->dg,
                     "SELECT c.path, c.value, c.unit, c.origin, x.help FROM"
                     " run_config c JOIN parameter x ON x.path = c.path"
                     " WHERE c.run = ?1 AND c.device = ?2 ORDER BY x.parameter",
                     "ii", run, device);

    page_fold(p, title);
    page_table(p, title, "configuration", columns, 5);
    while (q && store_next(q, y->dg))
        for (int i = 0; i < 5; i++)
            page_cell(p, "%s", store_null(q, i) ? "" : store_text(q, i));
    page_table_end(p);
    page_fold_end(p);
    store_done(q);
}

/* Each one once, however many runs have it. */
static void put_run_configs(page *p, const page_study *y)
{
    store_query *q = store_select(
        y->s, y->dg,
        "SELECT min(d.run), d.device, d.gpu FROM point JOIN device d USING(run)"
        " WHERE study = ?1 GROUP BY d.config ORDER BY min(number) LIMIT 8",
        "i", y->study);

    page_section(p, "Configuration");
    while (q && store_next(q, y->dg))
        put_config(
            p, y, store_int(q, 0), store_int(q, 1),
            arena_printf(y->mem, "Every parameter of %s", store_text(q, 2)));
    store_done(q);
}

/* ---- All of it ---- */

status page_run(page *p, const page_study *y)
{
    run_sums s = sum_runs(y);
    page_origin from = page_study_origin(y);
    stored_kernels k;
    status st = kernels_load(y->s, y->study, y->mem, y->dg, &k);
    unsigned id = page_unique(p);

    if (st != ST_OK)
        return st;
    put_run_facts(p, y);
    put_failures(p, y);
    page_run_outside(p, y);
    put_run_lead(p, &s, &k);
    put_sampled(p, y);
    if (s.runs > 1) {
        page_section(p, "Runs");
        page_query(p, y, "Every run", "runs", run_columns,
                   sizeof run_columns / sizeof *run_columns, runs_sql);
    }
    page_run_timelines(p, y, &k, id);
    page_run_kernels(p, y, &k, id);
    page_run_codes(p, &k);
    page_run_hists(p, y, &k);
    page_run_series(p, y);
    page_run_warps(p, y);
    page_run_waterfalls(p, y);
    if (s.launches)
        page_run_launches(p, y, s.launches, id);
    put_run_configs(p, y);
    page_section(p, "How to reproduce");
    words_origin(p, &from);
    return diag_errors(y->dg) ? ST_IO : ST_OK;
}
