/* tests/unit/sm/property.h - what holds of hazard policies for every program:
 * random ones run on an SM whose policy is watched; what breaks a property is
 * made small before it is shown. */
#ifndef SM_PROPERTY_H
#define SM_PROPERTY_H

#include "random.h"
#include "rig.h"
#include "watch.h"

enum { LIMIT = 300000 };

typedef struct outcome {
    const char *broken; /* what did not hold */
    uint64_t end, log, to_end, order, stalls, fulls, memory, stats;
    uint64_t checks, remembered, compares, once;
    unsigned most;
    bool full;
} outcome;

/* What counters of all policies say: all but those of the table. */
static inline uint64_t counters(rig *r)
{
    static const char *const id[] = {
        "cycles",  "issued",        "warp_insts", "thread_insts", "stall_*",
        "inst_*",  "hazard_writes", "reg_*",      "bank_waits",   "unit_waits",
        "mem_*",   "tx_*",          "lsu_*",      "branches_*",   "const_*",
        "fetche*", "load_latency*", "lanes*"};
    uint64_t hash = 0;

    for (size_t i = 0; i < COUNTOF(id); i++) {
        char name[64];

        snprintf(name, sizeof name, "sm.%s", id[i]);
        hash = (hash ^ stats_sum(r->reg, NULL, name, NULL)) * 0x100000001b3u;
    }
    return hash;
}

static inline void finish(rig *r, watch *w, outcome *out)
{
    for (unsigned warp = 0; warp < 64; warp++)
        if (w->live[warp])
            w->broken = "slots are left when all is done";
    if (w->slots) {
        uint64_t taken = rig_stat(r, "table_writes");

        if (taken != rig_stat(r, "table_frees") ||
            taken != stats_sum(r->reg, NULL, "sm.table_life_*", NULL))
            w->broken = "counters of slots taken and released differ";
        if (stats_sum(r->reg, NULL, "sm.table_held_*", NULL) !=
            rig_stat(r, "warp_cycles"))
            w->broken = "slots are not counted in every cycle";
    }
    out->broken = w->broken;
    out->log = w->log;
    out->to_end = w->to_end;
    out->full = w->full;
    out->order = watch_order(w);
    out->fulls = w->fulls;
    out->most = w->most;
    mem_view_commit(r->view);
    out->memory = mem_hash(r->image);
    out->stalls = counters(r);
    out->stats = stats_hash(r->reg, NULL);
    out->checks = rig_stat(r, "hazard_checks");
    out->remembered = rig_stat(r, "table_remembered");
    out->compares = rig_stat(r, "table_compares");
    out->once = rig_stat(r, "table_compares_once");
}

static inline outcome run(const char *settings, const char *text, bool skip)
{
    rig *r = rig_new(settings);
    uint64_t data = mem_alloc(r->image, 256 * THREADS * CTAS, "data");
    uint64_t more = mem_alloc(r->image, 4096, "counters");
    outcome out = {0};
    watch w;

    r->skip = skip;
    watch_start(&w, r);
    rig_param(r, 0, data);
    rig_param(r, 1, more);
    rig_program(r, ".shared 5120\n.local 16\n", text, CTAS, THREADS);
    while ((r->ended < r->launch.grid[0] || !sm_idle(r->s)) &&
           !sm_fault(r->s) && r->now < LIMIT)
        rig_step(r);
    sm_finish_stats(r->s, r->now);
    out.end = r->ended_at;
    if (r->now >= LIMIT)
        w.broken = "it never ends";
    else if (sm_fault(r->s))
        w.broken = sm_fault(r->s)->kind == FAULT_HAZARD ? "the oracle objects"
                                                        : "a fault";
    if (w.broken)
        out.broken = w.broken;
    else
        finish(r, &w, &out);
    rig_free(r);
    return out;
}

/* With one more setting, which may have a number in it. */
static inline outcome with(const char *settings, const char *more, unsigned n,
                           const char *text)
{
    char all[1024], line[128];

    snprintf(line, sizeof line, more, n);
    snprintf(all, sizeof all, "%s%s", settings, line);
    return run(all, text, true);
}

/* NULL or what does not hold. */
typedef const char *property(const char *settings, const char *text);

/* ---- shrinking ---- */

/* Lines that can go without making another kind of program: no labels, no
 * branches, nothing that meets. */
static inline bool can_go(const char *line)
{
    static const char *const keep[] = {":",    "BRA",  "SSY", "SYNC",
                                       "BSSY", "EXIT", "BAR", "loop",
                                       "R40",  "R41",  "R42", "R43"};
    size_t n = strcspn(line, "\n");

    for (size_t i = 0; i < COUNTOF(keep); i++) {
        const char *at = strstr(line, keep[i]);
        if (at && at < line + n)
            return false;
    }
    return true;
}

/* `text` without lines first to first + n - 1, as far as they can go; NULL if
 * all stay. */
static inline char *without(const char *text, unsigned first, unsigned n)
{
    strbuf b = {0};
    bool some = false;

    for (unsigned i = 0; *text; i++) {
        size_t size = strcspn(text, "\n") + 1;

        if (i >= first && i < first + n && can_go(text))
            some = true;
        else
            strbuf_write(&b, text, size);
        text += size;
    }
    if (some)
        return b.text;
    strbuf_fini(&b);
    return NULL;
}

static inline unsigned lines(const char *text)
{
    unsigned n = 0;

    while ((text = strchr(text, '\n')))
        n++, text++;
    return n;
}

/* The smallest part of `text` found for which `p` fails in the same way. */
static inline char *shrink(property *p, const char *settings, char *text)
{
    const char *why = p(settings, text);

    for (unsigned n = lines(text) / 2; n; n /= 2) {
        for (unsigned at = 0; at < lines(text);) {
            char *less = without(text, at, n);

            if (less && p(settings, less) == why) {
                free(text);
                text = less;
            } else {
                free(less);
                at += n;
            }
        }
    }
    return text;
}

static inline void holds(property *p, const char *settings, char *text)
{
    const char *why = p(settings, text);

    if (why) {
        text = shrink(p, settings, text);
        TEST_FAIL("%s with\n%s\n%s", p(settings, text), settings, text);
    }
    free(text);
}

#endif
