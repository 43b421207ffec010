/* tests/opencl/test_queue.c - command queues: what they check and in which
 * order commands run. */
#include "rig.h"

enum {
    ORDERED = CL_QUEUE_PROFILING_ENABLE,
    FREE = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
};

TEST(creation_checks_its_arguments)
{
    rig r = rig_open(0);
    cl_context one = clCreateContext(NULL, 1, r.devices, NULL, NULL, NULL);
    cl_int err;

    CHECK(!clCreateCommandQueue(NULL, r.devices[0], 0, &err));
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    CHECK(!clCreateCommandQueue((cl_context)r.queue, r.devices[0], 0, &err));
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    CHECK(!clCreateCommandQueue(r.context, NULL, 0, &err));
    CHECK_EQ(err, CL_INVALID_DEVICE);
    CHECK(!clCreateCommandQueue(one, r.devices[1], 0, &err));
    CHECK_EQ(err, CL_INVALID_DEVICE);
    CHECK(!clCreateCommandQueue(one, r.devices[0], 1u << 20, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(!clCreateCommandQueue(one, r.devices[0], CL_QUEUE_ON_DEVICE, &err));
    CHECK_EQ(err, CL_INVALID_QUEUE_PROPERTIES);
    CHECK(!clCreateCommandQueue(NULL, r.devices[0], 0, NULL));
    clReleaseContext(one);
    rig_close(&r);
}

static cl_int properties_give(rig *r, const cl_queue_properties *list)
{
    cl_int err;
    cl_command_queue q = clCreateCommandQueueWithProperties(
        r->context, r->devices[0], list, &err);

    CHECK_EQ(!q, err != CL_SUCCESS);
    if (q)
        CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    return err;
}

TEST(property_lists_are_checked)
{
    rig r = rig_open(0);
    cl_queue_properties none[] = {0}, odd[] = {0x7777, 0, 0},
                        good[] = {CL_QUEUE_PROPERTIES, FREE, 0},
                        twice[] = {CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PROPERTIES,
                                   0, 0},
                        size[] = {CL_QUEUE_SIZE, 1024, 0},
                        bits[] = {CL_QUEUE_PROPERTIES, 1u << 30, 0},
                        device[] = {CL_QUEUE_PROPERTIES,
                                    CL_QUEUE_ON_DEVICE |
                                        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                    CL_QUEUE_SIZE, 1024, 0};

    CHECK_EQ(properties_give(&r, NULL), CL_SUCCESS);
    CHECK_EQ(properties_give(&r, none), CL_SUCCESS);
    CHECK_EQ(properties_give(&r, good), CL_SUCCESS);
    CHECK_EQ(properties_give(&r, odd), CL_INVALID_VALUE);
    CHECK_EQ(properties_give(&r, twice), CL_INVALID_VALUE);
    CHECK_EQ(properties_give(&r, size), CL_INVALID_VALUE);
    CHECK_EQ(properties_give(&r, bits), CL_INVALID_VALUE);
    CHECK_EQ(properties_give(&r, device), CL_INVALID_QUEUE_PROPERTIES);
    rig_close(&r);
}

TEST(queues_tell_about_themselves)
{
    rig r = rig_open(FREE);
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, ORDERED, 0}, got[4];
    cl_command_queue q =
        clCreateCommandQueueWithProperties(r.context, r.devices[1], list, NULL);
    cl_command_queue_properties flags;
    cl_context context;
    cl_device_id device;
    cl_uint refs;
    size_t size;

    CHECK_EQ(clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, sizeof context,
                                   &context, &size),
             CL_SUCCESS);
    CHECK(context == r.context && size == sizeof context);
    CHECK_EQ(
        clGetCommandQueueInfo(q, CL_QUEUE_DEVICE, sizeof device, &device, NULL),
        CL_SUCCESS);
    CHECK(device == r.devices[1]);
    clRetainCommandQueue(q);
    CHECK_EQ(clGetCommandQueueInfo(q, CL_QUEUE_REFERENCE_COUNT, sizeof refs,
                                   &refs, NULL),
             CL_SUCCESS);
    CHECK_EQ(refs, 2);
    clReleaseCommandQueue(q);
    CHECK_EQ(clGetCommandQueueInfo(r.queue, CL_QUEUE_PROPERTIES, sizeof flags,
                                   &flags, NULL),
             CL_SUCCESS);
    CHECK_EQ(flags, FREE);
    CHECK_EQ(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES_ARRAY, sizeof got,
                                   got, &size),
             CL_SUCCESS);
    CHECK_EQ(size, sizeof list);
    CHECK(!memcmp(got, list, size));
    CHECK_EQ(clGetCommandQueueInfo(r.queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL,
                                   &size),
             CL_SUCCESS);
    CHECK_EQ(size, 0);
    CHECK_EQ(clGetCommandQueueInfo(q, CL_QUEUE_SIZE, sizeof refs, &refs, NULL),
             CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clGetCommandQueueInfo(q, 0, sizeof refs, &refs, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, 1, &context, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clGetCommandQueueInfo(NULL, CL_QUEUE_CONTEXT, 8, &context, NULL),
             CL_INVALID_COMMAND_QUEUE);
    clReleaseCommandQueue(q);
    rig_close(&r);
}

