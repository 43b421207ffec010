/* Each item decodes a row: a word holds two codes of 10 bits, which stand for
 * values of two books. Neighbours read places that are a row apart; the books
 * are small and read again and again. */
kernel void decode(global const uint *code, global const float *book,
                   global float *out, uint rows, uint pitch, uint width)
{
    uint r = get_global_id(0);
    float sum = 0;

    if (r >= rows)
        return;
    for (uint c = 0; c < width; c++) {
        uint word = code[r * pitch + c];

        sum += book[word & 1023] * book[1024 + (word >> 10 & 1023)];
    }
    out[r] = sum;
}
