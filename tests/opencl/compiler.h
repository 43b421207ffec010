/* tests/opencl/compiler.h - programs from source, and what a build says. */
#ifndef OPENCL_COMPILER_H
#define OPENCL_COMPILER_H

#include "opencl/program/toolchain.h"
#include "rig.h"

/* The clang and libclc that are installed, from now on. */
static inline void use_installed(void)
{
    strbuf why = {0};
    toolchain t;

    unsetenv("HEDDLE_CLANG");
    unsetenv("HEDDLE_LIBCLC");
    unsetenv("HEDDLE_CLANG_SECONDS");
    setenv("HEDDLE_CACHE", "0", 1);
    bool found = toolchain_find(&t, &why);
    strbuf_fini(&why);
    if (!found)
        TEST_SKIP("no clang or no libclc");
    toolchain_fini(&t);
}

static inline cl_program source(const rig *r, const char *text)
{
    cl_int err;
    cl_program p = clCreateProgramWithSource(r->context, 1, &text, NULL, &err);

    CHECK_EQ(err, CL_SUCCESS);
    return p;
}

static inline cl_int build(cl_program p, const char *options)
{
    return clBuildProgram(p, 0, NULL, options, NULL, NULL);
}

static inline const char *build_text(const rig *r, cl_program p,
                                     cl_program_build_info what)
{
    static char text[65536];

    CHECK_EQ(
        clGetProgramBuildInfo(p, r->devices[0], what, sizeof text, text, NULL),
        CL_SUCCESS);
    return text;
}

static inline const char *log_of(const rig *r, cl_program p)
{
    return build_text(r, p, CL_PROGRAM_BUILD_LOG);
}

static inline void check_log(const rig *r, cl_program p, const char *part)
{
    if (!strstr(log_of(r, p), part))
        TEST_FAIL("the log lacks '%s':\n%s", part, log_of(r, p));
}

static inline cl_program_binary_type type_of(const rig *r, cl_program p)
{
    cl_program_binary_type t;

    CHECK_EQ(clGetProgramBuildInfo(p, r->devices[0], CL_PROGRAM_BINARY_TYPE,
                                   sizeof t, &t, NULL),
             CL_SUCCESS);
    return t;
}

#endif
