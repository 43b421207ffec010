/* workloads/columns/main.c - sums of the first values of each row of a matrix;
 * an item goes along a row, so a warp goes down a column, at the pitch of the
 * rows: by default a power of two, so that its lines share a set of a cache. */
#include "rig.h"

RIG_SOURCE("columns/kernel.cl");

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

static void run(rig *o)
{
    dev_kernel sum = rig_kernel(o, "sum_rows");
    dev_memory in = rig_buffer(o, "in"), out = rig_buffer(o, "out");

    rig_args(o, sum, "mmuuu", in, out, o->size, wl_get(o->data, "pitch") / 4,
             wl_get(o->data, "width"));
    rig_run(o, sum, o->size, 64);
    rig_check(o, "out", out);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "columns", "sums of rows that are a pitch apart", 0, "rows", gen};
    static const wl_knob knobs[WL_KNOBS] = {
        {"pitch", "bytes from row to row", 4096, 4, 1 << 20, NULL},
        {"width", "values added in each row", 64, 1, 4096, NULL}};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {512, 2048, 32768},
        .run = run,
        .knobs = knobs,
    };

    return rig_main(&program, argc, argv);
}
