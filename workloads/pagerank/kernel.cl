/* One step of page rank: each item gathers the rank of the vertices that link
 * to its own, each divided among that vertex's links. */
kernel void gather(global const uint *start, global const uint *from,
                   global const float *share, global const float *rank,
                   global float *next, uint n)
{
    uint v = get_global_id(0);

    if (v >= n)
        return;
    float sum = 0;
    for (uint i = start[v]; i < start[v + 1]; i++)
        sum += rank[from[i]] * share[from[i]];
    next[v] = 0.125f + 0.875f * sum;
}
