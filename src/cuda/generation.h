/* src/cuda/generation.h - for which version of the interface a program was
 * built: some structures differ under the same name. */
#ifndef CUDA_GENERATION_H
#define CUDA_GENERATION_H

typedef enum cu_generation {
    CUDA_11 = 11, /* and older */
    CUDA_12 = 12,
    CUDA_13 = 13,
} cu_generation;

/* That of this process's program. */
cu_generation cu_program_generation(void);

#endif
