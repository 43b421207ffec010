/* tests/hardware/curves/bench.h - what the curves share: a device, kernels from
 * PTX that C writes, launches, times by the device's own clocks, points.
 * A curve that cannot be measured says why on standard error and has no points.
 */
#ifndef CURVES_BENCH_H
#define CURVES_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cu.h"

/* How many points: a few, those that were published, all up to the size of the
 * device. */
typedef enum bench_level { QUICK, USUAL, FULL } bench_level;

/* A point that was asked for. */
typedef struct bench_ask {
    char curve[16], line[32];
    double x;
} bench_ask;

enum { BENCH_ASKED = 512 };

typedef struct bench {
    cu_driver cu;
    cu_device is;
    unsigned sms;
    size_t l2_bytes;
    bench_level level;
    unsigned repeat;   /* how often a point is measured: 1 to 99 */
    const char *curve; /* that is measured now */
    FILE *to;
    bench_ask
        asked[BENCH_ASKED]; /* only these are measured, if there are any */
    unsigned asked_count;
    double xs[BENCH_ASKED]; /* of bench_xs_of */
    cu_pointer out; /* of each warp two words: when it began and ended */
    bool failed;
} bench;

enum { BENCH_ARGUMENTS = 8, BENCH_REPEATS = 99, WARP = 32 };

typedef struct bench_launch {
    unsigned ctas, threads, shared;
    unsigned long long arguments[BENCH_ARGUMENTS];
    unsigned count;
} bench_launch;

/* ---- Kernels ---- */

/* A module of one kernel `k`, as text to which a curve adds. */
typedef struct bench_ptx {
    FILE *to;
    char *text;
    size_t size;
} bench_ptx;

/* Begins `k`: its first parameter is `out`, u64; behind it come `count` of
 * 64 bits, p1, p2 ... Registers: %r, %rd, %f, %fd, %h, %p of 1 to 99, each
 * parameter in %rd9N, the thread in %r90, its number in the grid in %r91. */
void bench_ptx_begin(bench_ptx *p, unsigned count, const char *target);
/* Ends and loads it; NULL if the device refuses. */
void *bench_ptx_end(bench *b, bench_ptx *p);
/* Between these two is what is timed, each warp for itself; all of a CTA begin
 * together. `end` keeps the value of an unsigned register alive. */
void bench_ptx_start(bench_ptx *p);
void bench_ptx_stop(bench_ptx *p, const char *keep);

/* ---- Runs ---- */

/* Milliseconds that the device says; -1 if it failed. */
double bench_run(bench *b, void *kernel, const bench_launch *l);
/* Cycles from the first warp's begin to the last one's end, of the CTA for
 * which that is most; 0 if it failed. */
double bench_cycles(bench *b, void *kernel, const bench_launch *l);
/* The middle one of b->repeat times. */
double bench_median(bench *b, void *kernel, const bench_launch *l,
                    double (*time)(bench *, void *, const bench_launch *));

double bench_middle(double *all, unsigned n); /* sorts them */

cu_pointer bench_alloc(bench *b, size_t bytes); /* 0 if there is no room */
void bench_free(bench *b, cu_pointer at);
bool bench_ok(bench *b, int status, const char *call);

/* ---- Points ---- */

/* One of `line`, which may be "" if a curve has a single one. */
void bench_point(bench *b, const char *line, double x, double value);
/* Which points are measured: those of a file of curves if one was given, as
 * those in measurements/published; false after a message. */
bool bench_ask_for(bench *b, const char *path);
bool bench_wants(const bench *b, const char *line, double x);
/* What is wanted of a curve of a single line: what was asked for, else `few` or
 * `usual`. Valid until the next call. */
typedef struct bench_xs {
    const double *at;
    unsigned count;
} bench_xs;
bench_xs bench_xs_of(bench *b, bench_xs usual, bench_xs few);
#define BENCH_XS(array)                                                        \
    (bench_xs) { array, sizeof array / sizeof *array }
/* Cycles a millisecond, measured. */
double bench_clock(bench *b);

/* ---- Curves ---- */

typedef struct curve {
    const char *name, *x, *unit, *about;
    void (*run)(bench *);
} curve;

extern const curve curve_list[];
extern const unsigned curve_count;

void curve_chase(bench *b);
void curve_pages(bench *b);
void curve_stream(bench *b);
void curve_roofline(bench *b);
void curve_caches(bench *b);
void curve_l2(bench *b);
void curve_strides(bench *b);
void curve_shared(bench *b);
void curve_latency(bench *b);
void curve_throughput(bench *b);
void curve_atomic_latency(bench *b);
void curve_atomics(bench *b);
void curve_launch(bench *b);
void curve_clock(bench *b);

#endif
