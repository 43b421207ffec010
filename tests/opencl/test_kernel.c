/* tests/opencl/test_kernel.c - kernels, their arguments and what they say of
 * themselves. */
#include "ptx.h"

static cl_mem buffer(const rig *r, size_t size)
{
    cl_int err;
    cl_mem m = clCreateBuffer(r->context, 0, size, NULL, &err);

    CHECK_EQ(err, CL_SUCCESS);
    return m;
}

TEST(kernels_by_name)
{
    rig r = rig_open(0);
    cl_program p = ptx_program(&r, ptx_text);
    cl_int err;

    CHECK(!clCreateKernel(NULL, "f", &err));
    CHECK_EQ(err, CL_INVALID_PROGRAM);
    CHECK(!clCreateKernel(p, "f", &err));
    CHECK_EQ(err, CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_EQ(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    CHECK(!clCreateKernel(p, "no", &err));
    CHECK_EQ(err, CL_INVALID_KERNEL_NAME);
    CHECK(!clCreateKernel(p, NULL, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    cl_kernel k = ptx_kernel(p, "f");
    CHECK_EQ(clRetainKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_INVALID_KERNEL);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}

TEST(all_kernels_of_a_program)
{
    rig r = rig_open(0);
    cl_program p = ptx_built(&r);
    cl_kernel k[3];
    cl_uint n;

    CHECK_EQ(clCreateKernelsInProgram(p, 0, NULL, &n), CL_SUCCESS);
    CHECK_EQ(n, 3);
    CHECK_EQ(clCreateKernelsInProgram(p, 2, k, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clCreateKernelsInProgram(p, 3, k, NULL), CL_SUCCESS);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(clReleaseKernel(k[i]), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}

TEST(arguments_are_checked)
{
    rig r = rig_open(0);
    cl_program p = ptx_built(&r);
    cl_kernel k = ptx_kernel(p, "f");
    cl_mem m = buffer(&r, 256), none = NULL, bad = (cl_mem)k;
    cl_int n = 7;

    CHECK_EQ(clSetKernelArg(NULL, 0, 8, &m), CL_INVALID_KERNEL);
    CHECK_EQ(clSetKernelArg(k, 3, 8, &m), CL_INVALID_ARG_INDEX);
    CHECK_EQ(clSetKernelArg(k, 0, 4, &m), CL_INVALID_ARG_SIZE);
    CHECK_EQ(clSetKernelArg(k, 0, 8, &bad), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetKernelArg(k, 0, 8, &none), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 0, 8, NULL), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 0, 8, &m), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 1, 8, &m), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clSetKernelArg(k, 1, 0, NULL), CL_INVALID_ARG_SIZE);
    CHECK_EQ(clSetKernelArg(k, 1, 100, NULL), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 2, 4, NULL), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clSetKernelArg(k, 2, 8, &n), CL_INVALID_ARG_SIZE);
    CHECK_EQ(clSetKernelArg(k, 2, 4, &n), CL_SUCCESS);
    CHECK_EQ(clSetKernelArgSVMPointer(k, 1, &n), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clSetKernelArgSVMPointer(k, 0, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    k = ptx_kernel(p, "value");
    CHECK_EQ(clSetKernelArg(k, 0, 1, &n), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 1, 12, ptx_text), CL_INVALID_ARG_SIZE);
    CHECK_EQ(clSetKernelArg(k, 1, 16, ptx_text), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}

/* As nvcc writes it: addresses are numbers of 8 bytes. */
TEST(buffers_for_ptx_that_does_not_mark_pointers)
{
    static const char text[] =
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry store(.param .u64 a, .param .u64 b)\n"
        "{\n.reg .b64 %d<3>;\nld.param.u64 %d0, [a];\n"
        "ld.param.u64 %d1, [b];\ncvta.to.global.u64 %d0, %d0;\n"
        "st.global.u64 [%d0], %d1;\nret;\n}\n";
    rig r = rig_open(0);
    cl_program p = ptx_program(&r, text);
    const size_t one = 1;
    cl_ulong n = 0x1122334455667788, got = 0;

    CHECK_EQ(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_kernel k = ptx_kernel(p, "store");
    cl_mem m = buffer(&r, 256);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof m, &m), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 1, sizeof n, &n), CL_SUCCESS);
    CHECK_EQ(
        clEnqueueNDRangeKernel(r.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL),
        CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(r.queue, m, CL_TRUE, 0, sizeof got, &got, 0,
                                 NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(got, n);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}

TEST(buffers_of_another_context)
{
    rig r = rig_open(0), s = rig_open(0);
    cl_program p = ptx_built(&r);
    cl_kernel k = ptx_kernel(p, "f");
    cl_mem m = buffer(&s, 256);

    CHECK_EQ(clSetKernelArg(k, 0, 8, &m), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(s.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(s.context), CL_SUCCESS);
    rig_close(&r);
}

TEST(execution_information)
{
    rig r = rig_open(0);
    cl_program p = ptx_built(&r);
    cl_kernel k = ptx_kernel(p, "f");
    void *pointers[2] = {0};
    cl_bool yes = CL_TRUE, no = CL_FALSE;

    CHECK_EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS,
                                 sizeof pointers, pointers),
             CL_SUCCESS);
    CHECK_EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, pointers),
             CL_INVALID_VALUE);
    CHECK_EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
                                 sizeof yes, &yes),
             CL_INVALID_OPERATION);
    CHECK_EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
                                 sizeof no, &no),
             CL_SUCCESS);
    CHECK_EQ(clSetKernelExecInfo(k, 1, sizeof no, &no), CL_INVALID_VALUE);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}

