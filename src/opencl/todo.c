/* src/opencl/todo.c - functions that are not written yet: whoever writes one
 * takes its line away; the file goes with the last. */
#include <stdio.h>

#define TODO(name)                                                             \
    __attribute__((weak, noinline)) long name(void)                            \
    {                                                                          \
        fprintf(stderr, "heddle: " #name " is not written yet\n");             \
        return -59;                                                            \
    }

/* clang-format off */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
TODO(clCreateProgramWithSource)
TODO(clCreateProgramWithBinary)
TODO(clRetainProgram)
TODO(clReleaseProgram)
TODO(clBuildProgram)
TODO(clGetProgramInfo)
TODO(clGetProgramBuildInfo)
TODO(clCreateKernel)
TODO(clCreateKernelsInProgram)
TODO(clRetainKernel)
TODO(clReleaseKernel)
TODO(clSetKernelArg)
TODO(clGetKernelInfo)
TODO(clGetKernelWorkGroupInfo)
TODO(clEnqueueNDRangeKernel)
TODO(clEnqueueTask)
TODO(clCompileProgram)
TODO(clLinkProgram)
TODO(clGetKernelArgInfo)
TODO(clSetKernelArgSVMPointer)
TODO(clSetKernelExecInfo)
TODO(clGetKernelSubGroupInfoKHR)
TODO(clCloneKernel)
TODO(clGetKernelSubGroupInfo)
TODO(clSetProgramReleaseCallback)
