/* src/report/storage_text.c - storage of machines as text. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/storage.h"
#include "text/word.h"

enum { WIDTH = 100, NAME = 24, CELL = 15 };
enum { COLUMNS = (WIDTH - NAME) / CELL }; /* of a table, beside each other */

static const char *const total_names[STORAGE_TOTALS] = {
    [STORAGE_CONTROL] = "control",
    [STORAGE_DATA] = "data arrays",
    [STORAGE_ALL] = "all",
    [STORAGE_COMPARED] = "compared in a cycle",
};

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
static bool formula_has_word(const char *text, const char *id)
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
static void put_terms(const cost_structure *c, FILE *to)
{
    bool used[COST_TERMS] = {false};

    for (size_t i = COST_TERMS; i-- > 0;) {
        const char *id = cost_terms[i].id;

        used[i] = formula_has_word(c->formula, id) ||
                  formula_has_word(c->compared, id) ||
                  formula_has_word(c->exists, id);
        for (size_t k = i + 1; k < COST_TERMS && !used[i]; k++)
            used[i] = used[k] && formula_has_word(cost_terms[k].value, id);
    }
    for (size_t i = 0; i < COST_TERMS; i++)
        if (used[i]) {
            char text[512];

            snprintf(text, sizeof text, "%s = %s", cost_terms[i].id,
                     cost_terms[i].value);
            put_folded("where", text, to);
        }
}

/* The structures of --structure, in words. */
static void put_wanted(const report_storage *x, FILE *to)
{
    for (size_t i = 0; i < COST_STRUCTURES; i++) {
        const cost_structure *c = &cost_table[i];

        if (!x->wanted[i])
            continue;
        fprintf(to, "%s (%s)\n", c->name, c->id);
        put_folded("holds", c->help, to);
        put_folded("bits", c->formula, to);
        if (strcmp(c->compared, "0") != 0)
            put_folded("compared", c->compared, to);
        if (strcmp(c->exists, "1") != 0)
            put_folded("if", c->exists, to);
        put_terms(c, to);
        put_folded("source", c->source, to);
        fputc('\n', to);
    }
}

static bool shown(const report_storage *x, size_t i)
{
    if (x->some)
        return x->wanted[i];
    for (size_t k = 0; k < x->count; k++)
        if (x->machines[k].item[i].instances)
            return true;
    return false;
}

/* The only machine: instances, and what each of them has. */
static void put_single_machine(const report_storage *x, FILE *to)
{
    const report_machine *p = &x->machines[0];

    fprintf(to, "%-*s %-14s %5s %13s %9s %15s %9s\n", NAME, p->gpu, "in each",
            "count", "bits of one", "compared", "bits in all", "control");
    for (size_t i = 0; i < COST_STRUCTURES; i++) {
        const cost_item *c = &p->item[i];
        double share = word_share(report_storage_bits(p, i),
                                  report_storage_total(p, STORAGE_CONTROL));

        if (shown(x, i))
            fprintf(to, "%-*s %-14s %5" PRIu64 " %13s %9s %15s %9s\n", NAME,
                    cost_table[i].name, cost_table[i].per, c->instances,
                    word_grouped(c->bits).s, word_grouped(c->comparator_bits).s,
                    word_grouped(report_storage_bits(p, i)).s,
                    cost_table[i].bulk ? "data" : word_percent(share).s);
    }
    for (storage_total t = 0; t < STORAGE_TOTALS && !x->some; t++)
        fprintf(to, "%-*s %*s %s\n", NAME, total_names[t], 60,
                word_grouped(report_storage_total(p, t)).s,
                t == STORAGE_COMPARED
                    ? ""
                    : word_bytes((double)report_storage_total(p, t) / 8).s);
}

/* The name of a machine at the head of its column. */
static const char *column_name(const report_storage *x, const report_machine *p)
{
    return p->value[0] && x->gpu_count == 1 ? p->value[0] : p->gpu;
}

/* True if the structure is the same in all of the machines. */
static bool is_constant_structure(const report_machine *const *p, size_t count,
                                  size_t i)
{
    for (size_t k = 1; k < count; k++)
        if (report_storage_bits(p[k], i) != report_storage_bits(p[0], i))
            return false;
    return true;
}

/* Machines beside each other: a column each, at most COLUMNS of them. Rows of
 * structures that do not change are left out if `changes`. */
