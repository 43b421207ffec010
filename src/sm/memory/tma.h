/* src/sm/memory/tma.h - the tensor memory accelerator of an SM: bulk copies
 * (exec/tma.h) that the load unit hands over. It takes them one by one, fetches
 * the tensor map if it has not got it, and asks for lines, past the L1; what
 * comes takes its turns at the banks of shared memory. Copies under way are
 * many; each takes effect as a whole, a load when its last line is there, a
 * store when its last line has left.
 *
 * Data for other CTAs of a thread-block cluster goes on over the network
 * between SMs, line by line, and takes effect with a last message behind them.
 *
 * Owns its copies. NULL in SMs of machines without. */
#ifndef SM_MEMORY_TMA_H
#define SM_MEMORY_TMA_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/port.h"
#include "sm/decode.h"
#include "stats/stats.h"

struct sm;
struct sm_lsu_entry;
typedef struct sm_tma sm_tma;

extern const stats_block sm_tma_stats_block;

/* Of a new SM, whose ports are known: s->tma. */
void sm_tma_init(struct sm *s, stats *reg, const char *name);
void sm_tma_free(sm_tma *t);  /* NULL is fine */
void sm_tma_clear(sm_tma *t); /* no tensor map is cached; NULL is fine */

/* A bulk instruction of warp `w` issues for so many lanes; the group that its
 * stores belong to. */
unsigned sm_tma_issue(struct sm *s, unsigned w, const sm_inst *si,
                      unsigned lanes);
/* It has become the head of the load unit's queue. False: there is no room, or
 * the SM has stopped. */
bool sm_tma_accept(struct sm *s, const struct sm_lsu_entry *e);

/* Warp `w` will wait until no more than its `latest` groups are under way;
 * whether that is so. */
void sm_tma_older(struct sm *s, unsigned w, unsigned latest);
bool sm_tma_is_complete(const struct sm *s, unsigned w);
/* Warp `w` has issued UTMACMDFLUSH or UTMAWAIT: lets it go when its groups are
 * complete. */
void sm_tma_wait(struct sm *s, unsigned w, const sm_inst *si);

/* Takes what came from memory, and works on copies. */
void sm_tma_tick(struct sm *s);
/* Copy `n`, with timing, takes effect in this CTA: EVENT_TMA. */
void sm_tma_land(struct sm *s, unsigned n);

/* A message from the accelerator of another SM: can it be taken in this cycle?
 * Its line has come by a link as that of the crossbar. */
bool sm_tma_can_take(const struct sm *s);
/* Such a message; `cta`: the slot of the CTA it
 * is for, -1 if it has ended. True: *ack is to be sent. */
bool sm_tma_deliver(struct sm *s, const mem_msg *m, int cta, mem_msg *ack);
/* Of which CTA of which thread-block cluster. */
void sm_tma_target(const mem_msg *m, uint32_t *cga, uint32_t *rank);
/* Its answer is back. */
void sm_tma_placed(struct sm *s, const mem_msg *m);

/* Something is to be done in this cycle. */
bool sm_tma_busy(const struct sm *s);
/* The next cycle behind `now` with work that no event or new message brings. */
uint64_t sm_tma_when(const struct sm *s, uint64_t now);
/* Copies under way. */
unsigned sm_tma_count(const struct sm *s);

#endif
