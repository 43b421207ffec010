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
    "                                [--program FILE]\n"
    "\n"
    "Writes DIR/launch.yaml, the input arrays and the expected results. FILE\n"
    "is what launch.yaml names as the program (default kernel.ptx).\n";

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

static int gen(int argc, char **argv)
{
    static const struct option options[] = {
        {"size", 1, 0, 'n'},    {"seed", 1, 0, 's'}, {"out", 1, 0, 'o'},
        {"program", 1, 0, 'p'}, {0, 0, 0, 0},
    };
    const char *out = ".", *program = "kernel.ptx";
    unsigned size = 0, seed = 1;
    int c;

    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
        switch (c) {
        case 'n':
            size = number(optarg, "--size");
            break;
        case 's':
            seed = number(optarg, "--seed");
            break;
        case 'o':
            out = optarg;
            break;
        case 'p':
            program = optarg;
            break;
        default:
            return 2;
        }
    if (optind + 2 != argc) {
        fputs(usage, stderr);
        return 2;
    }
    const workload *def = find(argv[optind + 1]);
    wl *w = wl_new(def->name, size ? size : def->size, seed);

    def->gen(w, size ? size : def->size);
    make_dirs(out);
    wl_write(w, out, program);
    wl_free(w);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "list"))
        return list();
    if (argc > 2 && !strcmp(argv[1], "gen"))
        return gen(argc, argv);
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        return 0;
    }
    fputs(usage, stderr);
    return 2;
}
