/* Products of complex singles. */
#include "product.cuh"

PRODUCT(cgemm, complex32, complex32, complex32, complex32)
