/* workloads/copy/main.c - vectors of four copied, as fast as memory goes. */
#include "rig.h"

RIG_SOURCE("copy/kernel.cl");

static void gen(wl *w, unsigned n)
{
    float *in = wl_input_f32(w, "in", (size_t)n * 4);
    float *out = wl_expect_f32(w, "out", (size_t)n * 4, 0);

    for (size_t i = 0; i < (size_t)n * 4; i++)
        out[i] = in[i] = wl_uniform(w, -1, 1);
}

static void run(rig *o)
{
    dev_kernel copy = rig_kernel(o, "copy");
    dev_memory in = rig_buffer(o, "in"), out = rig_buffer(o, "out");

    rig_args(o, copy, "mmu", in, out, o->size);
    rig_run(o, copy, o->size / 4, 256);
    rig_check(o, "out", out);
}

int main(int argc, char **argv)
{
    static const workload problem = {"copy", "a streaming copy", 0, "vectors",
                                     gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {65536, 1048576, 8388608},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
