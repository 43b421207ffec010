/* y = A x for a sparse matrix in CSR form, 32 work items per row: item i takes
 * the values i, i + 32, ... of the row; a tree in local memory adds the items.
 * OpenCL C 1.2 does not promise that 32 items run in step, so barriers part
 * the steps of the tree, and items beyond the last row go along. */
kernel void spmv_vector(global const uint *start, global const uint *column,
                        global const float *value, global const float *x,
                        global float *y, uint rows)
{
    local float part[128];
    uint t = get_local_id(0), lane = t % 32;
    uint row = get_global_id(0) / 32;
    float sum = 0;

    if (row < rows) {
        uint end = start[row + 1];
        for (uint i = start[row] + lane; i < end; i += 32)
            sum += value[i] * x[column[i]];
    }
    part[t] = sum;
    for (uint d = 16; d; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < d)
            part[t] += part[t + d];
    }
    if (lane == 0 && row < rows)
        y[row] = part[t];
}
