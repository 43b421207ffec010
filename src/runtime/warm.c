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

static void init(before *b, const rt_device *d, const exec_launch *e)
{
    b->memory = mem_undo_new();
    b->uses_heaps = e->host && d->heap;
    b->heaps = b->uses_heaps ? exec_host_keep(e->host) : NULL;
}

static void fini(before *b)
{
    mem_undo_free(b->memory);
    exec_heaps_free(b->heaps);
}

static void take_back(const before *b, rt_device *d, const exec_launch *e)
{
    size_t lines;
    uint64_t lost;

    if (e->host) /* what it printed is printed again */
        exec_host_settle(e->host, &lines, &lost);
    if (e->outside) /* and what it did outside is counted once */
        exec_outside_clear(e->outside);
    if (b->heaps)
        exec_host_restore(e->host, b->heaps);
    mem_undo_apply(b->memory, d->seen);
}

typedef struct told { /* of progress */
    const rt_launch *launch;
    unsigned turn, turns;
} told;

static void tell(void *arg, const gpu_progress *p)
{
    const told *t = arg;
    gpu_progress is = *p;

    is.turn = t->turn;
    is.turns = t->turns;
    t->launch->progress(t->launch->progress_arg, &is);
}

static status perform(rt_device *d, const exec_launch *e, const rt_launch *l,
                      unsigned turn)
{
    told t = {l, turn, d->opt.warm + 1};
    gpu_run run = {.max_cycles = l->max_cycles,
                   .stop = l->stop,
                   .alone = l->alone,
                   .progress = l->progress ? tell : NULL,
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
    init(&b, d, e);
    mem_image_watch(d->seen, b.memory);
    for (unsigned i = 0; i < d->opt.warm && st == ST_OK; i++) {
        st = perform(d, e, l, i);
        take_back(&b, d, e);
        if (st == ST_OK)
            gpu_repeat(d->gpu);
    }
    mem_image_watch(d->seen, NULL);
    fini(&b);
    d->broken = st != ST_OK;
    rt_prepare_machine(d);
}
