/* workloads/tool/main.c - heddle-workload: writes the inputs, the launch file
 * and the results computed on the CPU for a workload of a given size. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool/list.h"
#include "tool/wl.h"

static const char usage[] =
    "usage: heddle-workload list\n"
    "       heddle-workload gen NAME [--size N] [--seed S] [--out DIR]\n"
    "                                [--program FILE] [--OPTION VALUE]...\n"
    "\n"
    "Writes DIR/launch.yaml, the input arrays and the expected results. FILE\n"
    "is what launch.yaml names as the program (default kernel.ptx). Some have\n"
    "options of their own; 'heddle-workload gen NAME --help' tells them.\n";

static int list(void)
{
    for (unsigned i = 0; i < workload_count; i++)
        printf("%-13s %8u %-9s %s\n", workload_list[i]->name,
               workload_list[i]->size, workload_list[i]->unit,
               workload_list[i]->about);
    return 0;
}

static const workload *find(const char *name)
{
    for (unsigned i = 0; i < workload_count; i++)
        if (!strcmp(workload_list[i]->name, name))
            return workload_list[i];
    fprintf(stderr, "heddle-workload: no workload '%s'\n", name);
    exit(2);
}

/* mkdir -p */
static void make_dirs(const char *dir)
{
    char *path = strdup(dir);

    for (char *p = path + 1; path && *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(path, 0777);
            *p = '/';
        }
    if (!path || (mkdir(path, 0777) && errno != EEXIST)) {
        fprintf(stderr, "heddle-workload: cannot make folder %s: %s\n", dir,
                strerror(errno));
        exit(1);
    }
    free(path);
}

static unsigned number(const char *text, const char *option)
{
    char *end;
    unsigned long v = strtoul(text, &end, 10);

    if (!*text || *end || v == 0 || v > 1u << 28) {
        fprintf(stderr, "heddle-workload: %s: not a usable number: '%s'\n",
                option, text);
        exit(2);
    }
    return (unsigned)v;
}

enum { PLAIN = 5, KNOB = 256 }; /* KNOB: the first of the workload's own */

typedef struct options {
    const char *out, *program;
    unsigned size, seed, knob[WL_KNOBS];
} options;

static int help(const workload *def)
{
    const wl_knob *knobs = workload_knobs(def);

    fputs(usage, stdout);
    printf("\n%s: %s; size: %s (%u)\n", def->name, def->about, def->unit,
           def->size);
    for (unsigned i = 0; i < WL_KNOBS && knobs[i].name; i++)
        wl_knob_usage(&knobs[i], stdout);
    return 0;
}

static void read_knob(const wl_knob *k, const char *text, unsigned *to)
{
    if (wl_knob_read(k, text, to))
        return;
    fprintf(stderr, "heddle-workload: --%s: not usable: '%s'\n", k->name, text);
    exit(2);
}

/* -1: go on; otherwise the exit status. */
static int read_options(const workload *def, int argc, char **argv, options *to)
{
    struct option names[PLAIN + WL_KNOBS + 1] = {{"size", 1, 0, 'n'},
                                                 {"seed", 1, 0, 's'},
                                                 {"out", 1, 0, 'o'},
                                                 {"program", 1, 0, 'p'},
                                                 {"help", 0, 0, 'h'}};
    const wl_knob *knobs = workload_knobs(def);
    int c;

    *to = (options){".", "kernel.ptx", def->size, 1, {0}};
    for (int i = 0; i < WL_KNOBS && knobs[i].name; i++) {
        names[PLAIN + i] = (struct option){knobs[i].name, 1, 0, KNOB + i};
        to->knob[i] = knobs[i].is;
    }
    while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (c == 'n')
            to->size = number(optarg, "--size");
        else if (c == 's')
            to->seed = number(optarg, "--seed");
        else if (c == 'o')
            to->out = optarg;
        else if (c == 'p')
            to->program = optarg;
        else if (c == 'h')
            return help(def);
        else if (c >= KNOB)
            read_knob(&knobs[c - KNOB], optarg, &to->knob[c - KNOB]);
        else
            return 2;
    }
    if (optind == argc)
        return -1;
    fputs(usage, stderr);
    return 2;
}

/* argv[0] is the workload's name. */
static int gen(int argc, char **argv)
{
    const workload *def = find(argv[0]);
    const wl_knob *knobs = workload_knobs(def);
    options to;
    int status = read_options(def, argc, argv, &to);

    if (status >= 0)
        return status;
    wl *w = wl_new(def->name, to.size, to.seed);

    for (unsigned i = 0; i < WL_KNOBS && knobs[i].name; i++)
        wl_set(w, knobs[i].name, to.knob[i]);
    def->gen(w, to.size);
    make_dirs(to.out);
    wl_write(w, to.out, to.program);
    wl_free(w);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "list"))
        return list();
    if (argc > 2 && !strcmp(argv[1], "gen"))
        return gen(argc - 2, argv + 2);
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        return 0;
    }
    fputs(usage, stderr);
    return 2;
}
