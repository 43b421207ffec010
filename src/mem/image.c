/* src/mem/image.c - one mapping without reserved host memory, and its ranges
 * in the order of their addresses.
 * Space is handed out upwards; what was freed is used again only when nothing
 * is left above, so that an access to a freed buffer is found as such for as
 * long as possible.
 * The mapping is twice as long as the memory: behind the bytes that can be
 * allocated lie as many that cannot, each of them for accesses beside all
 * ranges (mem_beside), then a page for those in front of the first. */
#include "mem/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/must.h"

enum {
    RANGE_ALIGN = 256,
    RANGE_GUARD = 256,
    /* With this many ranges, the records of ranges that were freed before the
     * last DEAD_KEPT allocations are dropped. */
    PRUNE_FROM = 1 << 16,
    DEAD_KEPT = 1 << 15,
};

struct mem_image {
    uint8_t *host;     /* byte of address MEM_BASE */
    uint64_t size;     /* bytes that can be allocated */
    uint64_t top;      /* everything from here on was never handed out */
    uint64_t used;     /* bytes in live ranges */
    mem_range *ranges; /* sorted by address, disjoint */
    unsigned count, room;
    unsigned numbers; /* allocations so far */
    uint64_t changes; /* of the list */
    uint64_t rover;   /* where the search for a hole begins */
    arena *text;
    strmap *names;               /* each text once */
    const mem_image *of;         /* whose bytes these are; NULL: its own */
    struct mem_undo *watched;    /* NULL: writes are not logged */
    struct mem_touched *touched; /* NULL: nobody cares */
};

/* At `at`, if it is not 0 and free, else anywhere. NULL: no address space. */
static uint8_t *map_at(uint64_t at, uint64_t size)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *host = MAP_FAILED;

    if (at)
        host = mmap((void *)(uintptr_t)at, size, PROT_READ | PROT_WRITE,
                    flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (host != MAP_FAILED && (uintptr_t)host != at) { /* an old kernel */
        munmap(host, size);
        host = MAP_FAILED;
    }
    if (host == MAP_FAILED)
        host = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (host == MAP_FAILED)
        return NULL;
    /* The host's kernel would read every page of it for a core file. */
    madvise(host, size, MADV_DONTDUMP);
    return host;
}

static uint64_t mapped_bytes(const mem_image *m) { return 2 * m->size + 4096; }

mem_image *mem_image_new(uint64_t size_bytes)
{
    mem_image *m = new0(1, sizeof *m);

    m->size = bits_align_up(size_bytes ? size_bytes : 1, 4096);
    m->top = m->rover = MEM_BASE;
    m->text = arena_new();
    m->names = strmap_new();
    m->host = map_at(MEM_BASE, mapped_bytes(m));
    if (!m->host) {
        mem_image_free(m);
        return NULL;
    }
    return m;
}

void mem_image_free(mem_image *m)
{
    if (!m)
        return;
    if (m->host && !m->of)
        munmap(m->host, mapped_bytes(m));
    strmap_free(m->names);
    arena_free(m->text);
    free(m->ranges);
    free(m);
}

void mem_image_watch(mem_image *m, struct mem_undo *u) { m->watched = u; }

struct mem_undo *mem_image_watched(const mem_image *m) { return m->watched; }

void mem_image_track(mem_image *m, struct mem_touched *t) { m->touched = t; }

struct mem_touched *mem_image_tracked(const mem_image *m) { return m->touched; }

bool mem_identity(const mem_image *m) { return (uintptr_t)m->host == MEM_BASE; }

bool mem_holds(const mem_image *m, uint64_t addr)
{
    return addr - MEM_BASE < mapped_bytes(m);
}

mem_image *mem_image_share(mem_image *of)
{
    mem_image *m = new0(1, sizeof *m);

    m->of = of;
    m->host = of->host;
    m->size = of->size;
    m->touched = of->touched;
    m->changes = of->changes - 1;
    return m;
}

void mem_image_update(mem_image *m)
{
    const mem_image *of = m->of;

    MUST(of != NULL);
    if (m->changes == of->changes)
        return;
    GROW(m->ranges, of->count, m->room);
    if (of->count)
        memcpy(m->ranges, of->ranges, of->count * sizeof *m->ranges);
    m->count = of->count;
    m->used = of->used;
    m->changes = of->changes;
}

