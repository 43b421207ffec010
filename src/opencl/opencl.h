/* src/opencl/opencl.h - what the files of the OpenCL driver share: objects,
 * the process-wide state, commands.
 *
 * The driver lives in the process of the program that uses it. Calls of the API
 * take one lock (OCL_LOCK) for their whole length. When commands begin and end
 * in simulated time: schedule.h; which thread runs them: worker.h. A thread
 * that runs them holds the machine lock instead, so that others may call the
 * API, and a fork waits for it.
 *
 * Objects live as long as the program refers to them (`refs`) or others of
 * them do (`uses`). Numbers of the specification's errors and their order are
 * those of the OpenCL 3.0 API [OCL30]. */
#ifndef OPENCL_OPENCL_H
#define OPENCL_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/runtime.h"

struct session_client;
struct session_setup;

/* ---- Objects ---- */

typedef enum ocl_kind {
    OCL_PLATFORM,
    OCL_DEVICE,
    OCL_CONTEXT,
    OCL_QUEUE,
    OCL_MEM,
    OCL_SAMPLER,
    OCL_PROGRAM,
    OCL_KERNEL,
    OCL_EVENT,
    OCL_KINDS
} ocl_kind;

/* What a command needs besides the host, one command at a time: kernels share
 * the machine. */
typedef enum ocl_engine {
    OCL_NONE,
    OCL_READS, /* over the host's link */
    OCL_WRITES,
    OCL_COPIES, /* within the device */
    OCL_KERNELS,
    OCL_ENGINES
} ocl_engine;

/* The head of every object; the loader reads the first field. */
typedef struct ocl_object {
    const cl_icd_dispatch *dispatch;
    void *loader; /* second field of version 2 of the loader's interface */
    ocl_kind kind;
    unsigned refs;               /* of the program */
    unsigned uses;               /* of other objects and of commands */
    void (*destroy)(void *self); /* frees it and drops what it uses; NULL: it
                                    is never freed */
} ocl_object;

/* A zeroed object of `size` bytes with one reference; NULL: no memory. */
void *object_new(ocl_kind kind, size_t size, void (*destroy)(void *self));
/* Is `handle` a living object of that kind? Any value may be passed. */
bool object_is(const void *handle, ocl_kind kind);
void object_use(void *object);  /* NULL is fine */
void object_drop(void *object); /* NULL is fine; may destroy it */
/* clRetain... and clRelease...: CL_SUCCESS, or the `CL_INVALID_` of the
 * kind. */
cl_int object_retain(void *handle, ocl_kind kind);
cl_int object_release(void *handle, ocl_kind kind);
/* How many objects of that kind live. */
unsigned object_count(ocl_kind kind);

struct _cl_platform_id {
    ocl_object base;
};

struct _cl_device_id {
    ocl_object base;
    const char *name; /* of the preset or file */
    unsigned number;
    const config *cfg; /* owned */
    rt_device *rt;
    uint64_t used_bytes; /* of the memory objects of its contexts */

    /* Of schedule.c and flight.c. */
    uint64_t now_ns;                 /* simulated time of its machine */
    uint64_t engine_ns[OCL_ENGINES]; /* from which each is free */
    struct ocl_flight *flight;       /* NULL: none yet */
    struct ocl_command *waits;       /* a kernel for which there was no room; */
    bool full;                       /* since then no other has ended */

    /* Of worker.c. */
    cl_command_queue busy;     /* queues with commands */
    unsigned queues;           /* that the program refers to */
    unsigned pending;          /* commands, */
    unsigned loose, noticed;   /* commands in no batch, and of these noticed
                                  ones */
    uint64_t flushed;          /* number of a command, see there */
    struct ocl_batch *batches; /* the first has its turn */
    bool shared;               /* several orders of commands meet there */
};

typedef struct ocl_callback { /* of contexts and memory objects, a stack */
    struct ocl_callback *next;
    void (*call)(void *object, void *data);
    void *data;
} ocl_callback;

