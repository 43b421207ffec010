#include "gpu/dispatch/place.h"

#include "base/bits.h"

enum {
    CODE_UNIT = 256, /* bytes: where kernels begin [guess] */
    /* Places for constants, and bytes by which they are shifted each time that
     * all have been used: so no launch finds what another of the same place has
     * left in the L2, and the 4000th takes as long as the second. */
    CONSTANTS_COUNT = 3839,
    CONSTANTS_SHIFT = 8192, /* bank 0 is shorter */
};

bool places_begin(places *p, bool again)
{
    bool fresh = p->kernels <= PLACE_KERNELS / 2 &&
                 p->code_end <= SM_CODE_BYTES / 2 && !p->reused;
    uint64_t round = p->group / CONSTANTS_COUNT;

    p->local_end = 0;
    p->launches = again ? p->group : p->launches;
    p->group = p->launches;
    if (!fresh)
        p->kernels = 0;
    p->reused = false;
    return fresh && p->launches / CONSTANTS_COUNT == round;
}

static uint64_t code_of(places *p, const isa_kernel *k, isa_arch arch)
{
    uint64_t bytes = isa_address(arch, k->code_count);

    for (unsigned i = 0; i < p->kernels; i++)
        if (p->kernel[i] == k && p->serial[i] == k->serial)
            return p->code[i];
    bytes = bits_round_up(bytes + isa_bytes(arch), CODE_UNIT);
    /* Only with very many kernels in flight one after the other do addresses
     * come again, and then only caches are mistaken. */
    if (p->kernels == PLACE_KERNELS || p->code_end + bytes > SM_CODE_BYTES) {
        p->kernels = 0;
        p->reused = true;
    }
    if (!p->kernels)
        p->code_end = 0;
    p->kernel[p->kernels] = k;
    p->serial[p->kernels] = k->serial;
    p->code[p->kernels++] = p->code_end;
    p->code_end += bytes;
    return p->code_end - bytes;
}

/* Likewise where there is more of it than addresses. */
static uint64_t local_of(places *p, uint64_t bytes)
{
    if (p->local_end + bytes > SM_LOCAL_BYTES)
        p->local_end = 0;
    p->local_end += bytes;
    return p->local_end - bytes;
}

sm_place places_take(places *p, const isa_kernel *k, isa_arch arch,
                     uint64_t local_bytes)
{
    uint64_t n = p->launches++;

    return (sm_place){
        .code = code_of(p, k, arch),
        .constants = n % CONSTANTS_COUNT * SM_CONST_BYTES +
                     n / CONSTANTS_COUNT * CONSTANTS_SHIFT % SM_CONST_BYTES,
        .local = local_of(p, local_bytes),
    };
}
