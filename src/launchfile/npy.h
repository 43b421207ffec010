/* src/launchfile/npy.h - NumPy's .npy files, version 1 and 2: little-endian,
 * C order, the element types of plan_type. */
#ifndef LAUNCHFILE_NPY_H
#define LAUNCHFILE_NPY_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "launchfile/plan.h"

typedef struct npy {
    plan_type type;
    uint64_t count;   /* elements, all dimensions together */
    const char *data; /* within the text given */
} npy;

/* True if the text begins like an .npy file. */
bool npy_is(const char *text, size_t size);

/* ST_OK or ST_CONFIG: truncated, another byte order or type. */
status npy_read(const char *path, const char *text, size_t size, diag *dg,
                npy *out);

/* Appends a whole file of one dimension. */
void npy_write(plan_type type, uint64_t count, const void *data, strbuf *to);

#endif
