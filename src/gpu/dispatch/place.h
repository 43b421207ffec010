/* src/gpu/dispatch/place.h - where the lines of launches in flight lie: code,
 * constant banks and local memory have addresses, so that caches can tell them
 * apart. Launches of one kernel share its code; nothing else is shared, and
 * nothing moves while any launch is in flight. Owns its table, borrows nothing.
 */
#ifndef GPU_DISPATCH_PLACE_H
#define GPU_DISPATCH_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/program.h"
#include "sm/sm.h"

enum { PLACE_KERNELS = 256 };

typedef struct places {
    const isa_kernel *kernel[PLACE_KERNELS]; /* compared, not looked at: they */
    uint64_t serial[PLACE_KERNELS];          /* may be gone */
    uint64_t code[PLACE_KERNELS];            /* where that of each begins */
    unsigned kernels;
    uint64_t code_end, local_end;
    uint64_t launches; /* placed so far */
    uint64_t group;    /* how many that were when the group began */
    bool reused;       /* in this group code lies where other code did */
} places;

/* No launch is in flight, and a group of them begins. Kernels that were there
 * keep their place, so that caches have still got their code. Constants lie
 * where none have been lately; `again`: where those of the last group did.
 * False: addresses come again that caches may know; they have to be emptied. */
bool places_begin(places *p, bool again);
/* `local_bytes`: see sm_local_bytes. */
sm_place places_take(places *p, const isa_kernel *k, isa_arch arch,
                     uint64_t local_bytes);

#endif
