/* src/heddle/driver.h - what the command knows of the drivers: their files, and
 * what it asks of that of OpenCL, by dlsym. */
#ifndef HEDDLE_DRIVER_H
#define HEDDLE_DRIVER_H

#include <stddef.h>

/* The drivers' names; all stand in one folder. */
#define HEDDLE_OPENCL_LIBRARY "libheddle-opencl.so"
#define HEDDLE_CUDA_LIBRARY   "libheddle-cuda.so"

/* For CUDA programs: what every process loads first, and the folder of the
 * libraries that have the vendor's names. */
#define HEDDLE_CUDA_PRELOAD "libheddle-preload.so"
#define HEDDLE_CUDA_FOLDER  "cuda"

/* Compiles a small kernel as it would a program's, or takes it from the cache
 * of programs. 0: it can; otherwise `why` says, in lines, which compiler was
 * tried or looked for, what is wrong with it and what to install. */
#define HEDDLE_TRY_COMPILER "heddle_try_compiler"
typedef int heddle_try_compiler_function(char *why, size_t size);
heddle_try_compiler_function heddle_try_compiler;

#endif
