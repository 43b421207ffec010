/* src/sweep/sweep_point.c - see sweep_point.h. */
#include "sweep/sweep_point.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "config/print.h"
#include "sweep/sweep_folder_impl.h"

typedef struct runner {
    const sweep_host *host;
    sweep_folder *folder;
    const sweep_plan *plan;
    arena *mem;
    diag *dg;
    config_sheet *sheet;
    report_gpu machine;
    session_setup setup;
    status kept; /* of the results */
    bool passed;
} runner;

/* ---- Keeping ---- */

static double cpu_seconds(const struct rusage *u)
{
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
           (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1e-6;
}

/* Of this process and those that it waited for. */
static void add_usage(store_run *r)
{
    struct rusage own, others;

    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &others);
    r->cpu_s = cpu_seconds(&own) + cpu_seconds(&others);
    r->max_rss = (uint64_t)(own.ru_maxrss > others.ru_maxrss ? own.ru_maxrss
                                                             : others.ru_maxrss)
                 << 10;
}

static status write_point_run(sweep_folder *f, size_t point, store_run *r,
                              diag *dg)
{
    arena *mem = arena_new();
    const sweep_plan *p = sweep_folder_plan(f);
    const workload *w = &p->workloads[p->points[point].workload].is;
    const char *path;
    store *s = NULL;
    status st;

    path = sweep_folder_tmp(f, point, mem);
    unlink(path);
    r->id = p->points[point].id;
    r->workload = w->name;
    r->size = w->size;
    r->launch_stats = p->keep_stats;
    st = store_create_private(path, dg, &s);
    if (st == ST_OK)
        st = store_add(s, r, dg);
    store_close(s);
    if (st == ST_OK)
        st = sweep_folder_finish(f, point, !strcmp(r->status, "pass"), dg);
    else
        unlink(path);
    arena_free(mem);
    return st;
}

static bool keep_point(void *arg, const measure_side *side, const workload *w,
                       const measure_run *r, const report_program *p)
{
    runner *x = arg;
    const config_sheet *sheets[] = {x->sheet};
    const report_program alone = {.gpus = side->gpus,
                                  .gpu_count = side->gpu_count};
    store_run out = {
        .status = suite_verdict_text(r->result.verdict),
        .why = r->result.why,
        .exit_code = r->result.exit_code,
        .signal = r->result.signal,
        .started = (double)time(NULL) - r->result.host_s,
        .wall_s = r->result.host_s,
        .build = x->host->compiler,
        .command = p ? p->command : NULL,
        .sheets = sheets,
        .program = p ? p : &alone,
        .output = r->result.out.text,
        .output_size = r->result.out.size,
        .tail = r->result.tail,
    };

    (void)w;
    if (r->result.verdict == SUITE_STOPPED) {
        x->kept = ST_INTERRUPTED;
        return true;
    }
    add_usage(&out);
    x->passed = r->result.verdict == SUITE_PASS;
    x->kept = write_point_run(x->folder, 0, &out, x->dg);
    return x->kept == ST_OK;
}

status sweep_point_fail(sweep_folder *f, size_t point, const char *compiler,
                        const char *how, const char *why, int exit_code,
                        int number, double seconds, diag *dg)
{
    const sweep_plan *p = sweep_folder_plan(f);
    const sweep_machine *m = &p->machines[p->points[point].machine];
    config_sheet *sheet = sweep_plan_sheet(p, m);
    const config_sheet *sheets[] = {sheet};
    const report_gpu machine = {p->gpus[m->gpu].name,
                                config_sheet_values(sheet)};
    const report_program alone = {.gpus = &machine, .gpu_count = 1};
    store_run out = {
        .status = how,
        .why = why,
        .exit_code = exit_code,
        .signal = number,
        .started = (double)time(NULL) - seconds,
        .wall_s = seconds,
        .build = compiler,
        .sheets = sheets,
        .program = &alone,
    };
    status st = write_point_run(f, point, &out, dg);

    config_sheet_free(sheet);
    return st;
}

/* ---- Running ---- */

static void make_machine(runner *x)
{
    const sweep_plan *p = x->plan;
    const sweep_machine *m = &p->machines[p->points[0].machine];
    session_device *device = ARENA_NEW(x->mem, session_device);
    strbuf text = {0};

    x->sheet = sweep_plan_sheet(p, m);
    x->machine =
        (report_gpu){p->gpus[m->gpu].name, config_sheet_values(x->sheet)};
    config_dump(x->machine.cfg, &text);
    *device =
        (session_device){x->machine.name, arena_strdup(x->mem, text.text)};
    strbuf_fini(&text);
    x->setup = p->setup;
    x->setup.devices = device;
    x->setup.device_count = 1;
}

static status run_point(runner *x)
{
    const workload *w = &x->plan->workloads[x->plan->points[0].workload].is;
    measure_run out = {0};
    measure_side side;

    make_machine(x);
    side = (measure_side){
        .label = "",
        .assignments = "",
        .gpus = &x->machine,
        .gpu_count = 1,
        .job = {.build = sweep_folder_build(x->folder),
                .tmp = x->host->tmp,
                .size = w->size,
                .timeout_s = x->plan->limits.time_s,
                .skip_build = true,
                .setup = &x->setup,
                .configs = (const config *const[]){x->machine.cfg},
                .env = x->host->env,
                .usual = x->host->usual,
                .each = x->plan->keep_stats,
                .stop = x->host->stop},
        .keep = keep_point,
        .keep_arg = x,
    };
    measure(w, &side, &out);
    if (out.result.tail && *out.result.tail && x->kept == ST_OK)
        diag_add(x->dg, DIAG_NOTE, NULL, 0, 0, 1, "%s", out.result.tail);
    measure_fini(&out);
    config_sheet_free(x->sheet);
    return x->kept;
}

/* Has anything that the id stands for changed? */
static status check_id(runner *x, sweep_plan *p, const char *id)
{
    status st = sweep_plan_identify_one(p, 0, sweep_folder_build(x->folder),
                                        x->host->driver, x->dg);

    if (st != ST_OK || !strcmp(p->points[0].id, id))
        return st;
    diag_error(x->dg, "the programs or input files of the sweep are not those "
                      "that it was planned with; run 'heddle sweep' with the "
                      "plan again");
    return ST_CONFIG;
}

status sweep_point_run(const char *dir, const char *id, const sweep_host *h,
                       diag *dg, bool *passed)
{
    runner x = {.host = h, .dg = dg, .kept = ST_INTERNAL};
    status st = sweep_folder_open_point(dir, id, dg, &x.folder);

    if (st != ST_OK)
        return st;
    x.mem = arena_new();
    x.plan = sweep_folder_plan(x.folder);
    st = check_id(&x, x.folder->plan, id);
    if (st == ST_OK)
        st = run_point(&x);
    *passed = x.passed;
    arena_free(x.mem);
    sweep_folder_close(x.folder);
    return st;
}
