/* workloads/cuda/vector_functions.h - see cuda_lite.h. */
#include "../cuda_lite.h"
