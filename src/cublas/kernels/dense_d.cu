/* Matrices of doubles. */
#include "dense.cuh"

DENSE(d, double)
