/* cuTensorMapEncode*: descriptions of tensors for bulk copies, in the format of
 * mem/tensor_map.h. */
#include "cuda/driver_api/driver_call.h"
#include "cuda/driver_api/driver_functions.h"
#include "mem/tensor_map.h"

enum { NEWEST_TYPE = 12, ENCODE_FROM = 90 /* compute capability */ };

/* CUtensorMapDataType [CUDA13:cuTensorMapEncodeTiled]. */
static unsigned type_of(int type)
{
    static const uint8_t types[] = {
        TENSOR_U8,      TENSOR_U16,  TENSOR_U32,     TENSOR_S32, TENSOR_U64,
        TENSOR_S64,     TENSOR_F16,  TENSOR_F32,     TENSOR_F64, TENSOR_BF16,
        TENSOR_F32_FTZ, TENSOR_TF32, TENSOR_TF32_FTZ};

    return type < 0 ? 255 : type <= NEWEST_TYPE ? types[type] : (unsigned)type;
}

static cudaError_t encode(void *map, const tensor_spec *s)
{
    unsigned capability = cu_current()->drv->cfg->gpu.capability;
    const char *why;

    if (capability < ENCODE_FROM)
        return cu_fail(cudaErrorNotSupported,
                       "tensor maps exist from compute capability 9.0 on; the "
                       "device has %u.%u",
                       capability / 10, capability % 10);
    if (!map || (uintptr_t)map % TENSOR_MAP_ALIGN)
        return cu_fail(cudaErrorInvalidValue,
                       "the tensor map is %p, no multiple of %d", map,
                       TENSOR_MAP_ALIGN);
    why = tensor_map_encode(map, s);
    return why ? cu_fail(cudaErrorInvalidValue, "%s", why) : cudaSuccess;
}

DRIVER(cuTensorMapEncodeTiled,
       (void *map, int type, unsigned rank, void *address, const uint64_t *dim,
        const uint64_t *stride, const uint32_t *box, const uint32_t *step,
        int interleave, int swizzle, int promotion, int fill),
       (map, type, rank, address, dim, stride, box, step, interleave, swizzle,
        promotion, fill))
{
    return encode(map, &(tensor_spec){.type = type_of(type),
                                      .rank = rank,
                                      .address = (uintptr_t)address,
                                      .dim = dim,
                                      .stride = stride,
                                      .step = step,
                                      .interleave = (unsigned)interleave,
                                      .swizzle = (unsigned)swizzle,
                                      .promotion = (unsigned)promotion,
                                      .fill = (unsigned)fill,
                                      .box = box});
}

DRIVER(cuTensorMapEncodeIm2col,
       (void *map, int type, unsigned rank, void *address, const uint64_t *dim,
        const uint64_t *stride, const int *lower, const int *upper,
        unsigned channels, unsigned pixels, const uint32_t *step,
        int interleave, int swizzle, int promotion, int fill),
       (map, type, rank, address, dim, stride, lower, upper, channels, pixels,
        step, interleave, swizzle, promotion, fill))
{
    return encode(map, &(tensor_spec){.type = type_of(type),
                                      .rank = rank,
                                      .address = (uintptr_t)address,
                                      .dim = dim,
                                      .stride = stride,
                                      .step = step,
                                      .interleave = (unsigned)interleave,
                                      .swizzle = (unsigned)swizzle,
                                      .promotion = (unsigned)promotion,
                                      .fill = (unsigned)fill,
                                      .im2col = true,
                                      .lower = lower,
                                      .upper = upper,
                                      .channels = channels,
                                      .pixels = pixels});
}

DRIVER(cuTensorMapReplaceAddress, (void *map, void *address), (map, address))
{
    tensor_map *m = map, made;
    const char *why;

    if (!map || (uintptr_t)map % TENSOR_MAP_ALIGN)
        return cu_fail(cudaErrorInvalidValue,
                       "the tensor map is %p, no multiple of %d", map,
                       TENSOR_MAP_ALIGN);
    made = *m;
    made.address = (uintptr_t)address;
    why = tensor_map_check(&made);
    if (why)
        return cu_fail(cudaErrorInvalidValue, "%s", why);
    *m = made;
    return cudaSuccess;
}
