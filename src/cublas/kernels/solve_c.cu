/* Systems of complex singles. */
#include "solve.cuh"

SOLVE(c, complex32)
