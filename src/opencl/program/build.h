/* src/opencl/program/build.h - what building, compiling and linking share:
 * turning code into executables for devices without the lock, and checks of
 * their arguments. */
#ifndef OPENCL_PROGRAM_BUILD_H
#define OPENCL_PROGRAM_BUILD_H

#include "base/strbuf.h"
#include "opencl/program/options.h"
#include "opencl/program/program_object.h"

typedef void(CL_CALLBACK *build_callback)(cl_program, void *);

/* What comes of a program for one device, before it is the program's. */
typedef struct ocl_made {
    ocl_build *build;
    cl_program_binary_type type; /* of the code */
    char *code;                  /* owned; NULL: it failed */
    size_t size;
    strbuf log;
    kernel_infos *infos;
    bool arg_info; /* the options had it, or the binary has it */
    compile_traits traits;
    const compile_file *units; /* that it is linked from, borrowed */
    size_t unit_count;
    rt_module *module; /* of an executable */
    bool failed;       /* until it is there */
} ocl_made;

/* One for each of the devices, or for all of the program's if `devices` is
 * NULL; the caller frees them. CL_INVALID_VALUE, CL_INVALID_DEVICE. */
cl_int build_list(const char *function, cl_program p, cl_uint n,
                  const cl_device_id *devices, ocl_made **out, unsigned *count);

/* Adds the declarations of one more unit; NULL: none. */
void build_add_infos(ocl_made *m, const kernel_infos *from);

/* PTX in m->code becomes a module of the device; else it has failed, and the
 * log has the error. Without the lock. */
void build_load(ocl_made *m, const char *name);

/* Gives the program what was made; CL_SUCCESS, or `failure` if any failed.
 * With the lock. */
cl_int build_commit(cl_program p, ocl_made *made, unsigned n,
                    const char *options, cl_int failure);
/* Frees what was not committed, and the array. */
void build_made_free(ocl_made *made, unsigned n);

/* A copy with a NUL behind it. */
char *build_copy(const char *text, size_t size);
/* Is it no fault of the program's? */
bool build_unavailable(cl_int code);

/* Calls back without the lock; NULL is fine. */
void build_notify(build_callback call, cl_program p, void *data);

#endif
