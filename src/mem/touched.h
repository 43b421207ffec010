/* src/mem/touched.h - which lines of simulated memory have been written, by
 * those who say so: while it is attached to an image, direct views do
 * (mem/view.h). Owns a few words for each piece of memory in which there are
 * some. Not thread-safe. */
#ifndef MEM_TOUCHED_H
#define MEM_TOUCHED_H

#include <stdint.h>

#include "mem/image.h"

enum { MEM_PIECE = 512 * MEM_LINE }; /* bytes that are looked up together */

typedef struct mem_touched mem_touched;

mem_touched *mem_touched_new(void);
void mem_touched_free(mem_touched *t); /* NULL is fine */

/* All lines with a byte in [addr, addr + bytes) have been written. */
void mem_touch(mem_touched *t, uint64_t addr, uint64_t bytes);

/* A run of lines, or, of mem_touched_recent, a piece with some. */
typedef void mem_touched_run(void *arg, uint64_t addr, uint64_t bytes);

/* Calls `run`, if it is not NULL, for all written lines with a byte in
 * [addr, addr + bytes), neighbours within a piece together, in an order that
 * depends on what was written when, and forgets them. */
void mem_touched_take(mem_touched *t, uint64_t addr, uint64_t bytes,
                      mem_touched_run *run, void *arg);

/* Calls `piece` for each piece with lines written since the last such call;
 * it may take lines. */
void mem_touched_recent(mem_touched *t, mem_touched_run *piece, void *arg);

#endif
