/* tests/opencl/test_life.c - programs that fork, that end in the middle of
 * things, and that call from several threads at once. */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernels.h"

/* Runs `child` in a process of its own; its exit status, or 1000 and the
 * signal that ended it. */
static int in_child(void (*child)(void))
{
    int how;
    pid_t pid = fork();

    if (!pid) {
        alarm(20);
        child();
        _exit(99);
    }
    CHECK(pid > 0 && waitpid(pid, &how, 0) == pid);
    return WIFEXITED(how) ? WEXITSTATUS(how) : 1000 + WTERMSIG(how);
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- The end of a program ---- */

static void quit_with_a_full_queue(void)
{
    rig r = rig_open(0);
    cl_event user = clCreateUserEvent(r.context, NULL);

    rig_enqueue(r.queue, (rig_what){.wait_count = 1, .waits = &user}, NULL);
    for (int i = 0; i < 100; i++)
        rig_enqueue(r.queue, (rig_what){.ns = 1}, NULL);
    clFlush(r.queue);
    exit(7);
}

TEST(a_full_queue_does_not_keep_a_program)
{
    CHECK_EQ(in_child(quit_with_a_full_queue), 7);
}

/* The worker is in the middle of a kernel that never ends. */
static void quit_in_a_launch(void)
{
    rig r = rig_open(0);
    kernels k = kernels_load(r.devices[0]);

    kernels_enqueue(&k, r.queue, "spin", k.memory, 0, 64, NULL);
    kernels_enqueue(&k, r.queue, "add", k.memory, 1, 64, NULL);
    clFlush(r.queue);
    usleep(30000);
    exit(8);
}

TEST(a_running_kernel_does_not_keep_a_program)
{
    double began = seconds();

    CHECK_EQ(in_child(quit_in_a_launch), 8);
    CHECK(seconds() - began < 1.5); /* it was stopped, not waited for */
}

/* Ends the program from the thread that runs the command. */
static void CL_CALLBACK quit(void *unused)
{
    (void)unused;
    exit(9);
}

static void quit_in_a_native_kernel(void)
{
    rig r = rig_open(0);

    clEnqueueNativeKernel(r.queue, quit, NULL, 0, 0, NULL, NULL, 0, NULL, NULL);
    clFinish(r.queue);
}

static void quit_in_the_worker(void)
{
    rig r = rig_open(0);

    clEnqueueNativeKernel(r.queue, quit, NULL, 0, 0, NULL, NULL, 0, NULL, NULL);
    clFlush(r.queue);
    sleep(10);
}

static void CL_CALLBACK quit_event(cl_event e, cl_int state, void *unused)
{
    (void)e, (void)state, (void)unused;
    exit(10);
}

static void quit_in_a_callback(void)
{
    rig r = rig_open(0);
    cl_event e;

    rig_enqueue(r.queue, (rig_what){.ns = 1}, &e);
    clSetEventCallback(e, CL_COMPLETE, quit_event, NULL);
    sleep(10);
}

TEST(commands_and_callbacks_may_end_the_program)
{
    CHECK_EQ(in_child(quit_in_a_native_kernel), 9);
    CHECK_EQ(in_child(quit_in_the_worker), 9);
    CHECK_EQ(in_child(quit_in_a_callback), 10);
}

/* Destructors of the program still wait for what they need. */
static rig late;
static rig_log late_log;

static void finish_late(void)
{
    if (clFinish(late.queue) || strcmp(late_log.text, "ab"))
        _exit(11);
    clReleaseCommandQueue(late.queue);
    clReleaseContext(late.context);
}

static void finish_at_the_end(void)
{
    late = rig_open(0);
    atexit(finish_late); /* before and after the driver's own */
    rig_enqueue(late.queue, (rig_what){.log = &late_log, .name = 'a'}, NULL);
    rig_enqueue(late.queue, (rig_what){.log = &late_log, .name = 'b'}, NULL);
    exit(12);
}

TEST(queues_can_be_finished_at_the_end)
{
    CHECK_EQ(in_child(finish_at_the_end), 12);
}

/* ---- Forks ---- */

static rig parent;
static kernels parent_kernels;

static void use_in_child(void)
{
    cl_command_queue q =
        clCreateCommandQueue(parent.context, parent.devices[0], 0, NULL);
    cl_command_queue only =
        clCreateCommandQueue(parent.context, parent.devices[1], 0, NULL);
    rig_log log = {0};
    cl_event e;

    rig_enqueue(only, (rig_what){.log = &log, .name = 'a'}, &e);
    clFlush(only);
    for (int ms = 0; ms < 5000 && !log.used; ms++)
        usleep(1000); /* the child's own worker runs it */
    if (!log.used || clWaitForEvents(1, &e) || clReleaseEvent(e))
        _exit(1);
    /* What the parent had enqueued remains the parent's. */
    if (clFinish(parent.queue) != CL_SUCCESS)
        _exit(2);
    kernels_enqueue(&parent_kernels, q, "add", parent_kernels.memory, 100, 64,
                    NULL);
    if (clFinish(q) || kernels_word(&parent_kernels, 0) < 100)
        _exit(3);
    exit(clReleaseCommandQueue(q) || clReleaseCommandQueue(only));
}

/* A function that is in the middle of running until it is released. */
static unsigned held, release_held;

static void CL_CALLBACK hold(void *unused)
{
    (void)unused;
    __atomic_store_n(&held, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&release_held, __ATOMIC_ACQUIRE))
        usleep(1000);
}

