/* src/launchfile/plan.h - a program's buffers and launches as a launch file or
 * a command line gives them (docs/launch.md), and what runs them on a device.
 * A plan owns everything in it through its arena. */
#ifndef LAUNCHFILE_PLAN_H
#define LAUNCHFILE_PLAN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "runtime/image.h"
#include "runtime/runtime.h"

typedef enum plan_type {
    TYPE_U8,
    TYPE_U16,
    TYPE_U32,
    TYPE_U64,
    TYPE_S8,
    TYPE_S16,
    TYPE_S32,
    TYPE_S64,
    TYPE_F16,
    TYPE_F32,
    TYPE_F64,
    TYPE_NONE
} plan_type;

/* TYPE_NONE if `text` names none. */
plan_type plan_type_find(const char *text); /* also int, i32, float ... */
/* The error for an unknown type. */
const char *plan_type_unknown(const char *text, arena *mem);
const char *plan_type_text(plan_type t);
unsigned plan_type_bytes(plan_type t);

enum { PLAN_STREAMS_MAX = 1024 };

#define PLAN_COUNT_MAX ((uint64_t)1 << 48) /* elements of a buffer */

typedef enum plan_init {
    INIT_ZERO,
    INIT_IOTA,
    INIT_CONSTANT,
    INIT_UNIFORM,
    INIT_FILE
} plan_init;

/* Where something was given: a place in a launch file, or the command line
 * (file NULL). */
typedef struct plan_place {
    const char *file;
    unsigned line, column, length;
} plan_place;

/* Options of a generator that were given. */
enum { GAVE_SEED = 1, GAVE_MIN = 2, GAVE_MAX = 4, GAVE_VALUE = 8 };

typedef struct plan_buffer {
    const char *name; /* a letter or _ first; unnamed ones of the command
                         line: the number of their argument */
    plan_type type;
    uint64_t count; /* elements; INIT_FILE: 0 until the file is read */
    plan_init init;
    unsigned given;    /* GAVE_... */
    double min, max;   /* INIT_UNIFORM */
    const char *value; /* INIT_CONSTANT: as given, */
    uint64_t bits;     /* and as an element */
    uint64_t seed;
    const char *file;
    plan_place at;
    uint64_t addr; /* once allocated */
    /* An image: its elements are the channels of its texels, x fastest. addr
     * is its number. NULL: memory. */
    rt_image_desc *image;
    struct plan_buffer *next;
} plan_buffer;

typedef struct plan_sampler {
    const char *name;
    tex_sampler is;
    uint32_t number; /* once allocated */
    plan_place at;
    struct plan_sampler *next;
} plan_sampler;

typedef struct plan_arg {
    plan_buffer *buffer;        /* NULL: a number, a sampler or a structure */
    plan_sampler *sampler;      /* alone, or with an image in `buffer` */
    plan_type type;             /* of the number; TYPE_NONE: the parameter's */
    const char *text;           /* of the number, or of the structure */
    struct plan_arg *fields;    /* of a structure by value; NULL: it is none */
    struct plan_tensor *tensor; /* a tensor map by value; NULL: it is none */
    plan_place at;
    struct plan_arg *next;
} plan_arg;

typedef struct plan_launch {
    const char *kernel; /* NULL: the only one */
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* CTAs of a thread-block cluster; 0: not said */
    uint32_t shared_bytes;
    uint32_t repeat;
    unsigned stream; /* below plan.streams */
    plan_arg *args;
    plan_arg *binds; /* `text`: the program's texture, surface or sampler */
    plan_place at;
    struct plan_launch *next;
} plan_launch;

typedef struct plan_output { /* dump or expect */
    plan_buffer *buffer;
    const char *file;
    double tolerance;
    plan_place at;
    struct plan_output *next;
} plan_output;

typedef struct plan {
    arena *mem;
    const char *program; /* path, NULL: not given */
    const char *gpu;
    plan_buffer *buffers, **buffers_end;
    plan_sampler *samplers, **samplers_end;
    plan_launch *launches, **launches_end;
    const char *stream[PLAN_STREAMS_MAX]; /* names; the first, "0", is that of
                                             launches that name none */
    unsigned streams;
    plan_output *dumps, **dumps_end;
    plan_output *expects, **expects_end;
} plan;

plan *plan_new(void);
void plan_free(plan *p);

/* Adds the contents of a launch file. ST_OK or ST_CONFIG with every error in
 * dg; ST_IO if it cannot be read. */
status plan_read(plan *p, const char *path, diag *dg);
status plan_read_text(plan *p, const char *path, const char *text, size_t size,
                      diag *dg);

/* `--arg`: [NAME=]buf:TYPE[COUNT]=INIT[,key=value...], [NAME=]buf:TYPE=@FILE,
 * TYPE:NUMBER, NUMBER, the name of a buffer, or {FIELD,...} with fields like
 * the last three. Appends to `l`; nothing on failure. */
status plan_add_arg(plan *p, plan_launch *l, const char *text, diag *dg);
/* `--dump` and `--expect`: BUFFER=FILE. */
status plan_add_output(plan *p, bool expect, const char *text, double tolerance,
                       diag *dg);
plan_launch *plan_add_launch(plan *p);
plan_buffer *plan_find_buffer(const plan *p, const char *name);
plan_sampler *plan_find_sampler(const plan *p, const char *name);
/* The kernels that are launched, each once, NULL at the end; NULL if a launch
 * does not name one. Lives as long as the plan. */
const char *const *plan_kernels(const plan *p);

/* Allocates and fills the buffers on `d`. ST_CONFIG: a file is wrong, also one
 * with expected contents. */
status plan_allocate(plan *p, rt_device *d, diag *dg);

/* Checks the arguments of `l` against the kernel and lays them out; the caller
 * frees *params. ST_OK or ST_USAGE. */
status plan_arguments(const plan *p, const plan_launch *l, const isa_kernel *k,
                      diag *dg, void **params);

/* The launches of a plan as rt_run_streams takes them. */
typedef struct plan_list {
    rt_launch *launch;
    unsigned *stream;
    const plan_launch **of; /* each is a repetition of */
    size_t count;
    void **params; /* one for each launch of the plan */
    size_t param_count;
} plan_list;

enum { PLAN_LIST_MAX = 1000000 };

/* `how` has what is the same for all. ST_OK, and plan_list_free is due, or
 * ST_USAGE or ST_NOMEM. */
status plan_list_make(const plan *p, rt_module *m, const rt_launch *how,
                      diag *dg, plan_list *out);
void plan_list_free(plan_list *l);

/* Binds the images and samplers of the launch to the program's textures and
 * samplers. ST_OK or ST_USAGE. */
status plan_bind(const plan_launch *l, rt_module *m, diag *dg);

/* Of all buffers, in order. ST_OK or ST_NOMEM. */
status plan_hash(const plan *p, rt_device *d, uint64_t *hash);

typedef struct plan_check { /* outcome of one `expect` */
    const plan_output *what;
    uint64_t count, differ; /* elements */
    uint64_t first;         /* index of the first that differs */
    double got, want;       /* there */
    double worst;           /* largest difference, absolute or relative,
                               whichever is smaller */
} plan_check;

/* Compares one buffer. ST_OK, ST_MISMATCH, or ST_CONFIG. */
status plan_compare(const plan *p, const plan_output *e, rt_device *d, diag *dg,
                    plan_check *out);

/* Writes one buffer. ST_OK or ST_IO. */
status plan_dump(const plan *p, const plan_output *o, rt_device *d, diag *dg);

#endif
