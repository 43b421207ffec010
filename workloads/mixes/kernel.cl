/* Kernels of which groups of unequal size, need and duration are mixed. */

/* Mean electric potential of `each` points of every item's cell: charges pass
 * through local memory, `room` at a time; how many there are is said for every
 * group, a multiple of 4. */
#define POTENTIAL(name, room, each)                                            \
    kernel void name(global const float4 *charge, global const uint *count,    \
                     global float *v, uint first_group, uint first_item)       \
    {                                                                          \
        local float4 tile[room];                                               \
        uint own = get_local_id(0), i = first_item + get_global_id(0);         \
        uint n = count[first_group + get_group_id(0)];                         \
        float x = 0.5f * (i & 31), y = 0.5f * (i >> 5 & 31);                   \
        float z = 0.5f * (i >> 10), sum = 0;                                   \
                                                                               \
        for (uint from = 0; from < n; from += room) {                          \
            uint here = min(n - from, (uint)room);                             \
                                                                               \
            for (uint k = own; k < here; k += get_local_size(0))               \
                tile[k] = charge[from + k];                                    \
            barrier(CLK_LOCAL_MEM_FENCE);                                      \
            for (uint k = 0; k < here; k += 4)                                 \
                _Pragma("unroll") for (uint m = 0; m < 4; m++)                 \
                {                                                              \
                    float4 c = tile[k + m];                                    \
                    float dx = c.x - x, dy = c.y - y, dz = c.z - z;            \
                    float yz = dy * dy + dz * dz;                              \
                                                                               \
                    _Pragma("unroll") for (uint p = 0; p < each; p++)          \
                    {                                                          \
                        float d = dx - 0.125f * p;                             \
                                                                               \
                        sum += c.w * native_rsqrt(d * d + yz);                 \
                    }                                                          \
                }                                                              \
            barrier(CLK_LOCAL_MEM_FENCE);                                      \
        }                                                                      \
        v[i] = sum / each;                                                     \
    }

POTENTIAL(potential, 64, 1)
POTENTIAL(potential_mid, 256, 2)
POTENTIAL(potential_wide, 768, 4)

/* A tall matrix of 64 columns times one of 16: a tile of 16 x 16 results for
 * every group of 256. */
kernel void multiply(global const float *a, global const float *b,
                     global float *c, uint first)
{
    local float ta[16][16], tb[16][16];
    uint own = get_local_id(0), row = own / 16, column = own % 16;
    uint tile = first + get_group_id(0);
    float sum = 0;

    for (uint from = 0; from < 64; from += 16) {
        ta[row][column] = a[(tile * 16 + row) * 64 + from + column];
        tb[row][column] = b[(from + row) * 16 + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 16; k++)
            sum += ta[row][k] * tb[k][column];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[tile * 256 + own] = sum;
}

/* Sums of vectors: eight values for every item of a group of 128. */
kernel void add(global const float *x, global const float *y, global float *z,
                uint first)
{
    uint i = (first + get_group_id(0)) * 1024 + get_local_id(0);

    for (uint k = 0; k < 8; k++, i += 128)
        z[i] = x[i] + y[i];
}

/* Every item of a group of 32 goes `steps` steps along a list. */
kernel void follow(global const uint *next, global uint *end, uint first,
                   uint steps)
{
    uint i = first * 32 + get_global_id(0), at = i & 16383;

    while (steps--)
        at = next[at];
    end[i] = at;
}
