/* workloads/mixes/main.c - groups of one kind or of several, all launches in
 * one queue that is out of order: see ref.c. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("mixes/kernel.cl");

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_mixes,
        .sizes = {3, 10, 40},
        .run = rig_run_problem,
        .knobs = wl_mixes_knobs,
    };

    return rig_main(&program, argc, argv);
}
