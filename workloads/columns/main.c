/* workloads/columns/main.c - sums of the first values of each row of a matrix;
 * an item goes along a row, so a warp goes down a column, at the pitch of the
 * rows: by default a power of two, so that its lines share a set of a cache. */
#include "opencl.h"

OCL_SOURCE("columns/kernel.cl");

static void gen(wl *w, unsigned rows)
{
    unsigned pitch = wl_get(w, "pitch") / 4, width = wl_get(w, "width");

    wl_require(w, width <= pitch, "a row is as long as its pitch at most");
    float *in = wl_input_f32(w, "in", (size_t)rows * pitch);
    float *out = wl_expect_f32(w, "out", rows, 1e-5);

    for (unsigned r = 0; r < rows; r++) {
        double sum = 0;

        for (unsigned c = 0; c < width; c++)
            sum += in[(size_t)r * pitch + c] = wl_uniform(w, 0, 1);
        out[r] = (float)sum;
    }
}

static void run(ocl *o)
{
    cl_kernel sum = ocl_kernel(o, "sum_rows");
    cl_mem in = ocl_buffer(o, "in"), out = ocl_buffer(o, "out");

    ocl_args(o, sum, "mmuuu", in, out, o->size, wl_get(o->data, "pitch") / 4,
             wl_get(o->data, "width"));
    ocl_run(o, sum, o->size, 64);
    ocl_check(o, "out", out);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "columns", "sums of rows that are a pitch apart", 0, "rows", gen};
    static const wl_knob knobs[WL_KNOBS] = {
        {"pitch", "bytes from row to row", 4096, 4, 1 << 20, NULL},
        {"width", "values added in each row", 64, 1, 4096, NULL}};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {512, 2048, 32768},
        .run = run,
        .knobs = knobs,
    };

    return ocl_main(&program, argc, argv);
}
