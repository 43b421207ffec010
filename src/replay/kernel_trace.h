/* src/replay/kernel_trace.h - one kernel of a trace as Accel-Sim's tracer
 * writes it (.traceg) [ACCELSIM:trace-parser]: read once, from its beginning to
 * its end, checked line by line, and kept as a spool of its CTAs. Owns all of
 * it. */
#ifndef REPLAY_KERNEL_TRACE_H
#define REPLAY_KERNEL_TRACE_H

#include "replay/input.h"
#include <signal.h>

#include "replay/inst_list.h"
#include "replay/spool.h"

enum {
    REPLAY_VERSION_LEAST = 3,
    REPLAY_VERSION_MOST = 6,
    REPLAY_WARPS = 64, /* of a CTA, at most */
};

/* Shared and local memory of a thread, from the base addresses on. */
#define REPLAY_WINDOW ((uint64_t)1 << 24)

typedef struct kernel_trace {
    char *name;
    uint32_t id;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes, registers;
    uint64_t stream;
    unsigned binary; /* 70: sm_70 */
    uint64_t shared_base, local_base;
    unsigned version;
    bool has_lines;   /* each line has a number of the source's first */
    char *code_name;  /* file of its code, beside it; NULL: Accel-Sim's */
    isa_program *own; /* that code; NULL: there is none */

    replay_code code;
    spool *ctas;
    uint64_t cta_count, warps;
    uint64_t warp_insts, thread_insts; /* lines, and lanes of them */
    uint64_t unended; /* warps whose last instruction is not EXIT */
    uint64_t local_low, local_high; /* bytes of local memory that are accessed:
                                       from the lowest to behind the highest */
} kernel_trace;

/* How to read. */
typedef struct kernel_trace_how {
    const char *folder;                /* of spool_new */
    const volatile sig_atomic_t *stop; /* not 0: ST_INTERRUPTED; NULL: go on */
} kernel_trace_how;

/* On ST_OK the caller frees *out; ST_INPUT: one error is in `dg`, which names
 * file and line, or the names that are not known. */
status kernel_trace_read(const char *path, const kernel_trace_how *how,
                         diag *dg, kernel_trace **out);
/* The same of an open input, which it closes. */
status kernel_trace_take(replay_input *in, const kernel_trace_how *how,
                         diag *dg, kernel_trace **out);
void kernel_trace_free(kernel_trace *k); /* NULL is fine */

#endif
