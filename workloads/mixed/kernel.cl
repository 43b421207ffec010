/* A generator of numbers, 256 steps in every item of every sixteenth group, 16
 * steps in the first 32 items of the others. */
kernel void mixed(global uint *x)
{
    bool large = get_group_id(0) % 16 == 0;

    if (!large && get_local_id(0) >= 32)
        return;
    uint i = get_global_id(0), v = x[i], steps = large ? 256 : 16;
    while (steps--)
        v = v * 1664525u + 1013904223u;
    x[i] = v;
}
