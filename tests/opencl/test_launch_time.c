/* tests/opencl/test_launch_time.c - what a program's pace has to do with
 * simulated time: nothing. */
#include "kernels.h"

enum { WAYS = 4 };

/* Eight launches on a device that has done nothing: when each of them ends. */
static uint64_t eight_launches(cl_context c, cl_device_id d, uint64_t memory,
                               bool flush, bool sleep)
{
    kernels k = kernels_load(d);
    uint64_t sum = 0;
    cl_event e[8];
    cl_int err;
    cl_command_queue q =
        clCreateCommandQueue(c, d, CL_QUEUE_PROFILING_ENABLE, &err);

    CHECK_EQ(err, CL_SUCCESS);
    for (int i = 0; i < 8; i++) {
        kernels_enqueue(&k, q, "add", memory, 1, 64 * (i % 4 + 1), &e[i]);
        if (flush)
            clFlush(q);
        if (sleep)
            usleep(500);
    }
    CHECK_EQ(clFinish(q), CL_SUCCESS);
    uint64_t t = rig_time(e[0], CL_PROFILING_COMMAND_QUEUED);
    CHECK_EQ(rig_time(e[0], CL_PROFILING_COMMAND_START), t);
    for (int i = 0; i < 8; i++) {
        sum = sum * 31 + rig_time(e[i], CL_PROFILING_COMMAND_END) - t;
        clReleaseEvent(e[i]);
    }
    rt_release(drv.image, k.memory);
    clReleaseCommandQueue(q);
    return sum;
}

TEST(simulated_time_is_the_same_whoever_runs_the_commands)
{
    cl_platform_id p;
    cl_device_id d[WAYS];
    cl_int err;

    setenv("HEDDLE_GPU", "v100,v100,v100,v100", 1);
    CHECK_EQ(clGetPlatformIDs(1, &p, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, WAYS, d, NULL), CL_SUCCESS);
    cl_context c = clCreateContext(NULL, WAYS, d, NULL, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    uint64_t memory = rt_alloc(drv.image, 1024, "words");
    uint64_t first = eight_launches(c, d[0], memory, false, false);
    for (int how = 1; how < WAYS; how++)
        CHECK_EQ(eight_launches(c, d[how], memory, how & 1, how & 2), first);
    rt_release(drv.image, memory);
    clReleaseContext(c);
}
