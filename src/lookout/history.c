/* src/lookout/history.c - a chart of a run of any length has as many points as
 * there is room for. */
#include "lookout/lookout_impl.h"

/* The point of the cycles of both. */
static lookout_point joined(const lookout_point *a, const lookout_point *b)
{
    lookout_point p = {.to = b->to, .cycles = a->cycles + b->cycles};
    double x = p.cycles ? (double)a->cycles / (double)p.cycles : 0;

    p.issued = x * a->issued + (1 - x) * b->issued;
    for (unsigned i = 0; i < LEVELS; i++)
        p.level[i] = x * a->level[i] + (1 - x) * b->level[i];
    return p;
}

static void halve(lookout_history *h)
{
    for (unsigned i = 0; i < h->count / 2; i++)
        h->is[i] = joined(&h->is[2 * i], &h->is[2 * i + 1]);
    h->count /= 2;
    h->every *= 2;
}

void lookout_history_add(lookout_history *h, const lookout_point *p)
{
    if (!h->every)
        h->every = 1;
    h->open = h->held ? joined(&h->open, p) : *p;
    if (++h->held < h->every)
        return;
    if (h->count == LOOKOUT_POINTS)
        halve(h);
    h->is[h->count++] = h->open;
    h->open = (lookout_point){.cycles = 0};
    h->held = 0;
}

const lookout_point *lookout_history_at(const lookout_history *h, unsigned i)
{
    return i < h->count ? &h->is[i] : &h->open;
}
