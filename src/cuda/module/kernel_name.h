/* src/cuda/module/kernel_name.h - what people call a kernel: in C++ it has a
 * mangled name [ITANIUM:mangling]. */
#ifndef CUDA_MODULE_KERNEL_NAME_H
#define CUDA_MODULE_KERNEL_NAME_H

#include <stdbool.h>

/* "scan<int, 256>" for "_Z4scanIiLi256EEvPT_", with `parameters`
 * "scan<int, 256>(int*)"; the name itself if it is not mangled. To be freed;
 * NULL: no memory. */
char *kernel_name(const char *mangled, bool parameters);

#endif
