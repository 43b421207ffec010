/* src/exec/pool.h - the registers of a CTA that no warp has: USETMAXREG gives
 * some back or takes some [PTX85:setmaxnreg]. A pool is empty when its CTA
 * starts, as each warp has what the kernel begins with; what a warp has when it
 * ends does not come back before the CTA ends [guess]. Counts are registers of
 * a thread, the same for all of a warp. */
#ifndef EXEC_POOL_H
#define EXEC_POOL_H

#include <stdbool.h>

#include "base/bits.h"
#include "exec/exec.h"

enum {
    EXEC_POOL = 17,     /* exec_bar.number: behind EXEC_CGA_BARRIER */
    EXEC_POOL_UNIT = 8, /* registers of a thread [PTX85:setmaxnreg] */
};

static inline void exec_pool_start(exec_warp *w)
{
    uint32_t n = isa_kernel_begins_with(w->cta->launch->kernel);

    w->has = w->wants = (uint16_t)bits_align_up(n, EXEC_POOL_UNIT);
}

/* The warp gives its registers back, or takes those that it wants; false: the
 * pool has too few, it has to wait. */
static inline bool exec_pool_settle(exec_warp *w)
{
    uint32_t *pool = &w->cta->pool;

    if (*pool + w->has < w->wants)
        return false;
    *pool = *pool + w->has - w->wants;
    w->has = w->wants;
    return true;
}

#endif
