/* tests/opencl/test_ndrange.c - ranges of work: checks, shapes, what kernels
 * see. */
#include "ptx.h"

#include "driver/kernel_command.h"

typedef struct job {
    rig r;
    cl_program p;
    cl_kernel k;
    cl_mem m;
} job;

static job job_open(void)
{
    job j = {.r = rig_open(0)};
    const cl_uint zero = 0;
    cl_int n = 7, err;

    j.p = ptx_built(&j.r);
    j.k = ptx_kernel(j.p, "f");
    j.m = clCreateBuffer(j.r.context, 0, 4096, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(
        clEnqueueFillBuffer(j.r.queue, j.m, &zero, 4, 0, 4096, 0, NULL, NULL),
        CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(j.k, 0, sizeof j.m, &j.m), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(j.k, 1, 64, NULL), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(j.k, 2, sizeof n, &n), CL_SUCCESS);
    return j;
}

static void job_close(job *j)
{
    CHECK_EQ(clFinish(j->r.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(j->m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(j->k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(j->p), CL_SUCCESS);
    rig_close(&j->r);
}

static cl_int run(const job *j, cl_uint dims, const size_t *offset,
                  const size_t *global, const size_t *local)
{
    return clEnqueueNDRangeKernel(j->r.queue, j->k, dims, offset, global, local,
                                  0, NULL, NULL);
}

/* The words that are 7, as a range "first-last", "" if there are none. */
static const char *touched(const job *j)
{
    static char text[32];
    cl_uint words[1024];
    int first = -1, last = -1, n = 0;

    CHECK_EQ(clEnqueueReadBuffer(j->r.queue, j->m, CL_TRUE, 0, sizeof words,
                                 words, 0, NULL, NULL),
             CL_SUCCESS);
    for (int i = 0; i < 1024; i++) {
        CHECK(words[i] == 0 || words[i] == 7);
        if (words[i] != 7)
            continue;
        first = first < 0 ? i : first;
        last = i;
        n++;
    }
    text[0] = 0;
    if (n) {
        CHECK_EQ(n, last - first + 1);
        snprintf(text, sizeof text, "%d-%d", first, last);
    }
    return text;
}

TEST(every_item_runs_once)
{
    const size_t global = 96, local = 32, offset = 100;
    job j = job_open();

    CHECK_EQ(run(&j, 1, NULL, &global, &local), CL_SUCCESS);
    CHECK_STR(touched(&j), "16-111"); /* one dimension: 16 further */
    job_close(&j);
    j = job_open();
    CHECK_EQ(run(&j, 1, &offset, &global, NULL), CL_SUCCESS);
    CHECK_STR(touched(&j), "116-211");
    job_close(&j);
}

TEST(dimensions_beyond_those_given_are_one)
{
    const size_t global[3] = {64, 1, 1};
    job j = job_open();

    CHECK_EQ(run(&j, 3, NULL, global, NULL), CL_SUCCESS);
    CHECK_STR(touched(&j), "48-111");
    job_close(&j);
}

TEST(a_task_is_one_item)
{
    job j = job_open();
    cl_event e;
    cl_command_type type;

    CHECK_EQ(clEnqueueTask(j.r.queue, j.k, 0, NULL, &e), CL_SUCCESS);
    CHECK_STR(touched(&j), "16-16");
    CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL),
             CL_SUCCESS);
    CHECK_EQ(type, CL_COMMAND_TASK);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    job_close(&j);
}

TEST(nothing_to_do_is_a_command_too)
{
    const size_t global[2] = {64, 0};
    job j = job_open();
    cl_event e;

    CHECK_EQ(clEnqueueNDRangeKernel(j.r.queue, j.k, 2, NULL, global, NULL, 0,
                                    NULL, &e),
             CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_SUCCESS);
    CHECK_STR(touched(&j), "");
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(run(&j, 1, NULL, NULL, NULL), CL_SUCCESS);
    job_close(&j);
}

TEST(arguments_of_the_call_are_checked)
{
    const size_t one = 1, global = 96, many = 2048, odd = 36, wide = 100;
    const size_t huge = (size_t)1 << 33, end = UINT32_MAX, zero = 0;
    const size_t cube[3] = {128, 16, 2};
    job j = job_open();
    cl_event bad = (cl_event)j.k;

    CHECK_EQ(
        clEnqueueNDRangeKernel(NULL, j.k, 1, NULL, &one, NULL, 0, NULL, NULL),
        CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueNDRangeKernel(j.r.queue, NULL, 1, NULL, &one, NULL, 0,
                                    NULL, NULL),
             CL_INVALID_KERNEL);
    CHECK_EQ(run(&j, 0, NULL, &one, NULL), CL_INVALID_WORK_DIMENSION);
    CHECK_EQ(run(&j, 4, NULL, &one, NULL), CL_INVALID_WORK_DIMENSION);
    CHECK_EQ(run(&j, 1, NULL, &huge, NULL), CL_INVALID_GLOBAL_WORK_SIZE);
    CHECK_EQ(run(&j, 1, &end, &global, NULL), CL_INVALID_GLOBAL_OFFSET);
    CHECK_EQ(run(&j, 1, NULL, &many, &many), CL_INVALID_WORK_ITEM_SIZE);
    CHECK_EQ(run(&j, 3, NULL, cube, cube), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(run(&j, 1, NULL, &wide, &odd), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(run(&j, 1, NULL, &global, &zero), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(clEnqueueNDRangeKernel(j.r.queue, j.k, 1, NULL, &one, NULL, 1,
                                    &bad, NULL),
             CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueNDRangeKernel(j.r.queue, j.k, 1, NULL, &one, NULL, 1,
                                    NULL, NULL),
             CL_INVALID_EVENT_WAIT_LIST);
    CHECK_STR(touched(&j), "");
    job_close(&j);
}

TEST(kernels_are_checked)
{
    const size_t one = 1;
    rig other = rig_open(0);
    job j = job_open();
    cl_kernel k = ptx_kernel(j.p, "f");

    CHECK_EQ(clEnqueueNDRangeKernel(j.r.queue, k, 1, NULL, &one, NULL, 0, NULL,
                                    NULL),
             CL_INVALID_KERNEL_ARGS);
    CHECK_EQ(clEnqueueNDRangeKernel(other.queue, j.k, 1, NULL, &one, NULL, 0,
                                    NULL, NULL),
             CL_INVALID_CONTEXT);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(j.k, 1, 1 << 20, NULL), CL_SUCCESS);
    CHECK_EQ(run(&j, 1, NULL, &one, NULL), CL_OUT_OF_RESOURCES);
    CHECK_EQ(clReleaseCommandQueue(other.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(other.context), CL_SUCCESS);
    job_close(&j);
}

TEST(an_argument_that_was_released)
{
    const size_t one = 1;
    job j = job_open();
    cl_mem m = clCreateBuffer(j.r.context, 0, 64, NULL, NULL);

    CHECK_EQ(clSetKernelArg(j.k, 0, sizeof m, &m), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(run(&j, 1, NULL, &one, NULL), CL_INVALID_KERNEL_ARGS);
    job_close(&j);
}

TEST(a_program_that_is_not_built_for_the_device)
{
    const size_t one = 1;
    rig r = rig_open(0);
    cl_program p = ptx_program(&r, ptx_text);
    cl_int err;

    CHECK_EQ(clBuildProgram(p, 1, &r.devices[1], NULL, NULL, NULL), CL_SUCCESS);
    cl_kernel k = clCreateKernel(p, "shaped", &err);
    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(
        clEnqueueNDRangeKernel(r.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL),
        CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    rig_close(&r);
}

TEST(a_required_size_is_kept)
{
    const size_t global[3] = {16, 8, 2}, good[3] = {8, 4, 1};
    const size_t bad[3] = {4, 8, 1};
    job j = job_open();

    CHECK_EQ(clReleaseKernel(j.k), CL_SUCCESS);
    j.k = ptx_kernel(j.p, "shaped");
    CHECK_EQ(run(&j, 3, NULL, global, good), CL_SUCCESS);
    CHECK_EQ(run(&j, 3, NULL, global, NULL), CL_SUCCESS);
    CHECK_EQ(run(&j, 3, NULL, global, bad), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(run(&j, 2, NULL, global, bad), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(run(&j, 1, NULL, &bad[0], NULL), CL_INVALID_WORK_GROUP_SIZE);
    job_close(&j);
}

TEST(smaller_groups_at_the_end_are_for_later_versions)
{
    const size_t global = 100, local = 32;
    job j = job_open();

    CHECK_EQ(run(&j, 1, NULL, &global, &local), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(clReleaseKernel(j.k), CL_SUCCESS);
    CHECK_EQ(clBuildProgram(j.p, 0, NULL, "-cl-std=CL3.0", NULL, NULL),
             CL_SUCCESS);
    j.k = ptx_kernel(j.p, "f");
    cl_int n = 7;
    CHECK_EQ(clSetKernelArg(j.k, 0, sizeof j.m, &j.m), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(j.k, 1, 64, NULL), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(j.k, 2, sizeof n, &n), CL_SUCCESS);
    CHECK_EQ(run(&j, 1, NULL, &global, &local), CL_SUCCESS);
    CHECK_EQ(clFinish(j.r.queue), CL_SUCCESS);
    job_close(&j);
}

/* A kernel may be changed and released while its launches wait. */
TEST(a_launch_keeps_its_arguments)
{
    const size_t one = 1;
    job j = job_open();
    cl_int err, n = 9;
    cl_event gate = clCreateUserEvent(j.r.context, &err), done;

    CHECK_EQ(clEnqueueNDRangeKernel(j.r.queue, j.k, 1, NULL, &one, NULL, 1,
                                    &gate, &done),
             CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(j.k, 2, sizeof n, &n), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(j.k, 0, sizeof j.m, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(j.k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(j.p), CL_SUCCESS);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &done), CL_SUCCESS);
    CHECK_STR(touched(&j), "16-16");
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(done), CL_SUCCESS);
    CHECK_EQ(clFinish(j.r.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(j.m), CL_SUCCESS);
    rig_close(&j.r);
}
