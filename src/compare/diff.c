/* src/compare/diff.c - sides that come from anywhere as a comparison; see
 * diff.h.
 */
#include "compare/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/strbuf.h"

typedef struct joiner {
    arena *mem;
    diff_side *sides;
    size_t count;
    compare *to;
    compare_diff *diff;
    size_t room; /* of diff->only */
} joiner;

/* ---- Labels ---- */

/* All are there and no two are equal. */
static bool distinct(const joiner *j, const char *const *names)
{
    for (size_t i = 0; i < j->count; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(names[i], names[k]))
                return false;
    return true;
}

/* The GPUs if these differ, else the sides of a comparison, else the words that
 * named them, or their ends if these are enough. */
static void make_labels(joiner *j)
{
    const char **names = ARENA_ARRAY(j->mem, const char *, j->count);
    bool there = true;

    for (size_t s = 0; s < j->count; s++)
        there &= j->sides[s].label != NULL;
    if (there)
        return;
    for (size_t s = 0; s < j->count; s++)
        names[s] = diff_base_name(j->sides[s].gpu);
    if (!distinct(j, names))
        for (size_t s = 0; s < j->count; s++)
            names[s] = j->sides[s].side ? j->sides[s].side : "";
    if (!distinct(j, names))
        for (size_t s = 0; s < j->count; s++)
            names[s] = diff_base_name(j->sides[s].from);
    if (!distinct(j, names))
        for (size_t s = 0; s < j->count; s++)
            names[s] = j->sides[s].from;
    if (!distinct(j, names)) /* one file against itself */
        for (size_t s = 0; s < j->count; s++)
            names[s] = arena_printf(j->mem, "%zu:%s", s + 1, names[s]);
    for (size_t s = 0; s < j->count; s++)
        j->sides[s].label = names[s];
}

/* "old.db:3 of Heddle 0.1.0, on Tesla V100". */
static const char *from_text(const joiner *j, const diff_side *s)
{
    bool named = strcmp(s->from, s->label) != 0;

    return arena_printf(
        j->mem, "%s%s%s%s%s%s", named ? s->from : "",
        s->version ? named ? " of Heddle " : "Heddle " : "",
        s->version ? s->version : "", named || s->version ? ", on " : "",
        s->cfg->gpu.name,
        s->guessed ? " (parameters not known: those of the preset)" : "");
}

static void make_side(joiner *j, size_t s)
{
    const diff_side *from = &j->sides[s];
    report_gpu *on = ARENA_NEW(j->mem, report_gpu);

    *on = (report_gpu){from->gpu, from->cfg};
    j->to->sides[s] = (measure_side){.label = from->label,
                                     .assignments = "",
                                     .from = from_text(j, from),
                                     .gpus = on,
                                     .gpu_count = 1};
}

/* ---- Workloads ---- */

static bool same_entry(const diff_entry *a, const diff_entry *b)
{
    return !strcmp(a->name, b->name) &&
           (a->size == b->size ||
            (a->size && b->size && !strcmp(a->size, b->size)));
}

static const char *label_of(const joiner *j, const diff_entry *e)
{
    return e->size ? arena_printf(j->mem, "%s/%s", e->name, e->size) : e->name;
}

static const diff_entry *find_entry(const diff_side *s, const diff_entry *like)
{
    for (size_t i = 0; i < s->count; i++)
        if (same_entry(&s->entries[i], like))
            return &s->entries[i];
    return NULL;
}

static void add_only_entry(joiner *j, const diff_entry *e, size_t s)
{
    compare_diff *d = j->diff;

    ARENA_GROW(j->mem, d->only, d->only_count, j->room);
    d->only[d->only_count++] = arena_printf(
        j->mem, s && j->count > 2 ? "%s: not in %s" : "%s: only in %s",
        label_of(j, e), j->sides[j->count > 2 ? 0 : s].label);
}

/* Has a side between the base and this one it, too? Then it was reported. */
static bool was_reported(const joiner *j, const diff_entry *e, size_t s)
{
    for (size_t k = 1; k < s; k++)
        if (find_entry(&j->sides[k], e))
            return true;
    return false;
}

static compare_workload *add_workload(joiner *j, const char *name,
                                      const char *size, const char *label)
{
    compare_workload *w = &j->to->workloads[j->to->count++];

    w->is = (workload){.name = name, .size = size, .label = label};
    w->runs = ARENA_ARRAY(j->mem, measure_run, j->count);
    return w;
}

/* A single one on each side is the same work, whatever it is called. */
static bool join_single(joiner *j)
{
    compare_workload *w;
    strbuf names = {0};

    for (size_t s = 0; s < j->count; s++)
        if (j->sides[s].count != 1)
            return false;
    for (size_t s = 0; s < j->count; s++) {
        const diff_entry *e = j->sides[s].entries;
        bool told = false;

        for (size_t k = 0; k < s && !told; k++)
            told = same_entry(e, j->sides[k].entries);
        if (!told)
            strbuf_printf(&names, "%s%s", names.size ? " | " : "",
                          label_of(j, e));
    }
    w = add_workload(j, arena_strdup(j->mem, names.text), NULL,
                     arena_strdup(j->mem, names.text));
    for (size_t s = 0; s < j->count; s++)
        w->runs[s] = j->sides[s].entries->run;
    strbuf_fini(&names);
    return true;
}

