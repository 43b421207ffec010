/* k-means of points in the plane, 8 clusters: assign each point to the nearest
 * centre, add it to that cluster's sums (x, y, count) with atomics, then
 * move the centres and clear the sums. */
static void add(volatile global float *p, float v)
{
    volatile global uint *bits = (volatile global uint *)p;
    uint old = *bits, seen;

    while ((seen = atomic_cmpxchg(bits, old, as_uint(as_float(old) + v))) !=
           old)
        old = seen;
}

kernel void kmeans_assign(global const float2 *point,
                          global const float2 *centre, global float *sums,
                          global uint *cluster, uint n)
{
    uint i = get_global_id(0);

    if (i >= n)
        return;
    float2 p = point[i];
    float best = MAXFLOAT;
    uint own = 0;
    for (uint k = 0; k < 8; k++) {
        float2 d = p - centre[k];
        if (dot(d, d) < best) {
            best = dot(d, d);
            own = k;
        }
    }
    cluster[i] = own;
    add(&sums[3 * own], p.x);
    add(&sums[3 * own + 1], p.y);
    add(&sums[3 * own + 2], 1.0f);
}

kernel void kmeans_move(global float2 *centre, global float *sums)
{
    uint k = get_local_id(0);
    float count = sums[3 * k + 2];

    if (count > 0)
        centre[k] = (float2)(sums[3 * k], sums[3 * k + 1]) / count;
    for (uint j = 0; j < 3; j++)
        sums[3 * k + j] = 0;
}
