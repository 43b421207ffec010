/* Making and freeing arrays: shapes, limits, and what programs can ask. */
#include "base/must.h"
#include "cuda/device/properties.h"
#include "cuda/memory/array.h"
#include "cuda/memory/range.h"
#include "cuda/texture/element.h"

/* ---- Shapes ---- */

/* Attributes of the device that limit width, height and depth, or layers;
 * 0: there is no such dimension. */
typedef struct shape {
    int limit[3], surface[3], levels[3];
} shape;

static const shape shapes[TEX_KINDS] = {
    [TEX_1D] = {{21, 0, 0}, {55, 0, 0}, {77, 0, 0}},
    [TEX_2D] = {{22, 23, 0}, {56, 57, 0}, {73, 74, 0}},
    [TEX_3D] = {{24, 25, 26}, {58, 59, 60}, {24, 25, 26}},
    [TEX_1D_ARRAY] = {{42, 0, 43}, {61, 0, 62}, {42, 0, 43}},
    [TEX_2D_ARRAY] = {{27, 28, 29}, {63, 64, 65}, {27, 28, 29}},
    [TEX_CUBE] = {{52, 52, 0}, {66, 66, 0}, {52, 52, 0}},
    [TEX_CUBE_ARRAY] = {{53, 53, 54}, {67, 67, 68}, {53, 53, 54}},
};

static tex_kind kind_of(cudaExtent e, unsigned flags)
{
    if (flags & cudaArrayCubemap)
        return flags & cudaArrayLayered ? TEX_CUBE_ARRAY : TEX_CUBE;
    if (flags & cudaArrayLayered)
        return e.height ? TEX_2D_ARRAY : TEX_1D_ARRAY;
    return e.depth ? TEX_3D : e.height ? TEX_2D : TEX_1D;
}

/* Faces of cubes are layers, six of them each. */
static bool is_layered(tex_kind kind)
{
    return kind == TEX_1D_ARRAY || kind == TEX_2D_ARRAY || kind == TEX_CUBE ||
           kind == TEX_CUBE_ARRAY;
}

static cudaError_t check_limits(const cu_device *d, tex_kind kind, cudaExtent e,
                                unsigned flags, bool levels)
{
    const size_t size[3] = {e.width, e.height, e.depth};
    static const char *const names[3] = {"width", "height",
                                         "depth (or layers)"};
    const int *by = levels                              ? shapes[kind].levels
                    : flags & cudaArraySurfaceLoadStore ? shapes[kind].surface
                                                        : shapes[kind].limit;

    for (unsigned k = 0; k < 3; k++) {
        int64_t most = 0;

        if (!by[k])
            continue;
        MUST(device_attribute(d, by[k], &most));
        if (!size[k] || size[k] > (uint64_t)most)
            return cu_fail(cudaErrorInvalidValue,
                           "an array of %zu x %zu x %zu elements: its %s is 1 "
                           "to %lld",
                           e.width, e.height, e.depth, names[k],
                           (long long)most);
    }
    return cudaSuccess;
}

static cudaError_t check_flags(unsigned flags)
{
    const unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore |
                           cudaArrayCubemap | cudaArrayTextureGather;

    if (flags & ~known)
        return cu_fail(cudaErrorInvalidValue,
                       "flags 0x%x of an array: there are 0x%x", flags, known);
    return cudaSuccess;
}

static cudaError_t check_cube(tex_kind kind, cudaExtent e)
{
    bool cube = kind == TEX_CUBE, cubes = kind == TEX_CUBE_ARRAY;

    if ((cube || cubes) &&
        (e.width != e.height || e.depth % 6 || (cube && e.depth != 6)))
        return cu_fail(cudaErrorInvalidValue,
                       "a cubemap of %zu x %zu x %zu elements: width and "
                       "height are equal, and there are six faces",
                       e.width, e.height, e.depth);
    return cudaSuccess;
}

static uint32_t at_least_one(size_t n) { return n ? (uint32_t)n : 1; }

