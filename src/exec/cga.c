/* src/exec/cga.c - see cga.h. */
#include "exec/cga.h"

uint64_t exec_cga_id(const uint32_t cga[3], const uint32_t grid[3], uint64_t n,
                     uint32_t id[3])
{
    uint32_t size = exec_cga_ctas(cga);
    uint64_t cluster = n / size, rank = n % size;

    for (unsigned i = 0; i < 3; i++) {
        uint32_t of = size > 1 ? cga[i] : 1, all = grid[i] / of;

        id[i] = (uint32_t)(cluster % all * of + rank % of);
        cluster /= all;
        rank /= of;
    }
    return id[0] + (uint64_t)grid[0] * (id[1] + (uint64_t)grid[1] * id[2]);
}

void exec_cga_of(const exec_launch *l, const uint32_t id[3],
                 uint32_t cluster[3], uint32_t in[3], uint32_t *rank)
{
    uint32_t stride = 1;

    *rank = 0;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t of = l->cga[0] ? l->cga[i] : 1;

        cluster[i] = id[i] / of;
        in[i] = id[i] % of;
        *rank += in[i] * stride;
        stride *= of;
    }
}
