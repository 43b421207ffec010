/* tests/run/programs/big.c - an OpenCL program that is big in one way, for
 * tools/big-programs:
 *
 * big launches N: N launches of 64 work-items, in one queue, waited for now and
 *     then.
 * big memory GB: so many buffers of 1 GB; kernels write 64 words of each, some
 *     of which the host reads. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 64, WAIT_EVERY = 1000 };

static const char *source = "kernel void add(global int *a, ulong step)\n"
                            "{\n"
                            "    a[get_global_id(0) * step] += 1;\n"
                            "}\n";

static struct {
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
} my;

static void open_device(void)
{
    cl_platform_id platform;
    cl_device_id device;

    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    my.context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    my.queue = clCreateCommandQueue(my.context, device, 0, NULL);
    cl_program program =
        clCreateProgramWithSource(my.context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    my.kernel = clCreateKernel(program, "add", NULL);
}

static int launch(cl_mem m, cl_ulong step)
{
    const size_t items = ITEMS;

    clSetKernelArg(my.kernel, 0, sizeof m, &m);
    clSetKernelArg(my.kernel, 1, sizeof step, &step);
    return clEnqueueNDRangeKernel(my.queue, my.kernel, 1, NULL, &items, NULL, 0,
                                  NULL, NULL);
}

static cl_mem buffer(size_t bytes)
{
    int code;
    cl_mem m = clCreateBuffer(my.context, 0, bytes, NULL, &code);

    if (code == CL_SUCCESS)
        return m;
    fprintf(stderr, "big: no buffer of %zu bytes: %d\n", bytes, code);
    exit(2);
}

static int read_word(cl_mem m, size_t at)
{
    int value = -1;

    clEnqueueReadBuffer(my.queue, m, 1, at, sizeof value, &value, 0, NULL,
                        NULL);
    return value;
}

static int verdict(long bad)
{
    printf("big: %s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}

static int many_launches(long n)
{
    cl_mem m = buffer(ITEMS * sizeof(int));
    const int zero = 0;

    clEnqueueFillBuffer(my.queue, m, &zero, sizeof zero, 0, ITEMS * sizeof(int),
                        0, NULL, NULL);
    for (long i = 1; i <= n; i++) {
        launch(m, 1);
        if (i % WAIT_EVERY == 0)
            clFinish(my.queue);
    }
    return verdict(read_word(m, 4) - (int)n);
}

static int much_memory(long gb)
{
    const size_t bytes = (size_t)1 << 30, step = bytes / ITEMS;
    cl_mem m[1024];
    long bad = 0;

    for (long i = 0; i < gb && i < 1024; i++)
        m[i] = buffer(bytes);
    for (long i = 0; i < gb && i < 1024; i++) {
        launch(m[i], step / sizeof(int));
        bad += read_word(m[i], 5 * step) != 1;
    }
    return verdict(bad);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    open_device();
    if (!strcmp(argv[1], "launches"))
        return many_launches(atol(argv[2]));
    if (!strcmp(argv[1], "memory"))
        return much_memory(atol(argv[2]));
    return 2;
}
