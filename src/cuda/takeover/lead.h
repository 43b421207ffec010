/* src/cuda/takeover/lead.h - functions of a loaded file that lead to others.
 * Allocates nothing. */
#ifndef CUDA_TAKEOVER_LEAD_H
#define CUDA_TAKEOVER_LEAD_H

#include "base/elf.h"

/* Where the function of that name leads to; NULL: it stays as it is. */
typedef void *lead_find(void *arg, const char *name);

typedef struct lead_request {
    const elf_file *file;
    uintptr_t bias; /* addresses in memory less those in the file */
    const Elf64_Shdr *symbols;
    lead_find *find;
    void *arg;
} lead_request;

/* Overwrites the beginning of each function of the table that `find` knows with
 * a jump, while no other thread runs code of the file. What is too short for
 * one stays, and what is not in memory as it is in the file. Returns how many
 * lead elsewhere now. 0 and errno: the code could not be made writable, or,
 * ENOSYS, this is not the kind of processor for it. */
size_t lead_functions(const lead_request *r);

#endif
