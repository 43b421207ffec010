/* src/mem/undo.h - the contents of simulated memory before it was written:
 * while it is attached to an image, all that views publish there (mem/view.h)
 * can be undone, byte by byte; other bytes, which the host may write meanwhile,
 * are left alone. Owns the old bytes. */
#ifndef MEM_UNDO_H
#define MEM_UNDO_H

#include "mem/image.h"

typedef struct mem_undo mem_undo;

mem_undo *mem_undo_new(void);
void mem_undo_free(mem_undo *u); /* NULL is fine */

/* The bytes of `mask` (a bit each) of the line at simulated address `line` are
 * about to be written; at `host` they still are what they were. */
void mem_undo_note(mem_undo *u, uint64_t line,
                   const uint64_t mask[MEM_LINE / 64], const uint8_t *host);
/* Restores the old bytes, and empties the log. */
void mem_undo_apply(mem_undo *u, mem_image *m);

#endif
