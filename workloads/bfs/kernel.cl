/* One level of a breadth-first search: items whose vertex was reached in
 * `depth` reach its neighbours. level holds ~0 where nobody has been. */
kernel void bfs_level(global const uint *start, global const uint *edge,
                      global uint *level, global uint *reached, uint depth,
                      uint vertices)
{
    uint v = get_global_id(0);

    if (v >= vertices || level[v] != depth)
        return;
    for (uint i = start[v]; i < start[v + 1]; i++) {
        uint to = edge[i];
        if (level[to] == ~0u) {
            level[to] = depth + 1;
            *reached = depth + 1;
        }
    }
}
