/* Each thread decodes a row: a word holds two codes of 10 bits, which stand for
 * values of two books. Neighbours read places that are a row apart; the books
 * are small and read again and again. */
#include "../cuda_lite.h"

extern "C" __global__ void decode(const unsigned *code, const float *book,
                                  float *out, unsigned rows, unsigned pitch,
                                  unsigned width)
{
    unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (r >= rows)
        return;
    for (unsigned c = 0; c < width; c++) {
        unsigned word = code[r * pitch + c];

        sum += book[word & 1023] * book[1024 + (word >> 10 & 1023)];
    }
    out[r] = sum;
}
