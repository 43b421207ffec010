/* src/driver/kernel_command.h - the command that runs a kernel.
 *
 *     drv_launch *l = drv_launch_new(q, drv_event_new(q));
 *     ... fill the fields below ...
 *     drv_command_use(&l->command, ...) what the launch needs;
 *     drv_command_enqueue(&l->command)
 *
 * A launch that is not enqueued after all is freed with drv_command_free. */
#ifndef DRIVER_KERNEL_COMMAND_H
#define DRIVER_KERNEL_COMMAND_H

#include "base/strbuf.h"
#include "driver/command.h"

/* Executable code and what a report shows of it. The texts belong to what the
 * command uses. */
typedef struct drv_module {
    uint64_t number;    /* of drv.modules, never used for another module */
    const char *name;   /* for people: "program 3" */
    const char *file;   /* of the source, as the code's lines name it */
    const char *source; /* its text; both NULL: from a binary */
    rt_module *module;
} drv_module;

typedef struct drv_launch {
    drv_command command;
    drv_module module;
    const isa_kernel *code;
    uint32_t work_dim;
    uint32_t grid[3];      /* ctas, the last ones of a dimension may be part */
    uint32_t block[3];     /* threads of a whole one */
    uint32_t threads[3];   /* the whole size; a multiple of the block or not */
    uint32_t offset[3];    /* global offset, in threads */
    uint32_t cga[3];       /* ctas of a thread-block cluster; 0: not said */
    uint32_t shared_bytes; /* dynamic */
    bool cooperative;      /* its CTAs wait for each other */
    bool dependent;        /* may begin as the one before it in its queue lets
                              it: exec/dependent.h */
    exec_hints hints;      /* about caches */
    void *params; /* malloced, code->param_bytes; freed with the launch */

    struct printed *printed; /* of kernel_command.c */
    /* Of flight.c. */
    rt_launch run;
    unsigned number; /* of those in flight */
    bool lets_go;    /* all its CTAs have let the next one begin, */
    uint64_t go_ns;  /* at that time */
    bool functional;
    bool sampled;       /* its group of those alike is */
    uint32_t alike;     /* this one of session/sampling.h */
    uint64_t estimated; /* cycles, of one that is only computed */
    uint64_t reported;  /* number of the launch that it is or is a part of in
                           the session, ACTIVITY_NONE: of none; */
    unsigned part;      /* of that, UINT_MAX: it is the launch */
} drv_launch;

/* Takes over the event, as drv_command_new does; NULL: no memory. With the
 * lock. */
drv_launch *drv_launch_new(drv_queue *q, drv_event *e);

/* It has printed more. With the machine lock, and only it. */
void launch_printed(drv_launch *l, const exec_line *lines, size_t count);

/* A message about kernels that were enqueued and have not begun, when the
 * program ends; false: there are none. With the lock. */
bool launch_not_begun(strbuf *to);

/* Writes what kernels have printed that ended by that simulated time to the
 * program's stdout. With the lock. */
void launch_show(uint64_t until_ns);
/* After a fork, in the child: the parent shows it. */
void launch_forget(void);

#endif
