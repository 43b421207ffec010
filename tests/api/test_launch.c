/* Launches: what they compute, count, and how they end. */
#include <math.h>
#include <pthread.h>
#include <sys/resource.h>

#include "rig.h"

TEST(a_launch_computes_and_is_timed)
{
    heddle_sim *sim = rig_open();
    heddle_result *r;
    rig_saxpy s;
    double ctas, insts, ipc;

    rig_saxpy_init(&s, sim);
    CHECK_EQ(heddle_counter_count(sim), 0);
    OK(sim, heddle_run(s.kernel, &s.launch, &r));
    rig_saxpy_check(&s);
    CHECK_EQ(heddle_result_code(r), HEDDLE_OK);
    CHECK_STR(heddle_result_kernel(r), "saxpy");
    /* A load from DRAM alone takes some hundred. */
    CHECK(heddle_result_cycles(r) > 400 && heddle_result_cycles(r) < 20000);
    OK(sim, heddle_result_figure(r, "ctas", &ctas));
    CHECK(ctas == RIG_CTAS);
    OK(sim, heddle_result_figure(r, "warp_insts", &insts));
    OK(sim, heddle_result_figure(r, "ipc", &ipc));
    CHECK(fabs(ipc - insts / (double)heddle_result_cycles(r)) < 1e-9);
    heddle_close(sim);
}

TEST(figures_have_names_units_and_suggestions)
{
    heddle_sim *sim = rig_open();
    heddle_result *r;
    heddle_info info;
    rig_saxpy s;
    double value;
    bool has_cycles = false;

    for (size_t i = 0; heddle_figure_info(i, &info) == HEDDLE_OK; i++)
        has_cycles |= !strcmp(info.name, "cycles") &&
                      !strcmp(info.unit, "cycle") && info.help[0];
    CHECK(has_cycles);
    rig_saxpy_init(&s, sim);
    OK(sim, heddle_run(s.kernel, &s.launch, &r));
    for (size_t i = 0; i < heddle_figure_count(); i++) {
        OK(sim, heddle_figure_info(i, &info));
        OK(sim, heddle_result_figure(r, info.name, &value));
    }
    CHECK_EQ(heddle_result_figure(r, "cicles", &value), HEDDLE_NOT_FOUND);
    CHECK_ERROR(sim, "did you mean 'cycles'?");
    heddle_close(sim);
}

TEST(counters_are_of_a_launch_and_add_up)
{
    heddle_sim *sim = rig_open();
    heddle_result *r[2];
    uint64_t one, two, all, by_block = 0;
    const uint64_t *values;
    heddle_info info;
    rig_saxpy s;
    size_t n;

    rig_saxpy_init(&s, sim);
    s.launch.flags = HEDDLE_PER_BLOCK;
    OK(sim, heddle_run(s.kernel, &s.launch, &r[0]));
    OK(sim, heddle_run(s.kernel, &s.launch, &r[1]));
    CHECK(heddle_counter_count(sim) > 100);
    values = heddle_result_counters(r[0], &n);
    CHECK_EQ(n, heddle_counter_count(sim));
    for (size_t i = 0; i < n; i++) {
        OK(sim, heddle_counter_info(sim, i, &info));
        OK(sim, heddle_result_counter(r[0], info.name, &one));
        OK(sim, heddle_result_counter(r[1], info.name, &two));
        OK(sim, heddle_total(sim, info.name, &all));
        CHECK_EQ(one, values[i]);
        CHECK_EQ(all, one + two);
    }
    OK(sim, heddle_result_counter(r[1], "gpu.ctas", &two));
    CHECK_EQ(two, RIG_CTAS);
    OK(sim, heddle_result_counter(r[0], "sm[*].warp_insts", &all));
    for (unsigned i = 0; i < 2; i++) {
        char name[32];

        snprintf(name, sizeof name, "sm[%u].warp_insts", i);
        OK(sim, heddle_result_counter(r[0], name, &one));
        CHECK(one > 0); /* 8 CTAs on 2 SMs */
        by_block += one;
    }
    CHECK_EQ(by_block, all);
    CHECK_EQ(heddle_result_counter(r[0], "sm[*].warp_inst", &one),
             HEDDLE_NOT_FOUND);
    CHECK_ERROR(sim, "did you mean 'sm[*].warp_insts'?");
    CHECK_EQ(heddle_counter_info(sim, n, &info), HEDDLE_BAD_ARGUMENT);
    heddle_close(sim);
}

