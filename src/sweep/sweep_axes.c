/* src/sweep/sweep_axes.c - what a plan varies: axes and their values, which of
 * them go together, and the values that speed-ups refer to. */
#include <inttypes.h>
#include <string.h>

#include "base/must.h"
#include "base/strbuf.h"
#include "study/mechanism.h"
#include "sweep/sweep_impl.h"

enum { VALUES_MOST = 100000 };

/* ---- Values ---- */

/* The value of the scratch configuration as text. */
static const char *canonical(sweep_reader *r, const config_param *p)
{
    strbuf text = {0};
    const char *copy;

    if (p->kind == CONFIG_STRING)
        return arena_strdup(r->p->mem, config_text(&r->scratch, p));
    config_value(&r->scratch, p, &text);
    copy = arena_strdup(r->p->mem, text.text);
    strbuf_fini(&text);
    return copy;
}

static sweep_set make_set(sweep_reader *r, const config_param *p)
{
    const char *value = canonical(r, p);

    return (sweep_set){p, arena_printf(r->p->mem, "%s=%s", p->path, value),
                       value};
}

static bool put_axis_value(sweep_reader *r, yml_place at, const config_param *p,
                           const char *text)
{
    strbuf why = {0};
    bool good = config_put(&r->scratch, p, text, &why);

    if (!good)
        yml_wrong(&r->y, at, "%s", why.text);
    strbuf_fini(&why);
    return good;
}

static void unknown_param(sweep_reader *r, yml_place at, const char *path,
                          const char *more)
{
    const char *near = config_param_suggest(path);

    if (config_section_find(path))
        yml_wrong(&r->y, at, "'%s' is a section, not a parameter", path);
    else if (near)
        yml_wrong(&r->y, at, "unknown parameter '%s' (did you mean '%s'?)%s",
                  path, near, more);
    else
        yml_wrong(&r->y, at, "unknown parameter '%s'%s", path, more);
}

void sweep_read_sets(sweep_reader *r, const yml_node *n, const char *what,
                     sweep_sets *to)
{
    *to = (sweep_sets){0};
    if (n->kind == YML_SCALAR && !*n->text)
        return;
    if (!yml_is_kind(&r->y, n, YML_MAP, what))
        return;
    to->set = ARENA_ARRAY(r->p->mem, sweep_set, n->count + 1);
    for (const yml_node *e = n->first; e; e = e->next) {
        const config_param *p = config_param_find(e->key);

        if (!p)
            unknown_param(r, e->key_at, e->key, "");
        else if (yml_is_kind(&r->y, e, YML_SCALAR, e->key) &&
                 put_axis_value(r, *e->text ? e->at : e->key_at, p, e->text))
            to->set[to->count++] = make_set(r, p);
    }
}

static sweep_value *add_value(sweep_reader *r, sweep_axis *a, const char *label,
                              yml_place at)
{
    if (strmap_get(r->seen, label))
        yml_wrong(&r->y, at, "%s has the value %s twice", a->name, label);
    strmap_put(r->seen, label, a);
    a->values[a->count] = (sweep_value){.label = label, .at = at};
    return &a->values[a->count++];
}

/* The value that is in the scratch configuration. */
static void add_number(sweep_reader *r, sweep_axis *a, yml_place at)
{
    sweep_set s = make_set(r, a->param);
    sweep_value *v = add_value(r, a, s.value, at);

    v->sets.set = ARENA_ARRAY(r->p->mem, sweep_set, 1);
    v->sets.set[v->sets.count++] = s;
}

static void read_list(sweep_reader *r, const yml_node *n, sweep_axis *a)
{
    a->values = ARENA_ARRAY(r->p->mem, sweep_value, n->count + 1);
    for (const yml_node *e = n->first; e; e = e->next)
        if (yml_is_kind(&r->y, e, YML_SCALAR, "a value") &&
            put_axis_value(r, *e->text ? e->at : n->key_at, a->param, e->text))
            add_number(r, a, e->at);
}

/* ---- Ranges ---- */

typedef struct range {
    uint64_t from, to;
    uint64_t step, factor; /* one of them is 0 */
} range;

/* A member of the range, as the parameter has numbers. */
static bool range_number(sweep_reader *r, const yml_node *n, const char *key,
                         const config_param *p, uint64_t *to)
{
    const yml_node *v = yml_get(n, key);

    if (!v) {
        yml_wrong(&r->y, n->at,
                  "a range needs '%s', as in "
                  "{from: 2, to: 16, step: 2}",
                  key);
        return false;
    }
    if (!yml_is_kind(&r->y, v, YML_SCALAR, key))
        return false;
    if (config_read_number(p, v->text, to))
        return true;
    yml_wrong(&r->y, v->at, "'%s' is no whole number", v->text);
    return false;
}