struct _cl_context {
    ocl_object base;
    cl_device_id *devices;
    unsigned device_count;
    cl_context_properties *properties; /* zero-ended as given, or NULL */
    unsigned property_count;           /* with the zero */
    void(CL_CALLBACK *notify)(const char *text, const void *more, size_t size,
                              void *data);
    void *notify_data;
    ocl_callback *at_end;
    struct ocl_svm *svm; /* its ranges, see svm.c */
};

struct _cl_command_queue {
    ocl_object base;
    cl_context context;
    cl_device_id device;
    cl_command_queue_properties flags;
    cl_queue_properties *properties; /* zero-ended as given, or NULL */
    unsigned property_count;

    unsigned number; /* of the process, from 1 */

    /* Of schedule.c and worker.c. */
    cl_command_queue next_busy;       /* of the device */
    struct ocl_command *first, *last; /* enqueued and not ended */
    bool blocked, barred;             /* see worker.c */
    uint64_t end_ns;         /* simulated: everything that ended, ended by */
    uint64_t barrier;        /* number of the last barrier, which later ones */
    uint64_t barriers_ended; /* wait for; of the last that ended; */
    uint64_t barrier_ns;     /* and when */
    bool fault;              /* a command failed; not reported yet */
};

/* A buffer, sub-buffer, image or SVM range (svm.c keeps those). */
struct _cl_mem {
    ocl_object base;
    cl_context context;
    cl_mem_object_type type;
    cl_mem_flags flags;
    size_t size;    /* bytes */
    uint64_t addr;  /* simulated address of its first byte */
    uint64_t front; /* bytes of its own before it, */
    uint64_t room;  /* and in all; 0: it has none */
    void *host_ptr; /* of CL_MEM_USE_HOST_PTR */
    cl_mem parent;  /* of a sub-buffer, or the buffer of an image */
    size_t origin;  /* of a sub-buffer in its parent */
    bool svm;       /* its memory is a range of SVM, which keeps it */
    unsigned map_count;
    struct ocl_mapping *mappings;
    void *unmapped; /* memory of the last mapping that was a copy, owned */
    ocl_callback *at_end;
    cl_mem_properties *properties;
    unsigned property_count;

    /* Images. */
    cl_image_format format;
    cl_image_desc desc; /* pitches as they are in simulated memory */
    size_t texel;       /* bytes */
    uint32_t image;     /* rt_image number */
};

struct _cl_sampler {
    ocl_object base;
    cl_context context;
    cl_bool normalised;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_sampler_properties *properties;
    unsigned property_count;
    uint32_t number; /* what a kernel's argument holds: tex_handle(0, n) */
};

/* Programs and kernels: program.h. Events: below. */

/* ---- State of the process ---- */

typedef struct ocl_state {
    pthread_mutex_t lock;    /* of everything here */
    pthread_cond_t changed;  /* a command has ended or an event has changed */
    pthread_cond_t work;     /* there may be something to run */
    pthread_mutex_t machine; /* see above; taken after `lock` */
    struct _cl_platform_id *platform;
    cl_device_id *devices;
    unsigned device_count;
    rt_memory *image; /* simulated memory of all devices */
    uint64_t host_ns; /* simulated time that the program has seen */
    struct session_client *session; /* NULL: not under heddle exec */
    struct session_setup *setup;    /* what the session wants, or NULL */
    bool as_cpu;                    /* devices call themselves CPUs */
    uint64_t slack_bytes; /* before and behind buffers, that belong to them */
    uint64_t programs, modules; /* made so far */
    unsigned queues;
    struct ocl_rooms *rooms; /* see memory_hash; NULL: no hash is wanted */
} ocl_state;

/* Makes platform and devices at the first call, then returns the same; NULL:
 * it could not (one message is on stderr). Needs no lock. */
ocl_state *state_get(void);

