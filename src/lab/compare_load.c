/* src/lab/compare_load.c - comparisons from results files; see
 * compare_store.h. What a run was judged by comes from the plan of the study,
 * what it did from its rows; sums of counters are those of its kernels. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "config/yml.h"
#include "lab/compare_store.h"

typedef struct loader {
    store *s;
    int64_t study;
    diag *dg;
    compare_study *to;
    const char *about[3]; /* mechanism or NULL, command, time */
    const char **gpus;
    size_t sides, workloads;
} loader;

/* ---- The plan ---- */

static const char *text_of(const loader *l, const yml_node *map,
                           const char *key)
{
    const yml_node *n = map->kind == YML_MAP ? yml_get(map, key) : NULL;

    return n && n->kind == YML_SCALAR ? arena_strdup(l->to->mem, n->text)
                                      : NULL;
}

static bool flag_of(const yml_node *map, const char *key)
{
    const yml_node *n = yml_get(map, key);

    return n && n->kind == YML_SCALAR && !strcmp(n->text, "true");
}

static const yml_node *list_of(const yml_node *map, const char *key)
{
    const yml_node *n = yml_get(map, key);

    return n && n->kind == YML_LIST && n->count ? n : NULL;
}

/* What was expected of it, as the only program of a suite. */
static void read_workload(const loader *l, const yml_node *n, workload *w)
{
    const char *memory = text_of(l, n, "memory");
    suite_program *p = ARENA_NEW(l->to->mem, suite_program);

    w->name = text_of(l, n, "name");
    w->label = text_of(l, n, "label");
    w->size = text_of(l, n, "size");
    w->name = w->name ? w->name : "?";
    w->label = w->label ? w->label : w->name;
    p->name = w->name;
    p->about = "";
    p->expect.ignore = text_of(l, n, "ignore");
    p->expect.any_memory = memory && !strcmp(memory, "any");
    w->program = p;
}

static void read_side(const loader *l, const yml_node *n, measure_side *side)
{
    side->label = text_of(l, n, "label");
    side->assignments = text_of(l, n, "parameters");
    side->label = side->label ? side->label : "?";
    side->assignments = side->assignments ? side->assignments : "";
}

static void begin(const loader *l, const yml_node *root, compare *c)
{
    arena *mem = l->to->mem;
    size_t i = 0;

    *c =
        (compare){.mem = mem,
                  .sides = ARENA_ARRAY(mem, measure_side, l->sides),
                  .side_count = l->sides,
                  .workloads = ARENA_ARRAY(mem, compare_workload, l->workloads),
                  .count = l->workloads,
                  .allow_missing = flag_of(root, "allow_missing"),
                  .allow_different = flag_of(root, "allow_different"),
                  .by_kernel = flag_of(root, "by_kernel"),
                  .seconds = NAN};
    if (l->about[0])
        c->mechanism = mechanism_find(l->about[0]);
    for (const yml_node *n = list_of(root, "sides")->first; n; n = n->next)
        read_side(l, n, &c->sides[i++]);
    i = 0;
    for (const yml_node *n = list_of(root, "workloads")->first; n;
         n = n->next) {
        read_workload(l, n, &c->workloads[i].is);
        c->workloads[i++].runs = ARENA_ARRAY(mem, measure_run, l->sides);
    }
}

