/* workloads/burst/main.c - each item loads 16 vectors that do not depend on
 * each other and uses the last one first; groups of one warp. */
#include "rig.h"

RIG_SOURCE("burst/kernel.cl");

enum { LOADS = 16 };

static void gen(wl *w, unsigned n)
{
    float *in = wl_input_f32(w, "in", (size_t)n * LOADS * 4);
    float *out = wl_expect_f32(w, "out", (size_t)n * 4, 1e-5);

    for (size_t i = 0; i < (size_t)n * LOADS * 4; i++)
        in[i] = wl_uniform(w, -1, 1);
    for (size_t i = 0; i < (size_t)n * 4; i++) {
        double sum = 0;

        for (unsigned k = LOADS; k-- > 0;)
            sum = 0.5 * sum + (double)in[(size_t)k * n * 4 + i];
        out[i] = (float)sum;
    }
}

static void run(rig *o)
{
    dev_kernel burst = rig_kernel(o, "burst");
    dev_memory in = rig_buffer(o, "in"), out = rig_buffer(o, "out");

    rig_args(o, burst, "mmu", in, out, o->size);
    rig_run(o, burst, o->size, 32);
    rig_check(o, "out", out);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "burst", "sixteen wide loads in flight at once", 0, "items", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {2048, 16384, 262144},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
