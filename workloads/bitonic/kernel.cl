/* Bitonic sort of 2^k keys, 512 or more. bitonic_local sorts chunks of 512 in
 * local memory, in alternating directions; for every longer run length `k`
 * bitonic_global compares at distances >= 512 and bitonic_merge finishes the
 * distances below. Each work item compares one pair. */
kernel void bitonic_global(global uint *data, uint k, uint j)
{
    uint t = get_global_id(0), i = 2 * t - (t & (j - 1));
    uint x = data[i], y = data[i + j];

    if ((x > y) == ((i & k) == 0)) {
        data[i] = y;
        data[i + j] = x;
    }
}

/* The chunk's keys, compared at distances j, j/2, ... 1 for run length k. */
static void merge(local uint *key, uint t, uint first, uint k, uint j)
{
    for (; j; j /= 2) {
        uint i = 2 * t - (t & (j - 1));
        barrier(CLK_LOCAL_MEM_FENCE);
        uint x = key[i], y = key[i + j];
        bool up = ((first + i) & k) == 0;
        key[i] = up ? min(x, y) : max(x, y);
        key[i + j] = up ? max(x, y) : min(x, y);
    }
}

kernel void bitonic_local(global uint *data)
{
    local uint key[512];
    uint t = get_local_id(0), first = get_group_id(0) * 512;

    key[t] = data[first + t];
    key[t + 256] = data[first + t + 256];
    for (uint k = 2; k <= 512; k *= 2)
        merge(key, t, first, k, k / 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    data[first + t] = key[t];
    data[first + t + 256] = key[t + 256];
}

kernel void bitonic_merge(global uint *data, uint k)
{
    local uint key[512];
    uint t = get_local_id(0), first = get_group_id(0) * 512;

    key[t] = data[first + t];
    key[t + 256] = data[first + t + 256];
    merge(key, t, first, k, 256);
    barrier(CLK_LOCAL_MEM_FENCE);
    data[first + t] = key[t];
    data[first + t + 256] = key[t + 256];
}
