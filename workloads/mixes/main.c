/* workloads/mixes/main.c - groups of one kind or of several, all launches in
 * one queue that is out of order: see ref.c. */
#include "opencl.h"
#include "tool/list.h"

OCL_SOURCE("mixes/kernel.cl");

int main(int argc, char **argv)
{
    static const ocl_program program = {
        .problem = &wl_mixes,
        .source = ocl_source,
        .sizes = {3, 10, 40},
        .run = ocl_run_problem,
        .knobs = wl_mixes_knobs,
    };

    return ocl_main(&program, argc, argv);
}
