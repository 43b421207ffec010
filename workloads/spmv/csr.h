/* workloads/spmv/csr.h - the matrix that spmv and spmv_vector multiply; what
 * it looks like is in README.md. The same size and seed give both the same. */
#ifndef CSR_H
#define CSR_H

#include "tool/workload.h"

/* Makes the inputs start, column, value and x, and the expected y = A x,
 * summed in double precision. */
void csr_gen(wl *w, unsigned rows);

#endif
