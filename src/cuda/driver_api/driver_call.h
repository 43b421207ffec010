/* src/cuda/driver_api/driver_call.h - functions of the driver API. Most are
 * those of the runtime API under another name: what they report then has the
 * driver's name, and no thread has a last error of them. */
#ifndef CUDA_DRIVER_API_DRIVER_CALL_H
#define CUDA_DRIVER_API_DRIVER_CALL_H

#include "cuda/door.h"
#include "cuda/driver_api/driver_functions.h"

typedef enum driver_need {
    DRIVER_NOTHING, /* it can do without devices */
    DRIVER_INIT,    /* cuInit */
    DRIVER_CONTEXT, /* a current context */
} driver_need;

typedef struct driver_entered {
    const char *before; /* the function in which this one was called */
    bool per_thread;
} driver_entered;

/* Without the lock, as all functions here have it: those that they call take
 * it. */
cudaError_t driver_enter(driver_entered *e, const char *function,
                         driver_need need, bool per_thread);
/* The driver API's code for it. */
CUresult driver_leave(const driver_entered *e, cudaError_t code);

/* Defines function `name` of the API; its body follows. */
#define DRIVER(name, parameters, arguments)                                    \
    DRIVER_WITH(name, parameters, arguments, DRIVER_CONTEXT)
#define DRIVER_WITH(name, parameters, arguments, need)                         \
    static cudaError_t name##_body parameters;                                 \
    DRIVER_NAME(name, name, parameters, arguments, need, false)                \
    static cudaError_t name##_body parameters

/* And, of programs with --default-stream per-thread, name_ptsz or name_ptds, in
 * which stream 0 is the thread's own. */
#define DRIVER_STREAM(name, suffix, parameters, arguments)                     \
    static cudaError_t name##_body parameters;                                 \
    DRIVER_NAME(name, name, parameters, arguments, DRIVER_CONTEXT, false)      \
    DRIVER_NAME(name##suffix, name, parameters, arguments, DRIVER_CONTEXT,     \
                true)                                                          \
    static cudaError_t name##_body parameters

#define DRIVER_NAME(name, body, parameters, arguments, need, own)              \
    EXPORT CUresult name parameters;                                           \
    EXPORT CUresult name parameters                                            \
    {                                                                          \
        driver_entered driver_in;                                              \
        cudaError_t driver_is = driver_enter(&driver_in, #name, need, own);    \
                                                                               \
        if (driver_is == cudaSuccess)                                          \
            driver_is = body##_body arguments;                                 \
        return driver_leave(&driver_in, driver_is);                            \
    }

#endif
