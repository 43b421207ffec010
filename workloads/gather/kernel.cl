/* Each item looks up `loads` values of a table at random and weighs the last
 * ones most. The indices are coalesced, the values lie all over the table. */
kernel void gather(global const uint *index, global const float *table,
                   global float *out, uint n, uint loads)
{
    uint i = get_global_id(0);
    float sum = 0;

    if (i >= n)
        return;
    for (uint k = 0; k < loads; k++)
        sum = 0.75f * sum + table[index[k * n + i]];
    out[i] = sum;
}
