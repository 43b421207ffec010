/* Appends the values below `bound` to `out`. */
kernel void compact(global const uint *in, global uint *out,
                    global uint *length, uint bound, uint n)
{
    uint i = get_global_id(0);

    if (i < n && in[i] < bound)
        out[atomic_inc(length)] = in[i];
}
