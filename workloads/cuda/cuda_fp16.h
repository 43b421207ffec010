/* workloads/cuda/cuda_fp16.h - see lite/half.h. */
#include "../cuda_lite.h"

#include "lite/half.h"
