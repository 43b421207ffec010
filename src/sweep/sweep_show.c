/* src/sweep/sweep_show.c - what a sweep's folder has, as tables. */
#include "sweep/sweep_show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/plural.h"
#include "base/shell.h"
#include "report/run.h"
#include "suite/suite_report.h"
#include "text/csv.h"
#include "text/json.h"
#include "text/output.h"

enum { EXAMPLES = 3, LABEL_MOST = 85 };

/* Failures of one cause. */
typedef struct cause {
    const char *how;
    const char *why, *tail; /* of the first one */
    char *key;              /* numbers are left out */
    size_t count;
    size_t points[EXAMPLES];
} cause;

typedef struct causes {
    arena *mem;
    uint64_t outside; /* points whose kernels left what was allocated */
    cause *list;
    size_t count, room;
} causes;

/* Numbers differ from run to run: "ended at 312 MiB". What a program says last
 * is the cause, what it says before often has its name. */
static char *key_of(arena *mem, const char *how, const char *why,
                    const char *tail)
{
    const char *last = strrchr(tail, '\n');
    char *key = arena_printf(mem, "%s: %s: %s", how, why, last ? last : tail);
    char *to = key;

    for (const char *from = key; *from; from++)
        if (*from < '0' || *from > '9')
            *to++ = *from;
    *to = '\0';
    return key;
}

static void add_failure(causes *c, const char *how, const char *why,
                        const char *tail, size_t point)
{
    char *key = key_of(c->mem, how, why, tail);
    size_t i = 0;

    while (i < c->count && strcmp(c->list[i].key, key) != 0)
        i++;
    ARENA_GROW(c->mem, c->list, c->count, c->room);
    if (i == c->count)
        c->list[c->count++] = (cause){.how = arena_strdup(c->mem, how),
                                      .why = arena_strdup(c->mem, why),
                                      .tail = arena_strdup(c->mem, tail),
                                      .key = key};
    if (c->list[i].count < EXAMPLES)
        c->list[i].points[c->list[i].count] = point;
    c->list[i].count++;
}

static int most_first(const void *a, const void *b)
{
    const cause *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return x->points[0] < y->points[0] ? -1 : 1;
}

/* Of points that are merged. */
static status find_causes(const sweep_folder *f, diag *dg, causes *c)
{
    size_t most = sweep_folder_plan(f)->count, before = diag_errors(dg);
    store *s = NULL;
    store_query *q;
    status st;

    st = sweep_folder_results(f, dg, &s);
    if (st != ST_OK || !s)
        return st;
    q = store_select(
        s, dg,
        "SELECT p.number, r.status, coalesce(r.why, ''),"
        " coalesce((SELECT CAST(content AS TEXT) FROM artifact a"
        " WHERE a.run = r.run AND a.kind = 'tail'), '')"
        " FROM point p JOIN run r USING(run)"
        " JOIN study t USING(study)"
        " WHERE t.uid = ?1 AND r.status <> 'pass' ORDER BY p.number",
        "t", sweep_folder_uid(f));
    while (q && store_next(q, dg))
        if ((size_t)store_int(q, 0) < most)
            add_failure(c, store_text(q, 1), store_text(q, 2), store_text(q, 3),
                        (size_t)store_int(q, 0));
    store_done(q);
    q = store_select(s, dg,
                     "SELECT count(*) FROM point p JOIN study t USING(study)"
                     " JOIN artifact a USING(run)"
                     " WHERE t.uid = ?1 AND a.kind = 'outside'",
                     "t", sweep_folder_uid(f));
    if (q && store_next(q, dg))
        c->outside = (uint64_t)store_int(q, 0);
    if (diag_errors(dg) != before)
        st = ST_IO;
    store_done(q);
    store_close(s);
    if (c->count)
        qsort(c->list, c->count, sizeof *c->list, most_first);
    return st;
}

/* ---- Status ---- */

