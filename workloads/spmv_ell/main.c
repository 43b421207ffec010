/* workloads/spmv_ell/main.c - sparse matrix times vector, ELLPACK: rows of 8
 * to 16 values, half of them within 256 columns of the diagonal. */
#include "rig.h"

RIG_SOURCE("spmv_ell/kernel.cl");

enum { WIDTH = 16, BAND = 256 };

static unsigned column_of(wl *w, unsigned row, unsigned rows)
{
    if (wl_below(w, 2))
        return wl_below(w, rows);
    return (row + rows + wl_below(w, 2 * BAND) - BAND) % rows;
}

static void gen(wl *w, unsigned rows)
{
    uint32_t *column = wl_input_u32(w, "column", (size_t)rows * WIDTH);
    float *value = wl_input_f32(w, "value", (size_t)rows * WIDTH);
    float *x = wl_input_f32(w, "x", rows);
    float *y = wl_expect_f32(w, "y", rows, 1e-4);

    wl_require(w, rows >= BAND, "at least 256");
    for (unsigned r = 0; r < rows; r++)
        x[r] = wl_uniform(w, -1, 1);
    for (unsigned r = 0; r < rows; r++) {
        unsigned used = WIDTH / 2 + wl_below(w, WIDTH / 2 + 1);
        double sum = 0;

        for (size_t k = 0; k < WIDTH; k++) {
            bool zero = k >= used;
            unsigned c = zero ? r : column_of(w, r, rows);
            float v = zero ? 0 : wl_uniform(w, -1, 1);

            column[k * rows + r] = c;
            value[k * rows + r] = v;
            sum += (double)v * (double)x[c];
        }
        y[r] = (float)sum;
    }
}

static void run(rig *o)
{
    unsigned rows = o->size;
    dev_kernel spmv = rig_kernel(o, "spmv_ell");
    dev_memory column = rig_buffer(o, "column"), value = rig_buffer(o, "value");
    dev_memory x = rig_buffer(o, "x"), y = rig_buffer(o, "y");

    rig_args(o, spmv, "mmmmuu", column, value, x, y, rows, (unsigned)WIDTH);
    rig_run(o, spmv, rows, 256);
    rig_check(o, "y", y);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "spmv_ell", "ELLPACK matrix times vector, a row per item", 0, "rows",
        gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {11520, 23040, 368640},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
