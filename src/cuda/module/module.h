/* src/cuda/module/module.h - code that the program has brought: what it
 * registered before main (fat binaries), or loaded.
 *
 * A module is compiled for a device when it is first needed there. Functions
 * and variables are known by the name that PTX has, and, where the program was
 * compiled with <<<>>>, by an address on the host. With the lock. */
#ifndef CUDA_MODULE_MODULE_H
#define CUDA_MODULE_MODULE_H

#include "cuda/door.h"
#include "driver/kernel_command.h"
#include "fatbin/fatbin.h"

typedef struct cu_module cu_module;

typedef struct cu_function {
    drv_object o;
    struct cu_function *next; /* of the module */
    cu_module *module;
    const char *name; /* of the PTX, mangled; owned by the module's registry */
    int max_dynamic;  /* bytes of dynamic shared memory that may be asked for;
                         -1: the program has not set it */
    bool large_cga;   /* thread-block clusters may be larger than is portable */
    int carveout;     /* preferred share of shared memory in percent, -1 */
    struct cu_code {  /* on each device; .kernel NULL: not looked up yet */
        const isa_kernel *kernel;
        drv_module module; /* that holds it */
    } code[CU_DEVICES_MAX];
} cu_function;

typedef struct cu_variable {
    struct cu_variable *next; /* of the module */
    cu_module *module;
    const void *host; /* its address in the program; NULL: managed */
    void **managed;   /* where the program has its pointer, or NULL */
    const char *name;
    size_t size;
    bool constant;
} cu_variable;

drv_object *module_object(cu_module *m);
/* That of a handle of __cudaRegisterFatBinary; NULL: it is none. */
cu_module *module_of_handle(void **handle);
/* Code of the device, NULL: it could not be compiled for it, which was
 * reported. */
rt_module *module_load(cu_module *m, cu_device *d);
/* From now on it has at most so many registers, if it can be compiled so; its
 * code. */
const isa_kernel *function_limit(cu_function *f, cu_device *d, unsigned limit);
/* What a report shows of a kernel that function_code has found. */
const drv_module *function_module(const cu_function *f, const cu_device *d);

/* The program has texture or surface references in it. */
void module_has_references(cu_module *m);

/* A module that the program loads, compiled for the current device: PTX, a
 * container, machine code, of `size` bytes; 0: only the content tells. A thread
 * has at most `max_registers`, 0: any number. The bytes are not needed any
 * more. Messages of the compiler are in `dg`. */
cudaError_t module_new(const char *name, const void *image, size_t size,
                       unsigned max_registers, diag *dg, cu_module **out);
/* The module, NULL: the handle is none, reported. */
cu_module *module_get(const void *handle);
/* The program has loaded it, and may unload it. */
bool module_is_loaded(const cu_module *m);
/* It ends when nothing runs of it any more. */
void module_unload(cu_module *m);
/* Its kernel of that name; NULL: it has none, reported. */
cu_function *module_function(cu_module *m, const char *name);
/* Names of its kernels on the current device, from 0; NULL: no more. */
const char *module_kernel_name(cu_module *m, uint32_t i);
/* A variable on the device, by name. */
cudaError_t module_variable(cu_module *m, cu_device *d, const char *name,
                            uint64_t *addr, uint64_t *size);

/* The function that stands for this address, a handle or the entry of a stub;
 * NULL: none does, reported. */
cu_function *function_get(const void *symbol);
/* Its code on the device; NULL: reported, *code says how. */
const isa_kernel *function_code(cu_function *f, cu_device *d,
                                cudaError_t *code);

/* The capability for which the module's code on the device was made, which may
 * not be the device's; 0: not loaded. */
unsigned module_capability(const cu_module *m, const cu_device *d);

/* The registered variable at this address of the program, NULL: none. */
cu_variable *variable_get(const void *symbol);
/* Its address and size on the device. */
cudaError_t variable_place(const cu_variable *v, cu_device *d, uint64_t *addr,
                           uint64_t *size);

#endif
