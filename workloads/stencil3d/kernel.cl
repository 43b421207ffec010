/* One step of a seven-point stencil on n x n x n values; the surface stays. An
 * item has one column, from the lowest layer up. */
kernel void stencil(global const float *in, global float *out, uint n,
                    float centre, float side)
{
    uint x = get_global_id(0), y = get_global_id(1);

    if (x >= n || y >= n)
        return;
    bool inside = x > 0 && y > 0 && x + 1 < n && y + 1 < n;
    uint i = y * n + x, layer = n * n;
    float below, own = in[i], above = in[i + layer];
    out[i] = own;
    for (uint z = 1; z + 1 < n; z++) {
        i += layer;
        below = own;
        own = above;
        above = in[i + layer];
        out[i] =
            inside ? centre * own + side * (in[i - 1] + in[i + 1] + in[i - n] +
                                            in[i + n] + below + above)
                   : own;
    }
    out[i + layer] = above;
}
