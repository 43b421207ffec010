/* A 5 x 5 filter by tiles of 16 x 16 in local memory, with a rim of 2. Only
 * groups at the edge of the image clamp their coordinates. */
kernel void convolve(global const float *in, constant float *weight,
                     global float *out, uint n)
{
    local float tile[20][20];
    int tx = get_local_id(0), ty = get_local_id(1);
    int x0 = get_group_id(0) * 16 - 2, y0 = get_group_id(1) * 16 - 2;
    int last = n - 1;

    if (x0 >= 0 && y0 >= 0 && x0 + 19 <= last && y0 + 19 <= last) {
        for (int i = ty * 16 + tx; i < 400; i += 256)
            tile[i / 20][i % 20] = in[(y0 + i / 20) * n + x0 + i % 20];
    } else {
        for (int i = ty * 16 + tx; i < 400; i += 256) {
            int x = clamp(x0 + i % 20, 0, last);
            int y = clamp(y0 + i / 20, 0, last);
            tile[i / 20][i % 20] = in[y * n + x];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n)
        return;
    float sum = 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            sum += weight[i * 5 + j] * tile[ty + i][tx + j];
    out[y * n + x] = sum;
}
