/* src/sm/memory/lsu.h - the load and store unit: a queue of memory instructions
 * in issue order, of which the head is turned into shared-memory passes and
 * line transactions. Accesses take effect on memory when the head starts, so
 * their order is that of issue. Global atomics are shipped to the owner of the
 * line instead; until they are acknowledged no load or store of this SM passes
 * them. Owns queue, pending entries and atomics; borrows nothing. */
#ifndef SM_MEMORY_LSU_H
#define SM_MEMORY_LSU_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "exec/exec.h"
#include "mem/port.h"
#include "sm/decode.h"
#include "sm/memory/coalesce.h"
#include "sm/memory/turn.h"

struct sm;

enum { LSU_FILTER = 256, LSU_ATOMS = 64, LSU_PATTERNS = 64 };

typedef struct sm_lsu_entry {
    uint64_t issued;
    uint64_t ready; /* first cycle in which it can start */
    const sm_inst *inst;
    exec_mem *m;
    uint64_t policy; /* of caches, see sm/memory/hints.h */
    uint32_t pc;
    uint8_t warp;
    uint8_t group; /* of a copy, see sm/memory/async_copy.h */
    bool owner;    /* its warp owned memory, see sm/memory/owner.h */
} sm_lsu_entry;

/* An instruction that awaits data. */
typedef struct sm_pending {
    const sm_inst *inst;
    uint64_t issued;
    uint64_t sent_at;  /* cycle in which its first transaction left */
    uint64_t earliest; /* of its write-back: shared part of a generic access */
    uint32_t pc;
    uint32_t next; /* free list, number + 1 */
    uint8_t warp;
    uint8_t group; /* of a copy */
} sm_pending;

typedef enum sm_lsu_block {
    LSU_RUNS,
    LSU_PORT,      /* port to the L1 full */
    LSU_PENDING,   /* no pending entry, store credit or atomic free */
    LSU_COHERENCE, /* an atomic on the line is under way */
} sm_lsu_block;

typedef struct sm_lsu {
    sm_lsu_entry *queue;
    uint32_t room, head, count;
    uint32_t limit; /* room; 0: closed */
    /* Accesses of the entries. The one freed last is used next, while the
     * host still has it in its cache. */
    exec_mem *store, **spare; /* spare[0 .. room - count) */

    /* The head instruction. */
    bool listed;  /* `txs` is filled */
    bool started; /* it has taken effect; `sent` transactions are gone */
    unsigned sent;
    uint32_t tag; /* pending entry of the head, if it has one */
    bool has_tag;
    sm_lsu_block block;
    uint64_t fences; /* warps whose fence is to be sent to it */
    uint64_t free;   /* from this cycle on it can go on */
    uint32_t remote; /* CTAs of the cluster that the head has yet to ask */
    sm_txs txs;

    sm_pending *pending;
    uint32_t *left; /* by pending entry: transactions not answered; 0 while not
                       all are sent is impossible */
    uint32_t pending_room, pending_free;
    uint32_t stores, store_limit; /* transactions not acknowledged */
    bool keeps; /* the L2 has priorities: see sm/memory/hints.h */
    bool ahead; /* loads may be sent ahead of their cycles */
    sm_turns turns;
    mem_atom *atoms, *atom_free;
    sm_pattern pattern[LSU_PATTERNS]; /* of shared accesses, by pc */
    uint16_t filter[LSU_FILTER];      /* atomics under way by hashed line */
} sm_lsu;

/* *u is zero. */
void sm_lsu_init(sm_lsu *u, const config *cfg);
void sm_lsu_fini(sm_lsu *u);

/* Full, or closed because another SM of the cluster could not keep up. */
static inline bool sm_lsu_full(const sm_lsu *u) { return u->count >= u->limit; }

/* Where the next instruction describes its access; not if full. */
static inline exec_mem *sm_lsu_next(const sm_lsu *u)
{
    return u->spare[u->room - u->count - 1];
}

/* Takes the entry: instruction `pc` of warp `w` has issued. */
void sm_lsu_add(struct sm *s, unsigned w, const sm_inst *si, uint32_t pc,
                uint64_t ready);

/* True if working on the head now only sends transactions that are not its
 * last, or nothing. */
bool sm_lsu_goes_on(const struct sm *s);

/* Takes a reply that leaves its instruction waiting for more; false, and
 * nothing is done, if it completes one or may wake a warp. */
bool sm_lsu_counts_down(struct sm *s, const mem_msg *m);

/* Works on the head. */
void sm_lsu_tick(struct sm *s);

/* Observers have come or gone: do they want to see each reply? */
void sm_lsu_observe(struct sm *s);

/* The next cycle with work, NEVER if only a reply or an issue brings some. */
uint64_t sm_lsu_when(const struct sm *s);

/* A reply of the L1. */
void sm_lsu_reply(struct sm *s, const mem_msg *m);

/* A reply of another SM: sm/memory/remote.h. */
void sm_lsu_remote(struct sm *s, const mem_msg *m);
/* The tag of a store of warp `w`, which is counted until it is acknowledged. */
uint32_t sm_lsu_store_tag(const struct sm *s, unsigned w);
void sm_lsu_count_store(struct sm *s, unsigned w);

/* A warp waits at a fence (s->warp[w].fence): lets it go if all it waits for
 * has happened. */
void sm_lsu_fence(struct sm *s, unsigned w);
/* Its fence is over in cycle `due`. */
void sm_lsu_end_fence(struct sm *s, unsigned w, uint64_t due);
/* Sends the fence of a warp that waits for the L1 (u->fences). */
void sm_lsu_send_fence(struct sm *s);

#endif
