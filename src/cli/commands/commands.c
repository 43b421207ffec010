/* src/cli/commands/commands.c - which subcommands there are, and their options,
 * verbs and examples. */
#include <string.h>

#include "cli/cached.h"
#include "cli/cli.h"
#include "cli/commands/explain.h"
#include "cli/commands/explore.h"
#include "cli/commands/run_options.h"
#include "cli/commands/sweep_slurm.h"
#include "cli/keep.h"
#include "cli/tracing.h"
#include "cli/workload.h"

/* Rows of tables: an option a paragraph, its group at the end. */
/* clang-format off */
#define EXEC_OPTIONS                                                           \
    MACHINE_OPTIONS,                                                           \
    SERIES_OPTION,                                                             \
    KEEP_PAGE_OPTION,                                                          \
    TRACE_OPTIONS,                                                             \
    VALIDATE_SAMPLING_OPTION,                                                  \
    {"checkpoint-after", 0, "KERNEL[:N]",                                      \
     "compute the program up to the N-th launch of this kernel (the first), "  \
     "write what it has done to a checkpoint and end it there; KERNEL may "    \
     "have wildcards (docs/checkpoints.md)", CLI_SIMULATION},                  \
    {"checkpoint", 0, "FILE",                                                  \
     "where that checkpoint is written; default PROGRAM.checkpoint",           \
     CLI_SIMULATION},                                                          \
    {"resume", 0, "FILE",                                                      \
     "run the program again and simulate what follows its checkpoint FILE, "   \
     "on any GPU; the launches before are not", CLI_SIMULATION},               \
    {"launches", 0, "N|all",                                                   \
     "text: tell so many single launches in full, not the sums of the "        \
     "kernels that took longest", CLI_REPORT},                                 \
    {"output", 'o', "FILE",                                                    \
     "where the report goes, '-' is standard output; default standard error",  \
     CLI_OUTPUT}
static const cli_option exec_options[] = {EXEC_OPTIONS, CLI_OPTIONS_END};
static const cli_option watch_options[] = {WATCH_OPTIONS, EXEC_OPTIONS,
                                           CLI_OPTIONS_END};

static const cli_option suite_options[] = {
    {"size", 0, "SIZE",
     "which of the programs' sizes; default small", CLI_WORKLOAD},
    {"jobs", 'j', "N", "run N programs at once; default 1", CLI_HOST},
    {"tag", 0, "TAG",
     "only programs with this tag; repeatable: or that one", CLI_WORKLOAD},
    {"timeout", 0, "SECONDS",
     "for each program; default is what it says", CLI_WORKLOAD},
    {"build", 0, "FOLDER",
     "what {build} stands for; default is the folder of this command, or "
     "that of the installed programs", CLI_WORKLOAD},
    {"no-build", 0, NULL,
     "do not run the build commands of the suite", CLI_WORKLOAD},
    {"native", 0, NULL,
     "without Heddle, on the machine's own OpenCL", CLI_SIMULATION},
    {"output", 'o', "FILE",
     "where the table goes; default standard output", CLI_OUTPUT},
    {"reports", 0, "FOLDER",
     "also write the report of each program, as 'heddle exec' does, to "
     "FOLDER/PROGRAM.txt, .json or .csv", CLI_OUTPUT},
    MACHINE_OPTIONS,
    KEEP_OPTION,
    CLI_OPTIONS_END};

