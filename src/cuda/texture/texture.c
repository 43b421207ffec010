#include "cuda/texture/texture.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cuda/memory/range.h"
#include "cuda/texture/element.h"

/* ---- How they are read ---- */

static cudaError_t check_modes(const cudaTextureDesc *how)
{
    for (unsigned k = 0; k < 3; k++)
        if ((unsigned)how->addressMode[k] > cudaAddressModeBorder)
            return cu_fail(cudaErrorInvalidValue,
                           "address mode %d of a texture: there are 0 to 3",
                           (int)how->addressMode[k]);
    if ((unsigned)how->filterMode > cudaFilterModeLinear ||
        (unsigned)how->mipmapFilterMode > cudaFilterModeLinear ||
        (unsigned)how->readMode > cudaReadModeNormalizedFloat)
        return cu_fail(cudaErrorInvalidValue,
                       "filter modes %d and %d, read mode %d of a texture: "
                       "there are 0 and 1",
                       (int)how->filterMode, (int)how->mipmapFilterMode,
                       (int)how->readMode);
    if (how->sRGB)
        return cu_fail(cudaErrorNotSupported,
                       "textures that convert from sRGB");
    return cudaSuccess;
}

/* Do the modes go with elements of that type? */
static cudaError_t check_format(const cudaTextureDesc *how, tex_type type)
{
    bool real = element_is_real(type);

    if (how->readMode == cudaReadModeNormalizedFloat && !real)
        return cu_fail(cudaErrorInvalidNormSetting,
                       "integers of 32 bits cannot be read as fractions "
                       "(cudaReadModeNormalizedFloat)");
    if (how->filterMode == cudaFilterModeLinear && !real)
        return cu_fail(cudaErrorInvalidFilterSetting,
                       "integers cannot be filtered (cudaFilterModeLinear) "
                       "unless they are read as fractions");
    return cudaSuccess;
}

/* Cubes are read by direction, whatever the modes [CUDA12:cubemap-textures]. */
static tex_sampler sampler_of(const cudaTextureDesc *how)
{
    static const uint8_t modes[] = {
        [cudaAddressModeWrap] = TEX_ADDRESS_REPEAT,
        [cudaAddressModeClamp] = TEX_ADDRESS_EDGE,
        [cudaAddressModeMirror] = TEX_ADDRESS_MIRROR,
        [cudaAddressModeBorder] = TEX_ADDRESS_BORDER,
    };
    tex_sampler s = {
        .normalised = how->normalizedCoords != 0,
        .linear = how->filterMode == cudaFilterModeLinear,
        .mip_linear = how->mipmapFilterMode == cudaFilterModeLinear,
        .border_given = true,
        .bias = how->mipmapLevelBias,
        .low = how->minMipmapLevelClamp,
        .high = how->maxMipmapLevelClamp,
    };

    for (unsigned k = 0; k < 3; k++)
        s.address[k] = modes[how->addressMode[k]];
    memcpy(s.border, how->borderColor, sizeof s.border);
    return s;
}

/* ---- Making ---- */

static cudaError_t make_image(cu_texture *t, const rt_image_desc *d)
{
    diag *dg = diag_new();

    t->image = rt_image_new(drv.image, d, dg);
    diag_free(dg);
    if (t->image)
        return cudaSuccess;
    return cu_fail(cudaErrorMemoryAllocation, "there are too many textures");
}

static cudaError_t make_sampler(cu_texture *t, const rt_image_desc *d)
{
    cudaError_t code = check_format(&t->how, d->type);

    if (code != cudaSuccess)
        return code;
    tex_sampler s = sampler_of(&t->how);
    if (d->kind == TEX_BUFFER) /* outside of memory elements are 0 */
        memset(s.border, 0, sizeof s.border);
    t->sampler = sampler_take(&s);
    if (t->sampler)
        return cudaSuccess;
    return cu_fail(cudaErrorMemoryAllocation,
                   "there are too many textures of different modes");
}

static void texture_free(cu_texture *t)
{
    if (t->image)
        rt_image_release(drv.image, t->image);
    if (t->sampler)
        sampler_give(t->sampler);
    free(t);
}

static cudaError_t make(cu_texture *t, bool surface)
{
    bool fractions = !surface && t->how.readMode == cudaReadModeNormalizedFloat;
    rt_image_desc d;
    cudaError_t code = surface ? cudaSuccess : check_modes(&t->how);

    if (code == cudaSuccess)
        code = resource_image(&t->resource, t->viewed ? &t->view : NULL,
                              fractions, &d);
    if (code == cudaSuccess && !surface)
        code = make_sampler(t, &d);
    return code == cudaSuccess ? make_image(t, &d) : code;
}

cu_texture *texture_new(const cudaResourceDesc *resource,
                        const cudaTextureDesc *how,
                        const cudaResourceViewDesc *view, cudaError_t *code)
{
    cu_texture *t = alloc_try_zeroed(1, sizeof *t);

    if (!t) {
        *code = cu_fail(cudaErrorMemoryAllocation, "no memory on the host");
        return NULL;
    }
    t->resource = *resource;
    t->viewed = view != NULL;
    if (view)
        t->view = *view;
    if (how)
        t->how = *how;
    *code = make(t, !how);
    if (*code == cudaSuccess)
        return t;
    texture_free(t);
    return NULL;
}

/* ---- Retiring ---- */

/* Launches that were given before may read them, and how far those are is not
 * known without waiting. So they are kept until there are so many; the number
 * depends on the program's calls alone, as simulated times have to. */
enum { RETIRED_MAX = 64 };

/* Part of the process's state; with the lock. */
static struct {
    cu_texture *first;
    unsigned count;
} retired;

void texture_retire(cu_texture *t)
{
    t->next = retired.first;
    retired.first = t;
    if (++retired.count < RETIRED_MAX)
        return;
    cu_texture *all = retired.first; /* others may retire while this waits */
    retired.first = NULL;
    retired.count = 0;
    range_wait_for_use();
    for (cu_texture *next; all; all = next) {
        next = all->next;
        texture_free(all);
    }
}
