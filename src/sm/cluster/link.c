#include "sm/cluster/link.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"

enum { FIRST_ROOM = 64 };

void sm_link_init(sm_link *l)
{
    *l = (sm_link){.room = FIRST_ROOM};
    l->ring = new_array(l->room, sizeof *l->ring);
}

void sm_link_fini(sm_link *l)
{
    free(l->ring);
    l->ring = NULL;
}

void sm_link_clear(sm_link *l) { l->head = l->count = 0; }

static void grow(sm_link *l)
{
    sm_word *ring = new_array(2 * l->room, sizeof *ring);

    for (uint32_t i = 0; i < l->count; i++)
        ring[i] = l->ring[(l->head + i) % l->room];
    free(l->ring);
    l->ring = ring;
    l->head = 0;
    l->room *= 2;
}

void sm_link_send(sm_link *l, const sm_word *w)
{
    MUST_CHECK(w->when > w->sent);
    if (l->count == l->room)
        grow(l);
    l->ring[(l->head + l->count++) % l->room] = *w;
    if (l->wake && w->when < *l->wake)
        *l->wake = w->when;
}
