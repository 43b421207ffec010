#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/must.h"
#include "opencl/event.h"
#include "opencl/launch.h"
#include "opencl/worker.h"

enum { /* commands in queues; who enqueues more runs some himself */
       WORKER_MANY = 4096,
       /* seconds that the end of the program waits for what still runs */
       WORKER_PATIENCE = 2,
};

/* Part of the process's state, like ocl_state; only with its lock. */
static struct {
    ocl_command *first, *last; /* pending, in order of enqueueing */
    uint64_t enqueued;         /* number of the last one */
    uint64_t flushed;          /* the worker runs commands up to this one, */
    uint64_t wanted;           /* and past blocked ones up to this one */
    unsigned pending;
    unsigned waiting;     /* threads that wait for `changed` */
    ocl_command *running; /* in `runner`, NULL: none */
    pthread_t runner;
    bool prepared; /* for forks */
    bool started;  /* the worker's thread */
    bool idle;     /* it waits for `work` */
    bool ended;    /* nothing starts any more */
} w;

volatile sig_atomic_t worker_stop;

/* ---- What can run ---- */

static bool can_run(const ocl_command *c)
{
    const struct _cl_command_queue *q = c->queue;

    if (q->first != c) {
        if (!(q->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) ||
            c->after_all || c->after > q->barriers_ended)
            return false;
    }
    for (unsigned i = 0; i < c->wait_count; i++)
        if (c->waits[i]->status > CL_COMPLETE)
            return false;
    return true;
}

static ocl_command *next_command(void)
{
    for (ocl_command *c = w.first; c; c = c->next)
        if (can_run(c))
            return c;
    return NULL;
}

/* What the worker may run while nobody waits. */
static ocl_command *next_flushed(void)
{
    if (!w.first || w.first->number > w.flushed)
        return NULL;
    ocl_command *c = next_command();
    return c == w.first || (c && c->number <= w.wanted) ? c : NULL;
}

/* ---- Simulated time ---- */

static uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* When all that the command waits for has ended. */
static uint64_t ready_ns(const ocl_command *c)
{
    const struct _cl_command_queue *q = c->queue;
    bool free_order = q->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    uint64_t t = max64(c->event->queued_ns, q->barrier_ns);

    if (!free_order || c->after_all)
        t = max64(t, q->end_ns);
    for (unsigned i = 0; i < c->wait_count; i++)
        t = max64(t, c->waits[i]->end_ns);
    return t;
}

/* A command without duration needs no device. */
static void set_times(const ocl_command *c)
{
    cl_device_id d = c->queue->device;
    cl_event e = c->event;

    e->start_ns = ready_ns(c);
    if (c->duration_ns)
        e->start_ns = max64(e->start_ns, d->free_ns);
    e->end_ns = e->start_ns + c->duration_ns;
    if (c->duration_ns)
        d->free_ns = e->end_ns;
}

/* ---- Running one ---- */

static void unlink_command(ocl_command *c)
{
    cl_command_queue q = c->queue;
    ocl_command **at = &w.first, *before = NULL;

    for (; *at != c; at = &before->next)
        before = *at;
    *at = c->next;
    if (w.last == c)
        w.last = before;
    before = NULL;
    for (at = &q->first; *at != c; at = &before->next_here)
        before = *at;
    *at = c->next_here;
    if (q->last == c)
        q->last = before;
    w.pending--;
}

static void end_command(ocl_command *c, cl_int result)
{
    cl_command_queue q = c->queue;
    cl_event e = c->event;

    set_times(c);
    q->end_ns = max64(q->end_ns, e->end_ns);
    if (c->blocks) {
        q->barriers_ended = c->number;
        q->barrier_ns = max64(q->barrier_ns, e->end_ns);
    }
    unlink_command(c);
    event_enter(e, result);
    command_free(c);
    if (w.waiting)
        pthread_cond_broadcast(&state_get()->changed);
}

void worker_leave(void)
{
    ocl_state *s = state_get();

    pthread_mutex_unlock(&s->machine);
}

void worker_enter(void)
{
    ocl_state *s = state_get();

    pthread_mutex_lock(&s->machine);
}

static cl_int perform(ocl_command *c)
{
    ocl_state *s = state_get();

    if (!c->run)
        return CL_SUCCESS;
    w.running = c;
    w.runner = pthread_self();
    pthread_mutex_unlock(&s->lock);
    worker_enter();
    cl_int result = c->run(c);
    worker_leave();
    pthread_mutex_lock(&s->lock);
    w.running = NULL;
    if (result)
        c->queue->fault = true;
    return result;
}

static void run_command(ocl_command *c)
{
    cl_int result = CL_SUCCESS;

    for (unsigned i = 0; i < c->wait_count; i++)
        if (c->waits[i]->status < 0)
            result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    event_enter(c->event, CL_SUBMITTED);
    if (!result) {
        event_enter(c->event, CL_RUNNING);
        result = perform(c);
    }
    end_command(c, result);
}

/* ---- The worker's thread ---- */

