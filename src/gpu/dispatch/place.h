/* src/gpu/dispatch/place.h - where the lines of launches in flight lie: code,
 * constant banks and local memory have addresses, so that caches can tell them
 * apart. Launches of one kernel share its code; nothing else is shared, and
 * nothing moves while any launch is in flight. Owns its table, borrows nothing.
 */
#ifndef GPU_DISPATCH_PLACE_H
#define GPU_DISPATCH_PLACE_H

#include <stdint.h>

#include "isa/program.h"
#include "sm/sm.h"

enum { PLACE_KERNELS = 256 };

typedef struct places {
    const isa_kernel *kernel[PLACE_KERNELS]; /* compared, not looked at */
    uint64_t code[PLACE_KERNELS];            /* where that of each begins */
    unsigned kernels;
    uint64_t code_end, local_end;
    uint64_t launches; /* placed so far */
} places;

/* No launch is in flight: the next lies where the first did. */
void places_clear(places *p);
/* `local_bytes`: see sm_local_bytes. */
sm_place places_take(places *p, const isa_kernel *k, isa_arch arch,
                     uint64_t local_bytes);

#endif
