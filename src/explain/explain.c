#include "explain/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/param.h"
#include "config/rules.h"

void explain_look(explain *x, const report_program *p)
{
    x->looks = looks_make(p, x->mem, &x->look_count);
    for (size_t i = 0; i < x->look_count; i++)
        x->cycles += x->looks[i].cycles;
}

/* ---- Which changes are worth trying ---- */

static bool put_set(config *c, const char *set, size_t length)
{
    const char *is = memchr(set, '=', length);
    strbuf why = {0};
    bool good = false;

    if (is) {
        char *path = strndup(set, (size_t)(is - set));
        char *value = strndup(is + 1, length - (size_t)(is - set) - 1);
        const config_param *p = path ? config_param_find(path) : NULL;

        good = p && value && config_put(c, p, value, &why);
        free(path);
        free(value);
    }
    strbuf_fini(&why);
    return good;
}

bool explain_fits(const config *c, const char *sets)
{
    config changed = *c;
    diag *dg = diag_new();
    bool good = true;

    while (*sets && good) {
        size_t length = strcspn(sets, ",");

        good = put_set(&changed, sets, length);
        sets += length + (sets[length] == ',');
    }
    good = good && config_check(&changed, dg) == ST_OK;
    diag_free(dg);
    return good;
}

/* What the trial sets for the kernel that speaks for it most. */
static const char *sets_of(explain *x, const explain_rule *r, const look *k)
{
    strbuf b = {0};
    const char *sets = "";

    if (r->sets)
        r->sets(k, &b);
    if (b.size && explain_fits(k->cfg, b.text))
        sets = arena_strdup(x->mem, b.text);
    strbuf_fini(&b);
    return sets;
}

static const char *figure_of(explain *x, const explain_rule *r, const look *k,
                             const look_line *worst)
{
    strbuf b = {0};
    const char *text;

    r->figure(k, worst, &b);
    text = arena_strdup(x->mem, b.text ? b.text : "");
    strbuf_fini(&b);
    return text;
}

/* What the user names is tried though the counters promise nothing of it. */
static void add_trial(explain *x, const explain_rule *r, bool named)
{
    explain_trial t = {.rule = r};
    double most = 0;

    for (size_t i = 0; i < x->look_count; i++) {
        const look *k = &x->looks[i];
        double of_it = r->most(k) * k->share;

        t.most += of_it;
        if (of_it > most) {
            most = of_it;
            t.kernel = i;
        }
    }
    if (most <= 0 && !named)
        return;
    const look *k = &x->looks[t.kernel];
    t.worst = r->of_line ? look_worst(k, r->of_line) : NULL;
    t.sets = sets_of(x, r, k);
    t.figure = figure_of(x, r, k, t.worst);
    t.wanted = named && *t.sets;
    if (named && !*t.sets)
        t.problem = "this GPU has nothing to set for it";
    x->trials[x->trial_count++] = t;
}

/* Those that can be tried before those that cannot, of equal promise. */
static int more_promising(const void *a, const void *b)
{
    const explain_trial *x = a, *y = b;

    if (x->most != y->most)
        return x->most > y->most ? -1 : 1;
    return strcmp(x->rule->id, y->rule->id);
}

/* Is it one of "banks,reuse"? */
static bool is_named(const char *names, const char *id)
{
    size_t n = strlen(id);

    while (names && *names) {
        size_t length = strcspn(names, ",");

        if (length == n && !memcmp(names, id, n))
            return true;
        names += length + (names[length] == ',');
    }
    return false;
}

void explain_choose(explain *x, const char *names, size_t most)
{
    size_t wanted = 0;

    x->trials = ARENA_ARRAY(x->mem, explain_trial, explain_rule_count());
    for (size_t i = 0; i < explain_rule_count(); i++)
        add_trial(x, explain_rule_get(i),
                  is_named(names, explain_rule_get(i)->id));
    if (x->trial_count)
        qsort(x->trials, x->trial_count, sizeof *x->trials, more_promising);
    for (size_t i = 0; !names && i < x->trial_count && wanted < most; i++) {
        explain_trial *t = &x->trials[i];

        t->wanted = *t->sets && t->most >= EXPLAIN_LEAST;
        wanted += t->wanted;
    }
}

double explain_at_most(double share)
{
    return share < 0.99 ? 1 / (1 - share) : 100;
}

/* ---- What came out ---- */

static const measure_kernel *kernel_of(const measure_sum *s, const char *name)
{
    for (size_t i = 0; i < s->kernel_count; i++)
        if (!strcmp(s->kernels[i].name, name))
            return &s->kernels[i];
    return NULL;
}

/* As many launches of each kernel, and within 1 % as many warp instructions. */
static bool is_same_work(const measure_sum *a, const measure_sum *b)
{
    if (a->kernel_count != b->kernel_count)
        return false;
    for (size_t i = 0; i < a->kernel_count; i++) {
        const measure_kernel *x = &a->kernels[i];
        const measure_kernel *y = kernel_of(b, x->name);

        if (!y || x->timed != y->timed ||
            fabs((double)x->warp_insts - (double)y->warp_insts) >
                0.01 * (double)x->warp_insts)
            return false;
    }
    return true;
}

/* Is memory at the end other than that of the run itself, as far as is known
 * and matters? */
static bool has_other_results(const explain *x, const measure_run *base,
                              const measure_run *r)
{
    return !x->any_memory && base->sum.has_hash && r->sum.has_hash &&
           base->sum.memory_hash != r->sum.memory_hash;
}

static const char *problem_of(const explain *x, const measure_run *base,
                              const measure_run *r)
{
    if (!suite_verdict_good(r->result.verdict))
        return r->result.why ? r->result.why
                             : suite_verdict_text(r->result.verdict);
    if (!r->sum.cycles)
        return "nothing was timed";
    if (has_other_results(x, base, r) && !is_same_work(&base->sum, &r->sum))
        return "it did something else than the run itself: its results and its "
               "instructions are others";
    return NULL;
}

static void finish_trial(explain *x, explain_trial *t, const measure_run *base)
{
    if (!t->run)
        return;
    t->problem = problem_of(x, base, t->run);
    if (t->problem)
        return;
    t->other_results = has_other_results(x, base, t->run);
    t->gain = (double)base->sum.cycles / (double)t->run->sum.cycles;
    t->kernel_gain = ARENA_ARRAY(x->mem, double, x->look_count + 1);
    for (size_t i = 0; i < x->look_count; i++) {
        const measure_kernel *now = kernel_of(&t->run->sum, x->looks[i].name);
        const measure_kernel *was = kernel_of(&base->sum, x->looks[i].name);

        t->kernel_gain[i] = now && was && now->cycles
                                ? (double)was->cycles / (double)now->cycles
                                : NAN;
    }
}

bool explain_tells_gain(const explain_trial *t, size_t kernel, size_t most)
{
    return !isnan(t->kernel_gain[kernel]) &&
           (kernel < most || kernel == t->kernel);
}

static int more_gained(const void *a, const void *b)
{
    const explain_trial *x = a, *y = b;

    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    return more_promising(a, b);
}

void explain_finish(explain *x, const measure_run *base)
{
    x->host_s = base->result.host_s;
    for (size_t i = 0; i < x->trial_count; i++)
        finish_trial(x, &x->trials[i], base);
    if (x->trial_count)
        qsort(x->trials, x->trial_count, sizeof *x->trials, more_gained);
}