static bool read_range(sweep_reader *r, const yml_node *n,
                       const config_param *p, range *to)
{
    static const char *const keys[] = {"from", "to", "step", "factor", NULL};
    const yml_node *step = yml_get(n, "step"), *factor = yml_get(n, "factor");
    size_t before = diag_errors(r->y.dg);

    *to = (range){.step = p->kind != CONFIG_POW2,
                  .factor = p->kind == CONFIG_POW2 ? 2 : 0};
    yml_check_keys(&r->y, n, keys);
    range_number(r, n, "from", p, &to->from);
    range_number(r, n, "to", p, &to->to);
    if (step && factor)
        yml_wrong(&r->y, factor->key_at, "a range has a step or a factor");
    if (step && range_number(r, n, "step", p, &to->step))
        to->factor = 0;
    if (factor && sweep_number(r, factor, false, 2, 1 << 20, &to->factor))
        to->step = 0;
    if (diag_errors(r->y.dg) != before)
        return false;
    if (to->from > to->to)
        yml_wrong(&r->y, n->at, "the range ends before it begins");
    else if (!to->step && !(to->factor && to->from))
        yml_wrong(&r->y, n->at, "the range never ends");
    else if (to->step && (to->to - to->from) / to->step >= VALUES_MOST)
        yml_wrong(&r->y, n->at, "the range has more than %d values",
                  VALUES_MOST);
    return diag_errors(r->y.dg) == before;
}

static void read_numbers(sweep_reader *r, const yml_node *n, sweep_axis *a)
{
    const config_param *p = a->param;
    size_t most = 64; /* doublings at most */
    range of;

    if (p->kind != CONFIG_INT && p->kind != CONFIG_POW2 &&
        p->kind != CONFIG_SIZE) {
        yml_wrong(&r->y, n->at, "%s is no number: list its values", a->name);
        return;
    }
    if (!read_range(r, n, p, &of))
        return;
    if (of.step)
        most = (of.to - of.from) / of.step + 1;
    a->values = ARENA_ARRAY(r->p->mem, sweep_value, most);
    for (uint64_t v = of.from;;) {
        const char *text = arena_printf(r->p->mem, "%" PRIu64, v);

        if (!put_axis_value(r, n->at, p, text))
            return;
        add_number(r, a, n->at);
        if (of.factor ? v > of.to / of.factor : of.to - v < of.step)
            return;
        v = of.factor ? v * of.factor : v + of.step;
    }
}

/* ---- Variants with names ---- */

static void read_variants(sweep_reader *r, const yml_node *n, sweep_axis *a)
{
    a->values = ARENA_ARRAY(r->p->mem, sweep_value, n->count + 1);
    for (const yml_node *e = n->first; e; e = e->next) {
        const char *label = arena_strdup(r->p->mem, e->key);
        sweep_value *v = add_value(r, a, label, e->key_at);

        sweep_read_sets(r, e, "a variant", &v->sets);
    }
}

/* "NAME:PATH=VALUE,..." as the table of mechanisms has it. */
static void add_side(sweep_reader *r, sweep_axis *a, const char *text,
                     yml_place at)
{
    arena *mem = r->p->mem;
    size_t n = strcspn(text, ":");
    sweep_value *v = add_value(r, a, arena_strndup(mem, text, n), at);
    size_t most = 1;

    MUST(text[n] == ':');
    text += n + 1;
    for (const char *c = text; *c; c++)
        most += *c == ',';
    v->sets.set = ARENA_ARRAY(mem, sweep_set, most);
    while (*text) {
        size_t path = strcspn(text, "="), end = strcspn(text, ",");
        const config_param *p =
            config_param_find(arena_strndup(mem, text, path));

        MUST(p != NULL && path < end);
        if (put_axis_value(r, at, p,
                           arena_strndup(mem, text + path + 1, end - path - 1)))
            v->sets.set[v->sets.count++] = make_set(r, p);
        text += end + (text[end] == ',');
    }
}

