/* What textures read: arrays, mipmapped ones, memory. As images that lie over
 * the same texels, in another format if need be. */
#include "base/must.h"
#include "cuda/device/properties.h"
#include "cuda/memory/array.h"
#include "cuda/memory/range.h"
#include "cuda/texture/element.h"
#include "cuda/texture/texture.h"

/* ---- Memory ---- */

enum { /* attributes of devices */
       TEXTURE_ALIGNMENT = 14,
       PITCH_ALIGNMENT = 51,
       LINEAR_WIDTH = 69,
       ROWS_WIDTH = 70,
       ROWS_HEIGHT = 71,
       ROWS_PITCH = 72,
};

static uint64_t attribute(int number)
{
    int64_t value = 0;

    MUST(device_attribute(cu_current(), number, &value));
    return (uint64_t)value;
}

/* The allocation that it begins in; NULL: reported. */
static const cu_range *memory_of(const void *at)
{
    uint64_t align = attribute(TEXTURE_ALIGNMENT);
    const cu_range *r = range_find(at);

    if (!r)
        cu_fail(cudaErrorInvalidValue,
                "%p, to be read as a texture, is no device memory: not "
                "allocated, or freed",
                at);
    else if ((uintptr_t)at % align)
        cu_fail(cudaErrorInvalidValue,
                "%p, to be read as a texture, is no multiple of %llu bytes, "
                "the device's texture alignment",
                at, (unsigned long long)align);
    else
        return r;
    return NULL;
}

static uint64_t left_of(const cu_range *r, const void *at)
{
    return r->size - ((uintptr_t)at - r->addr);
}

/* Programs may give more bytes than there are: those that are read count. */
static cudaError_t linear_image(const cudaResourceDesc *resource,
                                rt_image_desc *out)
{
    const void *at = resource->res.linear.devPtr;
    const cu_range *r = memory_of(at);
    uint64_t bytes = resource->res.linear.sizeInBytes;
    cu_element f;

    if (!r)
        return cudaErrorInvalidValue;
    cudaError_t code = element_format(&resource->res.linear.desc, &f);
    if (code != cudaSuccess)
        return code;
    if (bytes > left_of(r, at))
        bytes = left_of(r, at);
    uint64_t width = bytes / f.bytes, most = attribute(LINEAR_WIDTH);
    if (!width || width > most)
        return cu_fail(cudaErrorInvalidValue,
                       "a texture of %llu elements in memory: there can be 1 "
                       "to %llu",
                       (unsigned long long)width, (unsigned long long)most);
    *out = (rt_image_desc){.kind = TEX_BUFFER,
                           .order = f.order,
                           .type = f.type,
                           .size = {(uint32_t)width},
                           .addr = (uintptr_t)at};
    return cudaSuccess;
}

static cudaError_t check_rows(const cudaResourceDesc *resource, unsigned bytes,
                              const cu_range *r)
{
    const void *at = resource->res.pitch2D.devPtr;
    size_t width = resource->res.pitch2D.width,
           height = resource->res.pitch2D.height,
           pitch = resource->res.pitch2D.pitchInBytes;
    uint64_t align = attribute(PITCH_ALIGNMENT);

    if (!width || !height || width > attribute(ROWS_WIDTH) ||
        height > attribute(ROWS_HEIGHT) || pitch > attribute(ROWS_PITCH))
        return cu_fail(cudaErrorInvalidValue,
                       "a texture of %zu x %zu elements with rows of %zu bytes "
                       "in memory: there can be %llu x %llu, %llu bytes",
                       width, height, pitch,
                       (unsigned long long)attribute(ROWS_WIDTH),
                       (unsigned long long)attribute(ROWS_HEIGHT),
                       (unsigned long long)attribute(ROWS_PITCH));
    if (pitch % align || width * bytes > pitch)
        return cu_fail(cudaErrorInvalidValue,
                       "a pitch of %zu bytes for rows of %zu: it must be a "
                       "multiple of %llu and not less than a row "
                       "(cudaMallocPitch gives one)",
                       pitch, width * bytes, (unsigned long long)align);
    if ((height - 1) * pitch + width * bytes > left_of(r, at))
        return cu_fail(cudaErrorInvalidValue,
                       "%zu rows of %zu bytes from %p on end behind the "
                       "allocation of %llu bytes at %p",
                       height, pitch, at, (unsigned long long)r->size,
                       (void *)(uintptr_t)r->addr);
    return cudaSuccess;
}

