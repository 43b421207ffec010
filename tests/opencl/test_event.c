/* tests/opencl/test_event.c - events: what they check, states, waiting,
 * failures that spread, callbacks. */
#include <unistd.h>

#include "rig.h"

TEST(events_tell_about_themselves)
{
    rig r = rig_open(0);
    cl_event e, user = clCreateUserEvent(r.context, NULL);
    cl_command_queue q;
    cl_context context;
    cl_command_type type;
    cl_uint refs;
    size_t size;

    rig_enqueue(r.queue, (rig_what){.ns = 1}, &e);
    CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof q, &q, &size),
             CL_SUCCESS);
    CHECK(q == r.queue && size == sizeof q);
    CHECK_EQ(clGetEventInfo(user, CL_EVENT_COMMAND_QUEUE, sizeof q, &q, NULL),
             CL_SUCCESS);
    CHECK(!q);
    CHECK_EQ(
        clGetEventInfo(user, CL_EVENT_CONTEXT, sizeof context, &context, NULL),
        CL_SUCCESS);
    CHECK(context == r.context);
    CHECK_EQ(
        clGetEventInfo(user, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL),
        CL_SUCCESS);
    CHECK_EQ(type, CL_COMMAND_USER);
    CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL),
             CL_SUCCESS);
    CHECK_EQ(type, CL_COMMAND_FILL_BUFFER);
    CHECK_EQ(clRetainEvent(e), CL_SUCCESS);
    CHECK_EQ(
        clGetEventInfo(e, CL_EVENT_REFERENCE_COUNT, sizeof refs, &refs, NULL),
        CL_SUCCESS);
    CHECK_EQ(refs, 2);
    CHECK_EQ(clGetEventInfo(e, 0, sizeof refs, &refs, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetEventInfo(e, CL_EVENT_CONTEXT, 1, &context, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clGetEventInfo((cl_event)r.queue, CL_EVENT_CONTEXT, sizeof context,
                            &context, NULL),
             CL_INVALID_EVENT);
    clReleaseEvent(e);
    clReleaseEvent(e);
    CHECK_EQ(clReleaseEvent(user), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(user), CL_INVALID_EVENT);
    CHECK_EQ(clRetainEvent(user), CL_INVALID_EVENT);
    rig_close(&r);
}

TEST(waiting_checks_its_events)
{
    rig r = rig_open(0);
    cl_context one = clCreateContext(NULL, 1, r.devices, NULL, NULL, NULL);
    cl_event e[2] = {clCreateUserEvent(r.context, NULL),
                     clCreateUserEvent(one, NULL)};
    cl_event bad[2] = {e[0], NULL};

    CHECK_EQ(clWaitForEvents(0, e), CL_INVALID_VALUE);
    CHECK_EQ(clWaitForEvents(1, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clWaitForEvents(2, bad), CL_INVALID_EVENT);
    CHECK_EQ(clWaitForEvents(2, e), CL_INVALID_CONTEXT);
    CHECK_EQ(
        rig_enqueue(r.queue, (rig_what){.wait_count = 2, .waits = bad}, NULL),
        CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(rig_enqueue(r.queue, (rig_what){.wait_count = 2}, NULL),
             CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(rig_enqueue(r.queue, (rig_what){.waits = e}, NULL),
             CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(
        rig_enqueue(r.queue, (rig_what){.wait_count = 2, .waits = e}, NULL),
        CL_INVALID_CONTEXT);
    clReleaseEvent(e[0]);
    clReleaseEvent(e[1]);
    clReleaseContext(one);
    rig_close(&r);
}

TEST(user_events_are_set_once)
{
    rig r = rig_open(0);
    cl_event user = clCreateUserEvent(r.context, NULL), e;
    cl_int err;

    CHECK(!clCreateUserEvent(NULL, &err));
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    rig_enqueue(r.queue, (rig_what){.ns = 1}, &e);
    CHECK_EQ(clSetUserEventStatus(e, CL_COMPLETE), CL_INVALID_EVENT);
    CHECK_EQ(clSetUserEventStatus(NULL, CL_COMPLETE), CL_INVALID_EVENT);
    CHECK_EQ(rig_status(user), CL_SUBMITTED);
    CHECK_EQ(clSetUserEventStatus(user, CL_RUNNING), CL_INVALID_VALUE);
    CHECK_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(rig_status(user), CL_COMPLETE);
    CHECK_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
    CHECK_EQ(clWaitForEvents(1, &user), CL_SUCCESS);
    clReleaseEvent(user);
    clReleaseEvent(e);
    rig_close(&r);
}

TEST(a_status_is_that_of_quick_commands)
{
    rig r = rig_open(0);
    cl_event user = clCreateUserEvent(r.context, NULL), a, b;

    rig_enqueue(r.queue, (rig_what){.ns = 1}, &a);
    rig_enqueue(r.queue, (rig_what){.wait_count = 1, .waits = &user}, &b);
    CHECK_EQ(rig_status(a), CL_COMPLETE);
    CHECK_EQ(rig_status(b), CL_QUEUED);
    clSetUserEventStatus(user, CL_COMPLETE);
    CHECK_EQ(rig_status(b), CL_COMPLETE);
    clReleaseEvent(a);
    clReleaseEvent(b);
    clReleaseEvent(user);
    rig_close(&r);
}

TEST(failures_spread_along_wait_lists_only)
{
    rig r = rig_open(0);
    cl_event user = clCreateUserEvent(r.context, NULL), a, b, c, d;
    rig_log log = {0};

    rig_enqueue(
        r.queue,
        (rig_what){.log = &log, .name = 'a', .wait_count = 1, .waits = &user},
        &a);
    rig_enqueue(
        r.queue,
        (rig_what){.log = &log, .name = 'b', .wait_count = 1, .waits = &a}, &b);
    rig_enqueue(r.queue, (rig_what){.log = &log, .name = 'c'}, &c);
    CHECK_EQ(clSetUserEventStatus(user, -77), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &b),
             CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(clWaitForEvents(1, &user),
             CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(clWaitForEvents(1, &c), CL_SUCCESS);
    CHECK_EQ(rig_status(user), -77);
    CHECK_EQ(rig_status(a), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(rig_status(b), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_STR(log.text, "c");
    CHECK_EQ(
        rig_enqueue(r.queue,
                    (rig_what){.blocking = true, .wait_count = 1, .waits = &a},
                    &d),
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(clFinish(r.queue), CL_SUCCESS); /* nothing went wrong by itself */
    clReleaseEvent(a);
    clReleaseEvent(b);
    clReleaseEvent(c);
    clReleaseEvent(d);
    clReleaseEvent(user);
    rig_close(&r);
}

TEST(what_is_released_lives_while_somebody_waits_for_it)
{
    rig r = rig_open(0);
    cl_event user = clCreateUserEvent(r.context, NULL);
    rig_log log = {0};

    clRetainEvent(user);
    rig_enqueue(
        r.queue,
        (rig_what){.log = &log, .name = 'a', .wait_count = 1, .waits = &user},
        NULL);
    CHECK_EQ(clReleaseEvent(user), CL_SUCCESS);
    CHECK_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(user), CL_SUCCESS);
    CHECK_EQ(clFinish(r.queue), CL_SUCCESS);
    CHECK_STR(log.text, "a");
    rig_close(&r);
}

/* ---- Callbacks ---- */

typedef struct calls {
    char text[64]; /* "S2 R1 C0 " */
    int count;
    cl_event event;
} calls;

static pthread_mutex_t calls_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct call {
    calls *to;
    char name;
} call;

static void CL_CALLBACK note(cl_event e, cl_int state, void *data)
{
    call *c = data;

    pthread_mutex_lock(&calls_lock);
    size_t used = strlen(c->to->text);
    snprintf(c->to->text + used, sizeof c->to->text - used, "%c%d ", c->name,
             (int)state);
    c->to->event = e;
    c->to->count++;
    pthread_mutex_unlock(&calls_lock);
}

static void await_calls(calls *c, int count)
{
    for (int ms = 0; ms < 5000; ms++) {
        pthread_mutex_lock(&calls_lock);
        bool there = c->count >= count;
        pthread_mutex_unlock(&calls_lock);
        if (there)
            return;
        usleep(1000);
    }
    TEST_FAIL("%d of %d callbacks were called", c->count, count);
}

TEST(callbacks_check_their_arguments)
{
    rig r = rig_open(0);
    cl_event user = clCreateUserEvent(r.context, NULL);

    CHECK_EQ(clSetEventCallback(NULL, CL_COMPLETE, note, NULL),
             CL_INVALID_EVENT);
    CHECK_EQ(clSetEventCallback(user, CL_COMPLETE, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clSetEventCallback(user, CL_QUEUED, note, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clSetEventCallback(user, -1, note, NULL), CL_INVALID_VALUE);
    clReleaseEvent(user);
    rig_close(&r);
}

TEST(each_state_calls_back_without_being_waited_for)
{
    rig r = rig_open(0);
    calls got = {.count = 0};
    call s = {&got, 'S'}, run = {&got, 'R'}, c = {&got, 'C'}, d = {&got, 'D'};
    cl_event user = clCreateUserEvent(r.context, NULL), e;

    rig_enqueue(r.queue, (rig_what){.wait_count = 1, .waits = &user}, &e);
    CHECK_EQ(clSetEventCallback(e, CL_SUBMITTED, note, &s), CL_SUCCESS);
    CHECK_EQ(clSetEventCallback(e, CL_RUNNING, note, &run), CL_SUCCESS);
    CHECK_EQ(clSetEventCallback(e, CL_COMPLETE, note, &c), CL_SUCCESS);
    CHECK_EQ(clSetEventCallback(e, CL_COMPLETE, note, &d), CL_SUCCESS);
    CHECK_EQ(got.count, 0);
    clSetUserEventStatus(user, CL_COMPLETE);
    await_calls(&got, 4);
    CHECK_STR(got.text, "S2 R1 C0 D0 ");
    CHECK(got.event == e);
    /* What has been reached already calls back at once. */
    CHECK_EQ(clSetEventCallback(e, CL_RUNNING, note, &run), CL_SUCCESS);
    await_calls(&got, 5);
    CHECK_STR(got.text, "S2 R1 C0 D0 R1 ");
    clReleaseEvent(e);
    clReleaseEvent(user);
    rig_close(&r);
}

TEST(callbacks_hear_of_failures)
{
    rig r = rig_open(0);
    calls got = {.count = 0};
    call run = {&got, 'R'}, c = {&got, 'C'}, u = {&got, 'U'};
    cl_event user = clCreateUserEvent(r.context, NULL), e;

    rig_enqueue(r.queue, (rig_what){.wait_count = 1, .waits = &user}, &e);
    clSetEventCallback(e, CL_RUNNING, note, &run);
    clSetEventCallback(e, CL_COMPLETE, note, &c);
    clSetEventCallback(user, CL_COMPLETE, note, &u);
    clReleaseEvent(e); /* lives until it has called back */
    clSetUserEventStatus(user, -5);
    await_calls(&got, 3);
    CHECK_STR(got.text, "U-5 R-14 C-14 ");
    clReleaseEvent(user);
    CHECK_EQ(clFinish(r.queue), CL_SUCCESS);
    for (int ms = 0; ms < 1000; ms++) { /* the last one still drops it */
        drv_lock();
        unsigned n = object_count(OCL_EVENT);
        drv_unlock();
        if (!n)
            break;
        usleep(1000);
    }
    rig_close(&r);
}

/* Callbacks hold no lock: they may call the API, and the program may hold a
 * mutex that they want while it waits. */
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;

static void CL_CALLBACK complete_user(cl_event e, cl_int state, void *data)
{
    (void)e, (void)state;
    pthread_mutex_lock(&outer);
    clSetUserEventStatus(data, CL_COMPLETE);
    pthread_mutex_unlock(&outer);
}

TEST(callbacks_may_call_and_lock)
{
    rig r = rig_open(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event user = clCreateUserEvent(r.context, NULL), first, second;
    rig_log log = {0};

    rig_enqueue(
        r.queue,
        (rig_what){.log = &log, .name = 'b', .wait_count = 1, .waits = &user},
        &second);
    rig_enqueue(r.queue, (rig_what){.log = &log, .name = 'a'}, &first);
    CHECK_EQ(clSetEventCallback(first, CL_COMPLETE, complete_user, user),
             CL_SUCCESS);
    pthread_mutex_lock(&outer);
    CHECK_EQ(clWaitForEvents(1, &first), CL_SUCCESS);
    pthread_mutex_unlock(&outer);
    CHECK_EQ(clWaitForEvents(1, &second), CL_SUCCESS);
    CHECK_STR(log.text, "ab");
    clReleaseEvent(first);
    clReleaseEvent(second);
    pthread_mutex_lock(&outer); /* its last call has returned */
    pthread_mutex_unlock(&outer);
    clReleaseEvent(user);
    usleep(1000);
    rig_close(&r);
}
