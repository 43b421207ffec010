/* Products of small integers. */
#include "product.cuh"

PRODUCT(igemm, signed char, int, int, int)
PRODUCT(isgemm, signed char, float, int, float)
