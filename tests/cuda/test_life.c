/* tests/cuda/test_life.c - programs that fork, that end in the middle of
 * things, and that call from several threads at once. */
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"
#include "test.h"

static const char ptx[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    /* to[global id] += by */
    ".visible .entry add(.param .u64 to, .param .u32 by)\n"
    "{\n"
    "  .reg .u64 %a<2>; .reg .u32 %r<6>;\n"
    "  ld.param.u64 %a0, [to]; ld.param.u32 %r0, [by];\n"
    "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "  mad.lo.u32 %r3, %r1, %r2, %r3; mad.wide.u32 %a0, %r3, 4, %a0;\n"
    "  ld.global.u32 %r4, [%a0]; add.u32 %r4, %r4, %r0;\n"
    "  st.global.u32 [%a0], %r4; ret;\n"
    "}\n"
    /* without end as long as *to is by */
    ".visible .entry spin(.param .u64 to, .param .u32 by)\n"
    "{\n"
    "  .reg .u64 %a; .reg .u32 %r<2>; .reg .pred %p;\n"
    "  ld.param.u64 %a, [to]; ld.param.u32 %r0, [by];\n"
    "AGAIN:\n"
    "  ld.volatile.global.u32 %r1, [%a]; setp.eq.u32 %p, %r0, %r1;\n"
    "  @%p bra AGAIN;\n"
    "  ret;\n"
    "}\n";

static char add, spin; /* addresses on the host */

__attribute__((constructor)) static void register_program(void)
{
    void **handle = program_register(ptx, sizeof ptx - 1);

    program_kernel(handle, &add, "add");
    program_kernel(handle, &spin, "spin");
    __cudaRegisterFatBinaryEnd(handle);
}

enum { LANES = 64 };

static cudaError_t launch(const void *kernel, unsigned *to, unsigned by,
                          cudaStream_t s)
{
    return cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){LANES, 1, 1},
                            (void *[]){&to, &by}, 0, s);
}

static unsigned *numbers(void)
{
    void *at = NULL;

    return cudaMalloc(&at, LANES * sizeof(unsigned)) ? NULL : at;
}

/* Each of them has that value. */
static bool all_are(const unsigned *at, unsigned value)
{
    unsigned got[LANES], wrong = 0;

    if (cudaMemcpy(got, at, sizeof got, cudaMemcpyDeviceToHost))
        return false;
    for (unsigned i = 0; i < LANES; i++)
        wrong += got[i] != value;
    return !wrong;
}

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

static void nothing(void *unused) { (void)unused; }

static void quit_with_full_streams(void)
{
    unsigned *at = numbers();
    cudaStream_t s[2];

    for (unsigned i = 0; i < 2; i++)
        cudaStreamCreate(&s[i]);
    for (unsigned i = 0; i < 100; i++) {
        launch(&add, at, 1, s[i % 2]);
        cudaLaunchHostFunc(s[i % 2], nothing, NULL);
    }
    exit(7);
}

TEST(full_streams_do_not_keep_a_program)
{
    NEED_MEMORY();
    CHECK_EQ(in_child(quit_with_full_streams), 7);
}

/* A function in a stream lets the driver's own thread begin; it is then in the
 * middle of a kernel that never ends. */
static void quit_in_a_launch(void)
{
    unsigned *at = numbers();

    launch(&spin, at, 0, NULL);
    launch(&add, at, 1, NULL);
    cudaLaunchHostFunc(NULL, nothing, NULL);
    usleep(30000);
    exit(8);
}

TEST(a_running_kernel_does_not_keep_a_program)
{
    double began = seconds();

    NEED_MEMORY();
    CHECK_EQ(in_child(quit_in_a_launch), 8);
    CHECK(seconds() - began < 5); /* it was stopped, not waited for */
}

/* Ends the program from the thread that runs the function. */
static void quit(void *unused)
{
    (void)unused;
    exit(9);
}

static void quit_while_waiting(void)
{
    cudaLaunchHostFunc(NULL, quit, NULL);
    cudaDeviceSynchronize();
}

