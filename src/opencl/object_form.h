/* src/opencl/object_form.h - the binaries of programs: PTX for executables, and
 * LLVM bitcode behind a head for objects and libraries. */
#ifndef OPENCL_OBJECT_FORM_H
#define OPENCL_OBJECT_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

typedef struct object_form {
    bool library;        /* made by -create-library */
    const char *bitcode; /* borrowed */
    size_t size;
} object_form;

void object_form_write(const object_form *o, strbuf *to);
/* False: it is none. Bitcode without a head is an object. */
bool object_form_read(const void *data, size_t size, object_form *o);

#endif
