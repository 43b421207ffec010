/* c = a b for n x n matrices, n a multiple of 64: a group of 8 x 8 items
 * computes 64 x 64 results, each item those 8 apart in both directions, from
 * strips of 8 columns of a and 8 rows of b in local memory. */
kernel void sgemm(global const float *a, global const float *b, global float *c,
                  uint n)
{
    local float ta[8][65], tb[8][64];
    uint tx = get_local_id(0), ty = get_local_id(1), t = ty * 8 + tx;
    uint col = get_group_id(0) * 64, row = get_group_id(1) * 64;
    float sum[8][8], x[8], y[8];

#pragma unroll
    for (uint i = 0; i < 8; i++)
#pragma unroll
        for (uint j = 0; j < 8; j++)
            sum[i][j] = 0;
    for (uint k = 0; k < n; k += 8) {
#pragma unroll
        for (uint i = 0; i < 8; i++) {
            ta[tx][ty + 8 * i] = a[(row + ty + 8 * i) * n + k + tx];
            tb[i][t] = b[(k + i) * n + col + t];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint s = 0; s < 8; s++) {
#pragma unroll
            for (uint i = 0; i < 8; i++) {
                y[i] = ta[s][ty + 8 * i];
                x[i] = tb[s][tx + 8 * i];
            }
#pragma unroll
            for (uint i = 0; i < 8; i++)
#pragma unroll
                for (uint j = 0; j < 8; j++)
                    sum[i][j] += y[i] * x[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (uint i = 0; i < 8; i++)
#pragma unroll
        for (uint j = 0; j < 8; j++)
            c[(row + ty + 8 * i) * n + col + tx + 8 * j] = sum[i][j];
}
