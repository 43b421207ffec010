/* tests/cublas/cublas.h - cuBLAS as programs see it: own declarations, with
 * `void *` for data, and tables of the functions by type. */
#ifndef TESTS_CUBLAS_H
#define TESTS_CUBLAS_H

#include <stdint.h>

#include "cuda/functions.h"

typedef struct cublasContext *H;
enum {
    OK = 0,
    NOT_INITIALIZED = 1,
    INVALID_VALUE = 7,
    EXECUTION_FAILED = 13,
    NOT_SUPPORTED = 15,
};
enum { OP_N, OP_T, OP_C };
enum { LOWER, UPPER };
enum { LEFT, RIGHT };

int cublasCreate_v2(H *h);
int cublasDestroy_v2(H h);
int cublasSetStream_v2(H h, cudaStream_t stream);
int cublasGetStream_v2(H h, cudaStream_t *out);
int cublasSetPointerMode_v2(H h, int mode);
int cublasGetPointerMode_v2(H h, int *mode);
int cublasSetMathMode(H h, int mode);
int cublasGetMathMode(H h, int *mode);
int cublasSetWorkspace_v2(H h, void *at, size_t size);
int cublasGetVersion_v2(H h, int *out);
const char *cublasGetStatusName(int code);
const char *cublasGetStatusString(int code);
int cublasSetLoggerCallback(void (*callback)(const char *text));
int cublasSetVector(int n, int size, const void *x, int incx, void *y,
                    int incy);
int cublasGetVector(int n, int size, const void *x, int incx, void *y,
                    int incy);
int cublasSetMatrix(int m, int n, int size, const void *a, int lda, void *b,
                    int ldb);
int cublasGetMatrix(int m, int n, int size, const void *a, int lda, void *b,
                    int ldb);
int cublasSspmv_v2();

/* Declares a function of all types, and the table NAME of its four. */
#define FOUR(name, s, d, c, z, ...)                                            \
    int s(__VA_ARGS__), d(__VA_ARGS__), c(__VA_ARGS__), z(__VA_ARGS__);        \
    static int (*const name[4])(__VA_ARGS__)                                   \
        __attribute__((unused)) = {s, d, c, z};
