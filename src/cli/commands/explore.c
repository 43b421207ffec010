/* src/cli/commands/explore.c - see explore.h. */
#include "cli/commands/explore.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/simulation.h"
#include "explore/explore_text.h"
#include "sweep/explore_plan.h"

enum { ROWS = 30, BASE_MOST = 64 };

void cli_explore_init(cli_explore *x) { *x = (cli_explore){.rows = ROWS}; }

/* ---- Options ---- */

static void add_list_value(cli_args *a, const char **list, size_t *count)
{
    if (*count == EXPLORE_ARGS_MOST) {
        cli_usage(a->command, "--%s: more than %d of them", a->name,
                  EXPLORE_ARGS_MOST);
        a->wrong = true;
        return;
    }
    list[(*count)++] = a->value;
}

/* A number above `least`. */
static void take_real(cli_args *a, double least, double *out)
{
    char *end;
    double v = strtod(a->value, &end);

    if (end != a->value && !*end && isfinite(v) && v > least) {
        *out = v;
        return;
    }
    cli_usage(a->command, "--%s: '%s' is not a number above %g", a->name,
              a->value, least);
    a->wrong = true;
}

static bool take_list(cli_explore *x, cli_args *a)
{
    if (cli_is(a, "study"))
        add_list_value(a, x->studies, &x->study_count);
    else if (cli_is(a, "show"))
        add_list_value(a, x->show, &x->show_count);
    else if (cli_is(a, "limit"))
        add_list_value(a, x->limits, &x->limit_count);
    else
        return false;
    return true;
}

static bool take_text(cli_explore *x, cli_args *a)
{
    if (cli_is(a, "base"))
        x->base = a->value;
    else if (cli_is(a, "along"))
        x->along = a->value;
    else if (cli_is(a, "between"))
        x->between = a->value;
    else if (cli_is(a, "sort"))
        x->sort = a->value;
    else
        return false;
    return true;
}

static void take_crossovers(cli_explore *x, cli_args *a)
{
    uint64_t n = 0;

    if (!strcmp(a->value, "all"))
        x->crossovers = EXPLORE_NONE;
    else if (cli_u64(a, UINT32_MAX, &n))
        x->crossovers = n ? (size_t)n : 1;
}

/* How many are shown; options that choose among them imply that they are
 * wanted. */
static size_t asked_crossovers(const cli_explore *x)
{
    bool any = x->along || x->between || x->all_pairs || x->level > 0;

    return x->crossovers ? x->crossovers : any ? EXPLORE_CROSSES : 0;
}

bool cli_explore_option(cli_explore *x, cli_args *a)
{
    if (take_list(x, a) || take_text(x, a))
        return true;
    if (cli_is(a, "energy-part")) {
        x->part = cli_energy_part(a);
    } else if (cli_is(a, "rows")) {
        if (!strcmp(a->value, "all"))
            x->rows = 0;
        else if (cli_u64(a, UINT32_MAX, &x->rows) && !x->rows)
            x->rows = 1;
    } else if (cli_is(a, "crossovers")) {
        take_crossovers(x, a);
    } else if (cli_is(a, "level")) {
        take_real(a, 0, &x->level);
    } else if (cli_is(a, "fade")) {
        take_real(a, 0, &x->fade);
        x->fade /= 100;
    } else if (cli_is(a, "all-pairs")) {
        x->all_pairs = true;
    } else if (cli_is(a, "by-workload")) {
        x->by_workload = true;
    } else if (cli_is(a, "width")) {
        cli_take_width(a, &x->width);
    } else if (cli_is(a, "effects")) {
        x->effects = true;
    } else if (cli_is(a, "no-plots")) {
        x->no_plots = true;
    } else if (cli_is(a, "allow-missing")) {
        x->allow_missing = true;
    } else {
        return false;
    }
    return true;
}

/* ---- The table ---- */

