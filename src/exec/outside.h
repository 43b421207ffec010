/* src/exec/outside.h - accesses outside of what a program allocated that a
 * device would not have noticed: they do no harm here either, are counted, and
 * reported by place when the launch has ended. exec/mem.c and
 * exec/texture/sem_tex.c decide which accesses these are.
 *
 * Every SM has a list of its own, so nodes need not agree; what comes out is
 * the same for any number of host threads. Owns its lists; the faults in them
 * borrow what exec_fault does. */
#ifndef EXEC_OUTSIDE_H
#define EXEC_OUTSIDE_H

#include "exec/exec.h"

/* Accesses by one instruction. */
typedef struct exec_outside_place {
    exec_fault first; /* as it would have been a fault: of the lowest CTA, and
                         in it the lowest thread */
    uint64_t cta;     /* its number */
    uint64_t count;   /* of accesses, each thread's its own */
    uint64_t reach;   /* bytes that the farthest one went beyond what is there;
                         0: no such thing (images, freed memory) */
} exec_outside_place;

/* For SMs 0 to sms - 1. */
exec_outside *exec_outside_new(uint32_t sms);
void exec_outside_free(exec_outside *o); /* NULL is fine */
void exec_outside_clear(exec_outside *o);

/* Lane `lane` of an access to global memory is in no allocation. True: a device
 * would not notice; it is counted, and has the address of what stands for what
 * is there. False: *fault is filled. */
bool exec_outside_global(const exec_warp *w, exec_mem *m,
                         const mem_image *image, unsigned lane,
                         exec_fault *fault);

/* A thread of `w` has made such an access, `f`. */
void exec_outside_add(const exec_warp *w, const exec_fault *f);

/* What was added since the last call, by instruction; *count of them. The
 * caller frees it; NULL: nothing was. */
exec_outside_place *exec_outside_take(exec_outside *o, size_t *count);

#endif