/* The space a range takes, its guard included. */
static uint64_t footprint(uint64_t size)
{
    return bits_align_up(size, RANGE_ALIGN) + RANGE_GUARD;
}

static uint64_t footprint_end(const mem_range *r)
{
    return r->addr + footprint(r->size);
}

/* Nothing else may lie there. */
static bool is_taken(const mem_range *r) { return r->live || r->reserved; }

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

/* Index of the first range that begins at `addr` or above; count if none. */
static unsigned range_from(const mem_image *m, uint64_t addr)
{
    unsigned lo = 0, hi = m->count;

    while (lo < hi) {
        unsigned mid = lo + (hi - lo) / 2;

        if (m->ranges[mid].addr >= addr)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* The lowest address from `at` on, which nothing holds, with `need` bytes in
 * front of the next range that is taken; 0 if there is none. */
static uint64_t hole_from(const mem_image *m, uint64_t at, uint64_t need,
                          uint64_t align)
{
    uint64_t end = MEM_BASE + m->size;

    unsigned i = range_from(m, at);

    for (at = bits_align_up(at, align); i < m->count; i++) {
        const mem_range *r = &m->ranges[i];

        if (!is_taken(r))
            continue;
        if (r->addr >= at && r->addr - at >= need)
            return at;
        at = bits_align_up(footprint_end(r), align);
    }
    return at < end && end - at >= need ? at : 0;
}

/* Searches the dead ranges from the last hole on, so that a program with many
 * buffers does not search all of them each time. */
static uint64_t find_hole(mem_image *m, uint64_t need, uint64_t align)
{
    uint64_t at = hole_from(m, m->rover, need, align);

    if (!at)
        at = hole_from(m, MEM_BASE, need, align);
    if (at)
        m->rover = at + need;
    return at;
}

/* Drops the records of ranges that were freed long ago. */
static void prune(mem_image *m)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < m->count; i++)
        if (is_taken(&m->ranges[i]) ||
            m->numbers - m->ranges[i].number < DEAD_KEPT)
            m->ranges[kept++] = m->ranges[i];
    m->count = kept;
}

/* Room for one more range. */
static void make_range_room(mem_image *m)
{
    if (m->count < m->room)
        return;
    if (m->count >= PRUNE_FROM) {
        prune(m);
        if (m->count < m->room / 4 * 3)
            return;
    }
    GROW(m->ranges, m->room + 1, m->room);
}

/* Puts `new` where it belongs, in place of the dead ranges that its footprint
 * overlaps. */
static void insert_range(mem_image *m, mem_range new)
{
    unsigned first = range_from(m, new.addr), last = first;
    uint64_t end = new.addr + footprint(new.size);

    if (first &&
        m->ranges[first - 1].addr + m->ranges[first - 1].size > new.addr)
        first--;
    while (last < m->count && m->ranges[last].addr < end)
        last++;
    for (unsigned i = first; i < last; i++)
        MUST(!is_taken(&m->ranges[i]));
    if (last != first + 1)
        memmove(&m->ranges[first + 1], &m->ranges[last],
                (m->count - last) * sizeof *m->ranges);
    m->count = m->count - (last - first) + 1;
    m->ranges[first] = new;
}

const char *mem_name(mem_image *m, const char *text)
{
    char *name = strmap_get(m->names, text);

    if (!name) {
        name = arena_strdup(m->text, text);
        strmap_put(m->names, name, name);
    }
    return name;
}

/* Where `size` bytes would lie in memory that was never handed out; 0: they
 * would not fit. */
static uint64_t place_above(const mem_image *m, uint64_t size, uint64_t align)
{
    uint64_t end = MEM_BASE + m->size, addr;

    if (size > m->size || align > m->size)
        return 0;
    addr = bits_align_up(m->top, align < RANGE_ALIGN ? RANGE_ALIGN : align);
    return addr <= end && footprint(size) <= end - addr ? addr : 0;
}

bool mem_is_new(const mem_image *m, uint64_t size, uint64_t align)
{
    return place_above(m, size, align) != 0;
}

