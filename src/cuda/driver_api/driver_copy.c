/* Copies and fills. */
#include "cuda/driver_api/driver_call.h"
#include "cuda/memory/array.h"
#include "cuda/memory/copy.h"

static void *pointer(CUdeviceptr at) { return (void *)(uintptr_t)at; }

/* ---- Bytes ---- */

/* In both forms: one returns when it is done, the other at once. */
#define COPY(name, suffix, async, to_type, from_type, to, from, kind)          \
    DRIVER_STREAM(name##suffix, _ptds, (to_type d, from_type s, size_t n),     \
                  (d, s, n))                                                   \
    {                                                                          \
        return cudaMemcpy(to, from, n, kind);                                  \
    }                                                                          \
    DRIVER_STREAM(async, _ptsz,                                                \
                  (to_type d, from_type s, size_t n, CUstream in),             \
                  (d, s, n, in))                                               \
    {                                                                          \
        return cudaMemcpyAsync(to, from, n, kind, in);                         \
    }

COPY(cuMemcpy, , cuMemcpyAsync, CUdeviceptr, CUdeviceptr, pointer(d),
     pointer(s), cudaMemcpyDefault)
COPY(cuMemcpyHtoD, _v2, cuMemcpyHtoDAsync_v2, CUdeviceptr, const void *,
     pointer(d), s, cudaMemcpyHostToDevice)
COPY(cuMemcpyDtoH, _v2, cuMemcpyDtoHAsync_v2, void *, CUdeviceptr, d,
     pointer(s), cudaMemcpyDeviceToHost)
COPY(cuMemcpyDtoD, _v2, cuMemcpyDtoDAsync_v2, CUdeviceptr, CUdeviceptr,
     pointer(d), pointer(s), cudaMemcpyDeviceToDevice)

DRIVER_STREAM(cuMemcpyPeer, _ptds,
              (CUdeviceptr d, CUcontext to, CUdeviceptr s, CUcontext from,
               size_t n),
              (d, to, s, from, n))
{
    (void)to, (void)from; /* the pointers say it */
    return cudaMemcpy(pointer(d), pointer(s), n, cudaMemcpyDeviceToDevice);
}

DRIVER_STREAM(cuMemcpyPeerAsync, _ptsz,
              (CUdeviceptr d, CUcontext to, CUdeviceptr s, CUcontext from,
               size_t n, CUstream in),
              (d, to, s, from, n, in))
{
    (void)to, (void)from;
    return cudaMemcpyAsync(pointer(d), pointer(s), n, cudaMemcpyDeviceToDevice,
                           in);
}

/* ---- Boxes ---- */

typedef struct box_side {
    CUmemorytype type;
    void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, rows;
} box_side;

/* The address of the box in memory of that pitch. False: there is none. */
static bool place_of_box(const box_side *b, const void *first, size_t pitch,
                         size_t slice, uintptr_t *out)
{
    size_t layers, rows;

    return !__builtin_mul_overflow(b->z, slice, &layers) &&
           !__builtin_mul_overflow(b->y, pitch, &rows) &&
           !__builtin_add_overflow((uintptr_t)first, layers, out) &&
           !__builtin_add_overflow(*out, rows, out) &&
           !__builtin_add_overflow(*out, b->x, out);
}

static cudaError_t read_side(const box_side *b, const CUDA_MEMCPY3D *p,
                             cu_side *out)
{
    size_t pitch = b->pitch ? b->pitch : b->x + p->WidthInBytes, slice;
    char *first = b->host;
    uintptr_t at;

    if ((unsigned)b->type - 1 >= CU_MEMORYTYPE_UNIFIED)
        return cu_fail(cudaErrorInvalidValue, "%d is no CUmemorytype",
                       (int)b->type);
    switch (b->type) {
    case CU_MEMORYTYPE_ARRAY:
        if (!array_get(b->array))
            return cudaErrorInvalidResourceHandle;
        *out = (cu_side){.array = b->array, .x = b->x, .y = b->y, .z = b->z};
        return cudaSuccess;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
        first = pointer(b->device);
        break;
    case CU_MEMORYTYPE_HOST:
        break;
    }
    if (!first)
        return cu_fail(cudaErrorInvalidValue, "an address is NULL");
    if (pitch < p->WidthInBytes)
        return cu_fail(cudaErrorInvalidValue,
                       "rows of %zu bytes do not fit a pitch of %zu",
                       p->WidthInBytes, pitch);
    if (__builtin_mul_overflow(pitch, b->rows ? b->rows : b->y + p->Height,
                               &slice) ||
        !place_of_box(b, first, pitch, slice, &at))
        return cu_fail(cudaErrorInvalidValue,
                       "row %zu of layer %zu is beyond all memory", b->y, b->z);
    *out = side_rows((char *)at, pitch, slice);
    return cudaSuccess;
}

