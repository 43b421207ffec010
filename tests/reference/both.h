/* tests/reference/both.h - runs one kernel by the reference and by Heddle, as
 * compiled in any way, and compares what they leave in memory. The kernel's
 * parameters are the addresses of its buffers. */
#ifndef REFERENCE_BOTH_H
#define REFERENCE_BOTH_H

#include "base/diag.h"
#include "codegen/codegen.h"
#include "ptx/ptx.h"

enum { BOTH_BUFFERS = 6 };

typedef struct both_launch {
    const char *kernel; /* NULL: the first */
    uint32_t grid[3], cta[3], dynamic;
    unsigned nbuffers;
    uint64_t size[BOTH_BUFFERS];
    const void *init[BOTH_BUFFERS]; /* NULL: zeros */
    uint64_t max_steps;             /* of the reference; 0: many */
    bool strict;                    /* see ref_launch */
} both_launch;

typedef struct both_module {
    arena *mem;
    diag *dg;
    ptx_module *m;
    const char *file, *text; /* borrowed */
} both_module;

/* Buffers after a run, and what went wrong ("" if nothing). */
typedef struct both_result {
    uint8_t *bytes[BOTH_BUFFERS];
    uint64_t work; /* instructions of threads, or of warps */
    char error[512];
} both_result;

/* False: b->dg says why. The caller closes it in any case. */
bool both_open(both_module *b, const char *file, const char *text);
void both_close(both_module *b);

bool both_by_reference(both_module *b, const both_launch *l, both_result *out);
bool both_by_heddle(both_module *b, const both_launch *l, const cg_options *o,
                    both_result *out);
/* By the timing model of a GPU, with so many host threads. */
bool both_by_timing(both_module *b, const both_launch *l, const char *preset,
                    unsigned threads, both_result *out);
void both_result_free(both_result *r);

/* The first byte that differs: its buffer and offset. False: none does. */
bool both_differ(const both_launch *l, const both_result *a,
                 const both_result *b, unsigned *buffer, uint64_t *at);

#endif
