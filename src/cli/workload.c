/* src/cli/workload.c - see workload.h. */
#include "cli/workload.h"

#include <string.h>

#include "cli/jobs.h"
#include "cli/signals.h"
#include "store/store.h"

void cli_workloads_init(cli_workloads *w)
{
    *w = (cli_workloads){.launch = PLAN_LINE_NONE};
    workloads_init(&w->is);
}

void cli_workloads_fini(cli_workloads *w)
{
    workloads_fini(&w->is);
    plan_line_fini(&w->launch);
}

char **cli_program(int *argc, char **argv)
{
    for (int i = 1; i < *argc; i++)
        if (!strcmp(argv[i], "--")) {
            argv[ *argc = i] = NULL;
            return argv[i + 1] ? argv + i + 1 : NULL;
        }
    return NULL;
}

bool cli_workload_option(cli_workloads *w, cli_args *a)
{
    if (cli_is(a, "size"))
        workloads_sizes(&w->is, a->value);
    else if (cli_is(a, "tag"))
        workloads_tag(&w->is, a->value);
    else if (cli_is(a, "timeout"))
        cli_u64(a, UINT32_MAX, &w->timeout_s);
    else if (cli_is(a, "build"))
        w->build = a->value;
    else
        return cli_launch_option(&w->launch, a);
    return true;
}

int cli_workloads_read(cli_workloads *w, const cli_args *a, int first,
                       char **program)
{
    const char **words;
    diag *dg = diag_new();
    size_t count = 0;
    status st;

    while (cli_operand(a, first + (int)count))
        count++;
    words = ARENA_ARRAY(w->is.mem, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        words[i] = jobs_suite(w->is.mem, cli_operand(a, first + (int)i));
    w->is.launch = &w->launch;
    st = workloads_add(&w->is, words, count, dg);
    cli_report(dg);
    diag_free(dg);
    if (st != ST_OK)
        return cli_exit_code(st);
    if (program)
        workloads_add_program(&w->is, (const char *const *)program);
    if (w->is.count)
        return 0;
    return cli_usage(a->command, "expected workloads: a suite, a launch file, "
                                 "FILE.ptx or -- PROGRAM");
}

suite_job cli_workloads_job(const cli_workloads *w, const cli_machine *m,
                            const char *const *env, const sigset_t *usual)
{
    return (suite_job){
        .build = w->build ? jobs_absolute(w->is.mem, w->build)
                          : jobs_build_folder(w->is.mem),
        .tmp = jobs_tmp(),
        .size = w->is.sizes.text[0],
        .timeout_s = (unsigned)w->timeout_s,
        .skip_build = true,
        .setup = &m->setup,
        .configs = m->configs,
        .env = env,
        .usual = usual,
        .each = STORE_LAUNCH_STATS,
        .stop = signals_stop(),
    };
}

/* ---- Building ---- */

bool cli_workloads_build(const cli_workloads *w, const suite_job *how,
                         const char *command,
                         void (*failed)(void *arg, size_t i, const char *why),
                         void *arg)
{
    suite_job job = *how;
    const char *why;

    job.skip_build = false;
    for (size_t i = 0; i < w->is.suite_count; i++)
        if (!suite_build(w->is.suites[i], &job, w->is.mem, &why)) {
            fprintf(stderr, "heddle %s: cannot build %s:\n%s\n", command,
                    w->is.suites[i]->path, why);
            return false;
        }
    for (size_t i = 0; i < w->is.count && !*signals_stop(); i++) {
        const workload *x = &w->is.list[i];

        if (!x->program)
            continue;
        job.size = x->size;
        if (!suite_build_program(x->suite, x->program, &job, w->is.mem, &why))
            failed(arg, i, why);
    }
    return true;
}
