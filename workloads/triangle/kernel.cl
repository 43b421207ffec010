/* y = L x, one row per item; row r has r + 1 values. */
kernel void multiply(global const float *l, global const float *x,
                     global float *y, uint n)
{
    uint r = get_global_id(0);
    float sum = 0;

    if (r >= n)
        return;
    for (uint c = 0; c <= r; c++)
        sum += l[c * n + r] * x[c];
    y[r] = sum;
}