TEST(without_timing_there_are_results_and_no_counters)
{
    heddle_sim *sim = rig_open();
    heddle_result *r;
    rig_saxpy s;
    double value;
    uint64_t count;

    rig_saxpy_init(&s, sim);
    s.launch.flags = HEDDLE_FUNCTIONAL;
    OK(sim, heddle_run(s.kernel, &s.launch, &r));
    rig_saxpy_check(&s);
    CHECK_EQ(heddle_result_cycles(r), 0);
    CHECK(!heddle_result_counters(r, NULL));
    OK(sim, heddle_result_figure(r, "cycles", &value));
    CHECK(isnan(value));
    OK(sim, heddle_result_figure(r, "ipc", &value));
    CHECK(isnan(value));
    OK(sim, heddle_result_figure(r, "ctas", &value));
    CHECK(value == RIG_CTAS);
    CHECK_EQ(heddle_result_counter(r, "gpu.ctas", &count), HEDDLE_NOT_FOUND);
    CHECK_ERROR(sim, "nothing was timed");
    heddle_close(sim);
}

/* ---- Arguments ---- */

TEST(arguments_are_checked)
{
    heddle_sim *sim = rig_open(), *other = rig_open();
    heddle_buffer *foreign;
    heddle_result *r;
    rig_saxpy s;
    uint64_t wide = 1000;

    rig_saxpy_init(&s, sim);
    OK(other, heddle_alloc(other, 4, NULL, &foreign));
    s.launch.arg_count = 3;
    CHECK_EQ(heddle_run(s.kernel, &s.launch, &r), HEDDLE_BAD_ARGUMENT);
    CHECK(!r);
    CHECK_ERROR(sim, "kernel 'saxpy' has 4 parameters, but 3 arguments are");
    s.launch.arg_count = UINT64_MAX;
    CHECK_EQ(heddle_run(s.kernel, &s.launch, &r), HEDDLE_BAD_ARGUMENT);
    s.launch.arg_count = 4;
    s.args[3] = (heddle_arg)HEDDLE_VALUE(wide);
    CHECK_EQ(heddle_run(s.kernel, &s.launch, &r), HEDDLE_BAD_ARGUMENT);
    CHECK_ERROR(sim, "parameter 3 ('n', 4 bytes): the argument has 8 bytes");
    s.args[3] = (heddle_arg)HEDDLE_BUFFER(s.x);
    CHECK_EQ(heddle_run(s.kernel, &s.launch, &r), HEDDLE_BAD_ARGUMENT);
    CHECK_ERROR(sim, "it is no pointer, but the argument is the buffer 'x'");
    s.args[3] = (heddle_arg)HEDDLE_VALUE(s.n);
    s.args[0] = (heddle_arg)HEDDLE_BUFFER(foreign);
    CHECK_EQ(heddle_run(s.kernel, &s.launch, &r), HEDDLE_BAD_ARGUMENT);
    CHECK_ERROR(sim, "another simulation");
    s.args[0] = (heddle_arg){NULL, 0, NULL, 0};
    CHECK_EQ(heddle_run(s.kernel, &s.launch, &r), HEDDLE_BAD_ARGUMENT);
    CHECK_ERROR(sim, "parameter 0 ('x', 8 bytes)");
    s.args[0] = (heddle_arg){NULL, 0, s.x, UINT64_MAX};
    CHECK_EQ(heddle_run(s.kernel, &s.launch, &r), HEDDLE_BAD_ARGUMENT);
    s.launch.args = NULL;
    CHECK_EQ(heddle_run(s.kernel, &s.launch, &r), HEDDLE_BAD_ARGUMENT);
    CHECK_ERROR(sim, "args is NULL");
    heddle_close(sim);
    heddle_close(other);
}

