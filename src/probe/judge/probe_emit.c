#include "probe/judge/probe_emit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "config/param.h"

enum { PATH = 64 };

/* Sizes are found to a few hundredths where lines do not spread evenly. */
static const double size_error = 0.03;

typedef struct emitter {
    const probe_found *found, *base;
    config cfg;         /* being made */
    const char **probe; /* of each parameter, that found it; NULL: none */
} emitter;

const char *probe_preset(const config *cfg)
{
    switch (cfg->gpu.arch) {
    case CFG_ARCH_FERMI:
        return "gtx480";
    case CFG_ARCH_KEPLER:
        return cfg->sm.dual.codes ? "k20" : "k20-single";
    case CFG_ARCH_VOLTA:
        break;
    case CFG_ARCH_AMPERE:
        return "a100";
    case CFG_ARCH_HOPPER:
        return "h100";
    }
    return "v100";
}

/* The number found; NAN: none. */
static double number_found(const probe_found *f, const char *id)
{
    const probe_value *v = probe_found_get(f, id);

    return v && !v->word ? v->number : NAN;
}

static const char *word(const probe_found *f, const char *id)
{
    const probe_value *v = probe_found_get(f, id);

    return v ? v->word : NULL;
}

/* ---- Values ---- */

/* Within the parameter's range; nothing if the value is NAN. */
static void put_param(emitter *e, const char *path, const char *id,
                      double value)
{
    const config_param *p = config_param_find(path);
    const probe_value *v = probe_found_get(e->found, id);

    MUST(p != NULL);
    if (isnan(value) || !v)
        return;
    value = round(value);
    value = fmin(fmax(value, (double)p->min), (double)p->max);
    config_put_number(&e->cfg, p, (uint64_t)value);
    for (size_t i = 0; i < config_param_count(); i++)
        if (config_param_get(i) == p)
            e->probe[i] = v->probe;
}

static double old(const emitter *e, const char *path)
{
    return (double)config_number(&e->cfg, config_param_find(path));
}

static void add_to_param(emitter *e, const char *path, const char *id,
                         const char *less, double factor)
{
    double more = number_found(e->found, id) - number_found(e->base, id);

    if (*less)
        more -= number_found(e->found, less) - number_found(e->base, less);
    put_param(e, path, id, old(e, path) + factor * more);
}

/* 1 where one of them was not found. */
static double ratio_of(const emitter *e, const char *id)
{
    double r = *id ? number_found(e->found, id) / number_found(e->base, id) : 1;

    return isnan(r) ? 1 : r;
}

/* Sets of a cache whose index is hashed are a power of two. */
static double whole_sets(const emitter *e, const char *path, double sets)
{
    char index[PATH];
    const char *last = strrchr(path, '.');

    if (strcmp(last, ".sets"))
        return sets;
    snprintf(index, sizeof index, "%.*s.index", (int)(last - path), path);
    return (int)old(e, index) == CFG_INDEX_MOD ? sets : exp2(round(log2(sets)));
}

static void scale_param(emitter *e, const char *path, const char *id,
                        const char *per, const char *each)
{
    double r = number_found(e->found, id) / number_found(e->base, id) /
               (ratio_of(e, per) * ratio_of(e, each));

    if (fabs(r - 1) < size_error)
        put_param(e, path, id, old(e, path));
    else
        put_param(e, path, id, whole_sets(e, path, r * old(e, path)));
}

static void emit_rows(emitter *e)
{
#define SET(path, id, factor)                                                  \
    put_param(e, path, id, factor *number_found(e->found, id));
#define ADD(path, id, less, factor) add_to_param(e, path, id, less, factor);
#define RATIO(path, id, per, each)  scale_param(e, path, id, per, each);
#include "probe/judge/probe_emit.def"
#undef SET
#undef ADD
#undef RATIO
}

/* ---- What is not a row ---- */

/* Latencies are found; intervals are in proportion to what is done in a
 * cycle. */
static void classes(emitter *e)
{
    char path[PATH], id[PATH];

    for (size_t i = 0; i < e->found->value_count; i++) {
        const char *name = e->found->values[i].id;

        if (!strncmp(name, "latency.", 8) && strcmp(name, "latency.ldc")) {
            snprintf(path, sizeof path, "sm.op.%s.latency", name + 8);
            put_param(e, path, name, e->found->values[i].number);
        } else if (!strncmp(name, "throughput.", 11)) {
            double r;

            snprintf(path, sizeof path, "sm.op.%s.interval", name + 11);
            snprintf(id, sizeof id, "%s", name);
            r = number_found(e->base, id) / number_found(e->found, id);
            put_param(e, path, id,
                      fabs(r - 1) < size_error ? old(e, path)
                                               : r * old(e, path));
        }
    }
}

