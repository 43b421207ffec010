/* Loads 16 vectors of four, then uses them from the last to the first: all of
 * them are in flight when the first use waits. */
kernel void burst(global const float4 *in, global float4 *out, uint n)
{
    uint i = get_global_id(0);
    float4 v[16], sum = 0;

    if (i >= n)
        return;
#pragma unroll
    for (uint k = 0; k < 16; k++)
        v[k] = in[k * n + i];
#pragma unroll
    for (uint k = 16; k > 0; k--)
        sum = 0.5f * sum + v[k - 1];
    out[i] = sum;
}