static status read_plan(loader *l, const char *text)
{
    const yml_node *gpus = NULL, *sides = NULL, *workloads = NULL;
    yml_node *root = NULL;
    size_t i = 0;

    if (text &&
        yml_read("the plan", text, strlen(text), l->to->mem, l->dg, &root) ==
            ST_OK &&
        root->kind == YML_MAP) {
        gpus = list_of(root, "gpus");
        sides = list_of(root, "sides");
        workloads = list_of(root, "workloads");
    }
    if (!gpus || !sides || !workloads || sides->count < 2) {
        diag_error(l->dg,
                   "%s: the plan of comparison %" PRId64
                   " cannot be understood",
                   store_path(l->s), l->study);
        return ST_CONFIG;
    }
    l->sides = sides->count;
    l->workloads = workloads->count;
    l->to->count = gpus->count;
    l->to->list = ARENA_ARRAY(l->to->mem, compare, gpus->count);
    l->gpus = ARENA_ARRAY(l->to->mem, const char *, gpus->count);
    for (const yml_node *n = gpus->first; n; n = n->next) {
        l->gpus[i] = arena_strdup(l->to->mem, n->text ? n->text : "?");
        begin(l, root, &l->to->list[i++]);
    }
    return ST_OK;
}

static status find_study(loader *l)
{
    store_query *q = store_ask(
        l->s, l->dg,
        "SELECT study, name, command, created, plan FROM study WHERE kind = "
        "'compare' AND (study = ?1 OR ?1 = 0) ORDER BY study DESC LIMIT 1",
        "i", l->study);
    status st = ST_CONFIG;

    if (!q)
        return ST_CONFIG;
    if (store_next(q, l->dg)) {
        l->study = store_int(q, 0);
        for (int i = 0; i < 3; i++)
            l->about[i] = store_null(q, i + 1)
                              ? NULL
                              : arena_strdup(l->to->mem, store_text(q, i + 1));
        l->to->command = l->about[1];
        l->to->created = l->about[2];
        st = read_plan(l, store_text(q, 4));
    } else if (!diag_errors(l->dg)) {
        diag_error(l->dg, "%s has no such comparison", store_path(l->s));
    }
    store_done(q);
    return st;
}

/* ---- Runs ---- */

static suite_verdict verdict_of(const char *text)
{
    for (int v = 0; v < SUITE_VERDICTS; v++)
        if (text && !strcmp(suite_verdict_text((suite_verdict)v), text))
            return (suite_verdict)v;
    return SUITE_FAIL;
}

/* NULL: the comparison has no such point. */
static measure_run *run_of(const loader *l, int64_t number)
{
    size_t n = (size_t)number, each = l->sides * l->workloads;

    if (number < 0 || n / each >= l->to->count)
        return NULL;
    return &l->to->list[n / each]
                .workloads[n % each / l->sides]
                .runs[n % l->sides];
}

/* Columns of `runs_sql`. */
static void read_run(const loader *l, const store_query *q, measure_run *r)
{
    arena *mem = l->to->mem;
    const char *hash = store_text(q, 13);
    size_t size = 0;
    const char *out = store_blob(q, 14, &size);

    r->result.verdict = verdict_of(store_text(q, 2));
    r->result.tail = "";
    if (!store_null(q, 3))
        r->result.why = arena_strdup(mem, store_text(q, 3));
    r->result.exit_code = (int)store_int(q, 4);
    r->result.signal = (int)store_int(q, 5);
    r->result.host_s = store_real(q, 6);
    r->sum.launches = (uint64_t)store_int(q, 7);
    r->sum.failed = (uint64_t)store_int(q, 8);
    r->sum.timed = (uint64_t)store_int(q, 9);
    r->sum.cycles = (uint64_t)store_int(q, 10);
    r->sum.time_s = store_real(q, 11);
    r->sum.warp_insts = (uint64_t)store_int(q, 12);
    r->sum.thread_insts = (uint64_t)store_int(q, 15);
    r->sum.has_hash = hash != NULL;
    if (hash)
        r->sum.memory_hash = strtoull(hash, NULL, 16);
    r->result.out = (suite_output){out ? arena_strndup(mem, out, size) : "",
                                   out ? size : 0};
    r->done = r->result.verdict != SUITE_STOPPED;
}

