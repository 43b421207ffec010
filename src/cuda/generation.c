#include "cuda/generation.h"

#include "cuda/takeover/takeover.h"

cu_generation cu_program_generation(void)
{
    unsigned is = takeover_generation();

    return is == 0 || is >= CUDA_13 ? CUDA_13
           : is == CUDA_12          ? CUDA_12
                                    : CUDA_11;
}
