/* Products of singles. */
#include "product.cuh"

PRODUCT(sgemm, float, float, float, float)
