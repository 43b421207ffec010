/* workloads/cuda/vector_types.h - see cuda_lite.h. */
#include "../cuda_lite.h"
