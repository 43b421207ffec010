/* src/driver/driver.h - what stands below the doors through which programs of
 * an API come in: the state of the process, its devices, its lock.
 *
 * A door's library lives in the process of the program that uses it. Calls of
 * the API take one lock (drv_enter) for their whole length. When commands begin
 * and end in simulated time: schedule.h; which thread runs them: worker.h. A
 * thread that runs them holds the machine lock instead, so that others may call
 * the API, and a fork waits for it.
 *
 * What a door makes of it: objects (object.h) with queues, events and commands
 * in them (command.h), launches of kernels (kernel_command.h), room in
 * simulated memory (room.h), times over the host's link (host_link.h). */
#ifndef DRIVER_DRIVER_H
#define DRIVER_DRIVER_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "driver/object.h"
#include "runtime/runtime.h"

struct drv_batch;
struct drv_command;
struct drv_event;
struct drv_flight;
struct drv_queue;
struct drv_rooms;
struct session_client;
struct session_setup;

/* What a command needs besides the host, one command at a time: kernels share
 * the machine. */
typedef enum drv_engine {
    DRV_NONE,
    DRV_READS, /* over the host's link */
    DRV_WRITES,
    DRV_COPIES, /* within the device */
    DRV_KERNELS,
    DRV_ENGINES
} drv_engine;

/* ---- Doors ---- */

/* What an API has of its own. The functions are called with the lock, if not
 * said otherwise. A command's result is 0 or a negative number, which the door
 * makes of its API's errors. */
typedef struct drv_door {
    const char *api;   /* "OpenCL" */
    const char *queue; /* what reports call a queue: "queue", "stream" */

    /* The API's error, as a command's result, of a launch that failed; a fault
     * of a kind only with ST_FAULT. With the machine lock and without the other
     * one. */
    int (*result)(status is, const exec_fault *fault);
    int in_vain; /* result of a command that waited for one that failed */
    int lost;    /* in a forked child: of what is the parent's */
    /* For people, of a code that drv_fail was given: "CL_INVALID_VALUE". */
    const char *(*code_name)(int code);

    /* The event's status has just become what it is. A command that ended still
     * has its event. NULL: nobody cares. */
    void (*entered)(struct drv_event *e);
    /* In a forked child: what was to happen when it changes must not. NULL: as
     * before. */
    void (*forgot)(struct drv_event *e);

    /* Changes in a configuration what the API does not show of a GPU. NULL:
     * nothing. Without the lock. */
    void (*adapt)(config *cfg);

    bool identity; /* simulated memory must lie at its own addresses */
    /* The text of a module is the same whatever the GPU. */
    bool portable_source;

    /* Ends of sentences about kernels that never ran: "a user event that was
     * not set (clSetUserEventStatus)"; "clFinish, or a blocking read". */
    const char *unset, *waiting;
} drv_door;

/* ---- Devices ---- */

typedef struct drv_device {
    const char *name; /* of the preset or file */
    unsigned number;  /* from 0 */
    const config *cfg;
    rt_device *rt;
    uint64_t used_bytes; /* of its memory, see room.h */
    uint64_t end_ns;     /* simulated: every command that ended, ended by */

    /* Of schedule.c and flight.c. */
    uint64_t now_ns;                 /* simulated time of its machine */
    uint64_t engine_ns[DRV_ENGINES]; /* from which each is free */
    struct drv_flight *flight;       /* NULL: none yet */
    struct drv_command *waits;       /* a kernel for which there was no room; */
    bool full;                       /* since then no other has ended */

    /* Of worker.c. */
    struct drv_queue *busy;    /* queues with commands */
    unsigned queues;           /* that the program refers to */
    unsigned pending;          /* commands, */
    unsigned loose, noticed;   /* commands in no batch, and of these noticed
                                  ones */
    uint64_t flushed;          /* number of a command, see there */
    struct drv_batch *batches; /* the first has its turn */
    /* Several orders of commands meet there. Launches read it without the
     * lock. */
    atomic_bool shared;
} drv_device;

uint64_t drv_device_bytes(const drv_device *d); /* of its memory */

/* ---- State of the process ---- */

typedef struct drv_state {
    pthread_mutex_t lock;    /* of everything here */
    pthread_cond_t changed;  /* a command has ended or an event has changed */
    pthread_cond_t work;     /* there may be something to run */
    pthread_mutex_t machine; /* see above; taken after `lock` */
    const drv_door *door;
    drv_device **devices;
    unsigned device_count;
    rt_memory *image; /* simulated memory of all devices */
    uint64_t host_ns; /* simulated time that the program has seen */
    struct session_client *session; /* NULL: not under heddle exec */
    struct session_setup *setup;    /* what the session wants, or NULL */
    uint64_t slack_bytes; /* before and behind buffers, that belong to them */
    uint64_t modules;     /* numbers of drv_module given so far */
    unsigned queues;      /* and of queues */
    struct drv_rooms *rooms; /* see drv_room_hash; NULL: no hash is wanted */
} drv_state;

/* The one of this process and door. A library that a program links has no
 * handle through which its state could be passed, so it is global. */
extern drv_state drv;

/* Makes devices and memory as the session, or HEDDLE_GPU, says, before anything
 * else here, once. False: it could not (one message is on stderr). At the end
 * of the program everything is reported and the session closed. */
bool drv_start(const drv_door *door);

/* Is the variable of the environment set to something, but not to 0? */
bool drv_wished(const char *name);

/* ---- The lock ---- */

void drv_lock(void);
void drv_unlock(void);
/* Takes the lock for a function of the API; what was called before it on this
 * thread, from which a callback may have called it. */
const char *drv_enter(const char *function);
void drv_leave(const char *const *before);
/* The function of the API that this thread is in. */
const char *drv_called(void);

/* At the head of every function of an API: the lock is given back when the
 * function returns. */
#define DRV_LOCK()                                                             \
    const char *drv_locked __attribute__((cleanup(drv_leave), unused)) =       \
        drv_enter(__func__)

/* Returns `code`, and reports the function and the reason to the session and,
 * with HEDDLE_LOG=1, on stderr; the printf-style sentence names what was wrong
 * and what would be right. With the lock. */
int drv_fail(const char *function, int code, const char *fmt, va_list args);
bool drv_logs(void); /* HEDDLE_LOG=1 */

#endif