static bool is_of_device(CUmemorytype t)
{
    return t == CU_MEMORYTYPE_DEVICE || t == CU_MEMORYTYPE_ARRAY;
}

static cudaMemcpyKind kind_of(CUmemorytype from, CUmemorytype to)
{
    if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    if (is_of_device(from))
        return is_of_device(to) ? cudaMemcpyDeviceToDevice
                                : cudaMemcpyDeviceToHost;
    return is_of_device(to) ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
}

static cudaError_t copy_box(const CUDA_MEMCPY3D *p, CUstream s, bool blocking)
{
    CUDA_CALL();

    if (!p)
        return cu_fail(cudaErrorInvalidValue, "there are no parameters");
    if (p->srcLOD || p->dstLOD)
        return cu_fail(cudaErrorInvalidValue, "levels of detail must be 0");
    const box_side from = {p->srcMemoryType, (void *)(uintptr_t)p->srcHost,
                           p->srcDevice,     p->srcArray,
                           p->srcXInBytes,   p->srcY,
                           p->srcZ,          p->srcPitch,
                           p->srcHeight};
    const box_side to = {p->dstMemoryType, p->dstHost,     p->dstDevice,
                         p->dstArray,      p->dstXInBytes, p->dstY,
                         p->dstZ,          p->dstPitch,    p->dstHeight};
    cu_copy c = {
        .width = p->WidthInBytes, .height = p->Height, .depth = p->Depth};
    cudaError_t code = read_side(&from, p, &c.from);
    if (code == cudaSuccess)
        code = read_side(&to, p, &c.to);
    return code == cudaSuccess
               ? copy_submit(s, &c, kind_of(from.type, to.type), blocking)
               : code;
}

static cudaError_t copy_rows(const CUDA_MEMCPY2D *p, CUstream s, bool blocking)
{
    if (!p)
        return cudaErrorInvalidValue;
    return copy_box(&(CUDA_MEMCPY3D){.srcXInBytes = p->srcXInBytes,
                                     .srcY = p->srcY,
                                     .srcMemoryType = p->srcMemoryType,
                                     .srcHost = p->srcHost,
                                     .srcDevice = p->srcDevice,
                                     .srcArray = p->srcArray,
                                     .srcPitch = p->srcPitch,
                                     .dstXInBytes = p->dstXInBytes,
                                     .dstY = p->dstY,
                                     .dstMemoryType = p->dstMemoryType,
                                     .dstHost = p->dstHost,
                                     .dstDevice = p->dstDevice,
                                     .dstArray = p->dstArray,
                                     .dstPitch = p->dstPitch,
                                     .WidthInBytes = p->WidthInBytes,
                                     .Height = p->Height,
                                     .Depth = 1},
                    s, blocking);
}

DRIVER_STREAM(cuMemcpy2D_v2, _ptds, (const CUDA_MEMCPY2D *p), (p))
{
    return copy_rows(p, 0, true);
}

DRIVER_STREAM(cuMemcpy2DUnaligned_v2, _ptds, (const CUDA_MEMCPY2D *p), (p))
{
    return copy_rows(p, 0, true);
}

DRIVER_STREAM(cuMemcpy2DAsync_v2, _ptsz, (const CUDA_MEMCPY2D *p, CUstream s),
              (p, s))
{
    return copy_rows(p, s, false);
}

DRIVER_STREAM(cuMemcpy3D_v2, _ptds, (const CUDA_MEMCPY3D *p), (p))
{
    return copy_box(p, 0, true);
}

DRIVER_STREAM(cuMemcpy3DAsync_v2, _ptsz, (const CUDA_MEMCPY3D *p, CUstream s),
              (p, s))
{
    return copy_box(p, s, false);
}

DRIVER_STREAM(cuMemcpy3DPeer, _ptds, (const CUDA_MEMCPY3D *p), (p))
{
    return copy_box(p, 0, true);
}

DRIVER_STREAM(cuMemcpy3DPeerAsync, _ptsz, (const CUDA_MEMCPY3D *p, CUstream s),
              (p, s))
{
    return copy_box(p, s, false);
}

/* ---- Arrays, by bytes of their first row ---- */

static cudaError_t copy_row(box_side to, box_side from, size_t size, CUstream s,
                            bool blocking)
{
    return copy_box(&(CUDA_MEMCPY3D){.srcMemoryType = from.type,
                                     .srcHost = from.host,
                                     .srcDevice = from.device,
                                     .srcArray = from.array,
                                     .srcXInBytes = from.x,
                                     .dstMemoryType = to.type,
                                     .dstHost = to.host,
                                     .dstDevice = to.device,
                                     .dstArray = to.array,
                                     .dstXInBytes = to.x,
                                     .WidthInBytes = size,
                                     .Height = 1,
                                     .Depth = 1},
                    s, blocking);
}

