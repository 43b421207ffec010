/* Matrices of numbers of 16 bits. */
#include "dense.cuh"

GEMV(hsh, half16, half16, float)
GEMV(hss, half16, float, float)
GEMV(tst, bfloat16, bfloat16, float)
GEMV(tss, bfloat16, float, float)
