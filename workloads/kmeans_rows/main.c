/* workloads/kmeans_rows/main.c - the assignment of k-means for points that lie
 * in memory one after the other, with 34 features as in the input that Rodinia
 * has: a cache that kept every warp's lines would have nearly all hits. */
#include "opencl.h"

OCL_SOURCE("kmeans_rows/kernel.cl");

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

static void run(ocl *o)
{
    cl_kernel nearest = ocl_kernel(o, "nearest");
    cl_mem point = ocl_buffer(o, "point"), centre = ocl_buffer(o, "centre");
    cl_mem cluster = ocl_buffer(o, "cluster");

    ocl_args(o, nearest, "mmmuuu", point, centre, cluster, o->size,
             (cl_uint)FEATURES, (cl_uint)CLUSTERS);
    ocl_run(o, nearest, o->size, 128);
    ocl_check(o, "cluster", cluster);
}

int main(int argc, char **argv)
{
    static const workload problem = {"kmeans_rows",
                                     "nearest centres of points of 34 features",
                                     0, "points", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {1920, 7680, 92160},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
