/* src/sm/wheel.h - what will happen to a warp in a later cycle.
 * A timing wheel: a ring of lists, one per cycle of the horizon; events beyond
 * it stay in their list for further rounds. Owns its events; a pool that grows
 * to the machine's high-water mark and then never again. */
#ifndef SM_WHEEL_H
#define SM_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/must.h"

enum { WHEEL_SLOTS = 512 };

typedef enum sm_event_kind {
    EVENT_WRITE,   /* result of instruction `pc` is visible; where registers of
                      a result follow each other, from register `arg` on */
    EVENT_LATE,    /* EVENT_WRITE that found no room before the hazard table */
    EVENT_GUARD,   /* predicates of `pc` are visible to guards; `arg`: counted
                      from when the whole result is */
    EVENT_UNIFORM, /* uniform results of `pc` are visible in view `arg` of
                      hazard/uniform.h */
    EVENT_READ,    /* instruction `pc` has read its registers */
    EVENT_FETCH,   /* `arg` fetched instructions are decoded */
    EVENT_IFILL,   /* instruction line of miss `arg` is there */
    EVENT_CFILL,   /* constant line of miss `arg` is there */
    EVENT_BRANCH,  /* branch resolved */
    EVENT_COPY,    /* a copy of group `arg` has arrived in shared memory */
    EVENT_WAKE,    /* fence, barrier or sleep is over */
    EVENT_ROOM,    /* its slots of the hazard table are others than before */
    EVENT_LIMIT,   /* wait `arg` at an mbarrier has lasted long enough */
    EVENT_CGA,     /* CTAs of thread-block cluster `arg` go on */
    EVENT_TMA,     /* bulk copy `arg` takes effect in shared memory */
    EVENT_CLUSTER, /* of the cluster: `arg`, see sm/cluster/cluster.c */
} sm_event_kind;

typedef struct sm_event {
    uint64_t when;
    uint32_t pc;
    uint32_t arg;
    uint32_t next; /* in its list or the free list; 0: none */
    uint8_t kind;  /* sm_event_kind */
    uint8_t warp;
} sm_event;

typedef struct sm_wheel {
    sm_event *pool; /* [0] is unused */
    uint32_t pool_size;
    uint32_t free;
    uint32_t head[WHEEL_SLOTS];
    uint64_t used[WHEEL_SLOTS / 64]; /* bit: list not empty */
    uint64_t
        far[WHEEL_SLOTS / 64]; /* bit: it may have events of later rounds */
    uint64_t taken;            /* cycle up to which events have been taken */
} sm_wheel;

void sm_wheel_init(sm_wheel *w);
void sm_wheel_fini(sm_wheel *w);
void sm_wheel_clear(sm_wheel *w); /* drops all events */

void sm_wheel_grow(sm_wheel *w);

/* A new event of the future cycle `when`; the caller fills in the rest. */
static inline __attribute__((always_inline)) sm_event *
sm_wheel_add(sm_wheel *w, uint64_t when)
{
    unsigned slot = when % WHEEL_SLOTS;

    if (!w->free)
        sm_wheel_grow(w);
    uint32_t i = w->free;
    sm_event *e = &w->pool[i];
    w->free = e->next;
    e->when = when;
    e->next = w->head[slot];
    w->head[slot] = i;
    w->used[slot / 64] |= (uint64_t)1 << (slot % 64);
    if (__builtin_expect(when - w->taken > WHEEL_SLOTS, 0))
        w->far[slot / 64] |= (uint64_t)1 << (slot % 64);
    return e;
}

/* The events of cycle `now` in a slot that may have others, too: sm_wheel_take.
 */
uint32_t sm_wheel_sort_out(sm_wheel *w, uint64_t now);

/* Takes all events of cycle `now` out, in an order that is the same in every
 * run: a list for sm_wheel_pop, 0 if there is none. */
static inline uint32_t sm_wheel_take(sm_wheel *w, uint64_t now)
{
    unsigned slot = now % WHEEL_SLOTS;
    uint64_t bit = (uint64_t)1 << (slot % 64);

    w->taken = now;
    if (!(w->used[slot / 64] & bit))
        return 0;
    if (__builtin_expect(w->far[slot / 64] & bit, 0))
        return sm_wheel_sort_out(w, now);
    uint32_t list = w->head[slot];
    MUST_CHECK(w->pool[list].when == now);
    w->head[slot] = 0;
    w->used[slot / 64] &= ~bit;
    return list;
}

/* The event `*list`, which is freed: copy what is needed before adding others.
 * Moves *list on to the next, 0 behind the last. */
static inline sm_event sm_wheel_pop(sm_wheel *w, uint32_t *list)
{
    sm_event *e = &w->pool[*list];
    sm_event out = *e;

    e->next = w->free;
    w->free = *list;
    *list = out.next;
    return out;
}

/* A cycle after `now`, not later than the next event; NEVER if empty. */
uint64_t sm_wheel_next(const sm_wheel *w, uint64_t now);

#endif
