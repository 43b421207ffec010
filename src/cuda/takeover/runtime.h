/* src/cuda/takeover/runtime.h - what a file of a program has to do with the
 * vendor's CUDA runtime. Allocates nothing: it is also asked for programs that
 * have nothing to do with it, at their start. */
#ifndef CUDA_TAKEOVER_RUNTIME_H
#define CUDA_TAKEOVER_RUNTIME_H

#include "base/elf.h"

typedef enum runtime_kind {
    RUNTIME_NONE,
    RUNTIME_SHARED,   /* it is loaded with a runtime, or is Heddle's own */
    RUNTIME_INSIDE,   /* it has one in itself, with its symbols */
    RUNTIME_STRIPPED, /* it has one, but no symbols */
} runtime_kind;

typedef struct runtime_found {
    runtime_kind kind;
    /* 10, 11, 12 or 13 of CUDA: what programs were compiled for; 0: nobody
     * knows. */
    unsigned generation;
    const Elf64_Shdr *symbols; /* of RUNTIME_INSIDE: the table they are in */
} runtime_found;

runtime_found runtime_look(const elf_file *f);

#endif
