/* workloads/bfs/main.c - a breadth-first search, with OpenCL. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("bfs/kernel.cl");

/* The host looks after each level whether it reached anybody. */
static void run(ocl *o)
{
    unsigned vertices = o->size;
    cl_uint last = 0;
    cl_kernel next = ocl_kernel(o, "bfs_level");
    cl_mem start = ocl_buffer(o, "start"), edge = ocl_buffer(o, "edge");
    cl_mem level = ocl_buffer(o, "level"), reached = ocl_buffer(o, "reached");

    for (unsigned depth = 0; last == depth; depth++) {
        ocl_args(o, next, "mmmmuu", start, edge, level, reached, depth,
                 vertices);
        ocl_run(o, next, vertices, 256);
        ocl_read(o, reached, &last, sizeof last);
    }
    ocl_check(o, "level", level);
    ocl_check(o, "reached", reached);
}

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_bfs,
        .source = ocl_source,
        .sizes = {4096, 65536, 524288},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
