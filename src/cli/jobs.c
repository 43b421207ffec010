/* src/cli/jobs.c - see jobs.h. */
#include "cli/jobs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/signals.h"

typedef struct pool {
    pthread_mutex_t lock;
    size_t next, count;
    void (*one)(void *arg, size_t i);
    void *arg;
} pool;

static void *job_thread(void *arg)
{
    pool *p = arg;

    pthread_mutex_lock(&p->lock);
    while (p->next < p->count && !*signals_stop()) {
        size_t i = p->next++;

        pthread_mutex_unlock(&p->lock);
        p->one(p->arg, i);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

void jobs_run(size_t count, unsigned jobs, void (*one)(void *arg, size_t i),
              void *arg)
{
    pool p = {PTHREAD_MUTEX_INITIALIZER, 0, count, one, arg};
    pthread_t thread[JOBS_MOST];
    unsigned started = 0;

    while (started + 1 < jobs && started + 1 < count &&
           pthread_create(&thread[started], NULL, job_thread, &p) == 0)
        started++;
    job_thread(&p);
    while (started)
        pthread_join(thread[--started], NULL);
}

const char *jobs_own_folder(arena *mem)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    self[n > 0 ? n : 0] = '\0';
    slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    return arena_strdup(mem, self);
}

const char *jobs_build_folder(arena *mem)
{
    static const char *const places[] = {"", "/../" HEDDLE_LIBDIR "/heddle",
                                         "/../lib/heddle"};
    const char *own = jobs_own_folder(mem);

    for (size_t i = 0; i < COUNTOF(places); i++) {
        const char *folder = arena_printf(mem, "%s%s", own, places[i]);

        if (access(arena_printf(mem, "%s/workloads", folder), F_OK) == 0)
            return jobs_absolute(mem, folder);
    }
    return own;
}

const char *jobs_suite(arena *mem, const char *path)
{
    const char *there =
        arena_printf(mem, "%s/../share/heddle/%s", jobs_own_folder(mem), path);

    if (*path == '/' || *path == '.' || access(path, F_OK) == 0 ||
        access(arena_printf(mem, "%s/suite.yaml", there), F_OK) != 0)
        return path;
    return jobs_absolute(mem, there);
}

const char *jobs_absolute(arena *mem, const char *path)
{
    char *whole = realpath(path, NULL);
    const char *copy = arena_strdup(mem, whole ? whole : path);

    free(whole);
    return copy;
}

const char *jobs_tmp(void)
{
    const char *tmp = getenv("TMPDIR");

    return tmp && *tmp == '/' ? tmp : "/tmp";
}
