/* tests/run/programs/handover.c - an OpenCL program whose kernels wait for each
 * other in memory, for tests/run/waiting.sh: handover MODE says whether they
 * have taken turns as they should.
 *
 * queues: two kernels in queues of their own, the one that begins the turns
 * first; reversed: second. unordered: both in one queue out of order. write:
 * one kernel, which waits for a write in another queue. alone: one in the only
 * queue, which waits in vain. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 20 };

static const char source[] =
    "kernel void turns(volatile global uint *ball, uint me, uint turns)\n"
    "{\n"
    "    for (uint t = me; t < turns; t += 2) {\n"
    "        while (*ball != t)\n"
    "            ;\n"
    "        *ball = t + 1;\n"
    "    }\n"
    "}\n";

static struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue[2];
    cl_kernel turns;
    cl_mem ball;
} my;

static void must(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    printf("%s: error %d\n", what, code);
    exit(2);
}

static void set_up(cl_command_queue_properties flags, int queues)
{
    const char *text = source;
    cl_uint zero = 0;
    cl_platform_id platform;
    cl_int code;

    must(clGetPlatformIDs(1, &platform, NULL), "platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &my.device, NULL),
         "device");
    my.context = clCreateContext(NULL, 1, &my.device, NULL, NULL, &code);
    must(code, "context");
    for (int i = 0; i < queues; i++) {
        my.queue[i] = clCreateCommandQueue(my.context, my.device, flags, &code);
        must(code, "queue");
    }
    my.queue[1] = my.queue[queues - 1];
    cl_program p = clCreateProgramWithSource(my.context, 1, &text, NULL, &code);
    must(code, "program");
    must(clBuildProgram(p, 1, &my.device, "", NULL, NULL), "build");
    my.turns = clCreateKernel(p, "turns", &code);
    must(code, "kernel");
    my.ball =
        clCreateBuffer(my.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                       sizeof zero, &zero, &code);
    must(code, "buffer");
}

static void launch(cl_command_queue q, cl_uint me)
{
    const cl_uint turns = TURNS;
    const size_t one = 1;

    must(clSetKernelArg(my.turns, 0, sizeof my.ball, &my.ball), "argument");
    must(clSetKernelArg(my.turns, 1, sizeof me, &me), "argument");
    must(clSetKernelArg(my.turns, 2, sizeof turns, &turns), "argument");
    must(
        clEnqueueNDRangeKernel(q, my.turns, 1, NULL, &one, NULL, 0, NULL, NULL),
        "launch");
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    const cl_uint last = TURNS - 1;
    cl_uint ball = 0;

    if (!strcmp(mode, "unordered")) {
        set_up(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 2);
        launch(my.queue[0], 0);
        launch(my.queue[0], 1);
    } else if (!strcmp(mode, "alone")) {
        set_up(0, 1);
        launch(my.queue[0], 1);
    } else if (!strcmp(mode, "write")) {
        set_up(0, 2);
        launch(my.queue[0], last);
        must(clEnqueueWriteBuffer(my.queue[1], my.ball, CL_FALSE, 0,
                                  sizeof last, &last, 0, NULL, NULL),
             "write");
    } else {
        set_up(0, 2);
        launch(my.queue[0], !strcmp(mode, "reversed"));
        launch(my.queue[1], strcmp(mode, "reversed") != 0);
    }
    must(clFlush(my.queue[1]), "flush");
    must(clFinish(my.queue[0]), "finish");
    must(clFinish(my.queue[1]), "finish");
    must(clEnqueueReadBuffer(my.queue[0], my.ball, CL_TRUE, 0, sizeof ball,
                             &ball, 0, NULL, NULL),
         "read");
    puts(ball == TURNS ? "right" : "wrong");
    return ball != TURNS;
}
