/* src/report/program.h - what a whole program launched, on one GPU or several,
 * from one process or many, as text, JSON or CSV. Plain data filled by the
 * caller, borrowed while it is written. */
#ifndef REPORT_PROGRAM_H
#define REPORT_PROGRAM_H

#include "report/run.h"

/* Bytes between a program and its GPUs. */
typedef struct report_moved {
    uint64_t read, written, copied;
} report_moved;

/* A call of OpenCL that failed, and how often just so. */
typedef struct report_failure {
    const char *function;
    int code;
    const char *name; /* of the code */
    const char *text; /* why, perhaps in several lines */
    uint64_t count;
} report_failure;

/* What a program did on a GPU, or waited for: docs/report.md tells what the
 * times are. The words are those of CUDA's profilers. */
typedef enum activity_kind {
    ACTIVITY_KERNEL,
    ACTIVITY_H2D, /* copies: host to device, */
    ACTIVITY_D2H, /* device to host, */
    ACTIVITY_D2D, /* and on the device */
    ACTIVITY_MEMSET,
    ACTIVITY_HOST, /* a function of the program in a stream */
    ACTIVITY_WAIT, /* the host waits */
    ACTIVITY_KINDS
} activity_kind;

enum activity_flag {
    ACTIVITY_FAILED = 1,
    ACTIVITY_COMPUTED = 2, /* a launch that was not timed: its end is a lower
                              bound, */
    ACTIVITY_CHARGED = 4   /* or what those like it took (--sample) */
};

#define ACTIVITY_NONE UINT64_MAX /* no launch */

typedef struct report_activity {
    activity_kind kind;
    unsigned flags; /* activity_flag */
    unsigned device;
    const char *stream;        /* "stream 2"; NULL: the host */
    uint64_t begin_ns, end_ns; /* simulated, since the process began */
    uint64_t bytes;
    uint64_t launch; /* of the process, from 0, or ACTIVITY_NONE; */
    unsigned part;   /* of those in flight together */
} report_activity;

typedef struct report_process {
    uint32_t pid, parent;
    const char *program, *command; /* path, line */
    const report_launch *launches; /* in order; unfinished ones too */
    size_t launch_count;
    const report_sum *const *sums; /* of launches that are `folded` */
    size_t sum_count;
    const char *const *notes; /* warnings of its driver */
    size_t note_count;
    const report_failure *failures; /* in the order of their first times */
    size_t failure_count;
    uint64_t failures_lost; /* others; they came after half of those */
    report_moved moved;
    const report_activity *activities; /* as they began; none: not wanted */
    size_t activity_count;
    uint64_t activities_lost; /* that came after too many */
    uint64_t hash;            /* of counters and memory */
    /* Of what was in the program's memory objects, each when it ended: the same
     * on every GPU that computes the same. */
    uint64_t memory_hash;
    bool has_hash;
    bool ended;   /* it ended properly; else it crashed or closed the
                     connection */
    bool running; /* it outlived the program and was not waited for */
    bool broken;  /* what it sent could not be understood any more */
} report_process;

typedef struct report_gpu {
    const char *name;
    const config *cfg;
} report_gpu;

typedef struct report_program {
    const char *command;   /* line */
    int exit_code, signal; /* how it ended: one of them is 0 */
    const report_gpu *gpus;
    size_t gpu_count;
    const report_process *processes;
    size_t process_count;
    const char *unused; /* why no process used OpenCL; NULL: unknown, or some
                           did */
    unsigned threads;
    double seconds;     /* of the host, from start to end */
    double cpu_seconds; /* that the program and its processes had a core; 0:
                           unknown */
    /* Text: numbers of kernels, with all launches of each together, and of
     * single launches that are reported in full. */
    size_t kernels, detailed;
    report_options options;
} report_program;

/* Where all its launches were outside, each place once; the caller frees it. */
exec_strays report_program_strays(const report_program *p);

void report_program_text(const report_program *p, FILE *to);
void report_program_json(const report_program *p, FILE *to);
/* A line for each launch, a header first, also without launches; as report_csv
 * with by_line or by_instruction. */
void report_program_csv(const report_program *p, FILE *to);

#endif
