/* What a program can ask and set of a kernel. */
#include <string.h>

#include "cuda/generation.h"
#include "cuda/module/module.h"
#include "isa/program.h"

static int most_dynamic(const cu_function *f, const isa_kernel *k,
                        const config *c)
{
    int plain = 48 << 10;

    if (f->max_dynamic >= 0)
        return f->max_dynamic;
    if ((uint64_t)plain > c->sm.shared_per_cta)
        plain = (int)c->sm.shared_per_cta;
    return plain > (int)k->shared_bytes ? plain - (int)k->shared_bytes : 0;
}

static int most_threads(const isa_kernel *k, const config *c)
{
    unsigned most = c->gpu.max.cta_threads;
    unsigned each = isa_kernel_begins_with(k);
    unsigned fit =
        each ? (unsigned)(c->sm.registers / each) / ISA_WARP * ISA_WARP : most;

    if (fit < most)
        most = fit;
    return (int)(k->max_threads && k->max_threads < most ? k->max_threads
                                                         : most);
}

static cudaError_t describe(const void *symbol, cudaFuncAttributes *out)
{
    cudaError_t code = cudaErrorInvalidDeviceFunction;
    cu_function *f = function_get(symbol);
    cu_device *d = cu_current();
    const isa_kernel *k = f ? function_code(f, d, &code) : NULL;

    if (!k)
        return code;
    const config *c = d->drv->cfg;
    *out = (cudaFuncAttributes){
        .sharedSizeBytes = k->shared_bytes,
        .localSizeBytes = k->local_bytes,
        .maxThreadsPerBlock = most_threads(k, c),
        .numRegs = (int)isa_kernel_begins_with(k),
        .ptxVersion = (int)module_capability(f->module, d),
        .binaryVersion = (int)c->gpu.capability,
        .maxDynamicSharedSizeBytes = most_dynamic(f, k, c),
        .preferredShmemCarveout = f->carveout,
        .clusterDimMustBeSet = k->explicit_cga && !k->req_cga[0],
        .requiredClusterWidth = (int)k->req_cga[0],
        .requiredClusterHeight = (int)k->req_cga[1],
        .requiredClusterDepth = (int)k->req_cga[2],
        .nonPortableClusterSizeAllowed = f->large_cga,
    };
    return cudaSuccess;
}

/* The structure grew in generation 12. */
static size_t attribute_bytes(void)
{
    return cu_program_generation() < CUDA_12
               ? offsetof(cudaFuncAttributes, clusterDimMustBeSet)
               : sizeof(cudaFuncAttributes);
}

EXPORT cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out,
                                         const void *symbol)
{
    CUDA_CALL();
    cudaFuncAttributes is;

    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    cudaError_t code = describe(symbol, &is);
    if (code == cudaSuccess)
        memcpy(out, &is, attribute_bytes());
    return code;
}

static cudaError_t set_dynamic(cu_function *f, const isa_kernel *k, int value)
{
    int most = (int)(cu_current()->drv->cfg->sm.shared_per_cta);

    if (value < 0 || value > most - (int)k->shared_bytes)
        return cu_fail(cudaErrorInvalidValue,
                       "%d bytes of dynamic shared memory for kernel '%s': 0 "
                       "to %d are possible",
                       value, f->name, most - (int)k->shared_bytes);
    f->max_dynamic = value;
    return cudaSuccess;
}

EXPORT cudaError_t cudaFuncSetAttribute(const void *symbol, int what, int value)
{
    CUDA_CALL();
    cudaError_t code = cudaErrorInvalidDeviceFunction;
    cu_function *f = function_get(symbol);
    const isa_kernel *k = f ? function_code(f, cu_current(), &code) : NULL;

    if (!k)
        return code;
    switch (what) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return set_dynamic(f, k, value);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return cu_fail(cudaErrorInvalidValue,
                           "%d is no share in percent, nor -1", value);
        f->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        f->large_cga = value != 0;
        return cudaSuccess;
    default:
        return cu_fail(cudaErrorInvalidValue,
                       "attribute %d of kernels cannot be set", what);
    }
}

/* Hints about the caches, which the configuration decides. */
EXPORT cudaError_t cudaFuncSetCacheConfig(const void *symbol, int preference)
{
    CUDA_CALL();

    (void)preference;
    return function_get(symbol) ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

EXPORT cudaError_t cudaFuncSetSharedMemConfig(const void *symbol,
                                              int preference)
{
    CUDA_CALL();

    (void)preference;
    return function_get(symbol) ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

EXPORT cudaError_t cudaFuncGetName(const char **out, const void *symbol)
{
    CUDA_CALL();
    const cu_function *f = function_get(symbol);

    if (!f)
        return cudaErrorInvalidDeviceFunction;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the name");
    *out = f->name;
    return cudaSuccess;
}
