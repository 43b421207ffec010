/* The command: which subcommands there are, and their options. */
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/cached.h"
#include "cli/cli.h"
#include "cli/explore.h"
#include "cli/keep.h"
#include "cli/sweep_slurm.h"
#include "cli/tracing.h"
#include "cli/workload.h"

#define GPU_OPTIONS                                                            \
    {"gpu", 'g', "GPU",                                                        \
     "preset or YAML file of the simulated GPU; see 'heddle list gpus'"},      \
    {                                                                          \
        "set", 's', "PATH=VALUE",                                              \
            "change a parameter, such as l1.ways=8; repeatable"                \
    }

static const cli_option run_options[] = {
    GPU_OPTIONS,
    {"launch", 'l', "FILE", "launch file: buffers, launches, expectations"},
    LAUNCH_OPTIONS,
    {"dump", 'd', "BUFFER=FILE",
     "write a buffer at the end (.npy or raw); unnamed buffers are called by "
     "the number of their argument, from 0"},
    SERIES_OPTION,
    KEEP_OPTION,
    TRACE_OPTIONS,
    SIMULATION_OPTIONS,
    {NULL, 0, NULL, NULL}};

static const cli_option exec_options[] = {
    MACHINE_OPTIONS,
    SERIES_OPTION,
    KEEP_OPTION,
    TRACE_OPTIONS,
    {"launches", 0, "N|all",
     "text: tell so many single launches in full, not the sums of the "
     "kernels that took longest"},
    {"output", 'o', "FILE",
     "where the report goes, '-' is standard output; default standard error"},
    {NULL, 0, NULL, NULL}};

static const cli_option suite_options[] = {
    {"size", 0, "SIZE", "which of the programs' sizes; default small"},
    {"jobs", 'j', "N", "run N programs at once; default 1"},
    {"tag", 0, "TAG", "only programs with this tag; repeatable: or that one"},
    {"timeout", 0, "SECONDS", "for each program; default is what it says"},
    {"build", 0, "FOLDER",
     "what {build} stands for; default is the folder of this command"},
    {"no-build", 0, NULL, "do not run the build commands of the suite"},
    {"native", 0, NULL, "without Heddle, on the machine's own OpenCL"},
    {"output", 'o', "FILE", "where the table goes; default standard output"},
    {"reports", 0, "FOLDER",
     "also write the report of each program, as 'heddle exec' does, to "
     "FOLDER/PROGRAM.txt, .json or .csv"},
    MACHINE_OPTIONS,
    KEEP_OPTION,
    {NULL, 0, NULL, NULL}};

static const cli_option compare_options[] = {
    {"with", 'w', "[NAME:]PATH=VALUE[,...]",
     "a variant: these parameters differ from the base; repeatable: several "
     "variants"},
    {"against", 0, "[NAME:]PATH=VALUE[,...]",
     "the base; default is the GPU as it is"},
    {"jobs", 'j', "N", "run N at once; the results do not depend on it"},
    {"by-kernel", 0, NULL, "text: also a line for each kernel"},
    {"share", 0, "NAME=FORMULA",
     "also the shares of this, a formula over counters, in the base's sum of "
     "all shares; repeatable; in place of those of the mechanism"},
    {"figure", 0, "NAME=FORMULA",
     "also this value of each workload on each side; repeatable"},
    {"energy-part", 0, "PART",
     "also what this part of the energy spends, stores and compares: fetch, "
     "hazard, l1 ..."},
    {"allow-missing", 0, NULL,
     "means also if workloads failed, over those that did not"},
    {"allow-different", 0, NULL,
     "also workloads whose output or memory is not the same on both sides"},
    {"html", 0, "FILE",
     "also write the page of the comparison to FILE: words, charts, tables"},
    {"energy-series", 0, "CYCLES",
     "--store, --html: also power over time, in steps of so many cycles, at "
     "least"},
    {"occupancy", 0, NULL,
     "--store, --html: also resident warps of every SM over time"},
    {"output", 'o', "FILE", "where it goes; default standard output"},
    KEEP_OPTION,
    {"fresh", 0, NULL, "simulate also what other commands have simulated"},
    {"from", 0, "FILE",
     "run nothing, tell the last comparison in a results file again"},
    {"gpu", 'g', "GPU",
     "preset or YAML file of a simulated GPU; repeatable: each is compared for "
     "itself; default v100"},
    WORKLOAD_OPTIONS,
    MACHINE_OPTIONS_BUT_GPU,
    {NULL, 0, NULL, NULL}};

