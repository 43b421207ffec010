/* src/fatbin/extent.h - how far memory goes that only a pointer is known
 * of. */
#ifndef FATBIN_EXTENT_H
#define FATBIN_EXTENT_H

#include <stddef.h>

/* Of `size` bytes from `at` on the first ones that this process can read; all
 * of them where the system does not tell. */
size_t extent_readable(const void *at, size_t size);

/* Bytes before the first NUL from `at` on. SIZE_MAX: memory that can be read
 * ends before there is one. */
size_t extent_of_text(const char *at);

#endif
