/* src/driver/command.h - queues, the commands in them, and events.
 *
 *     my_command *c = drv_command_new(sizeof *c, q, drv_event_new(q), run);
 *     drv_command_use(c, ...); drv_command_wait(c, ...);
 *     if (drv_command_enqueue(c)) ...
 *
 * A door embeds a queue or an event in what it has handles to, at the place of
 * the object that it begins with. All functions are called with the lock; those
 * that wait give it back meanwhile, and what they wait for they keep alive. */
#ifndef DRIVER_COMMAND_H
#define DRIVER_COMMAND_H

#include "driver/driver.h"

/* ---- Queues ---- */

typedef struct drv_queue {
    drv_object o;
    drv_device *device;
    bool in_order;   /* commands run one after the other */
    unsigned number; /* of the process, from 1 */

    /* Of schedule.c and worker.c. */
    struct drv_queue *next_busy;      /* of the device */
    struct drv_command *first, *last; /* enqueued and not ended */
    bool blocked, barred;             /* see worker.c */
    uint64_t end_ns;         /* simulated: everything that ended, ended by */
    uint64_t barrier;        /* number of the last barrier, which later ones */
    uint64_t barriers_ended; /* wait for; of the last that ended; */
    uint64_t barrier_ns;     /* and when */
    bool fault;              /* a command failed; the door takes note of it */
} drv_queue;

/* It becomes one of its device's. */
void drv_queue_open(drv_queue *q, drv_device *d, bool in_order);
/* The program refers to it no more. Commands that are in it still run, when
 * something waits for them or after a drv_flush. */
void drv_queue_close(drv_queue *q);
/* From now on, when what is in it has ended. */
void drv_queue_set_order(drv_queue *q, bool in_order);
/* Waits until all that is in the queue now has ended. */
void drv_queue_wait(drv_queue *q);
/* The same, but for no user event. True: it has. */
bool drv_queue_try(drv_queue *q);
/* Waits for all that is in queues of the device now. */
void drv_device_wait(drv_device *d);
/* Waits until everything enqueued that can end has ended. */
void drv_drain(void);
/* Everything enqueued until now shall run soon, even if nobody waits. */
void drv_flush(void);

/* ---- Events ---- */

enum {
    DRV_COMPLETE, /* this or less, a negative result: it has ended */
    DRV_RUNNING,
    DRV_SUBMITTED,
    DRV_QUEUED,
};

typedef struct drv_event {
    drv_object o;
    drv_queue *queue; /* NULL: a user event */
    int status;
    uint64_t queued_ns, submit_ns, start_ns, end_ns; /* simulated */
    struct drv_command *command; /* NULL: ended, or a user event */
} drv_event;

/* One that the program does not see, with one reference, for a command of the
 * queue; NULL: no memory. */
drv_event *drv_event_new(drv_queue *q);
/* One that is part of a new object of the door's, whose destroy() ends it.
 * Queue NULL: a user event, DRV_SUBMITTED. */
void drv_event_init(drv_event *e, drv_queue *q);
void drv_event_fini(drv_event *e);
static inline bool drv_event_ended(const drv_event *e)
{
    return e->status <= DRV_COMPLETE;
}
/* Waits until it has ended; its status. */
int drv_event_wait(drv_event *e);
/* The status that it would have if commands were quick: what can run, has run.
 * So it cannot depend on the speed of the host. */
int drv_event_query(drv_event *e);
/* A user event ends now. */
void drv_event_set(drv_event *e, int state);
/* Somebody may notice the event without a call: its command, if it has not
 * ended, shall run soon, past others that cannot. */
void drv_event_run_soon(drv_event *e);
/* The program has noticed that something ended at that simulated time. */
void drv_host_advance(uint64_t ns);

/* ---- Commands ---- */

/* What is in a queue. Embedded as the first field of what a kind of command
 * needs besides. Always has an event, which the program may not see. */
typedef struct drv_command {
    drv_event *event;
    drv_queue *queue;
    /* Run by the worker, or by a thread of the program that waits, with the
     * machine lock and without the other one: 0 or the door's error, which
     * becomes the event's status. Sets duration_ns. NULL: nothing to do, or
     * a kernel. */
    int (*run)(struct drv_command *c);
    void (*fini)(struct drv_command *c); /* with the lock, after it ended;
                                            may be NULL */
    drv_engine engine;
    uint64_t duration_ns; /* simulated; 0: it needs no engine */
    bool noticed;         /* the program can notice it without a call */
    uint64_t bytes;       /* that it moved or filled, for the timeline */
    bool fills;           /* it is a memset */
    bool tells;           /* its run tells what of simulated memory it looks at:
                             driver/checkpoint.h */

    bool after_all; /* out of order: still after all before it */
    bool blocks;    /* out of order: all later ones are after it */

    /* Of command.c, schedule.c and worker.c. */
    bool begun;
    bool wanted;                   /* the worker is to run it, even if another
                                      thread waits */
    bool blocked;                  /* by a user event, in one way or another */
    struct drv_batch *batch;       /* NULL: none */
    uint64_t number;               /* in order of enqueueing, of the process */
    uint64_t after;                /* number of a barrier, 0: none */
    struct drv_command *next;      /* pending ones of the process */
    struct drv_command *next_here; /* and of its queue, in that order */
    drv_event **waits;             /* uses each */
    unsigned wait_count;
    drv_object **uses; /* objects that live until it has ended */
    unsigned use_count;
    bool no_memory; /* for `uses` or `waits` */
} drv_command;

/* A zeroed command of `size` bytes, which takes over the event, also if there
 * is none (NULL: no memory); its engine is DRV_NONE. */
void *drv_command_new(size_t size, drv_queue *q, drv_event *e,
                      int (*run)(drv_command *c));
/* Keeps an object alive until the command has ended. NULL is fine. */
void drv_command_use(drv_command *c, drv_object *o);
/* It does not begin before the event has ended, and fails if that failed. */
void drv_command_wait(drv_command *c, drv_event *e);
/* Instead of drv_command_enqueue. */
void drv_command_free(drv_command *c);
/* Hands the command over. The event's reference is the program's from now on:
 * drv_release it, or give the program its handle. False: no memory; command and
 * event are gone. */
bool drv_command_enqueue(drv_command *c);

/* ---- The program's code ---- */

/* Around a call to the program's code from `run` of a command, which it may
 * make calls of the API from. */
void drv_call_begin(void);
void drv_call_end(void);
/* Has call(arg) called soon, from a thread that holds no lock and may wait for
 * the program; in the order of these calls. False: no memory. */
bool drv_call_soon(void (*call)(void *arg), void *arg);

/* ---- What schedule.c and worker.c do with events ---- */

void drv_event_enter(drv_event *e, int state);
/* Its command was the business of another process. */
void drv_event_forget(drv_event *e);

#endif
