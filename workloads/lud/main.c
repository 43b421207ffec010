/* workloads/lud/main.c - a = L U in place, by blocks of 16 x 16: for each block
 * of the diagonal first itself, then those beside and below it, then the rest
 * of the matrix, which shrinks from launch to launch. */
#include "rig.h"

RIG_SOURCE("lud/kernel.cl");

enum { B = 16 };

static void gen(wl *w, unsigned n)
{
    size_t items = (size_t)n * n;

    wl_require(w, n % B == 0 && n >= 2 * B,
               "must be a multiple of 16, from 32");
    float *a = wl_input_f32(w, "a", items);
    float *lu = wl_expect_f32(w, "a", items, 1e-3);
    double *m = wl_scratch(w, items * sizeof *m);

    for (size_t i = 0; i < items; i++) /* the diagonal dominates */
        m[i] = a[i] = wl_uniform(w, -1, 1) + (i / n == i % n ? (float)n : 0);
    for (unsigned k = 0; k < n; k++)
        for (unsigned r = k + 1; r < n; r++) {
            double f = m[(size_t)r * n + k] /= m[(size_t)k * n + k];

            for (unsigned c = k + 1; c < n; c++)
                m[(size_t)r * n + c] -= f * m[(size_t)k * n + c];
        }
    for (size_t i = 0; i < items; i++)
        lu[i] = (float)m[i];
}

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel diagonal = rig_kernel(o, "lud_diagonal");
    dev_kernel border = rig_kernel(o, "lud_border");
    dev_kernel inside = rig_kernel(o, "lud_inside");
    dev_memory a = rig_buffer(o, "a");

    for (unsigned k = 0; k < n; k += B) {
        unsigned left = (n - k) / B - 1; /* blocks behind this one */

        rig_args(o, diagonal, "muu", a, n, k);
        rig_run(o, diagonal, B, B);
        if (!left)
            break;
        rig_args(o, border, "muu", a, n, k);
        rig_run(o, border, left * 2 * B, 2 * B);
        rig_args(o, inside, "muu", a, n, k);
        rig_run2(o, inside, RIG_2D(left * B, left * B), RIG_2D(B, B));
    }
    rig_check(o, "a", a);
}

int main(int argc, char **argv)
{
    static const workload problem = {"lud", "LU decomposition by blocks", 0,
                                     "rows", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {96, 256, 1024},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
