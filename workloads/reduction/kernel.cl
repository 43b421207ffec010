/* Sums in[0..n): each group of 256 adds a strided share and leaves one
 * partial sum, by a tree in local memory. */
kernel void reduce_sum(global const float *in, global float *out, uint n)
{
    local float part[256];
    uint t = get_local_id(0);
    float sum = 0;

    for (uint i = get_group_id(0) * 256 + t; i < n;
         i += get_num_groups(0) * 256)
        sum += in[i];
    part[t] = sum;
    for (uint d = 128; d; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d)
            part[t] += part[t + d];
    }
    if (t == 0)
        out[get_group_id(0)] = part[0];
}
