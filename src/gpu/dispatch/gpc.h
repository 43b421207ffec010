/* src/gpu/dispatch/gpc.h - GPCs: neighbouring SMs, to one of which all CTAs of
 * a thread-block cluster (exec/cga.h) go at once. The first SM of a GPC stands
 * for it where the policy chooses one. Owns its table. */
#ifndef GPU_DISPATCH_GPC_H
#define GPU_DISPATCH_GPC_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/sm.h"

typedef struct gpc {
    unsigned first, sms;
} gpc;

typedef struct gpcs {
    gpc *list;
    unsigned count;
    uint16_t *of; /* per SM; NULL: the machine has no thread-block clusters */
} gpcs;

void gpcs_init(gpcs *g, const config *cfg);
void gpcs_fini(gpcs *g); /* zeroed is fine */

static inline const gpc *gpc_of(const gpcs *g, unsigned i)
{
    return &g->list[g->of[i]];
}

/* Of `most` CTAs that need `need` each: those that the SMs of `g`, of which
 * free[i] is left and which are not `off`, hold together. */
unsigned gpc_room(const gpc *g, const sm_resources *free, const bool *off,
                  const sm_resources *need, unsigned most);
/* The SM that holds most of them, the lowest of several; one does. */
unsigned gpc_choose(const gpc *g, const sm_resources *free, const bool *off,
                    const sm_resources *need);
/* SMs of the largest GPC. */
unsigned gpc_largest(const config *cfg);

#endif
