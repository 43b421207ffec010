/* Kernels: what can be asked of them, and launches. */
#include <string.h>

#include "cuda/driver_api/driver_call.h"
#include "cuda/module/kernel_launch.h"
#include "cuda/module/module.h"
#include "cuda/module/occupancy.h"
#include "isa/program.h"

/* ---- Attributes ---- */

enum { /* CUfunction_attribute; those that can be set are the runtime's, too */
       FUNC_MOST_THREADS,
       FUNC_SHARED,
       FUNC_CONST,
       FUNC_LOCAL,
       FUNC_REGISTERS,
       FUNC_PTX,
       FUNC_BINARY,
       FUNC_CACHE_MODE,
       FUNC_MOST_DYNAMIC,
       FUNC_CARVEOUT,
       FUNC_LAST = 16,
};

static cudaError_t get_attribute(int *out, int what, const void *f)
{
    cudaFuncAttributes is = {0};
    cudaError_t code = cudaFuncGetAttributes(&is, f);
    const int values[FUNC_LAST] = {is.maxThreadsPerBlock,
                                   (int)is.sharedSizeBytes,
                                   (int)is.constSizeBytes,
                                   (int)is.localSizeBytes,
                                   is.numRegs,
                                   is.ptxVersion,
                                   is.binaryVersion,
                                   is.cacheModeCA,
                                   is.maxDynamicSharedSizeBytes,
                                   is.preferredShmemCarveout,
                                   is.clusterDimMustBeSet,
                                   is.requiredClusterWidth,
                                   is.requiredClusterHeight,
                                   is.requiredClusterDepth,
                                   is.nonPortableClusterSizeAllowed};

    if (code != cudaSuccess)
        return code;
    if (!out || what < 0 || what >= FUNC_LAST)
        return cudaErrorInvalidValue;
    *out = values[what];
    return cudaSuccess;
}

DRIVER(cuFuncGetAttribute, (int *out, int what, CUfunction f), (out, what, f))
{
    return get_attribute(out, what, f);
}

DRIVER(cuFuncSetAttribute, (CUfunction f, int what, int value),
       (f, what, value))
{
    return cudaFuncSetAttribute(f, what, value);
}

DRIVER(cuFuncSetCacheConfig, (CUfunction f, int preference), (f, preference))
{
    return cudaFuncSetCacheConfig(f, preference);
}

DRIVER(cuFuncSetSharedMemConfig, (CUfunction f, int preference),
       (f, preference))
{
    return cudaFuncSetSharedMemConfig(f, preference);
}

DRIVER(cuKernelGetAttribute, (int *out, int what, CUkernel f, CUdevice number),
       (out, what, f, number))
{
    (void)number;
    return get_attribute(out, what, f);
}

DRIVER(cuKernelSetAttribute, (int what, int value, CUkernel f, CUdevice number),
       (what, value, f, number))
{
    (void)number;
    return cudaFuncSetAttribute(f, what, value);
}

DRIVER(cuKernelSetCacheConfig, (CUkernel f, int preference, CUdevice number),
       (f, preference, number))
{
    (void)number;
    return cudaFuncSetCacheConfig(f, preference);
}

DRIVER(cuFuncGetName, (const char **out, CUfunction f), (out, f))
{
    return cudaFuncGetName(out, f);
}

DRIVER(cuKernelGetName, (const char **out, CUkernel f), (out, f))
{
    return cudaFuncGetName(out, f);
}

static cudaError_t get_module(void *out, const void *symbol)
{
    CUDA_CALL();
    const cu_function *f = function_get(symbol);

    if (!f)
        return cudaErrorInvalidDeviceFunction;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the module");
    memcpy(out, &f->module, sizeof f->module);
    return cudaSuccess;
}

DRIVER(cuFuncGetModule, (CUmodule * out, CUfunction f), (out, f))
{
    return get_module(out, f);
}

DRIVER(cuKernelGetLibrary, (CUlibrary * out, CUkernel f), (out, f))
{
    return get_module(out, f);
}

