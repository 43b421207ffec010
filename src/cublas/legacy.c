/* The first interface, of programs that include cublas.h: one handle for all,
 * factors by value, results returned, errors asked for. */
#include <string.h>

#include "cublas/handle.h"

static cublasHandle_t handle; /* between cublasInit and cublasShutdown */
static _Thread_local cublasStatus_t last = CUBLAS_STATUS_SUCCESS;

cublasStatus_t cublasCreate_v2(cublasHandle_t *out);
cublasStatus_t cublasDestroy_v2(cublasHandle_t h);

/* ---- The library ---- */

static cublasStatus_t note(cublasStatus_t is)
{
    if (is != CUBLAS_STATUS_SUCCESS)
        last = is;
    return is;
}

API(cublasInit, (void))
{
    return handle ? CUBLAS_STATUS_SUCCESS : note(cublasCreate_v2(&handle));
}

API(cublasShutdown, (void))
{
    cublasHandle_t h = handle;

    handle = NULL;
    return h ? note(cublasDestroy_v2(h)) : CUBLAS_STATUS_NOT_INITIALIZED;
}

API(cublasGetError, (void))
{
    cublasStatus_t is = last;

    last = CUBLAS_STATUS_SUCCESS;
    return is;
}

API(cublasSetKernelStream, (cudaStream_t stream))
{
    if (!handle)
        return note(CUBLAS_STATUS_NOT_INITIALIZED);
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

API(cublasAlloc, (int count, int size, void **out))
{
    blas_function = __func__;
    BLAS_NEED(count > 0 && size > 0 && out, "%d elements of %d bytes", count,
              size);
    return blas_status(cudaMalloc(out, (size_t)count * (size_t)size));
}

API(cublasFree, (void *at)) { return blas_status(cudaFree(at)); }

/* ---- Letters for options, as BLAS has them ---- */

static cublasOperation_t op_of(char c)
{
    static const char letters[] = "NTCntc";
    const char *at = c ? strchr(letters, c) : NULL;

    return at ? (cublasOperation_t)((at - letters) % 3) : CUBLAS_OP_CONJG;
}

/* 0 for one of the first two letters, 1 for the others; -1, which is no option.
 */
static int option(char c, const char *letters)
{
    const char *at = c ? strchr(letters, c) : NULL;

    return at ? (int)((at - letters) / 2) : -1;
}

#define FILL(c)     ((cublasFillMode_t)option(c, "LlUu"))
#define SIDE(c)     ((cublasSideMode_t)option(c, "LlRr"))
#define DIAGONAL(c) ((cublasDiagType_t)option(c, "NnUu"))

/* A function of the first interface by one of the second, whose handle is the
 * first of `arguments`. */
#define BY(parameters, name, types, arguments)                                 \
    cublasStatus_t name##_v2 types;                                            \
    EXPORT void name parameters;                                               \
    EXPORT void name parameters { note(name##_v2 arguments); }
#define RESULT(R, parameters, name, types, ...)                                \
    cublasStatus_t name##_v2 types;                                            \
    EXPORT R name parameters;                                                  \
    EXPORT R name parameters                                                   \
    {                                                                          \
        R out = {0};                                                           \
                                                                               \
        note(name##_v2(handle, __VA_ARGS__, &out));                            \
        return out;                                                            \
    }

/* ---- Level 1 ---- */

#define VECTORS(X, T)                                                          \
    BY((int n, T alpha, T *x, int incx), cublas##X##scal,                      \
       (cublasHandle_t, int, const T *, T *, int),                             \
       (handle, n, &alpha, x, incx))                                           \
    BY((int n, T alpha, const T *x, int incx, T *y, int incy),                 \
       cublas##X##axpy,                                                        \
       (cublasHandle_t, int, const T *, const T *, int, T *, int),             \
       (handle, n, &alpha, x, incx, y, incy))                                  \
    BY((int n, const T *x, int incx, T *y, int incy), cublas##X##copy,         \
       (cublasHandle_t, int, const T *, int, T *, int),                        \
       (handle, n, x, incx, y, incy))                                          \
    BY((int n, T *x, int incx, T *y, int incy), cublas##X##swap,               \
       (cublasHandle_t, int, T *, int, T *, int),                              \
       (handle, n, x, incx, y, incy))
VECTORS(S, float)
VECTORS(D, double)
VECTORS(C, cuComplex)
VECTORS(Z, cuDoubleComplex)

#define SCAL_REAL(name, T, R)                                                  \
    BY((int n, R alpha, T *x, int incx), name,                                 \
       (cublasHandle_t, int, const R *, T *, int),                             \
       (handle, n, &alpha, x, incx))
SCAL_REAL(cublasCsscal, cuComplex, float)
SCAL_REAL(cublasZdscal, cuDoubleComplex, double)

#define ROT(name, T, R, S)                                                     \
    BY((int n, T *x, int incx, T *y, int incy, R c, S s), name,                \
       (cublasHandle_t, int, T *, int, T *, int, const R *, const S *),        \
       (handle, n, x, incx, y, incy, &c, &s))
ROT(cublasSrot, float, float, float)
ROT(cublasDrot, double, double, double)
ROT(cublasCrot, cuComplex, float, cuComplex)
ROT(cublasCsrot, cuComplex, float, float)
ROT(cublasZrot, cuDoubleComplex, double, cuDoubleComplex)
ROT(cublasZdrot, cuDoubleComplex, double, double)

#define ROTG(name, T, R)                                                       \
    BY((T * a, T * b, R * c, T * s), name,                                     \
       (cublasHandle_t, T *, T *, R *, T *), (handle, a, b, c, s))
ROTG(cublasSrotg, float, float)
ROTG(cublasDrotg, double, double)

#define DOT(name, T)                                                           \
    RESULT(T, (int n, const T *x, int incx, const T *y, int incy), name,       \
           (cublasHandle_t, int, const T *, int, const T *, int, T *), n, x,   \
           incx, y, incy)
DOT(cublasSdot, float)
DOT(cublasDdot, double)
DOT(cublasCdotu, cuComplex)
DOT(cublasCdotc, cuComplex)
DOT(cublasZdotu, cuDoubleComplex)
DOT(cublasZdotc, cuDoubleComplex)

#define MEASURE(name, T, R)                                                    \
    RESULT(R, (int n, const T *x, int incx), name,                             \
           (cublasHandle_t, int, const T *, int, R *), n, x, incx)
MEASURE(cublasSnrm2, float, float)
MEASURE(cublasDnrm2, double, double)
MEASURE(cublasScnrm2, cuComplex, float)
MEASURE(cublasDznrm2, cuDoubleComplex, double)
MEASURE(cublasSasum, float, float)
MEASURE(cublasDasum, double, double)
MEASURE(cublasScasum, cuComplex, float)
MEASURE(cublasDzasum, cuDoubleComplex, double)
MEASURE(cublasIsamax, float, int)
MEASURE(cublasIdamax, double, int)
MEASURE(cublasIcamax, cuComplex, int)
MEASURE(cublasIzamax, cuDoubleComplex, int)
MEASURE(cublasIsamin, float, int)
MEASURE(cublasIdamin, double, int)
MEASURE(cublasIcamin, cuComplex, int)
MEASURE(cublasIzamin, cuDoubleComplex, int)

/* ---- Levels 2 and 3 ---- */

#define GER(name, T)                                                           \
    BY((int m, int n, T alpha, const T *x, int incx, const T *y, int incy,     \
        T *a, int lda),                                                        \
       name,                                                                   \
       (cublasHandle_t, int, int, const T *, const T *, int, const T *, int,   \
        T *, int),                                                             \
       (handle, m, n, &alpha, x, incx, y, incy, a, lda))
GER(cublasSger, float)
GER(cublasDger, double)
GER(cublasCgeru, cuComplex)
GER(cublasCgerc, cuComplex)
GER(cublasZgeru, cuDoubleComplex)
GER(cublasZgerc, cuDoubleComplex)

#define MATRICES(X, T)                                                         \
    BY((char op, int m, int n, T alpha, const T *a, int lda, const T *x,       \
        int incx, T beta, T *y, int incy),                                     \
       cublas##X##gemv,                                                        \
       (cublasHandle_t, cublasOperation_t, int, int, const T *, const T *,     \
        int, const T *, int, const T *, T *, int),                             \
       (handle, op_of(op), m, n, &alpha, a, lda, x, incx, &beta, y, incy))     \
    BY((char fill, char op, char diagonal, int n, const T *a, int lda, T *x,   \
        int incx),                                                             \
       cublas##X##trsv,                                                        \
       (cublasHandle_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, \
        int, const T *, int, T *, int),                                        \
       (handle, FILL(fill), op_of(op), DIAGONAL(diagonal), n, a, lda, x,       \
        incx))                                                                 \
    BY((char ta, char tb, int m, int n, int k, T alpha, const T *a, int lda,   \
        const T *b, int ldb, T beta, T *c, int ldc),                           \
       cublas##X##gemm,                                                        \
       (cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,   \
        const T *, const T *, int, const T *, int, const T *, T *, int),       \
       (handle, op_of(ta), op_of(tb), m, n, k, &alpha, a, lda, b, ldb, &beta,  \
        c, ldc))                                                               \
    BY((char fill, char op, int n, int k, T alpha, const T *a, int lda,        \
        T beta, T *c, int ldc),                                                \
       cublas##X##syrk,                                                        \
       (cublasHandle_t, cublasFillMode_t, cublasOperation_t, int, int,         \
        const T *, const T *, int, const T *, T *, int),                       \
       (handle, FILL(fill), op_of(op), n, k, &alpha, a, lda, &beta, c, ldc))   \
    BY((char side, char fill, int m, int n, T alpha, const T *a, int lda,      \
        const T *b, int ldb, T beta, T *c, int ldc),                           \
       cublas##X##symm,                                                        \
       (cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int, int,          \
        const T *, const T *, int, const T *, int, const T *, T *, int),       \
       (handle, SIDE(side), FILL(fill), m, n, &alpha, a, lda, b, ldb, &beta,   \
        c, ldc))                                                               \
    BY((char side, char fill, char op, char diagonal, int m, int n, T alpha,   \
        const T *a, int lda, T *b, int ldb),                                   \
       cublas##X##trsm,                                                        \
       (cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, \
        cublasDiagType_t, int, int, const T *, const T *, int, T *, int),      \
       (handle, SIDE(side), FILL(fill), op_of(op), DIAGONAL(diagonal), m, n,   \
        &alpha, a, lda, b, ldb))                                               \
    BY((char side, char fill, char op, char diagonal, int m, int n, T alpha,   \
        const T *a, int lda, T *b, int ldb),                                   \
       cublas##X##trmm,                                                        \
       (cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t, \
        cublasDiagType_t, int, int, const T *, const T *, int, const T *, int, \
        T *, int),                                                             \
       (handle, SIDE(side), FILL(fill), op_of(op), DIAGONAL(diagonal), m, n,   \
        &alpha, a, lda, b, ldb, b, ldb))
MATRICES(S, float)
MATRICES(D, double)
MATRICES(C, cuComplex)
MATRICES(Z, cuDoubleComplex)
