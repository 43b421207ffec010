#include "sm/wheel.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "mem/port.h"

static void link_free(sm_wheel *w, uint32_t from)
{
    for (uint32_t i = from; i < w->pool_size; i++)
        w->pool[i].next = i + 1 < w->pool_size ? i + 1 : 0;
    w->free = from;
}

void sm_wheel_init(sm_wheel *w)
{
    *w = (sm_wheel){.pool_size = 256};
    w->pool = new0(w->pool_size, sizeof *w->pool);
    link_free(w, 1);
}

void sm_wheel_fini(sm_wheel *w)
{
    free(w->pool);
    w->pool = NULL;
}

void sm_wheel_clear(sm_wheel *w)
{
    memset(w->head, 0, sizeof w->head);
    memset(w->used, 0, sizeof w->used);
    memset(w->far, 0, sizeof w->far);
    w->taken = 0;
    link_free(w, 1);
}

void sm_wheel_grow(sm_wheel *w)
{
    uint32_t from = w->pool_size;

    w->pool_size *= 2;
    w->pool = renew(w->pool, w->pool_size, sizeof *w->pool);
    link_free(w, from);
}

uint32_t sm_wheel_sort_out(sm_wheel *w, uint64_t now)
{
    unsigned slot = now % WHEEL_SLOTS;
    uint64_t bit = (uint64_t)1 << (slot % 64);
    uint32_t list = w->head[slot], *link = &list, later = 0;

    while (*link) { /* events of later rounds go back */
        sm_event *n = &w->pool[*link];

        MUST_CHECK(n->when >= now);
        if (n->when == now) {
            link = &n->next;
            continue;
        }
        uint32_t i = *link;
        *link = n->next;
        n->next = later;
        later = i;
    }
    w->head[slot] = later;
    if (!later) {
        w->used[slot / 64] &= ~bit;
        w->far[slot / 64] &= ~bit;
    }
    return list;
}

uint64_t sm_wheel_next(const sm_wheel *w, uint64_t now)
{
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