static const cli_option compare_options[] = {
    {"with", 'w', "[NAME:]PATH=VALUE[,...]",
     "a variant: these parameters differ from the base; code=ptx, code=sass: "
     "so does what CUDA programs run (--code); repeatable: several variants",
     CLI_OWN},
    {"against", 0, "[NAME:]PATH=VALUE[,...]",
     "the base; default is the GPU as it is", CLI_OWN},
    {"null", 0, "N",
     "run all sides N times more with latencies a cycle longer or shorter, SMs "
     "that start a little late, another seed and other draws of random inputs: "
     "gains get a band, and one inside it is no difference; at most 80",
     CLI_OWN},
    {"jobs", 'j', "N",
     "run N at once; the results do not depend on it", CLI_HOST},
    {"by-kernel", 0, NULL, "text: also a line for each kernel", CLI_REPORT},
    {"share", 0, "NAME=FORMULA",
     "also the shares of this, a formula over counters, in the base's sum of "
     "all shares; repeatable; in place of those of the mechanism",
     CLI_REPORT},
    {"figure", 0, "NAME=FORMULA",
     "also this value of each workload on each side; repeatable", CLI_REPORT},
    {"energy-part", 0, "PART",
     "also what this part of the energy spends, stores and compares: fetch, "
     "hazard, l1 ...", CLI_REPORT},
    {"allow-missing", 0, NULL,
     "means also if workloads failed, over those that did not", CLI_OWN},
    {"allow-different", 0, NULL,
     "also workloads whose output or memory is not the same on both sides",
     CLI_OWN},
    {"html", 0, "FILE",
     "also write the page of the comparison to FILE: words, charts, tables",
     CLI_OUTPUT},
    {"energy-series", 0, "CYCLES",
     "--store, --html: also power over time, in steps of so many cycles, at "
     "least", CLI_REPORT},
    {"occupancy", 0, NULL,
     "--store, --html: also resident warps of every SM over time",
     CLI_REPORT},
    {"output", 'o', "FILE",
     "where it goes; default standard output", CLI_OUTPUT},
    KEEP_OPTION,
    {"fresh", 0, NULL,
     "simulate also what other commands have simulated", CLI_HOST},
    {"from", 0, "FILE",
     "run nothing, tell the last comparison in a results file again",
     CLI_OWN},
    {"gpu", 'g', "GPU",
     "preset or YAML file of a simulated GPU; repeatable: each is compared "
     "for itself; default v100", CLI_GPU},
    WORKLOAD_OPTIONS,
    MACHINE_OPTIONS_BUT_GPU,
    CLI_OPTIONS_END};

static const cli_option diff_options[] = {
    {"gpu", 'g', "GPU",
     "preset or YAML file of a simulated GPU to run on; repeatable: each is a "
     "side; default v100", CLI_GPU},
    {"jobs", 'j', "N",
     "run N at once; the results do not depend on it", CLI_HOST},
    {"by-kernel", 0, NULL, "text: also a line for each kernel", CLI_REPORT},
    {"html", 0, "FILE",
     "also write the page of it to FILE: words, charts, tables", CLI_OUTPUT},
    {"output", 'o', "FILE",
     "where it goes; default standard output", CLI_OUTPUT},
    {"fresh", 0, NULL,
     "simulate also what other commands have simulated", CLI_HOST},
    WORKLOAD_OPTIONS,
    MACHINE_OPTIONS_BUT_GPU,
    CLI_OPTIONS_END};

static const cli_option validate_options[] = {
    {"programs", 0, "FOLDER",
     "what {programs} stands for in truth: where the programs are; default is "
     "the working directory", CLI_WORKLOAD},
    {"inputs", 0, "FOLDER",
     "what {inputs} stands for: where their inputs are; default is the folder "
     "of the programs", CLI_WORKLOAD},
    {"list", 0, NULL,
     "run nothing: which programs are there, how they are run, and where they "
     "come from", CLI_OWN},
    {"row", 0, "NAME",
     "only rows of that name, with the wildcards of shells; repeatable",
     CLI_OWN},
    {"hardware", 0, "CSV",
     "what 'ncu --csv' or 'nvprof --csv' wrote of a program in place of truth: "
     "the program behind --, or a launch file, is run, and its launches are "
     "matched", CLI_OWN},
    {"clock", 0, "CLOCK",
     "--hardware: the device's, as 1380MHz, if there are only durations",
     CLI_OWN},
    {"by-kernel", 0, NULL,
     "--hardware: all launches of a kernel are one row", CLI_OWN},
    {"max-error", 0, "PERCENT",
     "exit status 1 if the mean absolute error of all rows is larger",
     CLI_OWN},
    {"allow-missing", 0, NULL,
     "rows without a value are no reason for exit status 1", CLI_OWN},
    {"gpu", 'g', "GPU",
     "preset or YAML file of a simulated GPU in place of what truth names",
     CLI_GPU},
    {"jobs", 'j', "N",
     "run N programs or probes at once; the results do not depend on it",
     CLI_HOST},
    {"html", 0, "FILE",
     "also write a page to FILE: rows over the device's, scores, tables",
     CLI_OUTPUT},
    {"output", 'o', "FILE",
     "where it goes; default standard output", CLI_OUTPUT},
    KEEP_OPTION,
    {"fresh", 0, NULL,
     "simulate also what other commands have simulated", CLI_HOST},
    {"timeout", 0, "SECONDS",
     "for each program; default is what its truth says", CLI_WORKLOAD},
    {"build", 0, "FOLDER",
     "what {build} stands for; default is the folder of this command, or "
     "that of the installed programs", CLI_WORKLOAD},
    MACHINE_OPTIONS_BUT_GPU,
    CLI_OPTIONS_END};

