/* tests/opencl/test_flight.c - kernels of several queues, or of one out of
 * order, in flight on a device: when they begin and end, that no time depends
 * on the host, and what becomes of them when one fails or the program forks. */
#include <sys/wait.h>
#include <unistd.h>

#include "capture.h"
#include "driver/host_link.h"
#include "kernels.h"

enum {
    ORDERED = CL_QUEUE_PROFILING_ENABLE,
    FREE = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    LONG = 3000, /* rounds of a kernel */
    SHORT = 300,
    MOST = 8,
};

typedef struct bench {
    rig r; /* its queue is ORDERED, or what it was asked for */
    cl_command_queue other, third;
    kernels k;
    cl_event e[MOST]; /* of the commands, as the test numbers them */
} bench;

static bench bench_open(cl_command_queue_properties flags)
{
    bench b = {.r = rig_open(flags)};

    b.other = clCreateCommandQueue(b.r.context, b.r.devices[0], ORDERED, NULL);
    b.third = clCreateCommandQueue(b.r.context, b.r.devices[0], ORDERED, NULL);
    b.k = kernels_load(b.r.devices[0]);
    CHECK(b.other && b.third);
    return b;
}

static void bench_close(bench *b)
{
    for (int i = 0; i < MOST; i++)
        if (b->e[i])
            clReleaseEvent(b->e[i]);
    if (b->other)
        clReleaseCommandQueue(b->other);
    clReleaseCommandQueue(b->third);
    rig_close(&b->r);
}

/* Enqueues kernel `n`: its word counts so many rounds. */
static void put(bench *b, cl_command_queue q, int n, uint32_t rounds,
                cl_uint count, const cl_event *waits)
{
    CHECK_EQ(kernels_after(&b->k, q, "loop", b->k.memory + 4 * (unsigned)n,
                           rounds, 1, count, waits, &b->e[n]),
             CL_SUCCESS);
}

static uint64_t start_of(const bench *b, int n)
{
    return rig_time(b->e[n], CL_PROFILING_COMMAND_START);
}

static uint64_t end_of(const bench *b, int n)
{
    return rig_time(b->e[n], CL_PROFILING_COMMAND_END);
}

static uint64_t queued(const bench *b, int n)
{
    return rig_time(b->e[n], CL_PROFILING_COMMAND_QUEUED);
}

static void finish_all(bench *b)
{
    CHECK_EQ(clFinish(b->r.queue), CL_SUCCESS);
    CHECK_EQ(clFinish(b->other), CL_SUCCESS);
    CHECK_EQ(clFinish(b->third), CL_SUCCESS);
}

/* ---- When they begin ---- */

TEST(queues_of_a_device_share_it)
{
    bench b = bench_open(ORDERED);

    put(&b, b.r.queue, 0, LONG, 0, NULL);
    put(&b, b.r.queue, 1, LONG, 0, NULL);
    CHECK_EQ(clFinish(b.r.queue), CL_SUCCESS);
    uint64_t serial = end_of(&b, 1) - start_of(&b, 0);
    put(&b, b.r.queue, 2, LONG, 0, NULL);
    put(&b, b.other, 3, LONG, 0, NULL);
    finish_all(&b);
    CHECK_EQ(start_of(&b, 2), queued(&b, 2));
    CHECK_EQ(start_of(&b, 3), queued(&b, 2));
    uint64_t end =
        end_of(&b, 2) > end_of(&b, 3) ? end_of(&b, 2) : end_of(&b, 3);
    CHECK(end - start_of(&b, 2) < serial * 6 / 10);
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQ(kernels_word(&b.k, i), 1);
    bench_close(&b);
}

TEST(a_queue_out_of_order_begins_all_that_is_ready)
{
    bench b = bench_open(FREE);
    cl_event first;

    put(&b, b.r.queue, 0, LONG, 0, NULL);
    put(&b, b.r.queue, 1, SHORT, 0, NULL);
    put(&b, b.r.queue, 2, SHORT, 1, &b.e[0]); /* its list names it */
    put(&b, b.r.queue, 3, SHORT, 1, &b.e[1]);
    CHECK_EQ(clEnqueueBarrierWithWaitList(b.r.queue, 0, NULL, &first),
             CL_SUCCESS);
    put(&b, b.r.queue, 4, SHORT, 0, NULL);
    put(&b, b.r.queue, 5, SHORT, 0, NULL);
    CHECK_EQ(clFinish(b.r.queue), CL_SUCCESS);
    CHECK_EQ(start_of(&b, 1), start_of(&b, 0));
    CHECK(start_of(&b, 2) >= end_of(&b, 0));
    CHECK(start_of(&b, 3) >= end_of(&b, 1));
    CHECK(end_of(&b, 3) < end_of(&b, 0));
    CHECK_EQ(rig_time(first, CL_PROFILING_COMMAND_START), end_of(&b, 2));
    CHECK_EQ(start_of(&b, 4), end_of(&b, 2));
    CHECK_EQ(start_of(&b, 5), start_of(&b, 4));
    for (unsigned i = 0; i < 6; i++)
        CHECK_EQ(kernels_word(&b.k, i), 1);
    clReleaseEvent(first);
    bench_close(&b);
}

