/* workloads/tool/list.c - see list.h. */
#include "tool/list.h"

const workload *const workload_list[] = {
#define WORKLOAD(name) &wl_##name,
#include "tool/list.def"
#undef WORKLOAD
};

const unsigned workload_count = sizeof workload_list / sizeof *workload_list;