TEST(an_offset_is_added_to_the_address)
{
    heddle_sim *sim = rig_open();
    rig_saxpy s;
    float y[RIG_N];

    rig_saxpy_init(&s, sim);
    s.args[0].offset = 4; /* x[i + 1] = i + 1 */
    s.n = RIG_N - 1;
    OK(sim, heddle_run(s.kernel, &s.launch, NULL));
    OK(sim, heddle_read(s.y, 0, y, sizeof y));
    for (unsigned i = 0; i < RIG_N - 1; i++)
        CHECK_EQ(y[i], 2 * i + 3 * (i + 1));
    CHECK_EQ(y[RIG_N - 1], 2 * (RIG_N - 1));
    heddle_close(sim);
}

TEST(launches_out_of_bounds_are_refused)
{
    static const struct {
        uint32_t grid[3], block[3], cluster[3], shared;
    } bad[] = {
        {{0, 1, 1}, {1, 1, 1}, {0}, 0},
        {{1, 1, 1}, {0, 1, 1}, {0}, 0},
        {{1, 1, 1}, {UINT32_MAX, UINT32_MAX, UINT32_MAX}, {0}, 0},
        {{1, 1, 1}, {1u << 31, 1u << 31, 4}, {0}, 0}, /* 0 modulo 2^64 */
        {{UINT32_MAX, UINT32_MAX, UINT32_MAX}, {1, 1, 1}, {0}, 0},
        {{1, 1, 1}, {1025, 1, 1}, {0}, 0},
        {{1, 1, 1}, {1, 1, 1}, {UINT32_MAX, 1, 1}, 0},
        {{1, 1, 1}, {1, 1, 1}, {0}, UINT32_MAX},
    };
    heddle_sim *sim = rig_open();
    heddle_result *r;
    rig_saxpy s;

    rig_saxpy_init(&s, sim);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        memcpy(s.launch.grid, bad[i].grid, sizeof s.launch.grid);
        memcpy(s.launch.block, bad[i].block, sizeof s.launch.block);
        memcpy(s.launch.cluster, bad[i].cluster, sizeof s.launch.cluster);
        s.launch.shared_bytes = bad[i].shared;
        if (heddle_run(s.kernel, &s.launch, &r) != HEDDLE_BAD_ARGUMENT)
            TEST_FAIL("launch %u: %s", i, heddle_error(sim));
        CHECK(!r && heddle_error(sim)[0]);
    }
    rig_saxpy_init(&s, sim);
    OK(sim, heddle_run(s.kernel, &s.launch, NULL));
    rig_saxpy_check(&s);
    heddle_close(sim);
}

/* ---- Faults and other ends ---- */

