/* src/cublas/log.h - why calls fail, for those who ask. */
#ifndef CUBLAS_LOG_H
#define CUBLAS_LOG_H

#include "cublas/api.h"

/* The function of the API that the thread is in. */
extern _Thread_local const char *blas_function;

/* Returns `code`; function and printf-style sentence go to the program's log
 * (cublasLoggerConfigure, cublasSetLoggerCallback) and, with HEDDLE_LOG=1, to
 * stderr. */
cublasStatus_t blas_fail(cublasStatus_t code, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns CUBLAS_STATUS_INVALID_VALUE, with a reason, unless `good`. */
#define BLAS_NEED(good, ...)                                                   \
    do {                                                                       \
        if (!(good))                                                           \
            return blas_fail(CUBLAS_STATUS_INVALID_VALUE, __VA_ARGS__);        \
    } while (0)

#endif
