/* src/sm/fetch.h - the front end: instruction caches, fetch ports and a buffer
 * of decoded instructions for each warp. Instructions are known in advance, so
 * a buffer is only a count, and a cache only tags. Owns all of that. */
#ifndef SM_FETCH_H
#define SM_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "mem/port.h"
#include "sm/limits.h"
#include "sm/memory/read_cache.h"
#include "sm/memory/touch.h"
#include "sm/stats.h"

struct sm;
struct sm_decoded;
struct sm_inst;

/* Of a stamp: the trace records what was fetched. */
#define FETCH_TRACED 0x8000u

enum { FETCH_RING = 32, FETCH_PORTS = 8, FETCH_MISSES = 64 };

typedef struct sm_fetch_warp {
    const struct sm_inst *inst; /* its kernel's code, until the next warp */
    uint32_t insts;             /* of it */
    uint32_t pc;                /* next to fetch */
    uint32_t line;              /* number of the line it fetched from last */
    uint8_t count;              /* decoded, in the buffer */
    uint8_t flight;             /* fetched, not yet decoded */
    uint8_t sched;
    uint16_t epoch; /* counts flushes: older fetches are dropped; 8 bits */
    uint16_t stamp; /* the same for fetches, FETCH_TRACED added */
} sm_fetch_warp;

/* An instruction line on its way to the first level. */
typedef struct sm_fetch_miss {
    uint64_t line;      /* address */
    uint64_t warps;     /* that wait for it */
    uint32_t delay;     /* cycles of the levels it missed */
    uint8_t l0;         /* schedulers whose level wants it */
    bool taken, unsent; /* unsent: the network port was full */
    bool cold;          /* the line is used for the first time */
} sm_fetch_miss;

typedef struct sm_fetch {
    uint64_t want;     /* warps that will fetch when a port is free */
    uint64_t open;     /* live warps in none of the next three masks */
    uint64_t missing;  /* warps that wait for a line */
    uint64_t starved;  /* warps that found no free miss entry */
    uint64_t redirect; /* warps whose next pc is unknown yet */
    uint64_t live;     /* warps that run */
    /* Warps whose last line is still in the first level: nothing has been
     * evicted since. So a line counts as used once for each time a warp
     * enters it, not for each fetch. */
    uint64_t sure;
    sm_fetch_warp warp[SM_WARPS];
    unsigned ports;
    uint64_t port_mask[FETCH_PORTS];
    uint32_t last[FETCH_PORTS];
    unsigned width, buffer, decode, misses, prefetch, unsent;
    uint32_t launch; /* in tags, to drop replies for the launch before */
    bool perfect;
    bool current, wrong_path; /* cfg->sm.fetch.choice, .wrong_path */
    /* The first level: of the scheduler or of the SM. */
    bool own_level;
    unsigned line_shift;
    unsigned delay;    /* from a hit there to the buffer */
    uint32_t arriving; /* bit per cycle modulo FETCH_RING: some arrive */
    uint8_t hits[FETCH_RING];
    /* Fetches being decoded: warp, count << 8, epoch << 16. */
    uint32_t hit[FETCH_RING][FETCH_PORTS];
    sm_read_cache l0[4], l1, l15; /* l15 serves the constant cache too */
    sm_fetch_miss miss[FETCH_MISSES];
    sm_touch touch; /* lines of the first level */
} sm_fetch;

/* *f is zero. */
void sm_fetch_init(sm_fetch *f, const config *cfg);
void sm_fetch_fini(sm_fetch *f);
/* Before launches; `keep`: the caches stay as they are, else they are
 * emptied. */
void sm_fetch_clear(sm_fetch *f, bool keep);
/* Room to note the code up to that address. */
void sm_fetch_reserve(sm_fetch *f, uint64_t end);

void sm_fetch_start(struct sm *s, unsigned w, const struct sm_decoded *code,
                    uint32_t pc);
void sm_fetch_stop(struct sm *s, unsigned w);

/* True if the buffer holds the next instruction of `w`. */
static inline bool sm_fetch_has(const sm_fetch *f, unsigned w)
{
    return f->warp[w].count != 0;
}

/* What a warp whose buffer is empty waits for. */
static inline sm_why sm_fetch_why(const sm_fetch *f, unsigned w)
{
    if (f->warp[w].flight || !((f->missing | f->starved) >> w & 1))
        return WHY_FETCH;
    return WHY_ICACHE;
}

void sm_fetch_pop(struct sm *s, unsigned w); /* it has issued */
/* A branch: drops the buffer; fetch goes on at sm_fetch_redirect. */
void sm_fetch_flush(struct sm *s, unsigned w);
void sm_fetch_redirect(struct sm *s, unsigned w, uint32_t pc);

/* Instructions decoded in this cycle enter the buffers. */
void sm_fetch_arrive(struct sm *s);
/* The same for a fetch that takes longer than the ring is long. */
void sm_fetch_decoded(struct sm *s, uint32_t hit);
void sm_fetch_filled(struct sm *s, unsigned miss);
void sm_fetch_reply(struct sm *s, const mem_msg *m);

/* Lets the ports fetch. Returns the next cycle in which they can. */
uint64_t sm_fetch_tick(struct sm *s);
/* The same for dual issue: each scheduler has a port. */
uint64_t sm_fetch_tick_dual(struct sm *s);

#endif
