/* src/slurm/slurm.h - a cluster's Slurm through its own commands: sbatch,
 * squeue, scancel, scontrol. Nothing else of it is needed; in particular no
 * database of finished jobs. Keeps nothing. */
#ifndef SLURM_SLURM_H
#define SLURM_SLURM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/strbuf.h"

typedef enum slurm_state {
    SLURM_GONE, /* Slurm does not know it, or not any more */
    SLURM_WAITING,
    SLURM_RUNNING,
    SLURM_HELD, /* it lost its machine and may not start again for now */
    SLURM_COMPLETED,
    SLURM_FAILED,
    SLURM_TIMEOUT,
    SLURM_MEMORY,
    SLURM_NODE,
    SLURM_PREEMPTED,
    SLURM_CANCELLED,
    SLURM_STATES
} slurm_state;

/* "time limit": the state of a task in words. */
const char *slurm_state_text(slurm_state s);
/* Waits or runs: something may still come of it. */
bool slurm_state_alive(slurm_state s);

/* A task of a job array. */
typedef struct slurm_task {
    uint64_t job;
    unsigned task;
    slurm_state state;
    int exit_code, signal;
    const char *name; /* of the job */
    const char *node, *reason;
} slurm_task;

/* Task of an array: which limits it gets and what it does. */
typedef struct slurm_script {
    const char *name;                      /* of the job */
    const char *about;                     /* one line */
    unsigned tasks;                        /* 0: no array */
    const char *log;                       /* absolute; %a is the task */
    const char *partition, *time, *memory; /* NULL: Slurm's */
    const char *const *options;            /* more options of sbatch */
    size_t option_count;
    const char *after; /* jobs to wait for, however they end, "12:13", or "" */
    const char *token_file, *token; /* what must be in it on the node */
    const char *const *command;     /* NULL at its end; {task}: its number */
} slurm_script;

/* Exit status of tasks that do not see our folder. */
enum { SLURM_NOT_SHARED = 72 };

/* True if Slurm takes such a path in a script. */
bool slurm_path_good(const char *path);
void slurm_script_print(const slurm_script *s, strbuf *to);

/* The time, "90", "1:30:00" or "1-12:00", in minutes, rounded up, and memory,
 * "4G" or "4000", in MB; 0: it is not written as Slurm has it. */
uint64_t slurm_minutes(const char *text);
uint64_t slurm_megabytes(const char *text);

/* A row of squeue in the format of slurm_look. Modifies it. */
bool slurm_read_row(char *row, slurm_task *out);

/* ---- Talking to it; errors have Slurm's own words ---- */

/* ST_CONFIG: it was refused. ST_IO: there is no sbatch. */
status slurm_submit(const char *script, diag *dg, uint64_t *job);
/* All tasks of our jobs of these names that Slurm lists, also tasks that ended
 * some minutes ago. In the arena. */
status slurm_look(const char *const *names, size_t count, arena *mem, diag *dg,
                  slurm_task **tasks, size_t *task_count);
/* One task; `task` < 0: all of the job. */
status slurm_cancel(uint64_t job, int64_t task, diag *dg);
/* Tasks that an array may have. */
unsigned slurm_array_most(void);

#endif
