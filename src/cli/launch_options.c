/* src/cli/launch_options.c - see launch_options.h. */
#include "cli/launch_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

static void read_triple_option(cli_args *a, uint32_t out[3])
{
    const char *at = a->value;

    for (unsigned i = 0; i < 3; i++) {
        char *end;
        unsigned long long v;

        errno = 0;
        v = strtoull(at, &end, 0);
        if (!isdigit((unsigned char)*at) || errno || v > UINT32_MAX ||
            (*end && *end != ',' && *end != 'x'))
            break;
        out[i] = (uint32_t)v;
        if (!*end)
            return;
        at = end + 1;
    }
    cli_usage(a->command, "--%s: '%s' is not like 16 or 16,16 or 4,4,4",
              a->name, a->value);
    a->wrong = true;
}

static void read_tolerance(cli_args *a, double *out)
{
    char *end;

    *out = strtod(a->value, &end);
    if (end != a->value && !*end && *out >= 0)
        return;
    cli_usage(a->command, "--tolerance: '%s' is no number from 0 on", a->value);
    a->wrong = true;
}

static bool take_launch(plan_line *l, cli_args *a)
{
    uint64_t v = 0;

    if (cli_is(a, "kernel")) {
        l->kernel = a->value;
    } else if (cli_is(a, "grid")) {
        read_triple_option(a, l->grid);
    } else if (cli_is(a, "block")) {
        read_triple_option(a, l->block);
    } else if (cli_is(a, "cluster")) {
        l->cluster[0] = l->cluster[1] = l->cluster[2] = 1;
        read_triple_option(a, l->cluster);
    } else if (cli_is(a, "shared")) {
        cli_u64(a, UINT32_MAX, &v);
        l->shared_bytes = (uint32_t)v;
    } else if (cli_is(a, "arg")) {
        plan_texts_add(&l->args, a->value);
    } else {
        return false;
    }
    l->launches = true;
    return true;
}

bool cli_launch_option(plan_line *l, cli_args *a)
{
    if (take_launch(l, a))
        return true;
    if (cli_is(a, "expect"))
        plan_texts_add(&l->expects, a->value);
    else if (cli_is(a, "tolerance"))
        read_tolerance(a, &l->tolerance);
    else
        return false;
    return true;
}