uint64_t mem_alloc_aligned(mem_image *m, uint64_t size, uint64_t align,
                           const char *name)
{
    MUST(!m->of && bits_is_pow2(align));
    if (align < RANGE_ALIGN)
        align = RANGE_ALIGN;
    if (size > m->size || align > m->size)
        return 0;
    uint64_t need = footprint(size), addr = place_above(m, size, align);

    if (!addr)
        addr = find_hole(m, need, align);
    if (!addr)
        return 0;
    make_range_room(m);
    if (addr + need > m->top)
        m->top = addr + need;
    insert_range(m, (mem_range){.addr = addr,
                                .size = size,
                                .name = mem_name(m, name ? name : ""),
                                .live = true,
                                .number = m->numbers++});
    m->used += size;
    m->changes++;
    return addr;
}

uint64_t mem_alloc(mem_image *m, uint64_t size, const char *name)
{
    return mem_alloc_aligned(m, size, RANGE_ALIGN, name);
}

/* The pages that touch the footprint of range `i` and of nothing that is taken:
 * from *first up to *last, as addresses. */
static void own_pages(const mem_image *m, unsigned i, uint64_t *first,
                      uint64_t *last)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t from = m->ranges[i].addr, to = footprint_end(&m->ranges[i]);

    *first = bits_align_down(from, page);
    *last = bits_align_up(to, page);
    for (unsigned k = i; k-- > 0;) {
        const mem_range *r = &m->ranges[k];

        if (footprint_end(r) <= *first)
            break;
        if (is_taken(r)) {
            *first = bits_align_up(from, page);
            break;
        }
    }
    for (unsigned k = i + 1; k < m->count && m->ranges[k].addr < *last; k++)
        if (is_taken(&m->ranges[k]))
            *last = bits_align_down(to, page);
    if (*last > MEM_BASE + m->size)
        *last = MEM_BASE + m->size;
}

/* Clears the bytes of a dead range and its guard; gives whole pages back to the
 * host. */
static void clear_range(mem_image *m, unsigned i)
{
    uint64_t from = m->ranges[i].addr, to = footprint_end(&m->ranges[i]);
    uint64_t first, last;

    own_pages(m, i, &first, &last);
    if (first >= last) {
        memset(mem_host(m, from), 0, to - from);
        return;
    }
    if (first > from)
        memset(mem_host(m, from), 0, first - from);
    if (last < to)
        memset(mem_host(m, last), 0, to - last);
    MUST(madvise(mem_host(m, first), last - first, MADV_DONTNEED) == 0);
}

bool mem_release(mem_image *m, uint64_t addr)
{
    unsigned i = range_from(m, addr);

    if (i == m->count || m->ranges[i].addr != addr || !m->ranges[i].live)
        return false;
    m->ranges[i].live = false;
    m->used -= m->ranges[i].size;
    m->changes++;
    clear_range(m, i);
    return true;
}

/* ---- Addresses without memory ---- */

uint64_t mem_reserve(mem_image *m, uint64_t size, uint64_t align,
                     const char *name)
{
    uint64_t addr = mem_alloc_aligned(m, size, align, name);

    if (!addr)
        return 0;
    mem_range *r = &m->ranges[range_from(m, addr)];
    r->live = false;
    r->reserved = true;
    m->used -= size;
    return addr;
}

/* A range begins at `addr`, which may lie in one of reserved addresses. */
static void split_at(mem_image *m, uint64_t addr)
{
    unsigned i = range_above(m, addr);

    if (i == m->count || m->ranges[i].addr >= addr)
        return;
    make_range_room(m);
    i = range_above(m, addr);
    memmove(&m->ranges[i + 1], &m->ranges[i],
            (m->count - i) * sizeof *m->ranges);
    m->count++;
    mem_range *front = &m->ranges[i], *back = front + 1;
    front->size = addr - front->addr;
    back->size -= front->size;
    back->addr = addr;
}

/* Only parts of the same reserved addresses touch: others have a guard. */
static bool touch_alike(const mem_range *front, const mem_range *back)
{
    return front->reserved && back->reserved && front->live == back->live &&
           front->addr + front->size == back->addr;
}

/* Neighbours that are alike become one, from index `from` up to address `to`.
 */
