/* src/base/child.h - runs another program to its end, bytes in, bytes out.
 * Used for compilers. The program runs in a process group of its own, so that
 * a timeout ends its children too. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/status.h"

typedef struct child_request {
    const char *const *argv; /* NULL at its end; argv[0] is found by PATH */
    const char *input;       /* its standard input; NULL is none */
    size_t input_size;
    size_t max_output;   /* bytes kept of each stream; 0: 64 MiB */
    unsigned timeout_ms; /* 0: none */
    /* Of processor time, for all its processes; 0: any. As a program that waits
     * for ever takes none, one ends, too, that has had less than a hundredth
     * of a longer time. */
    unsigned cpu_ms;
    const int *fds; /* open there too, by the same numbers, from 3 on */
    size_t fd_count;
} child_request;

typedef struct child_result {
    int exit_code;   /* -1 if a signal ended it */
    int signal;      /* 0 if it exited */
    bool timed_out;  /* of either time */
    unsigned cpu_ms; /* that it had had by then */
    bool truncated;  /* an output was longer than max_output */
    char *out, *err; /* NUL-terminated, owned */
    size_t out_size, err_size;
} child_result;

/* ST_OK: it ran, however it ended; the caller calls child_result_fini.
 * Otherwise (it could not be started) one error is in `dg`. */
status child_run(const child_request *req, diag *dg, child_result *out);

void child_result_fini(child_result *r);

#endif