static void quit_in_the_worker(void)
{
    cudaLaunchHostFunc(NULL, quit, NULL);
    sleep(10);
}

static void quit_called_back(cudaStream_t s, cudaError_t is, void *unused)
{
    (void)s, (void)is, (void)unused;
    exit(10);
}

static void quit_in_a_callback(void)
{
    launch(&add, numbers(), 1, NULL);
    cudaStreamAddCallback(NULL, quit_called_back, NULL, 0);
    sleep(10);
}

TEST(functions_in_streams_may_end_the_program)
{
    NEED_MEMORY();
    CHECK_EQ(in_child(quit_while_waiting), 9);
    CHECK_EQ(in_child(quit_in_the_worker), 9);
    CHECK_EQ(in_child(quit_in_a_callback), 10);
}

/* Destructors of the program still wait for what they need. */
static unsigned *late;

static void finish_late(void)
{
    if (cudaDeviceSynchronize() || !all_are(late, 3) || cudaFree(late) ||
        cudaDeviceReset())
        _exit(11);
}

static void finish_at_the_end(void)
{
    late = numbers();
    atexit(finish_late); /* before the driver's own */
    launch(&add, late, 1, NULL);
    launch(&add, late, 2, NULL);
    exit(12);
}

TEST(streams_can_be_finished_at_the_end)
{
    NEED_MEMORY();
    CHECK_EQ(in_child(finish_at_the_end), 12);
}

/* ---- Forks ---- */

static unsigned *of_parent;

/* A child has the memory, as it was, and a device of its own. */
static void use_in_child(void)
{
    cudaStream_t s;
    unsigned *own = numbers();

    if (!own || cudaStreamCreate(&s))
        _exit(1);
    if (launch(&add, of_parent, 100, s) || launch(&add, own, 5, s) ||
        cudaStreamSynchronize(s))
        _exit(2);
    if (!all_are(of_parent, 101) || !all_are(own, 5))
        _exit(3);
    exit(cudaStreamDestroy(s) || cudaFree(own) || cudaFree(of_parent));
}

/* What the parent has on its way never ends in the child, which is told so
 * until it begins anew. */
static void begin_anew_in_child(void)
{
    if (cudaDeviceSynchronize() != cudaErrorInitializationError ||
        cudaMalloc((void **)&of_parent, 4) != cudaErrorInitializationError)
        _exit(1);
    if (cudaDeviceReset() || !(of_parent = numbers()) ||
        launch(&add, of_parent, 1, NULL) || cudaDeviceSynchronize())
        _exit(2);
    use_in_child();
}

TEST(children_have_a_device_of_their_own)
{
    NEED_MEMORY();
    of_parent = numbers();
    launch(&add, of_parent, 1, NULL);
    CHECK_EQ(cudaDeviceSynchronize(), cudaSuccess);
    CHECK_EQ(in_child(use_in_child), 0);
    CHECK(all_are(of_parent, 1));
    CHECK_EQ(cudaFree(of_parent), cudaSuccess);
}

/* A function that is in the middle of running until it is released. */
static unsigned held, release_held;

static void hold(void *unused)
{
    (void)unused;
    __atomic_store_n(&held, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&release_held, __ATOMIC_ACQUIRE))
        usleep(1000);
}

TEST(children_are_told_what_is_lost)
{
    NEED_MEMORY();
    of_parent = numbers();
    cudaLaunchHostFunc(NULL, hold, NULL);
    for (unsigned i = 0; i < 20; i++)
        launch(&add, of_parent, 1, NULL);
    while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
        usleep(1000);
    CHECK_EQ(in_child(begin_anew_in_child), 0);
    __atomic_store_n(&release_held, 1, __ATOMIC_RELEASE);
    CHECK_EQ(cudaDeviceSynchronize(), cudaSuccess);
    CHECK(all_are(of_parent, 20));
    CHECK_EQ(cudaFree(of_parent), cudaSuccess);
}

/* ---- Threads ---- */

enum { THREADS = 8, ROUNDS = 30 };

