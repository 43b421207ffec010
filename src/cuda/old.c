/* Names that the interface has dropped: programs of generation 11 and before
 * call them. */
#include "cuda/door.h"

EXPORT cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

EXPORT cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

EXPORT cudaError_t cudaThreadGetLimit(size_t *out, int what)
{
    return cudaDeviceGetLimit(out, what);
}

EXPORT cudaError_t cudaThreadSetLimit(int what, size_t value)
{
    return cudaDeviceSetLimit(what, value);
}

EXPORT cudaError_t cudaThreadGetCacheConfig(int *out)
{
    return cudaDeviceGetCacheConfig(out);
}

EXPORT cudaError_t cudaThreadSetCacheConfig(int preference)
{
    return cudaDeviceSetCacheConfig(preference);
}