TEST(one_in_order_takes_turns)
{
    bench b = bench_open(ORDERED);

    for (int i = 0; i < 4; i++)
        put(&b, b.r.queue, i, SHORT, 0, NULL);
    CHECK_EQ(clFinish(b.r.queue), CL_SUCCESS);
    for (int i = 1; i < 4; i++)
        CHECK_EQ(start_of(&b, i), end_of(&b, i - 1));
    bench_close(&b);
}

/* The program sees the end of the short kernel while the long one runs. */
TEST(what_comes_after_a_wait_begins_beside_what_runs)
{
    bench b = bench_open(ORDERED);

    put(&b, b.r.queue, 0, LONG, 0, NULL);
    put(&b, b.other, 1, SHORT, 0, NULL);
    CHECK_EQ(clWaitForEvents(1, &b.e[1]), CL_SUCCESS);
    put(&b, b.other, 2, SHORT, 0, NULL);
    CHECK_EQ(clWaitForEvents(1, &b.e[2]), CL_SUCCESS);
    CHECK_EQ(kernels_word(&b.k, 0), 0); /* it runs on */
    finish_all(&b);
    CHECK_EQ(queued(&b, 2), end_of(&b, 1));
    CHECK(start_of(&b, 2) >= end_of(&b, 1));
    CHECK(start_of(&b, 2) < end_of(&b, 1) + 100); /* a window is 47 ns */
    CHECK(end_of(&b, 2) < end_of(&b, 0));
    CHECK_EQ(kernels_word(&b.k, 0), 1);
    bench_close(&b);
}

TEST(user_events_hold_up_in_simulated_time)
{
    bench b = bench_open(ORDERED);
    cl_event user = clCreateUserEvent(b.r.context, NULL);

    put(&b, b.r.queue, 0, LONG, 0, NULL);
    put(&b, b.other, 1, SHORT, 1, &user);
    put(&b, b.third, 2, SHORT, 0, NULL);
    CHECK_EQ(clFinish(b.third), CL_SUCCESS);
    CHECK_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    finish_all(&b);
    CHECK(start_of(&b, 1) >= end_of(&b, 2));
    CHECK(start_of(&b, 1) < end_of(&b, 2) + 100);
    CHECK(end_of(&b, 1) < end_of(&b, 0));
    clReleaseEvent(user);
    bench_close(&b);
}

TEST(transfers_run_beside_kernels)
{
    static uint32_t words[2][64];
    bench b = bench_open(ORDERED);
    cl_mem m = clCreateBuffer(b.r.context, 0, sizeof words, NULL, NULL);

    put(&b, b.r.queue, 0, LONG, 0, NULL);
    clEnqueueWriteBuffer(b.other, m, 0, 0, 256, words[0], 0, NULL, &b.e[1]);
    clEnqueueReadBuffer(b.third, m, 0, 256, 256, words[1], 0, NULL, &b.e[2]);
    clEnqueueWriteBuffer(b.third, m, 0, 256, 256, words[1], 0, NULL, &b.e[3]);
    put(&b, b.other, 4, SHORT, 0, NULL);
    finish_all(&b);
    uint64_t t = queued(&b, 0), one = drv_link_ns(b.r.devices[0]->is, 256);
    CHECK_EQ(start_of(&b, 0), t);
    CHECK_EQ(start_of(&b, 1), t);
    CHECK_EQ(end_of(&b, 1), t + one);
    CHECK_EQ(start_of(&b, 2), t); /* in the other direction */
    CHECK_EQ(start_of(&b, 3), t + one);
    CHECK(start_of(&b, 4) >= t + one && start_of(&b, 4) < t + one + 100);
    clReleaseMemObject(m);
    bench_close(&b);
}

/* The end of a chain through another device is not missed while the first one
 * is busy, and neither runs ahead. */
TEST(devices_go_on_side_by_side)
{
    bench b = bench_open(FREE);
    kernels far = kernels_load(b.r.devices[1]);
    cl_command_queue q =
        clCreateCommandQueue(b.r.context, b.r.devices[1], ORDERED, NULL);

    put(&b, b.other, 0, 4 * LONG, 0, NULL);
    put(&b, b.r.queue, 1, SHORT, 0, NULL);
    kernels_after(&far, q, "loop", far.memory, SHORT, 1, 1, &b.e[1], &b.e[2]);
    put(&b, b.r.queue, 3, SHORT, 1, &b.e[2]);
    kernels_after(&far, q, "loop", far.memory, SHORT, 1, 1, &b.e[3], &b.e[4]);
    CHECK_EQ(clFinish(q), CL_SUCCESS);
    finish_all(&b);
    for (int i = 2; i < 5; i++) {
        CHECK(start_of(&b, i) >= end_of(&b, i - 1));
        CHECK(start_of(&b, i) < end_of(&b, i - 1) + 200);
    }
    CHECK(end_of(&b, 4) < end_of(&b, 0));
    clReleaseCommandQueue(q);
    bench_close(&b);
}

