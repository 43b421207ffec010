/* src/sm/dissolve.h - why the members of a cluster part; see sm/share.h. */
#ifndef SM_DISSOLVE_H
#define SM_DISSOLVE_H

typedef enum sm_dissolve_cause {
#define CAUSE(id, name, help) DISSOLVE_##id,
#include "sm/dissolve.def"
#undef CAUSE
    DISSOLVE_CAUSES
} sm_dissolve_cause;

#endif
