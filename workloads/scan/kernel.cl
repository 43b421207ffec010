/* Exclusive prefix sum of 32-bit integers in three launches: scan_blocks on
 * chunks of 256, scan_blocks on their sums, add_sums. At most 65,536 items.
 * Inside a group: up-sweep and down-sweep of a tree in local memory. */
kernel void scan_blocks(global const uint *in, global uint *out,
                        global uint *sums, uint n)
{
    local uint tree[256];
    uint t = get_local_id(0), i = get_global_id(0);

    tree[t] = i < n ? in[i] : 0;
    for (uint d = 1; d < 256; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((t + 1) % (2 * d) == 0)
            tree[t] += tree[t - d];
    }
    if (t == 255) {
        sums[get_group_id(0)] = tree[255];
        tree[255] = 0;
    }
    for (uint d = 128; d; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((t + 1) % (2 * d) == 0) {
            uint left = tree[t - d];
            tree[t - d] = tree[t];
            tree[t] += left;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        out[i] = tree[t];
}

kernel void add_sums(global uint *out, global const uint *sums, uint n)
{
    uint i = get_global_id(0);

    if (i < n)
        out[i] += sums[get_group_id(0)];
}
