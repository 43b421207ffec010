/* src/explore/explore_space.c - points become axes and configurations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "config/param.h"
#include "explore/explore.h"

#define SIDE   "side"
#define ABSENT "-"

typedef struct fact {
    explore_fact is;
    size_t workload;
    const char *label; /* NULL: none */
    size_t *at;        /* value of each factor, then of each axis */
} fact;

/* A value of a factor. */
typedef struct value {
    const char *text;
    double number;  /* NAN: it is none */
    uint64_t first; /* point */
    size_t rank;    /* in the order of the axis */
} value;

typedef struct column {
    const char *name;
    strmap *known; /* text to index + 1 */
    value *values;
    size_t count, room;
    bool numeric;
    size_t group; /* the first column that always changes with it */
} column;

struct explore_heap {
    fact *facts;
    size_t count, room;
    column *columns;
    size_t column_count;
    config *scratch;
    explore_config **sorted; /* by their values */
};

/* ---- Adding ---- */

explore *explore_begin(arena *mem, const char *const *figures, size_t count)
{
    explore *e = ARENA_NEW(mem, explore);

    e->mem = mem;
    e->figures = figures;
    e->figure_count = count;
    e->base = EXPLORE_NONE;
    e->heap = ARENA_NEW(mem, struct explore_heap);
    return e;
}

static const double *copy_figures(explore *e, const double *from)
{
    double *to = ARENA_ARRAY(e->mem, double, e->figure_count + 1);

    for (size_t i = 0; i < e->figure_count; i++)
        to[i] = from ? from[i] : NAN;
    return to;
}

void explore_add(explore *e, const explore_fact *from)
{
    struct explore_heap *h = e->heap;
    explore_factor *factors =
        ARENA_ARRAY(e->mem, explore_factor, from->factor_count + 1);
    fact *f;

    ARENA_GROW(e->mem, h->facts, h->count, h->room);
    f = &h->facts[h->count++];
    f->is = *from;
    f->is.workload = arena_strdup(e->mem, from->workload);
    f->is.status = arena_strdup(e->mem, from->status);
    f->is.why = from->why ? arena_strdup(e->mem, from->why) : NULL;
    f->is.tail = from->tail ? arena_strdup(e->mem, from->tail) : NULL;
    for (size_t i = 0; i < from->factor_count; i++) {
        factors[i].name = arena_strdup(e->mem, from->factors[i].name);
        factors[i].value = arena_strdup(e->mem, from->factors[i].value);
    }
    f->is.factors = factors;
    f->is.figures = copy_figures(e, from->figures);
}

/* ---- Factors ---- */

double explore_number(const char *text)
{
    static const char suffixes[] = "KMGT";
    char *end;
    double v = strtod(text, &end);
    const char *s = *end ? strchr(suffixes, *end) : NULL;

    if (end == text || !isfinite(v))
        return NAN;
    if (s && !end[1])
        return ldexp(v, 10 * (int)(s - suffixes + 1));
    return *end ? NAN : v;
}

/* The canonical text of the value, if the factor is a parameter. */
static value read_value(explore *e, const char *name, const char *text)
{
    const config_param *p = config_param_find(name);
    config *scratch = e->heap->scratch;
    strbuf out = {0};
    value v = {.text = text, .number = NAN};

    if (p && p->kind != CONFIG_STRING && config_put(scratch, p, text, &out)) {
        strbuf_fini(&out);
        out = (strbuf){0};
        config_value(scratch, p, &out);
        v.text = arena_strdup(e->mem, out.text);
        if (p->kind == CONFIG_INT || p->kind == CONFIG_POW2 ||
            p->kind == CONFIG_SIZE)
            v.number = (double)config_number(scratch, p);
    } else {
        v.number = explore_number(text);
    }
    strbuf_fini(&out);
    return v;
}

static size_t add_axis_value(explore *e, column *c, const char *text,
                             uint64_t number)
{
    size_t known = (size_t)(uintptr_t)strmap_get(c->known, text);
    value v;

    if (!known) {
        v = read_value(e, c->name, text);
        known = (size_t)(uintptr_t)strmap_get(c->known, v.text);
        if (!known) {
            GROW(c->values, c->count + 1, c->room);
            v.first = number;
            c->values[c->count] = v;
            known = ++c->count;
            strmap_put(c->known, v.text, (void *)(uintptr_t)known);
        }
        strmap_put(c->known, text, (void *)(uintptr_t)known);
    }
    if (number < c->values[known - 1].first)
        c->values[known - 1].first = number;
    return known - 1;
}

