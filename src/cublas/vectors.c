/* Level 1. */
#include "cublas/vectors.h"

#include <string.h>

BLAS_FAMILY(vector);

static library_kernel scal[] = BLAS_KERNELS(vector, scal),
                      scal_real[] = BLAS_KERNELS(vector, scal_real),
                      axpy[] = BLAS_KERNELS(vector, axpy),
                      copy[] = BLAS_KERNELS(vector, copy),
                      swap[] = BLAS_KERNELS(vector, swap),
                      rot[] = BLAS_KERNELS(vector, rot),
                      dot[] = BLAS_KERNELS(vector, dot),
                      asum[] = BLAS_KERNELS(vector, asum),
                      nrm2[] = BLAS_KERNELS(vector, nrm2),
                      extreme[] = BLAS_KERNELS(vector, extreme);

/* ---- Launches ---- */

enum { THREADS = 256, GRID_MOST = 4096, PER_PART = 4 * THREADS };

size_t blas_size(blas_type type)
{
    static const uint8_t sizes[] = {
        [BLAS_F32] = 4, [BLAS_F64] = 8,  [BLAS_C32] = 8, [BLAS_C64] = 16,
        [BLAS_F16] = 2, [BLAS_BF16] = 2, [BLAS_I8] = 1,  [BLAS_I32] = 4,
    };

    return sizes[type];
}

blas_vector blas_vector_of(blas_operand x, long long n)
{
    const char *at = x.at;

    if (x.step < 0 && n > 0)
        at += (n - 1) * -x.step * (long long)blas_size(x.type);
    return (blas_vector){at, x.step};
}

static unsigned blocks(long long n, long long each, unsigned most)
{
    long long count = (n + each - 1) / each;

    return count < most ? (unsigned)count : most;
}