/* The point, and where its log is if it has written something. */
static void show_failure(const sweep_folder *f, size_t point, FILE *to)
{
    const sweep_plan *p = sweep_folder_plan(f);
    arena *mem = arena_new();
    const char *log;

    log = sweep_folder_log(f, point, mem);
    fprintf(to, "      %.*s\n", LABEL_MOST, sweep_plan_label(p, point));
    if (access(log, R_OK) == 0)
        fprintf(to, "        logs/%s.txt\n", p->points[point].id);
    arena_free(mem);
}

static void status_text(const sweep_folder *f, const causes *c, FILE *to)
{
    const sweep_plan *p = sweep_folder_plan(f);
    size_t failed = sweep_folder_count(f, SWEEP_FAILED), known = 0;

    fprintf(to,
            "%s: %zu point%s: %zu done, %zu failed, %zu running, %zu left\n",
            p->name, p->count, word_plural(p->count),
            sweep_folder_count(f, SWEEP_DONE), failed,
            sweep_folder_count(f, SWEEP_RUNNING),
            sweep_folder_count(f, SWEEP_LEFT));
    if (p->filtered || p->invalid)
        fprintf(to,
                "left out: %zu point%s by filters, %zu whose machine cannot "
                "be\n",
                p->filtered, word_plural(p->filtered), p->invalid);
    fprintf(to, "folder: %s\n", sweep_folder_path(f));
    if (c->outside)
        fprintf(
            to,
            "outside of what was allocated, which no device notices: %" PRIu64
            " points; 'heddle report' tells where\n",
            c->outside);
    if (!failed)
        return;
    fputs("failed:\n", to);
    for (size_t i = 0; i < c->count; i++) {
        const cause *x = &c->list[i];

        known += x->count;
        fprintf(to, "  %zu %s%s%.76s\n", x->count, x->how, *x->why ? ": " : "",
                x->why);
        suite_report_tail(x->tail, "    ", to);
        for (size_t k = 0; k < x->count && k < EXAMPLES; k++)
            show_failure(f, x->points[k], to);
        if (x->count > EXAMPLES)
            fprintf(to, "      and %zu more\n", x->count - EXAMPLES);
    }
    if (known < failed)
        fprintf(to, "  %zu not merged yet: 'heddle sweep merge' tells why\n",
                failed - known);
    fputs("--retry runs them again\n", to);
}

static void status_json(const sweep_folder *f, const causes *c, FILE *to)
{
    const sweep_plan *p = sweep_folder_plan(f);
    json j = json_document(to);

    json_text(&j, "name", p->name);
    json_text(&j, "folder", sweep_folder_path(f));
    json_text(&j, "uid", sweep_folder_uid(f));
    json_u64(&j, "points", p->count);
    for (int s = 0; s < SWEEP_STATES; s++)
        json_u64(&j, sweep_state_text((sweep_state)s),
                 sweep_folder_count(f, (sweep_state)s));
    json_u64(&j, "filtered", p->filtered);
    json_u64(&j, "invalid", p->invalid);
    json_u64(&j, "outside", c->outside);
    json_open(&j, "causes", '[');
    for (size_t i = 0; i < c->count; i++) {
        const cause *x = &c->list[i];

        json_open(&j, NULL, '{');
        json_text(&j, "status", x->how);
        json_text(&j, "why", x->why);
        json_text(&j, "output", x->tail);
        json_u64(&j, "points", x->count);
        json_u64(&j, "first", x->points[0]);
        json_text(&j, "id", p->points[x->points[0]].id);
        json_close(&j, '{');
    }
    json_close(&j, '[');
    json_document_end(&j);
}

static void status_csv(const sweep_folder *f, const causes *c, FILE *to)
{
    csv out = csv_start(to);

    csv_names(&out, "state,points,why");
    csv_line(&out);
    for (int s = 0; s < SWEEP_STATES; s++) {
        if (s == SWEEP_FAILED)
            continue;
        csv_text(&out, sweep_state_text((sweep_state)s));
        csv_u64(&out, sweep_folder_count(f, (sweep_state)s));
        csv_empty(&out, 1);
        csv_line(&out);
    }
    for (size_t i = 0; i < c->count; i++) {
        csv_text(&out, c->list[i].how);
        csv_u64(&out, c->list[i].count);
        csv_text(&out, c->list[i].why);
        csv_line(&out);
    }
}

