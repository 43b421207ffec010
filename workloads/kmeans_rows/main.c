/* workloads/kmeans_rows/main.c - the assignment of k-means for points that lie
 * in memory one after the other, with 34 features as in the input that Rodinia
 * has: a cache that kept every warp's lines would have nearly all hits. */
#include "rig.h"

RIG_SOURCE("kmeans_rows/kernel.cl");

enum { FEATURES = 34, CLUSTERS = 3 };

/* Values are small integers, so sums of squares are exact. */
static float value(wl *w) { return (float)wl_below(w, 256); }

static void gen(wl *w, unsigned n)
{
    float *point = wl_input_f32(w, "point", (size_t)n * FEATURES);
    float *centre = wl_input_f32(w, "centre", (size_t)CLUSTERS * FEATURES);
    uint32_t *cluster = wl_expect_u32(w, "cluster", n);

    for (size_t i = 0; i < (size_t)n * FEATURES; i++)
        point[i] = value(w);
    for (unsigned i = 0; i < CLUSTERS * FEATURES; i++)
        centre[i] = value(w);
    for (size_t i = 0; i < n; i++) {
        uint64_t best = UINT64_MAX;

        for (unsigned k = 0; k < CLUSTERS; k++) {
            uint64_t sum = 0;

            for (unsigned f = 0; f < FEATURES; f++) {
                int64_t d = (int64_t)point[i * FEATURES + f] -
                            (int64_t)centre[k * FEATURES + f];
                sum += (uint64_t)(d * d);
            }
            if (sum < best) {
                best = sum;
                cluster[i] = k;
            }
        }
    }
}

static void run(rig *o)
{
    dev_kernel nearest = rig_kernel(o, "nearest");
    dev_memory point = rig_buffer(o, "point"), centre = rig_buffer(o, "centre");
    dev_memory cluster = rig_buffer(o, "cluster");

    rig_args(o, nearest, "mmmuuu", point, centre, cluster, o->size,
             (unsigned)FEATURES, (unsigned)CLUSTERS);
    rig_run(o, nearest, o->size, 128);
    rig_check(o, "cluster", cluster);
}

int main(int argc, char **argv)
{
    static const workload problem = {"kmeans_rows",
                                     "nearest centres of points of 34 features",
                                     0, "points", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {1920, 7680, 92160},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