static const cli_option results_options[] = {
    {"rows", 0, "NAME[,...]", "table: what a row stands for; default workload"},
    {"cols", 0, "NAME[,...]", "table: what a column stands for; default none"},
    {"value", 0, "NAME[/NAME][,...]",
     "table: what is in it; default cycles,time_s,ipc"},
    {"aggregate", 0, "sum|mean|geomean|min|max",
     "table: what several values become; without it they must be the same"},
    {"where", 0, "NAME=VALUE",
     "table: only runs, or kernels, with that; VALUE may have wildcards; "
     "repeatable: and with that"},
    {"study", 0, "N|last", "list, table: only runs of that command"},
    {"allow-missing", 0, NULL,
     "table: even if runs failed or are missing, without them"},
    {"all", 0, NULL, "list: every run, not only the first 40"},
    {"format", 'f', "FORMAT",
     "text, json, csv or jsonl: an object a line; default text, export csv"},
    {"output", 'o', "FILE",
     "where it goes; default standard output; export: a folder, '-' is "
     "standard output"},
    {"quiet", 'q', NULL, "no progress line"},
    {NULL, 0, NULL, NULL}};

static const cli_option cost_options[] = {
    GPU_OPTIONS,
    {"over", 0, "PATH=VALUE,...",
     "for each value of that parameter; with a second --over for all pairs"},
    {"structure", 0, "NAME",
     "only this one, with its formula; repeatable; docs/cost.md lists them"},
    {"format", 'f', "FORMAT", "text, json or csv; default text"},
    {NULL, 0, NULL, NULL}};

static const cli_option probe_options[] = {
    GPU_OPTIONS,
    {"output", 'o', "FILE", "where the results go; default standard output"},
    {"format", 'f', "FORMAT", "text, json or csv; default text"},
    {"html", 0, "FILE",
     "also write the page of what was found to FILE: table, figures"},
    {"emit-config", 0, "FILE",
     "write a configuration from what was found, on top of the family's "
     "preset"},
    {"list", 0, NULL, "only list the probes"},
    {"threads", 't', "N", "host threads; the results do not depend on it"},
    {"quiet", 'q', NULL, "no progress line"},
    {NULL, 0, NULL, NULL}};

static const cli_option sweep_options[] = {
    {"output", 'o', "FOLDER",
     "where the sweep is kept; default NAME.sweep of a plan NAME.yaml"},
    {"jobs", 'j', "N", "run N points at once; default 1"},
    {"retry", 0, NULL, "run points that failed again"},
    {"build", 0, "FOLDER",
     "what {build} stands for in suites; default is the folder of this "
     "command"},
    CACHE_OPTIONS,
    {"format", 'f', "FORMAT", "text, json or csv; default text"},
    {"verbose", 'v', NULL,
     "a line now and then and for every failure, also without a terminal; "
     "worker: for every point"},
    {"quiet", 'q', NULL, "no table of what runs"},
    {"commands", 0, NULL,
     "list: a line for each point that is left, which runs it"},
    {"dir", 0, "FOLDER", "the folder of a verb"},
    {"only", 0, "ID", "worker: only this point"},
    {"points", 0, "FILE", "worker: only the points whose ids are in a file"},
    {"part", 0, "K/N", "worker: of these K, K + N, ..., from 0"},
    EXPLORE_OPTIONS,
    SLURM_OPTIONS,
    {NULL, 0, NULL, NULL}};

static const cli_option page_options[] = {
    {"output", 'o', "FILE",
     "where the page goes, '-' is standard output; default report.html"},
    {"study", 0, "N", "only this study of the files; repeatable"},
    {"title", 0, "TEXT", "what stands above; default is what the file says"},
    {NULL, 0, NULL, NULL}};

static const cli_option asm_options[] = {
    {"output", 'o', "FILE", "object file to write; without it, only check"},
    {NULL, 0, NULL, NULL}};

