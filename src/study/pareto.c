/* src/study/pareto.c - see front.h. */
#include "study/pareto.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"

typedef struct player {
    const double *x;
    size_t goals, index;
} player;

double pareto_round(double x)
{
    char text[32];

    if (!isfinite(x))
        return x;
    snprintf(text, sizeof text, "%.8e", x);
    return strtod(text, NULL);
}

/* The better first: by the first goal, then the second, ... */
static int by_goals(const void *a, const void *b)
{
    const player *p = a, *q = b;

    for (size_t i = 0; i < p->goals; i++)
        if (p->x[i] != q->x[i])
            return p->x[i] < q->x[i] ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

static bool dominates(const player *p, const player *q)
{
    bool better = false;

    for (size_t i = 0; i < p->goals; i++) {
        if (p->x[i] > q->x[i])
            return false;
        better = better || p->x[i] < q->x[i];
    }
    return better;
}

/* Players are sorted, so none beats an earlier one, and a beaten one is beaten
 * by one of the front. Of two goals the last of the front has the least second
 * one. */
static size_t sift(player *all, size_t count, size_t goals, player *front)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        size_t end = goals <= 2 && n ? n - 1 : 0, k = n;

        while (k > end && !dominates(&front[k - 1], &all[i]))
            k--;
        if (k == end)
            front[n++] = all[i];
    }
    return n;
}

size_t pareto_front(const double *x, size_t goals, size_t count, bool *on)
{
    player *all = new0(2 * count + 1, sizeof *all), *front = all + count;
    size_t known = 0, n;

    MUST(all != NULL && goals > 0 && goals <= PARETO_GOALS);
    for (size_t i = 0; i < count; i++) {
        bool good = true;

        on[i] = false;
        for (size_t k = 0; k < goals; k++)
            good = good && !isnan(x[i * goals + k]);
        if (good)
            all[known++] = (player){&x[i * goals], goals, i};
    }
    qsort(all, known, sizeof *all, by_goals);
    n = sift(all, known, goals, front);
    for (size_t i = 0; i < n; i++)
        on[front[i].index] = true;
    free(all);
    return n;
}
