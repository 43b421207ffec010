/* src/mem/view.h - global memory as one node sees it during a window.
 * Writes go to the node's log and are seen by its own reads at once, by others
 * after mem_view_commit, which the owner of all nodes calls between windows in
 * a fixed order. So nodes may run in any order or at the same time.
 * A direct view (functional runs) writes to the image at once. */
#ifndef MEM_VIEW_H
#define MEM_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/image.h"

typedef struct mem_view mem_view;

mem_view *mem_view_new(mem_image *image, bool direct); /* borrows image */
void mem_view_free(mem_view *v);
mem_image *mem_view_image(const mem_view *v);
bool mem_view_direct(const mem_view *v); /* the image itself, no log */
/* Who writes past a direct view says so there; NULL: nobody cares. */
struct mem_touched *mem_view_touched(const mem_view *v);

/* Any size up to 128 bytes within one line (MEM_LINE). */
void mem_view_read(const mem_view *v, uint64_t addr, void *to, unsigned size);
void mem_view_write(mem_view *v, uint64_t addr, const void *from,
                    unsigned size);

/* True if reads may bypass the view: nothing of `line` is in the log. */
bool mem_view_clean(const mem_view *v, uint64_t line);
bool mem_view_empty(const mem_view *v);

/* Applies the log to the image, in a fixed order, and empties it. */
void mem_view_commit(mem_view *v);

#endif
