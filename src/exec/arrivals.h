/* src/exec/arrivals.h - who has arrived at the mbarriers of a CTA, for messages
 * about warps that wait there: the last ARRIVALS of them that something arrived
 * at, each in its phase. Belongs to an exec_cta, made with the first arrival;
 * who holds the CTA frees it. */
#ifndef EXEC_ARRIVALS_H
#define EXEC_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"

enum { ARRIVALS = 64 };

typedef struct exec_arrived { /* at one mbarrier */
    uint32_t at;              /* its offset in shared memory */
    bool taken;
    uint32_t phases;    /* that have ended since the first arrival */
    uint64_t warps;     /* of the CTA, that arrived in this phase, */
    uint64_t ever;      /* or in any */
    uint32_t ranks;     /* other CTAs of the cluster that arrived in it */
    uint64_t announced; /* bytes of this phase, by expect_tx, */
    uint64_t came;      /* and those that complete_tx or a copy brought */
} exec_arrived;

struct exec_arrivals {
    exec_arrived is[ARRIVALS];
};

/* The mbarrier at offset `at` of `c` was changed from `was` to `now` by an
 * arrival: its operand `by` is that of exec/atom.h. `warp` is of CTA `rank` of
 * the cluster. */
void exec_arrivals_note(exec_cta *c, uint32_t at, uint64_t was, uint64_t now,
                        uint64_t by, uint32_t rank, unsigned warp);

/* NULL: nothing has arrived there lately. */
const exec_arrived *exec_arrivals_at(const exec_cta *c, uint32_t at);

/* And what exec/async.h keeps of the CTA. */
void exec_arrivals_free(exec_cta *c);

#endif