TEST(a_released_queue_is_none_but_runs_what_was_in_it)
{
    rig r = rig_open(0);
    cl_command_queue q = clCreateCommandQueue(r.context, r.devices[0], 0, NULL);
    rig_log log = {0};
    cl_event e;

    CHECK_EQ(rig_enqueue(q, (rig_what){.log = &log, .name = 'a'}, NULL),
             CL_SUCCESS);
    CHECK_EQ(rig_enqueue(q, (rig_what){.log = &log, .name = 'b'}, &e),
             CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_SUCCESS);
    CHECK_STR(log.text, "ab");
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(q), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clRetainCommandQueue(q), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clFlush(q), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clFinish(q), CL_INVALID_COMMAND_QUEUE);
    rig_close(&r);
}

TEST(a_wait_runs_what_it_waits_for)
{
    rig r = rig_open(0);
    cl_command_queue other =
        clCreateCommandQueue(r.context, r.devices[1], FREE, NULL);
    rig_log log = {0};

    rig_enqueue(r.queue, (rig_what){.log = &log, .name = 'a'}, NULL);
    rig_enqueue(other, (rig_what){.log = &log, .name = 'b'}, NULL);
    rig_enqueue(r.queue, (rig_what){.log = &log, .name = 'c'}, NULL);
    rig_enqueue(other, (rig_what){.log = &log, .name = 'd'}, NULL);
    CHECK_EQ(clFinish(other), CL_SUCCESS);
    CHECK_STR(log.text, "bd");
    CHECK_EQ(clFinish(r.queue), CL_SUCCESS);
    CHECK_STR(log.text, "bdac");
    clReleaseCommandQueue(other);
    rig_close(&r);
}

/* Enqueues a, blocked by a user event, and b behind it; what ran when the
 * queue was asked to run b, if it can. */
static void blocked_first(cl_command_queue_properties flags, const char *before,
                          const char *after)
{
    rig r = rig_open(flags);
    cl_event user = clCreateUserEvent(r.context, NULL), b;
    rig_log log = {0};

    rig_enqueue(
        r.queue,
        (rig_what){.log = &log, .name = 'a', .wait_count = 1, .waits = &user},
        NULL);
    rig_enqueue(r.queue, (rig_what){.log = &log, .name = 'b'}, &b);
    rig_status(b);
    CHECK_STR(log.text, before);
    CHECK_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clFinish(r.queue), CL_SUCCESS);
    CHECK_STR(log.text, after);
    clReleaseEvent(user);
    clReleaseEvent(b);
    rig_close(&r);
}

TEST(in_order_queues_keep_their_order) { blocked_first(ORDERED, "", "ab"); }
TEST(others_overtake_what_is_blocked) { blocked_first(FREE, "b", "ba"); }

TEST(order_can_be_set_afterwards)
{
    rig r = rig_open(0);
    cl_command_queue_properties old;

    CHECK_EQ(clSetCommandQueueProperty(
                 r.queue, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 1, &old),
             CL_SUCCESS);
    CHECK_EQ(old, 0);
    CHECK_EQ(
        clSetCommandQueueProperty(r.queue, CL_QUEUE_PROFILING_ENABLE, 1, &old),
        CL_SUCCESS);
    CHECK_EQ(old, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    CHECK_EQ(clSetCommandQueueProperty(r.queue, FREE, 0, &old), CL_SUCCESS);
    CHECK_EQ(old, FREE);
    CHECK_EQ(clSetCommandQueueProperty(r.queue, 1u << 20, 1, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clSetCommandQueueProperty(NULL, 0, 1, NULL),
             CL_INVALID_COMMAND_QUEUE);
    rig_close(&r);
}

TEST(a_failed_command_is_told_once_by_the_next_wait)
{
    rig r = rig_open(0);

    rig_enqueue(r.queue, (rig_what){.result = CL_OUT_OF_RESOURCES}, NULL);
    CHECK_EQ(clFinish(r.queue), CL_OUT_OF_RESOURCES);
    CHECK_EQ(clFinish(r.queue), CL_SUCCESS);
    rig_enqueue(r.queue, (rig_what){.result = CL_OUT_OF_RESOURCES}, NULL);
    CHECK_EQ(rig_enqueue(r.queue, (rig_what){.blocking = true}, NULL),
             CL_OUT_OF_RESOURCES);
    CHECK_EQ(rig_enqueue(r.queue, (rig_what){.blocking = true}, NULL),
             CL_SUCCESS);
    CHECK_EQ(rig_enqueue(
                 r.queue,
                 (rig_what){.blocking = true, .result = CL_OUT_OF_HOST_MEMORY},
                 NULL),
             CL_OUT_OF_HOST_MEMORY);
    CHECK_EQ(clFinish(r.queue), CL_SUCCESS);
    rig_close(&r);
}
