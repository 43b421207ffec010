/* src/mem/port.h - how hardware blocks talk: messages in bounded queues.
 * A message pushed in cycle t is visible from t + latency (at least 1); a slot
 * freed in cycle t can be used from t + 1. So the order in which blocks of a
 * node are ticked within a cycle cannot matter. Full rate through a port needs
 * latency + 1 slots. */
#ifndef MEM_PORT_H
#define MEM_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/must.h"

#define NEVER UINT64_MAX /* no cycle: only a message can wake the block */

/* The next cycle with work of two that may be NEVER. */
static inline uint64_t mem_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

typedef enum mem_kind {
    MEM_READ,   /* sectors of a line; replied with MEM_DATA */
    MEM_WRITE,  /* write-through or write-back data; MEM_ACK if `ack` */
    MEM_ATOMIC, /* performed by the owning L2 slice; MEM_DATA + atom */
    MEM_REDUCE, /* atomic without result; MEM_ACK */
    MEM_DATA,
    MEM_ACK,
    MEM_FENCE,    /* to an L1 that reorders, and its reply: earlier requests of
                     `warp` have been performed */
    MEM_PRESSURE, /* from an L1: memory is saturated, if `payload` is not 0 */
    MEM_DROP,     /* to the slice that may have copies of sectors: they are out
                     of date; answered with MEM_DROPPED */
    MEM_DROPPED,
} mem_kind;

/* The requester, to which the reply is routed within the node. */
typedef enum mem_client {
    CLIENT_L1,  /* L1 data cache */
    CLIENT_LSU, /* accesses that bypass the L1 */
    CLIENT_RO,  /* texture and read-only cache */
    CLIENT_ICACHE,
    CLIENT_CONST,
    CLIENT_TMA, /* tensor memory accelerator, also between SMs */
    CLIENT_L2,  /* an L2 slice towards its DRAM channel, or towards the slice of
                   the other partition that is the home of a line */
    CLIENTS
} mem_client;

/* Lane operands of atomics on one line. Owned by whoever holds the message;
 * comes from and returns to a pool of the SM that issued it. */
typedef struct mem_atom {
    uint64_t addr[32];     /* per lane */
    uint64_t a[32];        /* operand; CAS: compared with */
    uint64_t b[32];        /* CAS: stored */
    uint64_t old[32];      /* result, filled by the slice */
    uint64_t upper[3][32]; /* of a, b and old, if they have 128 bits */
    uint32_t lanes;        /* mask of lanes that take part */
    uint8_t op, type;      /* isa_atom, isa_atype */
    uint32_t changed;      /* lanes that left another value than they found */
    bool silent;           /* of a trace: there are no values */
    uint64_t when;         /* cycle in which the slice performed it */
    /* The requesting thread, for messages. */
    uint64_t cta; /* linear index */
    uint32_t pc;
    uint8_t launch, warp; /* in flight; of the CTA */
    struct mem_atom *next;
} mem_atom;

/* What a request to an L1 does to registers and memory when its turn comes.
 * Owned by the message; whoever performs that calls `take`, once, which owns
 * it from then on. */
typedef struct mem_turn {
    void (*take)(struct mem_turn *t);
} mem_turn;

/* Read from the L1 if it is there, and not brought there. */
enum { MEM_HINT_SKIP = 7 };

struct exec_remote; /* see exec/remote.h */

typedef struct mem_msg {
    uint64_t addr; /* of the line, MEM_LINE aligned */
    uint64_t when; /* cycle from which the receiver sees it */
    uint64_t born; /* cycle in which the request left its LSU */
    union {
        mem_atom *atom; /* MEM_ATOMIC, MEM_REDUCE and their replies */
        mem_turn *turn; /* MEM_READ, MEM_WRITE until performed; mostly NULL */
        struct exec_remote *remote; /* between SMs of a GPC; the asker's */
        struct tma_op *bulk;        /* of its CLIENT_TMA: sm/memory/tma.h */
    };
    uint32_t tag; /* the sender's, returned with the reply */
    uint16_t src; /* nodes: SMs first, then memory partitions */
    union {
        uint16_t dst;
        uint16_t cta; /* CTA slot of the requester; in requests to an L1 */
    };
    uint16_t payload;  /* data bytes carried, for flit counts */
    uint8_t kind;      /* mem_kind */
    uint8_t client;    /* mem_client */
    uint8_t sectors;   /* mask of the MEM_SECTORs meant */
    uint8_t warp;      /* warp slot of the requester; in requests to an L1 */
    uint8_t hint : 3;  /* isa_cache of the access, or MEM_HINT_SKIP */
    uint8_t keep : 3;  /* mem_keep, of requests to an L2 that has it */
    uint8_t widen : 2; /* the L2 reads 32 << so many bytes from DRAM at once */
    uint8_t ack : 1;   /* MEM_WRITE: reply with MEM_ACK */
    uint8_t ordered : 1; /* volatile: after earlier requests of its warp */
    uint8_t partial : 1; /* MEM_WRITE: some sector is not fully written */
    uint8_t local : 1;   /* local memory of threads, private to the SM */
    uint8_t hit : 1;     /* MEM_DATA: the L1 had it, for profiles */
    uint8_t owner : 1;   /* its warp alone may ask the memory for more */
    uint8_t traced : 1;  /* what happens to it is recorded: mem/event_log.h */
} mem_msg;