/* ---- Information ---- */

static const char *kernel_text(cl_kernel k, cl_kernel_info what)
{
    static char text[128];

    CHECK_EQ(clGetKernelInfo(k, what, sizeof text, text, NULL), CL_SUCCESS);
    return text;
}

static const char *arg_text(cl_kernel k, cl_uint i, cl_kernel_arg_info what)
{
    static char text[128];

    CHECK_EQ(clGetKernelArgInfo(k, i, what, sizeof text, text, NULL),
             CL_SUCCESS);
    return text;
}

TEST(what_kernels_say)
{
    rig r = rig_open(0);
    cl_program p = ptx_built(&r);
    cl_kernel k = ptx_kernel(p, "f"), shaped = ptx_kernel(p, "shaped");
    cl_kernel value = ptx_kernel(p, "value");
    cl_uint number;

    CHECK_STR(kernel_text(k, CL_KERNEL_FUNCTION_NAME), "f");
    CHECK_STR(kernel_text(k, CL_KERNEL_ATTRIBUTES), "");
    CHECK_STR(kernel_text(shaped, CL_KERNEL_ATTRIBUTES),
              "reqd_work_group_size(8,4,1) vec_type_hint(float4)");
    CHECK_EQ(
        clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof number, &number, NULL),
        CL_SUCCESS);
    CHECK_EQ(number, 3);
    CHECK_EQ(clGetKernelInfo(k, 0, sizeof number, &number, NULL),
             CL_INVALID_VALUE);
    CHECK_STR(arg_text(k, 0, CL_KERNEL_ARG_NAME), "to");
    CHECK_STR(arg_text(k, 2, CL_KERNEL_ARG_TYPE_NAME), "int");
    CHECK_EQ(clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                sizeof number, &number, NULL),
             CL_SUCCESS);
    CHECK_EQ(number, CL_KERNEL_ARG_ADDRESS_LOCAL);
    CHECK_EQ(clGetKernelArgInfo(k, 3, CL_KERNEL_ARG_NAME, 0, NULL, NULL),
             CL_INVALID_ARG_INDEX);
    CHECK_EQ(clGetKernelArgInfo(k, 0, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetKernelArgInfo(value, 0, CL_KERNEL_ARG_NAME, 0, NULL, NULL),
             CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(value), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(shaped), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}

TEST(what_kernels_need_on_a_device)
{
    rig r = rig_open(0);
    cl_program p = ptx_built(&r);
    cl_kernel k = ptx_kernel(p, "f"), shaped = ptx_kernel(p, "shaped");
    size_t size, shape[3];
    cl_ulong bytes;

    CHECK_EQ(clGetKernelWorkGroupInfo(k, r.devices[0],
                                      CL_KERNEL_WORK_GROUP_SIZE, sizeof size,
                                      &size, NULL),
             CL_SUCCESS);
    CHECK_EQ(size, 1024);
    CHECK_EQ(clGetKernelWorkGroupInfo(
                 k, r.devices[0], CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                 sizeof size, &size, NULL),
             CL_SUCCESS);
    CHECK_EQ(size, 32);
    CHECK_EQ(clGetKernelWorkGroupInfo(k, r.devices[0], CL_KERNEL_LOCAL_MEM_SIZE,
                                      sizeof bytes, &bytes, NULL),
             CL_SUCCESS);
    CHECK_EQ(bytes, 20);
    CHECK_EQ(clSetKernelArg(k, 1, 100, NULL), CL_SUCCESS);
    CHECK_EQ(clGetKernelWorkGroupInfo(k, r.devices[0], CL_KERNEL_LOCAL_MEM_SIZE,
                                      sizeof bytes, &bytes, NULL),
             CL_SUCCESS);
    CHECK_EQ(bytes, 228); /* from the next multiple of 128 on */
    CHECK_EQ(clGetKernelWorkGroupInfo(shaped, r.devices[1],
                                      CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                      sizeof shape, shape, NULL),
             CL_SUCCESS);
    CHECK(shape[0] == 8 && shape[1] == 4 && shape[2] == 1);
    CHECK_EQ(clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_WORK_GROUP_SIZE,
                                      sizeof size, &size, NULL),
             CL_INVALID_DEVICE); /* there are two */
    CHECK_EQ(clGetKernelWorkGroupInfo(k, r.devices[0],
                                      CL_KERNEL_GLOBAL_WORK_SIZE, sizeof shape,
                                      shape, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(shaped), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}

static size_t sub_groups(cl_kernel k, cl_device_id d,
                         cl_kernel_sub_group_info what, size_t x, size_t y)
{
    const size_t shape[] = {x, y};
    size_t n = 99;

    CHECK_EQ(clGetKernelSubGroupInfo(k, d, what, sizeof shape, shape, sizeof n,
                                     &n, NULL),
             CL_SUCCESS);
    return n;
}

TEST(sub_groups_are_warps)
{
    rig r = rig_open(0);
    cl_program p = ptx_built(&r);
    cl_kernel k = ptx_kernel(p, "f");
    cl_device_id d = r.devices[0];
    size_t shape[3] = {9, 9, 9}, count = 4;

    CHECK_EQ(sub_groups(k, d, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 16, 4),
             32);
    CHECK_EQ(sub_groups(k, d, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 33, 1), 2);
    CHECK_EQ(clGetKernelSubGroupInfo(
                 k, d, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count,
                 &count, sizeof shape, shape, NULL),
             CL_SUCCESS);
    CHECK(shape[0] == 128 && shape[1] == 1 && shape[2] == 1);
    count = 1000;
    CHECK_EQ(clGetKernelSubGroupInfo(
                 k, d, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count,
                 &count, sizeof shape, shape, NULL),
             CL_SUCCESS);
    CHECK(!shape[0] && !shape[1] && !shape[2]);
    CHECK_EQ(clGetKernelSubGroupInfo(k, d, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0,
                                     NULL, sizeof count, &count, NULL),
             CL_SUCCESS);
    CHECK_EQ(count, 32);
    CHECK_EQ(clGetKernelSubGroupInfo(k, d,
                                     CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 0,
                                     NULL, sizeof count, &count, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}