static int text_by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of all factors, in order. */
static void find_columns(explore *e)
{
    struct explore_heap *h = e->heap;
    strmap *known = strmap_new();
    const char **names = NULL;
    size_t n = 0;

    for (size_t i = 0; i < h->count; i++)
        for (size_t k = 0; k < h->facts[i].is.factor_count; k++) {
            const char *name = h->facts[i].is.factors[k].name;

            if (strmap_get(known, name))
                continue;
            strmap_put(known, name, h);
            names = renew(names, n + 1, sizeof *names);
            names[n++] = name;
        }
    strmap_free(known);
    if (n)
        qsort(names, n, sizeof *names, text_by_name);
    h->columns = ARENA_ARRAY(e->mem, column, n + 1);
    h->column_count = n;
    for (size_t i = 0; i < n; i++) {
        h->columns[i].name = names[i];
        h->columns[i].known = strmap_new();
    }
    free(names);
}

static const char *factor_of(const fact *f, const char *name)
{
    for (size_t i = 0; i < f->is.factor_count; i++)
        if (!strcmp(f->is.factors[i].name, name))
            return f->is.factors[i].value;
    return ABSENT;
}

static int by_rank_numeric(const void *a, const void *b)
{
    const value *p = *(const value *const *)a, *q = *(const value *const *)b;

    if (p->number != q->number)
        return p->number < q->number ? -1 : 1;
    return strcmp(p->text, q->text);
}

static int by_rank_first(const void *a, const void *b)
{
    const value *p = *(const value *const *)a, *q = *(const value *const *)b;

    if (p->first != q->first)
        return p->first < q->first ? -1 : 1;
    return strcmp(p->text, q->text);
}

/* Puts the values of a factor in order; equal numbers become one value. */
static void rank_values(explore *e, column *c)
{
    value **order = new0(c->count + 1, sizeof *order);
    value *sorted = ARENA_ARRAY(e->mem, value, c->count + 1);
    size_t n = 0;

    c->numeric = true;
    for (size_t i = 0; i < c->count; i++) {
        order[i] = &c->values[i];
        c->numeric = c->numeric && !isnan(c->values[i].number);
    }
    qsort(order, c->count, sizeof(value *),
          c->numeric ? by_rank_numeric : by_rank_first);
    for (size_t i = 0; i < c->count; i++) {
        if (!n || !c->numeric || order[i]->number != sorted[n - 1].number)
            sorted[n++] = *order[i];
        order[i]->rank = n - 1;
    }
    for (size_t i = 0; i < e->heap->count; i++) {
        size_t *at = &e->heap->facts[i].at[c - e->heap->columns];

        *at = c->values[*at].rank;
    }
    free(order);
    free(c->values);
    strmap_free(c->known);
    c->values = sorted;
    c->count = n;
    c->known = NULL;
}

static void read_factors(explore *e)
{
    struct explore_heap *h = e->heap;

    h->scratch = new_array(1, sizeof *h->scratch);
    config_defaults(h->scratch);
    find_columns(e);
    for (size_t i = 0; i < h->count; i++) {
        fact *f = &h->facts[i];

        f->at = ARENA_ARRAY(e->mem, size_t, 2 * h->column_count + 1);
        for (size_t k = 0; k < h->column_count; k++)
            f->at[k] =
                add_axis_value(e, &h->columns[k],
                               factor_of(f, h->columns[k].name), f->is.number);
    }
    for (size_t k = 0; k < h->column_count; k++)
        rank_values(e, &h->columns[k]);
    free(h->scratch);
    h->scratch = NULL;
}

/* ---- Axes ---- */

/* Does each value of one go with one value of the other? */
static bool columns_match(const struct explore_heap *h, size_t a, size_t b)
{
    size_t n = h->columns[a].count, *with;
    bool good = n > 1 && n == h->columns[b].count;

    if (!good)
        return false;
    with = new0(2 * n, sizeof *with);
    for (size_t i = 0; i < h->count && good; i++) {
        size_t x = h->facts[i].at[a], y = h->facts[i].at[b];

        good = (!with[x] || with[x] == y + 1) &&
               (!with[n + y] || with[n + y] == x + 1);
        with[x] = y + 1;
        with[n + y] = x + 1;
    }
    free(with);
    return good;
}

typedef struct fact_order {
    size_t first, end; /* of at[] */
    size_t skip;
} fact_order;

