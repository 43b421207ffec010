/* Products of doubles. */
#include "product.cuh"

PRODUCT(dgemm, double, double, double, double)