static const cli_option disasm_options[] = {
    {"output", 'o', "FILE", "where to write; default standard output"},
    {"address", 0, NULL, "with instruction addresses"},
    {"encoding", 0, NULL, "with the bytes of each instruction"},
    {NULL, 0, NULL, NULL}};

static const cli_option compile_options[] = {
    GPU_OPTIONS,
    {"output", 'o', "FILE", "assembly, or an object file if it ends in .hobj"},
    {"list", 0, NULL,
     "print machine code with source lines and the resources of each kernel"},
    {"kernel", 'k', "NAME", "compile only this kernel; repeatable"},
    {"max-registers", 0, "N", "use at most N registers a thread"},
    {"keep-going", 0, NULL,
     "leave out kernels that cannot be compiled, with warnings"},
    {NULL, 0, NULL, NULL}};

static const cli_option config_options[] = {
    GPU_OPTIONS,
    {"canonical", 0, NULL, "show: sorted and without comments, as hashed"},
    {NULL, 0, NULL, NULL}};

static const cli_option no_options[] = {{NULL, 0, NULL, NULL}};

const cli_command cli_commands[] = {
    {"run", "[OPTION...] [PROGRAM]", "run kernels on a simulated GPU",
     "Runs PROGRAM, PTX or assembly, and prints what the machine did: cycles, "
     "instructions,\noccupancy, where every issue slot went, caches, network "
     "and DRAM.\n\nOne launch is described by --kernel, --grid, --block and "
     "--arg; several, with buffers\nfrom files, by a launch file.",
     run_options, cli_run, false},
    {"exec", "[OPTION...] [--] PROGRAM [ARGUMENT...]",
     "run an OpenCL program on simulated GPUs",
     "Runs PROGRAM, which is any program that uses OpenCL through the ordinary "
     "loader, with\nsimulated GPUs as its only devices, and reports its "
     "kernels "
     "at the end. Its input and\noutput are its own; the report goes to "
     "standard error or to the file of --output.\n\nExample: which kernel of "
     "./solver takes the time of a V100, and why? The first 100\nlaunches only "
     "warm up; of the others the first ten of 'jacobi' are timed:\n\n"
     "    heddle exec --gpu v100 --skip-launches 100 --timed 'jacobi*' "
     "--max-launches 10 \\\n        --by-line -o report.txt -- ./solver "
     "--size 256\n\nThe exit status is the program's, 128 and the signal's "
     "number if a signal ended it;\n127 and 126 if PROGRAM was not found or "
     "cannot be run, 125 if Heddle's driver is missing.",
     exec_options, cli_exec, true},
    {"suite", "[OPTION...] run SUITE [PROGRAM...] | list SUITE",
     "run many programs and judge them",
     "Runs the programs of SUITE, a folder with a suite.yaml or that file, as "
     "'heddle exec'\ndoes, compares with what is expected of them and prints a "
     "table: verdict, launches,\ninstructions, cycles, seconds. One that hangs "
     "or crashes does not keep the others\nfrom running. docs/suite.md "
     "describes the file.",
     suite_options, cli_suite, false},
    {"compare", "[OPTION...] [MECHANISM] [WORKLOAD...] [-- PROGRAM...]",
     "what does a change of the hardware gain, and why?",
     "Runs WORKLOADs on GPUs that differ in a few parameters, makes sure that "
     "the results are\nequal, and prints speed-ups, where the issue slots "
     "went, traffic and the counters that\nmoved most. A WORKLOAD is a suite "
     "(a "
     "folder with a suite.yaml, or that file) with the\nnames of its programs "
     "or all of them, a launch file, a kernel (FILE.ptx) with the options\nof "
     "'heddle run', or a program behind --. MECHANISM is a name from 'heddle "
     "list\nmechanisms': a base and its variants.\n\n"
     "Examples: what does a larger L1 gain on these two, and greedy "
     "scheduling on a program?\n\n"
     "    heddle compare l1-size workloads spmv bfs -j 2\n"
     "    heddle compare --gpu v100 --with sm.issue.scheduler=gto -- ./solver "
     "100\n    heddle compare scheduler k.ptx --grid 80 --block 256 --arg "
     "buf:f32[20480]=iota\n\nThe exit status is 1 if a workload failed, if "
     "results differ, "
     "or if there is no mean\nbecause workloads are missing. "
     "docs/compare.md has the formulas.",
     compare_options, cli_compare, false},
    {"cost", "[OPTION...] [GPU...]", "what do the structures of a GPU store?",
     "Prints, for each structure of the GPU, how many bits it stores and how "
     "many its\ncomparators look at in a cycle, from the configuration alone; "
     "of several GPUs beside\neach other.\n\n"
     "Examples: how do the MSHRs of an L1 grow, and what is in which "
     "GPU?\n\n"
     "    heddle cost v100 --over l1.mshrs=64,128,256 --structure l1_mshrs\n"
     "    heddle cost gtx480 k20 v100\n\ndocs/cost.md has the formulas.",
     cost_options, cli_cost, false},
    {"probe", "[OPTION...] [PROBE...]", "what is the simulated machine?",
     "Runs micro-benchmarks in machine code that find out from clock readings "
     "what the\nsimulated machine is, and prints that beside what is "
     "configured "
     "and what is published.\n\nExample: which caches are found in a machine "
     "with a larger L1?\n\n"
     "    heddle probe --gpu gtx480 --set l1.ways=8 caches\n\n"
     "docs/probe.md describes the probes.",
     probe_options, cli_probe, false},
    {"sweep",
     "[OPTION...] [run|list] PLAN | list|status|table|merge|worker FOLDER",
     "many machines, many workloads: design-space exploration",
     "Runs every point of PLAN, a file that names GPUs, axes of parameters and "
     "workloads, and\nkeeps the results in a folder. Whatever interrupts it, "
     "the same command goes on where it\nwas; nothing is simulated twice. "
     "docs/sweep.md describes plans.\n\nlist: the points, with their states if "
     "there is a folder. status: how far is it, what\nfailed and why? table: "
     "what came out (docs/explore.md); also of a FILE.db. merge: "
     "brings finished points into results.db; running a plan does so\nby "
     "itself. worker: runs points of a folder that others may share, on this "
     "or other\nmachines.\n\nExample: two caches and three schedulers, four "
     "points at once; then what came out:\n\n"
     "    heddle sweep l1.yaml -j 4\n    heddle sweep table l1.sweep "
     "--limit 'bits<=40000000'"
     "\n\nThe exit status is 1 if points failed.",
     sweep_options, cli_sweep, false},
    {"results",
     "[OPTION...] list|table|open FILE | export|sql FILE ... | merge OUT IN...",
     "look at results files",
     "Looks at results files, which --store and sweeps write. FILE may also be "
     "the folder of\na sweep.\n\nlist: the commands and runs in it. table: "
     "rows and columns by what you name: workload,\nsize, kernel, side, gpu, "
     "study, run, status, version, a factor such as side or l1.sets,\nany "
     "parameter of the configuration; values are cycles, time_s, ipc, "
     "energy_j, power_w,\nedp, warp_insts, launches, wall_s, storage_bits, "
     "any counter such as l1.replies,\nenergy.l1, or a quotient of two. "
     "merge: adds the runs of IN to OUT; those that are there\nalready are "
     "kept. export: tables and views of the file as CSV or JSON, all of them "
     "into a\nfolder or one to standard output. sql: answers QUERY. open: "
     "starts sqlite3.\n\nExamples: cycles of each kernel by L1 size, and "
     "the speed of all by side:\n\n"
     "    heddle results table r.db --rows kernel --cols l1.sets --value "
     "cycles\n"
     "    heddle results table r.db --rows side --value ipc --aggregate "
     "geomean\n\nThe exit status is 1 if runs failed or are missing. "
     "docs/results.md describes the file.",
     results_options, cli_results, false},
    {"report", "[OPTION...] FILE...", "results as one HTML page",
     "Makes one HTML file of results FILEs, which --store of other commands "
     "and "
     "sweeps leave:\nwhat came out in words, charts, tables that sort and save "
     "CSV, the configuration, the\ncommand that makes it again. The page needs "
     "no network and no server, can be printed, and\nis light or dark as the "
     "reader's system is.\n\nExample: where does the power of a solver go?\n\n"
     "    heddle exec --gpu v100 --energy-series 1000 --store r.db -- "
     "./solver\n"
     "    heddle report r.db -o solver.html\n\ndocs/report.md says how to read "
     "it. A sweep's FILE may be its folder.",
     page_options, cli_report_page, false},
    {"compile", "[OPTION...] PROGRAM", "compile PTX to machine code",
     "Compiles PTX for the GPU and writes assembly or an object file, or with "
     "--list a\nlisting with source lines, registers, shared, local and spill "
     "bytes.",
     compile_options, cli_compile, false},
    {"asm", "[OPTION...] FILE", "assemble machine code",
     "Assembles FILE. All errors are reported, each with its place.",
     asm_options, cli_asm, false},
    {"disasm", "[OPTION...] FILE", "print an object file as assembly",
     "Prints an object file as text that 'heddle asm' accepts.", disasm_options,
     cli_disasm, false},
    {"config", "[OPTION...] show|check [GPU] | diff GPU GPU | explain PATH",
     "show, check, compare and explain configurations",
     "show: every parameter with its value, origin and source. check: is a "
     "file right? diff:\nwhat differs between two. explain: value, range, "
     "origin and meaning of a parameter\nor section.",
     config_options, cli_config, false},
    {"list", "gpus|mechanisms|stats", "list what there is",
     "Lists presets, what can be compared by name and the policies a "
     "configuration can choose from, or all counters.",
     no_options, cli_list, false},
    {"help", "[COMMAND]", "help on a command", "Prints help.", no_options,
     cli_show_help, false},
    {"completion", "bash|zsh|fish", "print a completion script",
     "Prints a script for the shell; 'source' it or install it.", no_options,
     cli_show_completion, false},
    {"doc", "manual|isa|stats|config|cost", NULL,
     "Prints a generated document; for building Heddle.", no_options, cli_doc,
     false},
    {NULL, NULL, NULL, NULL, NULL, NULL, false}};

