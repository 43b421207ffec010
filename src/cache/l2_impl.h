/* src/cache/l2_impl.h - what the source files of the L2 slice share. */
#ifndef CACHE_L2_IMPL_H
#define CACHE_L2_IMPL_H

#include "cache/l2.h"
#include "mem/clock.h"
#include "mem/event_log.h"
#include "mem/keep.h"
#include "mem/mshr.h"
#include "mem/ring.h"
#include "mem/sector.h"
#include "mem/tags.h"
#include "stats/bins.h"

typedef __typeof__(((config *)0)->l2) l2_config;

typedef struct l2_stats {
#define STAT(id, unit, help)           uint64_t id;
#define HIST(id, bins, of, unit, help) uint64_t id[HIST_##bins];
#include "cache/l2_stats.def"
#undef STAT
#undef HIST
} l2_stats;

/* Why a request cannot be performed now. */
typedef enum l2_refusal {
    L2_OK,
    L2_SET_FULL,
    L2_MSHR_ENTRY,
    L2_MSHR_MERGE,
    L2_MISS_QUEUE,
    L2_DATA_PORT,
    L2_ATOMIC_UNIT,
    L2_REPLY,
    L2_FAR,
    L2_REFUSALS
} l2_refusal;

typedef struct l2_plan {
    uint32_t set;
    uint32_t slot;  /* of the line; of its victim if it is absent */
    uint32_t entry; /* MSHR of the line */
    bool present;   /* the line is in `slot` */
    bool wait;      /* on an MSHR: the data are not there */
    bool far;       /* its home is in the other partition */
    uint8_t fetch;  /* sectors to request */
} l2_plan;

typedef struct l2_far l2_far;
typedef struct l2_keep l2_keep;

/* All times are cycles of the slice's own clock, except in ports. */
struct l2 {
    l2_config cfg;
    config_ratio clock;
    l2_ports port;
    mem_route route; /* what part of an address chose this slice */
    mem_tags tags;
    mem_mshr *mshr;
    mem_ring misses;     /* due when they may leave */
    mem_ring hits;       /* replies of reads and writes, in due order */
    mem_ring fills;      /* replies to what waited for DRAM */
    mem_ring atoms;      /* replies of atomics */
    uint64_t data_at;    /* byte-cycles: when the data array is free */
    uint64_t atom_free;  /* when the atomic unit is free */
    uint64_t atom_due;   /* of the youngest in `atoms` */
    uint64_t accounted;  /* first cycle not yet in the counters */
    l2_refusal stall;    /* from cycle `accounted` on */
    uint32_t refused;    /* bit set of l2_refusal: of the head, so far */
    bool changed;        /* what a refusal depends on, since the last try */
    uint64_t retry_at;   /* when a refusal for a busy unit ends */
    bool net_blocked;    /* a reply was due and the port full */
    bool dram_blocked;   /* a miss was due and the port full */
    uint64_t unanswered; /* replies not yet sent */
    l2_keep *keep;       /* NULL: lines have no priorities */
    l2_far *far;         /* NULL: there is one partition */
    event_log *log;      /* NULL: not traced */
    uint32_t level[2];   /* of MSHRs and miss queue, last recorded */
    l2_stats st;
};

/* Own cycle in which it is worth trying again for the passing of time alone;
 * NEVER: not before something has changed. */
static inline uint64_t l2_retry(const l2 *b, l2_refusal why)
{
    if (why == L2_DATA_PORT)
        return b->data_at / b->cfg.data_bytes;
    return why == L2_ATOMIC_UNIT ? b->atom_free : NEVER;
}

/* With the lists of waiting requests that the configuration has. */
mem_mshr *l2_mshr_new(const l2_config *cfg);

/* Finds out how `m` would be performed now. */
l2_refusal l2_plan_request(l2 *b, uint64_t now, const mem_msg *m, l2_plan *p);
void l2_perform(l2 *b, uint64_t now, const mem_msg *m, const l2_plan *p);

/* Has the L2 two partitions? */
static inline bool l2_parted(const l2 *b)
{
    return __builtin_expect(b->far != NULL, 0);
}

/* Is it an atomic, with or without result? */
static inline bool l2_is_atomic(const mem_msg *m)
{
    return m->kind == MEM_ATOMIC || m->kind == MEM_REDUCE;
}

static inline bool l2_data_busy(const l2 *b, uint64_t now)
{
    return b->data_at >= (now + 1) * b->cfg.data_bytes;
}

void l2_use_data_port(l2 *b, uint64_t now, unsigned sectors);

/* The answer to `m` is in the network `latency` own cycles after `now`, the
 * core cycles that the port takes among them, or in the first own cycle after
 * that. */
void l2_reply(l2 *b, uint64_t now, mem_ring *to, const mem_msg *m,
              unsigned latency);
/* Turns a copy of a request into its answer. */
void l2_turn_into_reply(const l2 *b, mem_msg *r);

/* Gives the slot of a victim to the line of `m`; for a dirty one there must be
 * room in `misses`. */
void l2_replace_line(l2 *b, uint64_t now, const mem_msg *m, uint32_t slot);

/* True if what a fill answers fits in the reply queues. */
bool l2_fill_fits(const l2 *b, const mem_msg *m);
void l2_fill(l2 *b, uint64_t now, const mem_msg *m);

#endif