static const cli_option results_options[] = {
    {"rows", 0, "NAME[,...]",
     "what a row stands for; default workload", CLI_TABLE},
    {"cols", 0, "NAME[,...]",
     "what a column stands for; default none", CLI_TABLE},
    {"value", 0, "NAME[/NAME][,...]",
     "what is in it; default cycles,time_s,ipc", CLI_TABLE},
    {"aggregate", 0, "sum|mean|geomean|min|max",
     "what several values become; without it they must be the same",
     CLI_TABLE},
    {"where", 0, "NAME=VALUE",
     "only runs, or kernels, with that; VALUE may have wildcards; "
     "repeatable: and with that", CLI_TABLE},
    {"study", 0, "N|last", "list, table: only runs of that command", CLI_OWN},
    {"allow-missing", 0, NULL,
     "even if runs failed or are missing, without them", CLI_TABLE},
    {"all", 0, NULL, "list: every run, not only the first 40", CLI_OWN},
    {"format", 'f', "FORMAT",
     "text, json, csv or jsonl: an object a line; default text, export csv",
     CLI_OWN},
    WIDTH_OPTION,
    {"output", 'o', "FILE",
     "where it goes; default standard output; export: a folder, '-' is "
     "standard output", CLI_OWN},
    {"quiet", 'q', NULL, "no progress line", CLI_OWN},
    CLI_OPTIONS_END};

static const cli_option cost_options[] = {
    GPU_OPTIONS,
    {"over", 0, "PATH=VALUE,...",
     "for each value of that parameter; with a second --over for all pairs",
     CLI_OWN},
    {"structure", 0, "NAME",
     "only this one, with its formula; repeatable; docs/cost.md lists them",
     CLI_OWN},
    {"format", 'f', "FORMAT", "text, json or csv; default text", CLI_OUTPUT},
    CLI_OPTIONS_END};

static const cli_option probe_options[] = {
    GPU_OPTIONS,
    {"output", 'o', "FILE",
     "where the results go; default standard output", CLI_OUTPUT},
    {"format", 'f', "FORMAT", "text, json or csv; default text", CLI_OUTPUT},
    WIDTH_OPTION,
    {"html", 0, "FILE",
     "also write the page of what was found to FILE: table, figures",
     CLI_OUTPUT},
    {"emit-config", 0, "FILE",
     "write a configuration from what was found, on top of the family's "
     "preset", CLI_OWN},
    {"list", 0, NULL, "only list the probes", CLI_OWN},
    {"threads", 't', "N",
     "host threads; the results do not depend on it", CLI_HOST},
    {"quiet", 'q', NULL, "no progress line", CLI_HOST},
    CLI_OPTIONS_END};

static const cli_option sweep_options[] = {
    {"output", 'o', "FOLDER",
     "where the sweep is kept; default NAME.sweep of a plan NAME.yaml",
     CLI_OWN},
    {"jobs", 'j', "N", "run N points at once; default 1", CLI_OWN},
    {"retry", 0, NULL, "run points that failed again", CLI_OWN},
    {"build", 0, "FOLDER",
     "what {build} stands for in suites; default is the folder of this "
     "command, or that of the installed programs", CLI_OWN},
    CACHE_OPTIONS,
    {"format", 'f', "FORMAT", "text, json or csv; default text", CLI_OWN},
    WIDTH_OPTION,
    {"verbose", 'v', NULL,
     "a line now and then and for every failure, also without a terminal; "
     "worker: for every point", CLI_OWN},
    {"quiet", 'q', NULL, "no table of what runs", CLI_OWN},
    {"commands", 0, NULL,
     "list: a line for each point that is left, which runs it", CLI_OWN},
    {"dir", 0, "FOLDER", "the folder of a verb", CLI_OWN},
    {"only", 0, "ID", "only this point", CLI_WORKER},
    {"points", 0, "FILE",
     "only the points whose ids are in a file", CLI_WORKER},
    {"part", 0, "K/N", "of these K, K + N, ..., from 0", CLI_WORKER},
    {"search", 0, NULL,
     "run not all points of the plan, but those of machines that a search for "
     "the front of its first 'pareto' proposes (speedup, energy, bits)",
     CLI_SEARCH},
    {"evaluations", 0, "N",
     "of so many machines at most; default 100; more goes on where fewer ended",
     CLI_SEARCH},
    {"population", 0, "N", "machines of a generation; default 20", CLI_SEARCH},
    {"seed", 0, "N", "another search; default 1", CLI_SEARCH},
    {"method", 0, "METHOD",
     "nsga2 or random, for comparison; default nsga2", CLI_SEARCH},
    EXPLORE_OPTIONS,
    SLURM_OPTIONS,
    CLI_OPTIONS_END};

