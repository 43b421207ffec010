/* src/opencl/program/object_form.h - the binaries of programs: PTX for
 * executables, and LLVM bitcode behind a head for objects and libraries, with
 * the facts that linking needs besides. */
#ifndef OPENCL_PROGRAM_OBJECT_FORM_H
#define OPENCL_PROGRAM_OBJECT_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "opencl/program/compile.h"
#include "opencl/program/kernel_info.h"

typedef struct object_form {
    bool library; /* made by -create-library */
    compile_traits traits;
    bool arg_info;       /* -cl-kernel-arg-info was given */
    const char *bitcode; /* borrowed */
    size_t size;
    kernel_infos *infos; /* written: borrowed, NULL: none; read: owned */
} object_form;

void object_form_write(const object_form *o, strbuf *to);
/* False: it is none. Bitcode without a head is an object. */
bool object_form_read(const void *data, size_t size, object_form *o);

#endif
