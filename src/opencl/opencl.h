/* src/opencl/opencl.h - what the files of the OpenCL driver share: objects,
 * the platform, commands. The state of the process, its lock, queues and what
 * runs in them are the room driver's. Numbers of the specification's errors and
 * their order are those of the OpenCL 3.0 API [OCL30]. */
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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/command.h"
#include "runtime/runtime.h"

/* ---- Objects ---- */

typedef enum ocl_kind {
    OCL_PLATFORM = 1,
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

/* The head of every object, before its drv_object. */
typedef struct ocl_head {
    const cl_icd_dispatch *dispatch; /* the loader reads it */
    void *loader; /* second field of version 2 of the loader's interface */
} ocl_head;

typedef struct ocl_object {
    ocl_head head;
    drv_object o;
} ocl_object;

/* A zeroed object of `size` bytes with one reference; NULL: no memory. */
void *object_new(ocl_kind kind, size_t size, void (*destroy)(void *self));
/* Is `handle` a living object of that kind? Any value may be passed. */
bool object_is(const void *handle, ocl_kind kind);
/* Of any object; NULL is fine. */
drv_object *object_of(void *handle);
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
    drv_device *is;
};

typedef struct ocl_callback { /* of contexts and memory objects, a stack */
    struct ocl_callback *next;
    void (*call)(void *object, void *data);
    void *data;
} ocl_callback;

struct _cl_context {
    ocl_object base;
    cl_device_id *devices;
    drv_device **on; /* the same */
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
    ocl_head head;
    drv_queue is;
    cl_context context;
    cl_device_id device;
    cl_command_queue_properties flags;
    cl_queue_properties *properties; /* zero-ended as given, or NULL */
    unsigned property_count;
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

/* ---- State of the process, besides drv ---- */

typedef struct ocl_state {
    struct _cl_platform_id *platform;
    cl_device_id *devices; /* drv.device_count */
    bool as_cpu;           /* devices call themselves CPUs */
    uint64_t programs;     /* made so far */
} ocl_state;

/* Makes platform and devices at the first call, then returns the same; NULL:
 * it could not (one message is on stderr). Needs no lock. */
ocl_state *state_get(void);
extern const drv_door ocl_door;

/* At the head of every function of the API. */
#define OCL_LOCK() DRV_LOCK()

/* Returns `code`, and reports the function and the reason to the session and,
 * with HEDDLE_LOG=1, on stderr; the printf-style sentence names what was wrong
 * and what would be right. With the lock. */
#define FAIL(code, ...) ocl_fail(__func__, (code), __VA_ARGS__)
/* The same in what functions of the API share. */
#define FAIL_CALLED(code, ...) ocl_fail(drv_called(), (code), __VA_ARGS__)
cl_int ocl_fail(const char *function, cl_int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
const char *ocl_error_name(cl_int code); /* "CL_INVALID_VALUE" */

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
    ocl_head head;
    drv_event is; /* its statuses have the values of CL_QUEUED .. CL_COMPLETE */
    cl_context context;
    cl_command_type type;
    struct ocl_event_callback *callbacks;
};

/* Is this a queue, and are these events of its context? CL_SUCCESS,
 * CL_INVALID_COMMAND_QUEUE, CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT.
 * Called with the lock, like all below. */
cl_int command_check(cl_command_queue q, cl_uint wait_count,
                     const cl_event *waits);
/* A zeroed command of `size` bytes, NULL: no memory. */
void *command_new(size_t size, cl_command_queue q, cl_command_type type,
                  cl_int (*run)(drv_command *c));
/* One that runs a kernel, see driver/kernel_command.h. */
struct drv_launch *launch_new(cl_command_queue q, cl_command_type type);
/* Keeps `object` alive until the command has ended. */
void command_use(void *command, void *object);
/* Instead of command_enqueue. */
void command_free(void *command);
/* Hands the command over, whatever comes out. Blocking: returns when it has
 * ended; its error then is the result. `event` may be NULL. */
cl_int command_enqueue(void *command, cl_uint wait_count, const cl_event *waits,
                       bool blocking, cl_event *event);
/* CL_OUT_OF_RESOURCES if a command of the queue has failed since the
 * last call. */
cl_int queue_fault(cl_command_queue q);

/* ---- Memory ---- */

/* An SVM pointer's range: false: it is in none of this context. */
bool svm_find(cl_context c, const void *ptr, uint64_t *addr, size_t *size);
/* Frees what the program left behind, when the context ends. */
void svm_free_all(cl_context c);
bool svm_supported(void);

/* The table of all functions. */
extern const cl_icd_dispatch ocl_dispatch;

#endif