typedef struct hand {
    unsigned number;
    unsigned *shared; /* of all: each adds at its own place */
    unsigned *own;
    cudaGraphExec_t graph; /* own += 1000 */
    cudaStream_t stream;
    cudaEvent_t event;
    pthread_t thread;
    const char *wrong; /* NULL: nothing */
} hand;

static unsigned calls;
static pthread_barrier_t captured; /* whoever captures forbids that others wait
                                      for the whole device */

static void count_call(void *unused)
{
    (void)unused;
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

static cudaError_t capture(hand *h)
{
    cudaGraph_t g;
    cudaError_t is =
        cudaStreamBeginCapture(h->stream, cudaStreamCaptureModeThreadLocal);

    is |= launch(&add, h->own, 1000, h->stream);
    is |= cudaStreamEndCapture(h->stream, &g);
    is |= cudaGraphInstantiateWithFlags(&h->graph, g, 0);
    return is | cudaGraphDestroy(g);
}

static cudaError_t work(hand *h, unsigned round)
{
    unsigned back[LANES], *scratch;
    cudaStream_t s = round % 3 ? h->stream : cudaStreamPerThread;
    cudaError_t is = cudaMalloc((void **)&scratch, 4096 * (1 + round % 4));

    is |= cudaMemsetAsync(scratch, 0, LANES * 4, s);
    is |= launch(&add, scratch, round, s);
    is |= cudaEventRecord(h->event, s);
    is |= cudaStreamWaitEvent(h->stream, h->event, 0);
    is |= cudaLaunchKernel(
        &add, (dim3){1, 1, 1}, (dim3){1, 1, 1},
        (void *[]){&(unsigned *){h->shared + h->number}, &(unsigned){1}}, 0,
        h->stream);
    is |= cudaGraphLaunch(h->graph, h->stream);
    is |= cudaLaunchHostFunc(h->stream, count_call, NULL);
    is |=
        cudaMemcpyAsync(back, scratch, sizeof back, cudaMemcpyDeviceToHost, s);
    if (round % 5 == 0)
        is |= cudaDeviceSynchronize();
    is |= cudaStreamSynchronize(s);
    if (back[LANES - 1] != round)
        h->wrong = "a wrong number came back";
    return is | (round % 2 ? cudaFree(scratch) : cudaFreeAsync(scratch, s));
}

static void *hand_main(void *arg)
{
    hand *h = arg;

    h->own = numbers();
    if (!h->own || cudaStreamCreateWithFlags(&h->stream, h->number % 2) ||
        cudaEventCreate(&h->event) || capture(h))
        h->wrong = "the beginning failed";
    pthread_barrier_wait(&captured);
    for (unsigned i = 0; i < ROUNDS && !h->wrong; i++)
        if (work(h, i))
            h->wrong = "a call failed";
    if (cudaStreamSynchronize(h->stream) || !all_are(h->own, 1000 * ROUNDS) ||
        cudaGraphExecDestroy(h->graph) || cudaEventDestroy(h->event) ||
        cudaStreamDestroy(h->stream) || cudaFree(h->own))
        h->wrong = h->wrong ? h->wrong : "the end failed";
    return NULL;
}

TEST(threads_may_call_at_once)
{
    hand hands[THREADS];

    NEED_MEMORY();
    unsigned *shared = numbers(), got[LANES];
    pthread_barrier_init(&captured, NULL, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        hands[i] = (hand){.number = i, .shared = shared};
        CHECK(!pthread_create(&hands[i].thread, NULL, hand_main, &hands[i]));
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(hands[i].thread, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        CHECK_STR(hands[i].wrong ? hands[i].wrong : "", "");
    CHECK_EQ(cudaDeviceSynchronize(), cudaSuccess);
    CHECK_EQ(cudaMemcpy(got, shared, sizeof got, cudaMemcpyDeviceToHost),
             cudaSuccess);
    for (unsigned i = 0; i < THREADS; i++)
        CHECK_EQ(got[i], ROUNDS);
    CHECK_EQ(calls, THREADS * ROUNDS);
    CHECK_EQ(cudaFree(shared), cudaSuccess);
}
