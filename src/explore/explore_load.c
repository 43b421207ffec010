/* src/explore/explore_load.c - see explore_load.h. */
#include "explore/explore_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/must.h"
#include "base/suggest.h"
#include "config/param.h"
#include "config/yml.h"
#include "cost/cost.h"
#include "energy/energy.h"
#include "study/formula.h"
#include "study/kernels_load.h"

/* What a figure may be made of besides counters. */
static const char *const run_figures[] = {
    "time",       "cycles",       "energy",   "edp",          "bits",
    "warp_insts", "thread_insts", "launches", "host_seconds",
};

enum { RUN_FIGURES = COUNTOF(run_figures) };

typedef struct point {
    explore_fact is;
    const char *size; /* or NULL */
    int64_t study, run;
    double figures[RUN_FIGURES];
} point;

typedef struct figure {
    formula *is;
    double **values;    /* of each name: of each point; NULL: a run figure */
    size_t *run_figure; /* of each name */
} figure;

typedef struct loader {
    store *db;
    arena *mem;
    diag *dg;
    explore_study *studies;
    size_t study_count;
    point *points;
    size_t count, room;
    const char **names; /* of all factors */
    size_t name_count;
    explore_factor *row; /* of one point */
    size_t row_count, row_room;
    figure *figures;
    size_t figure_count;
} loader;

static const char *copy_column(const loader *l, const char *s)
{
    return s ? arena_strdup(l->mem, s) : NULL;
}

/* After the last row: was it the end, or an error? */
static status finish_query(loader *l, store_query *q, size_t before)
{
    store_done(q);
    return q && diag_errors(l->dg) == before ? ST_OK : ST_IO;
}

/* ---- Studies ---- */

static status read_studies(loader *l, explore_study **out, size_t *count)
{
    static const char sql[] =
        "SELECT s.study, s.uid, s.kind, s.name, s.about, s.command, s.created,"
        " s.plan, (SELECT count(*) FROM point p WHERE p.study = s.study)"
        " FROM study s ORDER BY s.study";
    size_t before = diag_errors(l->dg), n = 0;
    store_query *q = store_select(l->db, l->dg, sql, "");
    explore_study *all = NULL;

    while (q && store_next(q, l->dg)) {
        all = renew(all, n + 1, sizeof *all);
        all[n++] = (explore_study){.study = store_int(q, 0),
                                   .uid = copy_column(l, store_text(q, 1)),
                                   .kind = copy_column(l, store_text(q, 2)),
                                   .name = copy_column(l, store_text(q, 3)),
                                   .about = copy_column(l, store_text(q, 4)),
                                   .command = copy_column(l, store_text(q, 5)),
                                   .created = copy_column(l, store_text(q, 6)),
                                   .plan = copy_column(l, store_text(q, 7)),
                                   .points = (size_t)store_int(q, 8)};
    }
    *out = all;
    *count = n;
    return finish_query(l, q, before);
}

static bool is_meant(const explore_study *s, const char *what)
{
    char *end;
    long long n = strtoll(what, &end, 10);

    return (*what && !*end && n == s->study) ||
           (s->name && !strcmp(s->name, what)) ||
           (strlen(what) >= 4 && !strncmp(s->uid, what, strlen(what)));
}

/* Several, or none, where one is needed: an error that lists them. */
static status list_studies(loader *l, const explore_study *all, size_t n,
                           const char *why)
{
    strbuf text = {0};

    for (size_t i = 0; i < n; i++)
        strbuf_printf(&text, "%s%lld (%s%s%s, %zu point%s)", i ? ", " : "",
                      (long long)all[i].study, all[i].kind,
                      all[i].name ? " " : "", all[i].name ? all[i].name : "",
                      all[i].points, all[i].points == 1 ? "" : "s");
    diag_error(l->dg, "%s: %s; it has %.600s", store_path(l->db), why,
               n ? text.text : "no studies");
    strbuf_fini(&text);
    return ST_USAGE;
}

