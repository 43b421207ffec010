#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/must.h"
#include "opencl/queue/event.h"
#include "opencl/queue/flight.h"
#include "opencl/queue/kernel_command.h"
#include "opencl/queue/schedule.h"
#include "opencl/queue/worker.h"

enum { /* commands of a device; a thread that enqueues more runs some itself */
       WORKER_MANY = 4096,
       /* seconds that the end of the program waits for what still runs */
       WORKER_PATIENCE = 2,
};

/* Part of the process's state, like ocl_state; only with its lock. */
static struct {
    ocl_command *first, *last; /* pending, in order of enqueueing */
    uint64_t enqueued;         /* number of the last one */
    uint64_t passes;           /* of make_batches */
    unsigned wanted;           /* commands that are, and are blocked */
    unsigned waiting;          /* threads that wait for `changed` */
    bool busy;                 /* `runner` does a step, */
    ocl_command *running;      /* and runs this; NULL: several, or none */
    pthread_t runner;
    bool prepared; /* for forks */
    bool started;  /* the worker's thread */
    bool idle;     /* it waits for `work` */
    bool ended;    /* nothing starts any more */
} w;

volatile sig_atomic_t worker_stop;

/* ---- Steps ---- */

void worker_leave(void) { pthread_mutex_unlock(&state_get()->machine); }
void worker_enter(void) { pthread_mutex_lock(&state_get()->machine); }

void worker_busy(ocl_command *c)
{
    w.busy = true;
    w.running = c;
    w.runner = pthread_self();
    pthread_mutex_unlock(&state_get()->lock);
    worker_enter();
}

void worker_idle(void)
{
    worker_leave();
    pthread_mutex_lock(&state_get()->lock);
    w.busy = false;
    w.running = NULL;
    if (w.waiting) /* another thread may do the next step */
        pthread_cond_broadcast(&state_get()->changed);
}

/* Is this that thread? It must not wait. */
static bool worker_is_current(void)
{
    return w.busy && pthread_equal(w.runner, pthread_self());
}

/* ---- Batches ---- */

/* Does the command wait for a user event, directly or through others? Earlier
 * commands have been marked already. */
