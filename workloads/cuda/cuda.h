/* workloads/cuda/cuda.h - see cuda_lite.h. */
#include "../cuda_lite.h"
