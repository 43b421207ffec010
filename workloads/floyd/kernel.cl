/* Ways over vertex k, which do not change row and column k. */
kernel void pass(global uint *d, uint n, uint k)
{
    uint x = get_global_id(0), y = get_global_id(1);

    if (x < n && y < n)
        d[y * n + x] = min(d[y * n + x], d[y * n + k] + d[k * n + x]);
}
