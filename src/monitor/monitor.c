#include "monitor/monitor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "monitor/impl.h"
#include "text/json.h"

static const double STALE_S = 0.25; /* a text that somebody polls */
static const double FRESH_S = 0.1;  /* that the server waits for a new one, */
static const double COMMAND_S = 1;  /* and for a command */
static const double PATIENCE_S = 0.05; /* that a lookout waits at a time */
static const double WATCHED_S = 3;     /* somebody has polled since */
static const double FAREWELL_S = 1.5;  /* for a browser to hear of the end */

/* ---- Beginning and end ---- */

static void init_lock(monitor *m)
{
    pthread_condattr_t clock;

    pthread_mutex_init(&m->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&m->changed, &clock);
    pthread_condattr_destroy(&clock);
}

/* With the lock. */
static void post(monitor *m)
{
    uint64_t once = 1;

    atomic_store(&m->asked, true);
    if (m->bell >= 0)
        (void)!write(m->bell, &once, sizeof once);
    pthread_cond_broadcast(&m->changed);
}

/* With the lock. */
static uint64_t post_command(monitor *m, lookout_command c, uint64_t cycles)
{
    m->ask.command = c;
    m->ask.cycles = cycles;
    m->ask.number = ++m->commands;
    m->halts = c != LOOKOUT_GO;
    post(m);
    return m->commands;
}

monitor *monitor_new(const monitor_options *how, diag *dg)
{
    monitor *m = new0(1, sizeof *m);

    m->how = *how;
    m->command = new_text(how->command);
    m->about = new0(how->devices, sizeof *m->about);
    for (unsigned i = 0; i < how->devices; i++)
        m->about[i] = monitor_about(how->configs[i], how->command);
    m->left = (monitor_left){NAN, NAN};
    init_lock(m);
    m->bell = how->program ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;
    if (how->paused)
        post_command(m, LOOKOUT_PAUSE, 0);
    m->server = monitor_server_new(m, how->port, dg);
    if (m->server)
        return m;
    monitor_free(m);
    return NULL;
}

void monitor_free(monitor *m)
{
    if (!m)
        return;
    monitor_server_free(m->server);
    pthread_cond_destroy(&m->changed);
    pthread_mutex_destroy(&m->lock);
    if (m->bell >= 0)
        close(m->bell);
    for (unsigned i = 0; i < m->how.devices; i++)
        free(m->about[i]);
    free(m->about);
    free(m->command);
    free(m->text);
    free(m->warp);
    free(m->kernel);
    free(m->end);
    free(m);
}

const char *monitor_address(const monitor *m)
{
    return monitor_server_address(m->server);
}

int monitor_bell(const monitor *m) { return m->bell; }

/* With the lock: until somebody has changed something, or for so long. */
static void wait_changed(monitor *m, double seconds)
{
    uint64_t ns = clock_ns() + (uint64_t)(seconds * 1e9);
    struct timespec until = {(time_t)(ns / 1000000000),
                             (long)(ns % 1000000000)};

    pthread_cond_timedwait(&m->changed, &m->lock, &until);
}

void monitor_end(monitor *m, const char *how)
{
    double until = clock_s() + FAREWELL_S;

    pthread_mutex_lock(&m->lock);
    m->end = new_text(how);
    m->done = m->commands;
    pthread_cond_broadcast(&m->changed);
    while (!m->told && m->poll_s > 0 && clock_s() < until &&
           clock_s() - m->poll_s < WATCHED_S)
        wait_changed(m, PATIENCE_S);
    pthread_mutex_unlock(&m->lock);
}

void monitor_release(monitor *m)
{
    pthread_mutex_lock(&m->lock);
    post_command(m, LOOKOUT_GO, 0);
    pthread_mutex_unlock(&m->lock);
}

/* ---- The line's other end ---- */

static bool line_asked(void *arg)
{
    monitor *m = arg;

    return atomic_load_explicit(&m->asked, memory_order_relaxed);
}

static bool line_take(void *arg, lookout_ask *out)
{
    monitor *m = arg;
    uint64_t rung;

    pthread_mutex_lock(&m->lock);
    bool any = atomic_exchange(&m->asked, false);
    if (any) {
        *out = m->ask;
        m->ask = (lookout_ask){.command = LOOKOUT_NONE};
        if (m->bell >= 0)
            (void)!read(m->bell, &rung, sizeof rung);
    }
    pthread_mutex_unlock(&m->lock);
    return any;
}

static bool line_wait(void *arg)
{
    monitor *m = arg;

    pthread_mutex_lock(&m->lock);
    if (!atomic_load(&m->asked))
        wait_changed(m, PATIENCE_S);
    pthread_mutex_unlock(&m->lock);
    return true;
}

