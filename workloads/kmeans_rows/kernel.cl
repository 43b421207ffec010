/* Each item finds the centre that is nearest to its point. A point is a row of
 * `features` values: neighbours read places that are a row apart. */
kernel void nearest(global const float *point, global const float *centre,
                    global uint *cluster, uint n, uint features, uint clusters)
{
    uint i = get_global_id(0), own = 0;
    float best = MAXFLOAT;

    if (i >= n)
        return;
    for (uint k = 0; k < clusters; k++) {
        float sum = 0;

        for (uint f = 0; f < features; f++) {
            float d = point[i * features + f] - centre[k * features + f];
            sum += d * d;
        }
        if (sum < best) {
            best = sum;
            own = k;
        }
    }
    cluster[i] = own;
}
