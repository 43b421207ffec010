/* src/compare/compare_keep.c - what results files get of comparisons; see
 * compare_store.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/must.h"
#include "compare/compare_store.h"
#include "text/json.h"

/* ---- The plan ---- */

/* Only if it is not empty. */
static void write_text(json *j, const char *key, const char *value)
{
    if (value)
        json_text(j, key, value);
}

static void write_workload(json *j, const compare_workload *of)
{
    const workload *w = &of->is;
    const suite_expect *x = w->program ? &w->program->expect : NULL;

    json_open(j, NULL, '{');
    json_text(j, "name", w->name);
    json_text(j, "label", w->label);
    write_text(j, "size", w->size);
    write_text(j, "memory", x && x->any_memory ? "any" : NULL);
    write_text(j, "ignore", x ? x->ignore : NULL);
    if (of->drawn)
        json_bool(j, "drawn", true);
    json_close(j, '{');
}

static void write_side(json *j, const measure_side *s)
{
    json_open(j, NULL, '{');
    json_text(j, "label", s->label);
    json_text(j, "parameters", s->assignments);
    json_close(j, '{');
}

char *compare_plan(const compare *list, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    json j;

    MUST(to != NULL);
    j = json_start(to);
    json_open(&j, NULL, '{');
    json_bool(&j, "allow_missing", list->allow_missing);
    json_bool(&j, "allow_different", list->allow_different);
    json_bool(&j, "by_kernel", list->by_kernel);
    if (list->nulls)
        json_u64(&j, "nulls", list->nulls);
    json_open(&j, "gpus", '[');
    for (size_t i = 0; i < count; i++)
        json_text(&j, NULL, list[i].sides[0].gpus[0].name);
    json_close(&j, '[');
    json_open(&j, "sides", '[');
    for (size_t s = 0; s < list->side_count; s++)
        write_side(&j, &list->sides[s]);
    json_close(&j, '[');
    json_open(&j, "workloads", '[');
    for (size_t w = 0; w < list->count; w++)
        write_workload(&j, &list->workloads[w]);
    json_close(&j, '[');
    json_close(&j, '{');
    json_end(&j);
    fclose(to);
    return text;
}

/* ---- A run ---- */

static size_t comma_count(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += *text == ',';
    return n;
}

/* The last value of a parameter counts. */
static void put_factor(store_run *out, store_factor *to, const char *name,
                       const char *value)
{
    size_t i = 0;

    while (i < out->factor_count && strcmp(to[i].name, name) != 0)
        i++;
    to[i] = (store_factor){name, value};
    out->factor_count += i == out->factor_count;
}

/* "l1.sets=64,l1.ways=6" as one factor each. */
static void add_assignments(const char *text, arena *mem, store_run *out,
                            store_factor *to)
{
    while (*text) {
        size_t length = strcspn(text, ","), name = strcspn(text, "=,");

        if (name < length)
            put_factor(out, to, arena_strndup(mem, text, name),
                       arena_strndup(mem, text + name + 1, length - name - 1));
        text += length + (text[length] == ',');
    }
}

static void add_factors(const measure_side *side, const workload *w, arena *mem,
                        store_run *out)
{
    store_factor *to =
        ARENA_ARRAY(mem, store_factor, comma_count(side->assignments) + 5);

    to[out->factor_count++] = (store_factor){"gpu", side->gpus[0].name};
    to[out->factor_count++] = (store_factor){"workload", w->name};
    if (w->size)
        to[out->factor_count++] = (store_factor){"size", w->size};
    to[out->factor_count++] = (store_factor){"side", side->label};
    add_assignments(side->assignments, mem, out, to);
    out->factors = to;
}

void compare_store_run(const compare *list, compare_place at,
                       const report_program *program, arena *mem,
                       store_run *out)
{
    const compare *c = &list[at.gpu];
    const measure_side *side = &c->sides[at.s];
    const compare_workload *w = &c->workloads[at.w];
    const measure_run *r = &w->runs[at.s];
    report_program *machine = ARENA_NEW(mem, report_program);

    *machine =
        (report_program){.gpus = side->gpus, .gpu_count = side->gpu_count};
    *out = (store_run){
        .workload = w->is.name,
        .size = w->is.size,
        .status = suite_verdict_text(r->result.verdict),
        .why = r->result.why,
        .exit_code = r->result.exit_code,
        .signal = r->result.signal,
        .started = (double)time(NULL) - r->result.host_s,
        .wall_s = r->result.host_s,
        .command = program ? program->command : NULL,
        .sheets = side->sheets,
        .program = program ? program : machine,
        .output = r->result.out.text,
        .output_size = r->result.out.size,
        .tail = r->result.tail,
        .launch_stats = STORE_LAUNCH_STATS,
        .number = (at.gpu * c->count + at.w) * compare_runs_each(c) + at.s,
        .label = side->label,
    };
    add_factors(side, &w->is, mem, out);
}
