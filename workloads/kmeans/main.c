/* workloads/kmeans/main.c - three steps of k-means, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("kmeans/kernel.cl");

static void run(ocl *o)
{
    unsigned n = o->size;
    cl_kernel assign = ocl_kernel(o, "kmeans_assign");
    cl_kernel move = ocl_kernel(o, "kmeans_move");
    cl_mem point = ocl_buffer(o, "point"), centre = ocl_buffer(o, "centre");
    cl_mem sums = ocl_buffer(o, "sums"), cluster = ocl_buffer(o, "cluster");

    ocl_args(o, assign, "mmmmu", point, centre, sums, cluster, n);
    ocl_args(o, move, "mm", centre, sums);
    for (unsigned step = 0; step < 3; step++) {
        ocl_run(o, assign, n, 128);
        ocl_run(o, move, 8, 8);
    }
    ocl_check(o, "centre", centre);
    ocl_check(o, "cluster", cluster);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_kmeans,
        .source = ocl_source,
        .sizes = {1024, 8192, 65536},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
