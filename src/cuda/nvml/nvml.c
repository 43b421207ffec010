/* NVML: what programs ask of devices beside CUDA. What the model does not have,
 * such as temperature, power of the moment and utilisation, is not supported
 * (nvml_missing.def). */
#include "cuda/nvml/nvml.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "cuda/device/properties.h"
#include "driver/room.h"

/* As calls of nvmlInit and nvmlShutdown count. */
static atomic_int initialised;

typedef struct nvml_entered {
    cu_entered call;
    nvmlReturn_t status;
} nvml_entered;

static nvml_entered nvml_enter(const char *function)
{
    cudaError_t code;
    nvml_entered e = {.call = cu_enter(function, true, &code)};

    e.status = code == cudaSuccess && cu_get() ? NVML_SUCCESS
                                               : NVML_ERROR_DRIVER_NOT_LOADED;
    if (e.status == NVML_SUCCESS && !atomic_load(&initialised))
        e.status = NVML_ERROR_UNINITIALIZED;
    return e;
}

static void nvml_leave(const nvml_entered *e) { cu_leave(&e->call); }

/* At the head of a function that needs devices. */
#define NVML_CALL()                                                            \
    const nvml_entered nvml_in __attribute__((cleanup(nvml_leave))) =          \
        nvml_enter(__func__);                                                  \
    if (nvml_in.status != NVML_SUCCESS)                                        \
    return nvml_in.status

/* The same for one that asks `device`, which becomes `d`, and writes there. */
#define NVML_DEVICE_CALL(out)                                                  \
    NVML_CALL();                                                               \
    const cu_device *d = nvml_device(device);                                  \
    if (!d || !(out))                                                          \
    return NVML_ERROR_INVALID_ARGUMENT

/* NULL: it is none of ours. */
static const cu_device *nvml_device(nvmlDevice_t handle)
{
    const cu_state *s = cu_get();

    for (int i = 0; i < s->device_count; i++)
        if ((const void *)handle == &s->devices[i])
            return &s->devices[i];
    return NULL;
}

static nvmlReturn_t give_handle(int number, nvmlDevice_t *out)
{
    cu_state *s = cu_get();

    if (!out || number < 0 || number >= s->device_count)
        return NVML_ERROR_INVALID_ARGUMENT;
    *out = (nvmlDevice_t)&s->devices[number];
    return NVML_SUCCESS;
}

/* A text in `room` bytes. */
static nvmlReturn_t give_text(const char *text, char *out, unsigned room)
{
    if (!out)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (strlen(text) >= room)
        return NVML_ERROR_INSUFFICIENT_SIZE;
    strcpy(out, text);
    return NVML_SUCCESS;
}

static nvmlReturn_t give_attribute(const cu_device *d, int attribute,
                                   unsigned divisor, unsigned *out)
{
    int64_t v;

    if (!device_attribute(d, attribute, &v))
        return NVML_ERROR_NOT_SUPPORTED;
    *out = (unsigned)((uint64_t)v / divisor);
    return NVML_SUCCESS;
}

/* ---- The library ---- */

EXPORT nvmlReturn_t nvmlInitWithFlags(unsigned flags)
{
    (void)flags;
    if (!cu_get())
        return NVML_ERROR_DRIVER_NOT_LOADED;
    atomic_fetch_add(&initialised, 1);
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlInit_v2(void) { return nvmlInitWithFlags(0); }

EXPORT nvmlReturn_t nvmlInit(void) { return nvmlInitWithFlags(0); }

EXPORT nvmlReturn_t nvmlShutdown(void)
{
    int n = atomic_load(&initialised);

    do {
        if (!n)
            return NVML_ERROR_UNINITIALIZED;
    } while (!atomic_compare_exchange_weak(&initialised, &n, n - 1));
    return NVML_SUCCESS;
}

EXPORT const char *nvmlErrorString(nvmlReturn_t answer)
{
    static const struct {
        nvmlReturn_t code;
        const char *text;
    } texts[] = {
#define NVML_STATUS(code, name, text) {NVML_##name, (text)},
#include "cuda/nvml/nvml_status.def"
#undef NVML_STATUS
    };

    for (size_t i = 0; i < COUNTOF(texts); i++)
        if (texts[i].code == answer)
            return texts[i].text;
    return "Unknown Error";
}

/* Heddle's own: there is no other driver. */
EXPORT nvmlReturn_t nvmlSystemGetDriverVersion(char *out, unsigned room)
{
    NVML_CALL();
    return give_text(HEDDLE_VERSION, out, room);
}

EXPORT nvmlReturn_t nvmlSystemGetNVMLVersion(char *out, unsigned room)
{
    NVML_CALL();
    return give_text(HEDDLE_VERSION, out, room);
}

EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *out)
{
    if (!out)
        return NVML_ERROR_INVALID_ARGUMENT;
    return cudaDriverGetVersion(out) == cudaSuccess
               ? NVML_SUCCESS
               : NVML_ERROR_DRIVER_NOT_LOADED;
}

EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *out)
{
    return nvmlSystemGetCudaDriverVersion(out);
}

/* ---- Which devices ---- */

EXPORT nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *out)
{
    NVML_CALL();
    if (!out)
        return NVML_ERROR_INVALID_ARGUMENT;
    *out = (unsigned)cu_get()->device_count;
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetCount(unsigned *out)
{
    return nvmlDeviceGetCount_v2(out);
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned i, nvmlDevice_t *out)
{
    NVML_CALL();
    return give_handle(i < CU_DEVICES_MAX ? (int)i : -1, out);
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned i, nvmlDevice_t *out)
{
    return nvmlDeviceGetHandleByIndex_v2(i, out);
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id,
                                                     nvmlDevice_t *out)
{
    NVML_CALL();
    unsigned domain, bus, slot;

    if (!id || !out || sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (domain || slot || !bus || bus > (unsigned)cu_get()->device_count)
        return NVML_ERROR_NOT_FOUND;
    return give_handle((int)bus - 1, out);
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *id,
                                                  nvmlDevice_t *out)
{
    return nvmlDeviceGetHandleByPciBusId_v2(id, out);
}

/* "GPU-" and the 16 bytes that cuDeviceGetUuid gives, in five groups. */
static void uuid_text(const cu_device *d, char out[48])
{
    unsigned char id[16];
    int n = sprintf(out, "GPU-");

    device_uuid(d, id);
    for (int i = 0; i < 16; i++)
        n += sprintf(out + n, "%s%02x",
                     i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *id, nvmlDevice_t *out)
{
    NVML_CALL();
    const cu_state *s = cu_get();
    char own[48];

    if (!id || !out)
        return NVML_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < s->device_count; i++) {
        uuid_text(&s->devices[i], own);
        if (!strcmp(own, id))
            return give_handle(i, out);
    }
    return NVML_ERROR_NOT_FOUND;
}

EXPORT nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *out)
{
    NVML_DEVICE_CALL(out);
    *out = (unsigned)d->number;
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *out)
{
    return nvmlDeviceGetIndex(device, out);
}

/* ---- What they are ---- */

EXPORT nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *out,
                                      unsigned room)
{
    NVML_DEVICE_CALL(out);
    return give_text(d->drv->cfg->gpu.name, out, room);
}

EXPORT nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *out,
                                      unsigned room)
{
    char id[48];

    NVML_DEVICE_CALL(out);
    uuid_text(d, id);
    return give_text(id, out, room);
}

/* As cudaDeviceGetPCIBusId has it. The first interfaces end behind
 * pciSubSystemId, of which the very first knew nothing. */
static void put_pci(const cu_device *d, nvmlPciInfo_t *out, size_t bytes)
{
    nvmlPciInfo_t is = {.bus = (unsigned)d->number + 1};

    snprintf(is.busIdLegacy, sizeof is.busIdLegacy, "0000:%02x:00.0", is.bus);
    snprintf(is.busId, sizeof is.busId, "00000000:%02x:00.0", is.bus);
    memcpy(out, &is, bytes);
}

EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device,
                                            nvmlPciInfo_t *out)
{
    NVML_DEVICE_CALL(out);
    put_pci(d, out, sizeof *out);
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device,
                                            nvmlPciInfo_t *out)
{
    NVML_DEVICE_CALL(out);
    put_pci(d, out, offsetof(nvmlPciInfo_t, busId));
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device,
                                         nvmlPciInfo_t *out)
{
    NVML_DEVICE_CALL(out);
    put_pci(d, out, offsetof(nvmlPciInfo_t, pciSubSystemId));
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device,
                                                       int *major, int *minor)
{
    NVML_DEVICE_CALL(major && minor);
    *major = (int)d->drv->cfg->gpu.capability / 10;
    *minor = (int)d->drv->cfg->gpu.capability % 10;
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device,
                                                unsigned *out)
{
    NVML_DEVICE_CALL(out);
    return give_attribute(d, 37, 1, out);
}

