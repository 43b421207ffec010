/* workloads/cuda/cuda_runtime_api.h - see cuda_lite.h. */
#include "../cuda_lite.h"
