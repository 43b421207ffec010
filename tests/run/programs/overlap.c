/* tests/run/programs/overlap.c - an OpenCL program whose commands may overlap,
 * for tests/run/overlap.sh: overlap MODE [slow|flush|quiet]... prints when each
 * of them began and ended, and says whether what it computed is right.
 *
 * serial, queues, unordered: eight small kernels in one queue in order, in
 * four, in one out of order, the last of them after all others. transfers: a
 * kernel, a write, a read and another kernel in queues of their own. leave: it
 * ends with a kernel in flight. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KERNELS = 8, QUEUES = 4, WORDS = 1024, ROUNDS = 400 };

static const char source[] = "kernel void work(global uint *x, uint rounds)\n"
                             "{\n"
                             "    uint i = get_global_id(0), v = x[i];\n"
                             "    while (rounds--)\n"
                             "        v = v * 1664525u + 1013904223u;\n"
                             "    x[i] = v;\n"
                             "}\n"
                             "kernel void join(global uint *x, uint n)\n"
                             "{\n"
                             "    uint i = get_global_id(0), v = 0;\n"
                             "    for (uint k = 0; k < n; k++)\n"
                             "        v += x[k * 1024 + i];\n"
                             "    x[n * 1024 + i] = v;\n"
                             "}\n";

static struct {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue[QUEUES];
    cl_kernel work, join;
    cl_mem memory;
    cl_event event[KERNELS + 1];
    bool slow, flush, quiet;
} my;

static void must(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: error %d\n", what, code);
    exit(9);
}

static void open_device(cl_command_queue_properties flags)
{
    const char *text = source;
    cl_platform_id platform;
    cl_int code;

    must(clGetPlatformIDs(1, &platform, NULL), "platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &my.device, NULL),
         "device");
    my.context = clCreateContext(NULL, 1, &my.device, NULL, NULL, &code);
    must(code, "context");
    for (int i = 0; i < QUEUES; i++) {
        my.queue[i] = clCreateCommandQueue(
            my.context, my.device, flags | CL_QUEUE_PROFILING_ENABLE, &code);
        must(code, "queue");
    }
    cl_program p = clCreateProgramWithSource(my.context, 1, &text, NULL, &code);
    must(code, "program");
    must(clBuildProgram(p, 1, &my.device, "", NULL, NULL), "build");
    my.work = clCreateKernel(p, "work", &code);
    must(code, "kernel work");
    my.join = clCreateKernel(p, "join", &code);
    must(code, "kernel join");
    my.memory = clCreateBuffer(my.context, CL_MEM_READ_WRITE,
                               (KERNELS + 1) * WORDS * 4, NULL, &code);
    must(code, "buffer");
}

/* As fast as it is told to be. */
static void next(cl_command_queue q)
{
    if (my.flush)
        must(clFlush(q), "flush");
    if (my.slow)
        usleep(20000);
}

static void run(cl_command_queue q, cl_kernel k, unsigned part, cl_uint number,
                cl_uint n, const cl_event *waits, cl_event *e)
{
    cl_buffer_region r = {part * WORDS * 4, WORDS * 4};
    size_t size = WORDS;
    cl_int code = CL_SUCCESS;
    cl_mem m = k == my.join
                   ? my.memory
                   : clCreateSubBuffer(my.memory, CL_MEM_READ_WRITE,
                                       CL_BUFFER_CREATE_TYPE_REGION, &r, &code);

    must(code, "part");
    must(clSetKernelArg(k, 0, sizeof m, &m), "argument");
    must(clSetKernelArg(k, 1, sizeof number, &number), "argument");
    must(clEnqueueNDRangeKernel(q, k, 1, NULL, &size, NULL, n, waits, e),
         "launch");
    if (k != my.join)
        clReleaseMemObject(m);
    next(q);
}

static cl_ulong time_of(cl_event e, cl_profiling_info what)
{
    cl_ulong t;

    must(clGetEventProfilingInfo(e, what, sizeof t, &t, NULL), "time");
    return t;
}

/* Since the first was queued. False: an event's times do not follow each
 * other. */
