/* workloads/cuda/cuda_runtime.h - see cuda_lite.h. */
#include "../cuda_lite.h"
