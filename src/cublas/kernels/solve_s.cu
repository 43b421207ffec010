/* Systems of singles. */
#include "solve.cuh"

SOLVE(s, float)