static void *worker_main(void *arg)
{
    ocl_state *s = arg;
    ocl_command *c;

    pthread_mutex_lock(&s->lock);
    while (!w.ended) {
        if (!w.running && (c = next_flushed())) {
            run_command(c);
            continue;
        }
        w.idle = true;
        pthread_cond_wait(&s->work, &s->lock);
        w.idle = false;
    }
    w.started = false;
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

bool worker_thread(void *(*run)(void *arg), void *arg)
{
    sigset_t all, old;
    pthread_t thread;
    pthread_attr_t attr;

    if (pthread_attr_init(&attr))
        return false;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sigfillset(&all); /* signals are for the program's threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool made = !pthread_create(&thread, &attr, run, arg);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return made;
}

/* Gets the worker going if there is something for it. Without a thread - none
 * can be made - commands run when somebody waits for them. */
static void rouse(void)
{
    ocl_state *s = state_get();

    if (w.running || w.ended || !next_flushed())
        return;
    if (!w.started)
        w.started = worker_thread(worker_main, s);
    else if (w.idle)
        pthread_cond_signal(&s->work);
}

/* ---- Forks and the end of the program ---- */

/* A child gets the state as it was between two commands. What was pending
 * stays the parent's, as on a GPU; to the child it has failed. */
static void before_fork(void)
{
    ocl_state *s = state_get();

    pthread_mutex_lock(&s->lock);
    pthread_mutex_lock(&s->machine);
}

static void after_fork_parent(void)
{
    ocl_state *s = state_get();

    pthread_mutex_unlock(&s->machine);
    pthread_mutex_unlock(&s->lock);
}

static void after_fork_child(void)
{
    ocl_state *s = state_get();
    ocl_command *mine = worker_is_me() ? w.running : NULL, *c = w.first, *next;

    pthread_mutex_unlock(&s->machine);
    pthread_cond_init(&s->changed, NULL);
    pthread_cond_init(&s->work, NULL);
    callback_reset();
    w.started = w.idle = false;
    w.waiting = 0;
    w.running = mine;
    for (; c; c = next) {
        next = c->next;
        if (c == mine)
            continue;
        event_forget(c->event);
        unlink_command(c);
        command_free(c);
    }
    launch_forget();
    pthread_mutex_unlock(&s->lock);
}

/* The worker stops; destructors of the program that still wait
 * for commands run them themselves. The thread that ends the program may be
 * one that runs a command, or a signal may have come in the middle of a
 * call. */
bool worker_end(void)
{
    ocl_state *s = state_get();
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WORKER_PATIENCE;
    if (pthread_mutex_timedlock(&s->lock, &until))
        return false;
    w.ended = true;
    worker_stop = 1;
    pthread_cond_broadcast(&s->work);
    callback_end();
    w.waiting++;
    while (w.running && !worker_is_me())
        if (pthread_cond_timedwait(&s->changed, &s->lock, &until))
            break;
    w.waiting--;
    worker_stop = 0;
    bool idle = !w.running;
    pthread_mutex_unlock(&s->lock);
    return idle;
}

static void prepare(void)
{
    if (w.prepared)
        return;
    w.prepared = true;
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* ---- For the others ---- */

void worker_flush(void)
{
    w.flushed = w.enqueued;
    rouse();
}

void worker_want(const ocl_command *c)
{
    w.flushed = w.wanted = max64(w.flushed, c->number);
    rouse();
}

void worker_changed(void)
{
    if (w.waiting)
        pthread_cond_broadcast(&state_get()->changed);
    rouse();
}

bool worker_is_me(void)
{
    return w.running && pthread_equal(w.runner, pthread_self());
}

static void wait_until(bool (*done)(const void *arg), const void *arg,
                       bool only_try)
{
    ocl_state *s = state_get();

    while (!done(arg)) {
        ocl_command *c = w.running ? NULL : next_command();
        if (c) {
            run_command(c);
            continue;
        }
        if (only_try && (!w.running || worker_is_me()))
            break;
        w.waiting++;
        pthread_cond_wait(&s->changed, &s->lock);
        w.waiting--;
    }
    rouse();
}

void worker_wait(bool (*done)(const void *arg), const void *arg)
{
    wait_until(done, arg, false);
}

void worker_try(bool (*done)(const void *arg), const void *arg)
{
    wait_until(done, arg, true);
}

static bool nothing_left(const void *arg)
{
    (void)arg;
    return !w.first;
}

void commands_drain(void) { wait_until(nothing_left, NULL, true); }

static bool half_left(const void *arg)
{
    (void)arg;
    return w.pending <= WORKER_MANY / 2;
}

void worker_push(ocl_command *c)
{
    cl_command_queue q = c->queue;
    cl_event e = c->event;

    prepare();
    c->number = ++w.enqueued;
    e->queued_ns = e->submit_ns = state_get()->host_ns;
    c->after = q->barrier;
    if (c->blocks)
        q->barrier = c->number;
    if (w.last)
        w.last->next = c;
    else
        w.first = c;
    w.last = c;
    if (q->last)
        q->last->next_here = c;
    else
        q->first = c;
    q->last = c;
    if (++w.pending > WORKER_MANY)
        worker_try(half_left, NULL);
}
