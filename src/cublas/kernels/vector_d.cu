/* Vectors of doubles. */
#include "vector.cuh"

VECTORS(d, double, double)
