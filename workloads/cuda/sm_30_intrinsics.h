/* workloads/cuda/sm_30_intrinsics.h - see cuda_lite.h. */
#include "../cuda_lite.h"
