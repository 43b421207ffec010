/* src/base/clock.c - see clock.h. */
#include "base/clock.h"

#include <time.h>

double clock_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int64_t clock_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static uint64_t read_ns(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t clock_ns(void) { return read_ns(CLOCK_MONOTONIC); }

uint64_t clock_ran_ns(void) { return read_ns(CLOCK_THREAD_CPUTIME_ID); }
