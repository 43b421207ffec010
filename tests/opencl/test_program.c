/* tests/opencl/test_program.c - programs from PTX: making, building, asking.
 * What needs a compiler: test_build.c. */
#include "ptx.h"

static cl_build_status status_of(cl_program p, cl_device_id d)
{
    cl_build_status s = 1;

    CHECK_EQ(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_STATUS, sizeof s, &s,
                                   NULL),
             CL_SUCCESS);
    return s;
}

static cl_program_binary_type type_of(cl_program p, cl_device_id d)
{
    cl_program_binary_type t;

    CHECK_EQ(
        clGetProgramBuildInfo(p, d, CL_PROGRAM_BINARY_TYPE, sizeof t, &t, NULL),
        CL_SUCCESS);
    return t;
}

static const char *text_of(cl_program p, cl_program_info what)
{
    static char text[1024];
    size_t size;

    CHECK_EQ(clGetProgramInfo(p, what, sizeof text, text, &size), CL_SUCCESS);
    CHECK_EQ(strlen(text) + 1, size);
    return text;
}

TEST(sources_are_joined)
{
    rig r = rig_open(0);
    const char *parts[] = {"kernel void ", "k(XX", "{}"};
    const size_t lengths[] = {0, 2, 0};
    cl_int err;
    cl_program p =
        clCreateProgramWithSource(r.context, 3, parts, lengths, &err);

    CHECK_EQ(err, CL_SUCCESS);
    CHECK_STR(text_of(p, CL_PROGRAM_SOURCE), "kernel void k({}");
    CHECK_EQ(status_of(p, r.devices[0]), CL_BUILD_NONE);
    CHECK_EQ(type_of(p, r.devices[1]), CL_PROGRAM_BINARY_TYPE_NONE);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_INVALID_PROGRAM);
    rig_close(&r);
}

