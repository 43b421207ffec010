/* workloads/queues/main.c - an out-of-order queue and two in-order ones feed
 * the device: one task in eight has groups of 512 items, the others one group
 * of 32. Each task writes its own part of a buffer; the last kernel adds all of
 * them up, after the events of the tasks. */
#include "opencl.h"

#include <stdlib.h>

RIG_SOURCE("queues/kernel.cl");

enum { LARGE = 2048, SMALL = 32, STEPS = 64 };

static unsigned items(unsigned task) { return task % 8 ? SMALL : LARGE; }

static void gen(wl *w, unsigned tasks)
{
    size_t n = 0;
    uint32_t sum = 0;

    for (unsigned t = 0; t < tasks; t++)
        n += items(t);
    uint32_t *x = wl_input_u32(w, "x", n), *last = wl_expect_u32(w, "x", n);

    for (size_t i = 0; i < n; i++) {
        uint32_t v = x[i] = wl_random(w);

        for (unsigned s = 0; s < STEPS; s++)
            v = v * 1664525u + 1013904223u;
        sum += last[i] = v;
    }
    wl_expect_u32(w, "sum", 1)[0] = sum;
}

/* Enqueues task t, which begins at item `first`, and returns its event. */
static cl_event start(rig *o, cl_command_queue q, dev_kernel work, unsigned t,
                      size_t first)
{
    const size_t global = items(t), local = t % 8 ? SMALL : 512;
    cl_event done;

    ocl_ok(o,
           clEnqueueNDRangeKernel(q, ocl_kernel(work), 1, &first, &global,
                                  &local, 0, NULL, &done),
           "clEnqueueNDRangeKernel");
    return done;
}

static void run(rig *o)
{
    unsigned tasks = o->size;
    size_t first = 0;
    dev_kernel work = rig_kernel(o, "work"), add = rig_kernel(o, "add_up");
    dev_memory x = rig_buffer(o, "x"), sum = rig_buffer(o, "sum");
    cl_command_queue q[3] = {
        ocl_queue(o, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), ocl_queue(o, 0),
        ocl_queue(o, 0)};
    cl_event *done = rig_alloc(o, tasks * sizeof(cl_event));

    ocl_finish(o); /* the buffers are filled */
    rig_args(o, work, "mu", x, (unsigned)STEPS);
    for (unsigned t = 0; t < tasks; t++) {
        done[t] = start(o, q[t % 3], work, t, first);
        first += items(t);
    }
    for (unsigned i = 0; i < 3; i++)
        ocl_ok(o, clFlush(q[i]), "clFlush");
    rig_args(o, add, "mmu", x, sum, (unsigned)first);
    const size_t global = 1024, local = 256;
    ocl_ok(o,
           clEnqueueNDRangeKernel(o->device->queue, ocl_kernel(add), 1, NULL,
                                  &global, &local, tasks, done, NULL),
           "clEnqueueNDRangeKernel");
    rig_check(o, "x", x);
    rig_check(o, "sum", sum);
    for (unsigned t = 0; t < tasks; t++)
        ocl_ok(o, clReleaseEvent(done[t]), "clReleaseEvent");
    free(done);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "queues", "large and small kernels from three queues", 0, "tasks", gen};
    static const rig_program program = {
        .problem = &problem,
        .sizes = {64, 512, 4096},
        .run = run,
    };

    return rig_main(&program, argc, argv);
}
