/* The sum of `width` values of each row. Items that are neighbours read places
 * that are a row apart: none of the loads is coalesced. */
kernel void sum_rows(global const float *in, global float *out, uint rows,
                     uint pitch, uint width)
{
    uint r = get_global_id(0);
    float sum = 0;

    if (r >= rows)
        return;
    for (uint c = 0; c < width; c++)
        sum += in[r * pitch + c];
    out[r] = sum;
}