TEST(a_fault_has_its_kind_place_and_address)
{
    heddle_sim *sim = rig_open();
    heddle_buffer *y;
    heddle_result *r;
    heddle_fault f;
    uint32_t n = 100;

    OK(sim, heddle_alloc(sim, 400, "y", &y));
    heddle_arg args[] = {HEDDLE_BUFFER(y), HEDDLE_VALUE(n)};
    heddle_launch l = rig_launch(args, 2, 64);
    CHECK_EQ(heddle_run(rig_kernel(sim, "stray"), &l, &r), HEDDLE_FAULT);
    CHECK_EQ(heddle_result_code(r), HEDDLE_FAULT);
    OK(sim, heddle_result_fault(r, &f));
    CHECK_EQ(f.kind, HEDDLE_FAULT_BOUNDS);
    CHECK_STR(f.what, "access outside every allocation");
    CHECK_EQ(f.address, heddle_buffer_address(y) + 408);
    CHECK_EQ(f.bytes, 4);
    CHECK_EQ(f.write, 1);
    CHECK_EQ(f.thread[0], 37);
    CHECK_EQ(f.warp, 1);
    CHECK_EQ(f.lane, 5);
    CHECK_EQ(f.cta[0], 0);
    CHECK_STR(f.file, "rig.ptx");
    /* The store is in the line that says so. */
    const char *at = rig_ptx;
    for (unsigned i = 1; i < f.line; i++)
        at = strchr(at, '\n') + 1;
    CHECK(!strncmp(at, "st.global.u32 [%d4+8], %r3;", 27));
    CHECK(strstr(f.text, "stray") && strstr(f.text, "'y'"));
    CHECK_ERROR(sim, f.text);
    heddle_close(sim);
}

TEST(after_a_fault_the_simulation_goes_on)
{
    heddle_sim *sim = rig_open();
    heddle_result *r, *good;
    heddle_fault f;
    rig_saxpy s;

    rig_saxpy_init(&s, sim);
    heddle_arg args[] = {HEDDLE_BUFFER(s.x)};
    heddle_launch l = rig_launch(args, 1, 1);
    for (unsigned i = 0; i < 2; i++) { /* timed and not */
        l.flags = i ? HEDDLE_FUNCTIONAL : 0;
        CHECK_EQ(heddle_run(rig_kernel(sim, "odd"), &l, &r), HEDDLE_FAULT);
        OK(sim, heddle_result_fault(r, &f));
        CHECK_EQ(f.kind, HEDDLE_FAULT_MISALIGNED);
        CHECK_EQ(f.address, heddle_buffer_address(s.x) + 2);
    }
    OK(sim, heddle_run(s.kernel, &s.launch, &good));
    rig_saxpy_check(&s);
    CHECK_EQ(heddle_result_fault(good, &f), HEDDLE_NOT_FOUND);
    heddle_close(sim);
}

TEST(what_spins_for_ever_is_a_hang)
{
    heddle_sim *sim = rig_open();
    heddle_buffer *y;
    heddle_result *r;

    OK(sim, heddle_alloc(sim, 4, "y", &y));
    heddle_arg args[] = {HEDDLE_BUFFER(y)};
    heddle_launch l = rig_launch(args, 1, 1);
    CHECK_EQ(heddle_run(rig_kernel(sim, "spin"), &l, &r), HEDDLE_HANG);
    CHECK_EQ(heddle_result_code(r), HEDDLE_HANG);
    CHECK_ERROR(sim, "hangs");
    heddle_close(sim);
}

TEST(a_limit_of_cycles_ends_a_launch)
{
    heddle_sim *sim = rig_open();
    heddle_buffer *y;
    heddle_result *r;

    OK(sim, heddle_alloc(sim, 4, "y", &y));
    heddle_arg args[] = {HEDDLE_BUFFER(y)};
    heddle_launch l = rig_launch(args, 1, 32);
    l.max_cycles = 20000;
    CHECK_EQ(heddle_run(rig_kernel(sim, "forever"), &l, &r), HEDDLE_LIMIT);
    CHECK(heddle_result_cycles(r) >= 20000);
    CHECK(heddle_result_cycles(r) < 21000); /* a window more at most */
    heddle_close(sim);
}

/* ---- Steps ---- */