static const cli_option page_options[] = {
    {"output", 'o', "FILE",
     "where the page goes, '-' is standard output; default report.html",
     CLI_OWN},
    {"study", 0, "N", "only this study of the files; repeatable", CLI_OWN},
    {"title", 0, "TEXT",
     "what stands above; default is what the file says", CLI_OWN},
    CLI_OPTIONS_END};

static const cli_option asm_options[] = {
    {"output", 'o', "FILE",
     "object file or cubin to write; without it, only check", CLI_OWN},
    CLI_OPTIONS_END};

static const cli_option disasm_options[] = {
    {"output", 'o', "FILE",
     "where to write; default standard output", CLI_OWN},
    {"address", 0, NULL,
     "with instruction addresses, which cubins always have", CLI_OWN},
    {"encoding", 0, NULL,
     "with the bytes of each instruction, which cubins always have", CLI_OWN},
    {"kernel", 'k', "NAME", "only this function of a cubin", CLI_OWN},
    {"arch", 0, "ARCH",
     "only machine code for this architecture (sm_80) of a program or container",
     CLI_OWN},
    {"bounds", 0, NULL,
     "the fewest cycles that the code of a cubin leaves between results of a "
     "class and their first uses, with tabs between",
     CLI_OWN},
    {"source", 0, NULL,
     "all of a cubin as text that 'heddle asm' takes, with labels", CLI_OWN},
    {"info", 0, NULL,
     "sections, kernels and attributes of a cubin instead of its code",
     CLI_OWN},
    CLI_OPTIONS_END};

static const cli_option compile_options[] = {
    GPU_OPTIONS,
    {"output", 'o', "FILE",
     "assembly, or an object file if it ends in .hobj", CLI_OWN},
    {"list", 0, NULL,
     "print machine code with source lines and the resources of each kernel",
     CLI_OWN},
    {"dump", 0, "PASS",
     "print the code as it is after this pass of the compiler; repeatable; "
     "'list' tells the passes", CLI_OWN},
    {"kernel", 'k', "NAME", "compile only this kernel; repeatable", CLI_OWN},
    {"max-registers", 0, "N", "use at most N registers a thread", CLI_OWN},
    {"keep-going", 0, NULL,
     "leave out kernels that cannot be compiled, with warnings", CLI_OWN},
    CLI_OPTIONS_END};

static const cli_option config_options[] = {
    GPU_OPTIONS,
    {"canonical", 0, NULL,
     "show: sorted and without comments, as hashed", CLI_OWN},
    CLI_OPTIONS_END};

static const cli_option no_options[] = {CLI_OPTIONS_END};
/* clang-format on */

/* ---- Verbs and examples ---- */

static const cli_line exec_examples[] = {
    {"exec --gpu k20 -- ./solver --size 256",
     "Which kernels does the program launch, and how long do they take?"},
    {"exec --gpu v100 --skip-launches 100 --timed 'jacobi*' \\\n"
     "    --max-launches 10 --by-line -o report.txt -- ./solver --size 256",
     "The first 100 launches only warm up; of the others the first ten of "
     "'jacobi' are timed, by source line:"},
    {NULL, NULL}};

static const cli_line suite_verbs[] = {
    {"run", "runs the programs, or those that are named, and judges them"},
    {"list", "the programs, their sizes and tags"},
    {NULL, NULL}};

static const cli_line suite_examples[] = {
    {"suite run workloads --gpu k20 -j 2",
     "Every program of the suite in the folder 'workloads':"},
    {"suite run workloads spmv bfs --size large --reports out",
     "Two of them at another size, with the report of each:"},
    {NULL, NULL}};