static void read_mechanism(sweep_reader *r, const yml_node *n, sweep_axis *a)
{
    const yml_node *is = yml_get(n, "mechanism");
    const char *name = sweep_text(r, is, "mechanism");
    const char *names[64];
    const mechanism *m = name ? mechanism_find(name) : NULL;
    size_t count = 0;

    if (!name)
        return;
    if (n->count > 1)
        yml_wrong(&r->y, n->at, "{mechanism: %s} has nothing else in it", name);
    while (count < mechanism_count() && count < COUNTOF(names)) {
        names[count] = mechanism_get(count)->name;
        count++;
    }
    if (!m) {
        yml_unknown(&r->y, is->at, "mechanism", name, names, count);
        return;
    }
    a->values = ARENA_ARRAY(r->p->mem, sweep_value, MECHANISM_VARIANTS + 1);
    add_side(r, a, m->against, n->at);
    for (size_t i = 0; i < MECHANISM_VARIANTS && m->with[i]; i++)
        add_side(r, a, m->with[i], n->at);
}

/* ---- Axes ---- */

static bool is_range(const yml_node *n)
{
    static const char *const keys[] = {"from", "to", "step", "factor"};

    for (size_t i = 0; i < COUNTOF(keys); i++) {
        const yml_node *v = yml_get(n, keys[i]);

        if (v && v->kind == YML_SCALAR)
            return true;
    }
    return false;
}

static void read_values(sweep_reader *r, const yml_node *n, sweep_axis *a)
{
    static const char *const taken[] = {"gpu", "workload", "size"};

    for (size_t i = 0; i < COUNTOF(taken); i++)
        if (!strcmp(a->name, taken[i]))
            yml_wrong(&r->y, n->key_at,
                      "an axis cannot be called '%s': the plan has its own",
                      a->name);
    if (n->kind == YML_MAP && yml_get(n, "mechanism") &&
        yml_get(n, "mechanism")->kind == YML_SCALAR) {
        read_mechanism(r, n, a);
    } else if (n->kind == YML_MAP && !is_range(n)) {
        read_variants(r, n, a);
    } else if (!(a->param = config_param_find(a->name))) {
        unknown_param(r, n->key_at, a->name,
                      "; an axis of another name has variants: "
                      "{NAME: {PARAMETER: VALUE}, ...}");
        return;
    } else if (n->kind == YML_MAP) {
        read_numbers(r, n, a);
    } else if (n->kind == YML_LIST) {
        read_list(r, n, a);
    } else {
        yml_wrong(&r->y, n->key_at, "%s needs a list of values or a range",
                  a->name);
        return;
    }
    if (!a->count && r->y.good)
        yml_wrong(&r->y, n->key_at, "%s has no values", a->name);
}

static void read_axis(sweep_reader *r, const yml_node *n, sweep_axis *a)
{
    r->seen = strmap_new();
    read_values(r, n, a);
    strmap_free(r->seen);
}

/* What sets each parameter: an axis, or the plan for all. */
static void check_overlap(sweep_reader *r)
{
    const sweep_plan *p = r->p;
    const char **by = ARENA_ARRAY(p->mem, const char *, config_param_count());

    for (size_t i = 0; i < p->set.count; i++)
        by[p->set.set[i].param - config_param_get(0)] = "set";
    for (size_t i = 0; i < p->axis_count; i++) {
        const sweep_axis *a = &p->axes[i];

        for (size_t v = 0; v < a->count; v++)
            for (size_t k = 0; k < a->values[v].sets.count; k++) {
                const config_param *param = a->values[v].sets.set[k].param;
                const char **who = &by[param - config_param_get(0)];

                if (*who && *who != a->name)
                    yml_wrong(&r->y, a->values[v].at,
                              "%s is given by '%s' and by '%s'", param->path,
                              *who, a->name);
                *who = a->name;
            }
    }
}

static sweep_axis *find_axis(sweep_reader *r, const char *name, yml_place at)
{
    sweep_plan *p = r->p;
    const char **names = ARENA_ARRAY(p->mem, const char *, p->axis_count + 1);

    for (size_t i = 0; i < p->axis_count; i++) {
        names[i] = p->axes[i].name;
        if (!strcmp(names[i], name))
            return &p->axes[i];
    }
    yml_unknown(&r->y, at, "axis", name, names, p->axis_count);
    return NULL;
}

/* ---- Groups ---- */

