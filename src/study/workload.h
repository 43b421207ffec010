/* src/study/workload.h - what is run: programs of suites, launch files, a
 * launch that a command line describes, any OpenCL program. Plain data, owned
 * through its arena. */
#ifndef STUDY_WORKLOAD_H
#define STUDY_WORKLOAD_H

#include "launchfile/plan_line.h"
#include "suite/suite.h"

typedef struct workload {
    const char *name;  /* of the program or file */
    const char *label; /* the name, and the size if several are run */
    /* One of three: a program of a suite (a lone program is a suite of one), a
     * launch file, a launch. */
    const suite *suite;
    const suite_program *program;
    const char *size;        /* of the program; NULL: it has only one */
    const char *launch_file; /* or a trace */
    const plan_line *launch;
} workload;

typedef struct workload_list {
    arena *mem;
    workload *list;
    size_t count, room;
    suite **suites;
    size_t suite_count, suite_room;
    suite_texts sizes; /* of suites' programs, one at least */
    suite_texts tags;  /* only programs that have one of them; none: all */
    /* The options of a lone kernel besides its program; NULL: none. */
    const plan_line *launch;
    bool same_launch; /* it is that of several kernels */
} workload_list;

void workloads_init(workload_list *w);
void workloads_fini(workload_list *w);

/* "small,medium" in place of the sizes. */
void workloads_sizes(workload_list *w, const char *text);
void workloads_tag(workload_list *w, const char *tag);

/* Adds what words name: a suite (a folder with a suite.yaml, or that file),
 * with the names of its programs behind it or all of them; a launch file,
 * FILE.yaml; a trace of Accel-Sim, FILE.g or FILE.traceg; a kernel, FILE.ptx,
 * FILE.sass, FILE.hobj or FILE.cubin, launched as `w->launch` says. ST_USAGE,
 * or what reading a file gives: errors are in `dg`. The words are borrowed. */
status workloads_add(workload_list *w, const char *const *words, size_t count,
                     diag *dg);
/* Adds a program of a suite in the sizes that are wanted; both borrowed. */
void workloads_add_of_suite(workload_list *w, const suite *s,
                            const suite_program *p);
/* Adds a program with its arguments, NULL at their end; borrowed. */
void workloads_add_program(workload_list *w, const char *const *argv);

/* How a launch file is called: by its name, or by that of its folder if it is
 * any launch.yaml. */
const char *workload_file_name(arena *mem, const char *path);

/* Does one of them need the OpenCL driver? */
bool workloads_programs(const workload_list *w);

#endif
