/* tests/unit/probe/judge/probe_rig.h - a machine that no preset describes, and
 * what probes find of it. Ends the test where that fails. */
#ifndef PROBE_RIG_H
#define PROBE_RIG_H

#include <math.h>
#include <string.h>

#include "config/rules.h"
#include "config/sheet.h"
#include "probe/judge/probe_device.h"
#include "probe/judge/probe_truth.h"
#include "probe/probe.h"
#include "test.h"

enum { PROBES = 64 };

typedef struct machine {
    config_sheet *sheet;
    const config *cfg;
    diag *dg;
    probe_found found;
} machine;

static inline void must(const machine *m, bool good)
{
    if (!good)
        TEST_FAIL("%s", diag_count(m->dg) ? diag_get(m->dg, 0)->text : "?");
}

/* Runs the probes whose names stand in `list`, NULL at the end. */
static inline void run(machine *m, const char *const *list)
{
    bool wanted[PROBES] = {false};
    const rt_options how = {.threads = 1};
    probe_device *d = probe_device_new(m->cfg, &how, NULL, m->dg);

    must(m, d != NULL);
    probe_found_init(&m->found);
    for (; *list; list++)
        wanted[probe_find(*list) - probe_table] = true;
    must(m, probe_suite(&(probe_options){.machine = probe_device_machine(d),
                                         .wanted = wanted},
                        &m->found, m->dg) == ST_OK);
    probe_device_free(d);
}

static inline machine machine_new(const char *preset, const char *text)
{
    machine m = {.sheet = config_sheet_new(), .dg = diag_new()};

    must(&m, config_sheet_load(m.sheet, preset, m.dg) == ST_OK);
    must(&m,
         config_sheet_read(m.sheet, "test", text, strlen(text), m.dg) == ST_OK);
    must(&m, config_sheet_check(m.sheet, m.dg) == ST_OK);
    m.cfg = config_sheet_values(m.sheet);
    return m;
}

static inline void machine_free(machine *m)
{
    probe_found_fini(&m->found);
    config_sheet_free(m->sheet);
    diag_free(m->dg);
}

/* All that the configuration says was found, to `error`; how much that is. */
static inline unsigned check_truth(const machine *m, double error)
{
    unsigned n = 0;

    for (size_t i = 0; i < m->found.value_count; i++) {
        const probe_value *v = &m->found.values[i];
        const char *word = probe_truth_word(m->cfg, v->id);
        double is = probe_truth(m->cfg, v->id);

        if (v->word && word)
            CHECK_STR(v->word, word);
        if (!v->word && !isnan(is) && fabs(v->number / is - 1) > error)
            TEST_FAIL("%s is found to be %g, but is %g", v->id, v->number, is);
        n += v->word ? word != NULL : !isnan(is);
    }
    return n;
}

static inline double number(const machine *m, const char *id)
{
    const probe_value *v = probe_found_get(&m->found, id);

    if (!v || v->word)
        TEST_FAIL("no number %s was found", id);
    return v->number;
}

static inline const char *word(const machine *m, const char *id)
{
    const probe_value *v = probe_found_get(&m->found, id);

    if (!v || !v->word)
        TEST_FAIL("no word %s was found", id);
    return v->word;
}

static inline bool same_value(const probe_value *a, const probe_value *b)
{
    if (!a || !b || !a->word != !b->word)
        return false;
    return a->word ? !strcmp(a->word, b->word) : a->number == b->number;
}

static inline bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ' '))
            return true;
    return false;
}

/* What was found of `m` and not of `base` is what stands in `list`, with a
 * blank between two names, and nothing else. */
static inline void check_changes(const machine *base, const machine *m,
                                 const char *list)
{
    for (size_t i = 0; i < m->found.value_count; i++) {
        const probe_value *v = &m->found.values[i];
        bool same = same_value(v, probe_found_get(&base->found, v->id));

        if (same == has_word(list, v->id))
            TEST_FAIL("%s is%s as of the machine that was not changed", v->id,
                      same ? "" : " not");
    }
}

#endif