static bool tell(const char *name, int i)
{
    cl_ulong zero = time_of(my.event[0], CL_PROFILING_COMMAND_QUEUED), t[4];

    for (int k = 0; k < 4; k++)
        t[k] = time_of(my.event[i], CL_PROFILING_COMMAND_QUEUED + (cl_uint)k);
    if (!my.quiet)
        printf("%s %d: %llu to %llu\n", name, i,
               (unsigned long long)(t[2] - zero),
               (unsigned long long)(t[3] - zero));
    return t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3];
}

static cl_uint worked(cl_uint v)
{
    for (int i = 0; i < ROUNDS; i++)
        v = v * 1664525u + 1013904223u;
    return v;
}

/* Eight kernels, and one that adds up what they left. */
static bool kernels(bool all_queues, bool ordered)
{
    static cl_uint x[(KERNELS + 1) * WORDS];
    bool good = true;

    for (cl_uint i = 0; i < KERNELS * WORDS; i++)
        x[i] = i;
    must(clEnqueueWriteBuffer(my.queue[0], my.memory, CL_TRUE, 0, sizeof x, x,
                              0, NULL, NULL),
         "write");
    for (unsigned i = 0; i < KERNELS; i++)
        run(my.queue[all_queues ? i % QUEUES : 0], my.work, i, ROUNDS, 0, NULL,
            &my.event[i]);
    run(my.queue[0], my.join, 0, KERNELS, ordered ? 0 : KERNELS,
        ordered ? NULL : my.event, &my.event[KERNELS]);
    must(clFinish(my.queue[0]), "finish");
    must(clEnqueueReadBuffer(my.queue[0], my.memory, CL_TRUE, 0, sizeof x, x, 0,
                             NULL, NULL),
         "read");
    for (cl_uint i = 0; i < WORDS; i++) {
        cl_uint sum = 0;

        for (cl_uint k = 0; k < KERNELS; k++)
            sum += worked(k * WORDS + i);
        good &= x[KERNELS * WORDS + i] == sum;
    }
    for (int i = 0; i <= KERNELS; i++)
        good &= tell(i < KERNELS ? "work" : "join", i);
    return good;
}

static bool transfers(void)
{
    static cl_uint in[WORDS], out[WORDS];
    cl_mem m = my.memory;
    bool good = true;

    run(my.queue[0], my.work, 0, 100 * ROUNDS, 0, NULL, &my.event[0]);
    must(clEnqueueWriteBuffer(my.queue[1], m, CL_FALSE, WORDS * 4, sizeof in,
                              in, 0, NULL, &my.event[1]),
         "write");
    next(my.queue[1]);
    must(clEnqueueReadBuffer(my.queue[2], m, CL_FALSE, WORDS * 8, sizeof out,
                             out, 0, NULL, &my.event[2]),
         "read");
    next(my.queue[2]);
    run(my.queue[1], my.work, 1, ROUNDS, 0, NULL, &my.event[3]);
    for (int i = 0; i < QUEUES; i++)
        must(clFinish(my.queue[i]), "finish");
    good &= tell("work", 0);
    good &= tell("write", 1);
    good &= tell("read", 2);
    good &= tell("work", 3);
    return good;
}

/* Does not wait for the kernel of the first queue. */
static bool leave(void)
{
    run(my.queue[0], my.work, 0, 100 * ROUNDS, 0, NULL, &my.event[0]);
    run(my.queue[1], my.work, 1, ROUNDS, 0, NULL, &my.event[1]);
    return clWaitForEvents(1, &my.event[1]) == CL_SUCCESS;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    bool unordered = !strcmp(mode, "unordered"), good;

    for (int i = 2; i < argc; i++) {
        my.slow |= !strcmp(argv[i], "slow");
        my.flush |= !strcmp(argv[i], "flush");
        my.quiet |= !strcmp(argv[i], "quiet");
    }
    open_device(unordered ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    if (!strcmp(mode, "transfers"))
        good = transfers();
    else if (!strcmp(mode, "leave"))
        good = leave();
    else
        good = kernels(!strcmp(mode, "queues"), !strcmp(mode, "serial"));
    puts(good ? "right" : "WRONG");
    return !good;
}
