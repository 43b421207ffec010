#include "cuda/generation.h"

cu_generation cu_program_generation(void) { return CUDA_13; }
