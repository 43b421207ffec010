/* workloads/interpreter/main.c - byte code interpreted. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("interpreter/kernel.cl");

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel interpret = rig_kernel(o, "interpret");
    dev_memory code = rig_buffer(o, "code"), input = rig_buffer(o, "input");
    dev_memory output = rig_buffer(o, "output");

    rig_args(o, interpret, "mmmuu", code, input, output, n, 400u);
    rig_run(o, interpret, n, 128);
    rig_check(o, "output", output);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_interpreter,
        .sizes = {512, 4096, 65536},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
