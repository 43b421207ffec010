/* src/exec/products.h - who waits for the products of a warp group. A product
 * is one operation of four warps: it is complete for none of them before the
 * last has issued it. Programs rely on that: one thread of a group tells,
 * behind its own wait, that a tile may be written anew [CUTLASS:pipeline]. */
#ifndef EXEC_PRODUCTS_H
#define EXEC_PRODUCTS_H

#include "exec/exec.h"

enum { EXEC_GROUP_WARPS = 4, EXEC_PRODUCTS_WARPS = 64 };

/* Of warps that the caller numbers: by index in a CTA, or by slot of an SM. */
typedef struct exec_products {
    uint64_t waiting;
    uint32_t wanted[EXEC_PRODUCTS_WARPS]; /* groups that all are to close */
} exec_products;

/* `w`, which is number `at`, waits for all but the last `but` groups that it
 * has closed. */
void exec_products_await(exec_products *p, unsigned at, const exec_warp *w,
                         unsigned but);

/* Those of `group`, the warps of a warp group that live, that wait no longer:
 * all of it have closed what they wait for. `w`: all warps by number. */
uint64_t exec_products_over(exec_products *p, const exec_warp *w,
                            uint64_t group);

#endif
