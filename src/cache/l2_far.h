/* src/cache/l2_far.h - what a slice has where the L2 is in two partitions.
 *
 * A request of an SM comes to the slice near it. If that is not the home of the
 * line, the slice answers reads from copies that it keeps, and sends the rest
 * to its counterpart, the home:
 *
 *   near slice                          home
 *   MEM_READ (tag: of its MSHR)    ->   MEM_DATA
 *   MEM_WRITE, MEM_ATOMIC, ...     ->   MEM_ACK, MEM_DATA
 *   MEM_DROPPED                    <-   MEM_DROP: copies are out of date
 *
 * Copies share the tags with lines that have their home in the slice. They are
 * never dirty, take no place before their data come, and are given up without a
 * word. The home knows, by sector, what its counterpart may have copies of, for
 * lines that it holds: a line that it replaces takes the copies along. What
 * changes such sectors - a store or an atomic of an SM near the home - takes
 * the copies back: it is performed at once and answered when they are gone. A
 * store from the counterpart's side drops its copies as it passes. So once a
 * store is acknowledged, no SM reads what was there before.
 *
 * Data on their way are the hard case: what takes a copy back may overtake
 * them. The near slice then keeps none (`stale`), answers the reads that asked
 * before, and makes those that come later wait.
 *
 * Nothing can lock up: requests and answers travel on links of their own, and
 * answers are taken whatever else waits. Copies have MSHRs of their own, too.
 */
#ifndef CACHE_L2_FAR_H
#define CACHE_L2_FAR_H

#include "cache/l2_impl.h"

/* Of a slot: sectors of which the counterpart may have copies; or a copy. */
enum { L2_SHARED = 0xf, L2_COPY = 0x80 };

/* Who waits in an MSHR for data from DRAM: reads of the counterpart, or
 * atomics, never both: what it was sent could not be taken back in the moment
 * in which the atomic is performed. */
enum { L2_FAR_NOBODY, L2_FAR_READS, L2_FAR_ATOMICS };

typedef struct l2_recall { /* copies of a line being taken back */
    uint64_t line;
    mem_msg reply; /* to whoever changed the line; when: not before */
    bool used, owes;
} l2_recall;

struct l2_far {
    l2 *peer;        /* the counterpart; for copies between launches */
    uint8_t *mark;   /* [slot] see above */
    mem_mshr *mshr;  /* lines awaited from their home */
    bool *stale;     /* [entry of mshr] what arrives is not kept */
    uint8_t *waits;  /* [entry of the slice's MSHRs] */
    mem_msg *away;   /* stores and atomics at their home, by tag */
    uint32_t *spare; /* free places of `away`, the last is the next */
    uint32_t spares;
    l2_recall *recall;
    uint32_t recalls;   /* in use */
    uint32_t recalling; /* of the request being performed, or none */
    mem_ring asks;      /* to the home */
    mem_ring answers;   /* to the counterpart: data, and */
    mem_ring orders;    /* MEM_DROP and MEM_DROPPED, which go first */
    mem_ring released;  /* to SMs: what recalls held back */
    uint64_t answer_due, released_due; /* of the youngest there */
    l2_refusal stall;                  /* of the counterpart's next request */
    uint64_t retry_at;
    bool changed; /* what that depends on, since the last try */
    bool turn;    /* the counterpart's */
    bool asks_blocked, link_blocked; /* something was due and the port full */
};

/* `replies`: how many of a kind can wait. */
l2_far *l2_far_new(const l2 *b, uint64_t replies);
void l2_far_free(l2_far *f); /* NULL is fine */
bool l2_far_idle(const l2 *b);

/* ---- Requests of SMs for lines of the other partition ---- */

/* Is `m` one? */
bool l2_far_away(const l2 *b, const mem_msg *m);
l2_refusal l2_far_plan(l2 *b, uint64_t own, const mem_msg *m, l2_plan *p);
void l2_far_perform(l2 *b, uint64_t own, const mem_msg *m, const l2_plan *p);

/* ---- At home ---- */

/* Has a request to wait for copies being taken back, or for others like it? */
bool l2_far_must_wait(const l2 *b, const mem_msg *m, const l2_plan *p);
/* Has the line in a slot copies that cannot be taken back now? */
bool l2_far_holds_back(const l2 *b, uint32_t slot);
/* `m`, a write or an atomic, has changed the line in `slot`, which was not
 * answered yet. */
void l2_far_changed(l2 *b, uint64_t own, const mem_msg *m, uint32_t slot);
/* `m` waits in entry `e`. */
void l2_far_awaits(l2 *b, uint64_t own, const mem_msg *m, uint32_t slot,
                   uint32_t e);
/* The line in `slot` is being replaced. */
void l2_far_replaced(l2 *b, uint64_t own, uint32_t slot);
/* True if `m` is answered by way of the link, or later. */
bool l2_far_reply(l2 *b, const mem_msg *m, uint64_t due);
/* May `m`, data from DRAM for `n` requests, be taken? */
bool l2_far_fill_fits(const l2 *b, const mem_msg *m, uint32_t n);
void l2_far_count(l2 *b, const mem_msg *m, const l2_plan *p);
/* As l2_copied: copies at the counterpart are out of date. */
void l2_far_copied(l2 *b, uint64_t line, uint8_t sectors);

/* Where the answer to `m` waits, `to` if it is for an SM. */
static inline const mem_ring *l2_far_ring(const l2 *b, const mem_msg *m,
                                          const mem_ring *to)
{
    return __builtin_expect(m->client == CLIENT_L2, 0) ? &b->far->answers : to;
}

/* ---- Stages, once for each own cycle ---- */

/* What comes and goes by the links. */
void l2_far_stages(l2 *b, uint64_t now, uint64_t own);
/* Tries a request of the counterpart; true: it was performed. */
bool l2_far_home_stage(l2 *b, uint64_t now, uint64_t own);
/* First own cycle after `own` with work; NEVER: only a message brings any. */
uint64_t l2_far_next(const l2 *b, uint64_t now, uint64_t own);
/* Core cycle in which to try again what found a port full. */
uint64_t l2_far_retry(const l2 *b, uint64_t now);

#endif
