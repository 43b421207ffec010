#include "driver/schedule.h"

#include <stdlib.h>

#include "base/must.h"
#include "driver/activity.h"
#include "driver/checkpoint.h"
#include "driver/command.h"
#include "driver/flight.h"
#include "driver/worker.h"

static uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t min64(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- What is ready ---- */

/* Markers do not. */
static bool needs_time(const drv_command *c)
{
    return c->run || c->engine != DRV_NONE;
}

/* The launch in front of `c`, a launch, that lets it begin before it has ended
 * itself; NULL: none. */
static const drv_launch *let_go_by(const drv_command *c)
{
    const drv_queue *q = c->queue;
    const drv_command *b = q->first;
    const drv_launch *l = (const drv_launch *)b;

    if (c->engine != DRV_KERNELS || !((const drv_launch *)c)->dependent)
        return NULL;
    if (!q->in_order || b == c || b->next_here != c || !b->begun ||
        b->engine != DRV_KERNELS || !l->lets_go)
        return NULL;
    return l;
}

/* The command of its queue that has to end first; NULL: none. */
static const drv_command *predecessor(const drv_command *c)
{
    const drv_queue *q = c->queue;
    const drv_command *b = q->first;

    if (b == c)
        return NULL;
    if (q->in_order || c->after_all)
        return let_go_by(c) ? NULL : b;
    if (c->after <= q->barriers_ended)
        return NULL;
    while (b->number != c->after)
        b = b->next_here;
    return b;
}

/* The event that has not ended; NULL: none. */
static drv_event *awaited(const drv_command *c)
{
    for (unsigned i = 0; i < c->wait_count; i++)
        if (c->waits[i]->status > DRV_COMPLETE)
            return c->waits[i];
    return NULL;
}

/* The batch of its device has its turn. One that has nothing to do needs
 * none. */
static bool has_turn(const drv_command *c)
{
    const drv_batch *b = c->queue->device->batches;

    return !b || c->batch == b || !needs_time(c);
}

bool schedule_ready(const drv_command *c)
{
    return !c->begun && has_turn(c) && !predecessor(c) && !awaited(c);
}

/* When all that the command waited for has ended. */
static uint64_t ready_ns(const drv_command *c)
{
    const drv_queue *q = c->queue;
    uint64_t t = max64(c->event->queued_ns, q->barrier_ns);

    if (q->in_order || c->after_all)
        t = max64(t, q->end_ns);
    if (let_go_by(c))
        t = max64(t, let_go_by(c)->go_ns);
    for (unsigned i = 0; i < c->wait_count; i++)
        t = max64(t, c->waits[i]->end_ns);
    return t;
}

/* The ready command with the earliest time, or one that has nothing to do.
 * Without `kernels`: among the others. */
static drv_command *next_command(drv_device *d, bool kernels)
{
    drv_command *best = NULL;
    uint64_t best_ns = 0;

    for (drv_queue *q = d->busy; q; q = q->next_busy)
        for (drv_command *c = q->first; c;
             c = !q->in_order || c->begun ? c->next_here : NULL) {
            if (!schedule_ready(c) || (!kernels && c->engine == DRV_KERNELS))
                continue;
            uint64_t t = needs_time(c) ? ready_ns(c) : 0;
            if (!best || t < best_ns ||
                (t == best_ns && c->number < best->number)) {
                best = c;
                best_ns = t;
            }
        }
    return best;
}

drv_device *schedule_needs(const drv_command *c)
{
    for (;;) {
        const drv_command *first = predecessor(c);
        drv_event *e = first ? NULL : awaited(c);

        if (c->begun || !has_turn(c) || (!first && !e))
            return c->queue->device;
        c = first ? first : e->command;
        if (!c)
            return NULL; /* a user event */
    }
}

/* ---- Beginning and ending ---- */

static void end_command(drv_command *c, int result)
{
    drv_queue *q = c->queue;
    drv_event *e = c->event;

    q->end_ns = max64(q->end_ns, e->end_ns);
    q->device->end_ns = max64(q->device->end_ns, e->end_ns);
    if (c->blocks) {
        q->barriers_ended = c->number;
        q->barrier_ns = max64(q->barrier_ns, e->end_ns);
    }
    if (c->begun && result)
        q->fault = true;
    activity_ended(c, result);
    worker_remove(c);
    drv_event_enter(e, result);
    drv_command_free(c);
}

static void begin_command(drv_command *c)
{
    drv_event_enter(c->event, DRV_SUBMITTED);
    drv_event_enter(c->event, DRV_RUNNING);
    c->begun = true;
}

static bool waited_in_vain(const drv_command *c)
{
    for (unsigned i = 0; i < c->wait_count; i++)
        if (c->waits[i]->status < 0)
            return true;
    return false;
}

/* Ends one that waited for a failed command, or has nothing to do. */
static void end_without_work(drv_command *c)
{
    c->event->start_ns = c->event->end_ns = ready_ns(c);
    drv_event_enter(c->event, DRV_SUBMITTED);
    end_command(c, waited_in_vain(c) ? drv.door->in_vain : 0);
}

/* From when on the command's engine is free. */
static uint64_t *engine_of(const drv_command *c)
{
    drv_device *d = c->queue->device;
    bool one = d->cfg->host.copy_engines == 1;

    return &d->engine_ns[one && c->engine == DRV_WRITES ? DRV_READS
                                                        : c->engine];
}

/* A command that needs no machine but an engine, or only the host. */
static void perform_command(drv_command *c)
{
    drv_event *e = c->event;
    uint64_t *engine = engine_of(c);

    begin_command(c);
    worker_busy(c);
    checkpoint_runs(c);
    int result = c->run(c);
    checkpoint_ran(c);
    worker_idle();
    e->start_ns = ready_ns(c);
    if (c->duration_ns)
        e->start_ns = max64(e->start_ns, *engine);
    e->end_ns = e->start_ns + c->duration_ns;
    if (c->duration_ns)
        *engine = e->end_ns;
    end_command(c, result);
}

/* Begins a kernel at the time of its device, or waits for room. */
static void begin_kernel(drv_command *c)
{
    drv_device *d = c->queue->device;
    int result;

    c->event->start_ns = d->now_ns;
    worker_busy(NULL);
    flight_state is = flight_begin((drv_launch *)c, let_go_by(c), &result);
    worker_idle();
    d->waits = is == FLIGHT_WAITS ? c : NULL;
    d->full = d->waits != NULL;
    if (d->waits)
        return;
    begin_command(c);
    if (is == FLIGHT_BEGUN)
        return;
    c->event->end_ns = c->event->start_ns + c->duration_ns;
    if (!flight_count(d))
        d->now_ns = c->event->end_ns;
    end_command(c, result);
}

/* ---- Devices ---- */

/* What is in flight goes on. */
static void advance_device(drv_device *d, uint64_t until_ns)
{
    const flight_end *ended;

    worker_busy(NULL);
    unsigned n = flight_advance(d, until_ns, &ended);
    worker_idle();
    d->full = false;
    for (unsigned i = 0; i < n; i++) {
        drv_command *c = &ended[i].launch->command;

        c->event->start_ns = ended[i].start_ns;
        c->event->end_ns = ended[i].end_ns;
        end_command(c, ended[i].result);
    }
}

/* Begins a kernel if there is room. While a checkpoint is written it also ends
 * before anything else happens. */
static void launch_kernel(drv_command *c)
{
    drv_device *d = c->queue->device;

    checkpoint_settle();
    begin_kernel(c);
    while (checkpoint_writes() && flight_count(d))
        advance_device(d, FLIGHT_NEVER);
    checkpoint_settle();
}

/* The command's time has come. */
static void start_command(drv_command *c)
{
    if (c->engine == DRV_KERNELS)
        launch_kernel(c);
    else
        perform_command(c);
}

/* The device that commands of `d` wait for, the one with the earliest time if
 * there are several; NULL: none. */
static drv_device *holder(const drv_device *d)
{
    drv_device *least = NULL;

    for (drv_queue *q = d->busy; q; q = q->next_busy)
        for (const drv_command *c = q->first; c;
             c = !q->in_order ? c->next_here : NULL) {
            if (c->begun || predecessor(c) || !awaited(c))
                continue;
            drv_device *e = schedule_needs(c);
            if (e && e != d && (!least || e->now_ns < least->now_ns))
                least = e;
        }
    return least;
}

static bool is_behind(const drv_device *a, const drv_device *b)
{
    return a->now_ns != b->now_ns ? a->now_ns < b->now_ns
                                  : a->number < b->number;
}

/* Time goes on up to `until_ns`, or less far. An idle machine has nothing to
 * do in it. */
static void pass_time(drv_device *d, uint64_t until_ns)
{
    if (flight_count(d))
        advance_device(d, until_ns);
    else
        d->now_ns = until_ns;
}

/* Devices go on side by side as long as one may wait for the other. */
static void advance_with_others(drv_device *d, uint64_t until_ns)
{
    drv_device *other = holder(d);

    if (other && is_behind(other, d) && schedule_step(other))
        return;
    if (other)
        until_ns = min64(until_ns, max64(other->now_ns, d->now_ns + 1));
    pass_time(d, until_ns);
}

bool schedule_step(drv_device *d)
{
    if (d->waits && !d->full) {
        launch_kernel(d->waits);
        return true;
    }
    drv_command *c = next_command(d, !d->waits);
    if (c && (waited_in_vain(c) || !needs_time(c))) {
        end_without_work(c);
        return true;
    }
    if (!c && !flight_count(d))
        return false;
    uint64_t t = c ? ready_ns(c) : FLIGHT_NEVER;
    if (t <= d->now_ns)
        start_command(c);
    else
        advance_with_others(d, t);
    return true;
}

void schedule_stop(drv_device *d)
{
    if (flight_count(d))
        advance_device(d, FLIGHT_NEVER);
}
