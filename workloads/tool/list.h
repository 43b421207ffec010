/* workloads/tool/list.h - all workloads, in the order of `list`. Each NAME in
 * list.def has its workload wl_NAME in ../NAME/ref.c. */
#ifndef LIST_H
#define LIST_H

#include "tool/workload.h"

#define WORKLOAD(name) extern const workload wl_##name;
#include "tool/list.def"
#undef WORKLOAD

extern const workload *const workload_list[];
extern const unsigned workload_count;

#endif