static const cli_line compare_examples[] = {
    {"compare l1-size workloads spmv bfs -j 2",
     "What does a larger L1 gain on these two programs?"},
    {"compare --gpu v100 --with sm.issue.scheduler=lrr -- ./solver 100",
     "And another scheduler on a program of your own?"},
    {"compare scheduler k.ptx --grid 80 --block 256 \\\n"
     "    --arg 'buf:f32[20480]=iota' --html page.html",
     "Or on a kernel, as a page?"},
    {"compare --gpu a100 --by-kernel --against code=ptx --with code=sass \\\n"
     "    -- ./program",
     "How far is the code of Heddle's compiler from the vendor's, in cycles?"},
    {NULL, NULL}};

static const cli_line diff_examples[] = {
    {"diff old.db new.db", "What did a new version change?"},
    {"diff runs.db:1 runs.db:4 --html page.html",
     "What do two runs of a file differ in?"},
    {"diff --gpu gtx480 --gpu v100 --gpu k20 out/sgemm/launch.yaml",
     "The same on three GPUs, side by side."},
    {"diff --gpu v100 naive.ptx tiled.ptx --grid 64 --block 256 \\\n"
     "    --arg 'buf:f32[16384]=iota'",
     "Two kernels on one GPU."},
    {"diff --gpu a100 k.ptx k.cubin --grid 64 --block 256 \\\n"
     "    --arg 'buf:f32[16384]=iota'",
     "A kernel by its PTX and by the vendor's machine code."},
    {NULL, NULL}};

static const cli_line cost_examples[] = {
    {"cost v100 --over l1.mshrs=64,128,256 --structure l1_mshrs",
     "How do the MSHRs of an L1 grow?"},
    {"cost gtx480 k20 v100", "What is in which GPU?"},
    {NULL, NULL}};

static const cli_line probe_examples[] = {
    {"probe --gpu gtx480 --set l1.ways=8 caches",
     "Which caches are found in a machine with a larger L1?"},
    {"probe --list", "What can be found out?"},
    {NULL, NULL}};

static const cli_line sweep_verbs[] = {
    {"run", "runs the points of PLAN that are missing; may be left out"},
    {"list", "the points, with their states if there is a folder"},
    {"status", "how far is it, what failed and why?"},
    {"table", "what came out (docs/explore.md); also of a FILE.db"},
    {"merge", "brings finished points into results.db, as running a plan does"},
    {"worker",
     "runs points of a folder that others may share, on this or other "
     "machines"},
    {NULL, NULL}};

static const cli_line sweep_examples[] = {
    {"sweep l1.yaml -j 4", "The points of a plan, four at once:"},
    {"sweep table l1.sweep --limit 'bits<=40000000'", "What came out:"},
    {"sweep large.yaml --search --evaluations 200 -j 4",
     "The front of a space that is too large for all of its points:"},
    {NULL, NULL}};

static const cli_line results_verbs[] = {
    {"list", "the commands and runs in it"},
    {"table",
     "rows and columns by what you name: workload, size, kernel, side, gpu, "
     "study, run, status, version, a factor such as side or l1.sets, any "
     "parameter of the configuration; values are cycles, time_s, ipc, "
     "energy_j, power_w, edp, warp_insts, launches, wall_s, storage_bits, any "
     "counter such as l1.replies, energy.l1, or a quotient of two"},
    {"open", "starts sqlite3"},
    {"export",
     "tables and views of the file as CSV or JSON, all of them into a folder "
     "or one to standard output"},
    {"sql", "answers QUERY"},
    {"merge",
     "adds the runs of IN to OUT; those that are there already are kept"},
    {NULL, NULL}};

static const cli_line results_examples[] = {
    {"results table r.db --rows kernel --cols l1.sets --value cycles",
     "Cycles of each kernel by L1 size:"},
    {"results table r.db --rows side --value ipc --aggregate geomean",
     "The speed of all by side:"},
    {"results sql r.db 'select workload, cycles from run'",
     "A question in SQL; docs/results.md has the tables:"},
    {NULL, NULL}};

