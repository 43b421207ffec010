#include "driver/checkpoint_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "mem/touched.h"
#include "runtime/memory.h"

typedef struct shared_range {
    uint64_t addr, bytes;
} shared_range;

struct checkpoint_memory {
    mem_touched *touched; /* NULL: nothing is noted */
    shared_range *shared; /* in the order of their addresses, disjoint */
    size_t count, room;
};

checkpoint_memory *checkpoint_memory_new(bool notes)
{
    checkpoint_memory *m = new0(1, sizeof *m);

    if (notes) {
        m->touched = mem_touched_new();
        rt_memory_track(drv.image, m->touched);
    }
    return m;
}

void checkpoint_memory_free(checkpoint_memory *m)
{
    if (!m)
        return;
    mem_touched_free(m->touched);
    free(m->shared);
    free(m);
}

/* ---- Shared memory ---- */

/* Index of the first that ends above `addr`. */
static size_t shared_above(const checkpoint_memory *m, uint64_t addr)
{
    size_t low = 0, high = m->count;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (m->shared[mid].addr + m->shared[mid].bytes > addr)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

bool checkpoint_shared(const checkpoint_memory *m, uint64_t addr)
{
    size_t i = shared_above(m, addr);

    return i < m->count && m->shared[i].addr <= addr;
}

static void remove_shared(checkpoint_memory *m, size_t first, size_t last)
{
    memmove(m->shared + first, m->shared + last,
            (m->count - last) * sizeof *m->shared);
    m->count -= last - first;
}

/* One that meets others becomes one with them. */
void checkpoint_share(checkpoint_memory *m, uint64_t addr, uint64_t bytes)
{
    size_t first = shared_above(m, addr), last = first;
    uint64_t end = addr + bytes;

    if (!bytes)
        return;
    for (; last < m->count && m->shared[last].addr < end; last++) {
        const shared_range *r = &m->shared[last];

        addr = r->addr < addr ? r->addr : addr;
        end = r->addr + r->bytes > end ? r->addr + r->bytes : end;
    }
    remove_shared(m, first, last);
    GROW(m->shared, m->count + 1, m->room);
    memmove(m->shared + first + 1, m->shared + first,
            (m->count - first) * sizeof *m->shared);
    m->count++;
    m->shared[first] = (shared_range){addr, end - addr};
}

void checkpoint_unshare(checkpoint_memory *m, uint64_t addr, uint64_t bytes)
{
    size_t first = shared_above(m, addr), last = first;

    while (last < m->count && m->shared[last].addr < addr + bytes)
        last++;
    remove_shared(m, first, last);
    if (m->touched)
        mem_touched_take(m->touched, addr, bytes, NULL, NULL);
}

/* ---- Lines ---- */

void checkpoint_wrote(checkpoint_memory *m, uint64_t addr, uint64_t bytes)
{
    if (m->touched && bytes)
        mem_touch(m->touched, addr, bytes);
}

static void put_run(void *arg, uint64_t addr, uint64_t bytes)
{
    checkpoint_out *to = arg;
    uint32_t size = (uint32_t)bytes;

    checkpoint_put(to, &size, sizeof size);
    checkpoint_put(to, &addr, sizeof addr);
    checkpoint_put(to, rt_memory_at(drv.image, addr), size);
}

static void put_no_more(checkpoint_out *to)
{
    uint32_t none = 0;

    checkpoint_put(to, &none, sizeof none);
}

void checkpoint_put_lines(checkpoint_memory *m, checkpoint_out *to,
                          uint64_t addr, uint64_t bytes)
{
    mem_touched_take(m->touched, addr, bytes, put_run, to);
    put_no_more(to);
}

typedef struct shared_lines { /* that are put */
    checkpoint_memory *m;
    checkpoint_out *to;
} shared_lines;

static void put_shared_piece(void *arg, uint64_t addr, uint64_t bytes)
{
    const shared_lines *s = arg;
    checkpoint_memory *m = s->m;
    uint64_t end = addr + bytes;

    for (size_t i = shared_above(m, addr);
         i < m->count && m->shared[i].addr < end; i++) {
        shared_range r = m->shared[i];
        uint64_t from = r.addr > addr ? r.addr : addr;
        uint64_t to = r.addr + r.bytes < end ? r.addr + r.bytes : end;

        mem_touched_take(m->touched, from, to - from, put_run, s->to);
    }
}

void checkpoint_put_shared(checkpoint_memory *m, checkpoint_out *to)
{
    mem_touched_recent(m->touched, put_shared_piece, &(shared_lines){m, to});
    put_no_more(to);
}

bool checkpoint_get_lines(checkpoint_in *from)
{
    for (;;) {
        uint32_t size;
        uint64_t addr;

        if (!checkpoint_get(from, &size, sizeof size))
            return false;
        if (!size)
            return true;
        if (!checkpoint_get(from, &addr, sizeof addr) || size > MEM_PIECE ||
            !rt_memory_holds(drv.image, addr) ||
            !rt_memory_holds(drv.image, addr + size - 1) ||
            !checkpoint_get(from, rt_memory_at(drv.image, addr), size))
            return false;
    }
}
