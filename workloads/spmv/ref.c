/* workloads/spmv/ref.c - sparse matrix times vector, one row per thread. */
#include "spmv/csr.h"

static void gen(wl *w, unsigned rows)
{
    csr_gen(w, rows);
    wl_launch(w, "spmv", DIM1((rows + 127) / 128), DIM1(128),
              "start, column, value, x, y, %u", rows);
}

const workload wl_spmv = {"spmv", "CSR matrix times vector, a row per thread",
                          32768, "rows", gen};
