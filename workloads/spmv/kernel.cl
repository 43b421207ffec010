/* y = A x for a sparse matrix in CSR form, one row per work item. */
kernel void spmv(global const uint *start, global const uint *column,
                 global const float *value, global const float *x,
                 global float *y, uint rows)
{
    uint row = get_global_id(0);

    if (row >= rows)
        return;
    uint end = start[row + 1];
    float sum = 0;
    for (uint i = start[row]; i < end; i++)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}