TEST(steps_change_no_bit)
{
    heddle_sim *whole = rig_open(), *steps = rig_open();
    heddle_result *a, *b = NULL, *seen;
    heddle_progress p;
    rig_saxpy s, t;
    uint64_t hash_a, hash_b, before = 0;
    unsigned n = 0;

    rig_saxpy_init(&s, whole);
    rig_saxpy_init(&t, steps);
    OK(whole, heddle_run(s.kernel, &s.launch, &a));
    OK(steps, heddle_begin(t.kernel, &t.launch));
    CHECK_EQ(heddle_begin(t.kernel, &t.launch), HEDDLE_BUSY);
    seen = a;
    CHECK_EQ(heddle_run(t.kernel, &t.launch, &seen), HEDDLE_BUSY);
    CHECK(!seen);
    CHECK_EQ(heddle_free(t.x), HEDDLE_BUSY);
    for (;; n++) {
        OK(steps, heddle_advance(steps, 100, &p, &b));
        CHECK_EQ(!!p.running, !b);
        if (b)
            break;
        CHECK(p.cycles >= before + 100 && p.cycles < before + 300);
        CHECK_EQ(p.ctas, RIG_CTAS);
        before = p.cycles;
        OK(steps, heddle_look(steps, &seen));
        CHECK_EQ(heddle_result_cycles(seen), p.cycles);
        heddle_result_free(seen);
    }
    CHECK(n >= 3);
    CHECK_EQ(p.ctas_done, RIG_CTAS);
    CHECK_EQ(heddle_result_cycles(a), heddle_result_cycles(b));
    CHECK_EQ(p.cycles, heddle_result_cycles(b));
    OK(whole, heddle_hash(whole, &hash_a));
    OK(steps, heddle_hash(steps, &hash_b));
    CHECK_EQ(hash_a, hash_b);
    rig_saxpy_check(&t);
    CHECK_EQ(heddle_advance(steps, 1, NULL, &b), HEDDLE_NOT_FOUND);
    CHECK_EQ(heddle_look(steps, &seen), HEDDLE_NOT_FOUND);
    heddle_close(whole);
    heddle_close(steps);
}

TEST(a_launch_in_flight_can_be_closed)
{
    heddle_sim *sim = rig_open();
    heddle_result *r;
    rig_saxpy s;

    rig_saxpy_init(&s, sim);
    OK(sim, heddle_begin(s.kernel, &s.launch));
    OK(sim, heddle_advance(sim, 300, NULL, &r));
    CHECK(!r);
    heddle_close(sim);
}

/* ---- Cancelling ---- */

typedef struct watcher {
    unsigned progress, begun, ended, lines, busy;
    heddle_sim *sim;
    char text[256];
} watcher;

static int stop_at_third(void *arg, const heddle_progress *p)
{
    watcher *w = arg;

    CHECK(p->running);
    return ++w->progress == 3;
}

TEST(a_callback_cancels)
{
    heddle_callbacks calls = HEDDLE_CALLBACKS_INIT;
    heddle_sim *sim = rig_open();
    heddle_buffer *y;
    heddle_result *r;
    watcher w = {0};
    rig_saxpy s;

    calls.progress = stop_at_third;
    calls.arg = &w;
    OK(sim, heddle_set_callbacks(sim, &calls));
    OK(sim, heddle_alloc(sim, 4, "y", &y));
    heddle_arg args[] = {HEDDLE_BUFFER(y)};
    heddle_launch l = rig_launch(args, 1, 32);
    CHECK_EQ(heddle_run(rig_kernel(sim, "forever"), &l, &r), HEDDLE_CANCELLED);
    CHECK_EQ(w.progress, 3);
    CHECK(heddle_result_cycles(r) > 0);
    CHECK_EQ(heddle_result_code(r), HEDDLE_CANCELLED);
    /* The next is not concerned. */
    rig_saxpy_init(&s, sim);
    OK(sim, heddle_run(s.kernel, &s.launch, NULL));
    rig_saxpy_check(&s);
    heddle_close(sim);
}

static int count_progress(void *arg, const heddle_progress *p)
{
    CHECK_EQ(p->ctas, 1);
    ++*(unsigned *)arg;
    return 0;
}