static void read_zip(sweep_reader *r, const yml_node *n)
{
    const yml_node *lead = NULL;
    sweep_axis *first = NULL;

    if (!yml_is_kind(&r->y, n, YML_LIST, "axes that go together"))
        return;
    for (const yml_node *e = n->first; e; e = e->next) {
        const char *name = sweep_text(r, e, "the name of an axis");
        sweep_axis *a = name ? find_axis(r, name, e->at) : NULL;

        if (!a)
            continue;
        if (a->group != SWEEP_NONE)
            yml_wrong(&r->y, e->at, "'%s' is zipped twice", name);
        else if (first && a->count != first->count)
            yml_wrong(&r->y, e->at,
                      "axes that go together have as many values: '%s' has "
                      "%zu, '%s' has %zu",
                      first->name, first->count, a->name, a->count);
        if (!first) {
            first = a;
            lead = e;
        }
        a->group = (size_t)(first - r->p->axes);
    }
    if (first && !lead->next)
        yml_wrong(&r->y, n->at, "two axes at least go together");
}

/* Numbers the groups by their first axes. */
static void number_groups(sweep_reader *r)
{
    sweep_plan *p = r->p;
    size_t *of = ARENA_ARRAY(p->mem, size_t, p->axis_count + 1);

    for (size_t i = 0; i < p->axis_count; i++)
        of[i] = SWEEP_NONE;
    for (size_t i = 0; i < p->axis_count; i++) {
        size_t lead = p->axes[i].group;

        lead = lead == SWEEP_NONE ? i : lead;
        if (of[lead] == SWEEP_NONE)
            of[lead] = p->group_count++;
        p->axes[i].group = of[lead];
    }
}

/* ---- The base ---- */

static size_t find_value(sweep_reader *r, const yml_node *n,
                         const sweep_axis *a)
{
    const char **names = ARENA_ARRAY(r->p->mem, const char *, a->count + 1);
    const char *want = n->text;

    if (a->param) {
        if (!put_axis_value(r, n->at, a->param, n->text))
            return SWEEP_NONE;
        want = canonical(r, a->param);
    }
    for (size_t i = 0; i < a->count; i++) {
        names[i] = a->values[i].label;
        if (!strcmp(names[i], want))
            return i;
    }
    yml_unknown(&r->y, n->at, a->name, want, names, a->count);
    return SWEEP_NONE;
}

static size_t find_gpu(sweep_reader *r, const yml_node *n)
{
    const sweep_plan *p = r->p;
    const char **names = ARENA_ARRAY(p->mem, const char *, p->gpu_count + 1);

    for (size_t i = 0; i < p->gpu_count; i++) {
        names[i] = p->gpus[i].name;
        if (!strcmp(names[i], n->text))
            return i;
    }
    yml_unknown(&r->y, n->at, "gpu", n->text, names, p->gpu_count);
    return SWEEP_NONE;
}

static void check_base(sweep_reader *r, yml_place at)
{
    const sweep_plan *p = r->p;

    for (size_t i = 0; i < p->axis_count; i++)
        for (size_t k = 0; k < i; k++) {
            const sweep_axis *a = &p->axes[i], *b = &p->axes[k];

            if (a->group == b->group && a->base != SWEEP_NONE &&
                b->base != SWEEP_NONE && a->base != b->base)
                yml_wrong(&r->y, at,
                          "'%s' and '%s' go together, but not with these "
                          "values",
                          b->name, a->name);
        }
}

static void read_base(sweep_reader *r, const yml_node *n)
{
    sweep_plan *p = r->p;

    if (!yml_is_kind(&r->y, n, YML_MAP, "base"))
        return;
    for (const yml_node *e = n->first; e; e = e->next) {
        sweep_axis *a;

        if (!yml_is_kind(&r->y, e, YML_SCALAR, e->key))
            continue;
        if (!strcmp(e->key, "gpu")) {
            p->base_gpu = find_gpu(r, e);
        } else if ((a = find_axis(r, e->key, e->key_at))) {
            a->base = find_value(r, e, a);
        }
    }
    check_base(r, n->at);
}

void sweep_read_axes(sweep_reader *r, const yml_node *axes, const yml_node *zip,
                     const yml_node *base)
{
    sweep_plan *p = r->p;

    if (axes && yml_is_kind(&r->y, axes, YML_MAP, "axes")) {
        p->axes = ARENA_ARRAY(p->mem, sweep_axis, axes->count + 1);
        for (const yml_node *n = axes->first; n; n = n->next) {
            sweep_axis *a = &p->axes[p->axis_count++];

            *a = (sweep_axis){.name = n->key,
                              .group = SWEEP_NONE,
                              .base = SWEEP_NONE,
                              .at = n->key_at};
            read_axis(r, n, a);
        }
    }
    check_overlap(r);
    if (zip && yml_is_kind(&r->y, zip, YML_LIST, "zip"))
        for (const yml_node *n = zip->first; n; n = n->next)
            read_zip(r, n);
    number_groups(r);
    if (base)
        read_base(r, base);
}
