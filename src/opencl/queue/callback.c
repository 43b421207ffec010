/* Calls of the program's functions, in order, from a thread of their own: the
 * program may hold a mutex while it waits for a command, and want the same one
 * in its callback. */
#include <stdlib.h>

#include "base/alloc.h"
#include "opencl/queue/event.h"
#include "opencl/queue/worker.h"

typedef struct posted {
    struct posted *next;
    void (*call)(void *arg);
    void *arg;
} posted;

/* Part of the process's state, like ocl_state; only with its lock. */
static struct {
    posted *first, **end;
    pthread_cond_t work;
    bool started, ended;
} cb = {.work = PTHREAD_COND_INITIALIZER};

static void *callback_main(void *arg)
{
    ocl_state *s = arg;

    pthread_mutex_lock(&s->lock);
    while (!cb.ended) {
        posted *p = cb.first;
        if (!p) {
            pthread_cond_wait(&cb.work, &s->lock);
            continue;
        }
        cb.first = p->next;
        pthread_mutex_unlock(&s->lock);
        p->call(p->arg);
        free(p);
        pthread_mutex_lock(&s->lock);
    }
    cb.started = false;
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

bool callback_post(void (*call)(void *arg), void *arg)
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
        cb.started = worker_thread(callback_main, state_get());
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
