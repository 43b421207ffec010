/* Matrices of singles. */
#include "dense.cuh"

DENSE(s, float)
