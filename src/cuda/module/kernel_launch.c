/* Launches: what <<<>>> becomes, in all generations of compilers. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "cuda/module/cluster_launch.h"
#include "cuda/module/kernel_launch.h"
#include "cuda/module/occupancy.h"
#include "cuda/stream/window.h"
#include "driver/worker.h"
#include "exec/cga.h"
#include "runtime/launch_cga.h"

/* ---- The command ---- */

drv_command *launch_command(cu_stream *s, const cu_launch *is)
{
    cu_device *d = s->device;
    cudaError_t code;
    const isa_kernel *k = function_code(is->function, d, &code);

    if (is->dependent) /* when it begins depends on what runs */
        worker_share(d->drv);
    drv_launch *l = drv_launch_new(&s->q, drv_event_new(&s->q));

    if (!k || !l)
        return NULL;
    l->module = *function_module(is->function, d);
    l->code = k;
    for (unsigned i = 0; i < 3; i++) {
        l->grid[i] = is->grid[i];
        l->block[i] = is->block[i];
        l->threads[i] = is->grid[i] * is->block[i];
        l->cga[i] = is->cga[i];
    }
    l->shared_bytes = is->shared_bytes;
    l->cooperative = is->cooperative;
    l->dependent = is->dependent;
    l->hints = is->hints;
    l->hints.carveout = (uint8_t)(is->function->carveout + 1);
    l->params = alloc_try_zeroed(k->param_bytes + 1u, 1);
    if (!l->params) {
        drv_command_free(&l->command);
        return NULL;
    }
    memcpy(l->params, is->params,
           k->param_bytes < is->param_bytes ? k->param_bytes : is->param_bytes);
    drv_command_use(&l->command, module_object(is->function->module));
    return &l->command;
}

/* ---- Checks ---- */

static cudaError_t check_shape(const cu_launch *l, const config *c)
{
    const uint32_t grids[3] = {c->gpu.max.grid_x, c->gpu.max.grid_y,
                               c->gpu.max.grid_z};
    const uint32_t blocks[3] = {c->gpu.max.cta_x, c->gpu.max.cta_y,
                                c->gpu.max.cta_z};
    uint64_t threads = 1;

    for (unsigned i = 0; i < 3; i++) {
        if (!l->grid[i] || l->grid[i] > grids[i])
            return cu_fail(cudaErrorInvalidConfiguration,
                           "the grid has %u blocks in %c: 1 to %u are possible",
                           l->grid[i], "xyz"[i], grids[i]);
        if (!l->block[i] || l->block[i] > blocks[i])
            return cu_fail(cudaErrorInvalidConfiguration,
                           "a block has %u threads in %c: 1 to %u are possible",
                           l->block[i], "xyz"[i], blocks[i]);
        threads *= l->block[i];
    }
    if (threads > c->gpu.max.cta_threads)
        return cu_fail(cudaErrorInvalidConfiguration,
                       "a block has %llu threads: at most %u are possible",
                       (unsigned long long)threads, c->gpu.max.cta_threads);
    return cudaSuccess;
}

/* Beyond 48 KB the program has to ask for it first
 * [CUDA12:shared-memory-7-x]. */
static cudaError_t check_shared(const cu_launch *l, const isa_kernel *k,
                                const config *c)
{
    const cu_function *f = l->function;
    uint64_t most = c->sm.shared_per_cta, plain = 48 << 10;
    uint64_t allowed =
        f->max_dynamic < 0 ? plain - k->shared_bytes : (uint64_t)f->max_dynamic;

    if (plain < k->shared_bytes && f->max_dynamic < 0)
        allowed = 0;
    if (l->shared_bytes > allowed ||
        (uint64_t)k->shared_bytes + l->shared_bytes > most)
        return cu_fail(cudaErrorInvalidValue,
                       "kernel '%s' is launched with %u bytes of dynamic "
                       "shared memory beside %u static ones: %llu are allowed "
                       "(cudaFuncSetAttribute), %llu exist",
                       f->name, l->shared_bytes, k->shared_bytes,
                       (unsigned long long)allowed, (unsigned long long)most);
    return cudaSuccess;
}

/* With which a block of so many threads fits. The vendor's compiler keeps to it
 * where it can, without being told. */
static unsigned most_registers(const cu_device *d, uint64_t threads)
{
    const config *c = d->drv->cfg;
    uint64_t warps =
        bits_round_up((threads + ISA_WARP - 1) / ISA_WARP, c->sm.warp_unit);
    uint64_t each = c->sm.registers / warps / c->sm.register_unit *
                    c->sm.register_unit / ISA_WARP;

    return each < c->sm.registers_per_thread ? (unsigned)each
                                             : c->sm.registers_per_thread;
}

