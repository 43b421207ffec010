/* workloads/kmeans/main.c - three steps of k-means. */
#include "rig.h"
#include "tool/list.h"

RIG_SOURCE("kmeans/kernel.cl");

static void run(rig *o)
{
    unsigned n = o->size;
    dev_kernel assign = rig_kernel(o, "kmeans_assign");
    dev_kernel move = rig_kernel(o, "kmeans_move");
    dev_memory point = rig_buffer(o, "point"), centre = rig_buffer(o, "centre");
    dev_memory sums = rig_buffer(o, "sums"), cluster = rig_buffer(o, "cluster");

    rig_args(o, assign, "mmmmu", point, centre, sums, cluster, n);
    rig_args(o, move, "mm", centre, sums);
    for (unsigned step = 0; step < 3; step++) {
        rig_run(o, assign, n, 128);
        rig_run(o, move, 8, 8);
    }
    rig_check(o, "centre", centre);
    rig_check(o, "cluster", cluster);
}

int main(int argc, char **argv)
{
    static const rig_program program = {
        .problem = &wl_kmeans,
        .sizes = {1024, 8192, 65536},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
