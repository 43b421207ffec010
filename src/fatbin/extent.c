/* src/fatbin/extent.c - asks the kernel, which copies or says no, for a
 * byte of each page. */
#include "fatbin/extent.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGES = 256 }; /* asked for at once */

size_t extent_readable(const void *at, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = (uintptr_t)at, next = begin;
    uintptr_t end = size > UINTPTR_MAX - begin ? UINTPTR_MAX : begin + size;

    while (next < end) {
        struct iovec from[PAGES], to;
        char bytes[PAGES];
        size_t n = 0;

        for (; n < PAGES && next < end; n++) {
            from[n] = (struct iovec){(void *)next, 1};
            next = (next / page + 1) * page;
        }
        to = (struct iovec){bytes, n};
        ssize_t got = process_vm_readv(getpid(), &to, 1, from, n, 0);
        if (got < 0 && errno != EFAULT)
            return size;
        if (got < 0)
            got = 0;
        if ((size_t)got < n)
            return (uintptr_t)from[got].iov_base - begin;
    }
    return end - begin;
}

size_t extent_of_text(const char *at)
{
    enum { STEP = 1 << 16 };
    size_t size = 0;

    if (!at)
        return SIZE_MAX;
    for (;;) {
        size_t more = extent_readable(at + size, STEP);
        size_t length = strnlen(at + size, more);

        size += length;
        if (length < more)
            return size;
        if (more < STEP)
            return SIZE_MAX;
    }
}