int cli_show_help(int argc, char **argv)
{
    if (argc > 2)
        return cli_usage(cli_find("help"), "expected one command");
    const cli_command *c = argc > 1 ? cli_find(argv[1]) : NULL;

    if (argc > 1 && !c)
        return cli_usage(NULL, "no command '%s'", argv[1]);
    cli_help(c, stdout);
    return cli_finish(0);
}

int cli_show_completion(int argc, char **argv)
{
    if (argc != 2 || !cli_completion(argv[1], stdout))
        return cli_usage(cli_find("completion"), "expected bash, zsh or fish");
    return cli_finish(0);
}

/* --help or -h anywhere before a lone --, or before the program that the
 * command starts. */
static bool asks_for_help(const cli_command *c, int argc, char **argv)
{
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const cli_option *o = cli_option_find(c, argv[i]);

        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
        if (!c->starts_program)
            continue;
        if (argv[i][0] != '-')
            return false;
        if (o && o->arg &&
            (argv[i][1] == '-' ? !strchr(argv[i], '=') : !argv[i][2]))
            i++; /* its value */
    }
    return false;
}

static void print_version(void)
{
    printf("heddle %s (%s)\n", HEDDLE_VERSION, cli_build());
}

static int unknown(const char *name)
{
    const char *names[32];
    size_t n = 0;

    for (const cli_command *c = cli_commands; c->name && n < 32; c++)
        if (c->help)
            names[n++] = c->name;
    const char *near = suggest_nearest(name, names, n);
    if (near)
        return cli_usage(NULL, "no command '%s' (did you mean '%s'?)", name,
                         near);
    return cli_usage(NULL, "no command '%s'", name);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        cli_help(NULL, stderr);
        return 2;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        print_version();
        return cli_finish(0);
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        cli_help(NULL, stdout);
        return cli_finish(0);
    }
    const cli_command *c = cli_find(name);
    if (!c)
        return unknown(name);
    if (asks_for_help(c, argc, argv)) {
        cli_help(c, stdout);
        return cli_finish(0);
    }
    return c->run(argc - 1, argv + 1);
}
