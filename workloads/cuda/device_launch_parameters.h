/* workloads/cuda/device_launch_parameters.h - see cuda_lite.h. */
#include "../cuda_lite.h"
