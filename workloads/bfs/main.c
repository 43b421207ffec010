/* workloads/bfs/main.c - a breadth-first search. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("bfs/kernel.cl");

/* The host looks after each level whether it reached anybody. */
static void run(rig *o)
{
    unsigned vertices = o->size;
    uint32_t last = 0;
    dev_kernel next = rig_kernel(o, "bfs_level");
    dev_memory start = rig_buffer(o, "start"), edge = rig_buffer(o, "edge");
    dev_memory level = rig_buffer(o, "level"),
               reached = rig_buffer(o, "reached");

    for (unsigned depth = 0; last == depth; depth++) {
        rig_args(o, next, "mmmmuu", start, edge, level, reached, depth,
                 vertices);
        rig_run(o, next, vertices, 256);
        rig_read(o, reached, &last, sizeof last);
    }
    rig_check(o, "level", level);
    rig_check(o, "reached", reached);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_bfs,
        .sizes = {4096, 65536, 524288},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
