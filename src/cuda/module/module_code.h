/* src/cuda/module/module_code.h - which code of a module a device runs: PTX,
 * which is compiled, or machine code. Where both are there and the user does
 * not say, it is machine code, but for kernels of which that cannot run. With
 * the lock. */
#ifndef CUDA_MODULE_MODULE_CODE_H
#define CUDA_MODULE_MODULE_CODE_H

#include "cuda/module/registry.h"

void module_code_free_texts(cu_texts *t);

/* Messages of the compiler, on stderr: warnings only if wanted. */
void module_code_print(const diag *dg, bool failed);

/* Takes of the container, which is then not needed any more, what the device
 * runs. False: errors in `dg`. */
bool module_code_keep(cu_module *m, const fatbin *code, const cu_device *d,
                      diag *dg);

/* The module of the device; NULL: errors in `dg`. */
rt_module *module_code_load(cu_module *m, const cu_device *d, diag *dg);

/* Is there PTX of what is loaded as machine code, and may it run? */
bool module_code_has_other(const cu_module *m, const cu_device *d);

/* That PTX as a module, for `kernel`, which `why` keeps from running by its
 * machine code; the first of a module is told on stderr. NULL: there is none,
 * or it cannot be compiled, which was told. */
rt_module *module_code_beside(cu_module *m, const cu_device *d,
                              const char *kernel, const char *why);

/* Where the kernel's code is looked for: `made`, which module_code_load gave,
 * or the module beside it. */
rt_module *module_code_holder(cu_module *m, const cu_device *d, rt_module *made,
                              const char *kernel);

#endif
