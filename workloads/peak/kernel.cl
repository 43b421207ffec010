/* Eight chains of 32 multiply-adds: each instruction is independent of the
 * seven before it. */
kernel void peak(global float *x, float a, float b, uint n)
{
    uint i = get_global_id(0);
    float v[8], sum = 0;

    if (i >= n)
        return;
#pragma unroll
    for (uint c = 0; c < 8; c++)
        v[c] = x[i] + c;
#pragma unroll
    for (uint s = 0; s < 32; s++)
#pragma unroll
        for (uint c = 0; c < 8; c++)
            v[c] = fma(v[c], a, b);
#pragma unroll
    for (uint c = 0; c < 8; c++)
        sum += v[c];
    x[i] = sum;
}
