#include "sm/wheel.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/must.h"
#include "mem/port.h"

static void link_free(sm_wheel *w, uint32_t from)
{
    for (uint32_t i = from; i < w->pool_size; i++)
        w->pool[i].next = i + 1 < w->pool_size ? i + 1 : 0;
    w->free = from;
}

bool sm_wheel_init(sm_wheel *w)
{
    *w = (sm_wheel){.pool_size = 256};
    w->pool = calloc(w->pool_size, sizeof *w->pool);
    if (!w->pool)
        return false;
    link_free(w, 1);
    return true;
}

void sm_wheel_fini(sm_wheel *w)
{
    free(w->pool);
    w->pool = NULL;
}

static __attribute__((noinline)) void grow(sm_wheel *w)
{
    uint32_t from = w->pool_size;

    w->pool_size *= 2;
    w->pool = realloc(w->pool, w->pool_size * sizeof *w->pool);
    MUST(w->pool);
    link_free(w, from);
}

void sm_wheel_add(sm_wheel *w, const sm_event *e)
{
    unsigned slot = e->when % WHEEL_SLOTS;

    if (!w->free)
        grow(w);
    uint32_t i = w->free;
    sm_event *n = &w->pool[i];
    w->free = n->next;
    *n = *e;
    n->next = w->head[slot];
    w->head[slot] = i;
    w->used[slot / 64] |= (uint64_t)1 << (slot % 64);
    w->count++;
}

bool sm_wheel_take(sm_wheel *w, uint64_t now, sm_event *out)
{
    unsigned slot = now % WHEEL_SLOTS;
    uint32_t *link = &w->head[slot];

    for (; *link; link = &w->pool[*link].next) {
        uint32_t i = *link;
        sm_event *n = &w->pool[i];

        MUST_CHECK(n->when >= now);
        if (n->when != now)
            continue; /* a later round */
        *out = *n;
        *link = n->next;
        n->next = w->free;
        w->free = i;
        w->count--;
        if (!w->head[slot])
            w->used[slot / 64] &= ~((uint64_t)1 << (slot % 64));
        return true;
    }
    return false;
}

uint64_t sm_wheel_next(const sm_wheel *w, uint64_t now)
{
    if (!w->count)
        return NEVER;
    unsigned first = (now + 1) % WHEEL_SLOTS;
    unsigned word = first / 64;
    uint64_t bits = w->used[word] & ~bits_mask64(first % 64);

    for (unsigned i = 0; i <= WHEEL_SLOTS / 64; i++) {
        if (bits) {
            unsigned slot = word * 64 + bits_ctz64(bits);
            return now + 1 + (slot - first) % WHEEL_SLOTS;
        }
        word = (word + 1) % (WHEEL_SLOTS / 64);
        bits = w->used[word];
    }
    return NEVER;
}
