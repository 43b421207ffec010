/* Vectors of numbers of 16 bits. */
#include "vector.cuh"

VECTORS_SHORT(h, half16)
VECTORS_SHORT(b, bfloat16)
