/* Distributions that kernels of the program draw from with curand_discrete, as
 * a square histogram [MTW04:square-histogram]: of `length` bars of equal width
 * bar j is j's own up to V[j] and K[j]'s from there on. */
#include <stdlib.h>

#include "curand/generator.h"

/* All that a distribution consists of, in memory that host and device share. */
typedef struct histogram {
    struct curandDiscreteDistribution_st distribution;
    curandDistributionM2Shift_st shifted;
    curandHistogramM2_st bars;
} histogram;

/* Numbers that have less than a bar's width are filled up with those that have
 * more. `left` and `order` are room for a table. */
static void square(const rand_table *t, double *left, uint32_t *order,
                   double *V, uint32_t *K)
{
    uint32_t n = t->count, small = 0, large = n;

    for (uint32_t j = 0; j < n; j++) {
        left[j] = t->chance[j] * n;
        if (left[j] < 1)
            order[small++] = j;
        else
            order[--large] = j;
    }
    for (uint32_t j = 0; j < n; j++) {
        V[j] = (j + 1.0) / n;
        K[j] = j;
    }
    while (small && large < n) {
        uint32_t j = order[--small], from = order[large];
        V[j] = (j + left[j]) / n;
        K[j] = from;
        left[from] -= 1 - left[j];
        if (left[from] < 1) {
            large++;
            order[small++] = from;
        }
    }
    V[n] = 0; /* where exactly 1 was drawn */
    K[n] = n - 1;
}

static cudaError_t make(double mean, const rand_table *t, histogram **out)
{
    size_t entries = (size_t)t->count + 1;
    size_t size =
        sizeof(histogram) + entries * (sizeof(double) + sizeof(uint32_t));
    double *left = malloc(entries * sizeof *left);
    uint32_t *order = malloc(entries * sizeof *order);
    void *at = NULL;
    cudaError_t code = cudaErrorMemoryAllocation;

    if (left && order)
        code = cudaMallocManaged(&at, size, cudaMemAttachGlobal);
    if (code == cudaSuccess) {
        histogram *h = at;
        double *V = (double *)(h + 1);
        uint32_t *K = (uint32_t *)(V + entries);
        square(t, left, order, V, K);
        h->bars = (curandHistogramM2_st){V, V, K, K, 1};
        h->shifted = (curandDistributionM2Shift_st){&h->bars, &h->bars,
                                                    t->first, t->count, 1};
        h->distribution = (struct curandDiscreteDistribution_st){
            &h->distribution, &h->shifted, &h->shifted, 0, mean, CURAND_M2, 1};
        *out = h;
    }
    free(left);
    free(order);
    return code;
}

EXPORT curandStatus_t
curandCreatePoissonDistribution(double mean, curandDiscreteDistribution_t *out)
{
    rand_table table;
    histogram *h = NULL;
    cudaError_t code = cudaErrorMemoryAllocation;

    RAND_NEED(out, CURAND_STATUS_NOT_INITIALIZED,
              "no place for the distribution");
    RAND_NEED(mean > 0 && mean <= RAND_POISSON_MAX, CURAND_STATUS_OUT_OF_RANGE,
              "a mean of %g: above 0 and up to %d are there", mean,
              RAND_POISSON_MAX);
    if (rand_table_poisson(mean, &table)) {
        code = make(mean, &table, &h);
        rand_table_free(&table);
    }
    if (code == cudaSuccess)
        *out = &h->distribution;
    return rand_status(__func__, code);
}

EXPORT curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t d)
{
    RAND_NEED(d, CURAND_STATUS_NOT_INITIALIZED, "there is no distribution");
    return rand_status(__func__, cudaFree(d));
}