void state_lock(void);
void state_unlock(void);
/* Takes the lock for a function of the API; what was called before it on this
 * thread, from which a callback may have called it. */
const char *state_enter(const char *function);
void state_leave(const char *const *before);
/* The function of the API that this thread is in. */
const char *state_called(void);

/* At the head of every function of the API: the lock is given back when the
 * function returns. */
#define OCL_LOCK()                                                             \
    const char *ocl_locked __attribute__((cleanup(state_leave), unused)) =     \
        state_enter(__func__)

/* Returns `code`, and reports the function and the reason to the session and,
 * with HEDDLE_LOG=1, on stderr; the printf-style sentence names what was wrong
 * and what would be right. With the lock. */
#define FAIL(code, ...) ocl_fail(__func__, (code), __VA_ARGS__)
/* The same in what functions of the API share. */
#define FAIL_CALLED(code, ...) ocl_fail(state_called(), (code), __VA_ARGS__)
cl_int ocl_fail(const char *function, cl_int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
const char *ocl_error_name(cl_int code); /* "CL_INVALID_VALUE" */
bool state_logs(void);                   /* HEDDLE_LOG=1 */

/* For functions that return a handle: stores the code where the program wants
 * it. */
static inline void ocl_result(cl_int *to, cl_int code)
{
    if (to)
        *to = code;
}

/* ---- Answers to clGet...Info ---- */

/* Where clGet...Info stores its result: arguments of the call. */
typedef struct ocl_info {
    const char *function; /* __func__ */
    size_t room;
    void *to;         /* may be NULL */
    size_t *size_ret; /* may be NULL */
} ocl_info;

/* CL_SUCCESS, or CL_INVALID_VALUE if there is too little room. */
cl_int info_bytes(ocl_info a, const void *from, size_t size);
cl_int info_text(ocl_info a, const char *text);
/* Of type T: info_bytes(a, &(T){value}, sizeof(T)). */
#define INFO(a, T, value) info_bytes((a), &(T){(value)}, sizeof(T))

/* ---- Devices and contexts ---- */

bool context_has(cl_context c, cl_device_id d);
bool device_type_known(cl_device_type type); /* a valid type */
bool device_type_is(cl_device_type type);    /* ours are meant, too */
cl_device_type device_type(void);            /* of them */
/* There are none of that type. */
cl_int device_type_fail(const char *function);
/* Adds to a stack of callbacks; CL_INVALID_VALUE if `call` is NULL. */
cl_int callback_add(const char *function, ocl_callback **list,
                    void (*call)(void *, void *), void *data);
/* Calls and frees them, what was added last first, without the lock. */
void callbacks_call(ocl_callback *list, void *object);

/* Values of clGetDeviceInfo that other functions check against. */
uint64_t device_global_bytes(const struct _cl_device_id *d);
uint64_t device_max_alloc(const struct _cl_device_id *d);
enum {
    DEVICE_BASE_ALIGN = 128, /* bytes: of sub-buffers, the largest type */
    DEVICE_IMAGE_WIDTH = 32768,
    DEVICE_IMAGE_DEPTH = 4096,
    DEVICE_IMAGE_LAYERS = 2048,
    DEVICE_IMAGE_BUFFER = 1 << 27, /* texels [CG:features] */
    DEVICE_SAMPLERS = 32,          /* the specification requires 16 */
    DEVICE_READ_IMAGES = 128,
    DEVICE_WRITE_IMAGES = 64,
    DEVICE_CONSTANT_BYTES = 65536,
    DEVICE_CONSTANT_ARGS = 9,
};

/* Extensions from the `first` on: the platform's and devices'. */
extern const cl_name_version ocl_extensions[]; /* "" ends it */
cl_int extensions_info(ocl_info a, unsigned first);
cl_int extensions_versions(ocl_info a, unsigned first);

/* ---- Events and commands ---- */

struct _cl_event {
    ocl_object base;
    cl_context context;
    cl_command_queue queue; /* NULL: a user event */
    cl_command_type type;
    cl_int status; /* CL_QUEUED .. CL_COMPLETE, or an error */
    uint64_t queued_ns, submit_ns, start_ns, end_ns; /* simulated */
    struct ocl_event_callback *callbacks;
    struct ocl_command *command; /* NULL: ended, or a user event */
};

/* What is in a queue. Embedded as the first field of what a kind of command
 * needs besides. Always has an event, which the program may not see. */
typedef struct ocl_command {
    cl_event event;
    cl_command_queue queue;
    /* Run by the worker, or by a thread of the program that waits, with the
     * machine lock and without the other one: CL_SUCCESS or an error, which
     * becomes the event's status. Sets duration_ns. NULL: nothing to do, or
     * a kernel. */
    cl_int (*run)(struct ocl_command *c);
    void (*fini)(struct ocl_command *c); /* with the lock, after it ended;
                                            may be NULL */
    ocl_engine engine;
    uint64_t duration_ns; /* simulated; 0: it needs no engine */
    bool noticed;         /* the program can notice it without a call */

    bool after_all; /* out of order: still after all before it */
    bool blocks;    /* out of order: all later ones are after it */

    /* Of command.c, schedule.c and worker.c. */
    bool begun;
    bool wanted;                   /* the worker is to run it, even if another
                                      thread waits */
    bool blocked;                  /* by a user event, in one way or another */
    struct ocl_batch *batch;       /* NULL: none */
    uint64_t number;               /* in order of enqueueing, of the process */
    uint64_t after;                /* number of a barrier, 0: none */
    struct ocl_command *next;      /* pending ones of the process */
    struct ocl_command *next_here; /* and of its queue, in that order */
    cl_event *waits;               /* uses each */
    unsigned wait_count;
    void **uses; /* objects that live until it has ended */
    unsigned use_count;
    bool no_memory; /* for `uses` */
} ocl_command;

/* Is this a queue, and are these events of its context? CL_SUCCESS,
 * CL_INVALID_COMMAND_QUEUE, CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT.
 * Called with the lock, like all below. */
cl_int command_check(cl_command_queue q, cl_uint wait_count,
                     const cl_event *waits);
/* A zeroed command of `size` bytes, NULL: no memory. */
void *command_new(size_t size, cl_command_queue q, cl_command_type type,
                  cl_int (*run)(ocl_command *c));
/* Keeps `object` alive until the command has ended. */
void command_use(void *command, void *object);
/* Instead of command_enqueue. */
void command_free(void *command);
/* Hands the command over, whatever comes out. Blocking: returns when it has
 * ended; its error then is the result. `event` may be NULL. */
cl_int command_enqueue(void *command, cl_uint wait_count, const cl_event *waits,
                       bool blocking, cl_event *event);
/* Waits until everything enqueued that can end has ended. */
void commands_drain(void);
/* CL_OUT_OF_RESOURCES if a command of the queue has failed since the
 * last call. */
cl_int queue_fault(cl_command_queue q);

/* Simulated duration of moving bytes between host and device, from the
 * configuration of the host's link. */
uint64_t host_link_ns(const struct _cl_device_id *d, uint64_t bytes);
/* Counts bytes that such a command moved over the link and inside devices, for
 * the report. From its `run`. */
void host_link_moved(cl_command_type type, uint64_t link, uint64_t inside);
/* Counts bytes with which an object was created; at any time. */
void host_link_created(uint64_t bytes);

/* ---- Memory ---- */

void memory_release(uint64_t addr);
/* An SVM pointer's range: false: it is in none of this context. */
bool svm_find(cl_context c, const void *ptr, uint64_t *addr, size_t *size);
/* Frees what the program left behind, when the context ends. */
void svm_free_all(cl_context c);
bool svm_supported(void);

/* The table of all functions. */
extern const cl_icd_dispatch ocl_dispatch;

#endif
