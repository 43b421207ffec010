#include "cublas/handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0x73616c62 };

/* ---- Calls ---- */

bool blas_handle_good(cublasHandle_t h)
{
    if (h && h->magic == MAGIC)
        return true;
    blas_fail(CUBLAS_STATUS_NOT_INITIALIZED,
              "the handle is none of cublasCreate");
    return false;
}

cublasStatus_t blas_status(cudaError_t code)
{
    if (code == cudaSuccess)
        return CUBLAS_STATUS_SUCCESS;
    return blas_fail(code == cudaErrorMemoryAllocation
                         ? CUBLAS_STATUS_ALLOC_FAILED
                         : CUBLAS_STATUS_EXECUTION_FAILED,
                     "%s", cudaGetErrorString(code));
}

cublasStatus_t blas_launch(cublasHandle_t h, library_kernel *k, dim3 grid,
                           unsigned threads, void *arg)
{
    return blas_status(
        library_launch(k, grid, (dim3){threads, 1, 1}, &arg, h->stream));
}

blas_scalar blas_constant(double value)
{
    return (blas_scalar){.value = {value, 0}};
}

/* IEEE 754 binary16, exactly. */
static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double v = exponent == 31 ? (fraction ? NAN : INFINITY)
               : exponent     ? ldexp(1024 + fraction, exponent - 25)
                              : ldexp(fraction, -24);

    return bits >> 15 ? -v : v;
}

static float bfloat_value(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float v;

    memcpy(&v, &wide, sizeof v);
    return v;
}

blas_scalar blas_factor(cublasHandle_t h, const void *p, blas_type type)
{
    blas_scalar s = {.type = type};
    const float *f = p;
    const double *d = p;

    if (h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) {
        s.at = p;
        return s;
    }
    switch (type) {
    case BLAS_F32:
        s.value[0] = f[0];
        break;
    case BLAS_F64:
        s.value[0] = d[0];
        break;
    case BLAS_C32:
        s.value[0] = f[0], s.value[1] = f[1];
        break;
    case BLAS_C64:
        s.value[0] = d[0], s.value[1] = d[1];
        break;
    case BLAS_F16:
        s.value[0] = half_value(*(const uint16_t *)p);
        break;
    case BLAS_BF16:
        s.value[0] = bfloat_value(*(const uint16_t *)p);
        break;
    case BLAS_I8:
        s.value[0] = *(const int8_t *)p;
        break;
    case BLAS_I32:
        s.value[0] = *(const int32_t *)p;
        break;
    }
    return s;
}

/* ---- Handles ---- */

API(cublasCreate_v2, (cublasHandle_t * out))
{
    cublasHandle_t h;

    blas_function = __func__;
    BLAS_NEED(out, "no place for the handle");
    if (!(h = calloc(1, sizeof *h)))
        return blas_fail(CUBLAS_STATUS_ALLOC_FAILED, "no memory");
    h->magic = MAGIC;
    if (cudaMalloc(&h->scratch, BLAS_SLOTS * BLAS_SLOT_BYTES) != cudaSuccess) {
        free(h);
        return blas_fail(CUBLAS_STATUS_NOT_INITIALIZED,
                         "no device, or no memory on it");
    }
    *out = h;
    return CUBLAS_STATUS_SUCCESS;
}

API(cublasDestroy_v2, (cublasHandle_t h))
{
    BLAS_CALL(h);
    cudaError_t code = cudaFree(h->scratch); /* waits for the device */
    h->magic = 0;
    free(h);
    return blas_status(code);
}

