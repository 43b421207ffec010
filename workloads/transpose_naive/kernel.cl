/* out = transpose of the n x n matrix in, one element per item. */
kernel void transpose(global const float *in, global float *out, uint n)
{
    uint x = get_global_id(0), y = get_global_id(1);

    if (x < n && y < n)
        out[x * n + y] = in[y * n + x];
}
