/* src/cuda/door.h - what the files of the CUDA driver share: the process's
 * state, devices, threads, errors.
 *
 * The driver lives in the process of the program that uses it, as OpenCL's
 * does, on the same room below (driver/driver.h): calls take one lock for their
 * whole length, commands begin and end in simulated time.
 *
 * Runtime API and driver API are two sets of names for one set of objects:
 * streams, events, functions and errors are the same. A device has one context,
 * its primary one; those that cuCtxCreate makes are names for it. */
#ifndef CUDA_DOOR_H
#define CUDA_DOOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/functions.h"
#include "driver/driver.h"

struct cu_stream;

enum { CU_DEVICES_MAX = 64 };

/* A device as CUDA has it. */
typedef struct cu_device {
    drv_device *drv;
    int number;
    cudaError_t sticky;       /* of a kernel that failed: all calls return it */
    struct cu_stream *legacy; /* the default stream; NULL: not used yet */
    struct cu_stream *streams;   /* all of them */
    struct cu_stream *unordered; /* of the nodes of graphs, or NULL */
    unsigned flags;              /* cudaSetDeviceFlags */
    uint64_t limits[CUDA_LIMITS];
    rt_limits first_limits;              /* before the program set any */
    struct cu_pool *pool, *current_pool; /* default and set one, or NULL */
    uint64_t peers;                      /* bit by device: access was enabled */
    bool active;                         /* a call has needed its context */
} cu_device;

typedef struct cu_state {
    drv_state *drv;
    cu_device devices[CU_DEVICES_MAX];
    int device_count;
    /* By cuInit, or a function of the runtime API. Without the lock. */
    atomic_bool initialised;
} cu_state;

/* Makes the devices at the first call, then returns the same. NULL: it could
 * not (one message is on stderr). Needs no lock. */
cu_state *cu_get(void);

/* ---- Threads ---- */

enum { CU_CONTEXTS_MAX = 64 }; /* on a thread's stack */

/* A context that is current: the primary one of the device, or one that
 * cuCtxCreate has made for it. */
typedef struct cu_bound {
    int device;
    struct cu_context *made; /* NULL: the primary one */
} cu_bound;

typedef struct cu_thread {
    int device;                         /* current one */
    cu_bound contexts[CU_CONTEXTS_MAX]; /* the last one is current, and is of */
    int depth;                          /* the device; 0: none is, yet */
    const char *driver; /* the function of the driver API that it is in, whose
                           work one of the runtime's may do; NULL: none */
    cudaError_t last;   /* cudaGetLastError */
    bool runtime;       /* a function of the runtime API */
    bool per_thread;    /* stream 0 of this call is the thread's own */
    int capture_mode;   /* cudaThreadExchangeStreamCaptureMode */
    struct cu_stream *own[CU_DEVICES_MAX]; /* cudaStreamPerThread */
    struct cu_call *calls;                 /* <<<>>> on their way */
} cu_thread;

cu_thread *cu_thread_get(void);
/* The current device of this thread. */
cu_device *cu_current(void);
/* Another one, or another of its contexts, takes the place of the current. */
void cu_current_set(int device, struct cu_context *made);
/* What needs a context happens: the device's primary one becomes current where
 * none is. */
void cu_device_use(cu_device *d);
/* The device of that number, NULL: there is none, reported. */
cu_device *device_get(int number);

/* ---- Calls ---- */

typedef struct cu_entered { /* what was before, for a call in a callback */
    const char *before;
    bool locked, runtime;
} cu_entered;

/* Takes the lock for a function of the API; *code is why it can do nothing:
 * there is no driver, or, unless it can do with a `broken` device, an earlier
 * kernel has failed. */
cu_entered cu_enter(const char *function, bool broken, cudaError_t *code);
void cu_leave(const cu_entered *e);

/* At the head of every function of the API that needs the driver. It returns
 * at once where nothing can be done any more; the lock is given back when the
 * function returns. */
#define CUDA_CALL() CUDA_CALL_WITH(false)
#define CUDA_CALL_BROKEN()                                                     \
    CUDA_CALL_WITH(true) /* also where one has failed                          \
                          */
#define CUDA_CALL_WITH(broken)                                                 \
    cudaError_t cu_code;                                                       \
    const cu_entered cu_in __attribute__((cleanup(cu_leave), unused)) =        \
        cu_enter(__func__, (broken), &cu_code);                                \
    if (cu_code != cudaSuccess)                                                \
    return cu_code

/* Returns `code`, makes it the thread's last error if this is the runtime API,
 * and reports function and reason to the session and, with HEDDLE_LOG=1, on
 * stderr; the printf-style sentence names what was wrong and what would be
 * right. With the lock. */
cudaError_t cu_fail(cudaError_t code, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* `code` as the result of a function of the API: nothing is wrong
 * (cudaErrorNotReady), or it was reported before. */
cudaError_t cu_result(cudaError_t code);

const char *cu_error_name(cudaError_t code);   /* "cudaErrorInvalidValue" */
const char *cu_error_driver(cudaError_t code); /* "CUDA_ERROR_INVALID_VALUE" */
const char *cu_error_text(cudaError_t code);

#endif
