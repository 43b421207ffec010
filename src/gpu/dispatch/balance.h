/* src/gpu/dispatch/balance.h - how evenly the SMs hold warps, over time. What
 * happens in a window is noted in any order and summed up when the window has
 * ended. Owns its tables. */
#ifndef GPU_DISPATCH_BALANCE_H
#define GPU_DISPATCH_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

typedef struct balance_event {
    unsigned sm;
    int change;    /* of warp slots held */
    unsigned next; /* of the same cycle; 0: none */
} balance_event;

/* Sums over cycles. */
typedef struct balance_sums {
    uint64_t held, squares, total_squares, most;
} balance_sums;

typedef struct balance {
    unsigned sms, slots;
    unsigned *held;          /* per SM */
    unsigned *level;         /* SMs that hold so many: slots + 1 */
    uint64_t total, squares; /* of what SMs hold: sum, sum of squares */
    unsigned most;           /* that an SM holds */
    uint64_t upto;           /* cycles before it are summed up */
    uint64_t from;           /* the window's first cycle, */
    unsigned window;         /* and how many it has at most */
    unsigned *cycle;         /* the last event of each, and of the next */
    balance_event *event;    /* of this window, from 1 on */
    unsigned events, room;
    balance_sums sums;
} balance;

/* Windows are of `window` cycles. */
void balance_init(balance *b, const config *cfg, unsigned window);
void balance_fini(balance *b);

/* All SMs are empty in cycle `now`. */
void balance_clear(balance *b, uint64_t now);

/* A window begins; the one before, if it had events, has been settled. */
static inline void balance_open(balance *b, uint64_t from)
{
    if (!b->events)
        b->from = from;
}

/* From cycle `when` on, of the window or that behind it, SM `i` holds so many
 * warp slots more. */
void balance_note(balance *b, uint64_t when, unsigned i, int change);

/* Nothing more will be noted of cycles before `now`: sums up to there. */
void balance_settle(balance *b, uint64_t now);

#endif
