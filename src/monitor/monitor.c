#include "monitor/monitor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "gpu/inspect.h"
#include "monitor/impl.h"
#include "report/run.h"

static const double LOOK_S = 0.25;    /* between two looks, */
static const double ALONE_S = 1;      /* where nobody watches */
static const double WATCHED_S = 3;    /* somebody has polled since */
static const double COMMAND_S = 1;    /* that the server waits for a command */
static const double FAREWELL_S = 1.5; /* for a browser to hear of the end */

/* ---- Beginning and end ---- */

monitor *monitor_new(const monitor_options *how, diag *dg)
{
    monitor *m = new0(1, sizeof *m);
    pthread_condattr_t clock;
    unsigned sms = how->cfg->gpu.sms;

    m->how = *how;
    m->how.command = m->command = new_text(how->command);
    m->how.program = m->program = new_text(how->program);
    m->standing = how->paused;
    m->first_s = -1;
    m->cycles_s = NAN;
    m->insts = new0(sms, sizeof *m->insts);
    m->ipc = new0(sms, sizeof *m->ipc);
    m->marks = new0((size_t)sms * MONITOR_SLOTS, sizeof *m->marks);
    pthread_mutex_init(&m->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&m->changed, &clock);
    pthread_condattr_destroy(&clock);
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
    free(m->command);
    free(m->program);
    free(m->totals);
    free(m->insts);
    free(m->ipc);
    free(m->marks);
    free(m->text);
    free(m->warp);
    free(m);
}

const char *monitor_address(const monitor *m)
{
    return monitor_server_address(m->server);
}

static bool is_stopped(const monitor *m) { return m->how.stop && *m->how.stop; }

/* With the lock: until somebody has changed something, or for so long. */
static void wait_changed(monitor *m, double seconds)
{
    uint64_t ns = clock_ns() + (uint64_t)(seconds * 1e9);
    struct timespec until = {(time_t)(ns / 1000000000),
                             (long)(ns % 1000000000)};

    pthread_cond_timedwait(&m->changed, &m->lock, &until);
}

void monitor_end(monitor *m, status st)
{
    double until = clock_s() + FAREWELL_S;

    pthread_mutex_lock(&m->lock);
    m->ended = true;
    m->end = st;
    m->done = m->commands;
    pthread_cond_broadcast(&m->changed);
    while (!m->told && m->poll_s > 0 && clock_s() < until &&
           clock_s() - m->poll_s < WATCHED_S)
        wait_changed(m, 0.05);
    pthread_mutex_unlock(&m->lock);
}

/* ---- The thread that simulates ---- */

double monitor_ran(const monitor *m)
{
    return (m->stands_s > 0 ? m->stands_s : clock_s()) - m->stood_s;
}

void monitor_launch(monitor *m, size_t number, size_t total)
{
    m->number = number;
    m->total = total;
    m->begun = false;
}

static void begin_launch(monitor *m, const gpu *g)
{
    m->begun = true;
    m->start = m->seen = gpu_now(g);
    m->seen_s = m->launch_s = monitor_ran(m);
    if (m->first_s < 0)
        m->first_s = m->launch_s;
    if (m->totals)
        memset(m->totals, 0, m->total_count * sizeof *m->totals);
    for (unsigned i = 0; i < m->how.cfg->gpu.sms; i++)
        m->insts[i] = sm_warp_insts(gpu_sm(g, i));
    memset(m->marks, 0,
           (size_t)m->how.cfg->gpu.sms * MONITOR_SLOTS * sizeof *m->marks);
}

/* What somebody has asked for since. */
static void take_command(monitor *m, uint64_t now)
{
    pthread_mutex_lock(&m->lock);
    atomic_store(&m->asked, false);
    monitor_command c = m->command_now;
    m->command_now = MONITOR_NONE;
    uint64_t steps = m->steps;
    pthread_mutex_unlock(&m->lock);
    if (c == MONITOR_PAUSE) {
        m->standing = true;
        m->until = 0;
    } else if (c == MONITOR_STEP && m->failed == ST_OK) {
        m->standing = false;
        m->until = now + steps;
    } else if (c == MONITOR_GO) {
        m->standing = false;
        m->until = 0;
        m->failed = ST_OK;
    }
}

