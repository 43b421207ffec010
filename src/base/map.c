/* src/base/map.c - linear probing, at most 3/4 full, deletion by shifting
 * back, so that there are no tombstones. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { FIRST_SLOTS = 16 };

typedef struct slot {
    uint64_t key, value;
    bool used;
} slot;

struct map {
    slot *slots;
    size_t mask, count; /* mask = number of slots - 1 */
};

/* Keys are often multiples of a line size: mix them. */
static uint64_t mix_key(uint64_t x)
{
    x = (x ^ x >> 32) * 0x9e3779b97f4a7c15;
    return x ^ x >> 29;
}

map *map_new(void)
{
    map *m = new0(1, sizeof *m);

    m->slots = new0(FIRST_SLOTS, sizeof *m->slots);
    m->mask = FIRST_SLOTS - 1;
    return m;
}

void map_free(map *m)
{
    if (m)
        free(m->slots);
    free(m);
}

/* The slot that holds `key`, or the free one where it belongs. */
static slot *map_find(const map *m, uint64_t key)
{
    size_t i = mix_key(key) & m->mask;

    while (m->slots[i].used && m->slots[i].key != key)
        i = (i + 1) & m->mask;
    return &m->slots[i];
}

static void map_grow(map *m)
{
    slot *old = m->slots;
    size_t n = m->mask + 1;

    m->slots = new0(2 * n, sizeof *m->slots);
    m->mask = 2 * n - 1;
    for (size_t i = 0; i < n; i++)
        if (old[i].used)
            *map_find(m, old[i].key) = old[i];
    free(old);
}

void map_put(map *m, uint64_t key, uint64_t value)
{
    slot *s = map_find(m, key);

    if (s->used) {
        s->value = value;
        return;
    }
    if ((m->count + 1) * 4 > (m->mask + 1) * 3) {
        map_grow(m);
        s = map_find(m, key);
    }
    *s = (slot){key, value, true};
    m->count++;
}

bool map_get(const map *m, uint64_t key, uint64_t *value)
{
    const slot *s = map_find(m, key);

    if (s->used)
        *value = s->value;
    return s->used;
}

bool map_del(map *m, uint64_t key)
{
    size_t hole = (size_t)(map_find(m, key) - m->slots);

    if (!m->slots[hole].used)
        return false;
    for (size_t i = hole;;) {
        i = (i + 1) & m->mask;
        if (!m->slots[i].used)
            break;
        size_t home = mix_key(m->slots[i].key) & m->mask;
        /* May move to the hole unless its home lies between hole and i. */
        if (((i - home) & m->mask) >= ((i - hole) & m->mask)) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->slots[hole].used = false;
    m->count--;
    return true;
}

size_t map_count(const map *m) { return m->count; }

typedef struct strslot {
    const char *key; /* NULL: free */
    uint64_t hash;
    void *value;
} strslot;

struct strmap {
    strslot *slots;
    size_t mask, count;
};

strmap *strmap_new(void)
{
    strmap *m = new0(1, sizeof *m);

    m->slots = new0(FIRST_SLOTS, sizeof *m->slots);
    m->mask = FIRST_SLOTS - 1;
    return m;
}

void strmap_free(strmap *m)
{
    if (m)
        free(m->slots);
    free(m);
}

static strslot *strmap_find(const strmap *m, const char *key, uint64_t hash)
{
    size_t i = hash & m->mask;

    while (m->slots[i].key &&
           (m->slots[i].hash != hash || strcmp(m->slots[i].key, key)))
        i = (i + 1) & m->mask;
    return &m->slots[i];
}

static void strmap_grow(strmap *m)
{
    strslot *old = m->slots;
    size_t n = m->mask + 1;

    m->slots = new0(2 * n, sizeof *m->slots);
    m->mask = 2 * n - 1;
    for (size_t i = 0; i < n; i++)
        if (old[i].key)
            *strmap_find(m, old[i].key, old[i].hash) = old[i];
    free(old);
}

void strmap_put(strmap *m, const char *key, void *value)
{
    uint64_t hash = hash_bytes(key, strlen(key), 0);
    strslot *s = strmap_find(m, key, hash);

    if (s->key) {
        s->value = value;
        return;
    }
    if ((m->count + 1) * 4 > (m->mask + 1) * 3) {
        strmap_grow(m);
        s = strmap_find(m, key, hash);
    }
    *s = (strslot){key, hash, value};
    m->count++;
}

void *strmap_get(const strmap *m, const char *key)
{
    return strmap_find(m, key, hash_bytes(key, strlen(key), 0))->value;
}

size_t strmap_count(const strmap *m) { return m->count; }
