/* src/cuda/module/registry.h - modules as they are made, and what the program
 * registers before main. With the lock. */
#ifndef CUDA_MODULE_REGISTRY_H
#define CUDA_MODULE_REGISTRY_H

#include "cuda/module/module.h"

/* Of each part of a program its PTX, or of all their machine code. */
typedef struct cu_texts {
    rt_text *part; /* owned, and so are the texts */
    size_t count;
} cu_texts;

struct cu_module {
    drv_object o;
    struct cu_module *next; /* registered ones */
    char *name;             /* for people; owned */
    fatbin *code;           /* owned; NULL: */
    cu_texts texts;         /* that the program loaded, */
    cu_texts ptx;      /* where these are machine code: what else there is */
    bool machine_code; /* that they are */
    bool references;   /* it has texture or surface references */
    bool told;         /* that a kernel cannot run by its machine code */
    unsigned max_registers;            /* compiled with so many, 0: any */
    drv_module loaded[CU_DEVICES_MAX]; /* .module NULL: not yet */
    /* PTX of what is loaded as machine code, for kernels of which that cannot
     * run; NULL: not needed yet. */
    rt_module *beside[CU_DEVICES_MAX];
    bool failed[CU_DEVICES_MAX];         /* it cannot be, which was reported */
    unsigned capability[CU_DEVICES_MAX]; /* of the image that was chosen */
    cu_function *functions;
    cu_variable *variables;
};

/* Takes over the code, which may be NULL; NULL: no memory. */
cu_module *module_of(const char *name, fatbin *code);
cu_function *module_add_function(cu_module *m, const char *name);

#endif
