/* workloads/fft/main.c - a Fourier transform, pass by pass. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("fft/kernel.cl");

static void run(rig *o)
{
    unsigned n = o->size, passes = 0;
    dev_kernel pass = rig_kernel(o, "fft_pass");
    dev_memory a = rig_buffer(o, "a"), b = rig_buffer(o, "b");

    for (unsigned run = 1; run < n; run *= 2, passes++) {
        rig_args(o, pass, "mmuu", passes % 2 ? b : a, passes % 2 ? a : b, n,
                 run);
        rig_run(o, pass, n / 2, 128);
    }
    if (passes % 2)
        rig_check(o, "b", b);
    else
        rig_check(o, "a", a);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_fft,
        .sizes = {512, 4096, 16384},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
