/* src/opencl/queue/kernel_command.h - the command that runs a kernel.
 *
 *     ocl_launch *l = launch_new(q, CL_COMMAND_NDRANGE_KERNEL);
 *     ... fill the fields below ...
 *     command_use(l, kernel), and every memory object of its arguments;
 *     return command_enqueue(l, wait_count, waits, false, event);
 *
 * A launch that is not enqueued after all is freed with command_free. */
#ifndef OPENCL_QUEUE_KERNEL_COMMAND_H
#define OPENCL_QUEUE_KERNEL_COMMAND_H

#include "base/strbuf.h"
#include "opencl/opencl.h"

/* Executable code and what a report shows of it. The texts belong to the
 * program, which lives as long as the kernel that the command uses. */
typedef struct launch_module {
    uint64_t number;    /* of the process, never used for another module */
    const char *name;   /* for people: "program 3" */
    const char *file;   /* of the source, as the code's lines name it */
    const char *source; /* its text; both NULL: from a binary */
    rt_module *module;
} launch_module;

typedef struct ocl_launch {
    ocl_command command;
    launch_module module;
    const isa_kernel *code;
    uint32_t work_dim;
    uint32_t grid[3];      /* ctas, the last ones of a dimension may be part */
    uint32_t block[3];     /* threads of a whole one */
    uint32_t threads[3];   /* the whole size; a multiple of the block or not */
    uint32_t offset[3];    /* global offset, in threads */
    uint32_t shared_bytes; /* dynamic */
    void *params; /* malloced, code->param_bytes; freed with the launch */

    struct printed *printed; /* of kernel_command.c */
    /* Of flight.c. */
    rt_launch run;
    unsigned number; /* of those in flight */
    bool functional;
} ocl_launch;

/* NULL: no memory. With the lock. */
ocl_launch *launch_new(cl_command_queue q, cl_command_type type);

/* It has printed more. With the machine lock, and only it. */
void launch_printed(ocl_launch *l, const exec_line *lines, size_t count);

/* A message about kernels that were enqueued and have not begun, when the
 * program ends; false: there are none. With the lock. */
bool launch_not_begun(strbuf *to);

/* Writes what kernels have printed that ended by that simulated time to the
 * program's stdout. With the lock. */
void launch_show(uint64_t until_ns);
/* After a fork, in the child: the parent shows it. */
void launch_forget(void);

#endif