static int compare_at(const fact *p, const fact *q, const fact_order *o)
{
    for (size_t k = o->first; k < o->end; k++)
        if (k != o->skip && p->at[k] != q->at[k])
            return p->at[k] < q->at[k] ? -1 : 1;
    return 0;
}

static int by_at(const void *a, const void *b, void *order)
{
    const fact *p = *(const fact *const *)a, *q = *(const fact *const *)b;
    int c = compare_at(p, q, order);

    if (c)
        return c;
    if (p->workload != q->workload)
        return p->workload < q->workload ? -1 : 1;
    return p->is.number < q->is.number ? -1 : p->is.number > q->is.number;
}

static fact **sorted_facts(const struct explore_heap *h, fact_order *o)
{
    fact **order = new0(h->count + 1, sizeof *order);

    for (size_t i = 0; i < h->count; i++)
        order[i] = &h->facts[i];
    qsort_r(order, h->count, sizeof(fact *), by_at, o);
    return order;
}

/* The column of the sides of a comparison, if the other factors distinguish the
 * sides; EXPLORE_NONE. */
static size_t label_column(const struct explore_heap *h)
{
    fact_order o = {0, h->column_count, 0};
    const fact *named = NULL;
    fact **order;
    bool good = true;

    while (o.skip < h->column_count && strcmp(h->columns[o.skip].name, SIDE))
        o.skip++;
    if (o.skip == h->column_count)
        return EXPLORE_NONE;
    order = sorted_facts(h, &o);
    for (size_t i = 0; i < h->count; i++) {
        if (!strcmp(factor_of(order[i], SIDE), ABSENT))
            continue;
        good = good && (!named || compare_at(named, order[i], &o) ||
                        named->at[o.skip] == order[i]->at[o.skip]);
        named = order[i];
    }
    free(order);
    return good ? o.skip : EXPLORE_NONE;
}

static bool name_ends_in(const char *name, const char *tail)
{
    size_t n = strlen(name), t = strlen(tail);

    return n >= t && !strcmp(name + n - t, tail) &&
           (n == t || name[n - t - 1] == '.');
}

/* The last parts of a path, as few as no other factor ends in. */
static const char *short_name(const struct explore_heap *h, const char *name)
{
    const char *tag = name + strlen(name);

    while (tag > name) {
        size_t same = 0;

        for (tag--; tag > name && tag[-1] != '.';)
            tag--;
        for (size_t i = 0; i < h->column_count; i++)
            same += name_ends_in(h->columns[i].name, tag);
        if (same == 1)
            break;
    }
    return tag;
}

/* An axis of the columns whose group is `leader`; its place among the axes
 * goes behind the factors of each point. */
static void make_axis(explore *e, size_t leader, size_t axis)
{
    struct explore_heap *h = e->heap;
    explore_axis *a = &e->axes[axis];
    size_t *part = ARENA_ARRAY(e->mem, size_t, h->column_count), key = leader;
    strbuf name = {0}, tag = {0};

    for (size_t k = h->column_count; k-- > leader;)
        if (h->columns[k].group == leader && h->columns[k].numeric)
            key = k;
    for (size_t k = leader; k < h->column_count; k++) {
        if (h->columns[k].group != leader)
            continue;
        part[a->part_count] = k;
        strbuf_printf(&name, "%s%s", a->part_count ? "+" : "",
                      h->columns[k].name);
        strbuf_printf(&tag, "%s%s", a->part_count++ ? "+" : "",
                      short_name(h, h->columns[k].name));
    }
    a->name = arena_strdup(e->mem, name.text);
    a->tag = arena_strdup(e->mem, tag.text);
    strbuf_fini(&name);
    strbuf_fini(&tag);
    a->count = h->columns[key].count;
    a->parts = ARENA_ARRAY(e->mem, const char *, a->part_count);
    a->part_values =
        ARENA_ARRAY(e->mem, const char *, a->count * a->part_count);
    for (size_t p = 0; p < a->part_count; p++)
        a->parts[p] = h->columns[part[p]].name;
    for (size_t i = 0; i < h->count; i++) {
        size_t v = h->facts[i].at[key];

        h->facts[i].at[h->column_count + axis] = v;
        for (size_t p = 0; p < a->part_count; p++)
            a->part_values[v * a->part_count + p] =
                h->columns[part[p]].values[h->facts[i].at[part[p]]].text;
    }
    if (h->columns[key].numeric) {
        a->numbers = ARENA_ARRAY(e->mem, double, a->count);
        for (size_t v = 0; v < a->count; v++)
            a->numbers[v] = h->columns[key].values[v].number;
        a->logarithmic = crossing_logarithmic(a->numbers, a->count);
    }
}

