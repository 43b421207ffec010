/* 64 look-ups in each item, each of which depends on the last. */
kernel void lookup(global const uint *table, global uint *x, local uint *own,
                   uint words, uint n)
{
    uint i = get_global_id(0);

    for (uint k = get_local_id(0); k < words; k += get_local_size(0))
        own[k] = table[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i >= n)
        return;
    uint v = x[i];
    for (uint s = 0; s < 64; s++)
        v = v >> 8 ^ own[v & (words - 1)];
    x[i] = v;
}
