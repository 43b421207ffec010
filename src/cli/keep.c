/* src/cli/keep.c - see keep.h. */
#include "cli/keep.h"

#include <string.h>
#include <unistd.h>

#include "base/shell.h"
#include "cli/jobs.h"

const char *cli_build(void)
{
#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif
#ifdef HEDDLE_CHECKS
    return COMPILER ", with checks";
#else
    return COMPILER ", release";
#endif
}

const char *cli_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* ---- Command lines ---- */

void cli_command_line(char **argv, strbuf *out)
{
    strbuf_puts(out, "heddle");
    shell_quote_all((const char *const *)argv, out);
}

/* ---- The file ---- */

bool cli_keep_option(cli_keep *k, cli_args *a)
{
    if (cli_is(a, "store"))
        k->path = a->value;
    else if (!cli_is(a, "store-launches"))
        return false;
    else if (!strcmp(a->value, "all"))
        k->launches = UINT64_MAX;
    else if (cli_u64(a, UINT64_MAX, &k->launches) && !k->launches)
        k->launches = 1; /* the first shows what a launch was like */
    return true;
}

void cli_keep_for_now(cli_keep *k, arena *mem)
{
    k->path = arena_printf(mem, "%s/heddle-page-%ld-%p.db", jobs_tmp(),
                           (long)getpid(), (void *)k);
    k->for_now = true;
}

int cli_keep_begin(cli_keep *k, const char *kind, const char *name)
{
    diag *dg;
    status st;

    if (!k->path)
        return 0;
    dg = diag_new();
    k->about =
        (store_study){.kind = kind, .name = name, .command = k->command.text};
    st = k->for_now ? store_create_private(k->path, dg, &k->store)
                    : store_create(k->path, dg, &k->store);
    if (k->for_now)
        unlink(k->path); /* open, it is there until the process ends */
    cli_report(dg);
    diag_free(dg);
    return cli_exit_code(st);
}

uint64_t cli_keep_counters(const cli_keep *k)
{
    return !k->path ? 0 : k->launches ? k->launches : STORE_LAUNCH_STATS;
}

/* The study appears with its first run, in the same transaction. */
static status add_run_to_study(cli_keep *k, const store_run *r, diag *dg)
{
    store_run all = *r;
    int64_t study = k->study;
    status st = store_begin(k->store, dg);

    if (st != ST_OK)
        return st;
    if (!study)
        st = store_add_study(k->store, &k->about, dg, &study);
    all.study = study;
    all.build = cli_build();
    all.launches = k->launches;
    all.launch_stats = cli_keep_counters(k);
    if (st == ST_OK)
        st = store_add(k->store, &all, dg);
    if (st != ST_OK) {
        store_cancel(k->store);
        return st;
    }
    st = store_end(k->store, dg);
    if (st == ST_OK)
        k->study = study;
    return st;
}

bool cli_keep_run(cli_keep *k, const store_run *r)
{
    diag *dg;
    status st;

    if (!k->store)
        return true;
    dg = diag_new();
    st = add_run_to_study(k, r, dg);
    cli_report(dg);
    diag_free(dg);
    return st == ST_OK;
}

void cli_keep_fini(cli_keep *k)
{
    store_close(k->store);
    strbuf_fini(&k->command);
}
