/* src/mem/mshr.c - hash chains for entries, one pool for the requests. What was
 * never used is behind what was, and its memory is untouched. */
#include "mem/mshr.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"

typedef struct waiter {
    mem_msg msg;
    uint32_t next;
} waiter;

struct mem_mshr {
    uint32_t entries, merges, count, buckets;
    uint32_t places;  /* that all lists share; 0: each has `merges` */
    uint32_t waiting; /* requests in all lists */
    mem_mshr_entry *entry;
    uint32_t *chain;                   /* first entry of each bucket */
    uint32_t free_entry, used_entries; /* those were used, of which are free */
    waiter *pool; /* grows up to entries * merges, mostly far smaller */
    uint32_t pool_room, free_waiter, used_waiters;
};

enum { FIRST_WAITERS = 64 };

static uint32_t *bucket(const mem_mshr *t, uint64_t line)
{
    uint64_t h = (line / 32) * 0x9e3779b97f4a7c15u;

    return &t->chain[h >> 40 & (t->buckets - 1)];
}

mem_mshr *mem_mshr_new(uint32_t entries, uint32_t merges)
{
    mem_mshr *t = new0(1, sizeof *t);

    MUST(entries && merges);
    t->entries = entries;
    t->merges = merges;
    t->buckets = 2u << bits_log2_up(entries);
    t->entry = new_array(entries, sizeof *t->entry);
    t->chain = new_array(t->buckets, sizeof *t->chain);
    uint64_t most = (uint64_t)entries * merges;
    t->pool_room = most < FIRST_WAITERS ? (uint32_t)most : FIRST_WAITERS;
    t->pool = new_array(t->pool_room, sizeof *t->pool);
    for (uint32_t i = 0; i < t->buckets; i++)
        t->chain[i] = MEM_NO_ENTRY;
    t->free_entry = t->free_waiter = MEM_NO_ENTRY;
    return t;
}

mem_mshr *mem_mshr_new_shared(uint32_t entries, uint32_t places)
{
    mem_mshr *t = mem_mshr_new(entries, places + 1);

    MUST(places && places < UINT16_MAX); /* counts of a sector have 16 bits */
    t->places = places;
    return t;
}

void mem_mshr_free(mem_mshr *t)
{
    if (!t)
        return;
    free(t->entry);
    free(t->chain);
    free(t->pool);
    free(t);
}

uint32_t mem_mshr_count(const mem_mshr *t) { return t->count; }

bool mem_mshr_full(const mem_mshr *t) { return t->count == t->entries; }

mem_mshr_entry *mem_mshr_at(const mem_mshr *t, uint32_t e)
{
    MUST_CHECK(e < t->entries);
    return &t->entry[e];
}

uint32_t mem_mshr_find(const mem_mshr *t, uint64_t line)
{
    if (!t->count)
        return MEM_NO_ENTRY;
    uint32_t e = *bucket(t, line);
    while (e != MEM_NO_ENTRY && t->entry[e].line != line)
        e = t->entry[e].next;
    return e;
}

uint32_t mem_mshr_add(mem_mshr *t, uint64_t line)
{
    uint32_t e = t->free_entry, *head = bucket(t, line);

    MUST(t->count < t->entries);
    if (e == MEM_NO_ENTRY)
        e = t->used_entries++;
    else
        t->free_entry = t->entry[e].next;
    mem_mshr_entry *n = &t->entry[e];
    *n = (mem_mshr_entry){.line = line,
                          .slot = UINT32_MAX,
                          .first = MEM_NO_ENTRY,
                          .last = MEM_NO_ENTRY,
                          .next = *head};
    *head = e;
    t->count++;
    return e;
}

static void release_entry(mem_mshr *t, uint32_t e)
{
    uint32_t *at = bucket(t, t->entry[e].line);

    while (*at != e)
        at = &t->entry[*at].next;
    *at = t->entry[e].next;
    t->entry[e].next = t->free_entry;
    t->free_entry = e;
    t->count--;
}

bool mem_mshr_mergeable(const mem_mshr *t, uint32_t e, uint8_t sectors)
{
    const mem_mshr_entry *n = &t->entry[e];

    if (t->places)
        return t->waiting < t->places + t->count;
    if (n->waiting < t->merges)
        return true;
    for (unsigned left = sectors; left; left &= left - 1) {
        unsigned s = bits_ctz32(left);

        if ((uint16_t)(n->of[s / 4] >> s % 4 * 16) >= t->merges)
            return false;
    }
    return true;
}

/* A request for each of the four sectors of a mask. */
static const uint64_t wanted[16] = {
    0x0,
    0x1,
    0x10000,
    0x10001,
    0x100000000,
    0x100000001,
    0x100010000,
    0x100010001,
    0x1000000000000,
    0x1000000000001,
    0x1000000010000,
    0x1000000010001,
    0x1000100000000,
    0x1000100000001,
    0x1000100010000,
    0x1000100010001,
};

static uint32_t take_waiter(mem_mshr *t)
{
    uint32_t w = t->free_waiter;

    if (w != MEM_NO_ENTRY) {
        t->free_waiter = t->pool[w].next;
        return w;
    }
    GROW(t->pool, t->used_waiters + 1, t->pool_room);
    return t->used_waiters++;
}

void mem_mshr_merge(mem_mshr *t, uint32_t e, const mem_msg *m)
{
    mem_mshr_entry *n = &t->entry[e];
    uint32_t w = take_waiter(t);

    t->pool[w].msg = *m;
    t->pool[w].next = MEM_NO_ENTRY;
    if (n->first == MEM_NO_ENTRY)
        n->first = w;
    else
        t->pool[n->last].next = w;
    n->last = w;
    n->waiting++;
    t->waiting++;
    n->of[0] += wanted[m->sectors & 15];
    n->of[1] += wanted[m->sectors >> 4];
}

void mem_mshr_arrive(mem_mshr *t, uint32_t e, uint8_t sectors)
{
    t->entry[e].awaited &= (uint8_t)~sectors;
}

const mem_msg *mem_mshr_next(mem_mshr *t, uint32_t e)
{
    mem_mshr_entry *n = &t->entry[e];
    uint32_t w = n->first, before = MEM_NO_ENTRY;

    while (w != MEM_NO_ENTRY && t->pool[w].msg.sectors & n->awaited) {
        before = w;
        w = t->pool[w].next;
    }
    if (w == MEM_NO_ENTRY) {
        if (!n->awaited)
            release_entry(t, e);
        return NULL;
    }
    if (before == MEM_NO_ENTRY)
        n->first = t->pool[w].next;
    else
        t->pool[before].next = t->pool[w].next;
    if (n->last == w)
        n->last = before;
    n->waiting--;
    t->waiting--;
    n->of[0] -= wanted[t->pool[w].msg.sectors & 15];
    n->of[1] -= wanted[t->pool[w].msg.sectors >> 4];
    t->pool[w].next = t->free_waiter;
    t->free_waiter = w;
    return &t->pool[w].msg;
}

void mem_mshr_each(const mem_mshr *t,
                   void (*visit)(void *arg, uint32_t e,
                                 const mem_mshr_entry *entry),
                   void *arg)
{
    bool *used = new0(t->entries, sizeof *used);

    for (uint32_t i = 0; i < t->buckets; i++)
        for (uint32_t e = t->chain[i]; e != MEM_NO_ENTRY; e = t->entry[e].next)
            used[e] = true;
    for (uint32_t e = 0; e < t->entries; e++)
        if (used[e])
            visit(arg, e, &t->entry[e]);
    free(used);
}
