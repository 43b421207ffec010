/* src/cli/machine.c - see machine.h. */
#include "cli/machine.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/must.h"
#include "base/shell.h"
#include "config/print.h"
#include "heddle/driver.h"

#define DRIVER HEDDLE_OPENCL_LIBRARY

void cli_machine_init(cli_machine *m)
{
    *m = (cli_machine){.mem = arena_new(), .sim = {.rt = {.lenient = true}}};
}

static void add_sets(cli_machine *m, cli_sets more)
{
    for (unsigned i = 0; i < more.count; i++)
        m->gpu.set[m->gpu.set_count++] = more.text[i];
}

void cli_machine_vary(const cli_machine *from, cli_sets before, cli_sets after,
                      cli_machine *out)
{
    const launch_filter *rules = &from->setup.filter;
    launch_filter *copy = &out->setup.filter;

    cli_machine_init(out);
    out->sim = from->sim;
    out->name_count = from->name_count;
    out->names = new0(from->name_count + 1, sizeof *out->names);
    out->gpu.set = new0(before.count + from->gpu.set_count + after.count + 1,
                        sizeof *out->gpu.set);
    out->setup.slack_bytes = from->setup.slack_bytes;
    out->setup.as_cpu = from->setup.as_cpu;
    out->setup.code = from->setup.code;
    *copy = *rules;
    copy->rule = new0(rules->count + 1, sizeof *copy->rule);
    for (size_t i = 0; i < rules->count; i++)
        copy->rule[i] = rules->rule[i];
    for (unsigned i = 0; i < from->name_count; i++)
        out->names[i] = from->names[i];
    add_sets(out, before);
    add_sets(out, (cli_sets){from->gpu.set, from->gpu.set_count});
    add_sets(out, after);
}

/* ---- Options ---- */

static void take_rule(cli_args *a, cli_machine *m)
{
    launch_filter *s = &m->setup.filter;
    size_t length;
    launch_filter_rule rule;

    if (!launch_filter_parse(a->value, &length, &rule)) {
        cli_usage(a->command,
                  "--timed: '%s' is not like gemm, gemm:3, gemm:3-7 or 'gemm*'",
                  a->value);
        a->wrong = true;
        return;
    }
    rule.kernel = arena_strndup(m->mem, a->value, length);
    s->rule = renew(s->rule, s->count + 1, sizeof *s->rule);
    s->rule[s->count++] = rule;
}

/* Which code of CUDA programs runs. */
static void take_code(cli_args *a, cli_machine *m)
{
    if (session_code_of(a->value, &m->setup.code))
        return;
    cli_usage(a->command, "--code: '%s' is none of auto, ptx and sass",
              a->value);
    a->wrong = true;
}

bool cli_machine_option(cli_machine *m, cli_args *a)
{
    launch_filter *select = &m->setup.filter;

    if (cli_is(a, "gpu")) {
        m->names = renew(m->names, m->name_count + 1, sizeof *m->names);
        m->names[m->name_count++] = a->value;
    } else if (cli_gpu_option(&m->gpu, a) ||
               cli_simulation_option(&m->sim, a)) {
        return true;
    } else if (cli_is(a, "timed")) {
        take_rule(a, m);
    } else if (cli_is(a, "slack")) {
        cli_u64(a, 1 << 30, &m->setup.slack_bytes);
    } else if (cli_is(a, "as-cpu")) {
        m->setup.as_cpu = true;
    } else if (cli_is(a, "code")) {
        take_code(a, m);
    } else if (cli_is(a, "skip-launches")) {
        cli_u64(a, UINT64_MAX, &select->skip);
    } else if (cli_is(a, "max-launches")) {
        if (cli_u64(a, UINT64_MAX, &select->max_timed) && !select->max_timed)
            m->sim.rt.functional = true;
    } else if (cli_is(a, "sample")) {
        select->sample = true;
    } else if (cli_is(a, "no-cache")) {
        m->no_cache = true;
    } else if (cli_is(a, "log")) {
        m->log = true;
    } else {
        return false;
    }
    return true;
}

int cli_machine_check(const cli_machine *m, const cli_args *a)
{
    if (cli_simulation_check(&m->sim, a))
        return 2;
    /* Others add up or compare cycles that would be of some launches only. */
    if (m->setup.filter.sample && strcmp(a->command->name, "exec") != 0 &&
        strcmp(a->command->name, "watch") != 0)
        return cli_usage(a->command, "--sample: only heddle exec and run tell "
                                     "what was not timed; leave it out");
    if (m->sim.rt.functional && m->setup.filter.sample)
        return cli_usage(a->command,
                         "with --functional nothing is timed: leave out "
                         "--sample or --functional");
    if (m->sim.rt.functional && m->setup.filter.count)
        return cli_usage(a->command,
                         "with --functional nothing is timed: leave out "
                         "--timed or --functional");
    return 0;
}

