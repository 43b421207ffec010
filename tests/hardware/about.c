/* tests/hardware/about.c - says what device measurements are of: what the CUDA
 * driver knows, and the driver's version, clocks and power limit by NVML, both
 * found at run time. What a machine does not say is a dash. */
#include <dlfcn.h>
#include <stdio.h>

#include "cu.h"

/* Of NVML [NVML:nvmlClockType_t]. */
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 };

typedef int device_number(void *device, unsigned *value);
typedef int device_clock(void *device, int which, unsigned *mhz);

static void *find(void *lib, const char *name)
{
    return lib ? dlsym(lib, name) : NULL;
}

static void number(void *lib, void *device, const char *name, const char *what,
                   double part)
{
    device_number *get = (device_number *)find(lib, name);
    unsigned value = 0;

    if (device && get && !get(device, &value))
        printf("%s: %g\n", what, value * part);
    else
        printf("%s: -\n", what);
}

static void clock_of(void *lib, void *device, const char *name, int which,
                     const char *what)
{
    device_clock *get = (device_clock *)find(lib, name);
    unsigned mhz = 0;

    if (device && get && !get(device, which, &mhz))
        printf("%s: %u\n", what, mhz);
    else
        printf("%s: -\n", what);
}

static void tell_nvml(void)
{
    void *lib = dlopen("libnvidia-ml.so.1", RTLD_NOW), *device = NULL;
    int (*init)(void) = (int (*)(void))find(lib, "nvmlInit_v2");
    int (*handle)(unsigned, void **) =
        (int (*)(unsigned, void **))find(lib, "nvmlDeviceGetHandleByIndex_v2");
    int (*version)(char *, unsigned) =
        (int (*)(char *, unsigned))find(lib, "nvmlSystemGetDriverVersion");
    char text[100] = "-";

    if (init && handle && !init() && handle(0, &device))
        device = NULL;
    if (!device || !version || version(text, sizeof text))
        snprintf(text, sizeof text, "-");
    printf("driver: %s\n", text);
    clock_of(lib, device, "nvmlDeviceGetClockInfo", CLOCK_SM,
             "SM clock now, MHz");
    clock_of(lib, device, "nvmlDeviceGetMaxClockInfo", CLOCK_SM,
             "SM clock at most, MHz");
    clock_of(lib, device, "nvmlDeviceGetClockInfo", CLOCK_MEMORY,
             "memory clock now, MHz");
    clock_of(lib, device, "nvmlDeviceGetMaxClockInfo", CLOCK_MEMORY,
             "memory clock at most, MHz");
    number(lib, device, "nvmlDeviceGetPowerManagementLimit", "power limit, W",
           1e-3);
}

int main(void)
{
    cu_driver cu;
    cu_device d;
    const char *none = cu_open(&cu, &d);

    if (none) {
        fprintf(stderr, "about: %s\n", none);
        return 77;
    }
    printf("device: %s\ncompute capability: %d.%d\nCUDA driver API: %d\n",
           d.name, d.major, d.minor, d.version);
    printf("SMs: %d\nL2, bytes: %d\nshared memory of an SM, bytes: %d\n",
           cu_attribute(&cu, &d, CU_SMS), cu_attribute(&cu, &d, CU_L2_BYTES),
           cu_attribute(&cu, &d, CU_SM_SHARED));
    tell_nvml();
    return 0;
}
