/* workloads/cuda/sm_20_intrinsics.h - see cuda_lite.h. */
#include "../cuda_lite.h"
