#include "cli/signals.h"

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "base/must.h"

enum { AGAIN_MS = 250 };

static volatile sig_atomic_t stop;
static _Atomic int64_t first_ms; /* 0: none was noted */

const volatile sig_atomic_t *signals_stop(void) { return &stop; }

/* On any thread, and while another one is here. The first signal ends what
 * waits (EINTR); those after it must not spoil what is being written. */
static void handle_signal(int number)
{
    struct sigaction again = {.sa_handler = handle_signal,
                              .sa_flags = SA_RESTART};
    struct timespec t;
    int64_t before = 0;

    sigaction(number, &again, NULL);
    clock_gettime(CLOCK_MONOTONIC, &t);
    int64_t now = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000 + 1;
    if (atomic_compare_exchange_strong(&first_ms, &before, now))
        stop = number;
    else if (now - before >= AGAIN_MS)
        _exit(128 + number);
}

void signals_catch(sigset_t *usual)
{
    static const int list[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction old, act = {.sa_handler = handle_signal};

    if (usual)
        sigemptyset(usual);
    for (size_t i = 0; i < COUNTOF(list); i++) {
        sigaction(list[i], NULL, &old);
        if (old.sa_handler == SIG_IGN)
            continue;
        if (usual)
            sigaddset(usual, list[i]);
        sigaction(list[i], &act, NULL);
    }
}