status sweep_show_status(const sweep_folder *f, int format, diag *dg, FILE *to)
{
    causes c = {.mem = arena_new()};
    status st;

    st = find_causes(f, dg, &c);
    if (st == ST_OK && format == FORMAT_JSON)
        status_json(f, &c, to);
    else if (st == ST_OK && format == FORMAT_CSV)
        status_csv(f, &c, to);
    else if (st == ST_OK)
        status_text(f, &c, to);
    arena_free(c.mem);
    return st;
}

/* ---- Points ---- */

static const char *state_of(const sweep_folder *f, size_t point)
{
    return f ? sweep_state_text(sweep_folder_state(f, point)) : "planned";
}

static void list_text(const sweep_plan *p, const sweep_folder *f, FILE *to)
{
    strbuf text = {0};

    for (size_t i = 0; i < p->count; i++) {
        text.size = 0;
        sweep_plan_put_point(p, i, &text);
        if (text.size > LABEL_MOST)
            strcpy(text.text + LABEL_MOST - 3, "...");
        fprintf(to, "%6zu %-7s %s\n", i, state_of(f, i), text.text);
    }
    strbuf_fini(&text);
}

static void list_json(const sweep_plan *p, const sweep_folder *f, FILE *to)
{
    sweep_factor *factors = new_array(p->axis_count + 3, sizeof *factors);
    json j = json_document(to);

    json_open(&j, "points", '[');
    for (size_t i = 0; i < p->count; i++) {
        size_t n = sweep_plan_factors(p, i, factors);

        json_open(&j, NULL, '{');
        json_u64(&j, "number", i);
        json_text(&j, "id", p->points[i].id);
        json_text(&j, "state", state_of(f, i));
        json_open(&j, "factors", '{');
        for (size_t k = 0; k < n; k++)
            json_text(&j, factors[k].name, factors[k].value);
        json_close(&j, '{');
        json_close(&j, '{');
    }
    json_close(&j, '[');
    json_document_end(&j);
    free(factors);
}

static void list_csv(const sweep_plan *p, const sweep_folder *f, FILE *to)
{
    sweep_factor *factors = new_array(p->axis_count + 3, sizeof *factors);
    csv c = csv_start(to);

    for (size_t i = 0; i < p->count; i++) {
        size_t n = sweep_plan_factors(p, i, factors);

        if (!i) {
            csv_names(&c, "number,id,state");
            for (size_t k = 0; k < n; k++)
                csv_text(&c, factors[k].name);
            csv_line(&c);
        }
        csv_u64(&c, i);
        csv_text(&c, p->points[i].id);
        csv_text(&c, state_of(f, i));
        for (size_t k = 0; k < n; k++)
            csv_text(&c, factors[k].value);
        csv_line(&c);
    }
    free(factors);
}

void sweep_show_list(const sweep_plan *p, const sweep_folder *f, int format,
                     FILE *to)
{
    if (format == FORMAT_JSON)
        list_json(p, f, to);
    else if (format == FORMAT_CSV)
        list_csv(p, f, to);
    else
        list_text(p, f, to);
}

void sweep_show_commands(const sweep_folder *f, FILE *to)
{
    const sweep_plan *p = sweep_folder_plan(f);

    for (size_t i = 0; i < p->count; i++) {
        const char *const words[] = {
            "heddle", "sweep",         "worker",
            "--only", p->points[i].id, sweep_folder_path(f),
            NULL};
        strbuf line = {0};

        if (sweep_folder_state(f, i) != SWEEP_LEFT)
            continue;
        shell_quote_all(words, &line);
        fprintf(to, "%s\n", line.text);
        strbuf_fini(&line);
    }
}
