#include "exec/products.h"

#include "base/bits.h"

void exec_products_await(exec_products *p, unsigned at, const exec_warp *w,
                         unsigned but)
{
    p->wanted[at] = w->groups > but ? w->groups - but : 0;
    p->waiting |= (uint64_t)1 << at;
}

uint64_t exec_products_over(exec_products *p, const exec_warp *w,
                            uint64_t group)
{
    uint32_t closed = UINT32_MAX; /* by all */
    uint64_t over = 0;

    if (!(p->waiting & group))
        return 0;
    for (uint64_t left = group; left; left &= left - 1) {
        uint32_t n = w[bits_ctz64(left)].groups;

        if (n < closed)
            closed = n;
    }
    for (uint64_t left = p->waiting & group; left; left &= left - 1)
        if (p->wanted[bits_ctz64(left)] <= closed)
            over |= left & -left;
    p->waiting &= ~over;
    return over;
}
