/* workloads/blackscholes/main.c - option prices. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("blackscholes/kernel.cl");

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel kernel = rig_kernel(o, "black_scholes");
    dev_memory price = rig_buffer(o, "price"), strike = rig_buffer(o, "strike");
    dev_memory years = rig_buffer(o, "years");
    dev_memory call = rig_buffer(o, "call"), put = rig_buffer(o, "put");

    rig_args(o, kernel, "mmmmmffu", price, strike, years, call, put, 0.03125,
             0.25, n);
    rig_run(o, kernel, n, 128);
    rig_check(o, "call", call);
    rig_check(o, "put", put);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_blackscholes,
        .sizes = {16384, 262144, 2097152},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
