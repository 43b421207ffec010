/* tests/run/programs/behave.c - an OpenCL program that does what its arguments
 * say, one after the other, for tests/run/exec.sh. It releases nothing. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 4096 };

static const char source[] =
    "kernel void twice(global float *a, int n)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n)\n"
    "        a[i] = a[i] * 2;\n"
    "}\n"
    "kernel void set(global float *a, int n)\n"
    "{\n"
    "    a[get_global_id(0)] = 1;\n"
    "}\n"
    "kernel void endless(global float *a, int n)\n"
    "{\n"
    "    while (((volatile global float *)a)[1] >= 0)\n"
    "        ;\n"
    "}\n"
    "kernel void fault(global float *a, int n)\n"
    "{\n"
    "    a[1ul << 44] = 1;\n"
    "}\n"
    "kernel void beyond(global float *a, int n)\n"
    "{\n"
    "    a[n] = a[n] + 1;\n" /* one behind the end, and before */
    "    a[-1] = 1;\n"
    "}\n"
    "kernel void far(global float *a, int n)\n"
    "{\n"
    "    a[n + 50000] = 5;\n" /* 200,000 bytes behind the end */
    "    a[0] = a[n + 50000];\n"
    "}\n"
    "kernel void tile(global float *a, int n)\n"
    "{\n"
    "    volatile local float l[60];\n" /* 16 bytes less than a unit */
    "    l[n - 4034] = 6;\n"            /* 8 bytes behind the end */
    "    a[0] = l[n - 4034];\n"
    "}\n"
    "kernel void tiles(global float *a, int n)\n"
    "{\n"
    "    volatile local float l[60];\n"
    "    l[n - 3996] = 7;\n" /* 160 bytes behind it */
    "    a[0] = l[n - 3996];\n"
    "}\n"
    "kernel void stack(global float *a, int n)\n"
    "{\n"
    "    volatile float p[6];\n"
    "    p[n - 4076] = 8;\n" /* 56 bytes behind the end */
    "    a[0] = p[n - 4076];\n"
    "}\n"
    "kernel void paint(write_only image2d_t im, int n)\n"
    "{\n"
    "    write_imagef(im, (int2)(9, n - 4095), (float4)(1));\n"
    "}\n"
    "kernel void say(global float *a, int n)\n"
    "{\n"
    "    if (get_global_id(0) == 5)\n"
    "        printf(\"n is %d\\n\", n);\n"
    "}\n"
    "kernel void lengthy(global float *a, int n)\n"
    "{\n"
    "    for (int i = 0; i < n * 10000; i++)\n"
    "        a[get_global_id(0)] += i;\n"
    "}\n";

static const char broken[] = "kernel void f(global int *a)\n"
                             "{\n"
                             "    a[1] == 2;\n" /* warned of */
                             "    a[0] = missing;\n"
                             "}\n";

static struct {
    cl_device_type type; /* 0: all */
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_mem memory;
    cl_event gate; /* all kernels wait for it; NULL: none */
} my;

static void must(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: error %d\n", what, code);
    exit(9);
}

static void open_device(void)
{
    const char *text = source;
    cl_platform_id platform;
    cl_device_id devices[8];
    cl_uint count;
    cl_int code;

    must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    must(clGetDeviceIDs(platform, my.type ? my.type : CL_DEVICE_TYPE_ALL, 8,
                        devices, &count),
         "clGetDeviceIDs");
    my.context = clCreateContext(NULL, count, devices, NULL, NULL, &code);
    must(code, "clCreateContext");
    my.queue = clCreateCommandQueue(my.context, devices[count - 1], 0, &code);
    must(code, "clCreateCommandQueue");
    my.memory = clCreateBuffer(my.context, CL_MEM_READ_WRITE,
                               COUNT * sizeof(float), NULL, &code);
    must(code, "clCreateBuffer");
    my.program = clCreateProgramWithSource(my.context, 1, &text, NULL, &code);
    must(code, "clCreateProgramWithSource");
    code = clBuildProgram(my.program, 0, NULL, "", NULL, NULL);
    if (code) {
        char log[65536] = "";

        clGetProgramBuildInfo(my.program, devices[0], CL_PROGRAM_BUILD_LOG,
                              sizeof log, log, NULL);
        fputs(log, stderr);
    }
    must(code, "clBuildProgram");
}

