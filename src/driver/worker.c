#include "driver/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/must.h"
#include "driver/checkpoint.h"
#include "driver/command.h"
#include "driver/flight.h"
#include "driver/kernel_command.h"
#include "driver/schedule.h"

enum { /* commands of a device; a thread that enqueues more runs some itself */
       WORKER_MANY = 4096,
       /* seconds that the end of the program waits for what still runs */
       WORKER_PATIENCE = 2,
};

/* Part of the process's state, like drv; only with its lock. */
static struct {
    drv_command *first, *last; /* pending, in order of enqueueing */
    uint64_t enqueued;         /* number of the last one */
    uint64_t passes;           /* of make_batches */
    unsigned wanted;           /* commands that are, and are blocked */
    unsigned waiting;          /* threads that wait for `changed` */
    bool busy;                 /* `runner` does a step, */
    drv_command *running;      /* and runs this; NULL: several, or none */
    pthread_t runner;
    bool prepared; /* for forks */
    bool started;  /* the worker's thread */
    bool idle;     /* it waits for `work` */
    bool ended;    /* nothing starts any more */
} w;

volatile sig_atomic_t worker_stop;

/* ---- Steps ---- */

void drv_call_begin(void) { pthread_mutex_unlock(&drv.machine); }
void drv_call_end(void) { pthread_mutex_lock(&drv.machine); }

void worker_busy(drv_command *c)
{
    w.busy = true;
    w.running = c;
    w.runner = pthread_self();
    pthread_mutex_unlock(&drv.lock);
    pthread_mutex_lock(&drv.machine);
}

void worker_idle(void)
{
    pthread_mutex_unlock(&drv.machine);
    pthread_mutex_lock(&drv.lock);
    w.busy = false;
    w.running = NULL;
    if (w.waiting) /* another thread may do the next step */
        pthread_cond_broadcast(&drv.changed);
}

/* Is this that thread? It must not wait. */
static bool worker_is_current(void)
{
    return w.busy && pthread_equal(w.runner, pthread_self());
}

/* ---- Batches ---- */

/* Does the command wait for a user event, directly or through others? Earlier
 * commands have been marked already. */
static bool is_blocked(drv_command *c)
{
    drv_queue *q = c->queue;
    bool blocked = q->in_order || c->after_all ? q->blocked : q->barred;

    for (unsigned i = 0; i < c->wait_count && !blocked; i++) {
        const drv_event *e = c->waits[i];

        blocked =
            e->status > DRV_COMPLETE && (!e->command || e->command->blocked);
    }
    return blocked;
}

/* The last batch of its device, which this pass may have to make. False: no
 * memory; the command runs when a thread waits for it. */