static const cli_line validate_examples[] = {
    {"validate --list --programs bin", "Which programs does our truth need?"},
    {"validate --programs bin --inputs in -j 4",
     "How far is v100 from a Tesla V100?"},
    {"validate --hardware ncu.csv -- ./program 1024",
     "How far is it for a program of mine? On the device, first: ncu --csv "
     "--metrics sm__cycles_elapsed.max ./program 1024 >ncu.csv; then:"},
    {"validate --gpu my.yaml mine.yaml --max-error 15",
     "Is a machine of mine still true?"},
    {NULL, NULL}};

static const cli_line page_examples[] = {
    {"exec --gpu v100 --energy-series 1000 --store r.db -- ./solver",
     "Where does the power of a solver go? First run it,"},
    {"report r.db -o solver.html", "Then make the page:"},
    {NULL, NULL}};

static const cli_line compile_examples[] = {
    {"compile k.ptx --gpu k20 --list",
     "Machine code beside the source, registers and spills:"},
    {"compile k.ptx --dump lower --dump simplify",
     "What does the compiler make of it at first?"},
    {"compile k.ptx --max-registers 32 -o k.sass",
     "Assembly that can be changed and run:"},
    {NULL, NULL}};

static const cli_line asm_examples[] = {
    {"asm k.sass", "Is it right?"},
    {"asm k.sass -o k.hobj", "An object file, which 'heddle run' takes:"},
    {"asm k.sass -o k.cubin", "A cubin, if it begins with .target sm_80:"},
    {NULL, NULL}};

static const cli_line disasm_examples[] = {
    {"disasm --address --encoding k.hobj", "What is in it, byte by byte?"},
    {"disasm --source k.cubin -o k.sass",
     "Machine code that can be changed and made a cubin again:"},
    {NULL, NULL}};

static const cli_line config_verbs[] = {
    {"show", "every parameter with its value, origin and source"},
    {"check", "is a file right?"},
    {"diff", "what differs between two"},
    {"explain", "value, range, origin and meaning of a parameter or section"},
    {NULL, NULL}};

static const cli_line config_examples[] = {
    {"config diff k20 v100", "In what do two presets differ?"},
    {"config explain l1.ways --gpu gtx480",
     "What is that, and where does its value come from?"},
    {NULL, NULL}};

static const cli_line list_verbs[] = {
    {"gpus", "the presets of --gpu"},
    {"mechanisms",
     "what can be compared by name, and the policies a configuration can "
     "choose from"},
    {"stats", "all counters"},
    {NULL, NULL}};

static const cli_line list_examples[] = {
    {"list stats | grep mshr", "Which counters are about MSHRs?"},
    {NULL, NULL}};

static const cli_line completion_verbs[] = {
    {"bash", "source <(heddle completion bash)"},
    {"zsh", "heddle completion zsh >~/.zfunc/_heddle"},
    {"fish", "heddle completion fish | source"},
    {NULL, NULL}};

/* ---- Commands ---- */

static int show_help(int argc, char **argv)
{
    if (argc > 2)
        return cli_usage(cli_find("help"), "expected one command");
    const cli_command *c = argc > 1 ? cli_find(argv[1]) : NULL;

    if (argc > 1 && !c)
        return cli_usage(NULL, "no command '%s'", argv[1]);
    cli_help(c, stdout);
    return cli_finish(0);
}

static int show_completion(int argc, char **argv)
{
    if (argc != 2 || !cli_completion(argv[1], stdout))
        return cli_usage(cli_find("completion"), "expected bash, zsh or fish");
    return cli_finish(0);
}

