/* src/exec/services.h - services of the run-time for kernels: lines of printf
 * and of failed assertions, a heap, and kernels to launch. Every SM has a part
 * of its own, so that SMs may run at the same time; exec_services_settle,
 * between launches, puts the parts together in an order that no thread can
 * change. Owns the lines; borrows the heap's range of simulated memory. */
#ifndef EXEC_SERVICES_H
#define EXEC_SERVICES_H

#include "base/strbuf.h"
#include "exec/exec.h"

typedef struct exec_line { /* what one thread printed at once */
    uint64_t time;         /* cycle, or warp instruction when functional */
    uint64_t order;        /* of its SM */
    uint32_t cta[3], thread[3];
    uint32_t sm;
    bool assertion;
    uint32_t length;
    char *text; /* zero-ended */
} exec_line;

/* Keeps at most `print_bytes` of text of a launch. */
exec_services *exec_services_new(uint32_t sms, uint64_t print_bytes);
void exec_services_free(exec_services *h); /* NULL is fine */
/* From the next launch on. */
void exec_services_print_bytes(exec_services *h, uint64_t print_bytes);

/* Gives each SM `bytes` of a range of sms * bytes at simulated address `base`
 * as its heap; once, before the first launch that uses it. */
void exec_services_heap(exec_services *h, uint64_t base, uint64_t bytes);

/* What a PRINT does, and how it has its arguments, see isa.def. */
enum exec_print {
    PRINT_C,
    PRINT_OPENCL,
    PRINT_ASSERT,
    PRINT_BUFFER,
    PRINT_LAUNCH,
    PRINT_COPY
};

/* Performs a PRINT: its operands are in m->data. False: *fault is filled. */
bool exec_services_print(exec_warp *w, const exec_mem *m, const mem_view *view,
                         exec_fault *fault);

/* Address, 0 if there is no room. */
uint64_t exec_services_malloc(exec_warp *w, uint64_t bytes);
/* False: `addr` is not a block in use (seen at once for blocks of the same
 * SM; of others when the launch has ended, silently). 0 is fine. */
bool exec_services_release(exec_warp *w, uint64_t addr);

typedef enum exec_child_kind {
    CHILD_COPY,
    CHILD_FILL,
    CHILD_KERNEL
} exec_child_kind;

/* A kernel that a thread launched, or a copy or fill of memory. */
typedef struct exec_child {
    const exec_launch *by;
    uint64_t time, order; /* as of a line */
    uint32_t sm;
    exec_child_kind kind;
    bool launched;   /* false: it only has a buffer so far */
    uint64_t stream; /* a handle */
    /* Of a kernel, as PRINT_BUFFER reads them. */
    uint64_t kernel; /* exec_kernel_handle */
    uint32_t grid[3], block[3], shared_bytes;
    uint64_t buffer; /* on the heap: its parameters, CHILD_PARAM_BYTES */
    /* Of the others, as PRINT_COPY reads them; a fill is with the lowest byte
     * of `from`. */
    uint64_t to, from, bytes;
} exec_child;

enum {
    CHILD_PARAM_BYTES = 4096, /* most that a kernel has [CUDA12:limits] */
    CHILD_STREAM_TAIL = 3,    /* when all else has ended; these are */
    CHILD_STREAM_FREE = 4,    /* CUDA's [CUDA13:device-runtime] */
};

/* What a kernel's address is to kernels: not 0. */
uint64_t exec_kernel_handle(const char *name);

/* What `by`, which has ended, launched, in order; the caller frees the list and
 * releases the buffers. By NULL: drops what all launched. */
exec_child *exec_services_children(exec_services *h, const exec_launch *by,
                                   size_t *count);
/* As exec_services_release, between launches, on any SM. */
void exec_services_drop(exec_services *h, uint64_t addr);

/* What is taken and free on the heaps between launches, to be put back. */
typedef struct exec_heaps exec_heaps;
exec_heaps *exec_services_keep(const exec_services *h);
/* Also drops what was launched. */
void exec_services_restore(exec_services *h, const exec_heaps *was);
void exec_heaps_free(exec_heaps *e); /* NULL is fine */
/* The same as bytes, for another process, appended; from there. NULL: they are
 * not the bytes of heaps like those of `h`. */
void exec_heaps_put(const exec_heaps *e, strbuf *to);
exec_heaps *exec_heaps_get(const exec_services *h, const void *bytes,
                           size_t size);

/* After a launch: its lines in order of time, then of SM and the order there;
 * `*lost` did not fit. Valid until the next call. */
const exec_line *exec_services_settle(exec_services *h, size_t *count,
                                      uint64_t *lost);

#endif
