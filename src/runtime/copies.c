/* src/runtime/copies.c - what copies leave in the caches: they are remembered
 * until the machine is idle and a timed launch is about to begin. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "runtime/internal.h"

static uint64_t l2_bytes(const config *c)
{
    return (uint64_t)c->l2.slices * c->l2.sets * c->l2.ways * c->l2.line;
}

/* The end of a range from which it could still be in the L2: its sets are
 * hashed, so what is several times as large has filled all of them. */
static struct rt_copy last_part(const rt_device *d, uint64_t addr,
                                uint64_t bytes)
{
    uint64_t most = 4 * l2_bytes(d->cfg);

    if (bytes > most)
        return (struct rt_copy){addr + bytes - most, most};
    return (struct rt_copy){addr, bytes};
}

void rt_copied(rt_device *d, uint64_t addr, uint64_t bytes)
{
    enum { MANY = 1 << 16 }; /* of which the older half is forgotten */
    rt_copies *c = &d->copies;
    struct rt_copy *last = c->count ? &c->at[c->count - 1] : NULL;

    if (d->traces && bytes)
        trace_folder_copied(d->traces, addr, bytes);
    if (d->cfg->l2.copies == CFG_L2_COPIES_BYPASS || !bytes)
        return;
    if (last && last->addr + last->bytes == addr) {
        *last = last_part(d, last->addr, last->bytes + bytes);
        return;
    }
    if (c->count == MANY) {
        c->count = MANY / 2;
        memmove(c->at, c->at + MANY / 2, c->count * sizeof *c->at);
    }
    GROW(c->at, c->count + 1, c->room);
    c->at[c->count++] = last_part(d, addr, bytes);
}

void rt_copies_tell(rt_device *d)
{
    rt_copies *c = &d->copies;

    for (size_t i = 0; i < c->count; i++)
        gpu_copied(d->gpu, c->at[i].addr, c->at[i].bytes);
    c->count = 0;
}

void rt_copies_fini(rt_device *d) { free(d->copies.at); }

void rt_persist(rt_device *d, uint64_t bytes)
{
    d->persist_bytes = bytes;
    if (d->gpu && !d->broken)
        gpu_persist(d->gpu, bytes);
}

/* What a launch that failed has left is thrown away before the next. */
void rt_persist_no_more(rt_device *d)
{
    if (d->gpu && !d->broken)
        gpu_persist_no_more(d->gpu);
}
