/* workloads/tool/wl.h - the other side of workload.h: make a wl, have it filled
 * by a workload, look into it, write it out. */
#ifndef WL_H
#define WL_H

#include <stdio.h>

#include "tool/workload.h"

/* A problem has at most so many. */
enum { WL_BUFFERS = 1024 };

wl *wl_new(const char *name, unsigned size, uint64_t seed);
/* What wl_get(w, knob) shall be. `knob` must live as long. */
void wl_set(wl *w, const char *knob, unsigned value);
void wl_free(wl *w);

/* Reads what --NAME of the knob says: a word or a number; 0: it is none. */
int wl_knob_read(const wl_knob *k, const char *text, unsigned *out);
/* Says what there is to say. */
void wl_knob_usage(const wl_knob *k, FILE *to);

typedef struct wl_buffer {
    const char *name;
    wl_type type;
    size_t count;
    void *input, *expect; /* NULL: zeros, unchecked */
    double tolerance;
    unsigned width, height; /* of an image, else 0 */
} wl_buffer;

typedef struct wl_launched {
    const char *kernel;
    wl_dim grid, cta;
    unsigned stream;
    char *args; /* "a, b, 1024" */
} wl_launched;

const wl_launched *wl_launches(const wl *w, unsigned *count);

/* The buffers, up to NULL. */
const wl_buffer *wl_nth(const wl *w, unsigned i);
/* NULL if there is none of that name. */
const wl_buffer *wl_find(const wl *w, const char *name);

/* Writes launch.yaml and the .npy files into `dir`, which exists. */
void wl_write(const wl *w, const char *dir, const char *program);

#endif
