/* Variables of the program on the device, by their address in the program. */
#include "cuda/memory/copy.h"
#include "cuda/module/module.h"

static cudaError_t place_of(const void *symbol, uint64_t *addr, uint64_t *size)
{
    const cu_variable *v = variable_get(symbol);

    if (!v)
        return cudaErrorInvalidSymbol;
    return variable_place(v, cu_current(), addr, size);
}

EXPORT cudaError_t cudaGetSymbolAddress(void **out, const void *symbol)
{
    CUDA_CALL();
    uint64_t addr, size;
    cudaError_t code = place_of(symbol, &addr, &size);

    if (code == cudaSuccess && !out)
        return cu_fail(cudaErrorInvalidValue, "no place for the address");
    if (code == cudaSuccess)
        *out = (void *)(uintptr_t)addr;
    return code;
}

EXPORT cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol)
{
    CUDA_CALL();
    uint64_t addr, size;
    cudaError_t code = place_of(symbol, &addr, &size);

    if (code == cudaSuccess && !out)
        return cu_fail(cudaErrorInvalidValue, "no place for the size");
    if (code == cudaSuccess)
        *out = size;
    return code;
}

/* To the variable, or from it. */
static cudaError_t copy_symbol(const void *symbol, size_t offset, void *other,
                               size_t count, bool to_symbol,
                               cudaMemcpyKind kind, cudaStream_t stream,
                               bool blocking)
{
    uint64_t addr, size;
    cudaError_t code = place_of(symbol, &addr, &size);

    if (code != cudaSuccess)
        return code;
    if (offset > size || count > size - offset)
        return cu_fail(cudaErrorInvalidValue,
                       "%zu bytes from byte %zu on: the variable has %llu",
                       count, offset, (unsigned long long)size);
    cu_side symbol_side =
        side_rows((void *)(uintptr_t)(addr + offset), count, count);
    cu_side other_side = side_rows(other, count, count);
    cu_copy c = {.from = to_symbol ? other_side : symbol_side,
                 .to = to_symbol ? symbol_side : other_side,
                 .width = count,
                 .height = 1,
                 .depth = 1};
    return copy_submit(stream, &c, kind, blocking);
}

EXPORT cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from,
                                      size_t count, size_t offset,
                                      cudaMemcpyKind kind)
{
    CUDA_CALL();
    return copy_symbol(symbol, offset, (void *)(uintptr_t)from, count, true,
                       kind, 0, true);
}

EXPORT cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                           size_t count, size_t offset,
                                           cudaMemcpyKind kind,
                                           cudaStream_t stream)
{
    CUDA_CALL();
    return copy_symbol(symbol, offset, (void *)(uintptr_t)from, count, true,
                       kind, stream, false);
}

EXPORT cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol,
                                        size_t count, size_t offset,
                                        cudaMemcpyKind kind)
{
    CUDA_CALL();
    return copy_symbol(symbol, offset, to, count, false, kind, 0, true);
}

EXPORT cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol,
                                             size_t count, size_t offset,
                                             cudaMemcpyKind kind,
                                             cudaStream_t stream)
{
    CUDA_CALL();
    return copy_symbol(symbol, offset, to, count, false, kind, stream, false);
}
