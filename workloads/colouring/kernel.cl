/* A round of colouring a graph after Jones and Plassmann: a vertex that comes
 * before all its neighbours without a colour takes the least colour that none
 * of the others has. Colours from 1 to 32, 0 is none. */
kernel void colour(global const uint *start, global const uint *edge,
                   global const uint *rank, global const uint *old,
                   global uint *colour, global uint *left, uint round, uint n)
{
    uint v = get_global_id(0);

    if (v >= n)
        return;
    uint own = old[v], used = 0;
    bool first = true;
    if (!own) {
        for (uint i = start[v]; i < start[v + 1]; i++) {
            uint c = old[edge[i]];

            if (c)
                used |= 1u << (c - 1);
            else
                first &= rank[v] < rank[edge[i]];
        }
        if (first) /* up to the lowest bit that is 0 */
            own = popcount(used ^ (used + 1));
        else
            *left = round;
    }
    colour[v] = own;
}
