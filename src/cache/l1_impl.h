/* src/cache/l1_impl.h - what the source files of the L1 share. */
#ifndef CACHE_L1_IMPL_H
#define CACHE_L1_IMPL_H

#include "cache/l1.h"
#include "cache/l1_locality.h"
#include "cache/l1_queue.h"
#include "cache/tlb.h"
#include "mem/event_log.h"
#include "mem/mshr.h"
#include "mem/ring.h"
#include "mem/sector.h"
#include "mem/tags.h"
#include "stats/bins.h"

typedef __typeof__(((config *)0)->l1) l1_config;

typedef struct l1_stats {
#define STAT(id, unit, help)           uint64_t id;
#define HIST(id, bins, of, unit, help) uint64_t id[HIST_##bins];
#include "cache/l1_stats.def"
#undef STAT
#undef HIST
} l1_stats;

/* What performing a request means; found without changing anything, so that a
 * queue policy may have several requests tried. Holds until the set, or the
 * MSHR of the line, changes. */
typedef enum l1_act {
    L1_ACT_HIT,   /* load: reply after the hit latency */
    L1_ACT_MERGE, /* load: merge into an MSHR, and request `fetch` */
    L1_ACT_MISS,  /* load: new MSHR, and request `fetch` */
    L1_ACT_KEEP,  /* store: kept here until evicted */
    L1_ACT_PASS,  /* load, store, atomic: goes on to the L2 */
} l1_act;

typedef struct l1_plan {
    l1_act act;
    uint32_t slot;  /* of the line; of its victim if it is absent */
    uint32_t entry; /* MSHR of the line */
    bool present;   /* the line is in `slot` */
    bool full;      /* it needs a slot and there is none */
    bool around;    /* PASS: the cache chose so */
    uint8_t fetch;  /* sectors to request */
    uint8_t places; /* that it takes in the miss queue */
} l1_plan;

struct l1 {
    l1_config cfg;
    l1_ports port;
    l1_queue *queue;
    mem_tags tags;
    mem_mshr *mshr;
    l1_locality *locality; /* NULL: none decides what is kept */
    mem_ring misses;       /* due when they may leave */
    mem_ring untranslated; /* before that, since when; not due */
    tlb tlb;
    mem_ring hits;       /* replies, due when they may be pushed */
    mem_ring fills;      /* replies made by what came from the network */
    uint64_t data_at;    /* byte-cycles: when the data array is free */
    uint64_t fill_free;  /* cycle from which the next fill may be written */
    uint32_t expected;   /* replies awaited from the network, fills not
                            counted */
    uint64_t unanswered; /* requests of the LSU that await their reply */
    uint64_t accounted;  /* first cycle not yet in the counters */
    l1_refusal stall;    /* from cycle `accounted` on */
    l1_refusal input;    /* why the oldest arrival waits, likewise */
    bool changed;        /* what a refusal depends on, since the last try */
    uint32_t waits; /* bit set of l1_refusal: of the last try, perhaps more */
    uint64_t data_free; /* cycle in which a refusal for the data array ends */
    bool net_blocked;   /* a miss was due and the port full */
    event_log *log;     /* NULL: not traced */
    uint32_t level[3];  /* of MSHRs, miss and request queues, last recorded */
    unsigned unit;      /* of its events */
    l1_stats st;
};

/* Plans how `m` is to be performed: a look-up in tags and MSHRs. */
void l1_find(const l1 *b, const mem_msg *m, l1_plan *p);
/* The same where it is known what mem_tags_find says. */
void l1_find_at(const l1 *b, const mem_msg *m, uint32_t slot, l1_plan *p);
/* Performs what most requests are, a load that hits and is not refused, and
 * then is what l1_find, l1_refuse and l1_perform are together; false: use
 * these. `slot`: what mem_tags_find says. */
bool l1_hit(l1 *b, uint64_t now, const mem_msg *m, uint32_t slot);
/* What stands in the way of that now. */
l1_refusal l1_refuse(const l1 *b, uint64_t now, const mem_msg *m,
                     const l1_plan *p);
/* `m` was refused. *noted is the bit set of its refusals so far. */
void l1_refused(l1 *b, uint64_t now, const mem_msg *m, l1_refusal why,
                uint32_t *noted);
/* A load of a line that is neither here nor awaited leaves for the L2, which
 * has the newest data of it, with its own sectors; nothing of it is kept. */
void l1_go_around(l1_plan *p);
/* True if `m` leaves for the L2 whatever is cached: it is no store. */
bool l1_passes(const l1 *b, const mem_msg *m);
void l1_perform(l1 *b, uint64_t now, const mem_msg *m, const l1_plan *p);

/* Frees a slot for another line; writes back what is dirty. */
void l1_evict(l1 *b, uint64_t now, uint32_t slot);

#endif