static status choose_studies(loader *l, const explore_source *from)
{
    explore_study *all;
    size_t n, compared = 0;
    status st = read_studies(l, &all, &n);

    l->studies = ARENA_ARRAY(l->mem, explore_study, n + 1);
    for (size_t i = 0; i < n && st == ST_OK; i++) {
        bool meant = !from->study_count && (!strcmp(all[i].kind, "sweep") ||
                                            !strcmp(all[i].kind, "compare"));

        for (size_t k = 0; k < from->study_count; k++)
            meant = meant || is_meant(&all[i], from->studies[k]);
        compared += meant;
        if (meant)
            l->studies[l->study_count++] = all[i];
    }
    if (st == ST_OK && !compared)
        st = list_studies(l, all, n,
                          from->study_count ? "it has no such study"
                                            : "no sweep or comparison");
    else if (st == ST_OK && !from->study_count && compared > 1)
        st = list_studies(l, all, n, "--study says which");
    free(all);
    return st;
}

/* ---- Points ---- */

static void add_point(loader *l, store_query *q, uint64_t offset)
{
    point *p;

    ARENA_GROW(l->mem, l->points, l->count, l->room);
    p = &l->points[l->count++];
    *p = (point){.study = store_int(q, 13), .run = store_int(q, 1)};
    p->is.number = offset + (uint64_t)store_int(q, 0);
    p->is.workload = copy_column(l, store_text(q, 2));
    p->is.status = copy_column(l, store_text(q, 3));
    p->is.why = copy_column(l, store_text(q, 4));
    p->is.tail = copy_column(l, store_text(q, 15));
    p->size = copy_column(l, store_text(q, 14));
    for (size_t i = 0; i < RUN_FIGURES; i++)
        p->figures[i] = i == 3 ? NAN : store_real(q, 5 + (int)(i - (i > 3)));
    p->is.time_s = p->figures[0];
    p->is.cycles = p->figures[1];
    p->is.energy_j = p->figures[2];
    p->is.bits = p->figures[4] = p->figures[4] > 0 ? p->figures[4] : NAN;
    p->figures[3] = p->is.energy_j * p->is.time_s;
}

/* Numbers of one study follow those of the studies before. A run that another
 * command made first has the name that it gave to the workload. */
static status read_study_points(loader *l, const explore_study *s)
{
    static const char sql[] =
        "SELECT p.number, p.run, ifnull(w.value, r.workload), r.status, r.why, "
        "r.time_s,"
        " r.cycles, r.energy_j, r.storage_bits, r.warp_insts, r.thread_insts,"
        " r.launches, r.wall_s, p.study, f.value,"
        " CASE WHEN r.status <> 'pass' THEN (SELECT CAST(content AS TEXT)"
        " FROM artifact a WHERE a.run = r.run AND a.kind = 'tail') END"
        " FROM point p JOIN run r USING(run) LEFT JOIN factor f"
        " ON f.study = p.study AND f.number = p.number AND f.name = 'size'"
        " LEFT JOIN factor w ON w.study = p.study AND w.number = p.number"
        " AND w.name = 'workload'"
        " WHERE p.study = ?1 ORDER BY p.number";
    size_t before = diag_errors(l->dg);
    uint64_t offset = l->count ? l->points[l->count - 1].is.number + 1 : 0;
    store_query *q = store_select(l->db, l->dg, sql, "i", s->study);

    while (q && store_next(q, l->dg))
        add_point(l, q, offset);
    return finish_query(l, q, before);
}

/* A workload at several sizes is several workloads. A sweep says the size only
 * if there are several. */
