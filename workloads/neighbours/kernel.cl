/* Forces between atoms that are neighbours, by a potential of Lennard-Jones:
 * one atom per item, whose list is a column of `list`. */
kernel void forces(global const float4 *at, global const uint *list,
                   global float4 *force, uint n, uint count)
{
    uint i = get_global_id(0);

    if (i >= n)
        return;
    float4 own = at[i];
    float3 sum = 0;
    for (uint k = 0; k < count; k++) {
        float3 d = own.xyz - at[list[k * n + i]].xyz;
        float r2 = 1 / dot(d, d), r6 = r2 * r2 * r2;

        sum += d * (r2 * r6 * (r6 - 0.5f));
    }
    force[i] = (float4)(sum, 0);
}