/* Workloads of the base that another side has, too, in its order. */
static void join_by_name(joiner *j)
{
    const diff_side *base = &j->sides[0];

    for (size_t i = 0; i < base->count; i++) {
        const diff_entry *e = &base->entries[i];
        compare_workload *w = NULL;

        for (size_t s = 1; s < j->count; s++) {
            const diff_entry *other = find_entry(&j->sides[s], e);

            if (!other)
                continue;
            if (!w)
                w = add_workload(j, e->name, e->size, label_of(j, e));
            w->runs[0] = e->run;
            w->runs[s] = other->run;
        }
        if (!w)
            add_only_entry(j, e, 0);
    }
    for (size_t s = 1; s < j->count; s++)
        for (size_t i = 0; i < j->sides[s].count; i++)
            if (!find_entry(base, &j->sides[s].entries[i]) &&
                !was_reported(j, &j->sides[s].entries[i], s))
                add_only_entry(j, &j->sides[s].entries[i], s);
}

/* ---- What cannot be compared ---- */

static void add_difference(joiner *j, size_t s, const char *text)
{
    compare_apart *a = &j->diff->apart[s];

    MUST(a->count < COMPARE_APART);
    a->text[a->count++] = text;
}

static const char *mhz(const joiner *j, size_t s)
{
    return arena_printf(j->mem, "%g MHz",
                        j->sides[s].cfg->gpu.clock_khz / 1000.);
}

static void compare_machines(joiner *j, size_t s)
{
    const config *b = j->sides[0].cfg, *v = j->sides[s].cfg;
    unsigned of[2] = {b->gpu.sms * b->sm.issue.schedulers,
                      v->gpu.sms * v->sm.issue.schedulers};

    if (b->gpu.clock_khz != v->gpu.clock_khz)
        add_difference(
            j, s,
            arena_printf(j->mem,
                         "a cycle is not as long on both, at %s and %s: the "
                         "speed-up is one of simulated time",
                         mhz(j, 0), mhz(j, s)));
    if (of[0] != of[1])
        add_difference(
            j, s,
            arena_printf(j->mem,
                         "%u schedulers and %u: shares of slots are of each "
                         "side's own",
                         of[0], of[1]));
    if (strcmp(b->energy.status, v->energy.status) != 0)
        add_difference(
            j, s,
            arena_printf(j->mem, "energies are those of two models: %s, and %s",
                         b->energy.status, v->energy.status));
    if (j->sides[0].guessed || j->sides[s].guessed)
        add_difference(
            j, s, "bits stored are those of presets: JSON has no parameters");
}

static size_t block_length(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot ? (size_t)(dot - name) : 0;
}

/* "sm[*].queue (v100)": counters stand by blocks. */
static void compare_blocks(joiner *j, size_t s)
{
    const compare *c = j->to;
    strbuf names = {0};
    const char *last = "";

    for (size_t i = 0; i < c->counter_count; i++) {
        const char *name = c->counters[i].name;
        size_t n = block_length(name);

        if (!compare_is_apart(c, s, i) ||
            (block_length(last) == n && !memcmp(last, name, n)))
            continue;
        last = name;
        strbuf_printf(&names, "%s%.*s (%s)", names.size ? ", " : "", (int)n,
                      name,
                      compare_uses_block(c, 0, i) ? c->sides[0].label
                                                  : c->sides[s].label);
    }
    if (names.size)
        add_difference(
            j, s,
            arena_printf(j->mem,
                         "counters of blocks that only one side uses: "
                         "%s",
                         names.text));
    strbuf_fini(&names);
}

/* Reasons to lose a slot that only one side ever had. */
static void compare_reasons(joiner *j, size_t s)
{
    const compare *c = j->to;
    const compare_reason *r = c->summaries[s].reasons;
    strbuf names = {0};

    for (size_t i = 0; i < c->reason_count; i++)
        if ((r[i].base > 0) != (r[i].variant > 0))
            strbuf_printf(
                &names, "%s%s (%s)", names.size ? ", " : "", c->reasons[i],
                r[i].base > 0 ? c->sides[0].label : c->sides[s].label);
    if (names.size)
        add_difference(
            j, s,
            arena_printf(j->mem,
                         "reasons for lost slots that only one side has: %s",
                         names.text));
    strbuf_fini(&names);
}

/* ---- All of it ---- */

status diff_join(diff_side *sides, size_t count, arena *mem, diag *dg,
                 compare *out)
{
    joiner j = {.mem = mem, .sides = sides, .count = count, .to = out};

    MUST(count > 1);
    j.diff = ARENA_NEW(mem, compare_diff);
    j.diff->apart = ARENA_ARRAY(mem, compare_apart, count);
    *out = (compare){.mem = mem,
                     .sides = ARENA_ARRAY(mem, measure_side, count),
                     .side_count = count,
                     .workloads =
                         ARENA_ARRAY(mem, compare_workload, sides[0].count + 1),
                     .allow_missing = true,
                     .allow_different = true,
                     .seconds = NAN,
                     .diff = j.diff};
    make_labels(&j);
    for (size_t s = 0; s < count; s++)
        make_side(&j, s);
    if (!join_single(&j))
        join_by_name(&j);
    if (!out->count) {
        diag_error(dg, "%s and %s have no workload in common; %s%s",
                   sides[0].from, sides[1].from, j.diff->only[0],
                   j.diff->only_count > 1 ? ", ..." : "");
        return ST_MISMATCH;
    }
    compare_finish(out);
    for (size_t s = 1; s < count; s++) {
        compare_machines(&j, s);
        compare_blocks(&j, s);
        compare_reasons(&j, s);
    }
    return ST_OK;
}
