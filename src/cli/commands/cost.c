/* heddle cost. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/simulation.h"
#include "cost/cost.h"
#include "report/run.h"
#include "text/json.h"
#include "text/word.h"

enum { AXES = 2, WIDTH = 100, NAME = 24, CELL = 15 };
enum { COLUMNS = (WIDTH - NAME) / CELL }; /* of a table, beside each other */

/* "l1.ways=2,4,8" */
typedef struct axis {
    char *path; /* owns the text, `values` point into it */
    char **values;
    unsigned count;
} axis;

/* One machine of the command. */
typedef struct point {
    const char *gpu;
    const char *value[AXES]; /* NULL: no such axis */
    char *wrong;             /* why it cannot be simulated, NULL: it can */
    cost_item item[COST_STRUCTURES];
    cost_sum sum;
} point;

typedef struct cost_args {
    cli_gpu gpu; /* --set */
    const char **gpus;
    unsigned gpu_count;
    axis axes[AXES];
    unsigned axis_count;
    bool wanted[COST_STRUCTURES], some; /* --structure */
    int format;
    point *points; /* GPUs, values of the first axis, of the second */
    size_t count;
} cost_args;

/* ---- Arguments ---- */

static void add_gpu(cost_args *x, const char *name)
{
    x->gpus = realloc(x->gpus, (x->gpu_count + 1) * sizeof *x->gpus);
    MUST(x->gpus != NULL);
    x->gpus[x->gpu_count++] = name;
}

static void take_axis(cli_args *a, cost_args *x)
{
    char *text = strdup(a->value), *to = strchr(text, '='), *save = NULL;
    axis s = {.path = text};

    if (to)
        *to++ = '\0';
    for (char *v = to ? strtok_r(to, ",", &save) : NULL; v;
         v = strtok_r(NULL, ",", &save)) {
        s.values = realloc(s.values, (s.count + 1) * sizeof *s.values);
        MUST(s.values != NULL);
        s.values[s.count++] = v;
    }
    if (s.count && *s.path && x->axis_count < AXES) {
        x->axes[x->axis_count++] = s;
        return;
    }
    a->wrong = true;
    if (x->axis_count == AXES)
        cli_usage(a->command, "--over: more than two parameters");
    else
        cli_usage(a->command, "--over: '%s' is not PATH=VALUE,VALUE,...",
                  a->value);
    free(s.values);
    free(text);
}

static void take_structure(cli_args *a, cost_args *x)
{
    const char *ids[COST_STRUCTURES];

    for (size_t i = 0; i < COST_STRUCTURES; i++) {
        ids[i] = cost_table[i].id;
        if (!strcmp(ids[i], a->value)) {
            x->wanted[i] = x->some = true;
            return;
        }
    }
    const char *near = suggest_nearest(a->value, ids, COST_STRUCTURES);
    a->wrong = true;
    if (near)
        cli_usage(a->command, "no structure '%s' (did you mean '%s'?)",
                  a->value, near);
    else
        cli_usage(a->command, "no structure '%s'; docs/cost.md lists them",
                  a->value);
}

static void take_option(cli_args *a, cost_args *x)
{
    if (cli_is(a, "gpu"))
        add_gpu(x, a->value);
    else if (cli_gpu_option(&x->gpu, a))
        return;
    else if (cli_is(a, "over"))
        take_axis(a, x);
    else if (cli_is(a, "structure"))
        take_structure(a, x);
    else if (cli_is(a, "format"))
        cli_take_format(a, &x->format);
}

/* ---- Machines ---- */

static char *first_error(const diag *dg)
{
    for (size_t i = 0; i < diag_count(dg); i++)
        if (diag_get(dg, i)->level == DIAG_ERROR)
            return strdup(diag_get(dg, i)->text);
    return NULL;
}

