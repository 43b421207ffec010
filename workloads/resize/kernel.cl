/* Magnifies an image by linear interpolation and sharpens it: the value at a
 * point of the image, lifted off the mean of four around it. Steps of whole
 * 256ths keep the weights of the filter exact. */
kernel void resize(read_only image2d_t in, sampler_t sampler,
                   write_only image2d_t out, unsigned n, float step)
{
    unsigned x = get_global_id(0), y = get_global_id(1);

    if (x >= n || y >= n)
        return;
    float2 at = (float2)(x * step + 0.5f, y * step + 0.5f);
    float sum = read_imagef(in, sampler, at + (float2)(0.5f, 0)).x +
                read_imagef(in, sampler, at - (float2)(0.5f, 0)).x +
                read_imagef(in, sampler, at + (float2)(0, 0.5f)).x +
                read_imagef(in, sampler, at - (float2)(0, 0.5f)).x;
    float v = 2 * read_imagef(in, sampler, at).x - 0.25f * sum;
    write_imagef(out, (int2)(x, y), (float4)(v, 0, 0, 1));
}
