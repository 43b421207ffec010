/* workloads/spmv_vector/main.c - a warp for each row. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("spmv_vector/kernel.cl");

static void run(rig *o)
{
    unsigned rows = o->size;
    dev_kernel spmv = rig_kernel(o, "spmv_vector");
    dev_memory start = rig_buffer(o, "start"), column = rig_buffer(o, "column");
    dev_memory value = rig_buffer(o, "value"), x = rig_buffer(o, "x");
    dev_memory y = rig_buffer(o, "y");

    rig_args(o, spmv, "mmmmmu", start, column, value, x, y, rows);
    rig_run(o, spmv, (size_t)rows * 32, 128);
    rig_check(o, "y", y);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_spmv_vector,
        .sizes = {2048, 32768, 262144},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