static void name_values(explore *e, explore_axis *a)
{
    a->values = ARENA_ARRAY(e->mem, const char *, a->count);
    for (size_t v = 0; v < a->count; v++) {
        strbuf text = {0};

        for (size_t p = 0; p < a->part_count; p++)
            strbuf_printf(&text, "%s%s", p ? "+" : "",
                          a->part_values[v * a->part_count + p]);
        a->values[v] = arena_strdup(e->mem, text.text);
        strbuf_fini(&text);
    }
}

static void make_axes(explore *e)
{
    struct explore_heap *h = e->heap;
    size_t side = label_column(h);

    for (size_t k = 0; k < h->column_count; k++) {
        size_t g = 0;

        while (g < k && (g == side || k == side || h->columns[g].group != g ||
                         !columns_match(h, g, k)))
            g++;
        h->columns[k].group = g;
    }
    e->axes = ARENA_ARRAY(e->mem, explore_axis, h->column_count + 1);
    for (unsigned varies = 1; varies < 2; varies--) {
        for (size_t k = 0; k < h->column_count; k++)
            if (k != side && h->columns[k].group == k &&
                (h->columns[k].count > 1) == varies)
                make_axis(e, k, e->axis_count++);
        e->varying = varies ? e->axis_count : e->varying;
    }
    for (size_t i = 0; i < e->axis_count; i++)
        name_values(e, &e->axes[i]);
    for (size_t i = 0; i < h->count && side != EXPLORE_NONE; i++) {
        const char *label = factor_of(&h->facts[i], SIDE);

        h->facts[i].label = strcmp(label, ABSENT) ? label : NULL;
    }
}

/* ---- Configurations ---- */

static int by_first(const void *a, const void *b)
{
    const value *p = a, *q = b;

    if (p->first != q->first)
        return p->first < q->first ? -1 : 1;
    return strcmp(p->text, q->text);
}

static void make_workloads(explore *e)
{
    struct explore_heap *h = e->heap;
    column c = {.name = "", .known = strmap_new()};

    for (size_t i = 0; i < h->count; i++) {
        const fact *f = &h->facts[i];
        size_t known = (size_t)(uintptr_t)strmap_get(c.known, f->is.workload);

        if (!known) {
            c.values = renew(c.values, c.count + 1, sizeof *c.values);
            c.values[c.count] = (value){f->is.workload, NAN, f->is.number, 0};
            known = ++c.count;
            strmap_put(c.known, f->is.workload, (void *)(uintptr_t)known);
        }
        if (f->is.number < c.values[known - 1].first)
            c.values[known - 1].first = f->is.number;
    }
    if (c.count)
        qsort(c.values, c.count, sizeof *c.values, by_first);
    e->workloads = ARENA_ARRAY(e->mem, const char *, c.count + 1);
    e->workload_count = c.count;
    for (size_t i = 0; i < c.count; i++) {
        e->workloads[i] = c.values[i].text;
        strmap_put(c.known, c.values[i].text, (void *)(uintptr_t)(i + 1));
    }
    for (size_t i = 0; i < h->count; i++)
        h->facts[i].workload =
            (size_t)(uintptr_t)strmap_get(c.known, h->facts[i].is.workload) - 1;
    strmap_free(c.known);
    free(c.values);
}

static explore_cell cell_of(const fact *f)
{
    explore_cell c = {.number = f->is.number,
                      .status = f->is.status,
                      .why = f->is.why,
                      .tail = f->is.tail,
                      .time_s = f->is.time_s,
                      .cycles = f->is.cycles,
                      .energy_j = f->is.energy_j,
                      .bits = f->is.bits,
                      .part_j = f->is.part_j,
                      .part_bits = f->is.part_bits,
                      .figures = f->is.figures};

    c.counts = !strcmp(c.status, "pass") && c.time_s > 0;
    if (!strcmp(c.status, "pass") && !c.counts) {
        c.status = "untimed";
        c.why = "it passed, but no launch was timed";
    }
    return c;
}

/* Rank of a point: one that counts above a failure, and that above a missing
 * one. */
static unsigned rank_of(const explore_cell *c)
{
    return c->counts                       ? 3
           : !c->status                    ? 0
           : !strcmp(c->status, "missing") ? 1
                                           : 2;
}

/* Of equal points the one of the highest rank, of these the first; ST_MISMATCH
 * if two count and differ. */
