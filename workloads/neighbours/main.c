/* workloads/neighbours/main.c - a step of molecular dynamics: atoms near the
 * points of a grid, numbered in no order, each with its 18 neighbours next to
 * it along edges and faces. So a warp gathers 16 bytes from 32 places. */
#include "rig.h"

RIG_SOURCE("neighbours/kernel.cl");

enum { SIDE = 16, COUNT = 18 };

typedef struct box {
    unsigned depth; /* in z; SIDE in x and y */
    const uint32_t *number;
} box;

/* The atom at a point; at the edges there is the point itself instead. */
static unsigned atom(const box *b, unsigned x, unsigned y, unsigned z)
{
    return b->number[(z * SIDE + y) * SIDE + x];
}

/* Puts the neighbours of a point where the list has them. */
static void neighbours(const box *b, unsigned x, unsigned y, unsigned z,
                       uint32_t *list, size_t n)
{
    unsigned k = 0;

    for (int d = 0; d < 27; d++) {
        int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
        int apart = dx * dx + dy * dy + dz * dz;

        if (apart == 0 || apart == 3)
            continue;
        list[n * k++] = atom(b, (x + SIDE + (unsigned)dx) % SIDE,
                             (y + SIDE + (unsigned)dy) % SIDE,
                             (z + b->depth + (unsigned)dz) % b->depth);
    }
}

static void force(const float *at, const uint32_t *list, size_t n, size_t i,
                  float *out)
{
    double sum[3] = {0};

    for (size_t k = 0; k < COUNT; k++) {
        double d[3], r2 = 0, r6;

        for (unsigned c = 0; c < 3; c++) {
            d[c] = (double)at[4 * i + c] - (double)at[4 * list[k * n + i] + c];
            r2 += d[c] * d[c];
        }
        r6 = 1 / (r2 * r2 * r2);
        for (unsigned c = 0; c < 3; c++)
            sum[c] += d[c] / r2 * r6 * (r6 - 0.5);
    }
    for (unsigned c = 0; c < 3; c++)
        out[4 * i + c] = (float)sum[c];
}

static void gen(wl *w, unsigned n)
{
    wl_require(w, n % (SIDE * SIDE) == 0 && n >= 3 * SIDE * SIDE,
               "must be a multiple of 256, at least 768");
    float *at = wl_input_f32(w, "at", (size_t)4 * n);
    uint32_t *list = wl_input_u32(w, "list", (size_t)COUNT * n);
    float *out = wl_expect_f32(w, "force", (size_t)4 * n, 1e-3);
    uint32_t *number = wl_scratch(w, n * sizeof *number);
    box b = {n / (SIDE * SIDE), number};

    for (unsigned i = 0; i < n; i++) {
        unsigned j = wl_below(w, i + 1);

        number[i] = number[j];
        number[j] = i;
    }
    for (unsigned p = 0; p < n; p++) {
        unsigned x = p % SIDE, y = p / SIDE % SIDE, z = p / SIDE / SIDE;
        unsigned i = number[p];

        at[4 * i] = (float)x + wl_uniform(w, -0.1f, 0.1f);
        at[4 * i + 1] = (float)y + wl_uniform(w, -0.1f, 0.1f);
        at[4 * i + 2] = (float)z + wl_uniform(w, -0.1f, 0.1f);
        neighbours(&b, x, y, z, list + i, n);
    }
    for (unsigned i = 0; i < n; i++)
        force(at, list, n, i, out);
}

static void run(rig *o)
{
    dev_kernel forces = rig_kernel(o, "forces");
    dev_memory at = rig_buffer(o, "at"), list = rig_buffer(o, "list");
    dev_memory force = rig_buffer(o, "force");

    rig_args(o, forces, "mmmuu", at, list, force, o->size, (unsigned)COUNT);
    rig_run(o, forces, o->size, 256);
    rig_check(o, "force", force);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "neighbours", "forces between atoms and those of their lists", 0,
        "atoms", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {11520, 23040, 368640},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
