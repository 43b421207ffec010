/* One pass of a radix-2 Stockham FFT of n complex numbers: `run` counts up
 * 1, 2, 4, ... n/2 over the passes. One butterfly per work item. */
kernel void fft_pass(global const float2 *in, global float2 *out, uint n,
                     uint run)
{
    uint i = get_global_id(0);

    if (i >= n / 2)
        return;
    uint k = i & (run - 1);
    float angle = -M_PI_F * (float)k / (float)run;
    float c = cos(angle), s = sin(angle);
    float2 a = in[i], b = in[i + n / 2];
    float2 t = (float2)(b.x * c - b.y * s, b.x * s + b.y * c);
    uint j = 2 * i - k;
    out[j] = a + t;
    out[j + run] = a - t;
}
