/* 256 multiply-adds, each of which needs the one before. */
kernel void chain(global float *x, float a, float b, uint n)
{
    uint i = get_global_id(0);

    if (i >= n)
        return;
    float v = x[i];
#pragma unroll
    for (uint s = 0; s < 256; s++)
        v = fma(v, a, b);
    x[i] = v;
}
