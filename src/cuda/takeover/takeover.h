/* src/cuda/takeover/takeover.h - what is known of programs that bring the
 * vendor's CUDA runtime with them: nvcc links it statically unless it is told
 * `-cudart shared`. libheddle-preload.so (cuda/preload) has led its functions
 * to those of this library that have the same names. */
#ifndef CUDA_TAKEOVER_TAKEOVER_H
#define CUDA_TAKEOVER_TAKEOVER_H

#include <stdbool.h>

/* A variable of libheddle-preload.so, an unsigned: how many files have a
 * runtime that was taken over. */
#define TAKEOVER_COUNT "heddle_taken_over"

/* Which CUDA the program was compiled for, 10 to 13: that of the first file
 * loaded that has a runtime or is linked to one, beginning with the program; 0:
 * none is. Structures of some functions differ. */
unsigned takeover_generation(void);

/* A runtime is in the program that was not taken over (it has no symbols, say,
 * or was loaded later): it will ask for the driver. */
bool takeover_failed(void);

#endif