cublasStatus_t blas_each(cublasHandle_t h, library_kernel *k, blas_vectors *p)
{
    if (p->n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    return blas_launch(h, k, (dim3){blocks(p->n, THREADS, GRID_MOST), 1, 1},
                       THREADS, p);
}

/* Zeros of `bytes` to `out`. */
static cublasStatus_t no_result(cublasHandle_t h, size_t bytes, void *out)
{
    if (h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        return blas_status(cudaMemsetAsync(out, 0, bytes, h->stream));
    memset(out, 0, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t blas_reduce(cublasHandle_t h, library_kernel *k, blas_vectors *p,
                           size_t bytes, void *out)
{
    enum { RESULT_AT = BLAS_SLOT_BYTES - 16 };
    char *slot = (char *)h->scratch + h->slot * BLAS_SLOT_BYTES;
    bool host = h->pointer_mode == CUBLAS_POINTER_MODE_HOST;

    BLAS_NEED(out, "no place for the result");
    if (p->n <= 0)
        return no_result(h, bytes, out);
    h->slot = (h->slot + 1) % BLAS_SLOTS;
    p->parts = slot;
    p->result = host ? slot + RESULT_AT : out;
    unsigned parts = blocks(p->n, PER_PART, BLAS_PARTS);
    cublasStatus_t is = blas_launch(h, k, (dim3){parts, 1, 1}, THREADS, p);
    if (is == CUBLAS_STATUS_SUCCESS && parts > 1) {
        p->stage = 1;
        p->n = parts;
        is = blas_launch(h, k, (dim3){1, 1, 1}, THREADS, p);
    }
    if (is != CUBLAS_STATUS_SUCCESS || !host)
        return is;
    is = blas_status(cudaMemcpyAsync(out, p->result, bytes,
                                     cudaMemcpyDeviceToHost, h->stream));
    return is == CUBLAS_STATUS_SUCCESS
               ? blas_status(cudaStreamSynchronize(h->stream))
               : is;
}

/* ---- Element by element ---- */

static cublasStatus_t one(cublasHandle_t h, library_kernel *k, long long n,
                          blas_scalar alpha, blas_operand x)
{
    blas_vectors p = {.n = n, .x = blas_vector_of(x, n), .alpha = alpha};

    /* As BLAS does: steps back have no meaning for a single vector. */
    return x.step > 0 ? blas_each(h, k, &p) : CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t two(cublasHandle_t h, library_kernel *k, long long n,
                          blas_scalar alpha, blas_scalar beta, blas_operand x,
                          blas_operand y)
{
    blas_vectors p = {.n = n,
                      .x = blas_vector_of(x, n),
                      .y = blas_vector_of(y, n),
                      .alpha = alpha,
                      .beta = beta};

    return blas_each(h, k, &p);
}

#define SCAL(letter, T, type, I, end)                                          \
    API(cublas##letter##scal##end,                                             \
        (cublasHandle_t h, I n, const T *alpha, T *x, I incx))                 \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        BLAS_NEED(alpha, "alpha is NULL");                                     \
        return one(h, &scal[type], n, blas_factor(h, alpha, type),             \
                   (blas_operand){x, incx, type});                             \
    }
BLAS_FOUR(SCAL, _v2)

#define SCAL_REAL(name, T, type, R, real, I)                                   \
    API(name, (cublasHandle_t h, I n, const R *alpha, T *x, I incx))           \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        BLAS_NEED(alpha, "alpha is NULL");                                     \
        return one(h, &scal_real[type], n, blas_factor(h, alpha, real),        \
                   (blas_operand){x, incx, type});                             \
    }
SCAL_REAL(cublasCsscal_v2, cuComplex, BLAS_C32, float, BLAS_F32, int)
SCAL_REAL(cublasCsscal_v2_64, cuComplex, BLAS_C32, float, BLAS_F32, int64_t)
SCAL_REAL(cublasZdscal_v2, cuDoubleComplex, BLAS_C64, double, BLAS_F64, int)
SCAL_REAL(cublasZdscal_v2_64, cuDoubleComplex, BLAS_C64, double, BLAS_F64,
          int64_t)

#define AXPY(letter, T, type, I, end)                                          \
    API(cublas##letter##axpy##end, (cublasHandle_t h, I n, const T *alpha,     \
                                    const T *x, I incx, T *y, I incy))         \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        BLAS_NEED(alpha, "alpha is NULL");                                     \
        return two(h, &axpy[type], n, blas_factor(h, alpha, type),             \
                   blas_constant(0), (blas_operand){x, incx, type},            \
                   (blas_operand){y, incy, type});                             \
    }
BLAS_FOUR(AXPY, _v2)

#define COPY(letter, T, type, I, end)                                          \
    API(cublas##letter##copy##end,                                             \
        (cublasHandle_t h, I n, const T *x, I incx, T *y, I incy))             \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return two(h, &copy[type], n, blas_constant(0), blas_constant(0),      \
                   (blas_operand){x, incx, type},                              \
                   (blas_operand){y, incy, type});                             \
    }
BLAS_FOUR(COPY, _v2)

#define SWAP(letter, T, type, I, end)                                          \
    API(cublas##letter##swap##end,                                             \
        (cublasHandle_t h, I n, T * x, I incx, T * y, I incy))                 \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return two(h, &swap[type], n, blas_constant(0), blas_constant(0),      \
                   (blas_operand){x, incx, type},                              \
                   (blas_operand){y, incy, type});                             \
    }
BLAS_FOUR(SWAP, _v2)

/* Cosines are real; `sine` is the type of sines. */
#define ROT(name, T, type, R, real, S, sine, I)                                \
    API(name, (cublasHandle_t h, I n, T * x, I incx, T * y, I incy,            \
               const R *c, const S *s))                                        \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        BLAS_NEED(c &&s, "cosine or sine is NULL");                            \
        return two(h, &rot[type], n, blas_factor(h, c, real),                  \
                   blas_factor(h, s, sine), (blas_operand){x, incx, type},     \
                   (blas_operand){y, incy, type});                             \
    }
