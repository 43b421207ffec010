/* src/session/setup.h - what a program gets when it connects: how to simulate,
 * and on which GPUs. Owns everything in it through its arena. */
#ifndef SESSION_SETUP_H
#define SESSION_SETUP_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/runtime.h"
#include "session/launch_filter.h"
#include "session/wire.h"

typedef struct session_device {
    const char *name;   /* as it was asked for: "v100" */
    const char *config; /* the canonical text, see config/print.h */
} session_device;

/* Which events of which launches are sent. */
typedef struct session_trace {
    bool wanted;
    trace_filter filter;         /* cycles of a launch */
    uint64_t first, last, limit; /* timed launches, from 1; events */
} session_trace;

/* A checkpoint that the program's process writes or goes on from. */
typedef struct session_checkpoint {
    const char *file;   /* its whole name; NULL: there is none */
    bool resumes;       /* it is read; false: written, */
    const char *kernel; /* after launch `nth`, from 1, of a kernel of that */
    uint64_t nth;       /* name, with the wildcards of shells */
    bool taken;         /* by another process of the program */
} session_checkpoint;

/* Somebody watches (lookout/lookout.h). */
typedef struct session_watching {
    bool wanted;
    bool hold; /* launches that fail stand still */
} session_watching;

/* Which code of CUDA programs runs. */
typedef enum session_code {
    CODE_AUTO, /* machine code where there is some that can run, else PTX */
    CODE_PTX,
    CODE_SASS,
} session_code;

/* "auto", "ptx" or "sass"; false: it is another word. */
bool session_code_of(const char *word, session_code *out);

/* Between samples of resident warps, while there are few of them. */
enum { SESSION_WARPS_CYCLES = 256 };

typedef struct session_setup {
    arena *mem;
    rt_options rt;          /* no kernels, not partial; what is functional is
                               said by `select` */
    launch_filter filter;   /* of each process */
    uint64_t max_cycles;    /* of a launch, 0: none */
    bool profile;           /* rows by instruction are wanted */
    bool sources;           /* and the texts of source files */
    bool per_block;         /* all counters are wanted, not only totals */
    uint64_t sample_cycles; /* between samples of energy, 0: none */
    uint64_t warps_cycles;  /* of resident warps by SM, 0: none */
    bool hash;              /* of counters and memory, at the end */
    bool timeline;          /* what commands did when */
    session_trace trace;    /* of launches of each process */
    session_watching watch;
    uint64_t slack_bytes; /* before and behind buffers, that belong to them */
    bool as_cpu;          /* devices call themselves CPUs */
    session_code code;
    session_checkpoint checkpoint;
    bool lenient_kernels; /* not only programs are rt.lenient; not sent */
    session_device *devices;
    unsigned device_count; /* 1 at least */
} session_setup;

session_setup *session_setup_new(void);    /* NULL if memory runs out */
void session_setup_free(session_setup *s); /* NULL is fine */

/* The whole message; of its payload. NULL: it is bad, or memory ran out. */
void session_setup_put(strbuf *b, const session_setup *s);
session_setup *session_setup_get(wire *w);

#endif