TEST(callbacks_come_and_go_while_it_is_in_flight)
{
    heddle_callbacks calls = HEDDLE_CALLBACKS_INIT;
    heddle_sim *sim = rig_open();
    unsigned told = 0, before;
    heddle_buffer *y;
    heddle_result *r;
    watcher w = {0};

    OK(sim, heddle_alloc(sim, 4, "y", &y));
    heddle_arg args[] = {HEDDLE_BUFFER(y)};
    heddle_launch l = rig_launch(args, 1, 32);
    OK(sim, heddle_begin(rig_kernel(sim, "forever"), &l));
    calls.progress = count_progress;
    calls.arg = &told;
    OK(sim, heddle_set_callbacks(sim, &calls));
    OK(sim, heddle_advance(sim, 50000, NULL, &r));
    before = told;
    CHECK(before > 1);
    OK(sim, heddle_set_callbacks(sim, NULL));
    OK(sim, heddle_advance(sim, 50000, NULL, &r));
    CHECK_EQ(told, before);
    calls.progress = stop_at_third;
    calls.arg = &w;
    OK(sim, heddle_set_callbacks(sim, &calls));
    CHECK_EQ(heddle_advance(sim, HEDDLE_TO_THE_END, NULL, &r),
             HEDDLE_CANCELLED);
    CHECK_EQ(w.progress, 3);
    heddle_close(sim);
}

/* It has begun when its first progress is there. */
static int tell_begun(void *arg, const heddle_progress *p)
{
    (void)p;
    __atomic_store_n((int *)arg, 1, __ATOMIC_RELEASE);
    return 0;
}

typedef struct canceller {
    heddle_sim *sim;
    int begun;
} canceller;

static void *cancel_soon(void *arg)
{
    canceller *c = arg;

    while (!__atomic_load_n(&c->begun, __ATOMIC_ACQUIRE))
        ;
    heddle_cancel(c->sim);
    return NULL;
}

TEST(another_thread_cancels)
{
    for (unsigned i = 0; i < 2; i++) { /* timed and not */
        heddle_callbacks calls = HEDDLE_CALLBACKS_INIT;
        heddle_sim *sim = rig_open();
        canceller c = {.sim = sim};
        heddle_buffer *y;
        heddle_result *r;
        pthread_t thread;

        calls.progress = tell_begun;
        calls.arg = &c.begun;
        OK(sim, heddle_set_callbacks(sim, &calls));
        OK(sim, heddle_alloc(sim, 4, "y", &y));
        heddle_arg args[] = {HEDDLE_BUFFER(y)};
        heddle_launch l = rig_launch(args, 1, 32);
        l.flags = i ? HEDDLE_FUNCTIONAL : 0;
        heddle_kernel *k = rig_kernel(sim, "forever");
        CHECK(!pthread_create(&thread, NULL, cancel_soon, &c));
        heddle_code code = heddle_run(k, &l, &r);
        pthread_join(thread, NULL);
        CHECK_EQ(code, HEDDLE_CANCELLED);
        heddle_close(sim);
    }
}

/* ---- Callbacks ---- */

static void on_begin(void *arg, const heddle_begin_info *b)
{
    watcher *w = arg;
    heddle_buffer *other;

    w->begun += !strcmp(b->kernel, "say") && b->block[0] == 40;
    w->busy += heddle_alloc(w->sim, 4, NULL, &other) == HEDDLE_BUSY;
}

static void on_line(void *arg, const heddle_line *l)
{
    watcher *w = arg;
    char want[32];

    snprintf(want, sizeof want, "thread %u\n", l->thread[0]);
    w->lines += !strcmp(l->text, want) && l->length == strlen(want);
}

static void on_end(void *arg, heddle_result *r)
{
    watcher *w = arg;
    double ctas;

    w->ended += heddle_result_figure(r, "ctas", &ctas) == HEDDLE_OK &&
                ctas == 1 && heddle_result_json(r) != NULL;
}