/* Of 8 by 8 texels, 16 bytes each. */
static cl_mem make_image(void)
{
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                 .image_width = 8,
                                 .image_height = 8};
    cl_int code;
    cl_mem m = clCreateImage(my.context, CL_MEM_READ_WRITE, &format, &shape,
                             NULL, &code);

    must(code, "clCreateImage");
    return m;
}

static void launch(const char *name)
{
    size_t all = COUNT, one = 64;
    cl_int n = COUNT, code;
    cl_kernel k;

    if (!my.context)
        open_device();
    k = clCreateKernel(my.program, name, &code);
    must(code, "clCreateKernel");
    cl_mem to = strcmp(name, "paint") ? my.memory : make_image();
    must(clSetKernelArg(k, 0, sizeof to, &to), "argument 0");
    must(clSetKernelArg(k, 1, sizeof n, &n), "argument 1");
    must(clEnqueueNDRangeKernel(my.queue, k, 1, NULL, &all, &one,
                                my.gate != NULL, my.gate ? &my.gate : NULL,
                                NULL),
         "clEnqueueNDRangeKernel");
}

static void hold(void)
{
    cl_int code;

    if (!my.context)
        open_device();
    my.gate = clCreateUserEvent(my.context, &code);
    must(code, "clCreateUserEvent");
}

static void read_back(void)
{
    float first = 0;

    must(clEnqueueReadBuffer(my.queue, my.memory, CL_TRUE, 0, sizeof first,
                             &first, 0, NULL, NULL),
         "clEnqueueReadBuffer");
    printf("first is %g\n", (double)first);
}

/* Three mistakes of which it takes no notice. */
static void slip(void)
{
    cl_kernel k;

    if (!my.context)
        open_device();
    k = clCreateKernel(my.program, "set", NULL);
    for (int i = 0; i < 3; i++)
        clSetKernelArg(k, 7, sizeof i, &i);
}

static void build_broken(void)
{
    const char *text = broken;
    cl_program p;

    if (!my.context)
        open_device();
    p = clCreateProgramWithSource(my.context, 1, &text, NULL, NULL);
    must(clBuildProgram(p, 0, NULL, "", NULL, NULL), "clBuildProgram");
}

/* Asks and goes on. */
static void probe(void)
{
    cl_platform_id platform;
    cl_uint count;

    must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 0, NULL, &count);
}

/* "twice:3": three launches. */
static void launches(const char *what)
{
    const char *colon = strchr(what, ':');
    char name[32];
    int n = colon ? atoi(colon + 1) : 1;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(what, ":"), what);
    for (int i = 0; i < n; i++)
        launch(name);
}

/* The rest of the arguments is the child's; the parent waits for it. */
static void split(void)
{
    pid_t child = fork();

    if (child == 0)
        memset(&my, 0, sizeof my); /* objects are of one process */
    else
        exit(waitpid(child, NULL, 0) == child ? 0 : 8);
}

/* As without sanitizers, which would make an exit status of it. */
static void crash(void)
{
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];

        if (!strcmp(a, "finish"))
            must(clFinish(my.queue), "clFinish");
        else if (!strcmp(a, "flush"))
            must(clFlush(my.queue), "clFlush");
        else if (!strcmp(a, "read"))
            read_back();
        else if (!strcmp(a, "open"))
            open_device();
        else if (!strcmp(a, "cpu"))
            my.type = CL_DEVICE_TYPE_CPU;
        else if (!strcmp(a, "gpu"))
            my.type = CL_DEVICE_TYPE_GPU;
        else if (!strcmp(a, "default"))
            my.type = CL_DEVICE_TYPE_DEFAULT;
        else if (!strcmp(a, "probe"))
            probe();
        else if (!strcmp(a, "hold"))
            hold();
        else if (!strcmp(a, "slip"))
            slip();
        else if (!strcmp(a, "broken"))
            build_broken();
        else if (!strcmp(a, "crash"))
            crash();
        else if (!strcmp(a, "sleep"))
            sleep(60);
        else if (!strcmp(a, "nap"))
            usleep(300000);
        else if (!strcmp(a, "fork"))
            split();
        else if (!strncmp(a, "exit:", 5))
            exit(atoi(a + 5));
        else if (!strncmp(a, "_exit:", 6))
            _exit(atoi(a + 6));
        else
            launches(a);
    }
    return 0;
}
