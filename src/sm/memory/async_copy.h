/* src/sm/memory/async_copy.h - the background copies (LDGSTS) of each warp, in
 * groups that LDGDEPBAR closes and DEPBAR waits for, oldest first. */
#ifndef SM_MEMORY_ASYNC_COPY_H
#define SM_MEMORY_ASYNC_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/decode.h"

struct sm;

/* Groups of a warp that can be under way, the open one included [guess]; a
 * warp that closes one more waits for the oldest. */
enum { COPY_GROUPS = 16 };

typedef struct sm_async_copies {
    uint16_t left[COPY_GROUPS]; /* copies not complete, by group */
    uint8_t open;               /* the group that LDGSTS joins */
    uint8_t older;              /* the warp waits for groups from this many
                                   behind the open one on; 0: for the open one,
                                   whose place the oldest still has */
    bool arrives;               /* at an mbarrier, once all are complete */
} sm_async_copies;

/* A copy of warp `w` issues; the group it belongs to. */
unsigned sm_async_copy_add(struct sm *s, unsigned w);

/* A copy of that group has arrived in shared memory. */
void sm_async_copy_done(struct sm *s, unsigned w, unsigned group);

/* Lets warp `w` go if it waits for copies, or for those and bulk stores, that
 * are complete. */
void sm_async_copy_look(struct sm *s, unsigned w);

/* Warp `w` has issued LDGDEPBAR, DEPBAR or MBCOPIES: lets it go when its groups
 * are complete. */
void sm_async_copy_wait(struct sm *s, unsigned w, const sm_inst *si);

#endif