static bool put_in_batch(drv_command *c, uint64_t pass)
{
    drv_device *d = c->queue->device;
    drv_batch **at = &d->batches;

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
    for (drv_command *c = w.first; c; c = c->next)
        c->queue->blocked = c->queue->barred = false;
    for (drv_command *c = w.first; c; c = c->next) {
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
    for (drv_command *c = w.first; c; c = c->next) {
        if (c->blocked)
            continue;
        w.wanted -= c->wanted;
        c->wanted = false;
        if (!c->batch && c->queue->device->shared)
            put_in_batch(c, pass);
    }
}

static void leave_batch(drv_command *c)
{
    drv_device *d = c->queue->device;
    drv_batch *b;

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

static bool has_work(const drv_device *d)
{
    const drv_command *c = d->busy ? d->busy->first : NULL;

    if (d->batches)
        return true;
    return c && !d->shared && c->number <= d->flushed &&
           (c->begun || schedule_ready(c));
}

static bool any_work(void)
{
    for (unsigned i = 0; i < drv.device_count; i++)
        if (has_work(drv.devices[i]))
            return true;
    return false;
}

/* The thread in the middle of one, as only one is at a time. No variable of
 * each thread: clang 14's leak checker crashes over one in a library that is
 * preloaded. */
static struct {
    bool any;
    pthread_t by;
} stepping;

static bool is_stepping(void)
{
    return stepping.any && pthread_equal(stepping.by, pthread_self());
}

static bool step(drv_device *d)
{
    bool outer = is_stepping();

    stepping.any = true;
    stepping.by = pthread_self();
    bool did = schedule_step(d);
    stepping.any = outer;
    return did;
}

/* A step for the worker, or of `all` that can run. False: there is none. */
static bool step_on(bool all)
{
    for (unsigned i = 0; i < drv.device_count; i++)
        if ((all || has_work(drv.devices[i])) && step(drv.devices[i]))
            return true;
    return false;
}

static void *worker_main(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&drv.lock);
    while (!w.ended) {
        if (!w.busy && step_on(false))
            continue;
        w.idle = true;
        pthread_cond_wait(&drv.work, &drv.lock);
        w.idle = false;
    }
    w.started = false;
    pthread_mutex_unlock(&drv.lock);
    return NULL;
}

bool worker_thread(void *(*run)(void *none))
{
    sigset_t all, old;
    pthread_t thread;
    pthread_attr_t attr;

    if (pthread_attr_init(&attr))
        return false;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sigfillset(&all); /* signals are for the program's threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool made = !pthread_create(&thread, &attr, run, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return made;
}

/* Does what the worker would do, for those whose program has to do the same in
 * the same order each time. What a step calls does not begin another. */
static void work_here(void)
{
    if (is_stepping() || w.ended)
        return;
    while (any_work()) {
        if (!w.busy && step_on(false))
            continue;
        if (!w.busy || worker_is_current())
            break;
        w.waiting++; /* for another thread's step */
        pthread_cond_wait(&drv.changed, &drv.lock);
        w.waiting--;
    }
}

/* Wakes the worker if there is work for it. If its thread cannot be made,
 * commands run when a thread of the program waits for them. */
static void wake_worker(void)
{
    if (checkpoint_active()) {
        work_here();
        return;
    }
    if (w.busy || w.ended || !any_work())
        return;
    if (!w.started)
        w.started = worker_thread(worker_main);
    else if (w.idle)
        pthread_cond_signal(&drv.work);
}

/* ---- Forks and the end of the program ---- */

/* A child gets the state as it was between two commands. What was pending
 * stays the parent's, as on a GPU; to the child it has failed. */
static void before_fork(void)
{
    pthread_mutex_lock(&drv.lock);
    pthread_mutex_lock(&drv.machine);
}

static void after_fork_parent(void)
{
    pthread_mutex_unlock(&drv.machine);
    pthread_mutex_unlock(&drv.lock);
}

static void after_fork_child(void)
{
    drv_command *mine = worker_is_current() ? w.running : NULL, *c = w.first,
                *next;

    pthread_mutex_unlock(&drv.machine);
    pthread_cond_init(&drv.changed, NULL);
    pthread_cond_init(&drv.work, NULL);
    callback_reset();
    checkpoint_forget();
    w.started = w.idle = false;
    w.waiting = 0;
    w.busy = mine != NULL;
    for (unsigned i = 0; i < drv.device_count; i++)
        flight_forget(drv.devices[i]);
    for (; c; c = next) {
        next = c->next;
        if (c == mine)
            continue;
        drv_event_forget(c->event);
        worker_remove(c);
        drv_command_free(c);
    }
    launch_forget();
    pthread_mutex_unlock(&drv.lock);
}

/* The worker stops; destructors of the program that still wait
 * for commands run them themselves. The thread that ends the program may be
 * one that runs a command, or a signal may have come in the middle of a
 * call. */
bool worker_end(void)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WORKER_PATIENCE;
    if (pthread_mutex_timedlock(&drv.lock, &until))
        return false;
    w.ended = true;
    worker_stop = 1;
    pthread_cond_broadcast(&drv.work);
    callback_end();
    w.waiting++;
    while (w.busy && !worker_is_current())
        if (pthread_cond_timedwait(&drv.changed, &drv.lock, &until))
            break;
    w.waiting--;
    bool idle = !w.busy;
    for (unsigned i = 0; idle && drv.session && i < drv.device_count; i++)
        schedule_stop(drv.devices[i]); /* so that it can be reported */
    worker_stop = 0;
    pthread_mutex_unlock(&drv.lock);
    return idle;
}

const drv_command *worker_not_begun(const drv_command *before)
{
    const drv_command *c = before ? before->next : w.first;

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
    drv_event *event;
    drv_queue *queue;
    uint64_t number;
    drv_device *device;
    bool batches;
    unsigned most;
    bool alone; /* if nothing can run for it, nothing else does */
} goal;

static bool reached(const goal *g)
{
    if (g->event)
        return drv_event_ended(g->event);
    if (g->queue)
        return !g->queue->first || g->queue->first->number > g->number;
    return g->batches ? !g->device->batches : g->device->pending <= g->most;
}

/* A command that has to end for it; NULL: some. */
static const drv_command *first_of(const goal *g)
{
    return g->event ? g->event->command : g->queue ? g->queue->first : NULL;
}

/* What needs the program to go on may get that from anything that can run. */
static bool step_to(const goal *g)
{
    const drv_command *c = first_of(g);
    drv_device *d = c ? schedule_needs(c) : g->device;

    return (d && step(d)) || step_on(false) || (!g->alone && step_on(true));
}

static void wait_until(const goal *g, bool only_try)
{
    while (!reached(g)) {
        if (!w.busy && step_to(g))
            continue;
        if (only_try && (!w.busy || worker_is_current()))
            break;
        w.waiting++;
        pthread_cond_wait(&drv.changed, &drv.lock);
        w.waiting--;
    }
    wake_worker();
}

void worker_wait_event(drv_event *e) { wait_until(&(goal){.event = e}, false); }

void worker_try_event(drv_event *e) { wait_until(&(goal){.event = e}, true); }

void worker_wait_queue(drv_queue *q, uint64_t number)
{
    wait_until(&(goal){.queue = q, .number = number}, false);
}

bool worker_try_queue(drv_queue *q, uint64_t number)
{
    const goal g = {.queue = q, .number = number};

    wait_until(&g, true);
    return reached(&g);
}

/* One of the device with a command up to that number; NULL: none. */
static drv_queue *unfinished_queue(const drv_device *d, uint64_t number)
{
    drv_queue *q = d->busy;

    while (q && q->first->number > number)
        q = q->next_busy;
    return q;
}

void worker_wait_device(drv_device *d)
{
    uint64_t number = w.enqueued;
    drv_queue *q;

    while ((q = unfinished_queue(d, number))) {
        drv_use(&q->o);
        worker_wait_queue(q, number);
        drv_drop(&q->o);
    }
}

/* No more than `most` commands are left, or nothing can run. */
static void drain(drv_device *d, unsigned most)
{
    wait_until(&(goal){.device = d, .most = most}, true);
}

void worker_drain(void)
{
    for (unsigned i = 0; i < drv.device_count; i++)
        drain(drv.devices[i], 0);
}

/* ---- Queues of a device ---- */

/* What the worker may have begun on the device ends first: nothing must depend
 * on whether it has. In one that is not shared only one queue has commands. */
void worker_share(drv_device *d)
{
    drv_queue *q = d->busy;

    if (!d->shared && q) {
        drv_use(&q->o);
        wait_until(&(goal){.queue = q, .number = d->flushed, .alone = true},
                   true);
        drv_drop(&q->o);
    }
    d->shared = true;
}

void worker_add_queue(drv_queue *q)
{
    drv_device *d = q->device;

    if (!d->queues) {
        wait_until(&(goal){.device = d, .batches = true, .alone = true}, true);
        d->shared = d->shared && d->busy;
    }
    if (d->queues || d->busy || !q->in_order)
        worker_share(d);
    d->queues++;
}

void worker_drop_queue(drv_queue *q) { q->device->queues--; }

/* ---- Commands ---- */

void worker_flush(void)
{
    bool noticed = false;

    for (unsigned i = 0; i < drv.device_count; i++) {
        drv_device *d = drv.devices[i];

        if (!d->shared)
            d->flushed = w.enqueued;
        else
            noticed |= d->noticed != 0;
    }
    if (noticed)
        make_batches();
    wake_worker();
}

void worker_run_soon(drv_command *c)
{
    drv_device *d = c->queue->device;

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
        pthread_cond_broadcast(&drv.changed);
    if (w.wanted)
        make_batches();
    wake_worker();
}

void worker_remove(drv_command *c)
{
    drv_queue *q = c->queue, **busy = &q->device->busy;
    drv_command **at = &w.first, *before = NULL;

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
        pthread_cond_broadcast(&drv.changed);
}

static void append_command(drv_command *c)
{
    drv_queue *q = c->queue;
    drv_device *d = q->device;

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

void worker_push(drv_command *c)
{
    drv_queue *q = c->queue;
    drv_device *d = q->device;
    drv_event *e = c->event;

    prepare_fork();
    c->number = ++w.enqueued;
    e->queued_ns = e->submit_ns = drv.host_ns;
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
