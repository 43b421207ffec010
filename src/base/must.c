/* src/base/must.c - the last words of a broken run. */
#include "base/must.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 10 };

/* Mutable, but a process fails only once, and the code that finds a bug has no
 * pointer to the machine to be dumped. Part of the thread itself, which
 * programs that load us late have room for: no allocation at the first use,
 * which also trips the leak checker of clang 14 where helpers outlive main. */
#define OF_THREAD                                                              \
    static _Thread_local __attribute__((tls_model("initial-exec")))
OF_THREAD must_hook hook;
OF_THREAD must_escape escape;
OF_THREAD bool failing;
static bool taken; /* by a thread that fails */
static int ends_with;

must_hook must_hook_now(void) { return hook; }

must_hook must_on_fail(must_hook next)
{
    must_hook old = hook;

    hook = next;
    return old;
}

must_escape must_leave_by(must_escape next)
{
    must_escape old = escape;

    escape = next;
    return old;
}

void must_try_to_leave(bool memory, const char *text)
{
    if (escape.leave)
        escape.leave(escape.arg, memory, text);
}

static _Noreturn void end_process(void)
{
    if (ends_with)
        _exit(ends_with);
    abort();
}

void must_fail_alone(int exit_code)
{
    if (failing)
        end_process();
    if (__atomic_exchange_n(&taken, true, __ATOMIC_RELAXED))
        for (;;)
            pause();
    failing = true;
    ends_with = exit_code;
}

static void cut_short(int signal)
{
    (void)signal;
    end_process();
}

/* Others still run, and what this thread was changing is half done. */
static void expect_trouble(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};
    struct sigaction how = {.sa_handler = cut_short, .sa_flags = SA_NODEFER};

    for (size_t i = 0; i < COUNTOF(signals); i++)
        sigaction(signals[i], &how, NULL);
    alarm(SECONDS);
}

_Noreturn void must_last_words(const char *why)
{
    expect_trouble();
    if (hook.tell) {
        hook.tell(hook.arg);
        fprintf(stderr, "heddle: %s, see above\n", why);
    }
    fflush(NULL);
    end_process();
}

void must_fail(const char *file, int line, const char *cond)
{
    char text[512];

    snprintf(text, sizeof text, "%s:%d: internal error: not true: %s", file,
             line, cond);
    must_try_to_leave(false, text);
    must_fail_alone(0);
    fprintf(stderr, "%s\n", text);
    must_last_words("internal error");
}