static void put_columns(const report_storage *x, const char *title,
                        const report_machine *const *p, size_t count,
                        size_t from, bool changes, FILE *to)
{
    size_t end = from + COLUMNS < count ? from + COLUMNS : count, same = 0;

    fprintf(to, "%-*.*s", NAME, NAME, title);
    for (size_t k = from; k < end; k++)
        fprintf(to, " %*.*s", CELL - 1, CELL - 1, column_name(x, p[k]));
    fputc('\n', to);
    for (size_t i = 0; i < COST_STRUCTURES; i++) {
        if (!shown(x, i))
            continue;
        if (changes && !x->some && is_constant_structure(p, count, i)) {
            same++;
            continue;
        }
        fprintf(to, "%-*s", NAME, cost_table[i].name);
        for (size_t k = from; k < end; k++)
            fprintf(to, " %*s", CELL - 1,
                    word_grouped(report_storage_bits(p[k], i)).s);
        fputc('\n', to);
    }
    if (same)
        fprintf(to, "%zu other%s not change\n", same,
                same == 1 ? " does" : "s do");
    for (storage_total t = 0; t < STORAGE_TOTALS && !x->some; t++) {
        fprintf(to, "%-*s", NAME, total_names[t]);
        for (size_t k = from; k < end; k++)
            fprintf(to, " %*s", CELL - 1,
                    word_grouped(report_storage_total(p[k], t)).s);
        fputc('\n', to);
    }
    fputc('\n', to);
}

/* One structure, or `total`, over both axes: a row for each value of the
 * first, a column for each of the second. */
static void put_matrix(const report_storage *x, const report_machine *first,
                       size_t from, const char *name, size_t structure,
                       storage_total t, FILE *to)
{
    const report_axis *down = &x->axes[0], *across = &x->axes[1];
    size_t end = from + COLUMNS;

    end = end < across->count ? end : across->count;
    fprintf(to, "%s: %s, down %s, across %s\n", first->gpu, name, down->path,
            across->path);
    fprintf(to, "%-*s", NAME, "");
    for (size_t k = from; k < end; k++)
        fprintf(to, " %*.*s", CELL - 1, CELL - 1, across->values[k]);
    fputc('\n', to);
    for (unsigned i = 0; i < down->count; i++) {
        fprintf(to, "%*.*s", NAME, NAME, down->values[i]);
        for (size_t k = from; k < end; k++) {
            const report_machine *p = &first[i * across->count + k];

            fprintf(to, " %*s", CELL - 1,
                    word_grouped(structure < COST_STRUCTURES
                                     ? report_storage_bits(p, structure)
                                     : report_storage_total(p, t))
                        .s);
        }
        fputc('\n', to);
    }
    fputc('\n', to);
}

static void put_matrices(const report_storage *x, FILE *to)
{
    size_t each = x->count / x->gpu_count;

    for (size_t g = 0; g < x->gpu_count; g++)
        for (size_t from = 0; from < x->axes[1].count; from += COLUMNS) {
            const report_machine *p = &x->machines[g * each];

            for (size_t i = 0; i < COST_STRUCTURES; i++)
                if (x->wanted[i])
                    put_matrix(x, p, from, cost_table[i].name, i, 0, to);
            for (storage_total t = 0; t < STORAGE_TOTALS && !x->some; t++)
                put_matrix(x, p, from, total_names[t], COST_STRUCTURES, t, to);
        }
}

/* A table of each GPU over the axis; without an axis one of all GPUs. */
static void put_tables(const report_storage *x, FILE *to)
{
    size_t tables = x->axis_count ? x->gpu_count : 1, each = x->count / tables;
    const char *title = x->axis_count ? x->axes[0].path : "bits";
    const report_machine **p = new0(each, sizeof *p);

    for (size_t n = 0; n < tables; n++) {
        for (size_t k = 0; k < each; k++)
            p[k] = &x->machines[n * each + k];
        if (x->axis_count && tables > 1)
            fprintf(to, "%s\n", p[0]->gpu);
        for (size_t from = 0; from < each; from += COLUMNS)
            put_columns(x, title, p, each, from, x->axis_count > 0, to);
    }
    free(p);
}

void report_storage_text(const report_storage *x, FILE *to)
{
    if (x->some)
        put_wanted(x, to);
    if (x->count == 1)
        put_single_machine(x, to);
    else if (x->axis_count == 2)
        put_matrices(x, to);
    else
        put_tables(x, to);
}
