#include "cublas/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cublas/handle.h"

_Thread_local const char *blas_function;

/* Where messages go; with the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool on, to_stdout, to_stderr;
    FILE *file;
    cublasLogCallback callback;
} st;

static const char *status_name(cublasStatus_t code)
{
    switch (code) {
#define STATUS(id, number, text)                                               \
    case CUBLAS_STATUS_##id:                                                   \
        return "CUBLAS_STATUS_" #id;
#include "cublas/status.def"
#undef STATUS
    }
    return "CUBLAS_STATUS_UNKNOWN";
}

static const char *status_text(cublasStatus_t code)
{
    switch (code) {
#define STATUS(id, number, text)                                               \
    case CUBLAS_STATUS_##id:                                                   \
        return text;
#include "cublas/status.def"
#undef STATUS
    }
    return "unknown status";
}

cublasStatus_t blas_fail(cublasStatus_t code, const char *fmt, ...)
{
    const char *all = getenv("HEDDLE_LOG");
    char reason[256], text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(reason, sizeof reason, fmt, ap);
    va_end(ap);
    snprintf(text, sizeof text, "heddle: %s: %s: %s\n",
             blas_function ? blas_function : "cublas", status_name(code),
             reason);
    pthread_mutex_lock(&lock);
    if ((all && !strcmp(all, "1")) || (st.on && st.to_stderr))
        fputs(text, stderr);
    if (st.on && st.to_stdout)
        fputs(text, stdout);
    if (st.on && st.file) {
        fputs(text, st.file);
        fflush(st.file);
    }
    cublasLogCallback callback = st.callback;
    pthread_mutex_unlock(&lock);
    if (callback)
        callback(text);
    return code;
}

API(cublasLoggerConfigure,
    (int on, int to_stdout, int to_stderr, const char *path))
{
    FILE *file = path ? fopen(path, "w") : NULL;

    blas_function = __func__;
    BLAS_NEED(!path || file, "cannot write %s", path);
    pthread_mutex_lock(&lock);
    if (st.file)
        fclose(st.file);
    st.on = on != 0;
    st.to_stdout = to_stdout != 0;
    st.to_stderr = to_stderr != 0;
    st.file = file;
    pthread_mutex_unlock(&lock);
    return CUBLAS_STATUS_SUCCESS;
}

API(cublasSetLoggerCallback, (cublasLogCallback callback))
{
    pthread_mutex_lock(&lock);
    st.callback = callback;
    pthread_mutex_unlock(&lock);
    return CUBLAS_STATUS_SUCCESS;
}

API(cublasGetLoggerCallback, (cublasLogCallback * callback))
{
    blas_function = __func__;
    BLAS_NEED(callback, "no place for the callback");
    pthread_mutex_lock(&lock);
    *callback = st.callback;
    pthread_mutex_unlock(&lock);
    return CUBLAS_STATUS_SUCCESS;
}

EXPORT const char *cublasGetStatusName(cublasStatus_t code);
EXPORT const char *cublasGetStatusName(cublasStatus_t code)
{
    return status_name(code);
}

EXPORT const char *cublasGetStatusString(cublasStatus_t code);
EXPORT const char *cublasGetStatusString(cublasStatus_t code)
{
    return status_text(code);
}

EXPORT const char *cublasLtGetStatusName(cublasStatus_t code);
EXPORT const char *cublasLtGetStatusName(cublasStatus_t code)
{
    return status_name(code);
}

EXPORT const char *cublasLtGetStatusString(cublasStatus_t code);
EXPORT const char *cublasLtGetStatusString(cublasStatus_t code)
{
    return status_text(code);
}

/* What BLAS calls for a wrong parameter: programs may call it, too. */
EXPORT void cublasXerbla(const char *function, int parameter);
EXPORT void cublasXerbla(const char *function, int parameter)
{
    fprintf(stderr,
            "** On entry to %s parameter number %d had an illegal "
            "value\n",
            function, parameter);
}