#define ROTS(end, I)                                                           \
    ROT(cublasSrot##end, float, BLAS_F32, float, BLAS_F32, float, BLAS_F32, I) \
    ROT(cublasDrot##end, double, BLAS_F64, double, BLAS_F64, double, BLAS_F64, \
        I)                                                                     \
    ROT(cublasCrot##end, cuComplex, BLAS_C32, float, BLAS_F32, cuComplex,      \
        BLAS_C32, I)                                                           \
    ROT(cublasCsrot##end, cuComplex, BLAS_C32, float, BLAS_F32, float,         \
        BLAS_F32, I)                                                           \
    ROT(cublasZrot##end, cuDoubleComplex, BLAS_C64, double, BLAS_F64,          \
        cuDoubleComplex, BLAS_C64, I)                                          \
    ROT(cublasZdrot##end, cuDoubleComplex, BLAS_C64, double, BLAS_F64, double, \
        BLAS_F64, I)
ROTS(_v2, int)
ROTS(_v2_64, int64_t)

static library_kernel rotg[] = BLAS_KERNELS(vector, rotg);

/* One on the device; the host's numbers go there and come back. */
static cublasStatus_t make_rotation(cublasHandle_t h, blas_type type,
                                    size_t size_c, blas_rotation *p)
{
    void **parts[] = {&p->a, &p->b, &p->c, &p->s};
    void *host[] = {p->a, p->b, p->c, p->s};
    size_t size = blas_size(type), sizes[] = {size, size, size_c, size};
    cublasStatus_t is = CUBLAS_STATUS_SUCCESS;

    BLAS_NEED(p->a && p->b && p->c && p->s, "a, b, cosine or sine is NULL");
    if (h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        return blas_launch(h, &rotg[type], (dim3){1, 1, 1}, 1, p);
    for (int i = 0; i < 4 && is == CUBLAS_STATUS_SUCCESS; i++) {
        *parts[i] = (char *)h->scratch + h->slot * BLAS_SLOT_BYTES + 16 * i;
        is = blas_status(cudaMemcpyAsync(*parts[i], host[i], sizes[i],
                                         cudaMemcpyHostToDevice, h->stream));
    }
    h->slot = (h->slot + 1) % BLAS_SLOTS;
    if (is == CUBLAS_STATUS_SUCCESS)
        is = blas_launch(h, &rotg[type], (dim3){1, 1, 1}, 1, p);
    for (int i = 0; i < 4 && is == CUBLAS_STATUS_SUCCESS; i++)
        is = blas_status(cudaMemcpyAsync(host[i], *parts[i], sizes[i],
                                         cudaMemcpyDeviceToHost, h->stream));
    return is == CUBLAS_STATUS_SUCCESS
               ? blas_status(cudaStreamSynchronize(h->stream))
               : is;
}

#define ROTG(name, T, type, R)                                                 \
    API(name, (cublasHandle_t h, T * a, T * b, R * c, T * s))                  \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return make_rotation(h, type, sizeof(R),                               \
                             &(blas_rotation){a, b, c, s});                    \
    }
ROTG(cublasSrotg_v2, float, BLAS_F32, float)
ROTG(cublasDrotg_v2, double, BLAS_F64, double)
ROTG(cublasCrotg_v2, cuComplex, BLAS_C32, float)
ROTG(cublasZrotg_v2, cuDoubleComplex, BLAS_C64, double)

/* ---- Reductions ---- */

static cublasStatus_t product(cublasHandle_t h, long long n, blas_operand x,
                              blas_operand y, bool conjugate, void *out)
{
    blas_vectors p = {.n = n,
                      .x = blas_vector_of(x, n),
                      .y = blas_vector_of(y, n),
                      .conjugate = conjugate,
                      .type = x.type};

    return blas_reduce(h, &dot[x.type], &p, blas_size(x.type), out);
}

#define DOT(name, T, type, I, conjugate)                                       \
    API(name, (cublasHandle_t h, I n, const T *x, I incx, const T *y, I incy,  \
               T *out))                                                        \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return product(h, n, (blas_operand){x, incx, type},                    \
                       (blas_operand){y, incy, type}, conjugate, out);         \
    }
