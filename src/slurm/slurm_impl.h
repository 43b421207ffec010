/* src/slurm/slurm_impl.h - the inside of slurm_sweep.h, for its own files:
 * slurm_folder.c (what is there), slurm_submit.c (arrays and scripts) and
 * slurm_sweep.c (what becomes of tasks and points). */
#ifndef SLURM_SLURM_IMPL_H
#define SLURM_SLURM_IMPL_H

#include "slurm/slurm_sweep.h"

/* What becomes of a point. */
typedef enum fate {
    TO_SUBMIT,
    SUBMITTED, /* in the array `holder` */
    GIVEN_UP,
    CANCELLED
} fate;

typedef struct task {
    slurm_state state;
    int exit_code, signal;
    const char *node;
    bool accounted;
    bool over;   /* since `over_s` */
    bool before; /* it was when we came */
    double over_s;
} task;

typedef struct array {
    unsigned number;
    uint64_t job; /* 0: not submitted, or the number is lost */
    size_t *points;
    size_t count;
    task *tasks;
    unsigned task_count;
    unsigned accounted;
    size_t finished; /* points that its tasks finished */
    unsigned failed; /* tasks that ended with an exit status of their own */
} array;

struct slurm_sweep {
    arena *mem;
    sweep_folder *folder;
    const slurm_options *o;
    const char *dir; /* slurm in the folder */
    char token[17];
    int lock;
    array *arrays; /* in the order of their numbers */
    size_t array_count, array_room;
    size_t points;
    fate *fates;
    size_t *holder;                      /* array */
    unsigned *tries;                     /* ended while it ran */
    size_t *by_id;                       /* points, sorted by their ids */
    unsigned memory_factor, time_factor; /* of the limits of the options */
    bool memory_grows, time_grows;       /* with the next array */
    bool looked;
    size_t resubmitted;
    size_t causes[SLURM_STATES]; /* of that */
    const char *why;             /* a task waits, NULL: none does */
    const char *script;          /* of the last array */
};

/* slurm/array-N.END */
const char *slurm_in_dir(slurm_sweep *s, unsigned number, const char *end);
const char *slurm_job_name(slurm_sweep *s, unsigned number);
/* A new array, with room for the points. */
struct array *slurm_add_array(slurm_sweep *s, unsigned number, size_t points,
                              unsigned tasks);
/* Its points are its own from here on. */
void slurm_hold(slurm_sweep *s, const struct array *a);

/* Is the point to be in the next array? */
bool slurm_to_submit(const slurm_sweep *s, size_t point);

#endif
