/* Thread-block clusters: launches, and how many the device holds. */
#include "cuda/module/cluster_launch.h"

#include "cuda/module/kernel_launch.h"
#include "cuda/module/occupancy.h"
#include "runtime/launch_cga.h"

cudaError_t cga_set(cu_launch *l, dim3 cga)
{
    if (!cga.x || !cga.y || !cga.z)
        return cu_fail(cudaErrorInvalidClusterSize,
                       "a cluster of %ux%ux%u has no blocks", cga.x, cga.y,
                       cga.z);
    l->cga[0] = cga.x;
    l->cga[1] = cga.y;
    l->cga[2] = cga.z;
    return cudaSuccess;
}

bool cga_fits(const cu_launch *l, const isa_kernel *k, const config *c,
              unsigned each, cudaError_t *code)
{
    rt_launch as = {.kernel = k,
                    .grid = {l->grid[0], l->grid[1], l->grid[2]},
                    .cga = {l->cga[0], l->cga[1], l->cga[2]},
                    .cga_portable = !l->function->large_cga};
    exec_launch e = {.kernel = k};
    diag *dg;
    bool good;

    if (!l->cga[0] && !k->req_cga[0] && !k->explicit_cga)
        return true;
    dg = diag_new();
    rt_cga_of(&as, e.cga);
    good = rt_cga_check(c, &as, dg) && rt_cga_fits(c, &e, each, dg);
    if (!good)
        *code =
            cu_fail(cudaErrorInvalidClusterSize, "%s", diag_get(dg, 0)->text);
    diag_free(dg);
    return good;
}

/* ---- The API ---- */

/* The launch that `how` describes, and how many of its blocks an SM holds. */
static cudaError_t look_at(const cudaLaunchConfig_t *how, const void *symbol,
                           cu_launch *l, const isa_kernel **k, unsigned *each)
{
    cudaError_t code;

    if (!how)
        return cu_fail(cudaErrorInvalidValue, "there is no configuration");
    code = launch_of(symbol, how->gridDim, how->blockDim, how->dynamicSmemBytes,
                     false, l);
    if (code != cudaSuccess)
        return code;
    for (unsigned i = 0; i < how->numAttrs && code == cudaSuccess; i++)
        if (how->attrs[i].id == cudaLaunchAttributeClusterDimension)
            code = cga_set(l, how->attrs[i].val.clusterDim);
    if (code != cudaSuccess)
        return code;
    if (!(*k = function_code(l->function, cu_current(), &code)))
        return code;
    *each =
        occupancy_of(cu_current(), *k, l->block[0] * l->block[1] * l->block[2],
                     l->shared_bytes, l->function->carveout);
    return cudaSuccess;
}

EXPORT cudaError_t cudaOccupancyMaxActiveClusters(int *out, const void *symbol,
                                                  const cudaLaunchConfig_t *how)
{
    CUDA_CALL();
    const isa_kernel *k;
    uint32_t cga[3];
    unsigned each;
    cu_launch l;
    cudaError_t code = look_at(how, symbol, &l, &k, &each);

    if (code != cudaSuccess)
        return code;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    const config *c = cu_current()->drv->cfg;
    rt_cga_of(&(rt_launch){.kernel = k, .cga = {l.cga[0], l.cga[1], l.cga[2]}},
              cga);
    if (!cga[0])
        return cu_fail(cudaErrorInvalidValue,
                       "neither the configuration nor kernel '%s' says how "
                       "large a cluster is",
                       l.function->name);
    if (!cga_fits(&l, k, c, UINT16_MAX, &code))
        return code;
    *out = (int)rt_cga_active(c, cga[0] * cga[1] * cga[2], each);
    return cudaSuccess;
}

EXPORT cudaError_t cudaOccupancyMaxPotentialClusterSize(
    int *out, const void *symbol, const cudaLaunchConfig_t *how)
{
    CUDA_CALL();
    const isa_kernel *k;
    unsigned each, most;
    cu_launch l;
    cudaError_t code = look_at(how, symbol, &l, &k, &each);

    if (code != cudaSuccess)
        return code;
    if (!out)
        return cu_fail(cudaErrorInvalidValue, "no place for the answer");
    const config *c = cu_current()->drv->cfg;
    most = rt_cga_most(c);
    if (!l.function->large_cga && most > c->gpu.cga.portable)
        most = c->gpu.cga.portable;
    if (k->max_cga && k->max_cga < most)
        most = k->max_cga;
    while (most && !rt_cga_active(c, most, each))
        most--;
    *out = (int)most;
    return cudaSuccess;
}
