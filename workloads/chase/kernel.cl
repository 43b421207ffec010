/* Each item follows links from its own start; each load needs the last. */
kernel void chase(global const uint *next, global uint *end, uint apart,
                  uint steps)
{
    uint i = get_global_id(0), at = i * apart;

    while (steps--)
        at = next[at];
    end[i] = at;
}
