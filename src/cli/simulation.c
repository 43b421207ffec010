/* src/cli/simulation.c - see simulation.h. */
#include "cli/simulation.h"

#include <string.h>

#include "base/must.h"

void cli_take_format(cli_args *a, int *format)
{
    static const char *const names[] = {"text", "json", "csv"};

    for (*format = 0; *format < 3; (*format)++)
        if (!strcmp(names[*format], a->value))
            return;
    cli_usage(a->command, "--format: '%s' is not text, json or csv", a->value);
    a->wrong = true;
}

/* Numbers; false: the option is none of them. */
static bool take_number_option(cli_simulation *s, cli_args *a)
{
    rt_options *rt = &s->rt;
    uint64_t v = 0;

    if (cli_is(a, "top"))
        s->report.has_top = cli_u64(a, UINT32_MAX, &s->report.top);
    else if (cli_is(a, "energy-series"))
        s->report.energy_series =
            cli_u64(a, UINT64_MAX >> 8, &s->series) && s->series;
    else if (cli_is(a, "max-cycles"))
        cli_u64(a, UINT64_MAX, &s->max_cycles);
    else if (cli_is(a, "shuffle"))
        cli_u64(a, UINT64_MAX, &rt->shuffle);
    else if (cli_is(a, "threads"))
        rt->threads = cli_u64(a, 1024, &v) ? (unsigned)v : 0;
    else if (cli_is(a, "warm"))
        s->report.warm = rt->warm =
            cli_u64(a, RT_WARM_MOST, &v) ? (unsigned)v : 0;
    else if (cli_is(a, "stack"))
        rt->stack_bytes = cli_u64(a, 1 << 20, &v) ? (uint32_t)v : 0;
    else if (cli_is(a, "heap"))
        cli_u64(a, UINT64_MAX >> 8, &rt->heap_bytes);
    else if (cli_is(a, "print-buffer"))
        cli_u64(a, UINT64_MAX >> 8, &rt->print_bytes);
    else if (cli_is(a, "max-registers"))
        rt->max_registers = cli_u64(a, 255, &v) ? (unsigned)v : 0;
    else
        return false;
    return true;
}

bool cli_simulation_option(cli_simulation *s, cli_args *a)
{
    const struct {
        const char *name;
        bool *set;
    } flags[] = {
        {"functional", &s->rt.functional},
        {"check-async", &s->rt.check_async},
        {"no-skip", &s->rt.no_skip},
        {"hash", &s->hash},
        {"quiet", &s->quiet},
        {"occupancy", &s->occupancy},
        {"per-block", &s->report.per_block},
        {"by-line", &s->report.by_line},
        {"by-instruction", &s->report.by_instruction},
    };

    if (cli_is(a, "strict") || cli_is(a, "lenient")) {
        s->lenient = s->rt.lenient = cli_is(a, "lenient");
        return true;
    }
    for (size_t i = 0; i < COUNTOF(flags); i++) {
        if (cli_is(a, flags[i].name)) {
            *flags[i].set = true;
            return true;
        }
    }
    if (cli_is(a, "format"))
        cli_take_format(a, &s->format);
    else if (cli_is(a, "width"))
        cli_take_width(a, &s->report.width);
    else
        return take_number_option(s, a);
    return true;
}

int cli_simulation_check(const cli_simulation *s, const cli_args *a)
{
    const report_options *r = &s->report;

    if (s->rt.warm && s->rt.functional)
        return cli_usage(a->command, "--warm is a matter of timing: it does "
                                     "not go with --functional");
    if (s->format == FORMAT_CSV && r->by_line && r->by_instruction)
        return cli_usage(a->command, "CSV is one table: --by-line or "
                                     "--by-instruction");
    if (s->format == FORMAT_CSV && r->energy_series &&
        (r->by_line || r->by_instruction))
        return cli_usage(a->command, "CSV is one table: --energy-series, "
                                     "--by-line or --by-instruction");
    if (r->has_top && !r->by_line && !r->by_instruction)
        return cli_usage(a->command,
                         "--top goes with --by-line or --by-instruction");
    return 0;
}
