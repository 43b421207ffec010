/* src/sm/cluster/dissolve.h - why the members of a cluster part; see
 * sm/cluster/cluster.h. */
#ifndef SM_CLUSTER_DISSOLVE_H
#define SM_CLUSTER_DISSOLVE_H

typedef enum sm_dissolve_cause {
#define CAUSE(id, name, help) DISSOLVE_##id,
#include "sm/cluster/dissolve.def"
#undef CAUSE
    DISSOLVE_CAUSES
} sm_dissolve_cause;

#endif
