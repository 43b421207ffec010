/* src/session/server.h with client.h: programs that behave in every way. */
#include "session/server.h"

#include <time.h>

#include "config/print.h"

#include "program.h"
#include "test.h"

typedef struct rig {
    config_sheet *sheet;
    const config *cfg;
    session_setup *setup;
    session_outcome *outcome;
    const report_program *said;
    volatile sig_atomic_t signal;
    const session_watch *watch;
    int why;
    double seconds;
} rig;

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void rig_init(rig *r)
{
    diag *dg = diag_new();
    strbuf text = {0};

    *r = (rig){.sheet = config_sheet_new(), .setup = session_setup_new()};
    CHECK_EQ(config_sheet_load(r->sheet, "k20", dg), ST_OK);
    CHECK_EQ(config_sheet_set(r->sheet, "gpu.sms=1", CONFIG_FROM_SET, dg),
             ST_OK);
    r->cfg = config_sheet_values(r->sheet);
    config_dump(r->cfg, &text);
    r->setup->devices = ARENA_NEW(r->setup->mem, session_device);
    r->setup->devices[0] =
        (session_device){"k20", arena_strdup(r->setup->mem, text.text)};
    r->setup->device_count = 1;
    strbuf_fini(&text);
    diag_free(dg);
}

static void rig_fini(rig *r)
{
    session_outcome_free(r->outcome);
    session_setup_free(r->setup);
    config_sheet_free(r->sheet);
}

static status rig_run_program(rig *r, const char *mode, const char *const *argv)
{
    char variable[64];
    const char *env[] = {variable, NULL};
    sigset_t usual;
    diag *dg = diag_new();
    double began = seconds();

    sigemptyset(&usual);
    snprintf(variable, sizeof variable, MODE "=%s", mode);
    status st = session_run(&(session_request){.argv = argv,
                                               .env = env,
                                               .setup = r->setup,
                                               .configs = &r->cfg,
                                               .each = 8,
                                               .usual = &usual,
                                               .signal = &r->signal,
                                               .watch = r->watch,
                                               .grace_ms = 300},
                            &r->why, dg, &r->outcome);
    r->seconds = seconds() - began;
    CHECK_EQ(diag_errors(dg), 0);
    diag_free(dg);
    if (st == ST_OK)
        r->said = session_outcome_get(r->outcome);
    return st;
}

static void rig_run(rig *r, const char *mode)
{
    const char *argv[] = {"/proc/self/exe", "argument", NULL};

    CHECK_EQ(rig_run_program(r, mode, argv), ST_OK);
}

TEST(launches_are_told_with_totals)
{
    rig r;

    rig_init(&r);
    rig_run(&r, "good");
    CHECK_EQ(r.said->exit_code, 0);
    CHECK_EQ(r.said->process_count, 1);
    const report_process *p = &r.said->processes[0];
    CHECK(p->pid > 1);
    CHECK_EQ(p->parent, getpid());
    CHECK_STR(p->command, "/proc/self/exe argument");
    CHECK(p->ended && !p->running && !p->broken);
    CHECK(p->has_hash);
    CHECK_EQ(p->hash, 42);
    CHECK_EQ(p->moved.read, 64);
    CHECK_EQ(p->note_count, 1);
    CHECK_STR(p->notes[0], "mind the gap");
    CHECK_EQ(p->launch_count, 3);
    const report_launch *l = &p->launches[2];
    CHECK_STR(l->kernel->name, "first");
    CHECK_EQ(l->status, ST_OK);
    CHECK(!l->unfinished && !l->functional);
    CHECK_EQ(l->grid[0], 2);
    CHECK_EQ(l->ctas, 2);
    CHECK(l->cycles > 0 && l->totals && !l->counters && !l->profile);
    CHECK_EQ(stats_total_sum(l->stats, l->totals, "sm[*].warp_insts", NULL),
             l->warp_insts);
    CHECK(l->warp_insts > 0);
    rig_fini(&r);
}

