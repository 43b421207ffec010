/* Vectors of singles. */
#include "vector.cuh"

VECTORS(s, float, float)
