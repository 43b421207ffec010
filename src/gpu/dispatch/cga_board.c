/* src/gpu/dispatch/cga_board.c - see cga_board.h. */
#include "gpu/dispatch/cga_board.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"

void cga_board_fini(cga_board *b)
{
    for (cga_entry *e = b->all, *next; e; e = next) {
        next = e->all;
        free(e);
    }
}

void cga_board_clear(cga_board *b)
{
    b->free = NULL;
    for (cga_entry *e = b->all; e; e = e->all) {
        e->next = b->free;
        b->free = e;
    }
    b->serial = 0;
}

exec_cga *cga_board_begin(cga_board *b, unsigned size)
{
    cga_entry *e = b->free;

    if (e) {
        b->free = e->next;
    } else {
        e = new0(1, sizeof *e);
        e->all = b->all;
        b->all = e;
    }
    memset(&e->is, 0, sizeof e->is);
    e->is.size = size;
    e->is.serial = ++b->serial;
    e->arrived = e->left = 0;
    e->last = 0;
    return &e->is;
}

bool cga_board_take(cga_board *b, const sm_cga_word *w, uint64_t *last,
                    uint32_t *who)
{
    cga_entry *e = (cga_entry *)w->cga;
    uint32_t all = (1u << e->is.size) - 1, bit = 1u << w->rank;

    MUST(w->rank < e->is.size && !(e->left & bit));
    e->last = w->cycle > e->last ? w->cycle : e->last;
    if (w->left) {
        e->left |= bit;
        e->arrived &= ~bit;
    } else {
        MUST(!(e->arrived & bit));
        e->arrived |= bit;
    }
    if (e->left == all) {
        e->next = b->free;
        b->free = e;
        return false;
    }
    if ((e->arrived | e->left) != all)
        return false;
    *who = e->arrived;
    *last = e->last;
    e->arrived = 0;
    return true;
}
