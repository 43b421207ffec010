/* src/exec/services.h - services of the run-time for kernels: lines of printf
 * and of failed assertions, and a heap. Every SM has a part of its own, so that
 * SMs may run at the same time; exec_services_settle, between launches, puts
 * the parts together in an order that no thread can change. Owns the lines;
 * borrows the heap's range of simulated memory. */
#ifndef EXEC_SERVICES_H
#define EXEC_SERVICES_H

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

/* Gives each SM `bytes` of a range of sms * bytes at simulated address `base`
 * as its heap; once, before the first launch that uses it. */
void exec_services_heap(exec_services *h, uint64_t base, uint64_t bytes);

/* How a PRINT has its arguments, see isa.def. */
enum exec_print { PRINT_C, PRINT_OPENCL, PRINT_ASSERT };

/* Performs a PRINT: its operands are in m->data. False: *fault is filled. */
bool exec_services_print(exec_warp *w, const exec_mem *m, const mem_view *view,
                         exec_fault *fault);

/* Address, 0 if there is no room. */
uint64_t exec_services_malloc(exec_warp *w, uint64_t bytes);
/* False: `addr` is not a block in use (seen at once for blocks of the same
 * SM; of others when the launch has ended, silently). 0 is fine. */
bool exec_services_release(exec_warp *w, uint64_t addr);

/* What is taken and free on the heaps between launches, to be put back. */
typedef struct exec_heaps exec_heaps;
exec_heaps *exec_services_keep(const exec_services *h);
void exec_services_restore(exec_services *h, const exec_heaps *was);
void exec_heaps_free(exec_heaps *e); /* NULL is fine */

/* After a launch: its lines in order of time, then of SM and the order there;
 * `*lost` did not fit. Valid until the next call. */
const exec_line *exec_services_settle(exec_services *h, size_t *count,
                                      uint64_t *lost);

#endif