static void join(mem_image *m, unsigned from, uint64_t to)
{
    unsigned kept = from, i = from + 1;

    for (; i < m->count && m->ranges[i].addr <= to; i++)
        if (touch_alike(&m->ranges[kept], &m->ranges[i]))
            m->ranges[kept].size += m->ranges[i].size;
        else
            m->ranges[++kept] = m->ranges[i];
    memmove(&m->ranges[kept + 1], &m->ranges[i],
            (m->count - i) * sizeof *m->ranges);
    m->count -= i - kept - 1;
}

void mem_reserved_set(mem_image *m, uint64_t addr, uint64_t size, bool live)
{
    split_at(m, addr);
    split_at(m, addr + size);
    unsigned first = range_from(m, addr);
    for (unsigned i = first; i < m->count && m->ranges[i].addr < addr + size;
         i++) {
        mem_range *r = &m->ranges[i];

        MUST(r->reserved);
        if (r->live != live)
            m->used += live ? r->size : -r->size;
        r->live = live;
    }
    join(m, first ? first - 1 : 0, addr + size);
    m->changes++;
}

void mem_unreserve(mem_image *m, uint64_t addr)
{
    unsigned i = range_from(m, addr);

    MUST(i < m->count && m->ranges[i].addr == addr && m->ranges[i].reserved &&
         !m->ranges[i].live);
    m->ranges[i].reserved = false;
    m->changes++;
    clear_range(m, i);
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

/* Is byte `addr` what is there anyway with a live range, in pages of `page`
 * bytes? *own: it is of the range's footprint. */
static bool is_mapped(const mem_image *m, uint64_t addr, uint64_t page,
                      bool *own)
{
    uint64_t from = bits_align_down(addr, page), to = from + page;
    unsigned i = range_above(m, from);
    bool mapped = false;

    *own = false;
    /* The range in front of the page may have its guard in it. */
    for (unsigned k = i ? i - 1 : 0;
         k < m->count && m->ranges[k].addr < to + RANGE_GUARD; k++) {
        const mem_range *r = &m->ranges[k];

        if (!r->live || !r->size)
            continue;
        *own |= addr - r->addr < footprint(r->size);
        mapped |= (k >= i && r->addr < to) || r->addr - addr <= RANGE_GUARD;
        if (r->addr > addr && mapped)
            break;
    }
    return mapped || *own;
}

const mem_range *mem_nearest_named(const mem_image *m, uint64_t addr,
                                   const char *name)
{
    const mem_range *nearest = NULL;

    for (unsigned i = 0; i < m->count; i++) {
        const mem_range *r = &m->ranges[i];

        if (r->live && r->name && !strcmp(r->name, name) &&
            (!nearest || mem_reach(r, addr, 1) < mem_reach(nearest, addr, 1)))
            nearest = r;
    }
    return nearest;
}

bool mem_beside(const mem_image *m, uint64_t *addr, uint64_t page)
{
    bool own;

    if (*addr - (MEM_BASE - RANGE_GUARD) >= m->size + RANGE_GUARD ||
        !is_mapped(m, *addr, page, &own))
        return false;
    if (*addr < MEM_BASE)
        *addr += 2 * m->size + RANGE_GUARD;
    else if (!own)
        *addr += m->size;
    return true;
}

uint8_t *mem_host(const mem_image *m, uint64_t addr)
{
    MUST_CHECK(mem_holds(m, addr));
    return m->host + (addr - MEM_BASE);
}

uint64_t mem_address(const mem_image *m, const uint8_t *host)
{
    return MEM_BASE + (uint64_t)(host - m->host);
}

/* In reserved addresses lie pages that are not our own. */
uint64_t mem_hash_bytes(const mem_image *m, uint64_t addr, uint64_t size,
                        uint64_t seed)
{
    unsigned i = range_above(m, addr);
    bool own = i < m->count && m->ranges[i].live && !m->ranges[i].reserved;

    return (own ? hash_sparse : hash_bytes)(mem_host(m, addr), size, seed);
}

uint64_t mem_hash(const mem_image *m)
{
    uint64_t h = 0;

    for (unsigned i = 0; i < m->count; i++) {
        const mem_range *r = &m->ranges[i];
        uint64_t place[2] = {mem_place(r->addr), r->size};

        if (!r->live)
            continue;
        h = hash_bytes(place, sizeof place, h);
        h = mem_hash_bytes(m, r->addr, r->size, h);
    }
    return h;
}
