/* out = transpose of the n x n matrix in, by 32 x 32 tiles; groups of 32 x 8.
 * The tile's columns lie in one bank each: 32 items wait for each other. */
kernel void transpose(global const float *in, global float *out, uint n)
{
    local float tile[32][32];
    uint tx = get_local_id(0), ty = get_local_id(1);
    uint x = get_group_id(0) * 32, y = get_group_id(1) * 32;

    for (uint r = ty; r < 32; r += 8)
        if (y + r < n && x + tx < n)
            tile[r][tx] = in[(y + r) * n + x + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = ty; r < 32; r += 8)
        if (x + r < n && y + tx < n)
            out[(x + r) * n + y + tx] = tile[tx][r];
}