DRIVER(cuKernelGetFunction, (CUfunction * out, CUkernel f), (out, f))
{
    CUDA_CALL();

    if (!function_get(f) || !out)
        return cudaErrorInvalidDeviceFunction;
    *out = (CUfunction)f;
    return cudaSuccess;
}

static cudaError_t get_param(const void *symbol, size_t i, size_t *offset,
                             size_t *size)
{
    CUDA_CALL();
    cudaError_t code = cudaErrorInvalidDeviceFunction;
    cu_function *f = function_get(symbol);
    const isa_kernel *k = f ? function_code(f, cu_current(), &code) : NULL;

    if (!k)
        return code;
    if (!offset || i >= k->param_count)
        return cu_fail(cudaErrorInvalidValue,
                       "parameter %zu of kernel '%s', which has %u", i, f->name,
                       k->param_count);
    *offset = k->params[i].offset;
    if (size)
        *size = k->params[i].size;
    return cudaSuccess;
}

DRIVER(cuFuncGetParamInfo,
       (CUfunction f, size_t i, size_t *offset, size_t *size),
       (f, i, offset, size))
{
    return get_param(f, i, offset, size);
}

DRIVER(cuKernelGetParamInfo,
       (CUkernel f, size_t i, size_t *offset, size_t *size),
       (f, i, offset, size))
{
    return get_param(f, i, offset, size);
}

EXPORT cudaError_t cudaFuncGetParamInfo(const void *f, size_t i, size_t *offset,
                                        size_t *size)
{
    return get_param(f, i, offset, size);
}

DRIVER(cuFuncLoad, (CUfunction f), (f))
{
    CUDA_CALL();
    return function_get(f) ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

DRIVER(cuFuncIsLoaded, (int *out, CUfunction f), (out, f))
{
    CUDA_CALL();

    if (!function_get(f))
        return cudaErrorInvalidDeviceFunction;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    *out = 1;
    return cudaSuccess;
}

/* ---- Launches ---- */

/* Parameters as one block of memory come as a list of words: what follows, and
 * that. */
static bool read_extra(void **extra, cu_args *args)
{
    enum { END, BUFFER, SIZE };

    for (; extra && (uintptr_t)extra[0] != END; extra += 2) {
        if ((uintptr_t)extra[0] == BUFFER)
            args->packed = extra[1];
        else if ((uintptr_t)extra[0] == SIZE)
            args->packed_bytes = *(const size_t *)extra[1];
        else
            return false;
    }
    return true;
}

static cudaError_t launch(CUfunction f, dim3 grid, dim3 block, unsigned shared,
                          CUstream s, bool cooperative, void **each,
                          void **extra)
{
    cu_args args = {.each = each};
    CUDA_CALL();

    if (!read_extra(each ? NULL : extra, &args))
        return cu_fail(cudaErrorInvalidValue,
                       "`extra` is a list of CU_LAUNCH_PARAM_BUFFER_POINTER, "
                       "_SIZE and _END");
    return launch_symbol(f, grid, block, &args, shared, s, cooperative);
}

DRIVER_STREAM(cuLaunchKernel, _ptsz,
              (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
               unsigned by, unsigned bz, unsigned shared, CUstream s,
               void **each, void **extra),
              (f, gx, gy, gz, bx, by, bz, shared, s, each, extra))
{
    return launch(f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, shared, s, false,
                  each, extra);
}

DRIVER_STREAM(cuLaunchCooperativeKernel, _ptsz,
              (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
               unsigned by, unsigned bz, unsigned shared, CUstream s,
               void **each),
              (f, gx, gy, gz, bx, by, bz, shared, s, each))
{
    return launch(f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, shared, s, true,
                  each, NULL);
}

/* As the runtime describes it. */
static cudaLaunchConfig_t runtime_config(const CUlaunchConfig *how)
{
    return (cudaLaunchConfig_t){
        .gridDim = {how->gridDimX, how->gridDimY, how->gridDimZ},
        .blockDim = {how->blockDimX, how->blockDimY, how->blockDimZ},
        .dynamicSmemBytes = how->sharedMemBytes,
        .stream = how->hStream,
        .attrs = how->attrs,
        .numAttrs = how->numAttrs};
}

DRIVER_STREAM(cuLaunchKernelEx, _ptsz,
              (const CUlaunchConfig *how, CUfunction f, void **each,
               void **extra),
              (how, f, each, extra))
{
    cu_args args = {.each = each};
    CUDA_CALL();

    if (!how || !read_extra(each ? NULL : extra, &args))
        return cu_fail(cudaErrorInvalidValue, "there is no configuration, or "
                                              "`extra` is no such list");
    cudaLaunchConfig_t as = runtime_config(how);
    return launch_config(&as, f, &args);
}

DRIVER_STREAM(cuLaunchHostFunc, _ptsz,
              (CUstream s, cudaHostFn_t call, void *data), (s, call, data))
{
    return cudaLaunchHostFunc(s, call, data);
}

/* ---- Occupancy ---- */

DRIVER(cuOccupancyMaxActiveClusters,
       (int *out, CUfunction f, const CUlaunchConfig *how), (out, f, how))
{
    cudaLaunchConfig_t as = how ? runtime_config(how) : (cudaLaunchConfig_t){0};

    return cudaOccupancyMaxActiveClusters(out, f, how ? &as : NULL);
}

DRIVER(cuOccupancyMaxPotentialClusterSize,
       (int *out, CUfunction f, const CUlaunchConfig *how), (out, f, how))
{
    cudaLaunchConfig_t as = how ? runtime_config(how) : (cudaLaunchConfig_t){0};

    return cudaOccupancyMaxPotentialClusterSize(out, f, how ? &as : NULL);
}

DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor,
       (int *out, CUfunction f, int threads, size_t shared),
       (out, f, threads, shared))
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(out, f, threads,
                                                         shared);
}

DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
       (int *out, CUfunction f, int threads, size_t shared, unsigned flags),
       (out, f, threads, shared, flags))
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        out, f, threads, shared, flags);
}

DRIVER(cuOccupancyAvailableDynamicSMemPerBlock,
       (size_t * out, CUfunction f, int blocks, int threads),
       (out, f, blocks, threads))
{
    return cudaOccupancyAvailableDynamicSMemPerBlock(out, f, blocks, threads);
}

/* The block, of whole warps, with which most threads are on an SM; of several
 * the largest. */
static cudaError_t potential(int *grid, int *block, CUfunction f,
                             CUoccupancyB2DSize shared_of, size_t shared,
                             int limit)
{
    int most = 0, best = 0, blocks = 0, top;
    cudaError_t code = get_attribute(&top, FUNC_MOST_THREADS, f);

    if (code != cudaSuccess)
        return code;
    if (!grid || !block)
        return cudaErrorInvalidValue;
    if (limit > 0 && limit < top)
        top = limit;
    for (int n = top; n > 0; n -= n % ISA_WARP ? n % ISA_WARP : ISA_WARP) {
        int each;

        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &each, f, n, shared_of ? shared_of(n) : shared);
        if (code != cudaSuccess)
            return code;
        if (each * n > most) {
            most = each * n;
            best = n;
            blocks = each;
        }
    }
    *block = best;
    *grid = blocks * (int)cu_current()->drv->cfg->gpu.sms;
    return cudaSuccess;
}

DRIVER(cuOccupancyMaxPotentialBlockSize,
       (int *grid, int *block, CUfunction f, CUoccupancyB2DSize shared_of,
        size_t shared, int limit),
       (grid, block, f, shared_of, shared, limit))
{
    return potential(grid, block, f, shared_of, shared, limit);
}

DRIVER(cuOccupancyMaxPotentialBlockSizeWithFlags,
       (int *grid, int *block, CUfunction f, CUoccupancyB2DSize shared_of,
        size_t shared, int limit, unsigned flags),
       (grid, block, f, shared_of, shared, limit, flags))
{
    (void)flags;
    return potential(grid, block, f, shared_of, shared, limit);
}