TEST(callbacks_hear_of_launches_and_lines)
{
    heddle_callbacks calls = HEDDLE_CALLBACKS_INIT;
    heddle_sim *sim = rig_open();
    heddle_launch l = rig_launch(NULL, 0, 40);
    watcher w = {.sim = sim};
    heddle_result *r;
    heddle_line line;
    uint64_t lost = 1;
    bool seen[40] = {false};

    calls.begin = on_begin;
    calls.line = on_line;
    calls.end = on_end;
    calls.arg = &w;
    OK(sim, heddle_set_callbacks(sim, &calls));
    OK(sim, heddle_run(rig_kernel(sim, "say"), &l, &r));
    CHECK_EQ(w.begun, 1);
    CHECK_EQ(w.busy, 1);
    CHECK_EQ(w.lines, 40);
    CHECK_EQ(w.ended, 1);
    CHECK_EQ(heddle_result_line_count(r, &lost), 40);
    CHECK_EQ(lost, 0);
    for (unsigned i = 0; i < 40; i++) {
        OK(sim, heddle_result_line(r, i, &line));
        CHECK(line.thread[0] < 40 && !seen[line.thread[0]]);
        seen[line.thread[0]] = true;
    }
    CHECK_EQ(heddle_result_line(r, 40, &line), HEDDLE_BAD_ARGUMENT);
    heddle_close(sim);
}

/* ---- What outlives what ---- */

TEST(results_outlive_their_module)
{
    heddle_sim *sim = rig_open();
    heddle_module *m;
    heddle_kernel *k;
    heddle_launch l = rig_launch(NULL, 0, 32);
    heddle_result *r;

    OK(sim, heddle_load(sim, "gone.ptx", rig_ptx, sizeof rig_ptx - 1, &m));
    OK(sim, heddle_kernel_find(m, "say", &k));
    OK(sim, heddle_run(k, &l, &r));
    OK(sim, heddle_unload(m));
    CHECK_STR(heddle_result_kernel(r), "say");
    CHECK(strstr(heddle_result_json(r), "\"kernel\": \"say\""));
    CHECK(strstr(heddle_json(sim), "gone.ptx"));
    heddle_result_free(r);
    CHECK(!strstr(heddle_json(sim), "\"kernel\""));
    heddle_close(sim);
}

/* ---- The host's memory ---- */

/* Under sanitizers memory cannot be limited like this. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#ifndef SANITIZED
static uint64_t address_space_used(void)
{
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    CHECK(f && fscanf(f, "%llu", &pages) == 1);
    fclose(f);
    return pages * 4096;
}
#endif

TEST(a_simulation_without_memory_of_the_host_is_lost_and_no_more)
{
#ifdef SANITIZED
    TEST_SKIP("sanitizers need the address space");
#else
    struct rlimit before, tight;
    heddle_options how = HEDDLE_OPTIONS_INIT;
    heddle_sim *sim, *next;
    rig_saxpy s;

    OK(sim, heddle_open(&how, &sim)); /* all 80 SMs: some 100 MB */
    rig_saxpy_init(&s, sim);
    getrlimit(RLIMIT_AS, &before);
    tight = before;
    tight.rlim_cur = address_space_used() + (4 << 20);
    CHECK(!setrlimit(RLIMIT_AS, &tight));
    heddle_code code = heddle_run(s.kernel, &s.launch, NULL);
    heddle_code again = heddle_run(s.kernel, &s.launch, NULL);
    setrlimit(RLIMIT_AS, &before);
    CHECK_EQ(code, HEDDLE_NO_MEMORY);
    CHECK_ERROR(sim, "out of memory");
    CHECK_EQ(again, HEDDLE_LOST);
    heddle_close(sim);
    next = rig_open();
    rig_saxpy_init(&s, next);
    OK(next, heddle_run(s.kernel, &s.launch, NULL));
    rig_saxpy_check(&s);
    heddle_close(next);
#endif
}
