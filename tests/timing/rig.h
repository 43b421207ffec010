/* tests/timing/rig.h - a simulated GPU for known-answer tests: assembles a
 * text, launches it and gives its cycles and counters. Ends the test if that
 * fails. Included once by each test program, which links the whole library. */
#ifndef TIMING_RIG_H
#define TIMING_RIG_H

#include "base/strbuf.h"
#include "config/rules.h"
#include "config/sheet.h"
#include "runtime/runtime.h"
#include "test.h"

enum { RIG_SETS = 24 };

static const char *const rig_gpus[] = {"v100", "k20", "k20-single", "gtx480"};
static const char *const rig_arch[] = {[CFG_ARCH_FERMI] = "fermi",
                                       [CFG_ARCH_KEPLER] = "kepler",
                                       [CFG_ARCH_VOLTA] = "volta",
                                       [CFG_ARCH_AMPERE] = "ampere",
                                       [CFG_ARCH_HOPPER] = "hopper"};
enum { RIG_GPUS = 4, RIG_SHARING = 2 }; /* from there on: front ends */

typedef struct rig {
    config_sheet *sheet;
    const config *cfg;
    rt_device *d;
    diag *dg;
    const char *arch;
    rt_result last;
} rig;

/* One SM, and a front end that is never in the way. */
#define RIG_CORE                                                               \
    "gpu.sms=1", "gpu.launch_latency=0", "gpu.cta.latency=0",                  \
        "sm.fetch.perfect=true", "sm.constant.perfect=true"

static inline void rig_must(rig *r, status st)
{
    if (st != ST_OK)
        TEST_FAIL("%s", diag_count(r->dg) ? diag_get(r->dg, 0)->text
                                          : "out of memory");
}

/* `sets`: assignments, NULL at the end. */
static inline rig *rig_open(const char *name, const char *const *sets,
                            const rt_options *opt)
{
    rig *r = calloc(1, sizeof *r);

    CHECK(r);
    r->dg = diag_new();
    r->sheet = config_sheet_new();
    rig_must(r, config_sheet_load(r->sheet, name, r->dg));
    for (unsigned i = 0; sets && sets[i]; i++)
        rig_must(r,
                 config_sheet_set(r->sheet, sets[i], CONFIG_FROM_SET, r->dg));
    rig_must(r, config_sheet_check(r->sheet, r->dg));
    r->cfg = config_sheet_values(r->sheet);
    r->d = rt_device_new(r->cfg, opt, r->dg);
    rig_must(r, r->d ? ST_OK : ST_NOMEM);
    r->arch = rig_arch[r->cfg->gpu.arch];
    return r;
}

static inline rig *rig_new(const char *name, const char *const *sets)
{
    return rig_open(name, sets, &(rt_options){.threads = 1});
}

static inline void rig_free(rig *r)
{
    rt_device_free(r->d);
    config_sheet_free(r->sheet);
    diag_free(r->dg);
    free(r);
}

typedef struct rig_how {
    bool functional, sampled; /* as rt_launch has them */
} rig_how;

/* Runs the kernel that has the body `text`; its parameters are two pointers, p
 * and q. Returns its cycles. */
static inline uint64_t rig_run_as(rig *r, const rig_how *how, const char *text,
                                  unsigned ctas, unsigned threads, uint64_t p,
                                  uint64_t q)
{
    const uint64_t params[2] = {p, q};
    strbuf b = {0};
    rt_module *m;

    strbuf_printf(&b,
                  ".arch %s\n.kernel k\n.param pointer p\n.param pointer q\n"
                  "%s\nEXIT;\n.end\n",
                  r->arch, text);
    status st =
        rt_module_load_text(r->d, "test.sass", b.text, b.size, r->dg, &m);
    strbuf_fini(&b);
    rig_must(r, st);
    rt_launch l = {.module = m,
                   .kernel = rt_module_kernel(m, NULL, r->dg),
                   .grid = {ctas, 1, 1},
                   .block = {threads, 1, 1},
                   .params = params,
                   .functional = how->functional,
                   .sampled = how->sampled,
                   .counters = true,
                   .max_cycles = 50000000};
    CHECK(l.kernel != NULL);
    rig_must(r, rt_run(r->d, &l, r->dg, &r->last));
    return r->last.cycles;
}

static inline uint64_t rig_run(rig *r, const char *text, unsigned ctas,
                               unsigned threads, uint64_t p, uint64_t q)
{
    return rig_run_as(r, &(rig_how){0}, text, ctas, threads, p, q);
}

/* A counter, or the sum over a pattern, of the last launch. */
static inline uint64_t rig_count(const rig *r, const char *pattern)
{
    size_t matched;
    uint64_t v = stats_sum(rt_stats(r->d), r->last.counters, pattern, &matched);

    if (!matched)
        TEST_FAIL("no counter '%s'", pattern);
    return v;
}

/* `head`, then `line` n times, in which each %u is an even register from R16
 * to R46 in turn; the caller frees the text. */
static inline char *rig_text(const char *head, const char *line, unsigned n)
{
    strbuf b = {0};

    strbuf_puts(&b, head);
    for (unsigned i = 0; i < n; i++) {
        strbuf_printf(&b, line, 16 + i % 16 * 2);
        strbuf_putc(&b, '\n');
    }
    return b.text;
}

/* Cycles that the last `more` of n + more lines take: start and end of the
 * kernel do not matter. */
static inline uint64_t rig_slope(rig *r, const char *head, const char *line,
                                 unsigned n, unsigned more, unsigned ctas,
                                 unsigned threads, uint64_t p)
{
    char *few = rig_text(head, line, n), *many = rig_text(head, line, n + more);
    uint64_t first = rig_run(r, few, ctas, threads, p, 0);
    uint64_t second = rig_run(r, many, ctas, threads, p, 0);

    free(few);
    free(many);
    CHECK(second > first);
    return second - first;
}

#endif
