/* src/cli/commands/sweep_search.c - heddle sweep --search: generation by
 * generation; see sweep/sweep_search.h. */
#include "sweep/sweep_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/sweep.h"
#include "text/word.h"

enum {
    EVALUATIONS = 100,
    POPULATION = 20,
    EVALUATIONS_MOST = 1000000,
    POPULATION_MOST = 10000
};

void sweep_search_init(sweep_search_args *x)
{
    *x = (sweep_search_args){
        .o = {.seed = 1, .population = POPULATION, .evaluations = EVALUATIONS}};
}

static void take_method(sweep_search_args *x, cli_args *a)
{
    x->o.random = !strcmp(a->value, "random");
    if (x->o.random || !strcmp(a->value, "nsga2"))
        return;
    cli_usage(a->command, "--method: '%s' is not nsga2 or random", a->value);
    a->wrong = true;
}

/* At least so many. */
static void take_count(cli_args *a, uint64_t least, uint64_t most, size_t *to)
{
    uint64_t v;

    if (!cli_u64(a, most, &v))
        return;
    *to = (size_t)v;
    if (v >= least)
        return;
    cli_usage(a->command, "--%s: '%s' is less than %" PRIu64, a->name, a->value,
              least);
    a->wrong = true;
}

bool sweep_search_option(sweep_search_args *x, cli_args *a)
{

    if (cli_is(a, "search")) {
        x->wanted = true;
        return true;
    }
    if (cli_is(a, "evaluations")) {
        take_count(a, 1, EVALUATIONS_MOST, &x->o.evaluations);
    } else if (cli_is(a, "population")) {
        take_count(a, 2, POPULATION_MOST, &x->o.population);
    } else if (cli_is(a, "seed")) {
        cli_u64(a, UINT64_MAX, &x->o.seed);
    } else if (cli_is(a, "method")) {
        take_method(x, a);
    } else {
        return false;
    }
    x->given = a->name;
    return true;
}

/* ---- A search ---- */

typedef struct search {
    sweep_args *x;
    sweep_plan *p;
    sweep_search *s;
    const char *driver, *dir;
    sweep_folder *f; /* of the last generation */
    diag *dg;
} search;

static void show_generation(const search *r)
{
    sweep_search_found f = sweep_search_result(r->s);

    if (r->x->quiet)
        return;
    fprintf(stderr,
            "heddle sweep: generation %zu: %zu of %zu machines, %zu on the "
            "front\n",
            f.generations, f.machines, r->x->search.o.evaluations, f.front);
}

/* The points of the generation that was asked for, and what came out. */
static status run_generation(search *r, bool first, int *code)
{
    store *db = NULL;
    status st = sweep_plan_identify(r->p, r->x->build, r->driver, r->dg);

    sweep_folder_close(r->f);
    r->f = NULL;
    if (st == ST_OK)
        st = sweep_folder_make(r->dir, r->p, r->x->build, r->dg, &r->f);
    if (st == ST_OK && r->x->retry && first)
        st = sweep_folder_forget_failed(r->f, r->dg);
    if (st == ST_OK && !sweep_can_compile(r->x, r->f, NULL, 0)) {
        *code = CLI_NO_DRIVER;
        return ST_PROGRAM;
    }
    if (st == ST_OK)
        st = sweep_run_folder(r->x, r->f, true, NULL, 0, r->dg);
    if (st == ST_OK)
        st = sweep_folder_results(r->f, r->dg, &db);
    if (st == ST_OK)
        st = sweep_search_tell(r->s, db, r->dg);
    store_close(db);
    return st;
}

static void print_found(const search *r)
{
    const sweep_search_options *o = &r->x->search.o;
    sweep_search_found f = sweep_search_result(r->s);

    printf("\nsearch: %s, seed %" PRIu64 ", population %zu: %s of %s machines "
           "in %zu generation%s\n",
           o->random ? "random" : "NSGA-II", o->seed, o->population,
           word_grouped(f.machines).s, word_grouped(sweep_search_space(r->s)).s,
           f.generations, word_plural(f.generations));
    printf("  front of %s: %zu machine%s, the last of them found by run %s\n",
           f.goals->name, f.front, word_plural(f.front),
           word_grouped(f.last).s);
    if (f.failed)
        printf("  %zu failed, and take no part\n", f.failed);
}

/* Speed-ups are those over the first machine: a base of each axis by itself
 * would be missing mostly. */
static void name_base(search *r)
{
    explore_options o = {0};
    strbuf text = {0};

    if (r->x->explore.base || !r->p->count)
        return;
    sweep_search_base(r->p, r->x->mem, &o);
    for (size_t i = 0; i < o.base_count; i++)
        strbuf_printf(&text, "%s%s=%s", i ? "," : "", o.base[i].name,
                      o.base[i].value);
    r->x->explore.base = arena_strdup(r->x->mem, text.text);
    strbuf_fini(&text);
}

static int search_plan(search *r)
{
    bool first = true;
    status st = sweep_search_new(r->p, &r->x->search.o, r->dg, &r->s);
    int code = sweep_prepare(r->x, r->p, &r->driver);

    if (st != ST_OK || code)
        return st != ST_OK ? sweep_report(r->dg, st) : code;
    while (st == ST_OK && sweep_search_ask(r->s)) {
        st = run_generation(r, first, &code);
        if (st == ST_OK)
            show_generation(r);
        first = false;
    }
    if (code || !r->f)
        return code ? code : sweep_report(r->dg, st);
    name_base(r);
    code = sweep_finish(r->x, r->f, st, r->dg);
    if (st == ST_OK && r->x->format == FORMAT_TEXT)
        print_found(r);
    return code;
}

int sweep_search_run(sweep_args *x, const char *path, diag *dg)
{
    search r = {.x = x, .dir = sweep_folder_of(x, path), .dg = dg};
    status st;
    int code;

    if (x->slurm.wanted)
        return cli_usage(x->command,
                         "--search runs its points here: each generation "
                         "needs what came out of the one before");
    st = sweep_plan_read(path, dg, &r.p);
    code = st == ST_OK ? search_plan(&r) : sweep_report(dg, st);
    sweep_folder_close(r.f);
    sweep_search_free(r.s);
    sweep_plan_free(r.p);
    return code;
}
