/* LU decomposition in place by blocks of 16 x 16; `k` is the first row of the
 * block of the diagonal whose turn it is. */

/* The block itself, by one group of 16 items: item t has row t of L and column
 * t of U. */
kernel void lud_diagonal(global float *a, uint n, uint k)
{
    local float m[16][17];
    uint t = get_local_id(0);

    for (uint r = 0; r < 16; r++)
        m[r][t] = a[(k + r) * n + k + t];
    for (uint i = 0; i < 15; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t > i) {
            m[t][i] /= m[i][i];
            for (uint c = i + 1; c < 16; c++)
                m[t][c] -= m[t][i] * m[i][c];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = 0; r < 16; r++)
        a[(k + r) * n + k + t] = m[r][t];
}

/* Blocks beside and below it, one of each per group of 32: the first 16 items
 * each have a column of the block beside it, the others a row of the one
 * below. */
kernel void lud_border(global float *a, uint n, uint k)
{
    local float d[16][17], beside[16][17], below[16][17];
    uint t = get_local_id(0) % 16, at = k + 16 + get_group_id(0) * 16;
    bool upper = get_local_id(0) < 16;

    for (uint r = upper ? 0 : 8; r < (upper ? 8 : 16); r++)
        d[r][t] = a[(k + r) * n + k + t];
    for (uint r = 0; r < 16; r++) {
        if (upper)
            beside[r][t] = a[(k + r) * n + at + t];
        else
            below[r][t] = a[(at + r) * n + k + t];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 16; i++) {
        if (upper) {
            for (uint j = 0; j < i; j++)
                beside[i][t] -= d[i][j] * beside[j][t];
        } else {
            for (uint j = 0; j < i; j++)
                below[t][i] -= below[t][j] * d[j][i];
            below[t][i] /= d[i][i];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = 0; r < 16; r++) {
        if (upper)
            a[(k + r) * n + at + t] = beside[r][t];
        else
            a[(at + r) * n + k + t] = below[r][t];
    }
}

/* All blocks behind: minus the product of those two. */
kernel void lud_inside(global float *a, uint n, uint k)
{
    local float l[16][16], u[16][16];
    uint tx = get_local_id(0), ty = get_local_id(1);
    uint col = k + 16 + get_global_id(0), row = k + 16 + get_global_id(1);
    float sum = 0;

    l[ty][tx] = a[row * n + k + tx];
    u[ty][tx] = a[(k + ty) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 16; i++)
        sum += l[ty][i] * u[i][tx];
    a[row * n + col] -= sum;
}
