/* workloads/cuda/sm_32_intrinsics.h - see cuda_lite.h. */
#include "../cuda_lite.h"