static void replace(char **text, const char *by)
{
    free(*text);
    *text = by ? new_text(by) : NULL;
}

static void line_tell(void *arg, const lookout_seen *s)
{
    monitor *m = arg;
    monitor_left left = {NAN, NAN};

    if (m->how.left)
        left = m->how.left(m->how.left_arg, s);
    pthread_mutex_lock(&m->lock);
    replace(&m->text, s->text);
    m->text_s = clock_s();
    m->device = s->device;
    m->standing = s->standing;
    m->left = left;
    m->looks = false;
    if (s->warp)
        replace(&m->warp, s->warp);
    if (s->done > m->done)
        m->done = s->done;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
}

lookout_line monitor_line(monitor *m)
{
    return (lookout_line){.asked = line_asked,
                          .take = line_take,
                          .wait = line_wait,
                          .tell = line_tell,
                          .arg = m};
}

/* ---- A program ---- */

static bool is_same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

void monitor_follow(monitor *m, const session_now *now)
{
    pthread_mutex_lock(&m->lock);
    if (!is_same(m->kernel, now->kernel))
        replace(&m->kernel, now->kernel);
    m->program = *now;
    if (now->pid && now->pid != m->pid) { /* it has not told anything yet */
        m->pid = now->pid;
        m->standing = m->looks = false;
        replace(&m->text, NULL);
    }
    pthread_mutex_unlock(&m->lock);
}

/* Can anything be asked of it? Of a program only while it times a launch. */
static bool is_simulating(const monitor *m)
{
    return !m->end &&
           (!m->how.program || (m->kernel && !m->program.functional));
}

/* ---- The server's thread ---- */

/* With the lock: asks for a text that is not too old. */
static void freshen(monitor *m, double now)
{
    if (!is_simulating(m) || m->standing || m->looks ||
        now - m->text_s < STALE_S)
        return;
    m->looks = true;
    post(m);
    while (m->looks && !m->end && clock_s() < now + FRESH_S)
        wait_changed(m, FRESH_S);
}

static void put_program(json *j, const monitor *m)
{
    const session_now *p = &m->program;

    if (!m->how.program) {
        json_text(j, "program", NULL);
        return;
    }
    json_open(j, "program", '{');
    json_u64(j, "launches", p->launches);
    json_u64(j, "processes", p->processes);
    json_u64(j, "pid", p->pid);
    json_text(j, "kernel", m->kernel);
    json_bool(j, "timed", m->kernel && !p->functional);
    json_close(j, '{');
}

char *monitor_state(monitor *m, bool *last)
{
    double now = clock_s();
    json_memory text;
    json *j = json_memory_begin(&text);

    pthread_mutex_lock(&m->lock);
    m->poll_s = now;
    freshen(m, now);
    *last = m->end != NULL;
    json_real(j, "age", m->text ? clock_s() - m->text_s : 0);
    json_text(j, "ended", m->end);
    json_bool(j, "halts", m->halts);
    json_u64(j, "device", m->device);
    put_program(j, m);
    json_open(j, "left", '{');
    json_real(j, "launch_s", m->left.launch_s);
    json_real(j, "all_s", m->left.all_s);
    json_close(j, '{');
    json_raw(j, "machine", m->text);
    pthread_mutex_unlock(&m->lock);
    return json_memory_end(&text);
}

bool monitor_ask(monitor *m, lookout_command c, uint64_t cycles)
{
    double until = clock_s() + COMMAND_S;

    pthread_mutex_lock(&m->lock);
    uint64_t mine = post_command(m, c, cycles);
    while (m->done < mine && is_simulating(m) && clock_s() < until)
        wait_changed(m, PATIENCE_S);
    bool done = m->done >= mine;
    pthread_mutex_unlock(&m->lock);
    return done;
}

char *monitor_ask_warp(monitor *m, unsigned number, unsigned slot)
{
    double until = clock_s() + COMMAND_S;
    char *text;

    pthread_mutex_lock(&m->lock);
    replace(&m->warp, NULL);
    m->ask.inspects = true;
    m->ask.device = m->device;
    m->ask.sm = number;
    m->ask.slot = slot;
    post(m);
    while (!m->warp && is_simulating(m) && clock_s() < until)
        wait_changed(m, PATIENCE_S);
    text = m->warp;
    m->warp = NULL;
    pthread_mutex_unlock(&m->lock);
    return text;
}

void monitor_told(monitor *m)
{
    pthread_mutex_lock(&m->lock);
    m->told = true;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
}
