/* c = a b for n x n matrices, one element of c per item. */
kernel void sgemm(global const float *a, global const float *b, global float *c,
                  uint n)
{
    uint col = get_global_id(0), row = get_global_id(1);
    float sum = 0;

    if (col >= n || row >= n)
        return;
    for (uint k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}
