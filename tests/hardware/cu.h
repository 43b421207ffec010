/* tests/hardware/cu.h - what programs here use of the CUDA driver API, found at
 * run time, so that building needs no toolkit. Numbers and names are those of
 * the driver API's reference. A call gives 0 if all is well. */
#ifndef HARDWARE_CU_H
#define HARDWARE_CU_H

#include <stddef.h>

typedef unsigned long long cu_pointer;

/* What tells the tensor memory accelerator of a matrix: opaque. */
typedef struct cu_tensor_map {
    _Alignas(64) unsigned long long words[16];
} cu_tensor_map;

/* Numbers of attributes of devices and functions. */
enum {
    CU_CLOCK_KHZ = 13,
    CU_SMS = 16,
    CU_MEMORY_KHZ = 36,
    CU_L2_BYTES = 38,
    CU_SM_THREADS = 39,
    CU_MAJOR = 75,
    CU_MINOR = 76,
    CU_SM_SHARED = 81,
    CU_FUNCTION_SHARED = 8
};

typedef struct cu_driver {
    int (*init)(unsigned);
    int (*version)(int *);
    int (*error_name)(int, const char **);
    int (*device_get)(int *, int);
    int (*device_name)(char *, int, int);
    int (*device_attribute)(int *, int, int);
    int (*device_bytes)(size_t *, int);
    int (*context_retain)(void **, int);
    int (*context_set)(void *);
    int (*module_load)(void **, const void *, unsigned, int *, void **);
    int (*module_unload)(void *);
    int (*function)(void **, void *, const char *);
    int (*function_attribute)(void *, int, int);
    int (*alloc)(cu_pointer *, size_t);
    int (*free)(cu_pointer);
    int (*fill)(cu_pointer, unsigned char, size_t);
    int (*to_device)(cu_pointer, const void *, size_t);
    int (*to_host)(void *, cu_pointer, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                  unsigned, unsigned, void *, void **, void **);
    int (*synchronize)(void);
    int (*ctas_per_sm)(int *, void *, int, size_t);
    int (*event_new)(void **, unsigned);
    int (*event_free)(void *);
    int (*event_record)(void *, void *);
    int (*event_wait)(void *);
    int (*event_ms)(float *, void *, void *);
    /* NULL if the driver is older than CUDA 12: map, type, dimensions, address,
     * sizes, strides in bytes of all but the first, box, steps, interleave,
     * swizzle, promotion, fill. */
    int (*tensor_map_tiled)(cu_tensor_map *, int, unsigned, cu_pointer,
                            const unsigned long long *,
                            const unsigned long long *, const unsigned *,
                            const unsigned *, int, int, int, int);
} cu_driver;

typedef struct cu_device {
    char name[100];
    int version; /* of the driver API */
    int major, minor;
    int number;
} cu_device;

/* Finds the driver and makes device 0 the current one. NULL, or why there is
 * none, in words. */
const char *cu_open(cu_driver *cu, cu_device *d);
/* 0 if the device does not know it. */
int cu_attribute(const cu_driver *cu, const cu_device *d, int what);
/* The driver compiles PTX. NULL if it refuses, and why on standard error behind
 * the module's name. */
void *cu_module(const cu_driver *cu, const char *ptx, const char *name);
const char *cu_error_name(const cu_driver *cu, int status);

#endif
