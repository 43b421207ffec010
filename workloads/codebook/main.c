/* workloads/codebook/main.c - rows of a matrix whose values are quantised are
 * decoded and added: half of the requests walk down columns at the pitch of the
 * rows and find nothing in a cache, the others are for two books of 4 KB. */
#include "rig.h"

RIG_SOURCE("codebook/kernel.cl");

enum { CODES = 1024 };

static void gen(wl *w, unsigned rows)
{
    unsigned pitch = wl_get(w, "pitch") / 4, width = wl_get(w, "width");

    wl_require(w, width <= pitch, "a row is as long as its pitch at most");
    uint32_t *code = wl_input_u32(w, "code", (size_t)rows * pitch);
    float *book = wl_input_f32(w, "book", (size_t)2 * CODES);
    float *out = wl_expect_f32(w, "out", rows, 1e-4);

    for (unsigned i = 0; i < 2 * CODES; i++)
        book[i] = wl_uniform(w, 0, 1);
    for (size_t r = 0; r < rows; r++) {
        double sum = 0;

        for (unsigned c = 0; c < width; c++) {
            unsigned a = wl_below(w, CODES), b = wl_below(w, CODES);

            code[r * pitch + c] = b << 10 | a;
            sum += (double)book[a] * (double)book[CODES + b];
        }
        out[r] = (float)sum;
    }
}

static void run(rig *o)
{
    dev_kernel decode = rig_kernel(o, "decode");
    dev_memory code = rig_buffer(o, "code"), book = rig_buffer(o, "book");
    dev_memory out = rig_buffer(o, "out");

    rig_args(o, decode, "mmmuuu", code, book, out, o->size,
             wl_get(o->data, "pitch") / 4, wl_get(o->data, "width"));
    rig_run(o, decode, o->size, 256);
    rig_check(o, "out", out);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "codebook", "rows of codes that stand for values of two books", 0,
        "rows", gen};
    static const wl_knob knobs[WL_KNOBS] = {
        {"pitch", "bytes from row to row", 4096, 4, 1 << 20, NULL},
        {"width", "codes in each row", 16, 1, 4096, NULL}};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {3840, 7680, 92160},
        .run = run,
        .knobs = knobs,
    };

    return rig_main(&program, argc, argv);
}
