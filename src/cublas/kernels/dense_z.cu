/* Matrices of complex doubles. */
#include "dense.cuh"

DENSE(z, complex64)
