/* tests/opencl/test_time.c - simulated time: when commands begin and end, and
 * what the program sees of it. */
#include "driver/host_link.h"
#include "rig.h"

enum {
    ORDERED = CL_QUEUE_PROFILING_ENABLE,
    FREE = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    QUEUED = CL_PROFILING_COMMAND_QUEUED,
    SUBMIT = CL_PROFILING_COMMAND_SUBMIT,
    START = CL_PROFILING_COMMAND_START,
    END = CL_PROFILING_COMMAND_END,
};

static uint64_t now(void)
{
    OCL_LOCK();
    return drv.host_ns;
}

/* Both devices are idle from now on. */
static uint64_t settle(rig *r)
{
    cl_ulong device = 0;

    for (int i = 0; i < 2; i++) {
        OCL_LOCK();
        if (device < r->devices[i]->is->now_ns)
            device = r->devices[i]->is->now_ns;
        for (int k = 0; k < DRV_ENGINES; k++)
            if (device < r->devices[i]->is->engine_ns[k])
                device = r->devices[i]->is->engine_ns[k];
        if (drv.host_ns < device)
            drv.host_ns = device;
    }
    return now();
}

TEST(profiling_checks_its_arguments)
{
    rig r = rig_open(0);
    cl_command_queue q =
        clCreateCommandQueue(r.context, r.devices[0], ORDERED, NULL);
    cl_event e, quiet, failed, pending, user;
    cl_ulong ns;

    user = clCreateUserEvent(r.context, NULL);
    rig_enqueue(q, (rig_what){.ns = 5}, &e);
    rig_enqueue(q, (rig_what){.result = CL_OUT_OF_RESOURCES}, &failed);
    rig_enqueue(r.queue, (rig_what){.ns = 5}, &quiet);
    CHECK_EQ(clFinish(q), CL_OUT_OF_RESOURCES);
    rig_enqueue(q, (rig_what){.wait_count = 1, .waits = &user}, &pending);
    CHECK_EQ(clGetEventProfilingInfo(e, START, sizeof ns, &ns, NULL),
             CL_SUCCESS);
    CHECK_EQ(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_COMPLETE,
                                     sizeof ns, &ns, NULL),
             CL_SUCCESS);
    CHECK_EQ(clGetEventProfilingInfo(e, 0, sizeof ns, &ns, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clGetEventProfilingInfo(e, START, 4, &ns, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetEventProfilingInfo(NULL, START, 8, &ns, NULL),
             CL_INVALID_EVENT);
    CHECK_EQ(clGetEventProfilingInfo(quiet, START, 8, &ns, NULL),
             CL_PROFILING_INFO_NOT_AVAILABLE);
    CHECK_EQ(clGetEventProfilingInfo(failed, START, 8, &ns, NULL),
             CL_PROFILING_INFO_NOT_AVAILABLE);
    CHECK_EQ(clGetEventProfilingInfo(pending, START, 8, &ns, NULL),
             CL_PROFILING_INFO_NOT_AVAILABLE);
    CHECK_EQ(clGetEventProfilingInfo(user, START, 8, &ns, NULL),
             CL_PROFILING_INFO_NOT_AVAILABLE);
    clSetUserEventStatus(user, CL_COMPLETE);
    CHECK_EQ(clFinish(q), CL_SUCCESS);
    clReleaseEvent(e);
    clReleaseEvent(quiet);
    clReleaseEvent(failed);
    clReleaseEvent(pending);
    clReleaseEvent(user);
    clReleaseCommandQueue(q);
    rig_close(&r);
}

TEST(the_program_sees_time_when_it_waits)
{
    rig r = rig_open(ORDERED);
    uint64_t t = settle(&r);
    cl_event a, b, c;

    rig_enqueue(r.queue, (rig_what){.ns = 100}, &a);
    rig_enqueue(r.queue, (rig_what){.ns = 30}, &b);
    clFlush(r.queue);
    CHECK_EQ(now(), t);
    CHECK_EQ(clWaitForEvents(1, &a), CL_SUCCESS);
    CHECK_EQ(now(), t + 100);
    CHECK_EQ(clFinish(r.queue), CL_SUCCESS);
    CHECK_EQ(now(), t + 130);
    rig_enqueue(r.queue, (rig_what){.ns = 1, .blocking = true}, &c);
    CHECK_EQ(now(), t + 131);
    CHECK_EQ(rig_time(a, QUEUED), t);
    CHECK_EQ(rig_time(a, SUBMIT), t);
    CHECK_EQ(rig_time(a, START), t);
    CHECK_EQ(rig_time(a, END), t + 100);
    CHECK_EQ(rig_time(b, QUEUED), t);
    CHECK_EQ(rig_time(b, START), t + 100);
    CHECK_EQ(rig_time(c, QUEUED), t + 130);
    CHECK_EQ(rig_time(c, END), t + 131);
    clReleaseEvent(a);
    clReleaseEvent(b);
    clReleaseEvent(c);
    rig_close(&r);
}

TEST(devices_work_side_by_side_queues_of_one_do_not)
{
    rig r = rig_open(ORDERED);
    cl_command_queue same, other;
    uint64_t t = settle(&r);
    cl_event e[3];

    same = clCreateCommandQueue(r.context, r.devices[0], ORDERED, NULL);
    other = clCreateCommandQueue(r.context, r.devices[1], ORDERED, NULL);
    rig_enqueue(r.queue, (rig_what){.ns = 50}, &e[0]);
    rig_enqueue(same, (rig_what){.ns = 20}, &e[1]);
    rig_enqueue(other, (rig_what){.ns = 20}, &e[2]);
    CHECK_EQ(clWaitForEvents(3, e), CL_SUCCESS);
    CHECK_EQ(rig_time(e[1], START), t + 50);
    CHECK_EQ(rig_time(e[2], START), t);
    CHECK_EQ(now(), t + 70);
    for (int i = 0; i < 3; i++)
        clReleaseEvent(e[i]);
    clReleaseCommandQueue(same);
    clReleaseCommandQueue(other);
    rig_close(&r);
}

TEST(wait_lists_and_user_events_hold_up_time)
{
    rig r = rig_open(FREE);
    cl_command_queue other =
        clCreateCommandQueue(r.context, r.devices[1], FREE, NULL);
    cl_event user = clCreateUserEvent(r.context, NULL), a, b, c;
    uint64_t t = settle(&r);

    rig_enqueue(r.queue, (rig_what){.ns = 50}, &a);
    rig_enqueue(other, (rig_what){.ns = 10, .wait_count = 1, .waits = &a}, &b);
    rig_enqueue(other, (rig_what){.ns = 10, .wait_count = 1, .waits = &user},
                &c);
    CHECK_EQ(clWaitForEvents(1, &b), CL_SUCCESS);
    CHECK_EQ(rig_time(b, START), t + 50);
    CHECK_EQ(now(), t + 60);
    clSetUserEventStatus(user, CL_COMPLETE);
    CHECK_EQ(clWaitForEvents(1, &c), CL_SUCCESS);
    CHECK_EQ(rig_time(c, START), t + 60);
    clReleaseEvent(a);
    clReleaseEvent(b);
    clReleaseEvent(c);
    clReleaseEvent(user);
    clReleaseCommandQueue(other);
    rig_close(&r);
}

TEST(what_takes_no_time_needs_no_device)
{
    rig r = rig_open(ORDERED);
    cl_command_queue same =
        clCreateCommandQueue(r.context, r.devices[0], ORDERED, NULL);
    uint64_t t = settle(&r);
    cl_event a, marker;

    rig_enqueue(r.queue, (rig_what){.ns = 50}, &a);
    CHECK_EQ(clEnqueueMarkerWithWaitList(same, 0, NULL, &marker), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &marker), CL_SUCCESS);
    CHECK_EQ(rig_time(marker, START), t);
    CHECK_EQ(rig_time(marker, END), t);
    CHECK_EQ(clFinish(r.queue), CL_SUCCESS);
    clReleaseEvent(a);
    clReleaseEvent(marker);
    clReleaseCommandQueue(same);
    rig_close(&r);
}

TEST(transfers_take_what_the_link_says)
{
    rig r = rig_open(0);

    /* 12 and 6 bytes a nanosecond after 10 microseconds. */
    CHECK_EQ(drv_link_ns(r.devices[0]->is, 0), 10000);
    CHECK_EQ(drv_link_ns(r.devices[0]->is, 1), 10001);
    CHECK_EQ(drv_link_ns(r.devices[0]->is, 12), 10001);
    CHECK_EQ(drv_link_ns(r.devices[0]->is, (uint64_t)12 << 30),
             10000 + ((uint64_t)1 << 30));
    CHECK_EQ(drv_link_ns(r.devices[1]->is, 13), 10003);
    rig_close(&r);
}
