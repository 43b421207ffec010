/* tests/opencl/test_marker.c - markers, barriers, migration, functions of the
 * program. */
#include "rig.h"

static const cl_command_queue_properties FREE =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

TEST(markers_check_their_arguments)
{
    rig r = rig_open(0);
    cl_context one = clCreateContext(NULL, 1, r.devices, NULL, NULL, NULL);
    cl_event none = NULL, other = clCreateUserEvent(one, NULL), e;

    CHECK_EQ(clEnqueueMarker(NULL, &e), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueMarker(r.queue, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueBarrier(NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueWaitForEvents(NULL, 1, &other), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueWaitForEvents(r.queue, 0, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueWaitForEvents(r.queue, 1, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueWaitForEvents(r.queue, 1, &none), CL_INVALID_EVENT);
    CHECK_EQ(clEnqueueWaitForEvents(r.queue, 1, &other), CL_INVALID_CONTEXT);
    CHECK_EQ(clEnqueueMarkerWithWaitList(NULL, 0, NULL, NULL),
             CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueMarkerWithWaitList(r.queue, 1, &none, NULL),
             CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueBarrierWithWaitList(r.queue, 1, &other, NULL),
             CL_INVALID_CONTEXT);
    CHECK_EQ(clEnqueueBarrierWithWaitList(r.queue, 1, NULL, NULL),
             CL_INVALID_EVENT_WAIT_LIST);
    clReleaseEvent(other);
    clReleaseContext(one);
    rig_close(&r);
}

/* a waits for a user event, then what `put` enqueues, then b: what has run of
 * both when b was asked for and when the event is set. */
static void between(cl_int (*put)(rig *r, cl_event *a, cl_event *e),
                    const char *before, bool ended)
{
    rig r = rig_open(FREE);
    cl_event user = clCreateUserEvent(r.context, NULL), a, b, e = NULL;
    rig_log log = {0};

    rig_enqueue(
        r.queue,
        (rig_what){.log = &log, .name = 'a', .wait_count = 1, .waits = &user},
        &a);
    CHECK_EQ(put(&r, &a, &e), CL_SUCCESS);
    rig_enqueue(r.queue, (rig_what){.log = &log, .name = 'b'}, &b);
    rig_status(b);
    CHECK_STR(log.text, before);
    if (e)
        CHECK_EQ(rig_status(e) == CL_COMPLETE, ended);
    clSetUserEventStatus(user, CL_COMPLETE);
    CHECK_EQ(clFinish(r.queue), CL_SUCCESS);
    CHECK_EQ(log.used, 2);
    if (e) {
        CHECK_EQ(rig_status(e), CL_COMPLETE);
        clReleaseEvent(e);
    }
    clReleaseEvent(a);
    clReleaseEvent(b);
    clReleaseEvent(user);
    rig_close(&r);
}

static cl_int put_marker(rig *r, cl_event *a, cl_event *e)
{
    (void)a;
    return clEnqueueMarker(r->queue, e);
}

static cl_int put_barrier(rig *r, cl_event *a, cl_event *e)
{
    (void)a;
    return clEnqueueBarrierWithWaitList(r->queue, 0, NULL, e);
}

static cl_int put_old_barrier(rig *r, cl_event *a, cl_event *e)
{
    (void)a, (void)e;
    return clEnqueueBarrier(r->queue);
}

static cl_int put_wait(rig *r, cl_event *a, cl_event *e)
{
    (void)e;
    return clEnqueueWaitForEvents(r->queue, 1, a);
}

static cl_int put_listed_barrier(rig *r, cl_event *a, cl_event *e)
{
    cl_event done = clCreateUserEvent(r->context, NULL);
    cl_int err;

    (void)a;
    clSetUserEventStatus(done, CL_COMPLETE);
    err = clEnqueueBarrierWithWaitList(r->queue, 1, &done, e);
    clReleaseEvent(done);
    return err;
}

TEST(a_marker_waits_but_holds_up_nothing) { between(put_marker, "b", false); }
TEST(a_barrier_waits_for_all_and_holds_up) { between(put_barrier, "", false); }
TEST(an_old_barrier_holds_up) { between(put_old_barrier, "", false); }
TEST(waiting_for_events_holds_up) { between(put_wait, "", false); }
TEST(a_barrier_with_a_list_waits_for_that_alone)
{
    between(put_listed_barrier, "b", true);
}

TEST(migration_checks_its_arguments)
{
    rig r = rig_open(0);
    cl_mem none = NULL;

    CHECK_EQ(clEnqueueMigrateMemObjects(NULL, 1, &none, 0, 0, NULL, NULL),
             CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueMigrateMemObjects(r.queue, 0, NULL, 0, 0, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueMigrateMemObjects(r.queue, 1, NULL, 0, 0, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(
        clEnqueueMigrateMemObjects(r.queue, 1, &none, 1u << 9, 0, NULL, NULL),
        CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueMigrateMemObjects(r.queue, 1, &none, 0, 0, NULL, NULL),
             CL_INVALID_MEM_OBJECT);
    rig_close(&r);
}

typedef struct native_args {
    int *sum;
    int add;
} native_args;

static void CL_CALLBACK native(void *data)
{
    native_args *a = data;

    *a->sum += a->add;
}

TEST(functions_of_the_program_run_with_copies_of_their_arguments)
{
    rig r = rig_open(0);
    int sum = 1;
    native_args a = {&sum, 10};
    const void *place = &a.sum;
    cl_mem none = NULL;
    cl_event e;

    CHECK_EQ(clEnqueueNativeKernel(r.queue, native, &a, sizeof a, 0, NULL, NULL,
                                   0, NULL, &e),
             CL_SUCCESS);
    a.add = 1000;
    CHECK_EQ(clWaitForEvents(1, &e), CL_SUCCESS);
    CHECK_EQ(sum, 11);
    clReleaseEvent(e);
    CHECK_EQ(clEnqueueNativeKernel(NULL, native, &a, sizeof a, 0, NULL, NULL, 0,
                                   NULL, NULL),
             CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueNativeKernel(r.queue, NULL, &a, sizeof a, 0, NULL, NULL,
                                   0, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueNativeKernel(r.queue, native, NULL, sizeof a, 0, NULL,
                                   NULL, 0, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueNativeKernel(r.queue, native, &a, 0, 0, NULL, NULL, 0,
                                   NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueNativeKernel(r.queue, native, NULL, 0, 1, &none, &place,
                                   0, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueNativeKernel(r.queue, native, &a, sizeof a, 1, NULL,
                                   &place, 0, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueNativeKernel(r.queue, native, &a, sizeof a, 1, &none,
                                   NULL, 0, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueNativeKernel(r.queue, native, &a, sizeof a, 0, &none,
                                   &place, 0, NULL, NULL),
             CL_INVALID_VALUE);
    cl_mem wrong = (cl_mem)r.queue;
    CHECK_EQ(clEnqueueNativeKernel(r.queue, native, &a, sizeof a, 1, &wrong,
                                   &place, 0, NULL, NULL),
             CL_INVALID_MEM_OBJECT);
    CHECK_EQ(sum, 11);
    rig_close(&r);
}
