/* Texture and surface references, which generation 12 has dropped: variables
 * texture<...> and surface<...> of the program, with a .texref or .surfref of
 * the same name in its code. What is bound to them is bound on the device that
 * is current then, in the modes that the variable has then. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "cuda/device/properties.h"
#include "cuda/memory/array.h"
#include "cuda/memory/range.h"
#include "cuda/module/module.h"
#include "cuda/texture/element.h"
#include "cuda/texture/texture.h"
#include "driver/command.h"

typedef struct reference {
    cu_module *module;
    const char *name;
    const void *host;
    bool surface;
    bool fractions; /* integers are read as fractions of their range */
    struct {
        cu_texture *texture; /* NULL: nothing is bound */
        size_t offset;       /* bytes from where it begins to what was bound */
    } bound[CU_DEVICES_MAX];
} reference;

/* Part of the process's state; with the lock. */
static struct {
    map *references; /* address on the host -> reference */
} st;

/* ---- Registering ---- */

static void add_reference(void **handle, const reference *like)
{
    cu_module *m = module_of_handle(handle);
    reference *r = m ? alloc_try_zeroed(1, sizeof *r) : NULL;

    if (!r)
        return;
    *r = *like;
    r->module = m;
    module_has_references(m);
    if (!st.references)
        st.references = map_new();
    map_put(st.references, (uintptr_t)r->host, (uintptr_t)r);
}

EXPORT void __cudaRegisterTexture(void **handle, const textureReference *host,
                                  const void **device_address, const char *name,
                                  int dimensions, int fractions, int external)
{
    DRV_LOCK();

    (void)device_address, (void)dimensions, (void)external;
    add_reference(
        handle,
        &(reference){.name = name, .host = host, .fractions = fractions != 0});
}

EXPORT void __cudaRegisterSurface(void **handle, const surfaceReference *host,
                                  const void **device_address, const char *name,
                                  int dimensions, int external)
{
    DRV_LOCK();

    (void)device_address, (void)dimensions, (void)external;
    add_reference(handle,
                  &(reference){.name = name, .host = host, .surface = true});
}

/* NULL: it is none, reported. */
static reference *reference_get(const void *host, bool surface)
{
    uint64_t found;

    if (st.references && map_get(st.references, (uintptr_t)host, &found)) {
        reference *r = (reference *)(uintptr_t)found;

        if (r->surface == surface)
            return r;
    }
    cu_fail(surface ? cudaErrorInvalidSurface : cudaErrorInvalidTexture,
            "%p is no %s reference that the program has registered", host,
            surface ? "surface" : "texture");
    return NULL;
}

/* ---- Binding ---- */

/* Kernels see the module's binding when they begin: those that were launched
 * before must have. A reference that no kernel uses is not in the code. */
static cudaError_t bind(reference *r, cu_texture *t, size_t offset)
{
    cu_device *d = cu_current();
    rt_module *m = module_load(r->module, d);
    cu_texture *before = r->bound[d->number].texture;

    if (!m) {
        if (t)
            texture_retire(t);
        return cu_fail(cudaErrorNoKernelImageForDevice,
                       "the code of %s '%s' could not be loaded on '%s'",
                       r->surface ? "surface" : "texture", r->name,
                       d->drv->name);
    }
    r->bound[d->number].texture = t;
    r->bound[d->number].offset = offset;
    d->active = true;
    drv_device_wait(d->drv);
    rt_module_bind(m, r->name, t ? (uint32_t)texture_handle(t) : 0);
    if (before)
        texture_retire(before);
    return cudaSuccess;
}

/* The modes that the program's variable has. */
static cudaTextureDesc modes_of(const textureReference *host, bool fractions)
{
    cudaTextureDesc how = {
        .filterMode = host->filterMode,
        .readMode =
            fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
        .sRGB = host->sRGB,
        .normalizedCoords = host->normalized,
        .maxAnisotropy = host->maxAnisotropy,
        .mipmapFilterMode = host->mipmapFilterMode,
        .mipmapLevelBias = host->mipmapLevelBias,
        .minMipmapLevelClamp = host->minMipmapLevelClamp,
        .maxMipmapLevelClamp = host->maxMipmapLevelClamp,
    };

    memcpy(how.addressMode, host->addressMode, sizeof how.addressMode);
    return how;
}

static cudaError_t bind_texture(const textureReference *host,
                                const cudaResourceDesc *resource, size_t offset)
{
    reference *r = reference_get(host, false);
    cudaError_t code = cudaErrorInvalidTexture;

    if (!r)
        return code;
    cudaTextureDesc how = modes_of(host, r->fractions);
    cu_texture *t = texture_new(resource, &how, NULL, &code);
    return t ? bind(r, t, offset) : code;
}

/* Textures begin at multiples of the alignment: `at` becomes the one before,
 * the rest is for the program to add to its coordinates. */
static cudaError_t align(const void **at, size_t *offset, size_t *out)
{
    int64_t unit = 1;

    device_attribute(cu_current(), 14, &unit);
    *offset = (uintptr_t)*at % (size_t)unit;
    *at = (const void *)((uintptr_t)*at - *offset);
    if (*offset && !out)
        return cu_fail(cudaErrorInvalidValue,
                       "what is bound lies %zu bytes behind a multiple of the "
                       "device's texture alignment of %lld bytes, and there is "
                       "no place to tell that",
                       *offset, (long long)unit);
    if (out)
        *out = *offset;
    return cudaSuccess;
}

