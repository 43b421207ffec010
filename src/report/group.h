/* src/report/group.h - launches that were in flight together, which a report
 * tells as one: they share counters, time and energy. What each has of its own
 * is a part, whose start counts from that of the group. Owns copies of the
 * parts, and their profiles; borrows kernels. */
#ifndef REPORT_GROUP_H
#define REPORT_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/source.h"
#include "isa/program.h"
#include "sm/observe/profile.h"
#include "stats/outcome.h"

typedef struct report_part {
    const isa_kernel *kernel;
    const char *stream;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes; /* dynamic */
    union {
        launch_outcome outcome; /* these members at once */
        struct {
#include "stats/outcome.inc"
        };
    };
    sm_profile_row *profile;   /* NULL: not wanted */
    const isa_program *source; /* of the kernel; NULL: that of the group, */
    const sources *texts;      /* and so are its files */
} report_part;

typedef struct report_group {
    /* In place of theirs: "a + b x2", the largest numbers of registers and
     * bytes, no code. */
    isa_kernel kernel;
    report_part *part;
    size_t count;
} report_group;

/* NULL if memory runs out. */
report_group *report_group_new(const report_part *part, size_t count);
void report_group_free(report_group *g); /* NULL is fine */

#endif