TEST(what_is_asked_for_is_sent)
{
    rig r;

    rig_init(&r);
    r.setup->profile = r.setup->sources = r.setup->per_block = true;
    r.setup->filter.skip = 1;
    rig_run(&r, "good");
    const report_process *p = &r.said->processes[0];
    CHECK_EQ(p->launch_count, 3);
    CHECK(p->launches[0].functional && !p->launches[0].totals);
    const report_launch *l = &p->launches[2];
    CHECK(l->counters && l->profile && l->source);
    CHECK_EQ(stats_sum(l->stats, l->counters, "sm[*].warp_insts", NULL),
             l->warp_insts);
    uint64_t insts = 0;
    for (uint32_t i = 0; i <= l->kernel->code_count; i++)
        insts += l->profile[i].insts;
    CHECK_EQ(insts, l->warp_insts);
    CHECK(l->source->file_count && l->sources);
    rig_fini(&r);
}

TEST(what_was_done_before_a_crash_is_there)
{
    rig r;

    rig_init(&r);
    rig_run(&r, "crash");
    CHECK_EQ(r.said->signal, SIGKILL);
    CHECK_EQ(r.said->exit_code, 0);
    const report_process *p = &r.said->processes[0];
    CHECK(!p->ended && !p->broken);
    CHECK_EQ(p->launch_count, 4);
    CHECK(!p->launches[2].unfinished);
    CHECK(p->launches[3].unfinished);
    CHECK_STR(p->launches[3].kernel->name, "second");
    rig_fini(&r);
}

TEST(leaving_without_a_word_loses_nothing)
{
    rig r;

    rig_init(&r);
    rig_run(&r, "exit");
    CHECK_EQ(r.said->processes[0].launch_count, 3);
    CHECK(!r.said->processes[0].ended);
    rig_fini(&r);
}

TEST(a_forked_child_has_a_record_of_its_own)
{
    rig r;

    rig_init(&r);
    rig_run(&r, "fork");
    CHECK_EQ(r.said->exit_code, 3);
    CHECK_EQ(r.said->process_count, 2);
    const report_process *a = &r.said->processes[0];
    const report_process *b = &r.said->processes[1];
    CHECK_EQ(a->launch_count, 4);
    CHECK_EQ(b->launch_count, 1);
    CHECK_EQ(b->parent, a->pid);
    CHECK_STR(b->launches[0].kernel->name, "second");
    CHECK_EQ(a->moved.read, 64); /* the child moved nothing more */
    CHECK_EQ(b->moved.read, 0);
    CHECK(a->ended && b->ended);
    rig_fini(&r);
}

TEST(a_program_may_close_what_it_does_not_know)
{
    rig r;

    rig_init(&r);
    rig_run(&r, "closes");
    CHECK_EQ(r.said->exit_code, 0);
    CHECK_EQ(r.said->process_count, 2); /* connections */
    CHECK_EQ(r.said->processes[0].launch_count, 3);
    CHECK_EQ(r.said->processes[1].launch_count, 2);
    CHECK(!r.said->processes[1].broken);
    CHECK_EQ(r.said->processes[0].moved.read, 64);
    CHECK_EQ(r.said->processes[1].moved.read, 36); /* 100 in all */
    rig_fini(&r);
}

TEST(a_process_that_stays_is_not_waited_for)
{
    rig r;

    rig_init(&r);
    rig_run(&r, "daemon");
    CHECK_EQ(r.said->process_count, 2);
    CHECK(r.said->processes[1].running);
    CHECK(r.seconds < 8);
    rig_fini(&r);
}

TEST(a_program_without_opencl_has_no_process)
{
    rig r;

    rig_init(&r);
    rig_run(&r, "silent");
    CHECK_EQ(r.said->process_count, 0);
    CHECK_EQ(r.said->exit_code, 0);
    CHECK(strstr(r.said->unused, "nothing that it loaded or started"));
    rig_fini(&r);
}

TEST(nonsense_is_cut_off)
{
    static const char *const modes[] = {"garbage", "huge", "early"};

    for (unsigned i = 0; i < 3; i++) {
        rig r;

        rig_init(&r);
        rig_run(&r, modes[i]);
        CHECK_EQ(r.said->exit_code, 0);
        CHECK_EQ(r.said->process_count, 1);
        CHECK(r.said->processes[0].broken);
        CHECK_EQ(r.said->processes[0].launch_count, 0);
        CHECK(r.seconds < 8);
        rig_fini(&r);
    }
}

