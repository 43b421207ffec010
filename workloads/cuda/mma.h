/* workloads/cuda/mma.h - see wmma_lite.h. */
#include "../wmma_lite.h"