/* In MHz; clocks do not change. */
EXPORT nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, unsigned type,
                                           unsigned *out)
{
    NVML_DEVICE_CALL(out);
    switch (type) {
    case NVML_CLOCK_GRAPHICS:
    case NVML_CLOCK_SM:
        return give_attribute(d, 13, 1000, out);
    case NVML_CLOCK_MEM:
        return give_attribute(d, 36, 1000, out);
    case NVML_CLOCK_VIDEO:
        return NVML_ERROR_NOT_SUPPORTED;
    default:
        return NVML_ERROR_INVALID_ARGUMENT;
    }
}

EXPORT nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device,
                                              unsigned type, unsigned *out)
{
    return nvmlDeviceGetClockInfo(device, type, out);
}

EXPORT nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t device,
                                                   unsigned type, unsigned *out)
{
    return nvmlDeviceGetClockInfo(device, type, out);
}

EXPORT nvmlReturn_t nvmlDeviceGetDefaultApplicationsClock(nvmlDevice_t device,
                                                          unsigned type,
                                                          unsigned *out)
{
    return nvmlDeviceGetClockInfo(device, type, out);
}

/* Any process may use it: NVML_COMPUTEMODE_DEFAULT. */
EXPORT nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, int *out)
{
    NVML_DEVICE_CALL(out);
    *out = 0;
    return NVML_SUCCESS;
}

/* ---- What they do now ---- */

/* Of this process: no other one sees the same simulated device. */
static void look_at_memory(const cu_device *d, nvmlMemory_t *to)
{
    drv_device *own = d->drv;

    to->total = drv_device_bytes(own);
    to->free = drv_room_left(&own, 1);
    to->used = to->total - to->free;
}

EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device,
                                            nvmlMemory_t *out)
{
    NVML_DEVICE_CALL(out);
    look_at_memory(d, out);
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device,
                                               nvmlMemory_v2_t *out)
{
    nvmlMemory_t is;

    NVML_DEVICE_CALL(out);
    if (out->version != (sizeof *out | 2u << 24))
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    look_at_memory(d, &is);
    out->total = is.total;
    out->reserved = 0;
    out->free = is.free;
    out->used = is.used;
    return NVML_SUCCESS;
}

/* Is this process, once it uses the device, one of *count that there is room
 * for? */
static nvmlReturn_t count_processes(const cu_device *d, unsigned *count,
                                    const void *to, nvmlMemory_t *used)
{
    unsigned room = *count;

    *count = d->active;
    if (d->active && (!room || !to))
        return NVML_ERROR_INSUFFICIENT_SIZE;
    look_at_memory(d, used);
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(
    nvmlDevice_t device, unsigned *count, nvmlProcessInfo_v1_t *out)
{
    nvmlMemory_t is;
    nvmlReturn_t answer;

    NVML_DEVICE_CALL(count);
    answer = count_processes(d, count, out, &is);
    if (answer == NVML_SUCCESS && *count)
        *out = (nvmlProcessInfo_v1_t){(unsigned)getpid(), is.used};
    return answer;
}

EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(
    nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *out)
{
    nvmlMemory_t is;
    nvmlReturn_t answer;

    NVML_DEVICE_CALL(count);
    answer = count_processes(d, count, out, &is);
    if (answer == NVML_SUCCESS && *count)
        *out = (nvmlProcessInfo_t){(unsigned)getpid(), is.used, UINT32_MAX,
                                   UINT32_MAX};
    return answer;
}

EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(
    nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *out)
{
    return nvmlDeviceGetComputeRunningProcesses_v3(device, count, out);
}

/* ---- What is not there ---- */

static nvmlReturn_t refuse(const char *function, atomic_flag *told)
{
    if (!atomic_flag_test_and_set(told))
        fprintf(stderr,
                "heddle: %s is not supported: the program gets "
                "NVML_ERROR_NOT_SUPPORTED\n",
                function);
    return atomic_load(&initialised) ? NVML_ERROR_NOT_SUPPORTED
                                     : NVML_ERROR_UNINITIALIZED;
}

#define MISSING(name)                                                          \
    EXPORT nvmlReturn_t name(void);                                            \
    EXPORT nvmlReturn_t name(void)                                             \
    {                                                                          \
        static atomic_flag told = ATOMIC_FLAG_INIT;                            \
                                                                               \
        return refuse(__func__, &told);                                        \
    }
#include "cuda/nvml/nvml_missing.def"
#undef MISSING
