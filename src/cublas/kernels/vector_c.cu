/* Vectors of complex singles. */
#include "vector.cuh"

VECTORS(c, complex32, float)