/* It is what a crash in the middle of a message leaves. */
TEST(a_message_that_was_cut_off_is_forgotten)
{
    rig r;

    rig_init(&r);
    rig_run(&r, "cut");
    CHECK_EQ(r.said->process_count, 1);
    CHECK_EQ(r.said->processes[0].pid, 9);
    CHECK(!r.said->processes[0].broken);
    rig_fini(&r);
}

TEST(a_signal_is_passed_on)
{
    rig r;

    rig_init(&r);
    r.signal = SIGTERM;
    rig_run(&r, "sleep");
    CHECK_EQ(r.said->signal, SIGTERM);
    rig_fini(&r);
}

/* Somebody who watches: lets it stand still, and go on when it does. */
typedef struct watcher {
    unsigned asked;
    bool stood, went; /* as it said */
    char kernel[16];  /* that it was in then */
    unsigned processes;
} watcher;

static bool watcher_take(void *arg, lookout_ask *out)
{
    watcher *w = arg;

    if (w->asked != w->stood)
        return false;
    *out = (lookout_ask){.command = w->asked++ ? LOOKOUT_GO : LOOKOUT_PAUSE,
                         .number = w->asked};
    return true;
}

static void watcher_tell(void *arg, const lookout_seen *s)
{
    watcher *w = arg;

    CHECK_STR(s->text, "{}");
    w->stood |= s->standing && s->done == 1;
    w->went |= !s->standing && s->done == 2;
}

static void watcher_now(void *arg, const session_now *now)
{
    watcher *w = arg;

    if (now->kernel)
        snprintf(w->kernel, sizeof w->kernel, "%s", now->kernel);
    if (now->processes > w->processes)
        w->processes = now->processes;
}

TEST(what_is_asked_reaches_the_program_and_what_it_saw_comes_back)
{
    watcher who = {.asked = 0};
    const session_watch watch = {
        .line = {.take = watcher_take, .tell = watcher_tell, .arg = &who},
        .bell = -1,
        .now = watcher_now,
        .arg = &who};
    rig r;

    rig_init(&r);
    r.setup->watch = (session_watching){.wanted = true, .hold = true};
    r.watch = &watch;
    rig_run(&r, "watched");
    CHECK_EQ(r.said->exit_code, 0);
    CHECK(who.stood && who.went && who.asked == 2);
    CHECK_STR(who.kernel, "first");
    CHECK_EQ(who.processes, 1);
    rig_fini(&r);
}

TEST(what_cannot_be_started_is_told)
{
    const char *missing[] = {"/no/such/program", NULL};
    const char *folder[] = {"/", NULL};
    rig r;

    rig_init(&r);
    CHECK_EQ(rig_run_program(&r, "x", missing), ST_USAGE);
    CHECK_EQ(r.why, ENOENT);
    CHECK_EQ(rig_run_program(&r, "x", folder), ST_USAGE);
    CHECK_EQ(r.why, EACCES);
    rig_fini(&r);
}

/* The session dies: the program must run to its end as if nothing was. */
TEST(a_program_outlives_its_session)
{
    int ends[2];
    char text[3] = "", number[16];
    rig r;

    CHECK_EQ(pipe(ends), 0);
    rig_init(&r);
    pid_t session = fork();
    if (session == 0) {
        snprintf(number, sizeof number, "%d", ends[1]);
        setenv("SESSION_TEST_FD", number, 1);
        rig_run(&r, "orphan");
        _exit(0);
    }
    close(ends[1]);
    CHECK_EQ(read(ends[0], text, 2), 2);
    CHECK_STR(text, "ok");
    CHECK_EQ(waitpid(session, NULL, 0), session);
    close(ends[0]);
    rig_fini(&r);
}

TEST(without_a_session_there_is_no_client)
{
    session_setup *s = NULL;
    diag *dg = diag_new();

    CHECK(!session_connect(NULL, dg, &s));
    CHECK_EQ(diag_errors(dg), 0);
    CHECK(!session_connect("heddle-nobody-listens", dg, &s));
    CHECK_EQ(diag_errors(dg), 1);
    session_open o;
    session_begin(NULL, NULL, &o);
    session_progress(&o, NULL);
    session_ended(&o, NULL);
    session_result(&o, NULL, NULL, NULL, NULL, NULL, NULL);
    session_moved(NULL, NULL);
    session_note(NULL, "nothing");
    session_close(NULL, NULL);
    diag_free(dg);
}
