/* src/sm/cluster/front_end.c - the front end of an SM that works by itself. */
#include "sm/cluster/front_end.h"

#include "sm/cta.h"
#include "sm/state.h"

static bool own_starts_cta(const sm *s)
{
    return s->cluster->mode == CLUSTER_ALONE;
}

const sm_front_end sm_front_private = {
    .fetches = true,
    .starts_cta = own_starts_cta,
    .leave_barriers = sm_warp_leave,
};