TEST(sources_that_are_none)
{
    rig r = rig_open(0);
    const char *parts[] = {"a", NULL};
    cl_int err;

    CHECK(!clCreateProgramWithSource(NULL, 1, parts, NULL, &err));
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    CHECK(!clCreateProgramWithSource(r.context, 0, parts, NULL, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(!clCreateProgramWithSource(r.context, 1, NULL, NULL, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(!clCreateProgramWithSource(r.context, 2, parts, NULL, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    rig_close(&r);
}

TEST(binaries_that_are_none)
{
    rig r = rig_open(0);
    const unsigned char *texts[] = {(const unsigned char *)ptx_text,
                                    (const unsigned char *)"garbage"};
    size_t sizes[] = {sizeof ptx_text, 7};
    cl_int each[2], err;

    CHECK(!clCreateProgramWithBinary(r.context, 2, r.devices, sizes, texts,
                                     each, &err));
    CHECK_EQ(err, CL_INVALID_BINARY);
    CHECK_EQ(each[0], CL_SUCCESS);
    CHECK_EQ(each[1], CL_INVALID_BINARY);
    sizes[1] = 0;
    CHECK(!clCreateProgramWithBinary(r.context, 2, r.devices, sizes, texts,
                                     each, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK_EQ(each[1], CL_INVALID_VALUE);
    CHECK(!clCreateProgramWithBinary(r.context, 0, r.devices, sizes, texts,
                                     NULL, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(!clCreateProgramWithBinary(NULL, 1, r.devices, sizes, texts, NULL,
                                     &err));
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    cl_device_id bad = (cl_device_id)r.context;
    CHECK(!clCreateProgramWithBinary(r.context, 1, &bad, sizes, texts, NULL,
                                     &err));
    CHECK_EQ(err, CL_INVALID_DEVICE);
    rig_close(&r);
}

TEST(a_binary_is_built_for_every_device)
{
    rig r = rig_open(0);
    cl_program p = ptx_program(&r, ptx_text);
    cl_uint count;
    cl_device_id devices[2];
    size_t kernels, variables;

    CHECK_EQ(type_of(p, r.devices[0]), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof kernels,
                              &kernels, NULL),
             CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_EQ(clBuildProgram(p, 1, r.devices, "-cl-mad-enable", NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(status_of(p, r.devices[0]), CL_BUILD_SUCCESS);
    CHECK_EQ(status_of(p, r.devices[1]), CL_BUILD_NONE);
    CHECK_EQ(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(status_of(p, r.devices[1]), CL_BUILD_SUCCESS);
    CHECK_STR(text_of(p, CL_PROGRAM_KERNEL_NAMES), "f;shaped;value");
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof kernels,
                              &kernels, NULL),
             CL_SUCCESS);
    CHECK_EQ(kernels, 3);
    CHECK_EQ(
        clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL),
        CL_SUCCESS);
    CHECK_EQ(count, 2);
    CHECK_EQ(
        clGetProgramInfo(p, CL_PROGRAM_DEVICES, sizeof devices, devices, NULL),
        CL_SUCCESS);
    CHECK(devices[0] == r.devices[0] && devices[1] == r.devices[1]);
    CHECK_EQ(clGetProgramBuildInfo(p, r.devices[1],
                                   CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
                                   sizeof variables, &variables, NULL),
             CL_SUCCESS);
    CHECK_EQ(variables, 40);
    CHECK_STR(text_of(p, CL_PROGRAM_SOURCE), "");
    CHECK_EQ(clGetProgramInfo(p, 0x1234, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_DEVICES, 8, devices, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}

TEST(binaries_come_back_and_can_be_loaded)
{
    rig r = rig_open(0);
    cl_program p = ptx_built(&r);
    size_t sizes[2];
    unsigned char *texts[2] = {NULL, NULL};

    CHECK_EQ(
        clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL),
        CL_SUCCESS);
    CHECK_EQ(sizes[0], sizeof ptx_text - 1);
    texts[1] = malloc(sizes[1]); /* [0] stays NULL: not wanted */
    CHECK_EQ(
        clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof texts, texts, NULL),
        CL_SUCCESS);
    CHECK(!memcmp(texts[1], ptx_text, sizes[1]));
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARIES, 8, texts, NULL),
             CL_INVALID_VALUE);
    free(texts[1]);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}

static void CL_CALLBACK count_calls(cl_program p, void *data)
{
    cl_uint devices = 0;

    /* The lock is free: the program may call. */
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, sizeof devices,
                              &devices, NULL),
             CL_SUCCESS);
    *(unsigned *)data += devices;
}

TEST(callbacks_of_builds)
{
    rig r = rig_open(0);
    cl_program p = ptx_program(&r, ptx_text);
    unsigned calls = 0;

    CHECK_EQ(clBuildProgram(p, 0, NULL, NULL, count_calls, &calls), CL_SUCCESS);
    CHECK_EQ(calls, 2);
    CHECK_EQ(clBuildProgram(p, 0, NULL, NULL, NULL, &calls), CL_INVALID_VALUE);
    CHECK_EQ(clSetProgramReleaseCallback(p, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clSetProgramReleaseCallback(p, count_calls, &calls),
             CL_INVALID_OPERATION);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(calls, 2);
    CHECK_EQ(clSetProgramReleaseCallback(p, count_calls, NULL),
             CL_INVALID_PROGRAM);
    rig_close(&r);
}

TEST(calls_that_cannot_build)
{
    rig r = rig_open(0);
    cl_program p = ptx_program(&r, ptx_text);
    cl_device_id bad = (cl_device_id)p;

    CHECK_EQ(clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL),
             CL_INVALID_PROGRAM);
    CHECK_EQ(clBuildProgram(p, 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clBuildProgram(p, 0, r.devices, NULL, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clBuildProgram(p, 1, &bad, NULL, NULL, NULL), CL_INVALID_DEVICE);
    CHECK_EQ(clBuildProgram(p, 0, NULL, "-no-such", NULL, NULL),
             CL_INVALID_BUILD_OPTIONS);
    CHECK_EQ(clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL),
             CL_INVALID_OPERATION); /* no source */
    CHECK_EQ(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_kernel k = ptx_kernel(p, "f");
    CHECK_EQ(clBuildProgram(p, 0, NULL, NULL, NULL, NULL),
             CL_INVALID_OPERATION);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}

static const char *log_of(cl_program p, cl_device_id d)
{
    static char text[4096];

    CHECK_EQ(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_LOG, sizeof text,
                                   text, NULL),
             CL_SUCCESS);
    return text;
}

TEST(functions_that_nobody_defines)
{
    rig r = rig_open(0);
    cl_program p = ptx_program(&r, ".version 6.0\n.target sm_70\n"
                                   ".address_size 64\n.func missing\n()\n;\n"
                                   ".entry k() { call.uni missing, (); ret; }");

    CHECK_EQ(clBuildProgram(p, 0, NULL, NULL, NULL, NULL),
             CL_BUILD_PROGRAM_FAILURE);
    CHECK_EQ(status_of(p, r.devices[0]), CL_BUILD_ERROR);
    CHECK_STR(log_of(p, r.devices[0]),
              "error: function 'missing' is used, but not defined\n");
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}

/* Stochastic rounding is what the PTX compiler does not have. */
static const char half_good[] =
    ".version 8.7\n.target sm_100a\n.address_size 64\n"
    ".entry bad(.param .f32 a) {\n.reg .b32 %r<3>;\n.reg .f32 %f<3>;\n"
    "cvt.rs.f16x2.f32 %r0, %f0, %f1, %r1;\nst.global.u32 [%r0], %r0;\nret;\n}\n"
    ".entry good() { ret; }\n";

TEST(kernels_that_cannot_be_translated_stand_beside_others)
{
    rig r = rig_open(0);
    cl_program p = ptx_program(&r, half_good);
    cl_int err = clBuildProgram(p, 0, NULL, NULL, NULL, NULL);

    if (err != CL_SUCCESS)
        fprintf(stderr, "%s", log_of(p, r.devices[0]));
    CHECK_EQ(err, CL_SUCCESS);
    CHECK_STR(text_of(p, CL_PROGRAM_KERNEL_NAMES), "good");
    CHECK(strstr(log_of(p, r.devices[0]), "cvt.rs"));
    CHECK(!clCreateKernel(p, "bad", &err));
    CHECK_EQ(err, CL_INVALID_KERNEL_DEFINITION);
    cl_kernel k = ptx_kernel(p, "good");
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}

TEST(a_program_lives_as_long_as_its_kernels)
{
    rig r = rig_open(0);
    cl_program p = ptx_built(&r), same;
    cl_kernel k = ptx_kernel(p, "f");

    CHECK_EQ(clRetainProgram(p), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(clGetKernelInfo(k, CL_KERNEL_PROGRAM, sizeof same, &same, NULL),
             CL_SUCCESS);
    CHECK(same == p);
    CHECK_STR(text_of(p, CL_PROGRAM_KERNEL_NAMES), "f;shaped;value");
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, 0, NULL, NULL),
             CL_INVALID_PROGRAM);
    rig_close(&r);
}
