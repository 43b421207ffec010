/* tests/timing/cga.h - machines with thread-block clusters, and kernels in PTX
 * that run on them. Included once by each test program. */
#ifndef TIMING_CGA_H
#define TIMING_CGA_H

#include <string.h>

#include "base/rng.h"
#include "rig.h"

/* A V100 with clusters, small enough that its GPCs fill up. */
#define CGA_MACHINE                                                            \
    "gpu.capability=90", "gpu.cga.most=16", "gpu.sms=12", "gpu.gpc.sms=4",     \
        "gpu.launch_latency=0", "gpu.cta.latency=0"

#define CGA_HEAD ".version 8.6\n.target sm_90a\n.address_size 64\n"

typedef struct cga_run {
    rig *r;
    rt_result last;
    status st;
} cga_run;

/* Launches the kernel of the PTX `text` on a machine of its own. Its parameter
 * is a buffer of `bytes` zeros, which come back in `out` if that is not NULL.
 */
static inline void cga_launch_on(cga_run *run, const char *on,
                                 const char *const *sets, const rt_options *opt,
                                 const char *text, rt_launch l, void *out,
                                 size_t bytes)
{
    rig *r = run->r = rig_open(on, sets, opt);
    uint64_t at = rt_alloc(rt_device_memory(r->d), bytes, "out");
    void *zeros = calloc(1, bytes);
    rt_module *m;

    CHECK(at && zeros);
    CHECK(rt_write(rt_device_memory(r->d), at, zeros, bytes));
    free(zeros);
    rig_must(r,
             rt_module_load_text(r->d, "t.ptx", text, strlen(text), r->dg, &m));
    l.module = m;
    l.kernel = rt_module_kernel(m, NULL, r->dg);
    l.params = &at;
    l.counters = !opt->functional;
    l.max_cycles = l.max_cycles ? l.max_cycles : 20000000;
    CHECK(l.kernel != NULL);
    run->st = rt_run(r->d, &l, r->dg, &run->last);
    if (out)
        CHECK(rt_read(rt_device_memory(r->d), at, out, bytes));
}

static inline void cga_launch(cga_run *run, const char *const *sets,
                              const rt_options *opt, const char *text,
                              rt_launch l, void *out, size_t bytes)
{
    cga_launch_on(run, "v100", sets, opt, text, l, out, bytes);
}

static inline void cga_end(cga_run *run)
{
    rig_free(run->r);
    memset(run, 0, sizeof *run);
}

/* Of the messages of the run, that which contains `part`, else the test fails.
 */
static inline void cga_said(const cga_run *run, const char *part)
{
    for (size_t i = 0; i < diag_count(run->r->dg); i++)
        if (strstr(diag_get(run->r->dg, i)->text, part))
            return;
    TEST_FAIL("nothing said '%s', but '%s'", part,
              diag_count(run->r->dg)
                  ? diag_get(run->r->dg, diag_count(run->r->dg) - 1)->text
                  : "nothing");
}

#endif
