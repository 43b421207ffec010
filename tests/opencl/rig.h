/* tests/opencl/rig.h - a context and a queue on the driver, which is linked
 * into the test, and commands of the test's own in its queues. */
#ifndef OPENCL_RIG_H
#define OPENCL_RIG_H

#include "opencl/opencl.h"
#include "test.h"

/* GPUs of the process: two, so that tests can leave one for another. */
__attribute__((constructor)) static void rig_gpus(void)
{
    setenv("HEDDLE_GPU", "v100,k20", 1);
    setenv("HEDDLE_CACHE", "0", 1);
    unsetenv("HEDDLE_SESSION");
}

typedef struct rig {
    cl_platform_id platform;
    cl_device_id devices[2]; /* v100, k20 */
    cl_context context;      /* of both */
    cl_command_queue queue;  /* of the first */
} rig;

static inline rig rig_open(cl_command_queue_properties flags)
{
    rig r;
    cl_int err;

    CHECK_EQ(clGetPlatformIDs(1, &r.platform, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceIDs(r.platform, CL_DEVICE_TYPE_ALL, 2, r.devices, NULL),
             CL_SUCCESS);
    r.context = clCreateContext(NULL, 2, r.devices, NULL, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    r.queue = clCreateCommandQueue(r.context, r.devices[0], flags, &err);
    CHECK_EQ(err, CL_SUCCESS);
    return r;
}

/* Everything the test made must be gone. */
static inline void rig_close(rig *r)
{
    static const ocl_kind kinds[] = {OCL_CONTEXT, OCL_QUEUE,   OCL_MEM,
                                     OCL_SAMPLER, OCL_PROGRAM, OCL_KERNEL,
                                     OCL_EVENT};

    CHECK_EQ(clFinish(r->queue), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(r->queue), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(r->context), CL_SUCCESS);
    OCL_LOCK();
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        CHECK_EQ(object_count(kinds[i]), 0);
}

/* A command that writes its name into a log when it runs, takes so many
 * simulated nanoseconds and ends as it is told. */
typedef struct rig_log {
    char text[64];
    unsigned used;
} rig_log;

typedef struct rig_command {
    drv_command command;
    rig_log *log;
    char name;
    cl_int result;
    uint64_t ns;
} rig_command;

static inline cl_int rig_run(drv_command *c)
{
    rig_command *r = (rig_command *)c;

    if (r->log && r->log->used < sizeof r->log->text - 1)
        r->log->text[r->log->used++] = r->name;
    c->duration_ns = r->ns;
    return r->result;
}

typedef struct rig_what {
    rig_log *log;
    char name;
    uint64_t ns;
    cl_int result;
    bool blocking;
    cl_uint wait_count;
    const cl_event *waits;
} rig_what;

static inline cl_int rig_enqueue(cl_command_queue q, rig_what w, cl_event *e)
{
    OCL_LOCK();
    cl_int err = command_check(q, w.wait_count, w.waits);

    if (err)
        return err;
    rig_command *c = command_new(sizeof *c, q, CL_COMMAND_FILL_BUFFER, rig_run);
    c->log = w.log;
    c->name = w.name;
    c->ns = w.ns;
    c->result = w.result;
    return command_enqueue(c, w.wait_count, w.waits, w.blocking, e);
}

static inline cl_ulong rig_time(cl_event e, cl_profiling_info what)
{
    cl_ulong ns;

    CHECK_EQ(clGetEventProfilingInfo(e, what, sizeof ns, &ns, NULL),
             CL_SUCCESS);
    return ns;
}

static inline cl_int rig_status(cl_event e)
{
    cl_int is;

    CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof is,
                            &is, NULL),
             CL_SUCCESS);
    return is;
}

#endif
