/* The probability of k is that of k - 1, times mean / k. So they are computed
 * from the most frequent number on to both sides, until they no longer count,
 * and then divided by their sum. */
#include "curand/discrete.h"

#include <stdlib.h>

static const double negligible = 1e-25; /* beside the most frequent one */

static bool fill(double mean, rand_table *out)
{
    uint32_t mode = (uint32_t)mean;
    uint32_t low = mode, high = mode;
    double sum = 0, chance = 1;

    while (low > 0 && chance > negligible)
        chance *= low-- / mean;
    for (chance = 1; chance > negligible;)
        chance *= mean / ++high;
    out->first = low;
    out->count = high - low + 1;
    out->limits = malloc(out->count * sizeof *out->limits);
    out->chance = malloc(out->count * sizeof *out->chance);
    if (!out->limits || !out->chance)
        return false;
    out->chance[mode - low] = 1;
    for (uint32_t k = mode; k > low; k--)
        out->chance[k - 1 - low] = out->chance[k - low] * (k / mean);
    for (uint32_t k = mode; k < high; k++)
        out->chance[k + 1 - low] = out->chance[k - low] * (mean / (k + 1));
    for (uint32_t i = 0; i < out->count; i++)
        sum += out->chance[i];
    double upto = 0;
    for (uint32_t i = 0; i < out->count; i++) {
        upto += out->chance[i];
        out->chance[i] /= sum;
        out->limits[i] = (uint64_t)(upto / sum * 4294967296.0 + 0.5);
    }
    out->limits[out->count - 1] = (uint64_t)1 << 32;
    return true;
}

bool rand_table_poisson(double mean, rand_table *out)
{
    rand_table made = {0};

    if (!fill(mean, &made)) {
        rand_table_free(&made);
        return false;
    }
    *out = made;
    return true;
}

void rand_table_free(rand_table *t)
{
    free(t->limits);
    free(t->chance);
    *t = (rand_table){0};
}