static cudaError_t check_fit(const cu_launch *l, const isa_kernel *k,
                             cu_device *d)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];

    if (k->max_threads && threads > k->max_threads)
        return cu_fail(cudaErrorInvalidValue,
                       "kernel '%s' is for blocks of at most %u threads "
                       "(__launch_bounds__), not %llu",
                       l->function->name, k->max_threads,
                       (unsigned long long)threads);
    cudaError_t code;
    unsigned each = occupancy_of(d, k, (unsigned)threads, l->shared_bytes,
                                 l->function->carveout);
    if (!each) {
        k = function_limit(l->function, d, most_registers(d, threads));
        each = occupancy_of(d, k, (unsigned)threads, l->shared_bytes,
                            l->function->carveout);
    }
    if (!each)
        return cu_fail(cudaErrorLaunchOutOfResources,
                       "a block of %llu threads of kernel '%s' with %u "
                       "registers each does not fit an SM",
                       (unsigned long long)threads, l->function->name,
                       isa_kernel_begins_with(k));
    if (!cga_fits(l, k, d->drv->cfg, each, &code))
        return code;
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint64_t room = (uint64_t)each * d->drv->cfg->gpu.sms;
    if (l->cooperative && blocks > room)
        return cu_fail(cudaErrorCooperativeLaunchTooLarge,
                       "%llu blocks are launched together, but only %llu of "
                       "them fit the device at once",
                       (unsigned long long)blocks, (unsigned long long)room);
    return cudaSuccess;
}

/* ---- Launching ---- */

static void *gather_params(const isa_kernel *k, const cu_args *args)
{
    uint8_t *params = alloc_try_zeroed(k->param_bytes + 1u, 1);
    size_t packed = args->packed_bytes < k->param_bytes ? args->packed_bytes
                                                        : k->param_bytes;

    if (params && args->packed)
        memcpy(params, args->packed, packed);
    for (uint32_t i = 0; params && !args->packed && i < k->param_count; i++)
        memcpy(params + k->params[i].offset, args->each[i], k->params[i].size);
    return params;
}

cudaError_t launch_op(const cu_launch *l, const cu_args *args, cu_device *d,
                      cu_op *op)
{
    const config *c = d->drv->cfg;
    cudaError_t code;
    const isa_kernel *k = function_code(l->function, d, &code);

    if (!k)
        return code;
    if ((code = check_shape(l, c)) != cudaSuccess ||
        (code = check_shared(l, k, c)) != cudaSuccess ||
        (code = check_fit(l, k, d)) != cudaSuccess)
        return code;
    if (k->param_count && !args->each && !args->packed)
        return cu_fail(cudaErrorInvalidValue,
                       "kernel '%s' has %u parameters, but none are given",
                       l->function->name, k->param_count);
    *op = (cu_op){.kind = CU_OP_LAUNCH, .launch = *l};
    op->launch.param_bytes = k->param_bytes;
    if (!(op->launch.params = gather_params(k, args)))
        return cu_fail(cudaErrorMemoryAllocation, "no memory for parameters");
    return cudaSuccess;
}

cudaError_t launch_submit(const cu_launch *l, const cu_args *args,
                          cudaStream_t stream)
{
    cu_stream *s = stream_get(stream);
    cu_op op;
    cudaError_t code =
        s ? launch_op(l, args, s->device, &op) : cudaErrorInvalidResourceHandle;

    if (code != cudaSuccess)
        return code;
    if (!op.launch.hints.window_bytes)
        op.launch.hints = s->hints;
    return op_submit(s, &op);
}

cudaError_t launch_of(const void *symbol, dim3 grid, dim3 block, size_t shared,
                      bool cooperative, cu_launch *l)
{
    cu_function *f = function_get(symbol);

    *l = (cu_launch){.function = f,
                     .symbol = symbol,
                     .grid = {grid.x, grid.y, grid.z},
                     .block = {block.x, block.y, block.z},
                     .shared_bytes = (uint32_t)shared,
                     .cooperative = cooperative};

    if (!f)
        return cudaErrorInvalidDeviceFunction;
    if (shared > UINT32_MAX)
        return cu_fail(cudaErrorInvalidValue,
                       "%zu bytes of shared memory are more than any device "
                       "has",
                       shared);
    return cudaSuccess;
}

cudaError_t launch_symbol(const void *symbol, dim3 grid, dim3 block,
                          const cu_args *args, size_t shared,
                          cudaStream_t stream, bool cooperative)
{
    cu_launch l;
    cudaError_t code = launch_of(symbol, grid, block, shared, cooperative, &l);

    return code == cudaSuccess ? launch_submit(&l, args, stream) : code;
}

EXPORT cudaError_t cudaLaunchKernel(const void *symbol, dim3 grid, dim3 block,
                                    void **args, size_t shared,
                                    cudaStream_t stream)
{
    CUDA_CALL();
    return launch_symbol(symbol, grid, block, &(cu_args){.each = args}, shared,
                         stream, false);
}

EXPORT cudaError_t cudaLaunchCooperativeKernel(const void *symbol, dim3 grid,
                                               dim3 block, void **args,
                                               size_t shared,
                                               cudaStream_t stream)
{
    CUDA_CALL();
    return launch_symbol(symbol, grid, block, &(cu_args){.each = args}, shared,
                         stream, true);
}