/* Sizes of the levels that the preset has, in whole sets. */
static void icaches(emitter *e)
{
    static const char *const levels[] = {"sm.l0i", "sm.l1i", "sm.l15"};
    unsigned n = 1;

    for (size_t i = 0; i < 3; i++) {
        char bytes[PATH], part[PATH], id[PATH];

        snprintf(bytes, sizeof bytes, "%s.bytes", levels[i]);
        if (old(e, bytes) < 1)
            continue;
        snprintf(id, sizeof id, "icache.%u", n++);
        snprintf(part, sizeof part, "%s.line", levels[i]);
        double set = old(e, part),
               r = number_found(e->found, id) / number_found(e->base, id);
        snprintf(part, sizeof part, "%s.ways", levels[i]);
        set *= old(e, part);
        put_param(e, bytes, id,
                  fabs(r - 1) < size_error
                      ? old(e, bytes)
                      : set * round(r * old(e, bytes) / set));
    }
}

static void words(emitter *e)
{
    const char *globals = word(e->found, "l1.globals");
    const char *map = word(e->found, "banks.map");

    if (globals)
        put_param(e, "l1.globals", "l1.globals", !strcmp(globals, "yes"));
    if (map && !strcmp(map, "bits 0 2"))
        put_param(e, "sm.rf.bank_map", "banks.map", CFG_BANK_MAP_KEPLER);
    else if (map && e->cfg.sm.rf.bank_map == CFG_BANK_MAP_KEPLER)
        put_param(e, "sm.rf.bank_map", "banks.map", CFG_BANK_MAP_MOD);
}

/* What control codes do, if anything, and which schedulers share a unit, which
 * shows in pairs only. */
static void emit_dual(emitter *e)
{
    const char *pairs = word(e->found, "codes.dual");
    const char *waits = word(e->found, "codes.wait");
    const char *places = word(e->found, "codes.no_pair");
    const char *arbiter = word(e->found, "pairs.arbiter");

    if (!pairs || !waits)
        return;
    bool any = strcmp(pairs, "none") != 0, obeyed = !strcmp(waits, "yes");

    put_param(e, "sm.issue.width", "codes.dual", any ? 2 : 1);
    put_param(e, "sm.dual.codes", "codes.wait", any || obeyed);
    put_param(e, "sm.dual.waits", "codes.wait", obeyed);
    if (!any)
        return;
    put_param(e, "sm.unit.fma.shared", "pairs.units",
              number_found(e->found, "pairs.units"));
    if (places)
        put_param(e, "sm.dual.first", "codes.no_pair",
                  strchr(places, '1') == NULL);
    if (arbiter)
        put_param(e, "sm.dual.arbiter", "pairs.arbiter",
                  strcmp(arbiter, "fixed") ? CFG_ARBITER_ALTERNATE
                                           : CFG_ARBITER_FIXED);
}

/* ---- The file ---- */

/* Opens the sections of `path` that those of `before` were not in. */
static void put_sections(const char *before, const char *path, strbuf *out)
{
    unsigned depth = 0;
    bool same = true;

    for (const char *at = path, *dot; (dot = strchr(at, '.')); at = dot + 1) {
        size_t n = (size_t)(dot + 1 - path);

        same = same && !strncmp(before, path, n);
        if (!same)
            strbuf_printf(out, "%*s%.*s:\n", 2 * depth, "", (int)(dot - at),
                          at);
        depth++;
    }
}

static void put_values(const emitter *e, strbuf *out)
{
    const char *before = "";

    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *p = config_param_get(i);
        unsigned depth = 0;

        if (!e->probe[i])
            continue;
        put_sections(before, p->path, out);
        for (const char *c = p->path; *c; c++)
            depth += *c == '.';
        strbuf_printf(out, "%*s%s: ", 2 * depth, "", p->id);
        config_value(&e->cfg, p, out);
        strbuf_printf(out, " # found by %s\n", e->probe[i]);
        before = p->path;
    }
}

void probe_emit(const probe_found *found, const probe_found *base,
                const config *cfg, const char *preset, strbuf *out)
{
    emitter e = {.found = found, .base = base, .cfg = *cfg};

    e.probe = new0(config_param_count(), sizeof *e.probe);
    emit_rows(&e);
    classes(&e);
    icaches(&e);
    words(&e);
    emit_dual(&e);
    strbuf_printf(out,
                  "# What probes found; the rest is the preset's.\n"
                  "extends: %s\n",
                  preset);
    put_values(&e, out);
    free(e.probe);
}
