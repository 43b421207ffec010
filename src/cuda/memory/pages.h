/* src/cuda/memory/pages.h - pages that lie at several addresses, also of
 * several processes: of a file in memory. */
#ifndef CUDA_MEMORY_PAGES_H
#define CUDA_MEMORY_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed; -1: no memory, or no file can be open any more. */
int pages_new_file(size_t bytes);
/* Its bytes; 0: pages_new_file of no process made it. */
size_t pages_file_bytes(int file);
/* False: no memory, and nothing has changed. */
bool pages_map_file(int file, uint64_t at, size_t bytes);
/* Simulated memory there is its own again, zeroed. */
void pages_restore(uint64_t at, size_t bytes);

#endif