/* ---- The GPUs ---- */

static void make_setup(cli_machine *m)
{
    const report_options *r = &m->sim.report;
    session_setup *s = &m->setup;

    s->rt = m->sim.rt;
    s->lenient_kernels = m->sim.lenient;
    s->max_cycles = m->sim.max_cycles;
    s->profile = s->sources = r->by_line || r->by_instruction;
    s->per_block = r->per_block;
    s->sample_cycles = m->sim.series;
    s->warps_cycles = m->sim.occupancy ? SESSION_WARPS_CYCLES : 0;
    s->hash = m->sim.hash;
    s->device_count = m->count;
    s->filter.functional = m->sim.rt.functional;
    s->devices = ARENA_ARRAY(m->mem, session_device, m->count);
    for (unsigned i = 0; i < m->count; i++) {
        strbuf text = {0};

        config_dump(m->configs[i], &text);
        s->devices[i].name = m->gpus[i].name;
        s->devices[i].config = arena_strdup(m->mem, text.text);
        strbuf_fini(&text);
    }
}

int cli_machine_make(cli_machine *m)
{
    int code = 0;

    m->sheets = new0(m->name_count + 1, sizeof(config_sheet *));
    m->configs = new0(m->name_count + 1, sizeof(config *));
    m->gpus = new0(m->name_count + 1, sizeof *m->gpus);
    for (unsigned i = 0; i < (m->name_count ? m->name_count : 1); i++) {
        cli_gpu one = m->gpu;

        one.name = m->name_count ? m->names[i] : "v100";
        m->sheets[i] = cli_gpu_sheet(&one, NULL, &code);
        if (!m->sheets[i])
            return code;
        m->configs[i] = config_sheet_values(m->sheets[i]);
        m->gpus[i] = (report_gpu){one.name, m->configs[i]};
        m->count++;
    }
    make_setup(m);
    return 0;
}

void cli_machine_fini(cli_machine *m)
{
    for (unsigned i = 0; i < m->count; i++)
        config_sheet_free(m->sheets[i]);
    free(m->sheets);
    free((void *)m->configs);
    free(m->gpus);
    free(m->setup.filter.rule);
    free(m->names);
    cli_gpu_free(&m->gpu);
    arena_free(m->mem);
}

/* ---- The driver ---- */

/* CUDA programs find the drivers in `folder`, which ends with a slash, in place
 * of the vendor's libraries. gcc's AddressSanitizer wants to be the first
 * library otherwise. */
static size_t put_cuda(cli_machine *m, const char *folder, const char **env)
{
    const char *preload =
        arena_printf(m->mem, "%s" HEDDLE_CUDA_PRELOAD, folder);

    if (access(preload, R_OK) != 0)
        return 0;
    if (strpbrk(folder, " :;$")) { /* the loader knows no quotes */
        fprintf(stderr,
                "heddle: CUDA programs do not find Heddle, as the name of its "
                "folder %s has a blank or one of : ; $ in it: install it "
                "elsewhere\n",
                folder);
        return 0;
    }
    env[0] = arena_printf(m->mem, "LD_PRELOAD+=%s", preload);
    env[1] =
        arena_printf(m->mem, "LD_LIBRARY_PATH+=%s" HEDDLE_CUDA_FOLDER, folder);
    env[2] = "ASAN_OPTIONS+=verify_asan_link_order=0";
    return 3;
}

/* For both loaders of OpenCL: ocl-icd takes a driver in place of a folder,
 * Khronos' has a variable of its own. */
static void set_environment(cli_machine *m, const char *folder)
{
    const char **env = ARENA_ARRAY(m->mem, const char *, 8);
    size_t n = 0;

    m->driver = arena_printf(m->mem, "%s" DRIVER, folder);
    env[n++] = arena_printf(m->mem, "OCL_ICD_VENDORS=%s", m->driver);
    env[n++] = arena_printf(m->mem, "OCL_ICD_FILENAMES=%s", m->driver);
    n += put_cuda(m, folder, env + n);
    if (m->log)
        env[n++] = "HEDDLE_LOG=1";
    if (m->no_cache)
        env[n++] = "HEDDLE_CACHE=0";
    m->env = env;
}

