/* Products of complex doubles. */
#include "product.cuh"

PRODUCT(zgemm, complex64, complex64, complex64, complex64)
