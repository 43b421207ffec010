/* tests/timing/dual.h - a simulated K20 whose SMs issue by the control codes of
 * their instructions. Included once by a test program. */
#ifndef TIMING_DUAL_H
#define TIMING_DUAL_H

#include "base/must.h"
#include "rig.h"

static inline rig *dual_rig(const char *const *sets)
{
    static const char *const core[] = {RIG_CORE};
    const char *all[RIG_SETS] = {0};
    unsigned n = 0;

    for (unsigned i = 0; i < COUNTOF(core); i++)
        all[n++] = core[i];
    for (unsigned i = 0; sets && sets[i]; i++)
        all[n++] = sets[i];
    return rig_new("k20", all);
}

#endif