static void name_sizes(loader *l)
{
    bool several = false;

    for (size_t i = 0; i < l->study_count; i++)
        several = several || !strcmp(l->studies[i].kind, "sweep");
    for (size_t i = 1; i < l->count && !several; i++) {
        const char *a = l->points[i - 1].size, *b = l->points[i].size;

        several = strcmp(a ? a : "", b ? b : "") != 0;
    }
    for (size_t i = 0; i < l->count && several; i++) {
        point *p = &l->points[i];

        if (p->size)
            p->is.workload =
                arena_printf(l->mem, "%s/%s", p->is.workload, p->size);
    }
}

static void put_factor(loader *l, const store_query *q)
{
    const char *name = store_text(q, 1);
    size_t i = 0;

    if (!strcmp(name, "workload") || !strcmp(name, "size"))
        return;
    while (i < l->name_count && strcmp(l->names[i], name))
        i++;
    if (i == l->name_count) {
        l->names = renew(l->names, i + 1, sizeof *l->names);
        l->names[l->name_count++] = copy_column(l, name);
    }
    GROW(l->row, l->row_count + 1, l->row_room);
    l->row[l->row_count++] =
        (explore_factor){l->names[i], copy_column(l, store_text(q, 2))};
}

/* The row becomes that of the point. */
static void keep_factors(loader *l, point *p)
{
    p->is.factors = arena_renew(l->mem, l->row, l->row_count, l->row_count + 1,
                                sizeof *l->row);
    p->is.factor_count = l->row_count;
    l->row_count = 0;
}

/* Points from `first` on are those of the study, by number, as factors are. */
static status read_factors(loader *l, const explore_study *s, size_t first)
{
    static const char sql[] = "SELECT number, name, value FROM factor"
                              " WHERE study = ?1 ORDER BY number, name";
    size_t before = diag_errors(l->dg), i = first;
    store_query *q;
    uint64_t offset;

    if (first == l->count)
        return ST_OK;
    offset = first ? l->points[first - 1].is.number + 1 : 0;
    q = store_select(l->db, l->dg, sql, "i", s->study);
    while (q && store_next(q, l->dg)) {
        uint64_t number = offset + (uint64_t)store_int(q, 0);

        while (i < l->count && l->points[i].is.number < number)
            keep_factors(l, &l->points[i++]);
        if (i < l->count && l->points[i].is.number == number)
            put_factor(l, q);
    }
    while (i < l->count)
        keep_factors(l, &l->points[i++]);
    return finish_query(l, q, before);
}

/* ---- What a study does not vary ---- */

static bool has_factor(const point *p, const char *name)
{
    for (size_t i = 0; i < p->is.factor_count; i++)
        if (!strcmp(p->is.factors[i].name, name))
            return true;
    return false;
}

static status fill_factor(loader *l, point *p, const char *name)
{
    static const char gpu[] = "SELECT gpu FROM device"
                              " WHERE run = ?1 AND device = 0";
    static const char value[] = "SELECT value FROM run_config"
                                " WHERE run = ?1 AND device = 0 AND path = ?2";
    size_t before = diag_errors(l->dg), n = p->is.factor_count;
    store_query *q =
        !strcmp(name, "gpu")
            ? store_select(l->db, l->dg, gpu, "i", p->run)
            : store_select(l->db, l->dg, value, "it", p->run, name);

    if (q && store_next(q, l->dg)) {
        explore_factor *more =
            arena_renew(l->mem, p->is.factors, n, n + 1, sizeof *more);

        more[n] = (explore_factor){name, copy_column(l, store_text(q, 0))};
        p->is.factors = more;
        p->is.factor_count++;
    }
    return finish_query(l, q, before);
}

static status fill_factors(loader *l)
{
    for (size_t i = 0; i < l->name_count; i++) {
        const char *name = l->names[i];

        if (strcmp(name, "gpu") && !config_param_find(name))
            continue;
        for (size_t k = 0; k < l->count; k++)
            if (!has_factor(&l->points[k], name) &&
                fill_factor(l, &l->points[k], name) != ST_OK)
                return ST_IO;
    }
    return ST_OK;
}

