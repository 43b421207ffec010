/* workloads/cuda/device_atomic_functions.h - see cuda_lite.h. */
#include "../cuda_lite.h"
