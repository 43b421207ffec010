/* workloads/sgemm_gk110/ref.c - C = alpha A B + beta C in double precision. */
#include "tool/workload.h"

enum { TILE = 192, DEPTH = 8 };

/* Row `y` of the product of an A of rows of `depth` and B, into `sum`. */
static void multiply(double *sum, const float *a, const float *b,
                     unsigned columns, unsigned depth)
{
    for (unsigned x = 0; x < columns; x++)
        sum[x] = 0;
    for (unsigned k = 0; k < depth; k++)
        for (unsigned x = 0; x < columns; x++)
            sum[x] += (double)a[k] * b[(size_t)k * columns + x];
}

static void fill(wl *w, float *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        at[i] = wl_uniform(w, -1, 1);
}

static void gen(wl *w, unsigned rows)
{
    unsigned columns = wl_get(w, "columns"), depth = wl_get(w, "depth");
    unsigned alpha = wl_get(w, "alpha"), beta = wl_get(w, "beta");

    columns = columns ? columns : rows;
    depth = depth ? depth : rows;
    wl_require(w, rows % TILE == 0, "must be a multiple of 192");
    wl_require(w, columns % TILE == 0, "columns must be a multiple of 192");
    wl_require(w, depth % DEPTH == 0, "depth must be a multiple of 8");
    size_t items = (size_t)rows * columns;
    float *a = wl_input_f32(w, "a", (size_t)rows * depth);
    float *b = wl_input_f32(w, "b", (size_t)depth * columns);
    float *c = wl_input_f32(w, "c", items);
    float *r = wl_expect_f32(w, "c", items, 1e-4);
    double *sum = wl_scratch(w, columns * sizeof *sum);

    fill(w, a, (size_t)rows * depth);
    fill(w, b, (size_t)depth * columns);
    fill(w, c, items);
    for (unsigned y = 0; y < rows; y++) {
        multiply(sum, a + (size_t)y * depth, b, columns, depth);
        for (unsigned x = 0; x < columns; x++) {
            size_t i = (size_t)y * columns + x;
            r[i] = (float)(alpha * sum[x] + beta * (double)c[i]);
        }
    }
    wl_launch(w, "sgemm", DIM2(columns / TILE, rows / TILE), DIM1(256),
              "a, b, c, %u, %u, %u, %u, %u, %u", depth, columns, columns, depth,
              alpha, beta);
}

const workload wl_sgemm_gk110 = {
    "sgemm_gk110", "matrix product by hand for a GK110", 1536, "rows", gen};

const wl_knob wl_sgemm_gk110_knobs[WL_KNOBS] = {
    {"columns", "of B and C; 0: as many as rows", 0, 0, 1 << 14, NULL},
    {"depth", "rows of B; 0: as many as A has", 0, 0, 1 << 14, NULL},
    {"alpha", "factor of A B", 1, 0, 1000, NULL},
    {"beta", "factor of C", 0, 0, 1000, NULL}};
