#include "cuda/device/device_limits.h"

#include "cuda/stream/stream.h"

void device_limits_start(cu_device *d)
{
    d->first_limits = rt_device_limits(d->drv->rt);
    d->limits[cudaLimitStackSize] = d->first_limits.stack_bytes;
    d->limits[cudaLimitPrintfFifoSize] = d->first_limits.print_bytes;
    d->limits[cudaLimitMallocHeapSize] = d->first_limits.heap_bytes;
    d->limits[cudaLimitDevRuntimeSyncDepth] = 2;
    d->limits[cudaLimitDevRuntimePendingLaunchCount] = 2048;
    d->limits[cudaLimitMaxL2FetchGranularity] = 64;
    d->limits[cudaLimitPersistingL2CacheSize] = 0;
}

void device_limits_reset(cu_device *d)
{
    rt_device_end_services(d->drv->rt);
    rt_device_set_limits(d->drv->rt, &d->first_limits);
    device_limits_start(d);
}

/* Each SM has a heap of its own, so that any block may take all that the
 * program asked for; where that is more than half of the device's memory, they
 * share half of it, or what was asked for if that is more. */
static uint64_t heap_of_sm(const cu_device *d, uint64_t asked)
{
    uint64_t sms = d->drv->cfg->gpu.sms;
    uint64_t half = drv_device_bytes(d->drv) / 2;
    uint64_t all = asked > half ? asked : half;

    return asked <= all / sms ? asked : (all + sms - 1) / sms;
}

static cudaError_t check_limit(const cu_device *d, int what, uint64_t value)
{
    uint64_t stack = d->drv->cfg->gpu.max.local_bytes;

    if (what == cudaLimitStackSize && value > stack)
        return cu_fail(cudaErrorInvalidValue,
                       "a stack of %llu bytes: a thread has at most %llu of "
                       "local memory",
                       (unsigned long long)value, (unsigned long long)stack);
    if ((what == cudaLimitMallocHeapSize || what == cudaLimitPrintfFifoSize) &&
        value > drv_device_bytes(d->drv))
        return cu_fail(cudaErrorMemoryAllocation,
                       "%llu bytes are more than the device's memory",
                       (unsigned long long)value);
    return cudaSuccess;
}

/* Those that the run-time keeps to; nothing may be in flight meanwhile. */
static cudaError_t set_service(cu_device *d, int what, uint64_t value)
{
    cudaError_t code = device_wait(d);
    rt_limits to = rt_device_limits(d->drv->rt);
    uint64_t least = value ? value : 1; /* 0 would be the default */

    if (code != cudaSuccess)
        return code;
    if (what == cudaLimitStackSize)
        to.stack_bytes = least;
    else if (what == cudaLimitPrintfFifoSize)
        to.print_bytes = least;
    else
        to.heap_bytes = heap_of_sm(d, least);
    if (rt_device_set_limits(d->drv->rt, &to))
        return cudaSuccess;
    return cu_fail(cudaErrorInvalidValue,
                   "a kernel that calls %s was launched before: its limit can "
                   "only be set before that, or after cudaDeviceReset",
                   what == cudaLimitPrintfFifoSize ? "printf" : "malloc");
}

/* What is more than there can be is taken as the most. */
static cudaError_t set_aside(cu_device *d, uint64_t *value)
{
    const config *c = d->drv->cfg;
    uint64_t most = config_l2_bytes(c) / 100 * c->l2.persisting;
    cudaError_t code = device_wait(d);

    if (*value > most)
        *value = most;
    if (code == cudaSuccess)
        rt_persist(d->drv->rt, *value);
    return code;
}

static bool is_limit(int what) { return what >= 0 && what < CUDA_LIMITS; }

EXPORT cudaError_t cudaDeviceGetLimit(size_t *out, int what)
{
    CUDA_CALL();

    if (!is_limit(what))
        return cu_fail(cudaErrorUnsupportedLimit, "no limit %d", what);
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the limit");
    *out = cu_current()->limits[what];
    return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceSetLimit(int what, size_t value)
{
    CUDA_CALL();
    cu_device *d = cu_current();

    if (!is_limit(what))
        return cu_fail(cudaErrorUnsupportedLimit, "no limit %d", what);
    cudaError_t code = check_limit(d, what, value);
    if (code == cudaSuccess && value != d->limits[what] &&
        what <= cudaLimitMallocHeapSize)
        code = set_service(d, what, value);
    if (code == cudaSuccess && what == cudaLimitPersistingL2CacheSize)
        code = set_aside(d, &value);
    if (code == cudaSuccess)
        d->limits[what] = value;
    return code;
}
