/* workloads/tool/npy.h - one-dimensional NumPy .npy files, version 1.0
 * [NPY:format]. */
#ifndef NPY_H
#define NPY_H

#include <stddef.h>

/* `type` as NumPy writes it: "<f4". 0 on success. */
int npy_write(const char *path, const char *type, const void *data,
              size_t count, size_t item_bytes);

#endif
