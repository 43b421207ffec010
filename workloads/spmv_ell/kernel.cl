/* y = A x for a sparse matrix in ELLPACK form, one row per item: value k of all
 * rows, then value k + 1. Rows are filled up with zeros. */
kernel void spmv_ell(global const uint *column, global const float *value,
                     global const float *x, global float *y, uint rows,
                     uint width)
{
    uint row = get_global_id(0);
    float sum = 0;

    if (row >= rows)
        return;
    for (uint k = 0; k < width; k++)
        sum += value[k * rows + row] * x[column[k * rows + row]];
    y[row] = sum;
}
