/* src/mem/image.c - one mapping without reserved host memory, and its ranges
 * in the order of their addresses.
 * Space is handed out upwards; what was freed is used again only when nothing
 * is left above, so that an access to a freed buffer is found as such for as
 * long as possible. */
#include "mem/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/must.h"

enum { RANGE_ALIGN = 256, RANGE_GUARD = 256 };

struct mem_image {
    uint8_t *host;     /* byte of address MEM_BASE */
    uint64_t size;     /* bytes mapped */
    uint64_t top;      /* everything from here on was never handed out */
    uint64_t used;     /* bytes in live ranges */
    mem_range *ranges; /* sorted by address, disjoint */
    unsigned count, room;
    unsigned numbers; /* allocations so far */
    arena *names;
};

mem_image *mem_image_new(uint64_t size_bytes)
{
    mem_image *m = calloc(1, sizeof *m);

    if (!m)
        return NULL;
    m->size = bits_align_up(size_bytes ? size_bytes : 1, 4096);
    m->top = MEM_BASE;
    m->names = arena_new();
    m->host = mmap(NULL, m->size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m->host == MAP_FAILED)
        m->host = NULL;
    if (!m->host || !m->names) {
        mem_image_free(m);
        return NULL;
    }
    return m;
}

void mem_image_free(mem_image *m)
{
    if (!m)
        return;
    if (m->host)
        munmap(m->host, m->size);
    arena_free(m->names);
    free(m->ranges);
    free(m);
}

/* The space a range takes, its guard included. */
static uint64_t footprint(uint64_t size)
{
    return bits_align_up(size, RANGE_ALIGN) + RANGE_GUARD;
}

/* Index of the first range that ends above addr; count if none. */
static unsigned range_above(const mem_image *m, uint64_t addr)
{
    unsigned lo = 0, hi = m->count;

    while (lo < hi) {
        unsigned mid = lo + (hi - lo) / 2;

        if (m->ranges[mid].addr + m->ranges[mid].size > addr)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* First fit among the dead ranges: the lowest address with `need` bytes in
 * front of the next live range; 0 if there is none. */
static uint64_t find_hole(const mem_image *m, uint64_t need)
{
    uint64_t at = MEM_BASE;

    for (unsigned i = 0; i < m->count; i++) {
        const mem_range *r = &m->ranges[i];

        if (!r->live)
            continue;
        if (r->addr - at >= need)
            return at;
        at = r->addr + footprint(r->size);
    }
    return MEM_BASE + m->size - at >= need ? at : 0;
}

/* Drops the dead ranges that [addr, addr + size) overlaps and returns the
 * place in the list where a range at addr belongs. */
static unsigned make_place(mem_image *m, uint64_t addr, uint64_t size)
{
    unsigned first = 0, last;

    while (first < m->count &&
           m->ranges[first].addr + m->ranges[first].size <= addr &&
           m->ranges[first].addr != addr)
        first++;
    for (last = first; last < m->count && m->ranges[last].addr < addr + size;
         last++)
        MUST(!m->ranges[last].live);
    memmove(&m->ranges[first], &m->ranges[last],
            (m->count - last) * sizeof *m->ranges);
    m->count -= last - first;
    return first;
}

uint64_t mem_alloc(mem_image *m, uint64_t size, const char *name)
{
    if (size > m->size)
        return 0;
    uint64_t need = footprint(size), addr = m->top;
    unsigned place = m->count;

    if (need > MEM_BASE + m->size - addr) {
        addr = find_hole(m, need);
        if (!addr)
            return 0;
        place = make_place(m, addr, need);
    }
    if (addr + need > m->top)
        m->top = addr + need;
    if (m->count == m->room) {
        m->room = m->room ? 2 * m->room : 16;
        m->ranges = realloc(m->ranges, m->room * sizeof *m->ranges);
        MUST(m->ranges != NULL);
    }
    memmove(&m->ranges[place + 1], &m->ranges[place],
            (m->count - place) * sizeof *m->ranges);
    m->ranges[place] =
        (mem_range){addr, size, arena_strdup(m->names, name ? name : ""), true,
                    m->numbers++};
    m->count++;
    m->used += size;
    return addr;
}

/* Gives whole pages back to the host and clears the rest. */
static void clear(mem_image *m, uint64_t addr, uint64_t size)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t from = addr - MEM_BASE, to = from + size;
    uint64_t first = bits_align_up(from, page),
             last = bits_align_down(to, page);

    if (first >= last) {
        memset(m->host + from, 0, size);
        return;
    }
    memset(m->host + from, 0, first - from);
    memset(m->host + last, 0, to - last);
    MUST(madvise(m->host + first, last - first, MADV_DONTNEED) == 0);
}

bool mem_release(mem_image *m, uint64_t addr)
{
    for (unsigned i = 0; i < m->count; i++) {
        mem_range *r = &m->ranges[i];

        if (r->addr != addr || !r->live)
            continue;
        r->live = false;
        m->used -= r->size;
        clear(m, r->addr, r->size);
        return true;
    }
    return false;
}

uint64_t mem_used(const mem_image *m) { return m->used; }

bool mem_valid(const mem_image *m, uint64_t addr, uint64_t size, unsigned *hint)
{
    unsigned i = hint ? *hint : 0;

    if (i >= m->count || addr - m->ranges[i].addr >= m->ranges[i].size) {
        i = range_above(m, addr);
        if (i == m->count || addr < m->ranges[i].addr)
            return false;
        if (hint)
            *hint = i;
    }
    const mem_range *r = &m->ranges[i];
    return r->live && size <= r->size - (addr - r->addr);
}

const mem_range *mem_nearest(const mem_image *m, uint64_t addr,
                             int64_t *distance)
{
    if (!m->count)
        return NULL;
    unsigned above = range_above(m, addr);
    const mem_range *r = NULL;
    int64_t best = 0;

    if (above < m->count) {
        r = &m->ranges[above];
        best = addr < r->addr ? (int64_t)(addr - r->addr) : 0;
    }
    if (above > 0 && (!r || best < 0)) {
        const mem_range *below = &m->ranges[above - 1];
        int64_t behind = (int64_t)(addr - (below->addr + below->size)) + 1;

        if (!r || behind < -best || (behind == -best && !r->live)) {
            r = below;
            best = behind;
        }
    }
    if (distance)
        *distance = best;
    return r;
}

uint8_t *mem_host(const mem_image *m, uint64_t addr)
{
    MUST_CHECK(addr - MEM_BASE < m->size);
    return m->host + (addr - MEM_BASE);
}

uint64_t mem_hash(const mem_image *m)
{
    uint64_t h = 0;

    for (unsigned i = 0; i < m->count; i++) {
        const mem_range *r = &m->ranges[i];
        uint64_t place[2] = {r->addr, r->size};

        if (!r->live)
            continue;
        h = hash_bytes(place, sizeof place, h);
        h = hash_bytes(mem_host(m, r->addr), r->size, h);
    }
    return h;
}
