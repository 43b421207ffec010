/* src/mem/event_log.h - events of the simulated machine: what happens to
 * instructions, memory requests and queues, cycle by cycle. Recorded while a
 * launch is traced, by each node into a log of its own.
 *
 * An event belongs to one block of the machine, and the events of a block come
 * in an order that depends on nothing but the simulated machine; so does the
 * order of trace_key over all blocks. An event may be recorded before its
 * cycle, where a block can foresee it, and DRAM commands are recorded after
 * theirs; gpu/event_merge.h delivers all in order.
 *
 * Instructions are numbered by each SM from 1, in the order of fetch. A request
 * is identified by SM, line and the cycle in which it left the LSU. */
#ifndef MEM_EVENT_LOG_H
#define MEM_EVENT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/port.h"

typedef enum trace_block {
    TRACE_SM,
    TRACE_L1,
    TRACE_NET,
    TRACE_L2,
    TRACE_DRAM,    /* its queues */
    TRACE_COMMAND, /* its commands, on its own clock */
} trace_block;

/* What happened, TRACE(id, block, name): see trace.def. */
typedef enum trace_kind {
#define TRACE(id, block, name) TRACE_##id,
#include "mem/event_log.def"
#undef TRACE
    TRACE_KINDS
} trace_kind;

extern const char *const trace_names[TRACE_KINDS];
extern const uint8_t trace_blocks[TRACE_KINDS]; /* trace_block of each */

/* How a cache answers: `a` of TRACE_L1_ACCESS and TRACE_L2_ACCESS. */
typedef enum trace_access {
    ACCESS_HIT,
    ACCESS_MISS,   /* the line is absent */
    ACCESS_SECTOR, /* it lacks sectors */
    ACCESS_MERGE,  /* all it lacks is awaited already */
    ACCESS_PASS,   /* goes on to the L2, whatever is here */
    ACCESS_WRITE,  /* is written here */
    ACCESSES
} trace_access;

extern const char *const trace_access_names[ACCESSES];

typedef struct trace_event {
    uint64_t cycle;
    uint64_t addr; /* line of a request; else as the kind says */
    uint32_t inst; /* its number; of requests: cycles since they left the LSU */
    uint32_t a;
    uint16_t b;
    uint16_t unit; /* number of the block in the machine; L1s: 2 per SM */
    uint16_t sm;   /* it is about */
    uint8_t kind;  /* trace_kind */
    uint8_t warp;  /* slot */
} trace_event;

/* Orders events; those of equal keys stay in the order of recording. */
static inline uint64_t trace_key(const trace_event *e)
{
    return e->cycle << 20 | (uint64_t)trace_blocks[e->kind] << 16 | e->unit;
}

/* What is recorded. Cycles are of the machine's clock, [from, to). */
typedef struct trace_filter {
    unsigned first_sm, last_sm;
    uint64_t warps; /* slots, a bit each */
    uint64_t from, to;
    bool queues; /* what they hold is recorded, from cycle 0 on */
} trace_filter;

/* Of one node. */
typedef struct event_log {
    trace_filter filter;
    trace_event *event;
    size_t count, room;
} event_log;

static inline bool event_log_covers(const event_log *l, uint64_t cycle)
{
    return cycle >= l->filter.from && cycle < l->filter.to;
}

/* False if an event from elsewhere names a block that is not there. */
bool trace_event_valid(const trace_event *e, unsigned sms, unsigned slices,
                       unsigned channels);

void event_log_add(event_log *l, const trace_event *e) __attribute__((cold));

/* Something happens at block `unit` to the request `m` of SM `sm`, which is
 * traced: m->traced. */
void event_log_request(event_log *l, uint64_t now, trace_kind kind,
                       unsigned unit, unsigned sm, const mem_msg *m, uint32_t a,
                       unsigned b) __attribute__((cold));

/* The queue `which` of a block holds `level` at the end of cycle `now`. */
typedef enum trace_queue {
    TRACE_QUEUE_L1_MSHR,
    TRACE_QUEUE_L1_MISS,
    TRACE_QUEUE_L2_MSHR,
    TRACE_QUEUE_L2_MISS,
    TRACE_QUEUE_DRAM_READ,
    TRACE_QUEUE_DRAM_WRITE,
    TRACE_QUEUE_L1_REQUEST, /* queues in front of the tags, the port aside */
    TRACE_QUEUES
} trace_queue;

extern const char *const trace_queue_names[TRACE_QUEUES];

/* Records a level that differs from the last one, *was; from the beginning of
 * the launch on, so that the level in the first recorded cycle is known. */
static inline void event_log_level(event_log *l, uint64_t now, trace_kind kind,
                                   unsigned unit, trace_queue which,
                                   uint32_t level, uint32_t *was)
{
    if (level == *was || now >= l->filter.to)
        return;
    *was = level;
    event_log_add(l, &(trace_event){.cycle = now,
                                    .a = level,
                                    .b = (uint16_t)which,
                                    .unit = (uint16_t)unit,
                                    .kind = (uint8_t)kind});
}

/* ---- Delivery ---- */

/* Collects the events of logs and hands them out in order. */
typedef struct event_sort {
    trace_event *event;
    size_t count, room;
} event_sort;

void event_sort_fini(event_sort *m);
void event_sort_take(event_sort *m, event_log *from); /* empties it */
/* Sorts, and gives the events of cycles before `before`; they are taken out
 * with event_sort_drop. */
trace_event *event_sort_get(event_sort *m, uint64_t before, size_t *n);
void event_sort_drop(event_sort *m, size_t n);

#endif
