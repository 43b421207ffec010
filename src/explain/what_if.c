#include "explain/what_if.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/plural.h"
#include "config/param.h"
#include "explain/explain.h"

#define SAME 0.001 /* gains so near to 1 are none */

/* Sections, or parameters, that change no cycle or are no hardware. */
static const char *const others[] = {
    "energy.",        "host.",          "gpu.name",         "gpu.arch",
    "gpu.capability", "gpu.max.",       "gpu.seed",         "gpu.window",
    "gpu.hang",       "gpu.page_bytes", "gpu.global_bytes", "gpu.concurrent",
};

static bool is_hardware(const config_param *p)
{
    for (size_t i = 0; i < COUNTOF(others); i++)
        if (!strncmp(p->path, others[i], strlen(others[i])))
            return false;
    return true;
}

typedef struct lister {
    const config *cfg;
    arena *mem;
    what_if *list;
    size_t room;
} lister;

static void add_change(lister *x, const config_param *p, const char *value)
{
    const char *set = arena_printf(x->mem, "%s=%s", p->path, value);
    strbuf now = {0};

    if (!explain_fits(x->cfg, set))
        return;
    config_value(x->cfg, p, &now);
    ARENA_GROW(x->mem, x->list->change, x->list->count, x->room);
    x->list->change[x->list->count++] = (what_if_change){
        .set = set, .from = arena_strdup(x->mem, now.text ? now.text : "")};
    strbuf_fini(&now);
}

static void add_numbers(lister *x, const config_param *p)
{
    uint64_t v = config_number(x->cfg, p);

    if (v && v <= p->max / 2)
        add_change(x, p,
                   arena_printf(x->mem, "%llu", (unsigned long long)v * 2));
    if (v / 2 >= p->min && v > 1)
        add_change(x, p,
                   arena_printf(x->mem, "%llu", (unsigned long long)v / 2));
}

static void add_parameter(lister *x, const config_param *p)
{
    uint64_t now = config_number(x->cfg, p);

    switch (p->kind) {
    case CONFIG_INT:
    case CONFIG_POW2:
    case CONFIG_SIZE:
        add_numbers(x, p);
        return;
    case CONFIG_BOOL:
        add_change(x, p, now ? "false" : "true");
        return;
    case CONFIG_ENUM:
        for (size_t i = 0; i < p->choice_count; i++)
            if (i != now)
                add_change(x, p, p->choices[i].text);
        return;
    case CONFIG_STRING:
        return;
    }
}

what_if what_if_list(const config *c, arena *mem)
{
    what_if w = {0};
    lister x = {.cfg = c, .mem = mem, .list = &w};

    for (size_t i = 0; i < config_param_count(); i++)
        if (is_hardware(config_param_get(i)))
            add_parameter(&x, config_param_get(i));
    return w;
}

static int by_gain(const void *a, const void *b)
{
    const what_if_change *x = a, *y = b;

    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    return strcmp(x->set, y->set);
}

static bool is_same(const what_if_change *c)
{
    return c->gain > 1 - SAME && c->gain < 1 + SAME;
}

void what_if_finish(what_if *w, const measure_run *base)
{
    for (size_t i = 0; i < w->count; i++) {
        what_if_change *c = &w->change[i];

        if (c->run && suite_verdict_good(c->run->result.verdict) &&
            c->run->sum.cycles)
            c->gain = base->sum.time_s / c->run->sum.time_s;
        w->same += is_same(c);
        w->failed += !c->gain;
    }
    if (w->count)
        qsort(w->change, w->count, sizeof *w->change, by_gain);
}

static void put_change(const what_if_change *c, FILE *to)
{
    fprintf(to, "  %7.3f x  %-40s was %s\n", c->gain, c->set, c->from);
}

void what_if_text(const what_if *w, size_t rows, FILE *to)
{
    size_t shown = 0;

    fprintf(to,
            "\nwhat if the machine were another: %zu change%s of one "
            "parameter each\n",
            w->count, word_plural(w->count));
    for (size_t i = 0; i < w->count && shown < rows; i++)
        if (w->change[i].gain >= 1 + SAME) {
            put_change(&w->change[i], to);
            shown++;
        }
    if (!shown)
        fputs("  none of them gains anything\n", to);
    shown = 0;
    for (size_t i = w->count; i-- > 0 && shown < rows;)
        if (w->change[i].gain && w->change[i].gain <= 1 - SAME) {
            if (!shown)
                fputs("what costs most\n", to);
            put_change(&w->change[i], to);
            shown++;
        }
    fprintf(to, "  %zu others change less than 0.1 %%\n", w->same);
    if (w->failed)
        fprintf(to,
                "  %zu gave no result: the program fails on such a "
                "machine\n",
                w->failed);
}

void what_if_json(const what_if *w, json *j)
{
    json_open(j, "what_if", '[');
    for (size_t i = 0; i < w->count; i++) {
        const what_if_change *c = &w->change[i];

        json_open(j, NULL, '{');
        json_text(j, "set", c->set);
        json_text(j, "from", c->from);
        if (c->gain > 0) {
            json_real(j, "gain", c->gain);
            json_u64(j, "cycles", c->run->sum.cycles);
        }
        json_close(j, '{');
    }
    json_close(j, '[');
}