static const char runs_sql[] =
    "SELECT p.number, r.run, r.status, r.why, r.exit_code, r.signal, r.wall_s,"
    " r.launches, r.failed, r.timed, r.cycles, r.time_s, r.warp_insts,"
    " r.memory_hash, a.content, r.thread_insts"
    " FROM point p JOIN run r USING(run)"
    " LEFT JOIN artifact a ON a.run = r.run AND a.kind = 'stdout'"
    " WHERE p.study = ?1 ORDER BY p.number";

/* ---- What a run did ---- */

static uint64_t counter_of(const void *of, const char *name)
{
    const measure_sum *s = of;

    for (size_t i = 0; i < s->counter_count; i++)
        if (!strcmp(s->counters[i].name, name))
            return s->counters[i].value;
    return 0;
}

static void add_energy(measure_sum *to, const char *part, double joules)
{
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        if (!strcmp(energy_part_table[i].name, part)) {
            uint64_t fj = (uint64_t)llround(joules * 1e15);

            to->part_fj[i] += fj;
            to->energy_fj += fj;
        }
}

static void add_counter(const loader *l, const store_query *q, size_t room,
                        measure_sum *to)
{
    const char *path = store_text(q, 1), *unit = store_text(q, 2);
    measure_counter *last =
        to->counter_count ? &to->counters[to->counter_count - 1] : NULL;

    if (!strncmp(path, "energy.", 7)) {
        add_energy(to, path + 7, store_real(q, 3));
        return;
    }
    if (last && !strcmp(last->name, path)) { /* of another kernel */
        last->value += (uint64_t)store_int(q, 3);
        return;
    }
    if (!to->counters)
        to->counters = ARENA_ARRAY(l->to->mem, measure_counter, room);
    to->counters[to->counter_count++] = (measure_counter){
        arena_strdup(l->to->mem, path),
        arena_strdup(l->to->mem, unit ? unit : ""), (uint64_t)store_int(q, 3)};
}

static int64_t count_names(const loader *l)
{
    store_query *q = store_ask(l->s, l->dg, "SELECT count(*) FROM name", "");
    int64_t n = q && store_next(q, l->dg) ? store_int(q, 0) : 0;

    store_done(q);
    return n;
}

static void read_counters(const loader *l)
{
    size_t room = (size_t)count_names(l);
    store_query *q =
        store_ask(l->s, l->dg,
                  "SELECT p.number, n.path, n.unit, x.value FROM point p"
                  " JOIN kernel k USING(run) JOIN kernel_stat x USING(kernel)"
                  " JOIN name n ON n.name = x.name WHERE p.study = ?1"
                  " ORDER BY p.number, n.name",
                  "i", l->study);

    while (q && store_next(q, l->dg)) {
        measure_run *r = run_of(l, store_int(q, 0));

        if (r)
            add_counter(l, q, room, &r->sum);
    }
    store_done(q);
}

static void add_kernel(const loader *l, const store_query *q, measure_sum *to)
{
    const char *name = store_text(q, 1);
    measure_kernel *k = to->kernels;
    size_t i = 0;

    while (i < to->kernel_count && strcmp(k[i].name, name) != 0)
        i++;
    if (i == to->kernel_room) {
        to->kernel_room = i ? 2 * i : 4;
        k = ARENA_ARRAY(l->to->mem, measure_kernel, to->kernel_room);
        if (i)
            memcpy(k, to->kernels, i * sizeof *k);
        to->kernels = k;
    }
    if (i == to->kernel_count) {
        k[i].name = arena_strdup(l->to->mem, name);
        to->kernel_count++;
    }
    k[i].timed += (uint64_t)store_int(q, 2);
    k[i].cycles += (uint64_t)store_int(q, 3);
    k[i].time_s += store_real(q, 4);
}

static void read_kernels(const loader *l)
{
    store_query *q = store_ask(
        l->s, l->dg,
        "SELECT p.number, k.name, k.timed, k.cycles, k.time_s FROM point p"
        " JOIN kernel k USING(run) WHERE p.study = ?1 AND k.timed"
        " ORDER BY p.number, k.kernel",
        "i", l->study);

    while (q && store_next(q, l->dg)) {
        measure_run *r = run_of(l, store_int(q, 0));

        if (r)
            add_kernel(l, q, &r->sum);
    }
    store_done(q);
}

