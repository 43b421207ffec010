/* Accelerations of n bodies (x, y, z, mass) under gravity with softening, all
 * pairs; tiles of 256 bodies pass through local memory. n is a multiple of
 * 256. */
kernel void nbody(global const float4 *body, global float4 *accel, uint n,
                  float soft2)
{
    local float4 tile[256];
    uint t = get_local_id(0), i = get_global_id(0);
    float4 me = body[i];
    float3 a = 0;

    for (uint first = 0; first < n; first += 256) {
        tile[t] = body[first + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < 256; j++) {
            float4 o = tile[j];
            float3 d = o.xyz - me.xyz;
            float inv = native_rsqrt(dot(d, d) + soft2);
            a += d * (o.w * inv * inv * inv);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    accel[i] = (float4)(a, 0);
}
