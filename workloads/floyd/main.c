/* workloads/floyd/main.c - all shortest paths by Floyd and Warshall. */
#include "rig.h"

RIG_SOURCE("floyd/kernel.cl");

static void gen(wl *w, unsigned n)
{
    uint32_t *d = wl_input_u32(w, "d", (size_t)n * n);
    uint32_t *best = wl_expect_u32(w, "d", (size_t)n * n);

    for (unsigned y = 0; y < n; y++)
        for (unsigned x = 0; x < n; x++)
            best[(size_t)y * n + x] = d[(size_t)y * n + x] =
                x == y ? 0 : 1 + wl_below(w, 1000);
    for (unsigned k = 0; k < n; k++)
        for (unsigned y = 0; y < n; y++)
            for (unsigned x = 0; x < n; x++) {
                uint32_t way =
                    best[(size_t)y * n + k] + best[(size_t)k * n + x];

                if (way < best[(size_t)y * n + x])
                    best[(size_t)y * n + x] = way;
            }
}

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel pass = rig_kernel(o, "pass");
    dev_memory d = rig_buffer(o, "d");

    for (unsigned k = 0; k < n; k++) {
        rig_args(o, pass, "muu", d, n, k);
        rig_run2(o, pass, RIG_2D(n, n), RIG_2D(32, 8));
    }
    rig_check(o, "d", d);
}

int main(int argc, char **argv)
{
    static const workload problem = {"floyd",
                                     "shortest paths, a launch for each vertex",
                                     0, "vertices", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {64, 128, 512},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