/* ---- Figures ---- */

static status no_counter(loader *l, const char *name)
{
    size_t n = RUN_FIGURES, room = 0;
    const char **names = NULL, *near;
    store_query *q = store_select(l->db, l->dg, "SELECT path FROM name", "");

    while (q && store_next(q, l->dg)) {
        if (n >= room) {
            room = 2 * n;
            names = renew(names, room, sizeof *names);
        }
        names[n++] = copy_column(l, store_text(q, 0));
    }
    store_done(q);
    for (size_t i = 0; i < RUN_FIGURES && names; i++)
        names[i] = run_figures[i];
    near = names ? suggest_nearest(name, names, n) : NULL;
    diag_error(l->dg, "--show: there is no counter '%s'%s%s%s", name,
               near ? "; did you mean '" : "", near ? near : "",
               near ? "'?" : "");
    free(names);
    return ST_USAGE;
}

/* Sums over the kernels of each run; a counter without a row is 0. */
static status read_counter(loader *l, const map *runs, const char *name,
                           double *values)
{
    static const char find[] = "SELECT name FROM name WHERE path = ?1";
    static const char sums[] =
        "SELECT k.run, sum(s.value) FROM kernel k CROSS JOIN kernel_stat s"
        " ON s.kernel = k.kernel AND s.name = ?1 GROUP BY k.run";
    size_t before = diag_errors(l->dg);
    store_query *q = store_select(l->db, l->dg, find, "t", name);
    bool known = q && store_next(q, l->dg);
    int64_t id = known ? store_int(q, 0) : 0;
    double *by_run = new0(map_count(runs) + 1, sizeof *by_run);
    uint64_t k;

    store_done(q);
    q = known ? store_select(l->db, l->dg, sums, "i", id) : NULL;
    while (q && store_next(q, l->dg))
        if (map_get(runs, (uint64_t)store_int(q, 0), &k))
            by_run[k] = store_real(q, 1);
    store_done(q);
    for (size_t i = 0; i < l->count; i++)
        if (map_get(runs, (uint64_t)l->points[i].run, &k))
            values[i] = by_run[k];
    free(by_run);
    if (diag_errors(l->dg) != before)
        return ST_IO;
    return known ? ST_OK : no_counter(l, name);
}

static status read_figure(loader *l, const map *runs, figure *f,
                          const char *text)
{
    size_t n;
    status st = formula_parse(text, l->mem, l->dg, &f->is);

    if (st != ST_OK)
        return st;
    n = formula_count(f->is);
    f->values = ARENA_ARRAY(l->mem, double *, n + 1);
    f->run_figure = ARENA_ARRAY(l->mem, size_t, n + 1);
    for (size_t i = 0; i < n && st == ST_OK; i++) {
        const char *name = formula_name(f->is, i);
        size_t k = 0;

        while (k < RUN_FIGURES && strcmp(run_figures[k], name))
            k++;
        f->run_figure[i] = k;
        if (k < RUN_FIGURES)
            continue;
        f->values[i] = ARENA_ARRAY(l->mem, double, l->count + 1);
        st = read_counter(l, runs, name, f->values[i]);
    }
    return st;
}

/* The places of runs. */
static map *run_numbers(const loader *l)
{
    map *runs = map_new();

    for (size_t i = 0; i < l->count; i++)
        if (!map_get(runs, (uint64_t)l->points[i].run, &(uint64_t){0}))
            map_put(runs, (uint64_t)l->points[i].run, map_count(runs));
    return runs;
}

