/* Variables of the program on the device, by their address in the program. */
#include "cuda/module/symbol.h"

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

cudaError_t symbol_copy(const void *symbol, size_t offset, const void *other,
                        size_t count, bool to_symbol, cu_copy *c)
{
    uint64_t addr, size;
    cudaError_t code = place_of(symbol, &addr, &size);

    if (code != cudaSuccess)
        return code;
    if (offset > size || count > size - offset)
        return cu_fail(cudaErrorInvalidValue,
                       "%zu bytes from byte %zu on: the variable has %llu",
                       count, offset, (unsigned long long)size);
    const void *place = (void *)(uintptr_t)(addr + offset);
    *c = to_symbol ? copy_bytes_of(place, other, count)
                   : copy_bytes_of(other, place, count);
    return cudaSuccess;
}

static cudaError_t copy_symbol(const void *symbol, size_t offset,
                               const void *other, size_t count, bool to_symbol,
                               cudaMemcpyKind kind, cudaStream_t stream,
                               bool blocking)
{
    cu_copy c;
    cudaError_t code = symbol_copy(symbol, offset, other, count, to_symbol, &c);

    return code == cudaSuccess ? copy_submit(stream, &c, kind, blocking) : code;
}

EXPORT cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from,
                                      size_t count, size_t offset,
                                      cudaMemcpyKind kind)
{
    CUDA_CALL();
    return copy_symbol(symbol, offset, from, count, true, kind, 0, true);
}

EXPORT cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                           size_t count, size_t offset,
                                           cudaMemcpyKind kind,
                                           cudaStream_t stream)
{
    CUDA_CALL();
    return copy_symbol(symbol, offset, from, count, true, kind, stream, false);
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
