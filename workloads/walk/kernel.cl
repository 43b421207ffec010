/* Each item walks over a graph and leaves each vertex by an edge drawn at
 * random; a walk ends where no edge leads on. Edges of vertex v are those from
 * start[v] to start[v + 1]. */
kernel void walk(global const uint *start, global const uint *edge,
                 global uint *end, global uint *length, uint n, uint steps,
                 uint vertices)
{
    uint i = get_global_id(0), at = i % vertices, draw = i, s;

    if (i >= n)
        return;
    for (s = 0; s < steps; s++) {
        uint first = start[at], degree = start[at + 1] - first;

        if (!degree)
            break;
        draw = draw * 1664525u + 1013904223u;
        at = edge[first + mul_hi(draw, degree)];
    }
    end[i] = at;
    length[i] = s;
}
