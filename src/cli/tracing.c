#include "cli/tracing.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/trace_folder.h"

void cli_tracing_init(cli_tracing *t)
{
    *t = (cli_tracing){.is = trace_defaults()};
}

static bool read_decimal(const char **at, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(*at, &end, 10);
    if (!isdigit((unsigned char)**at) || errno)
        return false;
    *at = end;
    return true;
}

/* "N", "N-M" with N <= M, or if `open` also "N-". */
static bool range(cli_args *a, uint64_t most, bool open, uint64_t *first,
                  uint64_t *last)
{
    const char *at = a->value;
    bool good = read_decimal(&at, first);

    *last = *first;
    if (good && *at == '-') {
        at++;
        if (open && !*at)
            *last = most;
        else
            good = read_decimal(&at, last);
    }
    if (good && !*at && *first <= *last && *last <= most)
        return true;
    if (good && !*at && *first <= *last)
        cli_usage(a->command, "--%s: %llu is too large, the most is %llu",
                  a->name, (unsigned long long)*last, (unsigned long long)most);
    else
        cli_usage(a->command, "--%s: '%s' is not like 3 or 3-7%s", a->name,
                  a->value, open ? " or 3-" : "");
    a->wrong = true;
    return false;
}

static void take_sm(cli_args *a, trace_filter *f)
{
    uint64_t first, last;

    if (!strcmp(a->value, "all")) {
        f->first_sm = 0;
        f->last_sm = UINT16_MAX;
    } else if (range(a, UINT16_MAX, false, &first, &last)) {
        f->first_sm = (unsigned)first;
        f->last_sm = (unsigned)last;
    }
}

static void take_warps(cli_args *a, trace_filter *f)
{
    uint64_t first, last;

    if (!range(a, 63, false, &first, &last))
        return;
    f->warps = 0;
    for (uint64_t w = first; w <= last; w++)
        f->warps |= (uint64_t)1 << w;
}

static void take_cycles(cli_args *a, trace_filter *f)
{
    uint64_t first, last;

    if (!range(a, UINT64_MAX / 2, true, &first, &last))
        return;
    f->from = first;
    f->to = last + 1;
}

static void take_pack(cli_args *a, pack_how *how)
{
    *how = !strcmp(a->value, "xz")     ? PACK_XZ
           : !strcmp(a->value, "zstd") ? PACK_ZSTD
                                       : PACK_NONE;
    if (*how == PACK_NONE && strcmp(a->value, "none") != 0)
        cli_usage(a->command, "--accelsim-pack: '%s' is not xz, zstd or none",
                  a->value);
    else if (!pack_has(*how))
        cli_usage(a->command, "--accelsim-pack: this Heddle was built without "
                              "liblzma, which xz needs");
    else
        return;
    a->wrong = true;
}

bool cli_tracing_option(cli_tracing *t, cli_args *a)
{
    trace_options *o = &t->is;

    if (cli_is(a, "konata")) {
        o->kanata = a->value;
        return true;
    }
    if (cli_is(a, "perfetto")) {
        o->perfetto = a->value;
        return true;
    }
    if (cli_is(a, "waterfall")) {
        o->waterfall = true;
        return true;
    }
    if (cli_is(a, "accelsim")) {
        t->accelsim = a->value;
        return true;
    }
    if (cli_is(a, "accelsim-pack")) {
        take_pack(a, &t->pack);
        return true;
    }
    if (cli_is(a, "trace-sm"))
        take_sm(a, &o->filter);
    else if (cli_is(a, "trace-warp"))
        take_warps(a, &o->filter);
    else if (cli_is(a, "trace-cycles"))
        take_cycles(a, &o->filter);
    else if (cli_is(a, "trace-launch"))
        range(a, UINT64_MAX / 2, true, &o->first_launch, &o->last_launch);
    else if (cli_is(a, "trace-limit"))
        cli_u64(a, UINT64_MAX, &o->limit);
    else
        return false;
    t->chosen = true;
    return true;
}

int cli_tracing_check(const cli_tracing *t, const cli_args *a, bool functional,
                      const char *store)
{
    const trace_options *o = &t->is;

    if (t->chosen && !trace_wanted(o))
        return cli_usage(a->command, "--trace-... says what goes into a "
                                     "trace: give --konata, --perfetto or "
                                     "--waterfall");
    if (o->waterfall && !store)
        return cli_usage(a->command,
                         "--waterfall goes into the file of --store");
    if (t->pack != PACK_NONE && !t->accelsim)
        return cli_usage(a->command, "--accelsim-pack goes with --accelsim");
    if (t->accelsim && trace_wanted(o))
        return cli_usage(a->command, "--accelsim computes without timing: "
                                     "other traces do not go with it");
    if (functional && trace_wanted(o))
        return cli_usage(a->command, "with --functional nothing happens in "
                                     "cycles: leave it out to get a trace");
    if (o->kanata && o->perfetto && !strcmp(o->kanata, o->perfetto))
        return cli_usage(a->command,
                         "--konata and --perfetto need files of their own");
    if (!o->first_launch)
        return cli_usage(a->command, "--trace-launch: launches count from 1");
    return 0;
}

void cli_tracing_set(const cli_tracing *t, rt_options *rt)
{
    rt->functional |= t->accelsim != NULL;
    rt->trace_pack = t->pack;
}

int cli_tracing_make(const cli_tracing *t, rt_options *rt, char **path)
{
    diag *dg = diag_new();
    status st = ST_OK;

    if (t->accelsim)
        st = trace_folder_make(t->accelsim, dg);
    if (st == ST_OK && t->accelsim)
        rt->trace_folder = *path = realpath(t->accelsim, NULL);
    cli_report(dg);
    diag_free(dg);
    return cli_exit_code(st);
}