static status set_all(const cost_args *x, const point *p, config_sheet *s,
                      diag *dg)
{
    status st = config_sheet_load(s, p->gpu, dg);

    for (unsigned i = 0; i < x->gpu.set_count && st == ST_OK; i++)
        st = config_sheet_set(s, x->gpu.set[i], CONFIG_FROM_SET, dg);
    for (unsigned i = 0; i < x->axis_count && st == ST_OK; i++) {
        strbuf b = {0};

        strbuf_printf(&b, "%s=%s", x->axes[i].path, p->value[i]);
        st = config_sheet_set(s, b.text, CONFIG_FROM_AXIS, dg);
        strbuf_fini(&b);
    }
    return st;
}

/* 0, or the exit code after messages. */
static int make_point(const cost_args *x, point *p)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    status st = ST_NOMEM;

    if (s && dg)
        st = set_all(x, p, s, dg);
    if (st == ST_OK) {
        diag_clear(dg);
        if (config_sheet_check(s, dg) != ST_OK)
            p->wrong = first_error(dg);
        cost_of(config_sheet_values(s), p->item);
        p->sum = cost_total(config_sheet_values(s));
    } else if (dg) {
        cli_report(dg);
    }
    diag_free(dg);
    config_sheet_free(s);
    return st == ST_OK ? 0 : cli_exit_code(st);
}

static int make_points(cost_args *x)
{
    unsigned n[AXES] = {1, 1};
    int code = 0;

    for (unsigned i = 0; i < x->axis_count; i++)
        n[i] = x->axes[i].count;
    x->points = calloc((size_t)x->gpu_count * n[0] * n[1], sizeof *x->points);
    MUST(x->points != NULL);
    for (unsigned g = 0; g < x->gpu_count; g++)
        for (unsigned i = 0; i < n[0]; i++)
            for (unsigned k = 0; k < n[1] && !code; k++) {
                point *p = &x->points[x->count++];

                p->gpu = x->gpus[g];
                p->value[0] = x->axis_count > 0 ? x->axes[0].values[i] : NULL;
                p->value[1] = x->axis_count > 1 ? x->axes[1].values[k] : NULL;
                code = make_point(x, p);
            }
    return code;
}

/* ---- Text ---- */

typedef enum total { CONTROL, DATA, ALL, COMPARED, TOTALS } total;

static const char *const total_names[TOTALS] = {
    [CONTROL] = "control",
    [DATA] = "data arrays",
    [ALL] = "all",
    [COMPARED] = "compared in a cycle",
};

static uint64_t total_of(const point *p, total t)
{
    return t == CONTROL ? p->sum.bits - p->sum.bulk_bits
           : t == DATA  ? p->sum.bulk_bits
           : t == ALL   ? p->sum.bits
                        : p->sum.comparator_bits;
}

static uint64_t bits_of(const point *p, size_t i)
{
    return p->item[i].instances * p->item[i].bits;
}