/* When the reader of ports has to look at them. */
typedef struct mem_wake {
    uint64_t next;   /* lowered to the cycle in which a pushed message is
                        visible */
    uint64_t newest; /* raised to it */
} mem_wake;

/* A reader that may take a message before the cycle in which it would see it,
 * where nothing can come before it. False: the message has to wait. */
typedef struct mem_taker {
    bool (*take)(void *self, unsigned source, uint64_t at, const mem_msg *m);
    void *self;
    unsigned source; /* the reader's number of the port */
} mem_taker;

/* A bounded queue. The node that wires the blocks owns it; each end is borrowed
 * by one block. */
typedef struct mem_port {
    mem_msg *ring;
    uint32_t mask; /* ring size - 1 */
    uint32_t head; /* next to pop */
    uint32_t count;
    uint32_t capacity; /* slots */
    uint32_t latency;  /* cycles from push to visible, at least 1 */
    uint32_t popped;   /* pops in cycle pop_cycle: not yet free */
    uint64_t pop_cycle;
    uint64_t next;   /* cycle in which the oldest message is visible */
    mem_wake *wake;  /* NULL: the receiver polls */
    uint64_t *space; /* lowered to the cycle in which a full port has room
                        again; NULL: a blocked sender retries every cycle */
    uint32_t *left;  /* by tag: answers that the receiver still awaits, and does
                        no more than count but for the last; NULL: it wants to
                        see each */
    const mem_taker *taker; /* NULL: the reader takes nothing before its time */
} mem_port;

void mem_port_init(mem_port *p, uint32_t capacity, uint32_t latency);
void mem_port_fini(mem_port *p);

static inline bool mem_port_full(const mem_port *p, uint64_t now)
{
    uint32_t held = p->pop_cycle == now ? p->popped : 0;

    return p->count + held >= p->capacity;
}

static inline void mem_wake_at(mem_wake *w, uint64_t when)
{
    w->next = mem_earlier(w->next, when);
    w->newest = w->newest > when ? w->newest : when;
}

/* So many pushes will not find it full, whatever is popped meanwhile. */
static inline unsigned mem_port_room(const mem_port *p, uint64_t now)
{
    uint32_t held = p->pop_cycle == now ? p->popped : 0;

    return p->capacity - (p->count + held);
}

/* A message that is pushed in cycle `when`, now or later, where there is sure
 * to be room; nothing else may be pushed before. */
static inline void mem_port_put(mem_port *p, uint64_t when, const mem_msg *m)
{
    mem_msg *slot = &p->ring[(p->head + p->count) & p->mask];

    *slot = *m;
    slot->when = when + p->latency;
    if (!p->count++)
        p->next = slot->when;
    if (p->wake)
        mem_wake_at(p->wake, slot->when);
}

/* False if full: that is the stall. Sets m->when. */
static inline bool mem_port_push(mem_port *p, uint64_t now, const mem_msg *m)
{
    if (mem_port_full(p, now))
        return false;
    mem_port_put(p, now, m);
    return true;
}

/* The same where at most one is pushed in a cycle and there are two slots: so
 * what the reader takes at once could not have filled the port. */
static inline bool mem_port_send(mem_port *p, uint64_t now, const mem_msg *m)
{
    const mem_taker *t = p->taker;

    return (t && t->take(t->self, t->source, now + p->latency, m)) ||
           mem_port_push(p, now, m);
}

/* The same for an answer: where the receiver would only count it, that is done
 * here. */
static inline bool mem_port_answer(mem_port *p, uint64_t now, const mem_msg *m)
{
    if (p->left && m->kind == MEM_DATA && !m->atom && p->left[m->tag] > 1) {
        p->left[m->tag]--;
        return true;
    }
    return mem_port_push(p, now, m);
}

/* The oldest visible message, NULL if none. */
static inline mem_msg *mem_port_peek(const mem_port *p, uint64_t now)
{
    return p->next > now ? (mem_msg *)0 : &p->ring[p->head & p->mask];
}

static inline void mem_port_pop(mem_port *p, uint64_t now)
{
    MUST(p->count > 0);
    if (p->pop_cycle != now) {
        p->pop_cycle = now;
        p->popped = 0;
    }
    if (p->space && p->count + p->popped == p->capacity && now + 1 < *p->space)
        *p->space = now + 1;
    p->head++;
    p->next = --p->count ? p->ring[p->head & p->mask].when : NEVER;
    p->popped++;
}

/* For a sender whose push failed in cycle `now`: when to try again; NEVER if
 * `space` will wake it. */
static inline uint64_t mem_port_retry(const mem_port *p, uint64_t now)
{
    return p->space && p->count == p->capacity ? NEVER : now + 1;
}

/* The cycle in which the oldest message is visible, NEVER if empty. */
static inline uint64_t mem_port_next(const mem_port *p) { return p->next; }

/* When a message not visible by `now` wakes the reader. One that is visible
 * already was seen, and perhaps refused, by the reader's last tick, which took
 * it into account in what it returned. So a node wakes a block at the earliest
 * of what its tick returned and this, for each of its input ports. */
static inline uint64_t mem_port_wake(const mem_port *p, uint64_t now)
{
    uint64_t next = mem_port_next(p);

    return next > now ? next : NEVER;
}

#endif
