/* workloads/queues/main.c - an out-of-order queue and two in-order ones feed
 * the device: one task in eight has groups of 512 items, the others one group
 * of 32. Each task writes its own part of a buffer; the last kernel adds all of
 * them up, after the events of the tasks. */
#include "opencl.h"

#include <stdlib.h>

OCL_SOURCE("queues/kernel.cl");

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
static cl_event start(ocl *o, cl_command_queue q, cl_kernel work, unsigned t,
                      size_t first)
{
    const size_t global = items(t), local = t % 8 ? SMALL : 512;
    cl_event done;

    ocl_ok(o,
           clEnqueueNDRangeKernel(q, work, 1, &first, &global, &local, 0, NULL,
                                  &done),
           "clEnqueueNDRangeKernel");
    return done;
}

static void run(ocl *o)
{
    unsigned tasks = o->size;
    size_t first = 0;
    cl_kernel work = ocl_kernel(o, "work"), add = ocl_kernel(o, "add_up");
    cl_mem x = ocl_buffer(o, "x"), sum = ocl_buffer(o, "sum");
    cl_command_queue q[3] = {
        ocl_queue(o, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), ocl_queue(o, 0),
        ocl_queue(o, 0)};
    cl_event *done = calloc(tasks, sizeof(cl_event));

    ocl_ok(o, done ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "calloc");
    ocl_finish(o); /* the buffers are filled */
    ocl_args(o, work, "mu", x, (cl_uint)STEPS);
    for (unsigned t = 0; t < tasks; t++) {
        done[t] = start(o, q[t % 3], work, t, first);
        first += items(t);
    }
    for (unsigned i = 0; i < 3; i++)
        ocl_ok(o, clFlush(q[i]), "clFlush");
    ocl_args(o, add, "mmu", x, sum, (cl_uint)first);
    const size_t global = 1024, local = 256;
    ocl_ok(o,
           clEnqueueNDRangeKernel(o->queue, add, 1, NULL, &global, &local,
                                  tasks, done, NULL),
           "clEnqueueNDRangeKernel");
    ocl_check(o, "x", x);
    ocl_check(o, "sum", sum);
    for (unsigned t = 0; t < tasks; t++)
        ocl_ok(o, clReleaseEvent(done[t]), "clReleaseEvent");
    free(done);
}

int main(int argc, char **argv)
{
    static const workload problem = {
        "queues", "large and small kernels from three queues", 0, "tasks", gen};
    static const ocl_program program = {
        .problem = &problem,
        .source = ocl_source,
        .sizes = {64, 512, 4096},
        .run = run,
    };

    return ocl_main(&program, argc, argv);
}
