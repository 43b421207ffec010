/* Systems of complex doubles. */
#include "solve.cuh"

SOLVE(z, complex64)
