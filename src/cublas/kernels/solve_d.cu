/* Systems of doubles. */
#include "solve.cuh"

SOLVE(d, double)
