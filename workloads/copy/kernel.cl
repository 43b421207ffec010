/* Each item copies every so-manieth vector. */
kernel void copy(global const float4 *in, global float4 *out, uint n)
{
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        out[i] = in[i];
}
