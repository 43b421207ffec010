/* workloads/tool/workload.h - what a workload's ref.c says about one problem
 * size: the buffers, the launches and the results the CPU expects. A wl
 * owns every array it hands out; anything impossible ends the program with a
 * message. The references share no code with the simulator on purpose. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

typedef struct wl wl;

typedef enum { WL_F32, WL_U32 } wl_type;

typedef struct wl_dim {
    unsigned x, y, z;
} wl_dim;

#define DIM1(x)    ((wl_dim){(x), 1, 1})
#define DIM2(x, y) ((wl_dim){(x), (y), 1})

/* What else than the size makes a problem: the option --NAME. */
typedef struct wl_knob {
    const char *name, *about;
    unsigned is, least, most; /* is: if nothing is said */
    const char *const *words; /* for 0, 1, ...; NULL: numbers */
} wl_knob;

enum { WL_KNOBS = 4 };

typedef struct workload {
    const char *name, *about;
    unsigned size; /* default of --size */
    const char *unit;
    void (*gen)(wl *w, unsigned size);
} workload;

/* Arrays written as NAME.npy and read by the launches. Zero at first. */
float *wl_input_f32(wl *w, const char *name, size_t count);
uint32_t *wl_input_u32(wl *w, const char *name, size_t count);

/* Buffers that start as zeros and need no file. */
void wl_zero(wl *w, const char *name, wl_type type, size_t count);

/* What a buffer must hold at the end, written as NAME_ref.npy. Values agree
 * if they differ by at most `tolerance`, absolutely or relatively. */
float *wl_expect_f32(wl *w, const char *name, size_t count, double tolerance);
uint32_t *wl_expect_u32(wl *w, const char *name, size_t count);

/* Makes the f32 buffer an image of one channel; and a sampler, `how` as in the
 * launch file: "filter: linear". */
void wl_image(wl *w, const char *name, unsigned width, unsigned height);
void wl_sampler(wl *w, const char *name, const char *how);

/* One launch; `args` as in the launch file: "a, b, 1024, 0.5". */
__attribute__((format(printf, 5, 6))) void wl_launch(wl *w, const char *kernel,
                                                     wl_dim grid, wl_dim cta,
                                                     const char *args, ...);

/* Launches from here on are of that stream: those of one run in order, those
 * of several may be in flight together. Stream 0 if nothing is said. */
void wl_stream(wl *w, unsigned stream);

/* Buffers from here on are named NAME_..., so that a problem can have others as
 * its parts, also several times. NULL: none of a part. */
void wl_part(wl *w, const char *name);

/* The value of an option, one of the problem's knobs. */
unsigned wl_get(const wl *w, const char *knob);

/* Scratch memory that lives as long as the wl. */
void *wl_scratch(wl *w, size_t bytes);

uint32_t wl_random(wl *w);                   /* 32 bits */
unsigned wl_below(wl *w, unsigned n);        /* 0 to n - 1 */
float wl_uniform(wl *w, float lo, float hi); /* lo <= x < hi */

/* Ends the program unless `cond`: the size does not suit the kernel. */
void wl_require(wl *w, int cond, const char *what);

#endif
