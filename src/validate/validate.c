/* src/validate/validate.c - see validate.h. */
#include "validate/validate.h"

#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/strbuf.h"

/* ---- Values of runs ---- */

/* `scan*` means scan<int>, too; who writes < means one of them. */
static bool is_kernel(const char *pattern, const char *name)
{
    size_t n = strcspn(name, "<");
    char base[512];

    if (fnmatch(pattern, name, 0) == 0)
        return true;
    if (strchr(pattern, '<') || n >= sizeof base)
        return false;
    memcpy(base, name, n);
    base[n] = '\0';
    return fnmatch(pattern, base, 0) == 0;
}

/* Of timed launches; NAN: there is no such figure. */
static double figure_of_run(const measure_sum *s, const char *name)
{
#define SUM(id, ...)                                                           \
    if (!strcmp(name, #id))                                                    \
        return (double)s->id;
#include "stats/sums.def"
#undef SUM
    for (size_t i = 0; i < s->counter_count; i++)
        if (!s->counters[i].hist && !strcmp(s->counters[i].name, name))
            return (double)s->counters[i].value;
    return NAN;
}

/* The mean of a launch. */
static double figure_of_kernel(const measure_kernel *all, const char *name)
{
    double v = strcmp(name, "cycles") ? all->time_s : (double)all->cycles;

    return v / (double)all->timed;
}

/* The kernels of the row as one; timed 0: there is none. */
static measure_kernel kernels_of_row(const measure_sum *s, const char *pattern)
{
    measure_kernel all = {0};

    for (size_t i = 0; i < s->kernel_count; i++)
        if (is_kernel(pattern, s->kernels[i].name)) {
            all.timed += s->kernels[i].timed;
            all.cycles += s->kernels[i].cycles;
            all.time_s += s->kernels[i].time_s;
        }
    return all;
}

static const char *no_kernel(const measure_sum *s, const char *pattern,
                             arena *mem)
{
    const char *text;
    strbuf b = {0};

    strbuf_printf(&b, "no launch of a kernel '%s' was timed", pattern);
    for (size_t i = 0; i < s->kernel_count; i++)
        strbuf_printf(&b, "%s %s",
                      i ? "," : "; these were:", s->kernels[i].name);
    text = arena_strdup(mem, b.text);
    strbuf_fini(&b);
    return text;
}

/* Why a run has no value; NULL: it has. */
static const char *why_none(const measure_run *r, arena *mem)
{
    const suite_result *is = &r->result;

    if (!r->done)
        return "it was not run";
    if (is->verdict != SUITE_PASS)
        return arena_printf(mem, "%s%s%s", suite_verdict_text(is->verdict),
                            is->why ? ": " : "", is->why ? is->why : "");
    if (r->sum.failed)
        return arena_printf(mem, "%llu of its launches failed",
                            (unsigned long long)r->sum.failed);
    if (!r->sum.timed)
        return "no launch was timed";
    return NULL;
}

/* The number behind `prints`; NAN: no line begins so. */
static double figure_printed(suite_output out, const char *prints)
{
    const char *at = out.text, *stop = at + out.size;
    size_t n = strlen(prints);

    for (; at && at < stop; at++) {
        const char *end = memchr(at, '\n', (size_t)(stop - at));
        char number[64], *behind;
        size_t rest;

        end = end ? end : stop;
        rest = (size_t)(end - at);
        if (rest > n && rest - n < sizeof number && !memcmp(at, prints, n)) {
            memcpy(number, at + n, rest - n);
            number[rest - n] = '\0';
            double value = strtod(number, &behind);
            return behind == number ? NAN : value;
        }
        at = end;
    }
    return NAN;
}

static void take_printed(validate *v, validate_row *to, const measure_run *r)
{
    to->ours = figure_printed(r->result.out, to->is->prints);
    if (isnan(to->ours))
        to->why =
            arena_printf(v->mem, "it printed no line '%s...'", to->is->prints);
}

void validate_take_run(validate *v, validate_row *to, const measure_run *r)
{
    const truth_row *is = to->is;
    const measure_sum *s = &r->sum;
    measure_kernel kernels = {0};
    double *values;

    to->ours = NAN;
    to->why = why_none(r, v->mem);
    if (!to->why && is->kernel) {
        kernels = kernels_of_row(s, is->kernel);
        if (!kernels.timed)
            to->why = no_kernel(s, is->kernel, v->mem);
    }
    if (to->why)
        return;
    if (is->prints) {
        take_printed(v, to, r);
        return;
    }
    values = ARENA_ARRAY(v->mem, double, formula_count(is->formula) + 1);
    for (size_t i = 0; i < formula_count(is->formula); i++) {
        const char *name = formula_name(is->formula, i);

        values[i] = is->kernel ? figure_of_kernel(&kernels, name)
                               : figure_of_run(s, name);
        if (isnan(values[i]))
            to->why = arena_printf(
                v->mem, "the GPU that was simulated has no '%s'", name);
    }
    if (to->why)
        return;
    to->ours = formula_value(is->formula, values) * is->scale;
    if (!isfinite(to->ours))
        to->why = "it divides by 0";
}

void validate_take_probe(validate_row *to, const probe_found *found, arena *mem)
{
    const probe_value *p =
        found ? probe_found_get(found, to->is->metric) : NULL;

    to->ours = NAN;
    to->why = NULL;
    if (!found)
        to->why = "its probe did not come to an end";
    else if (!p)
        to->why = arena_printf(mem, "probe %s found no '%s' on this GPU",
                               to->is->probe, to->is->metric);
    else if (p->word)
        to->why = arena_printf(mem, "'%s' is a word, '%s', no number",
                               to->is->metric, p->word);
    else
        to->ours = p->number;
}

void validate_note(validate *v, const char *fmt, ...)
{
    strbuf b = {0};
    va_list ap;

    va_start(ap, fmt);
    strbuf_vprintf(&b, fmt, ap);
    va_end(ap);
    ARENA_GROW(v->mem, v->notes, v->note_count, v->note_room);
    v->notes[v->note_count++] = arena_strdup(v->mem, b.text);
    strbuf_fini(&b);
}

double validate_error(const validate_row *r)
{
    return r->why ? NAN : r->ours / r->is->value - 1;
}

/* ---- Scores ---- */

typedef bool in_score(const validate_row *r, const void *of);

static bool is_any(const validate_row *r, const void *of)
{
    (void)r, (void)of;
    return true;
}

static bool is_class(const validate_row *r, const void *of)
{
    return !strcmp(r->is->class, of);
}

static bool is_input(const validate_row *r, const void *of)
{
    return r->is->input == *(const truth_input *)of;
}

static bool is_fitted(const validate_row *r, const void *of)
{
    return r->is->fitted == *(const bool *)of;
}

/* Of a half, perhaps only those of a class. */
typedef struct half_class {
    truth_half half;
    const char *class;
} half_class;

static bool is_half(const validate_row *r, const void *of)
{
    const half_class *h = of;

    return r->is->half == h->half &&
           (!h->class || !strcmp(r->is->class, h->class));
}

/* What another simulator says; NULL: nothing. */
static const truth_other *other_of(const validate_row *r, const char *name)
{
    for (size_t i = 0; i < r->is->other_count; i++)
        if (!strcmp(r->is->others[i].name, name))
            return &r->is->others[i];
    return NULL;
}

static bool has_other(const validate_row *r, const void *of)
{
    return other_of(r, of) != NULL;
}

/* Of the rows for which `is` holds; of nothing there is none. */
static void add_score(validate *v, const validate_score *like, in_score *is,
                      const void *of)
{
    validate_score *to = &v->scores[v->score_count];
    double *ours = ARENA_ARRAY(v->mem, double, v->count + 1);
    double *theirs = ARENA_ARRAY(v->mem, double, v->count + 1);
    size_t *at = ARENA_ARRAY(v->mem, size_t, v->count + 1), n = 0;

    *to = *like;
    for (size_t i = 0; i < v->count; i++) {
        const validate_row *r = &v->rows[i];

        if (!is(r, of))
            continue;
        to->rows++;
        if (r->why)
            continue;
        ours[n] = like->of ? other_of(r, like->of)->value : r->ours;
        theirs[n] = r->is->value;
        at[n++] = i;
    }
    if (!to->rows)
        return;
    to->is = agreement_of(ours, theirs, n);
    to->is.worst = n ? at[to->is.worst] : 0;
    v->score_count++;
}

static bool is_first_class(const validate *v, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!strcmp(v->rows[k].is->class, v->rows[i].is->class))
            return false;
    return *v->rows[i].is->class;
}

static bool is_first_other(const validate *v, size_t i, size_t o)
{
    for (size_t k = 0; k < i; k++)
        if (other_of(&v->rows[k], v->rows[i].is->others[o].name))
            return false;
    return true;
}

/* Both on the rows of which the other says something. */
static void add_others(validate *v, const validate_row *r, size_t o)
{
    const char *name = r->is->others[o].name;
    const char *group = arena_printf(v->mem, "with %s", name);

    add_score(v, &(validate_score){.group = group, .name = "ours"}, has_other,
              name);
    add_score(v,
              &(validate_score){.group = group, .name = "its own", .of = name},
              has_other, name);
}

static size_t scores_most(const validate *v)
{
    size_t n = (v->count + 1) * TRUTH_HALF_COUNT + TRUTH_INPUT_COUNT + 3;

    for (size_t i = 0; i < v->count; i++)
        n += 2 * v->rows[i].is->other_count;
    return n;
}

/* Each half, and its classes. */
static void add_halves(validate *v)
{
    for (truth_half h = TRUTH_HALF_TUNING; h < TRUTH_HALF_COUNT; h++) {
        half_class is = {h, NULL};

        add_score(
            v, &(validate_score){.group = "half", .name = truth_half_text(h)},
            is_half, &is);
        for (size_t i = 0; i < v->count; i++) {
            is.class = v->rows[i].is->class;
            if (is_first_class(v, i))
                add_score(
                    v,
                    &(validate_score){.group = arena_printf(v->mem, "half: %s",
                                                            truth_half_text(h)),
                                      .name = is.class},
                    is_half, &is);
        }
    }
}

void validate_finish(validate *v)
{
    static const bool fitted[] = {true, false};

    v->scores = ARENA_ARRAY(v->mem, validate_score, scores_most(v));
    v->score_count = v->measured = 0;
    for (size_t i = 0; i < v->count; i++)
        v->measured += !v->rows[i].why;
    add_score(v, &(validate_score){.group = "all", .name = "all rows"}, is_any,
              NULL);
    for (size_t i = 0; i < v->count; i++)
        if (is_first_class(v, i))
            add_score(v,
                      &(validate_score){.group = "class",
                                        .name = v->rows[i].is->class},
                      is_class, v->rows[i].is->class);
    for (truth_input i = 0; i < TRUTH_INPUT_COUNT; i++)
        add_score(
            v, &(validate_score){.group = "input", .name = truth_input_text(i)},
            is_input, &i);
    for (size_t i = 0; i < COUNTOF(fitted); i++)
        add_score(v,
                  &(validate_score){.group = "parameters",
                                    .name = fitted[i] ? "fitted" : "checked"},
                  is_fitted, &fitted[i]);
    add_halves(v);
    for (size_t i = 0; i < v->count; i++)
        for (size_t o = 0; o < v->rows[i].is->other_count; o++)
            if (is_first_other(v, i, o))
                add_others(v, &v->rows[i], o);
}

const validate_score *validate_all(const validate *v)
{
    return v->score_count ? &v->scores[0] : NULL;
}
