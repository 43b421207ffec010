kernel void step_once(global uint *x, uint k)
{
    uint i = get_global_id(0);

    x[i] = x[i] * 1664525u + k;
}
