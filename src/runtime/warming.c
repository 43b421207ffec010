#include "runtime/warming.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "gpu/gpu.h"
#include "mem/sector.h"

/* Lines that are known to have been accessed lately; accesses for each line
 * that the L2 holds. */
enum { RECENT = 1024, DEEP = 4 };

struct rt_warming {
    exec_seen seen;
    gpu_touch *ring;
    size_t room;    /* a power of two */
    uint64_t count; /* of all since they were told */
    gpu_touch recent[RECENT];
};

static bool knows(gpu_touch *r, const gpu_touch *t)
{
    bool same = r->line == t->line;

    if (same && !(t->sectors & ~r->sectors) && r->store >= t->store)
        return true;
    if (same && r->store == t->store)
        r->sectors |= t->sectors;
    else
        *r = *t;
    return false;
}

static void add(rt_warming *w, const gpu_touch *t)
{
    uint64_t line = t->line / MEM_LINE;

    if (!knows(&w->recent[(line ^ line >> 10) % RECENT], t))
        w->ring[w->count++ & (w->room - 1)] = *t;
}

/* Lanes beside each other are mostly on one line. */
static void see(void *arg, const exec_mem *m)
{
    gpu_touch t = {.line = 0,
                   .store = (m->in->flags & (ISA_F_STORE | ISA_F_ATOMIC)) != 0};

    for (uint32_t left = m->space[EXEC_GLOBAL]; left; left &= left - 1) {
        uint64_t addr = m->addr[bits_ctz32(left)];
        uint64_t line = addr / MEM_LINE * MEM_LINE;
        unsigned first = (unsigned)(addr - line) / MEM_SECTOR;

        if (line != t.line && t.sectors) {
            add(arg, &t);
            t.sectors = 0;
        }
        t.line = line;
        t.sectors |= (uint8_t)(1u << first);
    }
    if (t.sectors)
        add(arg, &t);
}

rt_warming *rt_warming_new(const config *c)
{
    rt_warming *w = new0(1, sizeof *w);
    uint64_t lines = (uint64_t)c->l2.slices * c->l2.sets * c->l2.ways;

    w->seen = (exec_seen){see, w};
    for (w->room = 1; w->room < DEEP * lines;)
        w->room *= 2;
    w->ring = new0(w->room, sizeof *w->ring);
    return w;
}

void rt_warming_free(rt_warming *w)
{
    if (!w)
        return;
    free(w->ring);
    free(w);
}

const exec_seen *rt_warming_seen(const rt_warming *w) { return &w->seen; }

void rt_warming_tell(rt_warming *w, gpu *g)
{
    size_t at = w->count & (w->room - 1);

    if (w->count > w->room) /* the older half, behind where the next comes */
        gpu_touched(g, w->ring + at, w->room - at);
    gpu_touched(g, w->ring, w->count > w->room ? at : (size_t)w->count);
    w->count = 0;
    memset(w->recent, 0, sizeof w->recent);
}