/* "l1.sets=16,queue=fifo" */
static status read_base(const char *text, arena *mem, explore_factor *out,
                        size_t *count, diag *dg)
{
    char *rest = arena_strdup(mem, text), *one;

    while ((one = strsep(&rest, ","))) {
        char *is = strchr(one, '=');

        if (!is || is == one || !is[1] || *count == BASE_MOST) {
            diag_error(dg, "--base: '%s' is not like l1.sets=16,l1.ways=4",
                       text);
            return ST_USAGE;
        }
        *is = 0;
        out[(*count)++] = (explore_factor){one, is + 1};
    }
    return ST_OK;
}

static status read_view(const cli_explore *x, const explore *e, explore_view *v,
                        explore_order *order, diag *dg)
{
    explore_limit *limits =
        ARENA_ARRAY(e->mem, explore_limit, x->limit_count + 1);
    status st = ST_OK;

    for (size_t i = 0; i < x->limit_count && st == ST_OK; i++)
        st = explore_limit_parse(e, x->limits[i], dg, &limits[i]);
    v->limits = limits;
    v->limit_count = x->limit_count;
    v->rows = x->rows;
    v->by_workload = x->by_workload;
    v->plots = !x->no_plots;
    if (st == ST_OK && x->sort) {
        st = explore_order_parse(e, x->sort, dg, order);
        v->order = order;
    }
    return st;
}

static void print_exploration(const cli_explore *x, const explore *e,
                              const explore_view *v, int format, FILE *to)
{
    if (format == FORMAT_JSON)
        explore_json(e, v, to);
    else if (format == FORMAT_CSV && x->effects)
        explore_contrasts_csv(e, to);
    else if (format == FORMAT_CSV)
        explore_csv(e, v, to);
    else
        explore_text(e, v, to);
}

/* Loads, works out, prints. */
static status show_exploration(const cli_explore *x, store *db,
                               const sweep_plan *planned, int format,
                               arena *mem, diag *dg, FILE *to, bool *whole)
{
    explore_source from = {.studies = x->studies,
                           .study_count = x->study_count,
                           .show = x->show,
                           .show_count = x->show_count,
                           .part = x->part   ? x->part
                                   : planned ? planned->measures.part
                                             : NULL};
    explore_factor *base = ARENA_ARRAY(mem, explore_factor, BASE_MOST);
    explore_options o = {.base = base,
                         .allow_missing = x->allow_missing,
                         .level = x->level,
                         .fade = x->fade,
                         .along = x->along,
                         .between = x->between,
                         .all_pairs = x->all_pairs,
                         .by_workload = x->by_workload,
                         .contrasts = x->effects,
                         .crossovers = asked_crossovers(x)};
    explore_study *studies = NULL;
    explore_view v = {0};
    explore_order order;
    explore *e = NULL;
    status st = ST_OK;

    if (x->base)
        st = read_base(x->base, mem, base, &o.base_count, dg);
    if (st == ST_OK)
        st = explore_load(db, mem, &from, dg, &e, &studies, &v.study_count);
    if (st != ST_OK)
        return st;
    v.studies = studies;
    if (planned && v.study_count == 1)
        explore_expect(e, planned);
    if (planned)
        explore_plan_options(planned, mem, &o);
    else if (v.study_count == 1 && studies[0].plan)
        explore_text_options(studies[0].plan, mem, &o);
    if ((st = explore_finish(e, &o, dg)) != ST_OK ||
        (st = read_view(x, e, &v, &order, dg)) != ST_OK)
        return st;
    e->width = cli_text_width(to, x->width);
    print_exploration(x, e, &v, format, to);
    *whole = e->counting == e->points || x->allow_missing;
    return ST_OK;
}

int cli_explore_show(const cli_explore *x, const char *path,
                     const sweep_plan *planned, int format, FILE *to)
{
    arena *mem = arena_new();
    diag *dg = diag_new();
    store *db = NULL;
    bool whole = true;
    status st;

    if ((st = store_open(path, dg, &db)) == ST_OK)
        st = show_exploration(x, db, planned, format, mem, dg, to, &whole);
    cli_report(dg);
    store_close(db);
    diag_free(dg);
    arena_free(mem);
    return st != ST_OK ? cli_exit_code(st) : !whole;
}
