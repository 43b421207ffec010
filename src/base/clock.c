/* src/base/clock.c - see clock.h. */
#include "base/clock.h"

#include <time.h>

static double read_s(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double clock_s(void) { return read_s(CLOCK_MONOTONIC); }

double clock_cpu_s(void) { return read_s(CLOCK_PROCESS_CPUTIME_ID); }

double clock_used_s(const struct rusage *use)
{
    return (double)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) +
           (double)(use->ru_utime.tv_usec + use->ru_stime.tv_usec) * 1e-6;
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
