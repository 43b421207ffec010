/* src/suite/suite_run.h - one program of a suite: built, run on simulated GPUs,
 * judged. Nothing it does, hanging and endless output included, keeps the
 * caller from going on. Safe to call from several threads at once. */
#ifndef SUITE_SUITE_RUN_H
#define SUITE_SUITE_RUN_H

#include <signal.h>
#include <stdint.h>

#include "session/server.h"
#include "suite/suite.h"
#include "suite/suite_judge.h"

typedef enum suite_verdict {
    SUITE_PASS,
    SUITE_FAIL,    /* another exit status than expected */
    SUITE_WRONG,   /* its output is not as expected */
    SUITE_CRASH,   /* a signal ended it */
    SUITE_TIMEOUT, /* we ended it */
    SUITE_SKIPPED, /* it ended with status 77, or has no such size */
    SUITE_UNBUILT, /* its build command failed */
    SUITE_UNSTARTED,
    SUITE_STOPPED, /* by the user, or never begun */
    SUITE_VERDICTS
} suite_verdict;

const char *suite_verdict_text(suite_verdict v); /* "pass", "wrong output" */
bool suite_verdict_good(suite_verdict v);        /* no reason to fail */

/* The same for all programs of a suite. Borrowed. */
typedef struct suite_job {
    const char *build;  /* {build} */
    const char *tmp;    /* where {tmp} is made */
    const char *size;   /* name */
    unsigned draw;      /* {draw}; 0: 1 */
    unsigned timeout_s; /* 0: the program's own */
    bool skip_build;
    bool keep_output; /* fill in suite_result.out */
    uint64_t each;    /* as in session_request */
    const session_setup *setup;
    const config *const *configs; /* of its devices */
    const char *const *env; /* NAME=VALUE of the loader; NULL: another OpenCL */
    const sigset_t *usual;  /* as in session_request */
    const volatile sig_atomic_t *stop; /* once not 0: end it */
    /* Called with the outcome of a program, by the thread that runs it; false:
     * it could not be kept. NULL: not called. */
    bool (*keep)(void *arg, const suite_program *p, const char *const *argv,
                 const session_outcome *o);
    void *keep_arg;
} suite_job;

typedef struct suite_result {
    const suite_program *program; /* NULL: never begun */
    suite_verdict verdict;
    arena *mem;          /* of the texts */
    const char *why;     /* NULL: no remark */
    const char *tail;    /* last lines of its output, "" if it passed */
    const char *outside; /* where its kernels were outside of what was
                            allocated, a line for each place; NULL: nowhere */
    suite_output out;    /* its standard output if the job wants it */
    uint64_t launches, failed_launches, timed_launches;
    uint64_t warp_insts, thread_insts, cycles;
    double simulated_s; /* by the clocks of the GPUs */
    double host_s;      /* without building */
    int exit_code, signal;
} suite_result;

/* Runs the suite's own build command, if it has one. False: *why is the end of
 * its output, in the arena. */
bool suite_build(const suite *s, const suite_job *job, arena *mem,
                 const char **why);

/* Runs the program's own build command, if it has one. False: *why as above. */
bool suite_build_program(const suite *s, const suite_program *p,
                         const suite_job *job, arena *mem, const char **why);

/* The file that it runs, or that a shell's command begins with, for the caller
 * to free; NULL: it is not there. */
char *suite_program_file(const suite *s, const suite_program *p,
                         const char *build, const char *size);

/* False: it is a CUDA program, whose kernels are compiled already. As far as
 * its file says, if it is built; a shell's command is as its first word. */
bool suite_needs_compiler(const suite *s, const suite_program *p,
                          const char *build, const char *size);

void suite_run(const suite *s, const suite_program *p, const suite_job *job,
               suite_result *out);
/* Fills in `outside`. */
void suite_result_outside(suite_result *r, const report_program *p);
void suite_result_fini(suite_result *r); /* zeroed is fine */

#endif
