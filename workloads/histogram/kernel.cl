/* Counts bytes: each group counts its share in local memory with atomics and
 * adds the 256 sums to the result. `in` holds four bytes a word. */
kernel void histogram(global const uint *in, global uint *bins, uint words)
{
    local uint own[256];
    uint t = get_local_id(0);

    own[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < words; i += get_global_size(0)) {
        uint v = in[i];
        for (uint b = 0; b < 4; b++)
            atomic_inc(&own[v >> 8 * b & 255]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own[t])
        atomic_add(&bins[t], own[t]);
}