/* The folder of this command, with a slash at its end. */
static void own_folder(char self[4096])
{
    ssize_t n = readlink("/proc/self/exe", self, 4095);
    char *slash;

    self[n > 0 ? n : 0] = '\0';
    slash = strrchr(self, '/');
    if (slash)
        slash[1] = '\0';
}

bool cli_machine_look_for_driver(cli_machine *m)
{
    static const char *const places[] = {"", "../" HEDDLE_LIBDIR "/heddle/",
                                         "../lib/heddle/"};
    char self[4096];

    own_folder(self);
    for (size_t i = 0; i < COUNTOF(places); i++) {
        char *folder = arena_printf(m->mem, "%s%s", self, places[i]);

        if (access(arena_printf(m->mem, "%s" DRIVER, folder), R_OK) == 0) {
            set_environment(m, folder);
            return true;
        }
    }
    return false;
}

bool cli_machine_find_driver(cli_machine *m, const char *command)
{
    char self[4096];

    if (cli_machine_look_for_driver(m))
        return true;
    own_folder(self);
    fprintf(stderr,
            "heddle %s: the OpenCL driver " DRIVER " is missing; it should be "
            "in %s or in %s\n",
            command, self, arena_printf(m->mem, "%s%sheddle", self, "../lib/"));
    return false;
}

bool cli_machine_try_compiler(const cli_machine *m, const char *command)
{
    const char *clang = getenv("HEDDLE_CLANG");
    heddle_try_compiler_function *try;
    char why[4096];
    void *driver;
    bool works;

    if (clang && !strcmp(clang, "none"))
        return true;
    if (m->no_cache)
        setenv("HEDDLE_CACHE", "0", 1);
    driver = dlopen(m->driver, RTLD_NOW | RTLD_LOCAL);
    *(void **)&try = driver ? dlsym(driver, HEDDLE_TRY_COMPILER) : NULL;
    if (try)
        works = try(why, sizeof why) == 0;
    else
        works = !snprintf(why, sizeof why, "%s", dlerror());
    if (driver)
        dlclose(driver);
    if (!works)
        fprintf(stderr,
                "heddle %s: nothing was run: OpenCL programs need a compiler "
                "that works:\n%s\n(HEDDLE_CLANG=none if they bring only "
                "binaries)\n",
                command, why);
    return works;
}

/* ---- The report ---- */

static report_program program(const cli_machine *m, const session_outcome *o)
{
    report_program p = *session_outcome_get(o);

    p.gpus = m->gpus;
    p.gpu_count = m->count;
    p.threads = m->sim.rt.threads ? m->sim.rt.threads : 1;
    return p;
}

/* Results files have them, reports only with --hash. */
static report_process *without_hashes(const report_program *p)
{
    report_process *out = new0(p->process_count + 1, sizeof *out);

    for (size_t i = 0; i < p->process_count; i++) {
        out[i] = p->processes[i];
        out[i].has_hash = false;
    }
    return out;
}

const char *cli_machine_advice(const cli_machine *m)
{
    const launch_filter *r = &m->setup.filter;

    if (r->functional || r->count || r->skip || r->max_timed || r->sample)
        return NULL;
    return "--sample times a few of launches that are alike, and parts of long "
           "ones,\n  --max-launches N "
           "or --timed KERNEL:N-M times fewer launches, "
           "--functional none,\n  --threads N uses more cores; Ctrl-C ends the "
           "program, and what ran is reported";
}

void cli_machine_report(const cli_machine *m, const char *const *argv,
                        const session_outcome *o, size_t kernels,
                        size_t detailed, FILE *to)
{
    report_program p = program(m, o);
    report_process *processes = NULL;
    strbuf command = {0};

    shell_quote_all(argv, &command);
    p.command = command.text;
    if (!m->sim.hash)
        p.processes = processes = without_hashes(&p);
    p.kernels = kernels;
    p.detailed = detailed;
    p.options = m->sim.report;
    p.options.width = cli_text_width(to, m->sim.report.width);
    if (m->sim.format == FORMAT_JSON)
        report_program_json(&p, to);
    else if (m->sim.format == FORMAT_CSV)
        report_program_csv(&p, to);
    else
        report_program_text(&p, to);
    free(processes);
    strbuf_fini(&command);
}

bool cli_machine_keep(const cli_machine *m, cli_keep *k,
                      const session_outcome *o, const store_run *how)
{
    report_program p = {.gpus = m->gpus, .gpu_count = m->count};
    store_run all = *how;

    if (o)
        p = program(m, o);
    all.sheets = (const config_sheet *const *)m->sheets;
    all.program = &p;
    return cli_keep_run(k, &all);
}
