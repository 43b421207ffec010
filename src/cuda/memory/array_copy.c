/* Copies from and to arrays: of rectangles, and of bytes that fill one row
 * after the other. */
#include "cuda/memory/array.h"
#include "cuda/memory/copy.h"

static cu_side side_at(cu_array *a, size_t x, size_t y)
{
    return (cu_side){.array = a, .x = x, .y = y};
}

/* ---- Rectangles ---- */

static cudaError_t copy_rectangle(cu_side to, cu_side from, size_t width,
                                  size_t height, cudaMemcpyKind kind,
                                  cudaStream_t stream, bool blocking)
{
    cu_copy c = {
        .from = from, .to = to, .width = width, .height = height, .depth = 1};
    const cu_side *rows = from.array ? &to : &from;

    if (!rows->array && width > rows->pitch)
        return cu_fail(cudaErrorInvalidPitchValue,
                       "rows of %zu bytes do not fit a pitch of %zu", width,
                       rows->pitch);
    return copy_submit(stream, &c, kind, blocking);
}

static cudaError_t copy_2d_to(cudaArray_t to, size_t x, size_t y,
                              const void *from, size_t pitch, size_t width,
                              size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream, bool blocking)
{
    cu_array *a = array_get(to);

    if (!a)
        return cudaErrorInvalidResourceHandle;
    return copy_rectangle(side_at(a, x, y),
                          side_rows(from, pitch, pitch * height), width, height,
                          kind, stream, blocking);
}

static cudaError_t copy_2d_from(void *to, size_t pitch, cudaArray_const_t from,
                                size_t x, size_t y, size_t width, size_t height,
                                cudaMemcpyKind kind, cudaStream_t stream,
                                bool blocking)
{
    cu_array *a = array_get(from);

    if (!a)
        return cudaErrorInvalidResourceHandle;
    return copy_rectangle(side_rows(to, pitch, pitch * height),
                          side_at(a, x, y), width, height, kind, stream,
                          blocking);
}

EXPORT cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y,
                                       const void *from, size_t pitch,
                                       size_t width, size_t height,
                                       cudaMemcpyKind kind)
{
    CUDA_CALL();
    return copy_2d_to(to, x, y, from, pitch, width, height, kind, 0, true);
}

EXPORT cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y,
                                            const void *from, size_t pitch,
                                            size_t width, size_t height,
                                            cudaMemcpyKind kind,
                                            cudaStream_t stream)
{
    CUDA_CALL();
    return copy_2d_to(to, x, y, from, pitch, width, height, kind, stream,
                      false);
}

EXPORT cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch,
                                         cudaArray_const_t from, size_t x,
                                         size_t y, size_t width, size_t height,
                                         cudaMemcpyKind kind)
{
    CUDA_CALL();
    return copy_2d_from(to, pitch, from, x, y, width, height, kind, 0, true);
}

EXPORT cudaError_t cudaMemcpy2DFromArrayAsync(
    void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
    size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    CUDA_CALL();
    return copy_2d_from(to, pitch, from, x, y, width, height, kind, stream,
                        false);
}

EXPORT cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x,
                                            size_t to_y, cudaArray_const_t from,
                                            size_t from_x, size_t from_y,
                                            size_t width, size_t height,
                                            cudaMemcpyKind kind)
{
    CUDA_CALL();
    cu_array *a = array_get(to), *b = array_get(from);

    if (!a || !b)
        return cudaErrorInvalidResourceHandle;
    return copy_rectangle(side_at(a, to_x, to_y), side_at(b, from_x, from_y),
                          width, height, kind, 0, true);
}

/* ---- Bytes ---- */

static size_t row_bytes(const cu_array *a)
{
    return a->desc.size[0] * a->element;
}

/* Bytes to the end of the row; without an array there is none. */
static size_t left_in_row(const cu_side *s, size_t all)
{
    size_t row = s->array ? row_bytes(s->array) : 0;

    return !s->array ? all : s->x < row ? row - s->x : 0;
}

static void advance(cu_side *s, size_t bytes, size_t rows)
{
    if (!s->array) {
        s->bytes = side_moved(s, bytes * rows);
        return;
    }
    s->x += bytes;
    if (s->x == row_bytes(s->array)) {
        s->x = 0;
        s->y += rows;
    }
}

/* Whole rows go together where both sides are at their beginning. */
static size_t whole_rows(const cu_side *a, const cu_side *b, size_t run,
                         size_t left)
{
    bool whole = (!a->array || run == row_bytes(a->array)) &&
                 (!b->array || run == row_bytes(b->array));

    return whole ? left / run : 1;
}

static cudaError_t copy_bytes(cu_side to, cu_side from, size_t count,
                              cudaMemcpyKind kind, cudaStream_t stream,
                              bool blocking)
{
    cudaError_t code = cudaSuccess;

    while (count && code == cudaSuccess) {
        size_t a = left_in_row(&to, count), b = left_in_row(&from, count);
        size_t run = a < b ? a : b;

        if (run > count)
            run = count;
        if (!run)
            return cu_fail(cudaErrorInvalidValue,
                           "the copy begins behind a row of the array");
        size_t rows = whole_rows(&to, &from, run, count);
        to.pitch = from.pitch = run;
        to.slice = from.slice = run * rows;
        code = copy_rectangle(to, from, run, rows, kind, stream, blocking);
        advance(&to, run, rows);
        advance(&from, run, rows);
        count -= run * rows;
    }
    return code;
}

EXPORT cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y,
                                     const void *from, size_t count,
                                     cudaMemcpyKind kind)
{
    CUDA_CALL();
    cu_array *a = array_get(to);

    if (!a)
        return cudaErrorInvalidResourceHandle;
    return copy_bytes(side_at(a, x, y), side_rows(from, 0, 0), count, kind, 0,
                      true);
}

EXPORT cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y,
                                          const void *from, size_t count,
                                          cudaMemcpyKind kind,
                                          cudaStream_t stream)
{
    CUDA_CALL();
    cu_array *a = array_get(to);

    if (!a)
        return cudaErrorInvalidResourceHandle;
    return copy_bytes(side_at(a, x, y), side_rows(from, 0, 0), count, kind,
                      stream, false);
}

EXPORT cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from,
                                       size_t x, size_t y, size_t count,
                                       cudaMemcpyKind kind)
{
    CUDA_CALL();
    cu_array *a = array_get(from);

    if (!a)
        return cudaErrorInvalidResourceHandle;
    return copy_bytes(side_rows(to, 0, 0), side_at(a, x, y), count, kind, 0,
                      true);
}

EXPORT cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from,
                                            size_t x, size_t y, size_t count,
                                            cudaMemcpyKind kind,
                                            cudaStream_t stream)
{
    CUDA_CALL();
    cu_array *a = array_get(from);

    if (!a)
        return cudaErrorInvalidResourceHandle;
    return copy_bytes(side_rows(to, 0, 0), side_at(a, x, y), count, kind,
                      stream, false);
}

EXPORT cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x,
                                          size_t to_y, cudaArray_const_t from,
                                          size_t from_x, size_t from_y,
                                          size_t count, cudaMemcpyKind kind)
{
    CUDA_CALL();
    cu_array *a = array_get(to), *b = array_get(from);

    if (!a || !b)
        return cudaErrorInvalidResourceHandle;
    return copy_bytes(side_at(a, to_x, to_y), side_at(b, from_x, from_y), count,
                      kind, 0, true);
}