EXPORT cudaError_t cudaBindTexture(size_t *offset, const textureReference *host,
                                   const void *at,
                                   const cudaChannelFormatDesc *format,
                                   size_t size)
{
    CUDA_CALL();
    size_t behind;

    if (!format)
        return cu_fail(cudaErrorInvalidValue, "there is no channel descriptor");
    cudaError_t code = align(&at, &behind, offset);
    if (code != cudaSuccess)
        return code;
    cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    resource.res.linear.devPtr = (void *)(uintptr_t)at;
    resource.res.linear.desc = *format;
    resource.res.linear.sizeInBytes =
        size > SIZE_MAX - behind ? SIZE_MAX : size + behind;
    return bind_texture(host, &resource, behind);
}

EXPORT cudaError_t cudaBindTexture2D(size_t *offset,
                                     const textureReference *host,
                                     const void *at,
                                     const cudaChannelFormatDesc *format,
                                     size_t width, size_t height, size_t pitch)
{
    CUDA_CALL();
    size_t behind;
    cu_element f;

    if (!format)
        return cu_fail(cudaErrorInvalidValue, "there is no channel descriptor");
    cudaError_t code = align(&at, &behind, offset);
    if (code == cudaSuccess)
        code = element_format(format, &f);
    if (code != cudaSuccess)
        return code;
    cudaResourceDesc resource = {.resType = cudaResourceTypePitch2D};
    resource.res.pitch2D.devPtr = (void *)(uintptr_t)at;
    resource.res.pitch2D.desc = *format;
    resource.res.pitch2D.width = width + behind / f.bytes;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    return bind_texture(host, &resource, behind);
}

static cudaResourceDesc array_resource(cudaArray_const_t array)
{
    cudaResourceDesc r = {.resType = cudaResourceTypeArray};

    r.res.array.array = (cudaArray_t)(uintptr_t)array;
    return r;
}

EXPORT cudaError_t cudaBindTextureToArray(const textureReference *host,
                                          cudaArray_const_t array,
                                          const cudaChannelFormatDesc *format)
{
    CUDA_CALL();
    const cudaResourceDesc resource = array_resource(array);

    (void)format; /* the array has one */
    return bind_texture(host, &resource, 0);
}

EXPORT cudaError_t cudaBindTextureToMipmappedArray(
    const textureReference *host, cudaMipmappedArray_const_t array,
    const cudaChannelFormatDesc *format)
{
    CUDA_CALL();
    cudaResourceDesc resource = {.resType = cudaResourceTypeMipmappedArray};

    (void)format;
    resource.res.mipmap.mipmap = (cudaMipmappedArray_t)(uintptr_t)array;
    return bind_texture(host, &resource, 0);
}

EXPORT cudaError_t cudaBindSurfaceToArray(const surfaceReference *host,
                                          cudaArray_const_t array,
                                          const cudaChannelFormatDesc *format)
{
    CUDA_CALL();
    const cudaResourceDesc resource = array_resource(array);
    reference *r = reference_get(host, true);
    cudaError_t code = cudaErrorInvalidSurface;

    (void)format;
    if (!r || (code = surface_check(&resource)) != cudaSuccess)
        return code;
    cu_texture *t = texture_new(&resource, NULL, NULL, &code);
    return t ? bind(r, t, 0) : code;
}

EXPORT cudaError_t cudaUnbindTexture(const textureReference *host)
{
    CUDA_CALL();
    reference *r = reference_get(host, false);

    if (!r)
        return cudaErrorInvalidTexture;
    if (!r->bound[cu_current()->number].texture)
        return cudaSuccess;
    return bind(r, NULL, 0);
}

/* ---- Questions ---- */

EXPORT cudaError_t cudaGetTextureAlignmentOffset(size_t *out,
                                                 const textureReference *host)
{
    CUDA_CALL();
    const reference *r = reference_get(host, false);

    if (!r)
        return cudaErrorInvalidTexture;
    if (!out || !r->bound[cu_current()->number].texture)
        return cu_fail(cudaErrorInvalidTextureBinding,
                       "nothing is bound to texture '%s', or there is no place "
                       "for the answer",
                       r->name);
    *out = r->bound[cu_current()->number].offset;
    return cudaSuccess;
}

/* Programs know them by the address of their variable, as the driver does. */
EXPORT cudaError_t cudaGetTextureReference(const textureReference **out,
                                           const void *symbol)
{
    CUDA_CALL();

    if (!out || !reference_get(symbol, false))
        return cudaErrorInvalidTexture;
    *out = symbol;
    return cudaSuccess;
}

EXPORT cudaError_t cudaGetSurfaceReference(const surfaceReference **out,
                                           const void *symbol)
{
    CUDA_CALL();

    if (!out || !reference_get(symbol, true))
        return cudaErrorInvalidSurface;
    *out = symbol;
    return cudaSuccess;
}