/* ---- That nothing depends on the host ---- */

static void CL_CALLBACK called(cl_event e, cl_int state, void *count)
{
    (void)e, (void)state;
    __atomic_fetch_add((unsigned *)count, 1, __ATOMIC_RELAXED);
}

enum { FLUSH = 1, SLOW = 2, CALL = 4, ASK = 8 };

static void pause_as(int how, cl_command_queue q)
{
    if (how & FLUSH)
        clFlush(q);
    if (how & SLOW)
        usleep(3000);
}

/* What `run` gives in a process of its own: clocks of memory are as they were
 * when the last time began. */
static uint64_t anew(uint64_t (*run)(int how), int how)
{
    uint64_t result = 0;
    int ends[2];

    CHECK(pipe(ends) == 0);
    pid_t pid = fork();
    if (!pid) {
        alarm(20);
        result = run(how);
        _exit(write(ends[1], &result, sizeof result) != sizeof result);
    }
    close(ends[1]);
    CHECK_EQ(read(ends[0], &result, sizeof result), sizeof result);
    close(ends[0]);
    CHECK(pid > 0 && waitpid(pid, NULL, 0) == pid);
    return result;
}

/* All times of a program that does the same as ever, or `how`. */
static uint64_t times_of(int how)
{
    bench b = bench_open(FREE);
    unsigned calls = 0;
    uint64_t hash = 0;

    put(&b, b.r.queue, 0, LONG, 0, NULL);
    pause_as(how, b.r.queue);
    if (how & CALL)
        clSetEventCallback(b.e[0], CL_COMPLETE, called, &calls);
    put(&b, b.other, 1, SHORT, 0, NULL);
    pause_as(how, b.other);
    put(&b, b.r.queue, 2, SHORT, 1, &b.e[1]);
    pause_as(how, b.r.queue);
    if (how & ASK)
        rig_status(b.e[1]);
    CHECK_EQ(clWaitForEvents(1, &b.e[1]), CL_SUCCESS);
    put(&b, b.third, 3, 2 * SHORT, 0, NULL);
    pause_as(how, b.third);
    put(&b, b.other, 4, SHORT, 1, &b.e[0]);
    finish_all(&b);
    for (int i = 0; i < 5; i++) {
        hash = hash * 31 + start_of(&b, i) - queued(&b, 0);
        hash = hash * 31 + end_of(&b, i) - queued(&b, 0);
        CHECK_EQ(kernels_word(&b.k, (unsigned)i), 1);
    }
    for (int ms = 0;
         how & CALL && ms < 5000 && !__atomic_load_n(&calls, __ATOMIC_RELAXED);
         ms++)
        usleep(1000);
    CHECK_EQ(calls, how & CALL ? 1 : 0);
    bench_close(&b);
    return hash;
}

TEST(no_time_depends_on_the_host)
{
    uint64_t plain = anew(times_of, 0), awaited = anew(times_of, CALL);

    CHECK_EQ(anew(times_of, FLUSH), plain);
    CHECK_EQ(anew(times_of, SLOW), plain);
    CHECK_EQ(anew(times_of, FLUSH | SLOW), plain);
    CHECK_EQ(anew(times_of, ASK), plain);
    CHECK(awaited != plain); /* a batch */
    CHECK_EQ(anew(times_of, CALL | SLOW), awaited);
    CHECK_EQ(anew(times_of, CALL | FLUSH), awaited);
    CHECK_EQ(anew(times_of, CALL | FLUSH | SLOW), awaited);
}

/* What the worker has begun on a device with one queue ends before a second
 * queue has anything to say. */
static uint64_t second_queue(int us)
{
    rig r = rig_open(ORDERED);
    bench b = {.r = r, .k = kernels_load(r.devices[0])};

    put(&b, r.queue, 0, LONG, 0, NULL);
    clFlush(r.queue);
    usleep((useconds_t)us);
    b.other = clCreateCommandQueue(r.context, r.devices[0], ORDERED, NULL);
    b.third = clCreateCommandQueue(r.context, r.devices[0], ORDERED, NULL);
    put(&b, b.other, 1, SHORT, 0, NULL);
    finish_all(&b);
    CHECK_EQ(start_of(&b, 1), end_of(&b, 0));
    uint64_t took = end_of(&b, 1) - queued(&b, 0);
    bench_close(&b);
    return took;
}

