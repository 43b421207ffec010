/* One diagonal of tiles of the table: group g has the tile in column first + g
 * of the tiles whose column and row add up to `diagonal`. Inside it goes on by
 * diagonals too, in local memory, item t having column t. */
kernel void align(global const uint *a, global const uint *b, global int *score,
                  uint n, uint diagonal, uint first)
{
    local int m[17][17];
    local uint row[16];
    uint t = get_local_id(0), tile = first + get_group_id(0);
    uint x0 = tile * 16, y0 = (diagonal - tile) * 16, side = n + 1;
    uint letter = b[x0 + t];

    row[t] = a[y0 + t];
    m[0][t + 1] = score[y0 * side + x0 + t + 1];
    m[t + 1][0] = score[(y0 + t + 1) * side + x0];
    if (t == 0)
        m[0][0] = score[y0 * side + x0];
    for (uint d = 0; d < 31; d++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (d >= t && d - t < 16) {
            uint y = d - t;
            int pair = m[y][t] + (row[y] == letter ? 5 : -2);
            m[y + 1][t + 1] = max(pair, max(m[y + 1][t], m[y][t + 1]) - 3);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint y = 1; y <= 16; y++)
        score[(y0 + y) * side + x0 + t + 1] = m[y][t + 1];
}
