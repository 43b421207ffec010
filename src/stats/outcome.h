/* src/stats/outcome.h - what the machine says of a launch that has ended: the
 * rows RESULT of launch_record.def as members. Plain data; texts are constant
 * or the owner's. */
#ifndef STATS_OUTCOME_H
#define STATS_OUTCOME_H

#include <stdint.h>

#include "base/status.h"

/* Types of the kinds of rows. */
#define OUTCOME_STATUS  status
#define OUTCOME_COUNT   uint64_t
#define OUTCOME_NUMBER  uint32_t
#define OUTCOME_SECONDS double
#define OUTCOME_TEXT    const char *

typedef struct launch_outcome {
#include "stats/outcome.inc"
} launch_outcome;

#endif
