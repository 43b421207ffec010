/* Handles of cublasLt: they hold nothing, as its products are not there, but
 * programs that make one for later can go on. */
#include <stdlib.h>

#include "cublas/handle.h"

API(cublasLtCreate, (void **out))
{
    blas_function = __func__;
    BLAS_NEED(out, "no place for the handle");
    *out = calloc(1, 1);
    return *out ? CUBLAS_STATUS_SUCCESS
                : blas_fail(CUBLAS_STATUS_ALLOC_FAILED, "no memory");
}

API(cublasLtDestroy, (void *handle))
{
    blas_function = __func__;
    BLAS_NEED(handle, "there is no handle");
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}
