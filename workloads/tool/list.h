/* workloads/tool/list.h - all workloads, in the order of `list`. Each NAME in
 * list.def has its workload wl_NAME in ../NAME/ref.c. */
#ifndef LIST_H
#define LIST_H

#include "tool/workload.h"

#define WORKLOAD(name) extern const workload wl_##name;
#define KNOBS(name)    extern const wl_knob wl_##name##_knobs[WL_KNOBS];
#include "tool/list.def"
#undef WORKLOAD
#undef KNOBS

extern const workload *const workload_list[];
extern const unsigned workload_count;

/* WL_KNOBS of them, without names where it has fewer. */
const wl_knob *workload_knobs(const workload *w);

#endif
