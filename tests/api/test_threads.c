/* Several simulations in one process, at once. */
#include <pthread.h>

#include "rig.h"

typedef struct job {
    const char *gpu;
    uint32_t threads;
    uint64_t cycles, hash;
    bool good;
} job;

/* Opens, loads, launches twice, steps through a third; and closes. */
static bool simulate(job *j)
{
    heddle_options how = HEDDLE_OPTIONS_INIT;
    heddle_result *r = NULL;
    heddle_sim *sim;
    rig_saxpy s;

    how.gpu = j->gpu;
    how.threads = j->threads;
    how.settings = rig_small;
    how.setting_count = 1;
    if (heddle_open(&how, &sim) != HEDDLE_OK)
        return false;
    rig_saxpy_init(&s, sim);
    for (unsigned i = 0; i < 2; i++)
        if (heddle_run(s.kernel, &s.launch, NULL) != HEDDLE_OK)
            return false;
    if (heddle_begin(s.kernel, &s.launch) != HEDDLE_OK)
        return false;
    while (!r)
        if (heddle_advance(sim, 200, NULL, &r) != HEDDLE_OK)
            return false;
    j->cycles = heddle_result_cycles(r);
    bool good = heddle_hash(sim, &j->hash) == HEDDLE_OK &&
                heddle_result_json(r) && heddle_json(sim);
    heddle_close(sim);
    return good;
}

static void *work(void *arg)
{
    job *j = arg;

    j->good = simulate(j);
    return NULL;
}

TEST(simulations_in_threads_do_as_alone)
{
    job alone[3] = {{.gpu = "v100"}, {.gpu = "k20"}, {.gpu = "v100"}};
    job beside[3] = {{.gpu = "v100"}, {.gpu = "k20"}, {.gpu = "v100"}};
    pthread_t thread[3];

    beside[2].threads = 2; /* of its own */
    for (unsigned i = 0; i < 3; i++)
        work(&alone[i]);
    for (unsigned i = 0; i < 3; i++)
        CHECK(!pthread_create(&thread[i], NULL, work, &beside[i]));
    for (unsigned i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    for (unsigned i = 0; i < 3; i++) {
        CHECK(alone[i].good && beside[i].good);
        CHECK(alone[i].cycles > 0);
        CHECK_EQ(beside[i].cycles, alone[i].cycles);
        CHECK_EQ(beside[i].hash, alone[i].hash);
    }
    CHECK(alone[0].hash != alone[1].hash);
    CHECK_EQ(alone[0].hash, alone[2].hash);
}

/* A second thread finds a simulation in use, and does not disturb it. */
typedef struct intruder {
    heddle_sim *sim;
    int begun, busy; /* `busy`: so many calls found it so */
    unsigned other;
} intruder;

static void *intrude(void *arg)
{
    intruder *in = arg;
    uint64_t hash;

    while (!__atomic_load_n(&in->begun, __ATOMIC_ACQUIRE))
        ;
    for (unsigned i = 0; i < 100; i++) {
        heddle_code code = heddle_hash(in->sim, &hash);

        in->other += code != HEDDLE_BUSY;
        __atomic_add_fetch(&in->busy, code == HEDDLE_BUSY, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* The launch lasts until all of them have come. */
static int await_intruder(void *arg, const heddle_progress *p)
{
    intruder *in = arg;

    (void)p;
    __atomic_store_n(&in->begun, 1, __ATOMIC_RELEASE);
    return __atomic_load_n(&in->busy, __ATOMIC_ACQUIRE) == 100;
}

TEST(a_simulation_in_use_is_busy)
{
    heddle_callbacks calls = HEDDLE_CALLBACKS_INIT;
    intruder in = {.sim = rig_open()};
    heddle_buffer *y;
    pthread_t thread;
    uint64_t hash;

    calls.progress = await_intruder;
    calls.arg = &in;
    OK(in.sim, heddle_set_callbacks(in.sim, &calls));
    OK(in.sim, heddle_alloc(in.sim, 4, "y", &y));
    heddle_kernel *k = rig_kernel(in.sim, "forever");
    heddle_arg args[] = {HEDDLE_BUFFER(y)};
    heddle_launch l = rig_launch(args, 1, 32);
    l.max_cycles = (uint64_t)1 << 40;
    CHECK(!pthread_create(&thread, NULL, intrude, &in));
    heddle_code code = heddle_run(k, &l, NULL);
    pthread_join(thread, NULL);
    CHECK_EQ(code, HEDDLE_CANCELLED);
    CHECK_EQ(in.busy, 100);
    CHECK_EQ(in.other, 0);
    OK(in.sim, heddle_hash(in.sim, &hash));
    heddle_close(in.sim);
}

typedef struct listener {
    pthread_t caller;
    unsigned told, others;
} listener;

static int hear(void *arg, const heddle_progress *p)
{
    listener *l = arg;

    l->told++;
    l->others +=
        !pthread_equal(pthread_self(), l->caller) || p->ctas_done > p->ctas;
    return 0;
}

/* Also of a launch that several threads compute. */
TEST(progress_comes_in_the_callers_thread)
{
    heddle_options how = HEDDLE_OPTIONS_INIT;
    heddle_callbacks calls = HEDDLE_CALLBACKS_INIT;
    listener l = {.caller = pthread_self()};
    heddle_sim *sim;
    rig_saxpy s;

    how.threads = 3;
    how.flags = HEDDLE_FUNCTIONAL;
    OK(sim, heddle_open(&how, &sim));
    calls.progress = hear;
    calls.arg = &l;
    OK(sim, heddle_set_callbacks(sim, &calls));
    rig_saxpy_init(&s, sim);
    s.launch.grid[0] = 100000; /* most of which do nothing */
    OK(sim, heddle_run(s.kernel, &s.launch, NULL));
    rig_saxpy_check(&s);
    CHECK(l.told > 1);
    CHECK_EQ(l.others, 0);
    heddle_close(sim);
}
