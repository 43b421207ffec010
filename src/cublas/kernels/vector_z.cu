/* Vectors of complex doubles. */
#include "vector.cuh"

VECTORS(z, complex64, double)
