/* src/exec/format.h - what printf of CUDA and OpenCL make of a format and its
 * arguments in simulated memory. Owns nothing. */
#ifndef EXEC_FORMAT_H
#define EXEC_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

/* Memory of the thread that prints. False: `n` bytes cannot be read there. */
typedef struct format_memory {
    bool (*read)(void *arg, uint64_t addr, void *to, unsigned n);
    void *arg;
    uint64_t bad; /* where a read failed */
} format_memory;

/* The arguments as vprintf has them: 4 or 8 bytes each, aligned to that, and of
 * a vector (which src/opencl/prelude passes) one by one; or tagged, as
 * OpenCL's printf gets them: the size in 8 bytes before each, which is padded
 * to a multiple of 8. */
typedef struct format_args {
    uint64_t at;
    bool tagged;
    uint64_t last;  /* tagged: behind the last one */
    unsigned count; /* taken so far */
} format_args;

/* Appends the text. False: m->bad cannot be read. */
bool format_text(format_memory *m, uint64_t format, format_args *args,
                 strbuf *out);

/* Appends the zero-ended string at `addr`. */
bool format_string(format_memory *m, uint64_t addr, strbuf *out);

#endif
