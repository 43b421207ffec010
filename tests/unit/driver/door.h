/* tests/unit/driver/door.h - an API for tests: its door, queues on a V100 and a
 * K20, and commands that take as long as they are told. */
#ifndef UNIT_DRIVER_DOOR_H
#define UNIT_DRIVER_DOOR_H

#include "driver/command.h"
#include "test.h"

enum { IN_VAIN = -7, LOST = -8, FAILED = -9, QUEUE = 1, EVENT = 2 };

/* What the door was told. */
static struct {
    int entered[16];
    unsigned count;
} door_saw;

static int door_result(status is, const exec_fault *fault)
{
    return is == ST_FAULT ? FAILED - (int)fault->kind : FAILED;
}

static const char *door_code_name(int code)
{
    return code == FAILED ? "FAILED" : "another";
}

static void door_entered(drv_event *e)
{
    if (e->o.kind == EVENT && door_saw.count < 16)
        door_saw.entered[door_saw.count++] = e->status;
}

static const drv_door door = {
    .api = "Test",
    .queue = "lane",
    .result = door_result,
    .in_vain = IN_VAIN,
    .lost = LOST,
    .code_name = door_code_name,
    .entered = door_entered,
    .unset = "a flag",
    .waiting = "a nap",
};

__attribute__((constructor)) static void door_open(void)
{
    setenv("HEDDLE_GPU", "v100,k20", 1);
    unsetenv("HEDDLE_SESSION");
    if (!drv_start(&door))
        exit(1);
    drv_lock(); /* tests have it, also after one that fails */
    atexit(drv_unlock);
}

static inline drv_queue *queue_on(drv_device *d, bool in_order)
{
    drv_queue *q = drv_object_new(QUEUE, sizeof *q, 0, free);

    CHECK(q);
    drv_queue_open(q, d, in_order);
    return q;
}

static inline void queue_end(drv_queue *q)
{
    drv_queue_wait(q);
    drv_queue_close(q);
    drv_release(&q->o);
}

static void event_end(void *handle)
{
    drv_event_fini(handle);
    free(handle);
}

/* One that the door is told of; queue NULL: a user event. */
static inline drv_event *event_on(drv_queue *q)
{
    drv_event *e = drv_object_new(EVENT, sizeof *e, 0, event_end);

    CHECK(e);
    drv_event_init(e, q);
    return e;
}

typedef struct timed { /* a command */
    drv_command command;
    uint64_t ns;
    int result;
} timed;

static inline int timed_run(drv_command *c)
{
    c->duration_ns = ((timed *)c)->ns;
    return ((timed *)c)->result;
}

/* Not enqueued yet. */
static inline timed *timed_new(drv_queue *q, drv_engine engine, uint64_t ns)
{
    timed *t = drv_command_new(sizeof *t, q, event_on(q), timed_run);

    CHECK(t);
    t->command.engine = engine;
    t->ns = ns;
    return t;
}

/* Its event, with a reference. */
static inline drv_event *timed_push(timed *t)
{
    drv_event *e = t->command.event;

    CHECK(drv_command_enqueue(&t->command));
    return e;
}

#endif
