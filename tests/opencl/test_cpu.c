/* Devices that call themselves CPUs: HEDDLE_AS_CPU=1, which is heddle exec's
 * --as-cpu. */
#include "opencl/opencl.h"
#include "test.h"

__attribute__((constructor)) static void cpus(void)
{
    setenv("HEDDLE_GPU", "v100,k20", 1);
    setenv("HEDDLE_AS_CPU", "1", 1);
    unsetenv("HEDDLE_SESSION");
}

enum { DEVICES = 2 };

TEST(cpus_are_found_as_such_and_as_no_gpus)
{
    static const struct {
        cl_device_type type;
        cl_int code;
        cl_uint count;
    } rows[] = {
        {CL_DEVICE_TYPE_CPU, CL_SUCCESS, 2},
        {CL_DEVICE_TYPE_ALL, CL_SUCCESS, 2},
        {CL_DEVICE_TYPE_DEFAULT, CL_SUCCESS, 1},
        {CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU, CL_SUCCESS, 2},
        {CL_DEVICE_TYPE_GPU, CL_DEVICE_NOT_FOUND, 0},
        {CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_NOT_FOUND, 0},
    };
    cl_device_id d[DEVICES];
    cl_platform_id p;

    CHECK_EQ(clGetPlatformIDs(1, &p, NULL), CL_SUCCESS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cl_uint n = 7;
        cl_int err;

        CHECK_EQ(clGetDeviceIDs(p, rows[i].type, DEVICES, d, &n), rows[i].code);
        CHECK_EQ(n, rows[i].count);
        cl_context c =
            clCreateContextFromType(NULL, rows[i].type, NULL, NULL, &err);
        CHECK_EQ(err, rows[i].code);
        CHECK_EQ(c != NULL, err == CL_SUCCESS);
        if (c)
            CHECK_EQ(clReleaseContext(c), CL_SUCCESS);
    }
}

TEST(they_say_so_of_themselves)
{
    cl_device_id d[DEVICES];
    cl_platform_id p;

    CHECK_EQ(clGetPlatformIDs(1, &p, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, DEVICES, d, NULL),
             CL_SUCCESS);
    for (unsigned i = 0; i < DEVICES; i++) {
        cl_device_type is = 0;
        size_t size = 0;

        CHECK_EQ(clGetDeviceInfo(d[i], CL_DEVICE_TYPE, sizeof is, &is, &size),
                 CL_SUCCESS);
        CHECK_EQ(size, sizeof is);
        CHECK_EQ(is, CL_DEVICE_TYPE_CPU);
    }
}
