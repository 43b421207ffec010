/* One step of a five-point stencil on an n x n grid; the border stays. Groups
 * of 32 x 8 keep their tile and its rim in local memory. */
kernel void stencil(global const float *in, global float *out, uint n,
                    float centre, float side)
{
    local float tile[10][34];
    uint tx = get_local_id(0), ty = get_local_id(1);
    uint x = get_global_id(0), y = get_global_id(1);
    bool inside = x < n && y < n;

    if (inside) {
        tile[ty + 1][tx + 1] = in[y * n + x];
        if (ty == 0 && y > 0)
            tile[0][tx + 1] = in[(y - 1) * n + x];
        if (ty == 7 && y + 1 < n)
            tile[9][tx + 1] = in[(y + 1) * n + x];
        if (tx == 0 && x > 0)
            tile[ty + 1][0] = in[y * n + x - 1];
        if (tx == 31 && x + 1 < n)
            tile[ty + 1][33] = in[y * n + x + 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!inside)
        return;
    float v = tile[ty + 1][tx + 1];
    if (x > 0 && y > 0 && x + 1 < n && y + 1 < n)
        v = centre * v + side * (tile[ty][tx + 1] + tile[ty + 2][tx + 1] +
                                 tile[ty + 1][tx] + tile[ty + 1][tx + 2]);
    out[y * n + x] = v;
}
