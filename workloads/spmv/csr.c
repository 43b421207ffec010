/* workloads/spmv/csr.c - see csr.h. */
#include "spmv/csr.h"

/* Within 32 columns of the diagonal; at the corners those beyond the edge fall
 * on the first or last column. */
static unsigned near(wl *w, unsigned row, unsigned rows)
{
    unsigned c = row + wl_below(w, 65);

    return c < 32 ? 0 : c - 32 < rows ? c - 32 : rows - 1;
}

void csr_gen(wl *w, unsigned rows)
{
    uint32_t *start = wl_input_u32(w, "start", (size_t)rows + 1);

    for (unsigned r = 0; r < rows; r++)
        start[r + 1] = start[r] + 1 + wl_below(w, 31);
    uint32_t *column = wl_input_u32(w, "column", start[rows]);
    float *value = wl_input_f32(w, "value", start[rows]);
    float *x = wl_input_f32(w, "x", rows);
    float *y = wl_expect_f32(w, "y", rows, 1e-4);

    for (unsigned r = 0; r < rows; r++)
        x[r] = wl_uniform(w, -1, 1);
    for (unsigned r = 0; r < rows; r++) {
        double sum = 0;

        for (unsigned i = start[r]; i < start[r + 1]; i++) {
            column[i] = i % 2 ? near(w, r, rows) : wl_below(w, rows);
            value[i] = wl_uniform(w, -1, 1);
            sum += (double)value[i] * x[column[i]];
        }
        y[r] = (float)sum;
    }
}