#define DOT_REAL(letter, T, type, I, end)                                      \
    DOT(cublas##letter##dot##end, T, type, I, false)
#define DOT_COMPLEX(letter, T, type, I, end)                                   \
    DOT(cublas##letter##dotu##end, T, type, I, false)                          \
    DOT(cublas##letter##dotc##end, T, type, I, true)
BLAS_REAL(DOT_REAL, _v2)
BLAS_COMPLEX(DOT_COMPLEX, _v2)

static cublasStatus_t measure(cublasHandle_t h, library_kernel *k, long long n,
                              blas_operand x, void *out)
{
    bool wide = x.type == BLAS_F64 || x.type == BLAS_C64;
    blas_vectors p = {.n = x.step > 0 ? n : 0,
                      .x = {x.at, x.step},
                      .type = wide ? BLAS_F64 : BLAS_F32};

    return blas_reduce(h, &k[x.type], &p, wide ? 8 : 4, out);
}

#define MEASURE(name, kernels, T, type, R, I)                                  \
    API(name, (cublasHandle_t h, I n, const T *x, I incx, R *out))             \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return measure(h, kernels, n, (blas_operand){x, incx, type}, out);     \
    }
#define MEASURES(end, I)                                                       \
    MEASURE(cublasSnrm2##end, nrm2, float, BLAS_F32, float, I)                 \
    MEASURE(cublasDnrm2##end, nrm2, double, BLAS_F64, double, I)               \
    MEASURE(cublasScnrm2##end, nrm2, cuComplex, BLAS_C32, float, I)            \
    MEASURE(cublasDznrm2##end, nrm2, cuDoubleComplex, BLAS_C64, double, I)     \
    MEASURE(cublasSasum##end, asum, float, BLAS_F32, float, I)                 \
    MEASURE(cublasDasum##end, asum, double, BLAS_F64, double, I)               \
    MEASURE(cublasScasum##end, asum, cuComplex, BLAS_C32, float, I)            \
    MEASURE(cublasDzasum##end, asum, cuDoubleComplex, BLAS_C64, double, I)
MEASURES(_v2, int)
MEASURES(_v2_64, int64_t)

static cublasStatus_t find(cublasHandle_t h, long long n, blas_operand x,
                           bool smallest, size_t bytes, void *out)
{
    blas_vectors p = {.n = x.step > 0 ? n : 0,
                      .x = {x.at, x.step},
                      .smallest = smallest,
                      .type = bytes == 8 ? BLAS_I8 : BLAS_I32};

    return blas_reduce(h, &extreme[x.type], &p, bytes, out);
}

#define FIND(letter, T, type, I, end)                                          \
    API(cublasI##letter##max##end,                                             \
        (cublasHandle_t h, I n, const T *x, I incx, I *out))                   \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return find(h, n, (blas_operand){x, incx, type}, false, sizeof(I),     \
                    out);                                                      \
    }                                                                          \
    API(cublasI##letter##min##end,                                             \
        (cublasHandle_t h, I n, const T *x, I incx, I *out))                   \
    {                                                                          \
        BLAS_CALL(h);                                                          \
        return find(h, n, (blas_operand){x, incx, type}, true, sizeof(I),      \
                    out);                                                      \
    }
#define FINDS(end, I)                                                          \
    FIND(sa, float, BLAS_F32, I, end)                                          \
    FIND(da, double, BLAS_F64, I, end)                                         \
    FIND(ca, cuComplex, BLAS_C32, I, end)                                      \
    FIND(za, cuDoubleComplex, BLAS_C64, I, end)
FINDS(_v2, int)
FINDS(_v2_64, int64_t)
