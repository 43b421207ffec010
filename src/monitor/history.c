/* src/monitor/history.c - a chart of a run of any length has as many points as
 * there is room for. */
#include "monitor/impl.h"

/* The point of the cycles of both. */
static monitor_point joined(const monitor_point *a, const monitor_point *b)
{
    monitor_point p = {.to = b->to, .cycles = a->cycles + b->cycles};
    double x = p.cycles ? (double)a->cycles / (double)p.cycles : 0;

    p.issued = x * a->issued + (1 - x) * b->issued;
    for (unsigned i = 0; i < LEVELS; i++)
        p.level[i] = x * a->level[i] + (1 - x) * b->level[i];
    return p;
}

static void halve(monitor_history *h)
{
    for (unsigned i = 0; i < h->count / 2; i++)
        h->is[i] = joined(&h->is[2 * i], &h->is[2 * i + 1]);
    h->count /= 2;
    h->every *= 2;
}

void monitor_history_add(monitor_history *h, const monitor_point *p)
{
    if (!h->every)
        h->every = 1;
    h->open = h->held ? joined(&h->open, p) : *p;
    if (++h->held < h->every)
        return;
    if (h->count == MONITOR_POINTS)
        halve(h);
    h->is[h->count++] = h->open;
    h->open = (monitor_point){.cycles = 0};
    h->held = 0;
}

const monitor_point *monitor_history_at(const monitor_history *h, unsigned i)
{
    return i < h->count ? &h->is[i] : &h->open;
}
