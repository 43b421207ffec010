/* src/sm/cluster/front_end.c - the front end of an SM that works by itself. */
#include "sm/cluster/front_end.h"

#include "sm/cta.h"
#include "sm/state.h"

static bool starts_cta(const sm *s)
{
    return s->cluster->mode == CLUSTER_ALONE;
}

static exec_result step(sm *s, unsigned w, exec_mem *mem, exec_fault *fault)
{
    return exec_step(&s->x[w], mem, &s->bar[w], fault);
}

static unsigned load_constants(sm *s, unsigned w, const sm_inst *si,
                               uint32_t pc)
{
    (void)pc;
    return sm_constant_load(s, w, si);
}

const sm_front_end sm_front_private = {
    .fetches = true,
    .starts_cta = starts_cta,
    .leave_barriers = sm_warp_leave,
    .step = step,
    .load_constants = load_constants,
};
