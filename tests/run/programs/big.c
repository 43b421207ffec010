/* tests/run/programs/big.c - an OpenCL program that is big in one way, for
 * tools/big-programs:
 *
 * big launches N: N launches of 64 work-items, in one queue, waited for now and
 *     then.
 * big memory GB: so many buffers of 1 GB; kernels write 64 words of each, some
 *     of which the host reads.
 * big steady SECONDS: again and again two buffers are made, written, computed
 *     with, read, checked and freed; each minute, and at the end, it tells how
 *     often it did. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ITEMS = 64, WAIT_EVERY = 1000, GROUP = 256, TELL_S = 60 };

static const char *source = "kernel void add(global int *a, ulong step)\n"
                            "{\n"
                            "    a[get_global_id(0) * step] += 1;\n"
                            "}\n"
                            "kernel void mix(global const uint *in,\n"
                            "                global uint *out, uint rounds)\n"
                            "{\n"
                            "    local uint other[256];\n"
                            "    uint me = get_local_id(0);\n"
                            "    uint x = in[get_global_id(0)];\n"
                            "    for (uint r = 0; r < rounds; r++) {\n"
                            "        other[me] = x;\n"
                            "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "        x = x * 1664525 + other[(me + r) & 255];\n"
                            "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "    }\n"
                            "    out[get_global_id(0)] = x;\n"
                            "}\n";

static struct {
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel, mix;
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
    my.mix = clCreateKernel(program, "mix", NULL);
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

/* What the kernel makes of the words of its first work-group. */
static void mix_here(unsigned *x, unsigned rounds)
{
    unsigned was[GROUP];

    for (unsigned r = 0; r < rounds; r++) {
        memcpy(was, x, sizeof was);
        for (unsigned i = 0; i < GROUP; i++)
            x[i] = was[i] * 1664525 + was[(i + r) % GROUP];
    }
}

/* Once, with sizes that `seed` says; how many words are wrong. */
static long mix_once(unsigned seed)
{
    const unsigned rounds = 4 + seed / 256 % 28;
    const size_t items = GROUP * (16 + seed / 65536 % 240);
    const size_t bytes = items * sizeof(unsigned), group = GROUP;
    unsigned *to = malloc(bytes), *from = malloc(bytes);
    cl_mem in = buffer(bytes), out = buffer(bytes);
    long bad = 0;

    for (size_t i = 0; i < items; i++)
        to[i] = (unsigned)i * 2654435761u + seed;
    clEnqueueWriteBuffer(my.queue, in, 0, 0, bytes, to, 0, NULL, NULL);
    clSetKernelArg(my.mix, 0, sizeof in, &in);
    clSetKernelArg(my.mix, 1, sizeof out, &out);
    clSetKernelArg(my.mix, 2, sizeof rounds, &rounds);
    clEnqueueNDRangeKernel(my.queue, my.mix, 1, NULL, &items, &group, 0, NULL,
                           NULL);
    clEnqueueReadBuffer(my.queue, out, 1, 0, bytes, from, 0, NULL, NULL);
    mix_here(to, rounds);
    for (unsigned i = 0; i < GROUP; i++)
        bad += to[i] != from[i];
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    free(to);
    free(from);
    return bad;
}

static int steady(long seconds)
{
    time_t now = time(NULL), end = now + seconds, tell = now + TELL_S;
    unsigned seed = 1;
    long bad = 0, done = 0;

    for (; now < end; now = time(NULL)) {
        seed = seed * 1664525 + 1013904223;
        bad += mix_once(seed);
        done++;
        if (now < tell)
            continue;
        tell = now + TELL_S;
        printf("%ld launches\n", done);
        fflush(stdout);
    }
    printf("%ld launches\n", done);
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
    if (!strcmp(argv[1], "steady"))
        return steady(atol(argv[2]));
    return 2;
}
