/* src/gpu/watch.h - looks now and then whether the warps of the machine spin,
 * and on what. When it looks depends on cycles and instructions alone, so what
 * it finds is the same on every host; it changes nothing that is simulated,
 * and looks for a 64th of the time, so that it costs little.
 *
 * It finds that spinning never ends if, for as long as it looked, no warp of
 * the machine did anything but go round in circles (exec/spin.h) or wait at a
 * barrier, no store was under way, and no CTA began or ended: then nothing is
 * left that could change what they read. Where others may (the host, another
 * device, launches to come) that proves nothing, so the caller has to say that
 * there are none.
 *
 * Borrows all it is given; owns what it found. */
#ifndef GPU_WATCH_H
#define GPU_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "exec/spins.h"
#include "gpu/node.h"

typedef struct gpu_watch gpu_watch;

typedef struct gpu_watched { /* a machine */
    const config *cfg;
    cluster *const *cluster;
    const mem_image *image;
    /* Launch `n` of those in flight. */
    const exec_launch *(*launch)(void *self, unsigned n);
    /* CTAs of all of them, and those that have begun. */
    void (*ctas)(void *self, uint64_t *all, uint64_t *begun);
    void *self;
} gpu_watched;

gpu_watch *gpu_watch_new(const gpu_watched *m);
void gpu_watch_free(gpu_watch *w); /* NULL is fine */

/* Launches begin on the idle machine, in cycle `now`; `issued` counts all warp
 * instructions. What was found is forgotten. */
void gpu_watch_group(gpu_watch *w, uint64_t now, uint64_t issued);

typedef struct gpu_moment {
    uint64_t now;    /* all before has happened, */
    uint64_t next;   /* nothing will before that, the start of a window; */
    uint64_t issued; /* warp instructions so far */
    uint64_t limit;  /* cycle in which the run is cut off; NEVER */
    bool alone;      /* nobody but the machine writes to its memory */
    bool asked;      /* look now */
} gpu_moment;

/* Between windows. True: nothing will ever happen any more, as is known in
 * cycle *at, which is not after m->next. */
bool gpu_watch_turn(gpu_watch *w, const gpu_moment *m, uint64_t *at);

/* No more windows: what is seen so far is taken, if it is being looked. */
void gpu_watch_stop(gpu_watch *w, uint64_t now);

/* Nothing will happen any more: who waits at barriers is found out. */
void gpu_watch_waits(gpu_watch *w);

/* It has looked since the launches began. */
bool gpu_watch_knows(const gpu_watch *w);

/* What was found last; no places: nobody spun. */
const exec_spins *gpu_watch_found(const gpu_watch *w);

#endif