/* All of a new array but its place. */
static cudaError_t describe(const cudaChannelFormatDesc *format, cudaExtent e,
                            unsigned flags, unsigned levels, cu_array *out)
{
    tex_kind kind = kind_of(e, flags);
    bool layered = is_layered(kind);
    cudaError_t code;
    cu_element f;

    if (!format)
        return cu_fail(cudaErrorInvalidValue, "there is no channel descriptor");
    if ((code = element_format(format, &f)) != cudaSuccess ||
        (code = check_flags(flags)) != cudaSuccess ||
        (code = check_limits(cu_current(), kind, e, flags, levels > 1)) !=
            cudaSuccess ||
        (code = check_cube(kind, e)) != cudaSuccess)
        return code;
    *out = (cu_array){
        .device = cu_current(),
        .format = *format,
        .extent = e,
        .element = f.bytes,
        .flags = flags,
        .desc = {.name = drv_called(),
                 .kind = kind,
                 .order = f.order,
                 .type = f.type,
                 .size = {(uint32_t)e.width, at_least_one(e.height),
                          layered ? 1 : at_least_one(e.depth)},
                 .layers = layered ? (uint32_t)e.depth : 0,
                 .levels = levels},
    };
    return cudaSuccess;
}

/* ---- Arrays ---- */

static cudaError_t make_array(cudaArray_t *out,
                              const cudaChannelFormatDesc *format, cudaExtent e,
                              unsigned flags)
{
    cu_array like;

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the array");
    cudaError_t code = describe(format, e, flags, 1, &like);
    if (code != cudaSuccess)
        return code;
    cu_array *a = array_new(CU_ARRAY, &like, &code);
    if (!a)
        return code;
    cu_current()->active = true;
    *out = a;
    return cudaSuccess;
}

EXPORT cudaError_t cudaMallocArray(cudaArray_t *out,
                                   const cudaChannelFormatDesc *format,
                                   size_t width, size_t height, unsigned flags)
{
    CUDA_CALL();

    if (flags & (cudaArrayLayered | cudaArrayCubemap))
        return cu_fail(cudaErrorInvalidValue,
                       "cudaMalloc3DArray makes layered arrays and cubemaps");
    return make_array(out, format, (cudaExtent){width, height, 0}, flags);
}

EXPORT cudaError_t cudaMalloc3DArray(cudaArray_t *out,
                                     const cudaChannelFormatDesc *format,
                                     cudaExtent size, unsigned flags)
{
    CUDA_CALL();
    return make_array(out, format, size, flags);
}

EXPORT cudaError_t cudaFreeArray(cudaArray_t array)
{
    CUDA_CALL();

    if (!array)
        return cudaSuccess;
    const cu_array *a = array_get(array);
    if (!a)
        return cudaErrorInvalidResourceHandle;
    if (a->of)
        return cu_fail(cudaErrorInvalidValue,
                       "%p is a level of a mipmapped array, which "
                       "cudaFreeMipmappedArray frees",
                       (void *)array);
    range_wait_for_use();
    if (drv_find_held(array, CU_ARRAY)) /* another thread may have freed it */
        drv_release(&array->o);
    return cudaSuccess;
}

/* ---- Mipmapped arrays ---- */

static unsigned most_levels(cudaExtent e, bool layered)
{
    size_t longest = e.width > e.height ? e.width : e.height;
    unsigned n = 1;

    if (!layered && e.depth > longest)
        longest = e.depth;
    while (longest >>= 1)
        n++;
    return n < TEX_LEVELS ? n : TEX_LEVELS;
}

EXPORT cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *out,
                                            const cudaChannelFormatDesc *format,
                                            cudaExtent size, unsigned levels,
                                            unsigned flags)
{
    CUDA_CALL();
    unsigned most = most_levels(size, is_layered(kind_of(size, flags)));
    cu_array like;

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the array");
    levels = !levels ? 1 : levels > most ? most : levels;
    cudaError_t code = describe(format, size, flags, levels, &like);
    if (code != cudaSuccess)
        return code;
    cu_array *a = array_new(CU_MIPMAP, &like, &code);
    if (!a)
        return code;
    cu_current()->active = true;
    *out = (cu_mipmap *)a;
    return cudaSuccess;
}

static size_t halved(size_t n, unsigned times)
{
    return !n || n >> times ? n >> times : 1;
}

