/* One task: a generator of numbers on the items from the global offset on. */
kernel void work(global uint *x, uint steps)
{
    uint i = get_global_id(0), v = x[i];

    while (steps--)
        v = v * 1664525u + 1013904223u;
    x[i] = v;
}

/* The sum of all of them. */
kernel void add_up(global const uint *x, global uint *sum, uint n)
{
    uint own = 0;

    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        own += x[i];
    atomic_add(sum, own);
}