TEST(a_second_queue_finds_the_same_however_far_the_first_is)
{
    uint64_t at_once = anew(second_queue, 0);

    CHECK(at_once != 0);
    CHECK_EQ(anew(second_queue, 2000), at_once);
    CHECK_EQ(anew(second_queue, 200000), at_once);
}

/* ---- When something goes wrong ---- */

TEST(a_fault_takes_what_was_in_flight_with_it)
{
    bench b = bench_open(ORDERED);
    capture c;

    capture_begin(&c, stderr);
    put(&b, b.r.queue, 0, LONG, 0, NULL);
    put(&b, b.r.queue, 1, SHORT, 0, NULL);
    put(&b, b.third, 2, SHORT, 1, &b.e[0]);
    kernels_enqueue(&b.k, b.other, "poke", 16, 1, 1, &b.e[3]);
    kernels_enqueue(&b.k, b.other, "poke", b.k.memory + 40, 7, 1, &b.e[4]);
    cl_int first = clFinish(b.r.queue), second = clFinish(b.other);
    cl_int third = clFinish(b.third);
    const char *text = capture_end(&c);
    CHECK_EQ(first, CL_OUT_OF_RESOURCES);
    CHECK_EQ(second, CL_OUT_OF_RESOURCES);
    CHECK_EQ(third, CL_SUCCESS);
    CHECK_EQ(rig_status(b.e[0]), CL_OUT_OF_RESOURCES);
    CHECK_EQ(rig_status(b.e[2]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(rig_status(b.e[3]), CL_OUT_OF_RESOURCES);
    CHECK(strstr(text, "kernel 'poke'"));
    CHECK(strstr(text, "1 other launch that was in flight with it did not"));
    /* what came later ran on another machine */
    CHECK_EQ(kernels_word(&b.k, 0), 0);
    CHECK_EQ(kernels_word(&b.k, 1), 1);
    CHECK_EQ(kernels_word(&b.k, 10), 7);
    bench_close(&b);
}

TEST(lines_come_in_the_order_in_which_kernels_end)
{
    bench b = bench_open(ORDERED);
    char early[64];
    capture c;

    capture_begin(&c, stdout);
    put(&b, b.r.queue, 0, SHORT, 0, NULL);
    kernels_enqueue(&b.k, b.r.queue, "print", 0, 11, 1, NULL);
    kernels_enqueue(&b.k, b.other, "print", 0, 22, 1, &b.e[1]);
    clWaitForEvents(1, &b.e[1]);
    snprintf(early, sizeof early, "%.63s", capture_look(&c));
    finish_all(&b);
    const char *text = capture_end(&c);
    CHECK_STR(early, "22\n");
    CHECK_STR(text, "22\n11\n");
    bench_close(&b);
}

TEST(queues_may_be_released_with_kernels_in_flight)
{
    bench b = bench_open(ORDERED);

    put(&b, b.other, 0, LONG, 0, NULL);
    put(&b, b.other, 1, SHORT, 0, NULL);
    put(&b, b.r.queue, 2, SHORT, 0, NULL);
    CHECK_EQ(clWaitForEvents(1, &b.e[2]), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(b.other), CL_SUCCESS);
    b.other = NULL;
    CHECK_EQ(clReleaseEvent(b.e[0]), CL_SUCCESS);
    b.e[0] = NULL;
    CHECK_EQ(clWaitForEvents(1, &b.e[1]), CL_SUCCESS);
    CHECK_EQ(kernels_word(&b.k, 0), 1);
    CHECK_EQ(kernels_word(&b.k, 1), 1);
    bench_close(&b);
}

TEST(a_child_has_none_of_what_is_in_flight)
{
    bench b = bench_open(ORDERED);
    int how;

    put(&b, b.r.queue, 0, LONG, 0, NULL);
    put(&b, b.other, 1, SHORT, 0, NULL);
    CHECK_EQ(clWaitForEvents(1, &b.e[1]), CL_SUCCESS);
    pid_t pid = fork();
    if (!pid) {
        alarm(20);
        if (clFinish(b.r.queue) || kernels_word(&b.k, 0))
            _exit(1);
        put(&b, b.r.queue, 2, SHORT, 0, NULL);
        put(&b, b.other, 3, SHORT, 0, NULL);
        finish_all(&b);
        _exit(kernels_word(&b.k, 2) == 1 && kernels_word(&b.k, 3) == 1 ? 0 : 2);
    }
    CHECK(pid > 0 && waitpid(pid, &how, 0) == pid);
    CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    finish_all(&b);
    CHECK_EQ(kernels_word(&b.k, 0), 1);
    CHECK(end_of(&b, 0) > end_of(&b, 1));
    bench_close(&b);
}