/* Leaves behind how things are, and the warp that is wanted. */
static void publish(monitor *m, rt_device *d, const gpu *g)
{
    char *text, *old, *warp = NULL;

    monitor_measure(m, d, g);
    text = monitor_snapshot(m, g);
    pthread_mutex_lock(&m->lock);
    bool inspects = m->inspects;
    unsigned i = m->in_sm, slot = m->slot;
    pthread_mutex_unlock(&m->lock);
    if (inspects)
        warp = monitor_warp(m, g, i, slot);
    double now = clock_s();
    pthread_mutex_lock(&m->lock);
    old = m->text;
    m->text = text;
    m->text_s = now;
    if (warp) {
        free(m->warp);
        m->warp = warp;
        m->inspects = false;
    }
    if (m->standing || !m->until)
        m->done = m->commands - (m->command_now != MONITOR_NONE);
    bool watched = m->poll_s > 0 && now - m->poll_s < WATCHED_S;
    m->next_s = now + (watched ? LOOK_S : ALONE_S);
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
    free(old);
}

/* Until somebody asks for something, or the run is to stop. */
static void wait_asked(monitor *m)
{
    pthread_mutex_lock(&m->lock);
    while (!atomic_load(&m->asked) && !is_stopped(m))
        wait_changed(m, 0.05);
    pthread_mutex_unlock(&m->lock);
}

uint64_t monitor_look(void *arg, rt_device *d, const gpu *g, status st)
{
    monitor *m = arg;
    uint64_t now = gpu_now(g);

    if (st == ST_OK && m->begun && !(m->until && now >= m->until) &&
        !atomic_load_explicit(&m->asked, memory_order_relaxed) &&
        clock_s() < m->next_s)
        return m->until;
    if (!m->begun)
        begin_launch(m, g);
    if (m->until && now >= m->until) {
        m->standing = true;
        m->until = 0;
    }
    if (st != ST_OK && m->how.hold) {
        m->failed = st;
        m->standing = true;
    }
    for (m->stands_s = clock_s();;) {
        take_command(m, now);
        publish(m, d, g);
        if (!m->standing || is_stopped(m))
            break;
        wait_asked(m);
    }
    m->stood_s += clock_s() - m->stands_s;
    m->stands_s = 0;
    return m->until;
}

/* ---- The server's thread ---- */

char *monitor_state(monitor *m, bool *last)
{
    strbuf b = {0};
    double now = clock_s();

    pthread_mutex_lock(&m->lock);
    m->poll_s = now;
    *last = m->ended;
    strbuf_printf(
        &b, "{\"age\": %.3f, \"ended\": ", m->text ? now - m->text_s : 0.);
    if (m->ended)
        strbuf_printf(&b, "\"%s\"", report_status(m->end));
    else
        strbuf_puts(&b, "null");
    strbuf_printf(&b, ", \"machine\": %s}\n", m->text ? m->text : "null");
    pthread_mutex_unlock(&m->lock);
    return b.text;
}

bool monitor_ask(monitor *m, monitor_command c, uint64_t cycles)
{
    double until = clock_s() + COMMAND_S;

    pthread_mutex_lock(&m->lock);
    m->command_now = c;
    m->steps = cycles;
    uint64_t mine = ++m->commands;
    atomic_store(&m->asked, true);
    pthread_cond_broadcast(&m->changed);
    while (m->done < mine && clock_s() < until)
        wait_changed(m, 0.05);
    bool done = m->done >= mine;
    pthread_mutex_unlock(&m->lock);
    return done;
}

char *monitor_ask_warp(monitor *m, unsigned number, unsigned slot)
{
    double until = clock_s() + COMMAND_S;
    char *text;

    pthread_mutex_lock(&m->lock);
    free(m->warp);
    m->warp = NULL;
    m->in_sm = number;
    m->slot = slot;
    m->inspects = true;
    atomic_store(&m->asked, true);
    pthread_cond_broadcast(&m->changed);
    while (!m->warp && !m->ended && clock_s() < until)
        wait_changed(m, 0.05);
    text = m->warp;
    m->warp = NULL;
    m->inspects = false;
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