static cu_array *make_level(cu_mipmap *m, unsigned level, cudaError_t *code)
{
    cu_array like = m->is;
    tex_image all;

    MUST(rt_image_get(drv.image, m->is.image, &all));
    like.of = m;
    like.desc.addr += all.level[level].offset;
    like.desc.levels = 1;
    for (unsigned k = 0; k < 3; k++)
        like.desc.size[k] = all.level[level].size[k];
    like.extent.width = halved(like.extent.width, level);
    like.extent.height = halved(like.extent.height, level);
    if (!is_layered(like.desc.kind))
        like.extent.depth = halved(like.extent.depth, level);
    return array_new(CU_ARRAY, &like, code);
}

EXPORT cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *out,
                                              cudaMipmappedArray_const_t array,
                                              unsigned level)
{
    CUDA_CALL();
    cu_mipmap *m = mipmap_get(array);
    cudaError_t code = cudaSuccess;

    if (!m)
        return cudaErrorInvalidResourceHandle;
    if (!out || level >= m->is.desc.levels)
        return cu_fail(cudaErrorInvalidValue,
                       "no level %u: the mipmapped array has %u", level,
                       m->is.desc.levels);
    if (!m->level[level])
        m->level[level] = make_level(m, level, &code);
    *out = m->level[level];
    return code;
}

EXPORT cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array)
{
    CUDA_CALL();

    if (!array)
        return cudaSuccess;
    if (!mipmap_get(array))
        return cudaErrorInvalidResourceHandle;
    range_wait_for_use();
    if (drv_find_held(array, CU_MIPMAP))
        drv_release(&array->is.o);
    return cudaSuccess;
}

/* ---- Questions ---- */

EXPORT cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format,
                                    cudaExtent *size, unsigned *flags,
                                    cudaArray_t array)
{
    CUDA_CALL();
    const cu_array *a = array_get(array);

    if (!a)
        return cudaErrorInvalidResourceHandle;
    if (format)
        *format = a->format;
    if (size)
        *size = a->extent;
    if (flags)
        *flags = a->flags;
    return cudaSuccess;
}

static cudaError_t requirements_of(const cu_array *a,
                                   cudaArrayMemoryRequirements *out)
{
    tex_image im;

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    MUST(rt_image_get(drv.image, a->image, &im));
    *out = (cudaArrayMemoryRequirements){
        .size = im.bytes, .alignment = TEX_TILE_BYTES * TEX_TILE_ROWS};
    return cudaSuccess;
}

EXPORT cudaError_t cudaArrayGetMemoryRequirements(
    cudaArrayMemoryRequirements *out, cudaArray_t array, int device)
{
    CUDA_CALL();
    const cu_array *a = array_get(array);

    (void)device; /* the same on all */
    return a ? requirements_of(a, out) : cudaErrorInvalidResourceHandle;
}

EXPORT cudaError_t cudaMipmappedArrayGetMemoryRequirements(
    cudaArrayMemoryRequirements *out, cudaMipmappedArray_t array, int device)
{
    CUDA_CALL();
    const cu_mipmap *m = mipmap_get(array);

    (void)device;
    return m ? requirements_of(&m->is, out) : cudaErrorInvalidResourceHandle;
}

EXPORT cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *out,
                                      cudaArray_const_t array)
{
    CUDA_CALL();
    const cu_array *a = array_get(array);

    if (!a)
        return cudaErrorInvalidResourceHandle;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    *out = a->format;
    return cudaSuccess;
}

EXPORT cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   cudaChannelFormatKind kind)
{
    return (cudaChannelFormatDesc){x, y, z, w, kind};
}

EXPORT cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(
    size_t *out, const cudaChannelFormatDesc *format, int number)
{
    CUDA_CALL();
    const cu_device *d = device_get(number);
    int64_t most = 0;
    cu_element f;

    if (!d)
        return cudaErrorInvalidDevice;
    if (!out || !format)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer, or no "
                                              "channel descriptor");
    cudaError_t code = element_format(format, &f);
    if (code == cudaSuccess && device_attribute(d, 69, &most))
        *out = (size_t)most;
    return code;
}
