#include "gpu/makespan.h"

#include "base/must.h"

uint64_t makespan(const uint64_t *cost, unsigned n, unsigned threads)
{
    uint64_t free_at[MAKESPAN_THREADS] = {0}, last = 0;

    MUST(threads && threads <= MAKESPAN_THREADS);
    for (unsigned i = 0; i < n; i++) {
        unsigned first = 0;

        for (unsigned t = 1; t < threads; t++)
            if (free_at[t] < free_at[first])
                first = t;
        free_at[first] += cost[i];
        last = free_at[first] > last ? free_at[first] : last;
    }
    return last;
}

void makespan_longest_first(const uint64_t *key, unsigned n, unsigned *order)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned k = i;

        for (; k > 0 && key[order[k - 1]] < key[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}
