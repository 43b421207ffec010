/* Calls of the program's functions, in order, from a thread of their own: the
 * program may hold a mutex while it waits for a command, and want the same one
 * in its callback. */
#include <stdlib.h>

#include "base/alloc.h"
#include "driver/command.h"
#include "driver/worker.h"

typedef struct posted {
    struct posted *next;
    void (*call)(void *arg);
    void *arg;
} posted;

/* Part of the process's state, like drv; only with its lock. */
static struct {
    posted *first, **end;
    pthread_cond_t work;
    bool started, ended;
} cb = {.work = PTHREAD_COND_INITIALIZER};

static void *callback_main(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&drv.lock);
    while (!cb.ended) {
        posted *p = cb.first;
        if (!p) {
            pthread_cond_wait(&cb.work, &drv.lock);
            continue;
        }
        cb.first = p->next;
        pthread_mutex_unlock(&drv.lock);
        p->call(p->arg);
        free(p);
        pthread_mutex_lock(&drv.lock);
    }
    cb.started = false;
    pthread_mutex_unlock(&drv.lock);
    return NULL;
}

bool drv_call_soon(void (*call)(void *arg), void *arg)
{
    posted *p = alloc_try_array(1, sizeof *p);

    if (!p)
        return false;
    *p = (posted){NULL, call, arg};
    if (!cb.first)
        cb.end = &cb.first;
    *cb.end = p;
    cb.end = &p->next;
    if (!cb.started)
        cb.started = worker_thread(callback_main);
    else
        pthread_cond_signal(&cb.work);
    return true;
}

void callback_end(void)
{
    cb.ended = true;
    pthread_cond_signal(&cb.work);
}

void callback_reset(void)
{
    pthread_cond_init(&cb.work, NULL);
    cb.started = false;
    cb.first = NULL;
}
