/* Errors: names, texts, the last one of a thread. */
#include <stdarg.h>

#include "cuda/door.h"

typedef struct error_row {
    int code;
    const char *name, *driver, *text;
} error_row;

static const error_row errors[] = {
#define ERROR(code, runtime, driver, text)                                     \
    {(code), "cuda" #runtime, "CUDA_" #driver, text},
#define RUNTIME_ERROR(code, runtime, text)                                     \
    {(code), "cuda" #runtime, NULL, text},
#include "cuda/errors.def"
#undef ERROR
#undef RUNTIME_ERROR
};

static const error_row *row_of(cudaError_t code)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == (int)code)
            return &errors[i];
    return NULL;
}

const char *cu_error_name(cudaError_t code)
{
    const error_row *r = row_of(code);

    return r ? r->name : NULL;
}

const char *cu_error_driver(cudaError_t code)
{
    const error_row *r = row_of(code);

    return r ? r->driver : NULL;
}

const char *cu_error_text(cudaError_t code)
{
    const error_row *r = row_of(code);

    return r ? r->text : NULL;
}

cudaError_t cu_result(cudaError_t code)
{
    cu_thread *t = cu_thread_get();

    if (code != cudaSuccess && t->runtime)
        t->last = code;
    return code;
}

cudaError_t cu_fail(cudaError_t code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    drv_fail(drv_called(), (int)code, fmt, args);
    va_end(args);
    return cu_result(code);
}

/* ---- The API ---- */

EXPORT const char *cudaGetErrorName(cudaError_t code)
{
    const char *name = cu_error_name(code);

    return name ? name : "unrecognized error code";
}

EXPORT const char *cudaGetErrorString(cudaError_t code)
{
    const char *text = cu_error_text(code);

    return text ? text : "unrecognized error code";
}

/* A failure of the device stays the last error for good; others are told
 * once. */
static cudaError_t pending_error(bool clear)
{
    cu_thread *t = cu_thread_get();
    cudaError_t code = t->last;

    if (clear && cu_current()->sticky == cudaSuccess)
        t->last = cudaSuccess;
    return code;
}

EXPORT cudaError_t cudaGetLastError(void) { return pending_error(true); }

EXPORT cudaError_t cudaPeekAtLastError(void) { return pending_error(false); }
