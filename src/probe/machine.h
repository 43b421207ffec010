/* src/probe/machine.h - what a probe can do with the machine under test, which
 * is what a program can do with a device: launch kernels, see whether a launch
 * is refused, read and write memory. All results come from the clocks that its
 * kernels read; nothing in this folder sees a configuration. */
#ifndef PROBE_MACHINE_H
#define PROBE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* What kernels of probes have to tell apart; later than Volta is the same. */
typedef enum probe_family {
    PROBE_FERMI,
    PROBE_KEPLER,
    PROBE_VOLTA
} probe_family;

enum { PROBE_ARGS = 4 };

typedef struct probe_launch {
    const char *name; /* of the template, for messages */
    const char *text; /* assembly: one kernel, whose parameters are two
                         pointers, `out` and `data`, and PROBE_ARGS numbers */
    uint32_t ctas, threads, shared_bytes;
    uint64_t data; /* device address */
    uint32_t args[PROBE_ARGS];
    uint32_t *out; /* what the kernel stored */
    size_t out_words;
} probe_launch;

typedef struct probe_machine {
    void *self;
    probe_family family;
    const char *arch; /* what its assembly calls the family: "volta" */
    /* ST_OK; ST_USAGE: the launch needs more than the device allows; else it
     * failed, and the machine has reported why. */
    status (*run)(void *self, const probe_launch *l);
    /* Memory of the device for `data`, at a multiple of 1 MB; valid until the
     * next call. 0: there is not so much. */
    uint64_t (*memory)(void *self, size_t bytes);
    bool (*write)(void *self, uint64_t at, const void *from, size_t bytes);
} probe_machine;

#endif
