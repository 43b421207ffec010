/* Matrices of complex singles. */
#include "dense.cuh"

DENSE(c, complex32)
