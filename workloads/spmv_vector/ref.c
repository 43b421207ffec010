/* workloads/spmv_vector/ref.c - sparse matrix times vector, one row per warp;
 * the matrix is that of spmv. */
#include "spmv/csr.h"

static void gen(wl *w, unsigned rows)
{
    csr_gen(w, rows);
    wl_launch(w, "spmv_vector", DIM1((rows + 3) / 4), DIM1(128),
              "start, column, value, x, y, %u", rows);
}

const workload wl_spmv_vector = {"spmv_vector",
                                 "CSR matrix times vector, a row per warp",
                                 32768, "rows", gen};
