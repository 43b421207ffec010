/* What no simulated GPU has: graphics interoperation, pipes, queues on the
 * device, intermediate languages. Each returns the specification's error, and
 * the first call of each prints a line to stderr. */
#include <stdatomic.h>
#include <stdio.h>

#include "opencl/absent.h"
#include "opencl/opencl.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static cl_int report_absent(atomic_flag *told, const char *function,
                            cl_int code)
{
    OCL_LOCK();
    if (!atomic_flag_test_and_set(told))
        fprintf(stderr, "heddle: %s is not supported\n", function);
    return ocl_fail(function, code, "it is not supported");
}

/* Returns the code; prints a line the first time. */
#define TELL(code)                                                             \
    static atomic_flag told = ATOMIC_FLAG_INIT;                                \
    cl_int is = report_absent(&told, __func__, (code))

/* A function that returns `code`. */
#define ABSENT(code, name, ...)                                                \
    cl_int name(__VA_ARGS__)                                                   \
    {                                                                          \
        TELL(code);                                                            \
        return is;                                                             \
    }

/* A function that returns an object; its last parameter is `err`. */
#define ABSENT_OBJECT(type, code, name, ...)                                   \
    type name(__VA_ARGS__)                                                     \
    {                                                                          \
        TELL(code);                                                            \
        ocl_result(err, is);                                                   \
        return NULL;                                                           \
    }

cl_int absent_elsewhere(void)
{
    TELL(CL_INVALID_OPERATION);
    return is;
}

/* clang-format off */
ABSENT_OBJECT(cl_mem, CL_INVALID_OPERATION, clCreateFromGLBuffer,
    cl_context c, cl_mem_flags f, cl_GLuint o, cl_int *err)
ABSENT_OBJECT(cl_mem, CL_INVALID_OPERATION, clCreateFromGLTexture,
    cl_context c, cl_mem_flags f, cl_GLenum t, cl_GLint l, cl_GLuint x,
    cl_int *err)
ABSENT_OBJECT(cl_mem, CL_INVALID_OPERATION, clCreateFromGLTexture2D,
    cl_context c, cl_mem_flags f, cl_GLenum t, cl_GLint l, cl_GLuint x,
    cl_int *err)
ABSENT_OBJECT(cl_mem, CL_INVALID_OPERATION, clCreateFromGLTexture3D,
    cl_context c, cl_mem_flags f, cl_GLenum t, cl_GLint l, cl_GLuint x,
    cl_int *err)
ABSENT_OBJECT(cl_mem, CL_INVALID_OPERATION, clCreateFromGLRenderbuffer,
    cl_context c, cl_mem_flags f, cl_GLuint r, cl_int *err)
ABSENT(CL_INVALID_OPERATION, clGetGLObjectInfo,
    cl_mem m, cl_gl_object_type *t, cl_GLuint *n)
ABSENT(CL_INVALID_OPERATION, clGetGLTextureInfo,
    cl_mem m, cl_gl_texture_info w, size_t n, void *to, size_t *r)
ABSENT(CL_INVALID_OPERATION, clEnqueueAcquireGLObjects,
    cl_command_queue q, cl_uint n, const cl_mem *m, cl_uint k,
    const cl_event *w, cl_event *e)
ABSENT(CL_INVALID_OPERATION, clEnqueueReleaseGLObjects,
    cl_command_queue q, cl_uint n, const cl_mem *m, cl_uint k,
    const cl_event *w, cl_event *e)
ABSENT(CL_INVALID_OPERATION, clGetGLContextInfoKHR,
    const cl_context_properties *p, cl_gl_context_info w, size_t n, void *to,
    size_t *r)
ABSENT_OBJECT(cl_event, CL_INVALID_OPERATION, clCreateEventFromGLsyncKHR,
    cl_context c, cl_GLsync s, cl_int *err)
ABSENT_OBJECT(cl_mem, CL_INVALID_OPERATION, clCreateFromEGLImageKHR,
    cl_context c, CLeglDisplayKHR d, CLeglImageKHR i, cl_mem_flags f,
    const cl_egl_image_properties_khr *p, cl_int *err)
ABSENT(CL_INVALID_OPERATION, clEnqueueAcquireEGLObjectsKHR,
    cl_command_queue q, cl_uint n, const cl_mem *m, cl_uint k,
    const cl_event *w, cl_event *e)
ABSENT(CL_INVALID_OPERATION, clEnqueueReleaseEGLObjectsKHR,
    cl_command_queue q, cl_uint n, const cl_mem *m, cl_uint k,
    const cl_event *w, cl_event *e)
ABSENT_OBJECT(cl_event, CL_INVALID_OPERATION, clCreateEventFromEGLSyncKHR,
    cl_context c, CLeglSyncKHR s, CLeglDisplayKHR d, cl_int *err)
ABSENT_OBJECT(cl_mem, CL_INVALID_OPERATION, clCreatePipe,
    cl_context c, cl_mem_flags f, cl_uint z, cl_uint n,
    const cl_pipe_properties *p, cl_int *err)
ABSENT(CL_INVALID_MEM_OBJECT, clGetPipeInfo,
    cl_mem m, cl_pipe_info w, size_t n, void *to, size_t *r)
ABSENT_OBJECT(cl_program, CL_INVALID_OPERATION, clCreateProgramWithIL,
    cl_context c, const void *il, size_t n, cl_int *err)
ABSENT(CL_INVALID_OPERATION, clSetProgramSpecializationConstant,
    cl_program p, cl_uint i, size_t n, const void *v)
ABSENT(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue,
    cl_context c, cl_device_id d, cl_command_queue q)
ABSENT_OBJECT(cl_program, CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels,
    cl_context c, cl_uint n, const cl_device_id *d, const char *k,
    cl_int *err)
/* clang-format on */
