/* workloads/tool/list.c - see list.h. */
#include "tool/list.h"

const workload *const workload_list[] = {
#define WORKLOAD(name) &wl_##name,
#define KNOBS(name)
#include "tool/list.def"
#undef WORKLOAD
#undef KNOBS
};

const unsigned workload_count = sizeof workload_list / sizeof *workload_list;

const wl_knob *workload_knobs(const workload *w)
{
    static const wl_knob none[WL_KNOBS];

#define WORKLOAD(name)
#define KNOBS(name)                                                            \
    if (w == &wl_##name)                                                       \
        return wl_##name##_knobs;
#include "tool/list.def"
#undef WORKLOAD
#undef KNOBS
    return none;
}