static cudaError_t rows_image(const cudaResourceDesc *resource,
                              rt_image_desc *out)
{
    const void *at = resource->res.pitch2D.devPtr;
    const cu_range *r = memory_of(at);
    cu_element f;

    if (!r)
        return cudaErrorInvalidValue;
    cudaError_t code = element_format(&resource->res.pitch2D.desc, &f);
    if (code == cudaSuccess)
        code = check_rows(resource, f.bytes, r);
    if (code != cudaSuccess)
        return code;
    *out = (rt_image_desc){.kind = TEX_2D,
                           .order = f.order,
                           .type = f.type,
                           .size = {(uint32_t)resource->res.pitch2D.width,
                                    (uint32_t)resource->res.pitch2D.height},
                           .addr = (uintptr_t)at,
                           .row = resource->res.pitch2D.pitchInBytes};
    return cudaSuccess;
}

/* ---- Views ---- */

/* Some of the levels or layers of the array `a`; in tex_image's layout those of
 * one level, or all of several, lie behind each other. */
static cudaError_t narrow(const cudaResourceViewDesc *v, const cu_array *a,
                          rt_image_desc *d)
{
    uint32_t layers = d->layers ? d->layers : 1;
    uint32_t levels = d->levels ? d->levels : 1;
    unsigned first = v->firstMipmapLevel, layer = v->firstLayer;
    tex_image all;

    if (v->lastMipmapLevel >= levels || first > v->lastMipmapLevel ||
        v->lastLayer >= layers || layer > v->lastLayer)
        return cu_fail(cudaErrorInvalidValue,
                       "a view of levels %u to %u, layers %u to %u of an array "
                       "of %u and %u",
                       first, v->lastMipmapLevel, layer, v->lastLayer, levels,
                       layers);
    MUST(rt_image_get(drv.image, a->image, &all));
    if (v->lastLayer - layer + 1 < layers && v->lastMipmapLevel > first)
        return cu_fail(cudaErrorNotSupported,
                       "a view of some layers of several levels");
    d->addr += all.level[first].offset + layer * all.level[first].slice;
    d->levels = v->lastMipmapLevel - first + 1;
    for (unsigned k = 0; k < 3; k++)
        d->size[k] = all.level[first].size[k];
    if (d->layers)
        d->layers = v->lastLayer - layer + 1;
    return cudaSuccess;
}

static cudaError_t apply_view(const cudaResourceViewDesc *v, const cu_array *a,
                              rt_image_desc *d)
{
    cu_element f;

    if (!a)
        return cu_fail(cudaErrorInvalidValue,
                       "a resource view of what is no array");
    if (v->format != cudaResViewFormatNone) {
        cudaError_t code = element_view_format(v->format, &f);

        if (code != cudaSuccess)
            return code;
        if (f.bytes != a->element)
            return cu_fail(cudaErrorInvalidValue,
                           "a view with elements of %u bytes of an array with "
                           "elements of %zu bytes",
                           f.bytes, a->element);
        d->order = f.order;
        d->type = f.type;
    }
    return narrow(v, a, d);
}

/* ---- All ---- */

/* The array, if it is one. */
static cudaError_t find_array(const cudaResourceDesc *resource,
                              const cu_array **out)
{
    const cu_mipmap *m;

    *out = NULL;
    if (resource->resType == cudaResourceTypeArray) {
        *out = array_get(resource->res.array.array);
    } else if (resource->resType == cudaResourceTypeMipmappedArray) {
        m = mipmap_get(resource->res.mipmap.mipmap);
        *out = m ? &m->is : NULL;
    } else {
        return cudaSuccess;
    }
    return *out ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t resource_image(const cudaResourceDesc *resource,
                           const cudaResourceViewDesc *view, bool fractions,
                           rt_image_desc *out)
{
    const cu_array *a;
    cudaError_t code = find_array(resource, &a);

    if (code != cudaSuccess)
        return code;
    if (a)
        *out = a->desc;
    else if (resource->resType == cudaResourceTypeLinear)
        code = linear_image(resource, out);
    else if (resource->resType == cudaResourceTypePitch2D)
        code = rows_image(resource, out);
    else
        code = cu_fail(cudaErrorInvalidValue,
                       "resource type %d: there are 0 "
                       "to 3",
                       (int)resource->resType);
    if (code == cudaSuccess && view)
        code = apply_view(view, a, out);
    if (code == cudaSuccess && fractions)
        out->type = element_fractions(out->type);
    return code;
}

/* Kernels store into arrays only that were made for it. */
cudaError_t surface_check(const cudaResourceDesc *resource)
{
    if (resource->resType != cudaResourceTypeArray)
        return cu_fail(cudaErrorInvalidValue,
                       "resource type %d of a surface: it must be an array (0)",
                       (int)resource->resType);
    const cu_array *a = array_get(resource->res.array.array);
    if (!a)
        return cudaErrorInvalidResourceHandle;
    if (!(a->flags & cudaArraySurfaceLoadStore))
        return cu_fail(cudaErrorInvalidValue,
                       "a surface of an array that was made without "
                       "cudaArraySurfaceLoadStore");
    return cudaSuccess;
}
