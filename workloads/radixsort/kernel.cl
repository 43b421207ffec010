/* One pass of a sort by digits of 4 bits, from bit `shift` on; groups of
 * 256. */

/* How often each digit occurs in the group; counts of all groups for digit 0,
 * then for digit 1, and so on. */
kernel void count(global const uint *in, global uint *counts, uint shift)
{
    local uint own[16];
    uint t = get_local_id(0);

    if (t < 16)
        own[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&own[in[get_global_id(0)] >> shift & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 16)
        counts[t * get_num_groups(0) + get_group_id(0)] = own[t];
}

/* The sum of the values of the items before this one. */
static uint before(local uint *sum, uint t, uint value)
{
    sum[t] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < 256; d *= 2) {
        uint left = t >= d ? sum[t - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum[t] += left;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return sum[t] - value;
}

/* Turns counts into the sum of those before; one group. */
kernel void place(global uint *counts, uint n)
{
    local uint sums[256];
    uint t = get_local_id(0), each = (n + 255) / 256;
    uint begin = min(t * each, n), end = min(begin + each, n), sum = 0;

    for (uint i = begin; i < end; i++)
        sum += counts[i];
    sum = before(sums, t, sum);
    for (uint i = begin; i < end; i++) {
        uint c = counts[i];
        counts[i] = sum;
        sum += c;
    }
}

/* Sorts the group's keys by the digit, bit by bit, and writes each behind those
 * of the same digit in the groups before. */
kernel void move(global const uint *in, global uint *out,
                 global const uint *counts, uint shift)
{
    local uint key[256], sums[256], first[16];
    uint t = get_local_id(0), own = in[get_global_id(0)];

    for (uint bit = shift; bit < shift + 4; bit++) {
        uint zero = ~own >> bit & 1, zeros = before(sums, t, zero);
        uint total = sums[255];
        key[zero ? zeros : total + t - zeros] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
        own = key[t];
    }
    uint digit = own >> shift & 15;
    if (t == 0 || (key[t - 1] >> shift & 15) != digit)
        first[digit] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[counts[digit * get_num_groups(0) + get_group_id(0)] + t -
        first[digit]] = own;
}
