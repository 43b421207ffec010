/* src/runtime/warm.c - launches that are performed before they count, so that
 * the caches hold what they will hold, see rt_options.warm. */
#include <stdlib.h>

#include "exec/outside.h"
#include "mem/undo.h"
#include "runtime/internal.h"

typedef struct before { /* what is put back */
    mem_undo *memory;
    exec_heaps *heaps; /* NULL: the kernel has nothing to do with them */
    bool uses_heaps;
} before;

static void keep_state(before *b, const rt_device *d, const exec_launch *e)
{
    b->memory = mem_undo_new();
    b->uses_heaps = e->services && d->heap;
    b->heaps = b->uses_heaps ? exec_services_keep(e->services) : NULL;
}

static void drop_state(before *b)
{
    mem_undo_free(b->memory);
    exec_heaps_free(b->heaps);
}

static void take_back(const before *b, rt_device *d, const exec_launch *e)
{
    size_t lines;
    uint64_t lost;

    if (e->services) /* what it printed is printed again */
        exec_services_settle(e->services, &lines, &lost);
    if (e->outside) /* and what it did outside is counted once */
        exec_outside_clear(e->outside);
    if (b->heaps)
        exec_services_restore(e->services, b->heaps);
    mem_undo_apply(b->memory, d->seen);
}

typedef struct warm_turn { /* of progress */
    const rt_launch *launch;
    unsigned turn, turns;
} warm_turn;

static void report_warm_progress(void *arg, const gpu_progress *p)
{
    const warm_turn *t = arg;
    gpu_progress is = *p;

    is.turn = t->turn;
    is.turns = t->turns;
    t->launch->progress(t->launch->progress_arg, &is);
}

static status perform_turn(rt_device *d, const exec_launch *e,
                           const rt_launch *l, unsigned turn)
{
    warm_turn t = {l, turn, d->opt.warm + 1};
    gpu_run run = {.max_cycles = l->max_cycles,
                   .stop = l->stop,
                   .alone = l->alone,
                   .progress = l->progress ? report_warm_progress : NULL,
                   .progress_arg = &t};
    uint64_t began = gpu_now(d->gpu);
    gpu_result r;

    gpu_settle(d->gpu);
    status st = gpu_launch(d->gpu, e, &run, NULL, &r);
    d->cycles_before -= gpu_now(d->gpu) - began;
    return st;
}

/* A launch that fails here fails again in the run that counts, and is reported
 * then. */
void rt_warm_up(rt_device *d, const exec_launch *e, const rt_launch *l)
{
    before b;
    status st = ST_OK;

    if (!d->opt.warm)
        return;
    keep_state(&b, d, e);
    mem_image_watch(d->seen, b.memory);
    for (unsigned i = 0; i < d->opt.warm && st == ST_OK; i++) {
        st = perform_turn(d, e, l, i);
        take_back(&b, d, e);
        if (st == ST_OK)
            gpu_repeat(d->gpu);
    }
    mem_image_watch(d->seen, NULL);
    drop_state(&b);
    d->broken = st != ST_OK;
    rt_prepare_machine(d);
}
