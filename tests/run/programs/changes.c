/* tests/run/programs/changes.c - an OpenCL program that does what a file says,
 * for tests/run/checkpoints.sh: changes FILE, in which are the number that a
 * kernel adds, what it adds it to, and the work-items of its third launch of
 * four. What is there after the first two is copied within the device, too. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

static const char *source =
    "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }";

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

int main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
    size_t size[2] = {64};
    int n, a[64] = {0};

    if (!f || fscanf(f, "%d %d %zu", &n, a, &size[1]) != 3)
        return 2;
    open_device();
    cl_mem m = clCreateBuffer(my.context, 0, sizeof a, NULL, NULL);
    cl_mem kept = clCreateBuffer(my.context, 0, sizeof a, NULL, NULL);
    clEnqueueWriteBuffer(my.queue, m, 1, 0, sizeof a, a, 0, NULL, NULL);
    clSetKernelArg(my.kernel, 0, sizeof m, &m);
    clSetKernelArg(my.kernel, 1, sizeof n, &n);
    for (int i = 0; i < 4; i++) {
        clEnqueueNDRangeKernel(my.queue, my.kernel, 1, NULL, &size[i == 2],
                               NULL, 0, NULL, NULL);
        if (i == 1)
            clEnqueueCopyBuffer(my.queue, m, kept, 0, 0, sizeof a, 0, NULL,
                                NULL);
    }
    clEnqueueReadBuffer(my.queue, m, 1, 0, sizeof a, a, 0, NULL, NULL);
    printf("sum %d", a[0]);
    clEnqueueReadBuffer(my.queue, kept, 1, 0, sizeof a, a, 0, NULL, NULL);
    printf(", before %d\n", a[0]);
    return 0;
}