static status merge_cell(explore *e, explore_cell *to, const fact *f, diag *dg)
{
    explore_cell c = cell_of(f);

    if (to->counts && c.counts && to->time_s != c.time_s) {
        diag_error(dg,
                   "points %llu and %llu are the same configuration with the "
                   "workload '%s', but took %.9g s and %.9g s of simulated "
                   "time: their versions, GPUs or inputs differ; choose a "
                   "study",
                   (unsigned long long)to->number, (unsigned long long)c.number,
                   e->workloads[f->workload], to->time_s, c.time_s);
        return ST_MISMATCH;
    }
    if (rank_of(&c) > rank_of(to))
        *to = c;
    return ST_OK;
}

static void begin_config(explore *e, explore_config *c, const fact *f)
{
    c->number = f->is.number;
    c->label = f->label;
    c->at = f->at + e->heap->column_count;
    c->bits = c->part_bits = NAN;
    c->base = EXPLORE_NONE;
    c->cells = ARENA_ARRAY(e->mem, explore_cell, e->workload_count);
}

static void end_config(explore *e, explore_config *c)
{
    for (size_t w = 0; w < e->workload_count; w++) {
        explore_cell *x = &c->cells[w];

        if (!x->status) {
            x->status = e->planned ? "not planned" : "missing";
            x->number = EXPLORE_NO_POINT;
            x->time_s = x->cycles = x->energy_j = x->bits = NAN;
            x->part_j = x->part_bits = NAN;
            x->figures = copy_figures(e, NULL);
        }
        if (isnan(c->bits) && x->counts)
            c->bits = x->bits;
        if (isnan(c->part_bits) && x->counts && x->part_bits > 0)
            c->part_bits = x->part_bits;
    }
}

static int by_values(const void *a, const void *b, void *axes)
{
    const explore_config *const *p = a, *const *q = b;

    for (size_t i = 0; i < *(size_t *)axes; i++)
        if ((*p)->at[i] != (*q)->at[i])
            return (*p)->at[i] < (*q)->at[i] ? -1 : 1;
    return 0;
}

static int by_number(const void *a, const void *b, void *axes)
{
    const explore_config *p = a, *q = b;

    if (p->number != q->number)
        return p->number < q->number ? -1 : 1;
    return by_values(&p, &q, axes);
}

static status make_configs(explore *e, diag *dg)
{
    struct explore_heap *h = e->heap;
    fact_order o = {h->column_count, h->column_count + e->axis_count,
                    EXPLORE_NONE};
    fact **order = sorted_facts(h, &o);
    status st = ST_OK;

    e->configs = ARENA_ARRAY(e->mem, explore_config, h->count + 1);
    for (size_t i = 0; i < h->count && st == ST_OK; i++) {
        fact *f = order[i];
        explore_config *c;

        if (!i || compare_at(order[i - 1], f, &o))
            begin_config(e, &e->configs[e->config_count++], f);
        c = &e->configs[e->config_count - 1];
        if (f->is.number < c->number)
            c->number = f->is.number;
        c->label = c->label ? c->label : f->label;
        st = merge_cell(e, &c->cells[f->workload], f, dg);
    }
    free(order);
    if (st != ST_OK)
        return st;
    for (size_t i = 0; i < e->config_count; i++)
        end_config(e, &e->configs[i]);
    qsort_r(e->configs, e->config_count, sizeof *e->configs, by_number,
            &e->axis_count);
    h->sorted = ARENA_ARRAY(e->mem, explore_config *, e->config_count + 1);
    for (size_t i = 0; i < e->config_count; i++)
        h->sorted[i] = &e->configs[i];
    qsort_r(h->sorted, e->config_count, sizeof *h->sorted, by_values,
            &e->axis_count);
    return ST_OK;
}

size_t explore_at(const explore *e, const size_t *at)
{
    const struct explore_heap *h = e->heap;
    explore_config key = {.at = (size_t *)at}, *p = &key;
    size_t from = 0, to = e->config_count, axes = e->axis_count;

    while (from < to) {
        size_t i = from + (to - from) / 2;
        int c = by_values(&p, &h->sorted[i], &axes);

        if (!c)
            return (size_t)(h->sorted[i] - e->configs);
        if (c < 0)
            to = i;
        else
            from = i + 1;
    }
    return EXPLORE_NONE;
}

status explore_make_space(explore *e, diag *dg)
{
    read_factors(e);
    make_workloads(e);
    make_axes(e);
    return make_configs(e, dg);
}
