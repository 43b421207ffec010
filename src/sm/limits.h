/* src/sm/limits.h - how large an SM can be: the sizes of its arrays. What it is
 * configured to have is in cfg->sm. */
#ifndef SM_LIMITS_H
#define SM_LIMITS_H

enum {
    SM_WARPS = 64, /* sets of warps are words of 64 bits */
    SM_SCHEDULERS = 4,
};

#endif
