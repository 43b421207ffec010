/* src/cli/progress_jobs.c - see progress_jobs.h. */
#include "cli/progress_jobs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/jobs.h"
#include "cli/progress_words.h"

enum { TICK_NS = 200 * 1000 * 1000, WIDTH_MOST = 200, LONG_S = 5 };

struct progress_jobs {
    pthread_t thread;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t wake;
    size_t count, done, failed;
    struct {
        size_t job;
        const char *name;
        double began;
    } now[JOBS_MOST];
    size_t running;
    double began;
    const char *advice; /* not given yet */
    bool over, visible;
};

/* ---- The line ---- */

static void put_left(const progress_jobs *p, double spent, char *to,
                     size_t size)
{
    *to = '\0';
    if (p->done)
        snprintf(to, size, ", about %s left",
                 progress_time(spent / (double)p->done *
                               (double)(p->count - p->done))
                     .s);
}

static void clear_jobs_line(progress_jobs *p)
{
    if (p->visible)
        fputs("\r\033[K", stderr);
    fflush(stderr);
    p->visible = false;
}

/* "spmv 34 s", of what has just begun only the name. */
static size_t put_job(const progress_jobs *p, size_t i, char *to, size_t size)
{
    double spent = clock_s() - p->now[i].began;
    size_t n =
        (size_t)snprintf(to, size, "%s%.40s", i ? ", " : ": ", p->now[i].name);

    if (spent >= LONG_S && n < size)
        n += (size_t)snprintf(to + n, size - n, " %s", progress_time(spent).s);
    return n;
}

static void advise_on_jobs(progress_jobs *p)
{
    for (size_t i = 0; p->advice && i < p->running; i++) {
        double spent = clock_s() - p->now[i].began;

        if (spent < PROGRESS_ADVICE_S)
            continue;
        clear_jobs_line(p);
        fprintf(stderr, "heddle: '%s' runs for %s\n  %s\n", p->now[i].name,
                progress_time(spent).s, p->advice);
        p->advice = NULL;
    }
}

/* With the lock. */
static void draw_jobs_line(progress_jobs *p)
{
    char line[WIDTH_MOST * 2], left[64], failed[40] = "";
    double spent = clock_s() - p->began;
    unsigned width = cli_width(stderr);
    size_t n;

    if (spent < 1)
        return;
    advise_on_jobs(p);
    width = width < 2 ? 80 : width < WIDTH_MOST ? width : WIDTH_MOST;
    put_left(p, spent, left, sizeof left);
    if (p->failed)
        snprintf(failed, sizeof failed, ", %zu failed", p->failed);
    n = (size_t)snprintf(line, sizeof line, "%zu of %zu done%s%s", p->done,
                         p->count, failed, left);
    for (size_t i = 0; i < p->running && n < width; i++)
        n += put_job(p, i, line + n, sizeof line - n);
    fprintf(stderr, "\r\033[K%.*s", (int)width - 1, line);
    fflush(stderr);
    p->visible = true;
}

static void *redraw_thread(void *arg)
{
    progress_jobs *p = arg;

    pthread_mutex_lock(&p->lock);
    while (!p->over) {
        struct timespec until;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TICK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&p->wake, &p->lock, &until);
        if (!p->over)
            draw_jobs_line(p);
    }
    clear_jobs_line(p);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- What is done ---- */

progress_jobs *progress_jobs_new(size_t count, bool wanted, const char *advice)
{
    progress_jobs *p;

    if (!wanted || !isatty(STDERR_FILENO))
        return NULL;
    p = new0(1, sizeof *p);
    p->count = count;
    p->advice = advice;
    p->began = clock_s();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    if (pthread_create(&p->thread, NULL, redraw_thread, p) == 0)
        return p;
    free(p); /* so there is no line */
    return NULL;
}

void progress_jobs_free(progress_jobs *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->over = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void progress_jobs_begin(progress_jobs *p, size_t job, const char *name)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    if (p->running < JOBS_MOST) {
        p->now[p->running].job = job;
        p->now[p->running].began = clock_s();
        p->now[p->running++].name = name;
    }
    pthread_mutex_unlock(&p->lock);
}

void progress_jobs_end(progress_jobs *p, size_t job, bool good)
{
    size_t i = 0;

    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->done++;
    p->failed += !good;
    while (i < p->running && p->now[i].job != job)
        i++;
    if (i < p->running) {
        memmove(&p->now[i], &p->now[i + 1],
                (p->running - i - 1) * sizeof *p->now);
        p->running--;
    }
    pthread_mutex_unlock(&p->lock);
}

void progress_jobs_hide(progress_jobs *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    clear_jobs_line(p);
}

void progress_jobs_show(progress_jobs *p)
{
    if (p)
        pthread_mutex_unlock(&p->lock);
}