#define NAMES(name, end, ...)                                                  \
    FOUR(name, cublasS##name##end, cublasD##name##end, cublasC##name##end,     \
         cublasZ##name##end, __VA_ARGS__)
#define CV const void *

NAMES(scal, _v2, H h, int n, CV alpha, void *x, int incx)
NAMES(axpy, _v2, H h, int n, CV alpha, CV x, int incx, void *y, int incy)
NAMES(copy, _v2, H h, int n, CV x, int incx, void *y, int incy)
NAMES(swap, _v2, H h, int n, void *x, int incx, void *y, int incy)
NAMES(rot, _v2, H h, int n, void *x, int incx, void *y, int incy, CV c, CV s)
NAMES(rotg, _v2, H h, void *a, void *b, void *c, void *s)
FOUR(dot, cublasSdot_v2, cublasDdot_v2, cublasCdotu_v2, cublasZdotu_v2, H h,
     int n, CV x, int incx, CV y, int incy, void *out)
FOUR(dotc, cublasSdot_v2, cublasDdot_v2, cublasCdotc_v2, cublasZdotc_v2, H h,
     int n, CV x, int incx, CV y, int incy, void *out)
FOUR(asum, cublasSasum_v2, cublasDasum_v2, cublasScasum_v2, cublasDzasum_v2,
     H h, int n, CV x, int incx, void *out)
FOUR(nrm2, cublasSnrm2_v2, cublasDnrm2_v2, cublasScnrm2_v2, cublasDznrm2_v2,
     H h, int n, CV x, int incx, void *out)
FOUR(amax, cublasIsamax_v2, cublasIdamax_v2, cublasIcamax_v2, cublasIzamax_v2,
     H h, int n, CV x, int incx, int *out)
FOUR(amin, cublasIsamin_v2, cublasIdamin_v2, cublasIcamin_v2, cublasIzamin_v2,
     H h, int n, CV x, int incx, int *out)
int cublasIdamax_v2_64(H h, int64_t n, CV x, int64_t incx, int64_t *out);
int cublasCsscal_v2(H h, int n, CV alpha, void *x, int incx);

NAMES(gemv, _v2, H h, int op, int m, int n, CV alpha, CV a, int lda, CV x,
      int incx, CV beta, void *y, int incy)
FOUR(ger, cublasSger_v2, cublasDger_v2, cublasCgeru_v2, cublasZgeru_v2, H h,
     int m, int n, CV alpha, CV x, int incx, CV y, int incy, void *a, int lda)
FOUR(gerc, cublasSger_v2, cublasDger_v2, cublasCgerc_v2, cublasZgerc_v2, H h,
     int m, int n, CV alpha, CV x, int incx, CV y, int incy, void *a, int lda)
NAMES(symv, _v2, H h, int fill, int n, CV alpha, CV a, int lda, CV x, int incx,
      CV beta, void *y, int incy)
NAMES(trsv, _v2, H h, int fill, int op, int unit, int n, CV a, int lda, void *x,
      int incx)
NAMES(geam, , H h, int ta, int tb, int m, int n, CV alpha, CV a, int lda,
      CV beta, CV b, int ldb, void *c, int ldc)
NAMES(dgmm, , H h, int side, int m, int n, CV a, int lda, CV x, int incx,
      void *c, int ldc)

NAMES(gemm, _v2, H h, int ta, int tb, int m, int n, int k, CV alpha, CV a,
      int lda, CV b, int ldb, CV beta, void *c, int ldc)
NAMES(gemmBatched, , H h, int ta, int tb, int m, int n, int k, CV alpha, CV a,
      int lda, CV b, int ldb, CV beta, CV c, int ldc, int count)
NAMES(gemmStridedBatched, , H h, int ta, int tb, int m, int n, int k, CV alpha,
      CV a, int lda, long long step_a, CV b, int ldb, long long step_b, CV beta,
      void *c, int ldc, long long step_c, int count)
int cublasSgemm_v2_64(H h, int ta, int tb, int64_t m, int64_t n, int64_t k,
                      CV alpha, CV a, int64_t lda, CV b, int64_t ldb, CV beta,
                      void *c, int64_t ldc);
int cublasGemmEx(H h, int ta, int tb, int m, int n, int k, CV alpha, CV a,
                 int type_a, int lda, CV b, int type_b, int ldb, CV beta,
                 void *c, int type_c, int ldc, int compute, int algorithm);
int cublasHgemm(H h, int ta, int tb, int m, int n, int k, CV alpha, CV a,
                int lda, CV b, int ldb, CV beta, void *c, int ldc);
NAMES(syrk, _v2, H h, int fill, int op, int n, int k, CV alpha, CV a, int lda,
      CV beta, void *c, int ldc)
NAMES(syr2k, _v2, H h, int fill, int op, int n, int k, CV alpha, CV a, int lda,
      CV b, int ldb, CV beta, void *c, int ldc)
int cublasZherk_v2(H h, int fill, int op, int n, int k, CV alpha, CV a, int lda,
                   CV beta, void *c, int ldc);
int cublasZher2k_v2(H h, int fill, int op, int n, int k, CV alpha, CV a,
                    int lda, CV b, int ldb, CV beta, void *c, int ldc);
NAMES(symm, _v2, H h, int side, int fill, int m, int n, CV alpha, CV a, int lda,
      CV b, int ldb, CV beta, void *c, int ldc)
int cublasZhemm_v2(H h, int side, int fill, int m, int n, CV alpha, CV a,
                   int lda, CV b, int ldb, CV beta, void *c, int ldc);
NAMES(trmm, _v2, H h, int side, int fill, int op, int unit, int m, int n,
      CV alpha, CV a, int lda, CV b, int ldb, void *c, int ldc)
NAMES(trsm, _v2, H h, int side, int fill, int op, int unit, int m, int n,
      CV alpha, CV a, int lda, void *b, int ldb)
NAMES(getrfBatched, , H h, int n, CV a, int lda, int *pivots, int *info,
      int count)
NAMES(getrsBatched, , H h, int op, int n, int columns, CV a, int lda,
      const int *pivots, CV b, int ldb, int *info, int count)
NAMES(getriBatched, , H h, int n, CV a, int lda, const int *pivots, CV c,
      int ldc, int *info, int count)

#endif