API(cublasSetStream_v2, (cublasHandle_t h, cudaStream_t stream))
{
    BLAS_CALL(h);
    h->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

API(cublasGetStream_v2, (cublasHandle_t h, cudaStream_t *out))
{
    BLAS_CALL(h);
    BLAS_NEED(out, "no place for the stream");
    *out = h->stream;
    return CUBLAS_STATUS_SUCCESS;
}

API(cublasSetPointerMode_v2, (cublasHandle_t h, cublasPointerMode_t mode))
{
    BLAS_CALL(h);
    BLAS_NEED(mode == CUBLAS_POINTER_MODE_HOST ||
                  mode == CUBLAS_POINTER_MODE_DEVICE,
              "%d is no pointer mode", (int)mode);
    h->pointer_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}

API(cublasGetPointerMode_v2, (cublasHandle_t h, cublasPointerMode_t *out))
{
    BLAS_CALL(h);
    BLAS_NEED(out, "no place for the mode");
    *out = h->pointer_mode;
    return CUBLAS_STATUS_SUCCESS;
}

API(cublasSetAtomicsMode, (cublasHandle_t h, cublasAtomicsMode_t mode))
{
    BLAS_CALL(h);
    BLAS_NEED(mode == CUBLAS_ATOMICS_NOT_ALLOWED ||
                  mode == CUBLAS_ATOMICS_ALLOWED,
              "%d is no mode of atomics", (int)mode);
    h->atomics = mode;
    return CUBLAS_STATUS_SUCCESS;
}

API(cublasGetAtomicsMode, (cublasHandle_t h, cublasAtomicsMode_t *out))
{
    BLAS_CALL(h);
    BLAS_NEED(out, "no place for the mode");
    *out = h->atomics;
    return CUBLAS_STATUS_SUCCESS;
}

/* What mathematics is allowed: ours is that of the types, which all allow. */
API(cublasSetMathMode, (cublasHandle_t h, int mode))
{
    enum { FLAGS = 16, KINDS = 9 };

    BLAS_CALL(h);
    BLAS_NEED((mode & ~FLAGS) >= 0 && (mode & ~FLAGS) < KINDS,
              "%d is no math mode", mode);
    h->math = mode;
    return CUBLAS_STATUS_SUCCESS;
}

API(cublasGetMathMode, (cublasHandle_t h, int *out))
{
    BLAS_CALL(h);
    BLAS_NEED(out, "no place for the mode");
    *out = h->math;
    return CUBLAS_STATUS_SUCCESS;
}

/* We need none but our own. */
API(cublasSetWorkspace_v2, (cublasHandle_t h, void *at, size_t size))
{
    BLAS_CALL(h);
    BLAS_NEED(at || !size, "%zu bytes of workspace at address 0", size);
    BLAS_NEED((uintptr_t)at % 256 == 0,
              "the workspace is not aligned to 256 bytes");
    return CUBLAS_STATUS_SUCCESS;
}

API(cublasSetSmCountTarget, (cublasHandle_t h, int count))
{
    BLAS_CALL(h);
    BLAS_NEED(count >= 0, "%d SMs", count);
    h->sm_target = count;
    return CUBLAS_STATUS_SUCCESS;
}

API(cublasGetSmCountTarget, (cublasHandle_t h, int *out))
{
    BLAS_CALL(h);
    BLAS_NEED(out, "no place for the number");
    *out = h->sm_target;
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- Versions ---- */

/* That of the interface, whose generation is the program's. */
static int major_version(void)
{
    int runtime = 0;

    cudaRuntimeGetVersion(&runtime);
    return runtime / 1000;
}

API(cublasGetVersion_v2, (cublasHandle_t h, int *out))
{
    BLAS_CALL(h);
    BLAS_NEED(out, "no place for the version");
    *out = major_version() * 10000;
    return CUBLAS_STATUS_SUCCESS;
}

/* `what` is 0 for the major version, 1 and 2 for the rest of it. */
API(cublasGetProperty, (int what, int *out))
{
    blas_function = __func__;
    BLAS_NEED(out, "no place for the version");
    BLAS_NEED(what >= 0 && what <= 2, "there is no property %d", what);
    *out = what == 0 ? major_version() : 0;
    return CUBLAS_STATUS_SUCCESS;
}

EXPORT size_t cublasGetCudartVersion(void);
EXPORT size_t cublasGetCudartVersion(void)
{
    return (size_t)major_version() * 1000;
}
