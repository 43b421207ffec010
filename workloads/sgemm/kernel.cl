/* c = a b for n x n matrices, n a multiple of 16: each group of 16 x 16
 * computes one tile of c from tiles of a and b in local memory. */
kernel void sgemm(global const float *a, global const float *b, global float *c,
                  uint n)
{
    local float ta[16][16], tb[16][16];
    uint tx = get_local_id(0), ty = get_local_id(1);
    uint col = get_global_id(0), row = get_global_id(1);
    float sum = 0;

    for (uint k = 0; k < n; k += 16) {
        ta[ty][tx] = a[row * n + k + tx];
        tb[ty][tx] = b[(k + ty) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < 16; i++)
            sum += ta[ty][i] * tb[i][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}
