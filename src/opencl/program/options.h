/* src/opencl/program/options.h - the options of clBuildProgram,
 * clCompileProgram and clLinkProgram, and what they are for clang
 * [OCL30:compiler-options]. An options struct owns its texts. */
#ifndef OPENCL_PROGRAM_OPTIONS_H
#define OPENCL_PROGRAM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

typedef enum options_of {
    OPTIONS_BUILD,
    OPTIONS_COMPILE,
    OPTIONS_LINK
} options_of;

typedef struct ocl_options {
    char **args; /* for clang; a NULL at the end */
    size_t count;
    bool arg_info; /* -cl-kernel-arg-info */
    bool library;  /* -create-library */
} ocl_options;

/* NULL text is none. False: `why` names the wrong option. */
bool options_read(const char *text, options_of call, ocl_options *o,
                  strbuf *why);
void options_fini(ocl_options *o);

#endif