/* From 13 on: by the handle that __cudaGetKernel gave. */
EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid,
                                      dim3 block, void **args, size_t shared,
                                      cudaStream_t stream)
{
    CUDA_CALL();
    return launch_symbol(kernel, grid, block, &(cu_args){.each = args}, shared,
                         stream, false);
}

cudaError_t launch_config(const cudaLaunchConfig_t *how, const void *symbol,
                          const cu_args *args)
{
    bool cooperative = false, dependent = false;
    const dim3 *cga = NULL;
    exec_hints hints = {0};
    cu_launch l;

    for (unsigned i = 0; i < how->numAttrs; i++) {
        const cudaLaunchAttribute *a = &how->attrs[i];

        if (a->id == cudaLaunchAttributeCooperative)
            cooperative = a->val.cooperative != 0;
        if (a->id == cudaLaunchAttributeProgrammaticStreamSerialization)
            dependent = a->val.programmaticStreamSerializationAllowed != 0;
        if (a->id == cudaLaunchAttributeClusterDimension)
            cga = &a->val.clusterDim;
        if (a->id == cudaLaunchAttributeAccessPolicyWindow) {
            cudaError_t bad =
                cu_window_read(&a->val.accessPolicyWindow, &hints);

            if (bad != cudaSuccess)
                return bad;
        }
    }
    cudaError_t code = launch_of(symbol, how->gridDim, how->blockDim,
                                 how->dynamicSmemBytes, cooperative, &l);
    if (code == cudaSuccess && cga)
        code = cga_set(&l, *cga);
    l.hints = hints;
    l.dependent = dependent;
    return code == cudaSuccess ? launch_submit(&l, args, how->stream) : code;
}

EXPORT cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *how,
                                       const void *symbol, void **args)
{
    CUDA_CALL();

    if (!how)
        return cu_fail(cudaErrorInvalidValue, "there is no configuration");
    return launch_config(how, symbol, &(cu_args){.each = args});
}

/* ---- <<<>>> ---- */

/* What stands between the brackets, until the stub of the kernel takes it. A
 * parameter may contain another launch: so it is a stack. Compilers for
 * generation 9.1 and before put the parameters there, too. */
typedef struct cu_call {
    struct cu_call *below;
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    uint8_t *params; /* owned; NULL: none yet */
    size_t param_bytes;
} cu_call;

EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                            size_t shared, cudaStream_t stream)
{
    cu_thread *t = cu_thread_get();
    cu_call *c = alloc_try_zeroed(1, sizeof *c);

    if (!c)
        return cudaErrorMemoryAllocation;
    *c = (cu_call){t->calls, grid, block, shared, stream, NULL, 0};
    t->calls = c;
    return 0;
}

static void end_call(cu_thread *t)
{
    cu_call *c = t->calls;

    t->calls = c->below;
    free(c->params);
    free(c);
}

EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
                                              size_t *shared, void *stream)
{
    cu_thread *t = cu_thread_get();
    const cu_call *c = t->calls;

    if (!c)
        return cudaErrorMissingConfiguration;
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    end_call(t);
    return cudaSuccess;
}

EXPORT cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared,
                                     cudaStream_t stream)
{
    return (cudaError_t)__cudaPushCallConfiguration(grid, block, shared,
                                                    stream);
}

EXPORT cudaError_t cudaSetupArgument(const void *value, size_t size,
                                     size_t offset)
{
    CUDA_CALL();
    cu_call *c = cu_thread_get()->calls;

    if (!c)
        return cu_fail(cudaErrorMissingConfiguration,
                       "there was no cudaConfigureCall");
    if (!value || size > CBANK_BYTES || offset > CBANK_BYTES)
        return cu_fail(cudaErrorInvalidValue,
                       "%zu bytes at %zu are no parameter", size, offset);
    if (offset + size > c->param_bytes) {
        uint8_t *more = alloc_try_renew(c->params, offset + size, 1);

        if (!more)
            return cu_fail(cudaErrorMemoryAllocation,
                           "no memory for parameters");
        memset(more + c->param_bytes, 0, offset + size - c->param_bytes);
        c->params = more;
        c->param_bytes = offset + size;
    }
    if (size)
        memcpy(c->params + offset, value, size);
    return cudaSuccess;
}

EXPORT cudaError_t cudaLaunch(const void *symbol)
{
    CUDA_CALL();
    cu_thread *t = cu_thread_get();
    const cu_call *c = t->calls;

    if (!c)
        return cu_fail(cudaErrorMissingConfiguration,
                       "there was no cudaConfigureCall");
    cudaError_t code = launch_symbol(
        symbol, c->grid, c->block,
        &(cu_args){.packed = c->params ? c->params : (const void *)"",
                   .packed_bytes = c->param_bytes},
        c->shared, c->stream, false);
    end_call(t);
    return code;
}
