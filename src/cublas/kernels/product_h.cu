/* Products of numbers of 16 bits, whose sums are singles. */
#include "product.cuh"

PRODUCT(hgemm, half16, half16, float, float)
PRODUCT(hsgemm, half16, float, float, float)
PRODUCT(bgemm, bfloat16, bfloat16, float, float)
PRODUCT(bsgemm, bfloat16, float, float, float)