static bool is_blocked(ocl_command *c)
{
    cl_command_queue q = c->queue;
    bool in_order = !(q->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    bool blocked = in_order || c->after_all ? q->blocked : q->barred;

    for (unsigned i = 0; i < c->wait_count && !blocked; i++) {
        const struct _cl_event *e = c->waits[i];

        blocked =
            e->status > CL_COMPLETE && (!e->command || e->command->blocked);
    }
    return blocked;
}

/* The last batch of its device, which this pass may have to make. False: no
 * memory; the command runs when a thread waits for it. */
static bool put_in_batch(ocl_command *c, uint64_t pass)
{
    cl_device_id d = c->queue->device;
    ocl_batch **at = &d->batches;

    while (*at && (*at)->pass != pass)
        at = &(*at)->next;
    if (!*at && !(*at = alloc_try_zeroed(1, sizeof **at)))
        return false;
    (*at)->pass = pass;
    (*at)->left++;
    c->batch = *at;
    d->loose--;
    d->noticed -= c->noticed;
    return true;
}

static void mark_blocked(void)
{
    for (ocl_command *c = w.first; c; c = c->next)
        c->queue->blocked = c->queue->barred = false;
    for (ocl_command *c = w.first; c; c = c->next) {
        c->blocked = is_blocked(c);
        c->queue->blocked |= c->blocked;
        c->queue->barred |= c->blocked && c->blocks;
    }
}

/* All that can run on shared devices becomes a batch of each. */
static void make_batches(void)
{
    uint64_t pass = ++w.passes;

    mark_blocked();
    for (ocl_command *c = w.first; c; c = c->next) {
        if (c->blocked)
            continue;
        w.wanted -= c->wanted;
        c->wanted = false;
        if (!c->batch && c->queue->device->shared)
            put_in_batch(c, pass);
    }
}

static void leave_batch(ocl_command *c)
{
    cl_device_id d = c->queue->device;
    ocl_batch *b;

    w.wanted -= c->wanted;
    if (!c->batch) {
        d->loose--;
        d->noticed -= c->noticed;
        return;
    }
    c->batch->left--;
    while ((b = d->batches) && !b->left) {
        d->batches = b->next;
        free(b);
    }
}

/* ---- What the worker may run while no thread waits ---- */

static bool has_work(const struct _cl_device_id *d)
{
    const ocl_command *c = d->busy ? d->busy->first : NULL;

    if (d->batches)
        return true;
    return c && !d->shared && c->number <= d->flushed &&
           (c->begun || schedule_ready(c));
}

static bool any_work(void)
{
    const ocl_state *s = state_get();

    for (unsigned i = 0; i < s->device_count; i++)
        if (has_work(s->devices[i]))
            return true;
    return false;
}

/* A step for the worker, or of `all` that can run. False: there is none. */
static bool step_on(bool all)
{
    const ocl_state *s = state_get();

    for (unsigned i = 0; i < s->device_count; i++)
        if ((all || has_work(s->devices[i])) && schedule_step(s->devices[i]))
            return true;
    return false;
}

static void *worker_main(void *arg)
{
    ocl_state *s = arg;

    pthread_mutex_lock(&s->lock);
    while (!w.ended) {
        if (!w.busy && step_on(false))
            continue;
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

/* Wakes the worker if there is work for it. If its thread cannot be made,
 * commands run when a thread of the program waits for them. */
static void wake_worker(void)
{
    ocl_state *s = state_get();

    if (w.busy || w.ended || !any_work())
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
    ocl_command *mine = worker_is_current() ? w.running : NULL, *c = w.first,
                *next;

    pthread_mutex_unlock(&s->machine);
    pthread_cond_init(&s->changed, NULL);
    pthread_cond_init(&s->work, NULL);
    callback_reset();
    w.started = w.idle = false;
    w.waiting = 0;
    w.busy = mine != NULL;
    for (unsigned i = 0; i < s->device_count; i++)
        flight_forget(s->devices[i]);
    for (; c; c = next) {
        next = c->next;
        if (c == mine)
            continue;
        event_forget(c->event);
        worker_remove(c);
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
    while (w.busy && !worker_is_current())
        if (pthread_cond_timedwait(&s->changed, &s->lock, &until))
            break;
    w.waiting--;
    bool idle = !w.busy;
    for (unsigned i = 0; idle && s->session && i < s->device_count; i++)
        schedule_stop(s->devices[i]); /* so that it can be reported */
    worker_stop = 0;
    pthread_mutex_unlock(&s->lock);
    return idle;
}

const ocl_command *worker_not_begun(const ocl_command *before)
{
    const ocl_command *c = before ? before->next : w.first;

    if (!before)
        mark_blocked();
    while (c && c->begun)
        c = c->next;
    return c;
}

static void prepare_fork(void)
{
    if (w.prepared)
        return;
    w.prepared = true;
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* ---- Waiting ---- */

/* What a thread waits for: the end of an event, of a queue's commands up to a
 * number, or that a device has at most `most` commands, or no batches. */
typedef struct goal {
    cl_event event;
    cl_command_queue queue;
    uint64_t number;
    cl_device_id device;
    bool batches;
    unsigned most;
    bool alone; /* if nothing can run for it, nothing else does */
} goal;

static bool reached(const goal *g)
{
    if (g->event)
        return event_ended(g->event);
    if (g->queue)
        return !g->queue->first || g->queue->first->number > g->number;
    return g->batches ? !g->device->batches : g->device->pending <= g->most;
}

/* A command that has to end for it; NULL: some. */
static const ocl_command *first_of(const goal *g)
{
    return g->event ? g->event->command : g->queue ? g->queue->first : NULL;
}

/* What needs the program to go on may get that from anything that can run. */
static bool step_to(const goal *g)
{
    const ocl_command *c = first_of(g);
    cl_device_id d = c ? schedule_needs(c) : g->device;

    return (d && schedule_step(d)) || step_on(false) ||
           (!g->alone && step_on(true));
}

static void wait_until(const goal *g, bool only_try)
{
    ocl_state *s = state_get();

    while (!reached(g)) {
        if (!w.busy && step_to(g))
            continue;
        if (only_try && (!w.busy || worker_is_current()))
            break;
        w.waiting++;
        pthread_cond_wait(&s->changed, &s->lock);
        w.waiting--;
    }
    wake_worker();
}

void worker_wait_event(cl_event e) { wait_until(&(goal){.event = e}, false); }

void worker_try_event(cl_event e) { wait_until(&(goal){.event = e}, true); }

void worker_wait_queue(cl_command_queue q, uint64_t number)
{
    wait_until(&(goal){.queue = q, .number = number}, false);
}

/* No more than `most` commands are left, or nothing can run. */
static void drain(cl_device_id d, unsigned most)
{
    wait_until(&(goal){.device = d, .most = most}, true);
}

void commands_drain(void)
{
    const ocl_state *s = state_get();

    for (unsigned i = 0; i < s->device_count; i++)
        drain(s->devices[i], 0);
}

/* ---- Queues of a device ---- */

/* What the worker may have begun on the device ends first: nothing must depend
 * on whether it has. In one that is not shared only one queue has commands. */
void worker_share(cl_device_id d)
{
    cl_command_queue q = d->busy;

    if (!d->shared && q) {
        object_use(q);
        wait_until(&(goal){.queue = q, .number = d->flushed, .alone = true},
                   true);
        object_drop(q);
    }
    d->shared = true;
}

void worker_add_queue(cl_command_queue q)
{
    cl_device_id d = q->device;

    if (!d->queues) {
        wait_until(&(goal){.device = d, .batches = true, .alone = true}, true);
        d->shared = d->shared && d->busy;
    }
    if (d->queues || d->busy ||
        q->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        worker_share(d);
    d->queues++;
}

void worker_drop_queue(cl_command_queue q) { q->device->queues--; }

/* ---- Commands ---- */

void worker_flush(void)
{
    const ocl_state *s = state_get();
    bool noticed = false;

    for (unsigned i = 0; i < s->device_count; i++) {
        cl_device_id d = s->devices[i];

        if (!d->shared)
            d->flushed = w.enqueued;
        else
            noticed |= d->noticed != 0;
    }
    if (noticed)
        make_batches();
    wake_worker();
}

void worker_run_soon(ocl_command *c)
{
    cl_device_id d = c->queue->device;

    if (!d->shared && d->flushed < c->number)
        d->flushed = c->number;
    make_batches();
    w.wanted += c->blocked && !c->wanted;
    c->wanted = c->blocked;
    wake_worker();
}

void worker_changed(void)
{
    if (w.waiting)
        pthread_cond_broadcast(&state_get()->changed);
    if (w.wanted)
        make_batches();
    wake_worker();
}

void worker_remove(ocl_command *c)
{
    cl_command_queue q = c->queue, *busy = &q->device->busy;
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
    for (; !q->first && *busy != q; busy = &(*busy)->next_busy)
        ;
    if (!q->first)
        *busy = q->next_busy;
    q->device->pending--;
    leave_batch(c);
    if (w.waiting)
        pthread_cond_broadcast(&state_get()->changed);
}

static void append_command(ocl_command *c)
{
    cl_command_queue q = c->queue;
    cl_device_id d = q->device;

    if (w.last)
        w.last->next = c;
    else
        w.first = c;
    w.last = c;
    if (q->last) {
        q->last->next_here = c;
    } else {
        q->first = c;
        q->next_busy = d->busy;
        d->busy = q;
    }
    q->last = c;
    d->pending++;
    d->loose++;
    d->noticed += c->noticed;
}

void worker_push(ocl_command *c)
{
    cl_command_queue q = c->queue;
    cl_device_id d = q->device;
    cl_event e = c->event;

    prepare_fork();
    c->number = ++w.enqueued;
    e->queued_ns = e->submit_ns = state_get()->host_ns;
    c->after = q->barrier;
    if (c->blocks)
        q->barrier = c->number;
    append_command(c);
    if (d->loose <= WORKER_MANY)
        return;
    if (d->shared)
        make_batches();
    drain(d, WORKER_MANY / 2);
}
