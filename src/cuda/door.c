/* The state of the process: devices, threads, calls. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "cuda/device/device_limits.h"
#include "cuda/door.h"
#include "driver/command.h"
#include "runtime/memory.h"

/* The one driver of this process. The API has no handle through which its state
 * could be passed, so it is global. */
static cu_state state;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool works;

/* ---- The door ---- */

static cudaError_t error_of_fault(const exec_fault *f)
{
    switch (f->kind) {
    case FAULT_MISALIGNED:
        return cudaErrorMisalignedAddress;
    case FAULT_PC:
    case FAULT_CALL:
        return cudaErrorInvalidPc;
    case FAULT_BARRIER:
    case FAULT_DESCRIPTOR:
    case FAULT_REGISTERS:
        return cudaErrorIllegalInstruction;
    case FAULT_SPACE:
        return cudaErrorInvalidAddressSpace;
    case FAULT_STACK:
        return cudaErrorHardwareStackError;
    case FAULT_ASSERT:
        return cudaErrorAssert;
    case FAULT_DEADLOCK:
        return cudaErrorLaunchTimeout;
    case FAULT_BOUNDS:
    case FAULT_FREED:
    case FAULT_SHARED_BOUNDS:
    case FAULT_LOCAL_BOUNDS:
    case FAULT_CONST_BOUNDS:
    case FAULT_BULK:
    case FAULT_CGA_RANK:
    case FAULT_CGA_EXITED:
    case FAULT_TEXTURE_HANDLE:
    case FAULT_TEXTURE_KIND:
    case FAULT_TEXTURE_BOUNDS:
    case FAULT_SAMPLER_HANDLE:
        return cudaErrorIllegalAddress;
    case FAULT_NONE:
    case FAULT_TRAP:
    case FAULT_FREE:
    case FAULT_HAZARD:
    case FAULT_OVERWRITE:
        return cudaErrorLaunchFailure;
    }
    MUST(!"every value is above");
}

/* Commands' results are errors of the API, negated. */
static int result_of(status is, const exec_fault *fault)
{
    switch (is) {
    case ST_OK:
        return 0;
    case ST_NOMEM:
        return -(int)cudaErrorMemoryAllocation;
    case ST_FAULT:
        return -(int)error_of_fault(fault);
    case ST_HANG:
    case ST_LIMIT:
        return -(int)cudaErrorLaunchTimeout;
    case ST_USAGE:
        return -(int)cudaErrorLaunchOutOfResources;
    case ST_MISMATCH:
    case ST_CONFIG:
    case ST_PROGRAM:
    case ST_IO:
    case ST_INPUT:
    case ST_INTERNAL:
    case ST_INTERRUPTED:
        return -(int)cudaErrorLaunchFailure;
    }
    MUST(!"every value is above");
}

/* A device on which a kernel failed can do nothing any more. Nor can, in a
 * forked child, one on which something of the parent was on its way. */
static void entered(drv_event *e)
{
    cu_device *d = &state.devices[e->queue ? e->queue->device->number : 0];

    if (e->status < 0 && d->sticky == cudaSuccess)
        d->sticky = (cudaError_t)-e->status;
}

static const char *code_name(int code)
{
    return cu_error_name((cudaError_t)code);
}

static const drv_door door = {
    .api = "CUDA",
    .identity = true,
    .queue = "stream",
    .result = result_of,
    .in_vain = -(int)cudaErrorLaunchFailure,
    .lost = -(int)cudaErrorInitializationError,
    .code_name = code_name,
    .entered = entered,
    .forgot = entered,
    .unset = "something that never happened",
    .waiting = "cudaDeviceSynchronize, or a blocking copy",
};

/* ---- Devices ---- */

static void start(void)
{
    if (!drv_start(&door))
        return;
    if (!rt_memory_identity(drv.image)) {
        fprintf(stderr, "heddle: the address at which simulated memory has to "
                        "lie is taken in this process, so CUDA programs "
                        "cannot run in it\n");
        return;
    }
    state.drv = &drv;
    for (unsigned i = 0; i < drv.device_count && i < CU_DEVICES_MAX; i++) {
        cu_device *d = &state.devices[state.device_count++];

        d->drv = drv.devices[i];
        d->number = (int)i;
        device_limits_start(d);
    }
    works = true;
}

cu_state *cu_get(void)
{
    pthread_once(&once, start);
    return works ? &state : NULL;
}

/* ---- Threads ---- */

static _Thread_local cu_thread this_thread;

cu_thread *cu_thread_get(void) { return &this_thread; }

cu_device *cu_current(void) { return &state.devices[this_thread.device]; }

void cu_current_set(int device, struct cu_context *made)
{
    cu_thread *t = &this_thread;

    if (!t->depth)
        t->depth = 1;
    t->contexts[t->depth - 1] = (cu_bound){device, made};
    t->device = device;
    state.devices[device].active = true;
}

void cu_device_use(cu_device *d)
{
    d->active = true;
    if (!this_thread.depth)
        cu_current_set(this_thread.device, NULL);
}

/* ---- Calls ---- */

static bool is_runtime(const char *function)
{
    return !strncmp(function, "cuda", 4) || !strncmp(function, "__cuda", 6);
}

cu_entered cu_enter(const char *function, bool broken, cudaError_t *code)
{
    cu_thread *t = &this_thread;
    cu_entered e = {.runtime = t->runtime};

    if (t->driver)
        function = t->driver;
    t->runtime = is_runtime(function);
    *code = cu_get() ? cudaSuccess : cudaErrorInitializationError;
    if (*code == cudaSuccess) {
        e.locked = true;
        if (t->runtime)
            atomic_store(&state.initialised, true);
        e.before = drv_enter(function);
        if (!broken)
            *code = cu_current()->sticky;
    }
    if (*code != cudaSuccess && t->runtime)
        t->last = *code;
    return e;
}

void cu_leave(const cu_entered *e)
{
    this_thread.runtime = e->runtime;
    if (e->locked)
        drv_leave(&e->before);
}
