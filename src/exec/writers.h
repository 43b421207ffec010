/* src/exec/writers.h - the last writer of an address, for messages about warps
 * that wait: of atomics that changed a value each word, of stores each line, as
 * far as there is room (a later write replaces an earlier one in the same
 * entry). "Nothing was written there" is always right. One for each SM, or for
 * a launch that is not timed; not thread-safe. Owns nothing. */
#ifndef EXEC_WRITERS_H
#define EXEC_WRITERS_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"
#include "mem/image.h"

enum { WRITERS_ATOMS = 64, WRITERS_LINES = 64, WRITERS_BITS = 8192 };

typedef struct exec_writer {
    uint64_t addr; /* global, or an offset in the shared memory of `cta` */
    uint64_t when; /* cycle; without timing: warp instructions */
    uint64_t cta;  /* linear index */
    uint32_t pc;   /* of the instruction that wrote */
    uint8_t launch;
    uint8_t warp; /* of the CTA */
    uint8_t lane; /* ISA_WARP: of a store, unknown */
    bool shared, taken;
} exec_writer;

typedef struct exec_writers {
    uint64_t written[WRITERS_BITS / 64]; /* lines, hashed */
    exec_writer atom[WRITERS_ATOMS];
    struct {
        exec_writer is; /* addr: of the line */
        uint64_t bytes[2];
    } line[WRITERS_LINES];
} exec_writers;

static inline unsigned exec_writers_bit(uint64_t addr)
{
    return (unsigned)(addr / MEM_LINE * 0x9e3779b97f4a7c15u >> 51);
}

/* `by` stored the bytes of `bytes` of the line that its addr is in. */
static inline void exec_writers_store(exec_writers *w, const exec_writer *by,
                                      const uint64_t bytes[2])
{
    unsigned bit = exec_writers_bit(by->addr), at = bit % WRITERS_LINES;

    w->written[bit / 64] |= (uint64_t)1 << bit % 64;
    w->line[at].is = *by;
    w->line[at].bytes[0] = bytes[0];
    w->line[at].bytes[1] = bytes[1];
}

/* An atomic has changed what the lanes of `changed` have the addresses of. */
void exec_writers_atom(exec_writers *w, const exec_writer *by, uint32_t changed,
                       const uint64_t addr[ISA_WARP]);

/* The atomic `m` of `w`, in whatever space, has been performed. */
void exec_writers_atomic(exec_writers *to, const exec_warp *w,
                         const exec_mem *m, uint64_t when);

void exec_writers_clear(exec_writers *w);

/* The last recorded write to one of `size` bytes at `addr`, or NULL; `cta`: the
 * owner of the shared memory, if `shared`. */
const exec_writer *exec_writers_find(const exec_writers *w, uint64_t addr,
                                     unsigned size, bool shared, uint64_t cta);

/* False: nothing has written to the line of global address `addr`. */
bool exec_writers_may(const exec_writers *w, uint64_t addr);

#endif
