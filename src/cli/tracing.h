/* src/cli/tracing.h - the options of traces, for the commands that have
 * them. */
#ifndef CLI_TRACING_H
#define CLI_TRACING_H

#include "cli/cli.h"
#include "runtime/runtime.h"
#include "trace/trace.h"

/* Their rows in the table of a command. */
/* clang-format off */
#define TRACE_OPTIONS                                                          \
    {"konata", 0, "FILE",                                                      \
     "write what happens to each instruction, for the viewer Konata",          \
     CLI_TRACE},                                                               \
    {"perfetto", 0, "FILE",                                                    \
     "write what warps, units and queues do, for ui.perfetto.dev", CLI_TRACE}, \
    {"waterfall", 0, NULL,                                                     \
     "--store: keep a part of the trace, which 'heddle report' draws",         \
     CLI_TRACE},                                                               \
    {"accelsim", 0, "FOLDER",                                                  \
     "compute without timing, and write what warps execute as traces that "    \
     "Accel-Sim reads, to a new FOLDER",                                       \
     CLI_TRACE},                                                               \
    {"accelsim-pack", 0, "HOW",                                                \
     "compress them: xz, as Accel-Sim reads, or zstd; default none",           \
     CLI_TRACE},                                                               \
    {"trace-sm", 0, "N[-M]|all", "trace these SMs; default 0", CLI_TRACE},     \
    {"trace-warp", 0, "N[-M]",                                                 \
     "trace these warp slots of them; default all", CLI_TRACE},                \
    {"trace-cycles", 0, "A-B",                                                 \
     "trace cycles A to B of the launch, 'A-' to its end; default all",        \
     CLI_TRACE},                                                               \
    {"trace-launch", 0, "N[-M]",                                               \
     "trace the N-th timed launch, or the N-th to M-th, from 1; default 1",    \
     CLI_TRACE},                                                               \
    {"trace-limit", 0, "N",                                                    \
     "stop tracing after N events; default 20 million", CLI_TRACE}
/* clang-format on */

typedef struct cli_tracing {
    trace_options is;
    bool chosen;          /* --trace-..., which needs a file */
    const char *accelsim; /* folder of traces for Accel-Sim; NULL: none */
    pack_how pack;        /* of them */
} cli_tracing;

void cli_tracing_init(cli_tracing *t);
/* True if the option was one of them. */
bool cli_tracing_option(cli_tracing *t, cli_args *a);
/* Of --accelsim: what is run for it, before other options are checked. */
void cli_tracing_set(const cli_tracing *t, rt_options *rt);
/* Makes its folder; its whole name, to be freed, goes to `rt`. 0, or an exit
 * code and a message. */
int cli_tracing_make(const cli_tracing *t, rt_options *rt, char **path);
/* After all options: 0, or 2 and a message; `store` as --store has it. */
int cli_tracing_check(const cli_tracing *t, const cli_args *a, bool functional,
                      const char *store);

#endif