static void put_folded(const char *label, const char *text, FILE *to)
{
    unsigned at = (unsigned)fprintf(to, "  %-10s", label);

    while (*text) {
        unsigned length = (unsigned)strcspn(text, " ");

        if (at + 1 + length > WIDTH)
            at = (unsigned)fprintf(to, "\n%*s", 12, "") - 1;
        at += (unsigned)fprintf(to, " %.*s", (int)length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', to);
}

/* As a word of its own. */
static bool has_word(const char *text, const char *id)
{
    size_t n = strlen(id);
    const char *at = text;

    while ((at = strstr(at, id))) {
        bool begins = at == text || (!isalnum((unsigned char)at[-1]) &&
                                     !strchr("_.", at[-1]));
        if (begins && !isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
        at += n;
    }
    return false;
}

/* The terms that its formulas are made of, and those that these are. */
static void put_terms(const cost_structure *c)
{
    bool used[COST_TERMS] = {false};

    for (size_t i = COST_TERMS; i-- > 0;) {
        const char *id = cost_terms[i].id;

        used[i] = has_word(c->formula, id) || has_word(c->compared, id) ||
                  has_word(c->exists, id);
        for (size_t k = i + 1; k < COST_TERMS && !used[i]; k++)
            used[i] = used[k] && has_word(cost_terms[k].value, id);
    }
    for (size_t i = 0; i < COST_TERMS; i++)
        if (used[i]) {
            char text[512];

            snprintf(text, sizeof text, "%s = %s", cost_terms[i].id,
                     cost_terms[i].value);
            put_folded("where", text, stdout);
        }
}

/* What --structure asks about, in words. */
static void put_wanted(const cost_args *x)
{
    for (size_t i = 0; i < COST_STRUCTURES; i++) {
        const cost_structure *c = &cost_table[i];

        if (!x->wanted[i])
            continue;
        printf("%s (%s)\n", c->name, c->id);
        put_folded("holds", c->help, stdout);
        put_folded("bits", c->formula, stdout);
        if (strcmp(c->compared, "0") != 0)
            put_folded("compared", c->compared, stdout);
        if (strcmp(c->exists, "1") != 0)
            put_folded("if", c->exists, stdout);
        put_terms(c);
        put_folded("source", c->source, stdout);
        putchar('\n');
    }
}

static bool shown(const cost_args *x, size_t i)
{
    if (x->some)
        return x->wanted[i];
    for (size_t k = 0; k < x->count; k++)
        if (x->points[k].item[i].instances)
            return true;
    return false;
}

/* The only machine: instances, and what each of them has. */
static void put_one(const cost_args *x)
{
    const point *p = &x->points[0];

    printf("%-*s %-14s %5s %13s %9s %15s %9s\n", NAME, p->gpu, "in each",
           "count", "bits of one", "compared", "bits in all", "control");
    for (size_t i = 0; i < COST_STRUCTURES; i++) {
        const cost_item *c = &p->item[i];
        double share = word_share(bits_of(p, i), total_of(p, CONTROL));

        if (shown(x, i))
            printf("%-*s %-14s %5" PRIu64 " %13s %9s %15s %9s\n", NAME,
                   cost_table[i].name, cost_table[i].per, c->instances,
                   word_grouped(c->bits).s, word_grouped(c->comparator_bits).s,
                   word_grouped(bits_of(p, i)).s,
                   cost_table[i].bulk ? "data" : word_percent(share).s);
    }
    for (total t = 0; t < TOTALS && !x->some; t++)
        printf("%-*s %*s %s\n", NAME, total_names[t], 60,
               word_grouped(total_of(p, t)).s,
               t == COMPARED ? "" : word_bytes((double)total_of(p, t) / 8).s);
}

/* The name of a machine at the head of its column. */
static const char *column_name(const cost_args *x, const point *p)
{
    return p->value[0] && x->gpu_count == 1 ? p->value[0] : p->gpu;
}

/* True if the structure is the same in all of the machines. */
static bool constant(const point *const *p, size_t count, size_t i)
{
    for (size_t k = 1; k < count; k++)
        if (bits_of(p[k], i) != bits_of(p[0], i))
            return false;
    return true;
}

/* Machines beside each other: a column each, at most COLUMNS of them. Rows of
 * structures that do not change are left out if `changes`. */
static void put_columns(const cost_args *x, const char *title,
                        const point *const *p, size_t count, size_t from,
                        bool changes)
{
    size_t to = from + COLUMNS < count ? from + COLUMNS : count, same = 0;

    printf("%-*.*s", NAME, NAME, title);
    for (size_t k = from; k < to; k++)
        printf(" %*.*s", CELL - 1, CELL - 1, column_name(x, p[k]));
    putchar('\n');
    for (size_t i = 0; i < COST_STRUCTURES; i++) {
        if (!shown(x, i))
            continue;
        if (changes && !x->some && constant(p, count, i)) {
            same++;
            continue;
        }
        printf("%-*s", NAME, cost_table[i].name);
        for (size_t k = from; k < to; k++)
            printf(" %*s", CELL - 1, word_grouped(bits_of(p[k], i)).s);
        putchar('\n');
    }
    if (same)
        printf("%zu other%s not change\n", same, same == 1 ? " does" : "s do");
    for (total t = 0; t < TOTALS && !x->some; t++) {
        printf("%-*s", NAME, total_names[t]);
        for (size_t k = from; k < to; k++)
            printf(" %*s", CELL - 1, word_grouped(total_of(p[k], t)).s);
        putchar('\n');
    }
    putchar('\n');
}

/* One structure, or `total`, over both axes: a row for each value of the
 * first, a column for each of the second. */
static void put_matrix(const cost_args *x, const point *first, size_t from,
                       const char *name, size_t structure, total t)
{
    const axis *down = &x->axes[0], *across = &x->axes[1];
    size_t to = from + COLUMNS;

    to = to < across->count ? to : across->count;
    printf("%s: %s, down %s, across %s\n", first->gpu, name, down->path,
           across->path);
    printf("%-*s", NAME, "");
    for (size_t k = from; k < to; k++)
        printf(" %*.*s", CELL - 1, CELL - 1, across->values[k]);
    putchar('\n');
    for (unsigned i = 0; i < down->count; i++) {
        printf("%*.*s", NAME, NAME, down->values[i]);
        for (size_t k = from; k < to; k++) {
            const point *p = &first[i * across->count + k];

            printf(" %*s", CELL - 1,
                   word_grouped(structure < COST_STRUCTURES
                                    ? bits_of(p, structure)
                                    : total_of(p, t))
                       .s);
        }
        putchar('\n');
    }
    putchar('\n');
}

static void put_matrices(const cost_args *x)
{
    size_t each = x->count / x->gpu_count;

    for (size_t g = 0; g < x->gpu_count; g++)
        for (size_t from = 0; from < x->axes[1].count; from += COLUMNS) {
            const point *p = &x->points[g * each];

            for (size_t i = 0; i < COST_STRUCTURES; i++)
                if (x->wanted[i])
                    put_matrix(x, p, from, cost_table[i].name, i, 0);
            for (total t = 0; t < TOTALS && !x->some; t++)
                put_matrix(x, p, from, total_names[t], COST_STRUCTURES, t);
        }
}

/* A table of each GPU over the axis; without an axis one of all GPUs. */
static void put_tables(const cost_args *x)
{
    size_t tables = x->axis_count ? x->gpu_count : 1, each = x->count / tables;
    const point **p = calloc(each, sizeof *p);

    MUST(p != NULL);
    for (size_t n = 0; n < tables; n++) {
        strbuf title = {0};

        for (size_t k = 0; k < each; k++)
            p[k] = &x->points[n * each + k];
        strbuf_puts(&title, x->axis_count ? x->axes[0].path : "bits");
        if (x->axis_count && tables > 1)
            printf("%s\n", p[0]->gpu);
        for (size_t from = 0; from < each; from += COLUMNS)
            put_columns(x, title.text, p, each, from, x->axis_count > 0);
        strbuf_fini(&title);
    }
    free(p);
}

static void put_notes(const cost_args *x)
{
    for (size_t i = 0; i < x->count; i++) {
        const point *p = &x->points[i];

        if (!p->wrong)
            continue;
        fprintf(stderr, "heddle cost: note: %s", p->gpu);
        for (unsigned k = 0; k < x->axis_count; k++)
            fprintf(stderr, ", %s=%s", x->axes[k].path, p->value[k]);
        fprintf(stderr, " cannot be simulated: %s\n", p->wrong);
    }
}

static void put_text(const cost_args *x)
{
    if (x->some)
        put_wanted(x);
    if (x->count == 1)
        put_one(x);
    else if (x->axis_count == 2)
        put_matrices(x);
    else
        put_tables(x);
    fflush(stdout);
    put_notes(x);
}

/* ---- JSON and CSV ---- */

static void put_json_structure(json *j, const point *p, size_t i)
{
    const cost_structure *c = &cost_table[i];

    json_open(j, NULL, '{');
    json_text(j, "id", c->id);
    json_text(j, "name", c->name);
    json_text(j, "per", c->per);
    json_bool(j, "data", c->bulk);
    json_u64(j, "instances", p->item[i].instances);
    json_u64(j, "bits", p->item[i].bits);
    json_u64(j, "compared", p->item[i].comparator_bits);
    json_u64(j, "bits_total", bits_of(p, i));
    json_text(j, "formula", c->formula);
    json_text(j, "compared_formula", c->compared);
    json_text(j, "source", c->source);
    json_close(j, '{');
}

static void put_json(const cost_args *x)
{
    json j = json_document(stdout);

    json_open(&j, "machines", '[');
    for (size_t k = 0; k < x->count; k++) {
        const point *p = &x->points[k];

        json_open(&j, NULL, '{');
        json_text(&j, "gpu", p->gpu);
        json_open(&j, "over", '{');
        for (unsigned i = 0; i < x->axis_count; i++)
            json_text(&j, x->axes[i].path, p->value[i]);
        json_close(&j, '{');
        json_text(&j, "contradiction", p->wrong);
        json_u64(&j, "control_bits", total_of(p, CONTROL));
        json_u64(&j, "data_bits", total_of(p, DATA));
        json_u64(&j, "bits", total_of(p, ALL));
        json_u64(&j, "compared", total_of(p, COMPARED));
        json_open(&j, "structures", '[');
        for (size_t i = 0; i < COST_STRUCTURES; i++)
            if (!x->some || x->wanted[i])
                put_json_structure(&j, p, i);
        json_close(&j, '[');
        json_close(&j, '{');
    }
    json_close(&j, '[');
    json_document_end(&j);
}

static void put_csv(const cost_args *x)
{
    fputs("gpu", stdout);
    for (unsigned k = 0; k < x->axis_count; k++)
        printf(",%s", x->axes[k].path);
    puts(",structure,per,data,instances,bits,compared,bits_total,"
         "compared_total");
    for (size_t n = 0; n < x->count; n++)
        for (size_t i = 0; i < COST_STRUCTURES; i++) {
            const point *p = &x->points[n];
            const cost_item *c = &p->item[i];

            if (x->some && !x->wanted[i])
                continue;
            report_csv_text(stdout, p->gpu);
            for (unsigned k = 0; k < x->axis_count; k++) {
                putchar(',');
                report_csv_text(stdout, p->value[k]);
            }
            printf(",%s,%s,%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                   ",%" PRIu64 "\n",
                   cost_table[i].id, cost_table[i].per, cost_table[i].bulk,
                   c->instances, c->bits, c->comparator_bits, bits_of(p, i),
                   c->instances * c->comparator_bits);
        }
}

/* ---- The command ---- */

static void cost_args_fini(cost_args *x)
{
    for (size_t i = 0; i < x->count; i++)
        free(x->points[i].wrong);
    for (unsigned i = 0; i < x->axis_count; i++) {
        free(x->axes[i].path);
        free(x->axes[i].values);
    }
    free(x->points);
    free(x->gpus);
    cli_gpu_free(&x->gpu);
}

int cli_cost(int argc, char **argv)
{
    cli_args a = cli_start("cost", argc, argv);
    cost_args x = {0};
    int code = 2;

    while (cli_next(&a))
        take_option(&a, &x);
    if (!a.wrong) {
        for (int i = 0; cli_operand(&a, i); i++)
            add_gpu(&x, cli_operand(&a, i));
        if (!x.gpu_count)
            add_gpu(&x, "v100");
        code = make_points(&x);
    }
    if (!code && x.format == FORMAT_JSON)
        put_json(&x);
    else if (!code && x.format == FORMAT_CSV)
        put_csv(&x);
    else if (!code)
        put_text(&x);
    cost_args_fini(&x);
    return cli_finish(code);
}
