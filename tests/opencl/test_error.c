/* What HEDDLE_LOG=1 says of calls that fail: every one, by its own name. */
#include <string.h>

#include "capture.h"
#include "rig.h"

enum { SIZE = 64 };

/* What is said of the call. */
#define SAID(call, text)                                                       \
    do {                                                                       \
        capture c;                                                             \
                                                                               \
        setenv("HEDDLE_LOG", "1", 1);                                          \
        capture_begin(&c, stderr);                                             \
        (void)(call);                                                          \
        const char *said = capture_end(&c);                                    \
        unsetenv("HEDDLE_LOG");                                                \
        if (!strstr(said, (text)))                                             \
            fprintf(stderr, "%s: said: %s\n", #call, said);                    \
        CHECK(strstr(said, (text)) != NULL);                                   \
    } while (0)

TEST(handles_of_nothing_are_told)
{
    static char none[SIZE];
    void *x = none;

    SAID(clReleaseMemObject(x), "heddle: clReleaseMemObject: "
                                "CL_INVALID_MEM_OBJECT: ");
    SAID(clRetainContext(x), "clRetainContext: CL_INVALID_CONTEXT: ");
    SAID(clReleaseKernel(x), "clReleaseKernel: CL_INVALID_KERNEL: ");
    SAID(clReleaseProgram(x), "clReleaseProgram: CL_INVALID_PROGRAM: ");
    SAID(clRetainSampler(x), "clRetainSampler: CL_INVALID_SAMPLER: ");
    SAID(clReleaseEvent(x), "clReleaseEvent: CL_INVALID_EVENT: ");
    SAID(clReleaseCommandQueue(x),
         "clReleaseCommandQueue: CL_INVALID_COMMAND_QUEUE: ");
}

TEST(what_functions_share_is_told_by_their_own_names)
{
    static char none[SIZE];
    rig r = rig_open(0);
    cl_event bad = (cl_event)(void *)none;

    SAID(clEnqueueMarkerWithWaitList(r.queue, 1, &bad, NULL),
         "clEnqueueMarkerWithWaitList: CL_INVALID_EVENT_WAIT_LIST: ");
    SAID(clEnqueueReadBuffer((cl_command_queue)(void *)none, NULL, CL_TRUE, 0,
                             4, none, 0, NULL, NULL),
         "clEnqueueReadBuffer: CL_INVALID_COMMAND_QUEUE: ");
    rig_enqueue(r.queue, (rig_what){.result = CL_OUT_OF_RESOURCES}, NULL);
    SAID(clFinish(r.queue), "clFinish: CL_OUT_OF_RESOURCES: ");
    rig_close(&r);
}

TEST(what_no_gpu_has_is_told)
{
    SAID(clCreateFromGLBuffer(NULL, 0, 0, NULL),
         "clCreateFromGLBuffer: CL_INVALID_OPERATION: ");
}

/* A callback may call others in the middle of a call. */
static void CL_CALLBACK built(cl_program p, void *data)
{
    (void)data;
    clRetainProgram(p);
    clReleaseProgram(p);
}

TEST(a_build_is_told_from_its_first_error_on)
{
    const char *text = "kernel void f(global int *a) { a[0] == 1; a[0] = b; }";
    rig r = rig_open(0);
    cl_program p = clCreateProgramWithSource(r.context, 1, &text, NULL, NULL);

    SAID(clBuildProgram(p, 0, NULL, "", built, NULL),
         "clBuildProgram: CL_BUILD_PROGRAM_FAILURE: <source>:1:");
    SAID(clBuildProgram(p, 0, NULL, "", NULL, NULL),
         "error: use of undeclared identifier 'b'\n");
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}

/* That it is not the warning before it, which the log has. */
TEST(warnings_before_the_error_are_left_out)
{
    const char *text = "kernel void f(global int *a) { a[0] == 1; a[0] = b; }";
    rig r = rig_open(0);
    cl_program p = clCreateProgramWithSource(r.context, 1, &text, NULL, NULL);
    char log[4096];
    capture c;

    setenv("HEDDLE_LOG", "1", 1);
    capture_begin(&c, stderr);
    CHECK_EQ(clBuildProgram(p, 0, NULL, "", NULL, NULL),
             CL_BUILD_PROGRAM_FAILURE);
    const char *said = capture_end(&c);
    unsetenv("HEDDLE_LOG");
    CHECK(strstr(said, "error:") && !strstr(said, "warning: "));
    CHECK_EQ(clGetProgramBuildInfo(p, r.devices[0], CL_PROGRAM_BUILD_LOG,
                                   sizeof log, log, NULL),
             CL_SUCCESS);
    CHECK(strstr(log, "warning: "));
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}
