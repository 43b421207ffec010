/* workloads/cuda/surface_functions.h - see cuda_lite.h. */
#include "../cuda_lite.h"
