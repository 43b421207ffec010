/* The state of the process: platform and devices, and what driver asks of
 * OpenCL. */
#include "opencl/device.h"
#include "opencl/queue/event.h"
#include "session/setup.h"

/* An ICD has no handle through which its state could be passed, so it is
 * global. */
static ocl_state state;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static cl_int launch_result(status is, const exec_fault *fault)
{
    (void)fault;
    return is == ST_NOMEM ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES;
}

/* OpenCL has no limit on the number of work-groups; drivers for GPUs with
 * small grid registers cut a range into pieces, which costs next to nothing
 * beside its size. Here the registers are wide enough. */
static void widen_grids(config *cfg)
{
    cfg->gpu.max.grid_x = INT32_MAX;
    cfg->gpu.max.grid_y = INT32_MAX;
    cfg->gpu.max.grid_z = INT32_MAX;
}

const drv_door ocl_door = {
    .api = "OpenCL",
    .queue = "queue",
    .result = launch_result,
    .in_vain = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
    .lost = CL_OUT_OF_RESOURCES,
    .code_name = ocl_error_name,
    .entered = event_entered,
    .forgot = event_forgot,
    .adapt = widen_grids,
    .portable_source = true,
    .unset = "a user event that was not set (clSetUserEventStatus)",
    .waiting = "clFinish, or a blocking read; clFlush alone does not wait",
};

static void start_state(void)
{
    struct _cl_platform_id *platform =
        object_new(OCL_PLATFORM, sizeof *platform, NULL);

    if (!drv_start(&ocl_door) || !platform || !devices_add(&state))
        return;
    state.as_cpu =
        drv_wished("HEDDLE_AS_CPU") || (drv.session && drv.setup->as_cpu);
    state.platform = platform;
}

ocl_state *state_get(void)
{
    pthread_once(&once, start_state);
    return state.platform ? &state : NULL;
}
