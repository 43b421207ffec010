/* workloads/cuda/host_defines.h - see cuda_lite.h. */
#include "../cuda_lite.h"