/* ---- Machines ---- */

/* Parameters that this version does not know are left out. */
static void put_value(config *cfg, const char *path, const char *value)
{
    const config_param *p = config_param_find(path);
    size_t n = strlen(value);
    strbuf why = {0};
    char *text;

    if (!p)
        return;
    text = n > 1 && *value == '"' ? strndup(value + 1, n - 2) : strdup(value);
    MUST(text != NULL);
    config_put(cfg, p, text, &why);
    strbuf_fini(&why);
    free(text);
}

/* The configuration that the runs of a side had; that of its GPU if none was
 * begun. */
static void read_machine(const loader *l, size_t g, size_t s)
{
    measure_side *side = &l->to->list[g].sides[s];
    config *cfg = ARENA_NEW(l->to->mem, config);
    report_gpu *one = ARENA_NEW(l->to->mem, report_gpu);
    int64_t each = (int64_t)(l->sides * l->workloads),
            first = each * (int64_t)g;
    store_query *q = store_ask(
        l->s, l->dg,
        "SELECT c.path, c.value FROM run_config c WHERE c.device = 0 AND c.run"
        " = (SELECT run FROM point JOIN device USING(run) WHERE study = ?1 AND"
        " number >= ?2 AND number < ?3 AND number % ?4 = ?5 LIMIT 1)",
        "iiiii", l->study, first, first + each, (int64_t)l->sides, (int64_t)s);

    config_defaults(cfg);
    while (q && store_next(q, l->dg))
        put_value(cfg, store_text(q, 0), store_text(q, 1));
    store_done(q);
    *one = (report_gpu){l->gpus[g], cfg};
    side->gpus = one;
    side->gpu_count = 1;
}

/* ---- All of it ---- */

static void read_runs(const loader *l)
{
    store_query *q = store_ask(l->s, l->dg, runs_sql, "i", l->study);

    while (q && store_next(q, l->dg)) {
        measure_run *r = run_of(l, store_int(q, 0));

        if (r)
            read_run(l, q, r);
    }
    store_done(q);
}

static void add_levels(const config *cfg, measure_sum *to)
{
    for (unsigned i = 0; i < LEVELS && to->timed; i++)
        if (figure_has_level(i, cfg)) {
            to->level[i] = figure_level_name(i);
            to->bytes[i] = figure_bytes(i, cfg, counter_of, to);
        }
}

static void finish(compare *c)
{
    for (size_t w = 0; w < c->count; w++)
        for (size_t s = 0; s < c->side_count; s++) {
            measure_run *r = &c->workloads[w].runs[s];

            add_levels(c->sides[s].gpus[0].cfg, &r->sum);
            c->interrupted |= !r->done;
        }
    compare_finish(c);
}

status compare_load(store *s, int64_t study, diag *dg, compare_study *out)
{
    loader l = {.s = s, .study = study, .dg = dg, .to = out};
    status st;

    *out = (compare_study){.mem = arena_new()};
    MUST(out->mem != NULL);
    st = find_study(&l);
    if (st == ST_OK) {
        read_runs(&l);
        read_counters(&l);
        read_kernels(&l);
        for (size_t g = 0; g < out->count; g++)
            for (size_t k = 0; k < l.sides; k++)
                read_machine(&l, g, k);
        st = diag_errors(dg) ? ST_CONFIG : ST_OK;
    }
    for (size_t g = 0; g < out->count && st == ST_OK; g++)
        finish(&out->list[g]);
    if (st != ST_OK)
        compare_study_fini(out);
    return st;
}

void compare_study_fini(compare_study *x)
{
    arena_free(x->mem);
    *x = (compare_study){0};
}
