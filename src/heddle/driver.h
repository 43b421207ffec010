/* src/heddle/driver.h - what the command asks of the OpenCL driver besides
 * OpenCL, by dlsym. */
#ifndef HEDDLE_DRIVER_H
#define HEDDLE_DRIVER_H

#include <stddef.h>

/* Compiles a small kernel as it would a program's, or takes it from the cache
 * of programs. 0: it can; otherwise `why` says, in lines, which compiler was
 * tried or looked for, what is wrong with it and what to install. */
#define HEDDLE_TRY_COMPILER "heddle_try_compiler"
typedef int heddle_try_compiler_function(char *why, size_t size);
heddle_try_compiler_function heddle_try_compiler;

#endif
