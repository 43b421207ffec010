/* Copies between programs and devices. */
#include "cublas/handle.h"

#define NOT_ASYNC NULL, false

/* A vector is a matrix of one row: its steps are the distances of columns. */
static cublasStatus_t copy(long long rows, long long columns, long long size,
                           const void *from, long long from_lead, void *to,
                           long long to_lead, cudaMemcpyKind kind,
                           cudaStream_t stream, bool async)
{
    BLAS_NEED(rows >= 0 && columns >= 0, "a size is negative: %lld, %lld", rows,
              columns);
    BLAS_NEED(size > 0, "elements of %lld bytes", size);
    BLAS_NEED(from_lead > 0 && to_lead > 0 && from_lead >= rows &&
                  to_lead >= rows,
              "a step or leading dimension is too small: %lld, %lld", from_lead,
              to_lead);
    if (rows == 0 || columns == 0)
        return CUBLAS_STATUS_SUCCESS;
    size_t width = (size_t)(rows * size);
    size_t from_pitch = (size_t)(from_lead * size);
    size_t to_pitch = (size_t)(to_lead * size);
    cudaError_t code =
        from_pitch == width && to_pitch == width
            ? cudaMemcpyAsync(to, from, width * (size_t)columns, kind, stream)
            : cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width,
                                (size_t)columns, kind, stream);
    if (code == cudaSuccess && !async)
        code = cudaStreamSynchronize(stream);
    if (code == cudaSuccess)
        return CUBLAS_STATUS_SUCCESS;
    return blas_fail(CUBLAS_STATUS_MAPPING_ERROR, "%s",
                     cudaGetErrorString(code));
}

#define TRANSFERS(way, kind, end, I)                                           \
    API(cublas##way##Vector##end,                                              \
        (I n, I size, const void *from, I from_step, void *to, I to_step))     \
    {                                                                          \
        blas_function = __func__;                                              \
        return copy(1, n, size, from, from_step, to, to_step, kind,            \
                    NOT_ASYNC);                                                \
    }                                                                          \
    API(cublas##way##VectorAsync##end,                                         \
        (I n, I size, const void *from, I from_step, void *to, I to_step,      \
         cudaStream_t stream))                                                 \
    {                                                                          \
        blas_function = __func__;                                              \
        return copy(1, n, size, from, from_step, to, to_step, kind, stream,    \
                    true);                                                     \
    }                                                                          \
    API(cublas##way##Matrix##end,                                              \
        (I rows, I columns, I size, const void *from, I from_lead, void *to,   \
         I to_lead))                                                           \
    {                                                                          \
        blas_function = __func__;                                              \
        return copy(rows, columns, size, from, from_lead, to, to_lead, kind,   \
                    NOT_ASYNC);                                                \
    }                                                                          \
    API(cublas##way##MatrixAsync##end,                                         \
        (I rows, I columns, I size, const void *from, I from_lead, void *to,   \
         I to_lead, cudaStream_t stream))                                      \
    {                                                                          \
        blas_function = __func__;                                              \
        return copy(rows, columns, size, from, from_lead, to, to_lead, kind,   \
                    stream, true);                                             \
    }
TRANSFERS(Set, cudaMemcpyHostToDevice, , int)
TRANSFERS(Get, cudaMemcpyDeviceToHost, , int)
TRANSFERS(Set, cudaMemcpyHostToDevice, _64, int64_t)
TRANSFERS(Get, cudaMemcpyDeviceToHost, _64, int64_t)
