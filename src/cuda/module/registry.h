/* src/cuda/module/registry.h - modules as they are made, and what the program
 * registers before main. With the lock. */
#ifndef CUDA_MODULE_REGISTRY_H
#define CUDA_MODULE_REGISTRY_H

#include "cuda/module/module.h"

struct cu_module {
    drv_object o;
    struct cu_module *next; /* registered ones */
    char *name;             /* for people; owned */
    fatbin *code;           /* owned */
    void *copy;             /* of what the program loaded; owned, or NULL */
    drv_module loaded[CU_DEVICES_MAX];   /* .module NULL: not yet */
    bool failed[CU_DEVICES_MAX];         /* it cannot be, which was reported */
    unsigned capability[CU_DEVICES_MAX]; /* of the image that was chosen */
    cu_function *functions;
    cu_variable *variables;
};

/* Takes over the code; NULL: no memory. */
cu_module *module_of(fatbin *code);
cu_function *module_add_function(cu_module *m, const char *name);

#endif
