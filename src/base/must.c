/* src/base/must.c - the last words of a broken run. */
#include "base/must.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* The one mutable global of the project: a process aborts only once, and the
 * code that finds a bug has no pointer to the machine to be dumped. */
static void (*fail_hook)(void *arg);
static void *fail_arg;

void must_on_fail(void (*hook)(void *arg), void *arg)
{
    fail_hook = hook;
    fail_arg = arg;
}

void must_fail(const char *file, int line, const char *cond)
{
    void (*hook)(void *) = fail_hook;

    fprintf(stderr, "%s:%d: internal error: not true: %s\n", file, line, cond);
    fail_hook = NULL; /* a dump that fails must not dump again */
    if (hook)
        hook(fail_arg);
    fflush(NULL);
    abort();
}
