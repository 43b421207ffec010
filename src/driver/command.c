#include "driver/command.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "driver/activity.h"
#include "driver/kernel_command.h"
#include "driver/worker.h"

/* ---- Queues ---- */

void drv_queue_open(drv_queue *q, drv_device *d, bool in_order)
{
    q->device = d;
    q->in_order = in_order;
    q->number = ++drv.queues;
    worker_add_queue(q);
}

void drv_queue_close(drv_queue *q) { worker_drop_queue(q); }

void drv_queue_wait(drv_queue *q)
{
    drv_use(&q->o); /* others may release it meanwhile */
    if (q->first)
        worker_wait_queue(q, q->last->number);
    drv_host_advance(q->end_ns);
    drv_drop(&q->o);
}

bool drv_queue_try(drv_queue *q)
{
    drv_use(&q->o);
    bool ended = !q->first || worker_try_queue(q, q->last->number);
    if (ended)
        drv_host_advance(q->end_ns);
    drv_drop(&q->o);
    return ended;
}

void drv_queue_set_order(drv_queue *q, bool in_order)
{
    drv_use(&q->o);
    drv_queue_wait(q);
    worker_share(q->device);
    q->in_order = in_order;
    drv_drop(&q->o);
}

void drv_device_wait(drv_device *d)
{
    worker_wait_device(d);
    drv_host_advance(d->end_ns);
}

void drv_drain(void) { worker_drain(); }

void drv_flush(void) { worker_flush(); }

/* ---- Events ---- */

static void destroy_hidden_event(void *handle)
{
    drv_event *e = handle;

    drv_event_fini(e);
    free(e);
}

drv_event *drv_event_new(drv_queue *q)
{
    drv_event *e = drv_object_new(0, sizeof *e, 0, destroy_hidden_event);

    if (e)
        drv_event_init(e, q);
    return e;
}

void drv_event_init(drv_event *e, drv_queue *q)
{
    if (q)
        drv_use(&q->o);
    e->queue = q;
    e->status = q ? DRV_QUEUED : DRV_SUBMITTED;
}

void drv_event_fini(drv_event *e)
{
    if (e->queue)
        drv_drop(&e->queue->o);
}

int drv_event_wait(drv_event *e)
{
    drv_use(&e->o);
    worker_wait_event(e);
    drv_host_advance(e->end_ns);
    int state = e->status;
    drv_drop(&e->o);
    return state;
}

int drv_event_query(drv_event *e)
{
    drv_use(&e->o);
    if (e->queue)
        worker_try_event(e);
    int state = e->status;
    if (state <= DRV_COMPLETE)
        drv_host_advance(e->end_ns);
    drv_drop(&e->o);
    return state;
}

void drv_event_set(drv_event *e, int state)
{
    e->end_ns = drv.host_ns;
    drv_event_enter(e, state);
    worker_changed();
}

void drv_event_run_soon(drv_event *e)
{
    if (e->command)
        worker_run_soon(e->command);
}

void drv_event_enter(drv_event *e, int state)
{
    e->status = state;
    if (drv.door->entered)
        drv.door->entered(e);
}

void drv_event_forget(drv_event *e)
{
    e->status = drv.door->lost;
    if (drv.door->forgot)
        drv.door->forgot(e);
}

void drv_host_advance(uint64_t ns)
{
    if (drv.host_ns < ns) {
        activity_waited(drv.host_ns, ns);
        drv.host_ns = ns;
    }
    launch_show(drv.host_ns);
}

/* ---- Commands ---- */

void *drv_command_new(size_t size, drv_queue *q, drv_event *e,
                      int (*run)(drv_command *c))
{
    drv_command *c = e ? alloc_try_zeroed(1, size) : NULL;

    if (!c) {
        if (e)
            drv_release(&e->o);
        return NULL;
    }
    drv_use(&e->o);
    e->command = c;
    c->event = e;
    drv_use(&q->o);
    c->queue = q;
    c->run = run;
    return c;
}

/* Room for one more in a list of `n`, which grows at 0, 2, 4, 8; NULL: no
 * memory. */
static void *grow(void *list, unsigned n)
{
    if (n & (n - 1) || n == 1)
        return list;
    return alloc_try_renew(list, n ? 2 * n : 2, sizeof(void *));
}

void drv_command_use(drv_command *c, drv_object *o)
{
    drv_object **list = o ? grow(c->uses, c->use_count) : NULL;

    c->no_memory |= o && !list;
    if (!list)
        return;
    drv_use(o);
    c->uses = list;
    c->uses[c->use_count++] = o;
}

void drv_command_wait(drv_command *c, drv_event *e)
{
    drv_event **list = grow(c->waits, c->wait_count);

    c->no_memory |= !list;
    if (!list)
        return;
    drv_use(&e->o);
    c->waits = list;
    c->waits[c->wait_count++] = e;
}

void drv_command_free(drv_command *c)
{
    drv_event *e = c->event;

    if (c->fini)
        c->fini(c);
    for (unsigned i = 0; i < c->use_count; i++)
        drv_drop(c->uses[i]);
    free(c->uses);
    for (unsigned i = 0; i < c->wait_count; i++)
        drv_drop(&c->waits[i]->o);
    free(c->waits);
    e->command = NULL;
    if (!c->number) /* the program has not got the event */
        drv_release(&e->o);
    drv_drop(&e->o);
    drv_drop(&c->queue->o);
    free(c);
}

bool drv_command_enqueue(drv_command *c)
{
    if (c->no_memory) {
        drv_command_free(c);
        return false;
    }
    worker_push(c);
    return true;
}
