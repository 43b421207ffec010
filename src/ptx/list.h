/* src/ptx/list.h - growing arrays in an arena, for what is counted only when
 * it has been read. */
#ifndef PTX_LIST_H
#define PTX_LIST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

typedef struct list {
    void *data;
    size_t size; /* of one element */
    uint32_t count;
    uint32_t room;
} list;

/* A new zeroed element at the end. */
static inline void *list_push(list *l, arena *a, size_t size)
{
    if (l->count == l->room) {
        uint32_t room = l->room ? l->room * 2 : 16;
        void *data = arena_alloc(a, size * room);
        if (l->count)
            memcpy(data, l->data, size * l->count);
        l->data = data;
        l->room = room;
        l->size = size;
    }
    void *e = (char *)l->data + size * l->count++;
    memset(e, 0, size);
    return e;
}

#define LIST_PUSH(l, a, type) ((type *)list_push((l), (a), sizeof(type)))
#define LIST_AT(l, type, i)   ((type *)(l)->data + (i))

/* A copy of just its elements; the list is empty again and keeps its room. */
static inline void *list_take(list *l, arena *a, uint32_t *count)
{
    void *copy = NULL;

    *count = l->count;
    if (l->count) {
        copy = arena_alloc(a, l->size * l->count);
        memcpy(copy, l->data, l->size * l->count);
    }
    l->count = 0;
    return copy;
}

#endif