static void add_some(void)
{
    for (int i = 0; i < 20; i++)
        kernels_enqueue(&parent_kernels, parent.queue, "add",
                        parent_kernels.memory, 1, 64, NULL);
    clFlush(parent.queue);
}

TEST(children_have_a_driver_of_their_own)
{
    cl_event user;

    parent = rig_open(0);
    parent_kernels = kernels_load(parent.devices[0]);
    user = clCreateUserEvent(parent.context, NULL);
    clEnqueueNativeKernel(parent.queue, hold, NULL, 0, 0, NULL, NULL, 0, NULL,
                          NULL);
    add_some();
    while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
        usleep(1000);
    CHECK_EQ(in_child(use_in_child), 0); /* of a worker that runs something */
    __atomic_store_n(&release_held, 1, __ATOMIC_RELEASE);
    CHECK_EQ(clFinish(parent.queue), CL_SUCCESS);
    rig_enqueue(parent.queue, (rig_what){.wait_count = 1, .waits = &user},
                NULL);
    CHECK_EQ(in_child(use_in_child), 0);
    clSetUserEventStatus(user, CL_COMPLETE);
    CHECK_EQ(clFinish(parent.queue), CL_SUCCESS);
    CHECK_EQ(kernels_word(&parent_kernels, 63), 20);
    clReleaseEvent(user);
    rig_close(&parent);
}

/* The sanitizer's allocator, unlike the system's, is locked for ever in a child
 * if another thread was in it. */
TEST(children_may_begin_in_a_launch)
{
#if defined(__SANITIZE_ADDRESS__)
    TEST_SKIP("a sanitizer's allocator cannot fork while it is in use");
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    TEST_SKIP("a sanitizer's allocator cannot fork while it is in use");
#endif
#endif
    parent = rig_open(0);
    parent_kernels = kernels_load(parent.devices[0]);
    add_some();
    CHECK_EQ(in_child(use_in_child), 0);
    CHECK_EQ(clFinish(parent.queue), CL_SUCCESS);
    CHECK_EQ(kernels_word(&parent_kernels, 63), 20);
    rig_close(&parent);
}

/* ---- Threads ---- */

enum { THREADS = 8, ROUNDS = 50 };

typedef struct hand {
    rig *r;
    kernels *k;
    unsigned number;
    pthread_t thread;
    const char *wrong; /* NULL: nothing */
} hand;

static void CL_CALLBACK count_call(cl_event e, cl_int state, void *counter)
{
    (void)e, (void)state;
    __atomic_fetch_add((unsigned *)counter, 1, __ATOMIC_RELAXED);
}

static unsigned calls;

static cl_int work(hand *h, cl_command_queue q, unsigned round)
{
    cl_event user = clCreateUserEvent(h->r->context, NULL), e[2];
    rig_log log = {0};
    cl_int err = rig_enqueue(
        q,
        (rig_what){
            .log = &log, .name = 'a', .ns = 3, .wait_count = 1, .waits = &user},
        &e[0]);

    err |= clSetEventCallback(e[0], CL_COMPLETE, count_call, &calls);
    err |= kernels_enqueue(h->k, q, "add", h->k->memory + 4 * h->number, 1, 1,
                           &e[1]);
    err |= clSetUserEventStatus(user, CL_COMPLETE);
    if (round % 3 == 0)
        err |= clFlush(q);
    err |= clWaitForEvents(round % 2 + 1, e);
    if (round % 5 == 0)
        err |= clFinish(h->r->queue);
    if (strcmp(log.text, "a"))
        h->wrong = "it did not run";
    clReleaseEvent(e[0]);
    clReleaseEvent(e[1]);
    clReleaseEvent(user);
    return err;
}

static void *hand_main(void *arg)
{
    hand *h = arg;
    cl_command_queue own = clCreateCommandQueue(
        h->r->context, h->r->devices[0],
        h->number % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, NULL);

    for (unsigned i = 0; i < ROUNDS; i++)
        if (work(h, i % 2 ? own : h->r->queue, i))
            h->wrong = "a call failed";
    if (clFinish(own) || clReleaseCommandQueue(own))
        h->wrong = "the end failed";
    return NULL;
}

TEST(threads_may_call_at_once)
{
    rig r = rig_open(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    kernels k = kernels_load(r.devices[0]);
    hand hands[THREADS];

    for (unsigned i = 0; i < THREADS; i++) {
        hands[i] = (hand){.r = &r, .k = &k, .number = i};
        CHECK(!pthread_create(&hands[i].thread, NULL, hand_main, &hands[i]));
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(hands[i].thread, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        CHECK_STR(hands[i].wrong ? hands[i].wrong : "", "");
    CHECK_EQ(clFinish(r.queue), CL_SUCCESS);
    for (unsigned i = 0; i < THREADS; i++)
        CHECK_EQ(kernels_word(&k, i), ROUNDS);
    for (int ms = 0; ms < 5000; ms++) {
        drv_lock();
        unsigned n = object_count(OCL_EVENT);
        drv_unlock();
        if (!n)
            break;
        usleep(1000);
    }
    CHECK_EQ(calls, THREADS * ROUNDS);
    rig_close(&r);
}
