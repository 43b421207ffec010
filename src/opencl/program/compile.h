/* src/opencl/program/compile.h - runs clang: OpenCL C to PTX, to bitcode, or to
 * the declarations of its kernels; bitcode to PTX. The source goes in by a
 * pipe, all else through memory files: nothing is written to disk but the cache
 * (opencl/program/cache.h). Takes no lock and may run in several threads at
 * once. */
#ifndef OPENCL_PROGRAM_COMPILE_H
#define OPENCL_PROGRAM_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "opencl/opencl.h"

typedef enum compile_to {
    COMPILE_PTX,
    COMPILE_BITCODE,
    COMPILE_INFO, /* LLVM assembly with what arg_info.h reads */
} compile_to;

typedef struct compile_file {
    const char *name; /* as #include names it; of bitcode the program's */
    const char *text;
    size_t size;
} compile_file;

/* Options of a unit that matter for the choice of instructions when all units
 * are linked. */
typedef struct compile_traits {
    bool quick_divide; /* singles within 2 ulp, as vendors have it by default */
    bool relaxed;      /* -cl-unsafe-math-optimizations, or more */
} compile_traits;

/* From what a program gives, and the same for clang. */
compile_traits compile_traits_of(const char *options, char *const *args);

typedef struct compile_job {
    compile_to to;
    const char *source;    /* NULL: only link */
    const char *options;   /* as the program gave them, NULL: none */
    char *const *args;     /* the same for clang (opencl/program/options.h) */
    compile_traits traits; /* of objects: what holds for all of them */
    const compile_file *headers, *objects;
    size_t header_count, object_count;
} compile_job;

typedef struct compile_result {
    char *out; /* NUL-terminated, owned */
    size_t size;
    char *log; /* messages of the compiler, owned, never NULL */
} compile_result;

/* Are clang and libclc installed? */
bool compile_available(void);

/* What diagnostics and line information call a program's source. */
#define COMPILE_FILE "<source>"
/* The folder of the headers of clCompileProgram in messages. */
#define COMPILE_HEADERS "/heddle-headers"

/* CL_SUCCESS; CL_COMPILER_NOT_AVAILABLE: there is none or it cannot be
 * started; CL_BUILD_PROGRAM_FAILURE: it failed. `r` is filled in any case. */
cl_int compile_run(const compile_job *job, compile_result *r);
void compile_result_fini(compile_result *r);

#endif
