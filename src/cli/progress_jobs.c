/* src/cli/progress_jobs.c - see progress_jobs.h. */
#include "cli/progress_jobs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "cli/cli.h"
#include "cli/jobs.h"

enum { TICK_NS = 200 * 1000 * 1000, WIDTH_MOST = 200 };

struct progress_jobs {
    pthread_t thread;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t wake;
    size_t count, done, failed;
    struct {
        size_t job;
        const char *name;
    } now[JOBS_MOST];
    size_t running;
    double began;
    bool over, visible;
};

/* ---- The line ---- */

static void put_left(const progress_jobs *p, double spent, char *to,
                     size_t size)
{
    double left;

    *to = '\0';
    if (!p->done)
        return;
    left = spent / (double)p->done * (double)(p->count - p->done);
    if (left >= 5400)
        snprintf(to, size, ", %.1f h left", left / 3600);
    else if (left >= 90)
        snprintf(to, size, ", %.0f min left", left / 60);
    else
        snprintf(to, size, ", %.0f s left", left);
}

static void clear(progress_jobs *p)
{
    if (p->visible)
        fputs("\r\033[K", stderr);
    fflush(stderr);
    p->visible = false;
}

/* With the lock. */
static void draw(progress_jobs *p)
{
    char line[WIDTH_MOST * 2], left[40], failed[40] = "";
    double spent = clock_s() - p->began;
    unsigned width = cli_width(stderr);
    size_t n;

    if (spent < 1)
        return;
    width = width < 2 ? 80 : width < WIDTH_MOST ? width : WIDTH_MOST;
    put_left(p, spent, left, sizeof left);
    if (p->failed)
        snprintf(failed, sizeof failed, ", %zu failed", p->failed);
    n = (size_t)snprintf(line, sizeof line, "%zu of %zu done%s%s", p->done,
                         p->count, failed, left);
    for (size_t i = 0; i < p->running && n < width; i++)
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%.40s",
                              i ? ", " : ": ", p->now[i].name);
    fprintf(stderr, "\r\033[K%.*s", (int)width - 1, line);
    fflush(stderr);
    p->visible = true;
}

static void *tick(void *arg)
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
            draw(p);
    }
    clear(p);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- What is done ---- */

progress_jobs *progress_jobs_new(size_t count, bool wanted)
{
    progress_jobs *p;

    if (!wanted || !isatty(STDERR_FILENO))
        return NULL;
    p = calloc(1, sizeof *p);
    MUST(p != NULL);
    p->count = count;
    p->began = clock_s();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    if (pthread_create(&p->thread, NULL, tick, p) == 0)
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
    clear(p);
}

void progress_jobs_show(progress_jobs *p)
{
    if (p)
        pthread_mutex_unlock(&p->lock);
}
