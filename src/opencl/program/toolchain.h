/* src/opencl/program/toolchain.h - the clang and the libclc that programs are
 * built with: those of HEDDLE_CLANG and HEDDLE_LIBCLC, or what is installed. A
 * toolchain owns its texts. */
#ifndef OPENCL_PROGRAM_TOOLCHAIN_H
#define OPENCL_PROGRAM_TOOLCHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

typedef struct toolchain {
    char *clang;       /* path */
    char *libclc;      /* path of the bitcode */
    unsigned version;  /* of the libclc, 0: unknown */
    uint64_t identity; /* hash of which files these are, and of the driver's
                          own: path, size, date */
} toolchain;

/* False: `why` is what is missing and how to get it. Searches the file system
 * only. */
bool toolchain_find(toolchain *t, strbuf *why);
void toolchain_fini(toolchain *t);

/* The number N of "LLVM N.x.y" in the head of bitcode, 0 if it is not there.
 * clang can read bitcode of its own version and mostly of older ones. */
unsigned toolchain_bitcode_version(const uint8_t *head, size_t size);

#endif