#define IN_ARRAY(a, at)                                                        \
    (box_side) { .type = CU_MEMORYTYPE_ARRAY, .array = (a), .x = (at) }
#define ON_HOST(p)                                                             \
    (box_side) { .type = CU_MEMORYTYPE_HOST, .host = (void *)(uintptr_t)(p) }
#define ON_DEVICE(p)                                                           \
    (box_side) { .type = CU_MEMORYTYPE_DEVICE, .device = (p) }

DRIVER_STREAM(cuMemcpyHtoA_v2, _ptds,
              (CUarray d, size_t at, const void *s, size_t n), (d, at, s, n))
{
    return copy_row(IN_ARRAY(d, at), ON_HOST(s), n, 0, true);
}

DRIVER_STREAM(cuMemcpyAtoH_v2, _ptds, (void *d, CUarray s, size_t at, size_t n),
              (d, s, at, n))
{
    return copy_row(ON_HOST(d), IN_ARRAY(s, at), n, 0, true);
}

DRIVER_STREAM(cuMemcpyHtoAAsync_v2, _ptsz,
              (CUarray d, size_t at, const void *s, size_t n, CUstream in),
              (d, at, s, n, in))
{
    return copy_row(IN_ARRAY(d, at), ON_HOST(s), n, in, false);
}

DRIVER_STREAM(cuMemcpyAtoHAsync_v2, _ptsz,
              (void *d, CUarray s, size_t at, size_t n, CUstream in),
              (d, s, at, n, in))
{
    return copy_row(ON_HOST(d), IN_ARRAY(s, at), n, in, false);
}

DRIVER_STREAM(cuMemcpyDtoA_v2, _ptds,
              (CUarray d, size_t at, CUdeviceptr s, size_t n), (d, at, s, n))
{
    return copy_row(IN_ARRAY(d, at), ON_DEVICE(s), n, 0, true);
}

DRIVER_STREAM(cuMemcpyAtoD_v2, _ptds,
              (CUdeviceptr d, CUarray s, size_t at, size_t n), (d, s, at, n))
{
    return copy_row(ON_DEVICE(d), IN_ARRAY(s, at), n, 0, true);
}

DRIVER_STREAM(cuMemcpyAtoA_v2, _ptds,
              (CUarray d, size_t to, CUarray s, size_t at, size_t n),
              (d, to, s, at, n))
{
    return copy_row(IN_ARRAY(d, to), IN_ARRAY(s, at), n, 0, true);
}

/* ---- Fills ---- */

static cudaError_t fill(CUdeviceptr to, size_t pitch, uint32_t value,
                        unsigned unit, size_t width, size_t height, CUstream s,
                        bool blocking)
{
    cu_fill f = {.to = side_rows(pointer(to), pitch, pitch * height),
                 .value = value,
                 .unit = unit,
                 .width = width * unit,
                 .height = height,
                 .depth = 1};
    CUDA_CALL();

    if (to % unit || (height > 1 && (pitch % unit || pitch < f.width)))
        return cu_fail(cudaErrorInvalidValue,
                       "0x%llx or the pitch of %zu bytes does not fit values "
                       "of %u bytes",
                       to, pitch, unit);
    return fill_submit(s, &f, blocking);
}

#define FILL(bits, type)                                                       \
    DRIVER_STREAM(cuMemsetD##bits##_v2, _ptds,                                 \
                  (CUdeviceptr to, type value, size_t n), (to, value, n))      \
    {                                                                          \
        return fill(to, 0, value, (bits) / 8, n, 1, 0, true);                  \
    }                                                                          \
    DRIVER_STREAM(cuMemsetD##bits##Async, _ptsz,                               \
                  (CUdeviceptr to, type value, size_t n, CUstream s),          \
                  (to, value, n, s))                                           \
    {                                                                          \
        return fill(to, 0, value, (bits) / 8, n, 1, s, false);                 \
    }                                                                          \
    DRIVER_STREAM(cuMemsetD2D##bits##_v2, _ptds,                               \
                  (CUdeviceptr to, size_t pitch, type value, size_t width,     \
                   size_t height),                                             \
                  (to, pitch, value, width, height))                           \
    {                                                                          \
        return fill(to, pitch, value, (bits) / 8, width, height, 0, true);     \
    }                                                                          \
    DRIVER_STREAM(cuMemsetD2D##bits##Async, _ptsz,                             \
                  (CUdeviceptr to, size_t pitch, type value, size_t width,     \
                   size_t height, CUstream s),                                 \
                  (to, pitch, value, width, height, s))                        \
    {                                                                          \
        return fill(to, pitch, value, (bits) / 8, width, height, s, false);    \
    }

FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned)
