/* Estimates pi: each work item draws `draws` points of the unit square with
 * its own 64-bit generator and counts those in the quarter circle, in double
 * precision. 26-bit coordinates make the test exact. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

kernel void montecarlo(volatile global ulong *total, global uint *hits, uint n,
                       uint draws)
{
    uint i = get_global_id(0);

    if (i >= n)
        return;
    ulong state = (i + 1) * 0x9e3779b97f4a7c15ul;
    uint count = 0;
    for (uint d = 0; d < draws; d++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        double x = (double)(state & 0x3ffffff) / 67108864.0;
        double y = (double)(state >> 38) / 67108864.0;
        if (x * x + y * y < 1.0)
            count++;
    }
    hits[i] = count;
    atom_add(total, (ulong)count);
}
