/* src/base/huge_pages.c - glibc offers this as a tunable of the environment
 * only, so the heap is made large at once and the host is told. */
#include "base/huge_pages.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PAGE = 2 << 20,    /* of x86-64 and others */
    HEAP = 128 << 20,  /* what follows it is in small pages */
    ALONE = 32 << 20,  /* from this size on memory is apart, not of the heap */
    FURTHER = 1 << 20, /* by which the heap grows then */
};

void huge_pages_use(void)
{
    mallopt(M_MMAP_THRESHOLD, ALONE);
    mallopt(M_TRIM_THRESHOLD, 4 * HEAP); /* given back, it would be asked for
                                            again */
    mallopt(M_TOP_PAD, HEAP);
    void *first = malloc(FURTHER); /* grows the heap */
    uintptr_t from = ((uintptr_t)first + PAGE - 1) & -(uintptr_t)PAGE;
    uintptr_t to = (uintptr_t)sbrk(0) & -(uintptr_t)PAGE;

    if (first && from < to && to - from <= HEAP)
        madvise((void *)from, to - from, MADV_HUGEPAGE); /* or without */
    free(first);
    mallopt(M_TOP_PAD, FURTHER);
}