/* The name of "NAME=FORMULA" is what stands before '='. */
static status read_figures(loader *l, const explore_source *from,
                           const char **names)
{
    map *runs = run_numbers(l);
    status st = ST_OK;

    l->figures = ARENA_ARRAY(l->mem, figure, from->show_count + 1);
    for (size_t i = 0; i < from->show_count && st == ST_OK; i++) {
        const char *text = from->show[i], *is = strchr(text, '=');

        names[i] = is ? arena_strndup(l->mem, text, (size_t)(is - text)) : text;
        st = read_figure(l, runs, &l->figures[i], is ? is + 1 : text);
    }
    map_free(runs);
    return st;
}

/* ---- A part of the energy ---- */

/* `measures: {part: hazard}` of a plan that was kept; NULL: none. */
static const char *planned_part(const loader *l)
{
    const char *text = l->study_count ? l->studies[0].plan : NULL;
    const yml_node *n = NULL;
    diag *dg = diag_new();
    yml_node *root;

    if (text && !strcmp(l->studies[0].kind, "sweep") &&
        yml_read("plan", text, strlen(text), l->mem, dg, &root) == ST_OK &&
        root->kind == YML_MAP && (n = yml_get(root, "measures")))
        n = n->kind == YML_MAP ? yml_get(n, "part") : NULL;
    diag_free(dg);
    return n && n->kind == YML_SCALAR &&
                   energy_part_find(n->text) < ENERGY_PARTS
               ? n->text
               : NULL;
}

/* What it spends in each run, and how many bits it stores on the first GPU. */
static status read_part(loader *l, const char *part)
{
    figure f;
    map *runs = run_numbers(l);
    const char *name = arena_printf(l->mem, "energy.%s", part);
    status st = read_figure(l, runs, &f, name);

    map_free(runs);
    for (size_t i = 0; i < l->count && st == ST_OK; i++) {
        point *p = &l->points[i];
        const config *cfg = stored_config(l->db, p->run, 0, l->mem, l->dg);
        cost_sum sum;

        p->is.part_j = f.values[0] ? f.values[0][i] : NAN;
        p->is.part_bits =
            cfg && cost_of_part(cfg, part, &sum) ? (double)sum.bits : NAN;
    }
    return st;
}

static double figure_of(const loader *l, const figure *f, size_t i)
{
    double values[64];

    for (size_t k = 0; k < formula_count(f->is); k++)
        values[k] = f->values[k] ? f->values[k][i]
                                 : l->points[i].figures[f->run_figure[k]];
    return formula_value(f->is, values);
}

static explore *add_all(loader *l, const explore_source *from,
                        const char *const *names)
{
    explore *e = explore_begin(l->mem, names, from->show_count);
    double *values = ARENA_ARRAY(l->mem, double, from->show_count + 1);

    for (size_t i = 0; i < l->count; i++) {
        explore_fact f = l->points[i].is;

        for (size_t k = 0; k < from->show_count; k++)
            values[k] = figure_of(l, &l->figures[k], i);
        f.figures = values;
        explore_add(e, &f);
    }
    return e;
}

status explore_load(store *s, arena *mem, const explore_source *from, diag *dg,
                    explore **out, explore_study **studies, size_t *count)
{
    loader l = {.db = s, .mem = mem, .dg = dg};
    const char **names = ARENA_ARRAY(mem, const char *, from->show_count + 1);
    const char *part;
    status st = choose_studies(&l, from);

    for (size_t i = 0; i < l.study_count && st == ST_OK; i++) {
        size_t first = l.count;

        if ((st = read_study_points(&l, &l.studies[i])) == ST_OK)
            st = read_factors(&l, &l.studies[i], first);
    }
    name_sizes(&l);
    if (st == ST_OK)
        st = fill_factors(&l);
    if (st == ST_OK)
        st = read_figures(&l, from, names);
    part = from->part ? from->part : planned_part(&l);
    if (st == ST_OK && part)
        st = read_part(&l, part);
    if (st == ST_OK) {
        *out = add_all(&l, from, names);
        (*out)->part = part;
        *studies = l.studies;
        *count = l.study_count;
    }
    free(l.names);
    free(l.row);
    return st;
}
