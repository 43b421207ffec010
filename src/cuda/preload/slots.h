/* src/cuda/preload/slots.h - functions that stand for those of
 * libheddle-cuda.so, which is loaded when the first of them is called.
 * Allocates nothing; one per process. */
#ifndef CUDA_PRELOAD_SLOTS_H
#define CUDA_PRELOAD_SLOTS_H

#include <stdbool.h>

#include "base/elf.h"

/* Finds out what the library exports, by its file. False: nothing; it cannot
 * be read. `path` is copied. */
bool slots_open(const char *path);

/* The function that stands for `name`; NULL: the library has none. */
void *slots_find(void *unused, const char *name);

#endif