const cli_command cli_commands[] = {
    RUN_COMMAND,
    {.name = "exec",
     .synopsis = "[OPTION...] [--] PROGRAM [ARGUMENT...]",
     .help = "run a CUDA or OpenCL program on simulated GPUs",
     .text =
         "Runs PROGRAM, which is any program that nvcc or clang made from CUDA "
         "C++, or that uses OpenCL through the ordinary loader, with "
         "simulated GPUs as its only devices, and reports its kernels at the "
         "end. Its input and output are its own; "
         "the report goes to standard error or to the file of --output.\n\n"
         "The exit status is the program's, 128 and the signal's number if a "
         "signal ended it; 127 and 126 if PROGRAM was not found or cannot be "
         "run, 125 if Heddle's driver is missing. docs/exec.md and "
         "docs/cuda.md say more.",
     .examples = exec_examples,
     .options = exec_options,
     .run = cli_exec,
     .starts_program = true},
    WATCH_COMMAND,
    {.name = "suite",
     .synopsis = "[OPTION...] run SUITE [PROGRAM...] | list SUITE",
     .help = "run many programs and judge them",
     .text =
         "Runs the programs of SUITE, a folder with a suite.yaml or that "
         "file, as 'heddle exec' does, compares with what is expected of them "
         "and prints a table: verdict, launches, instructions, cycles, "
         "seconds. One that hangs or crashes does not keep the others from "
         "running. docs/suite.md describes the file.",
     .verbs = suite_verbs,
     .examples = suite_examples,
     .options = suite_options,
     .run = cli_suite},
    {.name = "compare",
     .synopsis = "[OPTION...] [MECHANISM] [WORKLOAD...] [-- PROGRAM...]",
     .help = "what does a change of the hardware gain, and why?",
     .text =
         "Runs WORKLOADs on GPUs that differ in a few parameters, makes sure "
         "that the results are equal, and prints speed-ups, where the issue "
         "slots went, traffic and the counters that moved most. A WORKLOAD is "
         "a suite (a folder with a suite.yaml, or that file) with the names "
         "of its programs or all of them, a launch file, a trace of Accel-Sim "
         "(FILE.g), a kernel (FILE.ptx) "
         "with the options of 'heddle run', or a program behind --. MECHANISM "
         "is a name from 'heddle list mechanisms': a base and its variants."
         "\n\nThe exit status is 1 if a workload failed, if results differ, "
         "or if there is no mean because workloads are missing. "
         "docs/compare.md has the formulas.",
     .examples = compare_examples,
     .options = compare_options,
     .run = cli_compare},
    EXPLAIN_COMMAND,
    {.name = "diff",
     .synopsis = "[OPTION...] RESULT|WORKLOAD... [-- PROGRAM...]",
     .help = "what do any two results differ in?",
     .text =
         "Tells results side by side, the first against each other: speed-ups, "
         "where the issue slots went, traffic, energy, the counters that moved "
         "most, and what cannot be compared. A RESULT is a results file (of "
         "--store), FILE:RUN, FILE:NAME=VALUE,... such as r.db:side=48K, a "
         "sweep's folder, or what 'heddle run' or 'heddle exec' wrote with "
         "--format json. A WORKLOAD is run: on several GPUs each GPU is a "
         "side; on one each kernel or launch file is. Workloads are matched by "
         "name; one on each side is matched whatever its name."
         "\n\nResults need not be equal; whether they are is told where it is "
         "known. The exit status is 1 if a run failed or no workload is on "
         "both "
         "sides. docs/diff.md says more.",
     .examples = diff_examples,
     .options = diff_options,
     .run = cli_diff},
    {.name = "validate",
     .synopsis = "[OPTION...] [TRUTH...] | --hardware CSV [-- PROGRAM...]",
     .help = "how far is the simulated GPU from a real one?",
     .text =
         "Runs what each row of TRUTH describes, and prints what was measured "
         "on a real GPU, what the simulated one takes, and the error; by "
         "class, by certainty of the input, of rows that parameters were "
         "fitted to and others, and in all: mean and median error, "
         "correlation, geometric mean, the worst row. TRUTH is a file or a "
         "folder of them; without it, what comes with Heddle. With --hardware "
         "truth is what a profiler wrote of PROGRAM on a device. "
         "docs/validate.md describes the file and has the formulas."
         "\n\nThe exit status is 1 if a row has no value, or if the error is "
         "above --max-error.",
     .examples = validate_examples,
     .options = validate_options,
     .run = cli_validate},
    {.name = "cost",
     .synopsis = "[OPTION...] [GPU...]",
     .help = "what do the structures of a GPU store?",
     .text =
         "Prints, for each structure of the GPU, how many bits it stores and "
         "how many its comparators look at in a cycle, from the configuration "
         "alone; of several GPUs beside each other. docs/cost.md has the "
         "formulas.",
     .examples = cost_examples,
     .options = cost_options,
     .run = cli_cost},
    {.name = "probe",
     .synopsis = "[OPTION...] [PROBE...]",
     .help = "what is the simulated machine?",
     .text =
         "Runs micro-benchmarks in machine code that find out from clock "
         "readings what the simulated machine is, and prints that beside what "
         "is configured and what is published. docs/probe.md describes the "
         "probes.",
     .examples = probe_examples,
     .options = probe_options,
     .run = cli_probe},
    {.name = "sweep",
     .synopsis = "[OPTION...] [run|list] PLAN | "
                 "list|status|table|merge|worker FOLDER",
     .help = "many machines, many workloads: design-space exploration",
     .text = "Runs every point of PLAN, a file that names GPUs, axes of "
             "parameters and workloads, and keeps the results in a folder. "
             "Whatever interrupts it, the same command goes on where it was; "
             "nothing is simulated twice. docs/sweep.md describes plans.\n\n"
             "The exit status is 1 if points failed.",
     .verbs = sweep_verbs,
     .examples = sweep_examples,
     .options = sweep_options,
     .run = cli_sweep},
    {.name = "results",
     .synopsis = "[OPTION...] list|table|open FILE | export|sql FILE ... | "
                 "merge OUT IN...",
     .help = "look at results files",
     .text = "Looks at results files, which --store and sweeps write. FILE may "
             "also be the folder of a sweep.\n\nThe exit status is 1 if runs "
             "failed or are missing. docs/results.md describes the file.",
     .verbs = results_verbs,
     .examples = results_examples,
     .options = results_options,
     .run = cli_results},
    {.name = "report",
     .synopsis = "[OPTION...] FILE...",
     .help = "results as one HTML page",
     .text =
         "Makes one HTML file of results FILEs, which --store of other "
         "commands and sweeps leave: what came out in words, timelines of "
         "programs, charts, tables "
         "that sort and save CSV, the configuration, the command that makes "
         "it again. The page needs no network and no server, can be printed, "
         "and is light or dark as the reader's system is.\n\nA sweep's FILE "
         "may be its folder. docs/report.md says how to read the page.",
     .examples = page_examples,
     .options = page_options,
     .run = cli_report_page},
    {.name = "compile",
     .synopsis = "[OPTION...] PROGRAM",
     .help = "compile PTX to machine code",
     .text =
         "Compiles PTX for the GPU and writes assembly or an object file, or "
         "with --list a listing with source lines, registers, shared, local "
         "and spill bytes.",
     .examples = compile_examples,
     .options = compile_options,
     .run = cli_compile},
    {.name = "asm",
     .synopsis = "[OPTION...] FILE",
     .help = "assemble machine code",
     .text = "Assembles FILE. All errors are reported, each with its place. A "
             "file that begins with .target is machine code of a real GPU, as "
             "'heddle disasm --source' writes it, and becomes a cubin.",
     .examples = asm_examples,
     .options = asm_options,
     .run = cli_asm},
    {.name = "disasm",
     .synopsis = "[OPTION...] FILE",
     .help = "print an object file or a cubin as assembly",
     .text =
         "Prints an object file as text that 'heddle asm' accepts, or "
         "machine code of a real GPU (a cubin, as nvcc -cubin and ptxas "
         "make it) as the vendor's tools do: control codes, address, "
         "instruction, its bytes; lines of source where they are known. Of a "
         "program that nvcc made, or a container (fatbin), all machine code "
         "in it.",
     .examples = disasm_examples,
     .options = disasm_options,
     .run = cli_disasm},
    {.name = "config",
     .synopsis = "[OPTION...] show|check [GPU] | diff GPU GPU | explain PATH",
     .help = "show, check, compare and explain configurations",
     .text = "Tells what a GPU's configuration says, be it a preset or a "
             "YAML file.",
     .verbs = config_verbs,
     .examples = config_examples,
     .options = config_options,
     .run = cli_config},
    {.name = "list",
     .synopsis = "gpus|mechanisms|stats",
     .help = "list what there is",
     .text = "Lists presets, mechanisms or counters.",
     .verbs = list_verbs,
     .examples = list_examples,
     .options = no_options,
     .run = cli_list},
    {.name = "help",
     .synopsis = "[COMMAND]",
     .help = "help on a command",
     .text = "Prints help.",
     .options = no_options,
     .run = show_help},
    {.name = "completion",
     .synopsis = "bash|zsh|fish",
     .help = "print a completion script",
     .text = "Prints a script for the shell; 'source' it or install it.",
     .verbs = completion_verbs,
     .options = no_options,
     .run = show_completion},
    {.name = "doc",
     .synopsis = "manual|isa|stats|config|cost",
     .text = "Prints a generated document; for building Heddle.",
     .options = no_options,
     .run = cli_doc},
    {.name = NULL}};
