/* src/api/objects.h - what the files of the library share: its objects, and how
 * a call begins and ends.
 *
 *     API_BEGIN(sim);
 *     return api_end(&call, do_it(sim, ...));
 *
 * A call takes the simulation for itself, empties its messages, and is left
 * where it stands if the host's memory is used up, or a check fails: then the
 * simulation is lost. What may be changed in between belongs to another
 * function, as registers are not what they were. */
#ifndef API_OBJECTS_H
#define API_OBJECTS_H

#include <setjmp.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/must.h"
#include "base/source.h"
#include "base/strbuf.h"
#include "config/sheet.h"
#include "heddle/heddle.h"
#include "report/run.h"
#include "runtime/flight.h"
#include "study/plan_run.h"

struct heddle_kernel {
    heddle_module *module;
    const isa_kernel *is;
};

struct heddle_module {
    heddle_sim *sim;
    rt_module *is;
    char *name;
    heddle_kernel *kernels;
    heddle_buffer *variables; /* that were asked for */
    char *text; /* it was loaded from; NULL: from a file, or it is no text */
    size_t text_size;
    sources *sources;    /* NULL: nobody has asked for a line */
    size_t results;      /* that tell of its kernels */
    bool unloaded;       /* it waits for these */
    heddle_module *next; /* of the simulation */
};

struct heddle_buffer {
    heddle_sim *sim;
    heddle_module *module; /* whose variable it is; NULL: it is none */
    heddle_plan *plan;     /* whose buffer it is; NULL: of none */
    const plan_buffer *is; /* in the plan */
    char *name;
    uint64_t addr, size;
    heddle_buffer *next; /* of the simulation, or the module */
};

struct heddle_plan {
    heddle_sim *sim;
    plan *is;
    plan_run run;
    heddle_module *module;  /* NULL: a trace */
    heddle_buffer *buffers; /* in order */
    heddle_result *first;   /* of the run under way */
    size_t results;         /* that tell of its streams */
    bool closed;            /* it waits for these */
    heddle_plan *next;      /* of the simulation */
};

struct heddle_result {
    heddle_sim *sim;
    heddle_module *module; /* the kernel's */
    heddle_plan *plan;     /* NULL: of none */
    launch_list list;      /* of this launch alone */
    char *kernel, *error;
    heddle_code code;
    exec_fault fault;
    char *file; /* of the fault; NULL: unknown */
    uint32_t line;
    bool kept; /* heddle_json tells it: no look at one in flight */
    strbuf json;
    heddle_row *rows[2]; /* by heddle_rows; NULL: nobody has asked */
    size_t row_count[2];
    arena *row_mem;
    heddle_result *next; /* of the simulation, in order */
};

/* A counter's name as heddle_counter_info gives it. */
typedef struct api_counter {
    char *name;
} api_counter;

struct heddle_sim {
    bool busy; /* a call is under way */
    bool lost, opened;
    heddle_code lost_by; /* what the call gave that lost it */
    volatile sig_atomic_t stop;
    config_sheet *sheet;
    rt_device *device;
    rt_options opt;
    rt_flight *flight;
    diag *dg;
    size_t told; /* of its messages */
    strbuf error, config, json;
    heddle_callbacks calls;
    heddle_module *modules;
    heddle_buffer *buffers;
    heddle_plan *plans;
    heddle_result *results, **results_end;
    uint64_t *totals; /* of all launches that have ended */
    size_t total_count;
    api_counter *counter; /* total_count of them */

    /* The launch in flight. */
    bool in_flight;
    rt_launch launch;
    void *params;
    heddle_module *running;
    bool ended;            /* and that is what came of it, until it is */
    heddle_result *result; /* handed over */
};

typedef struct api_call {
    heddle_sim *sim;
    jmp_buf out;
    must_escape escape; /* of a call around this one */
    must_hook hook;
} api_call;

/* HEDDLE_OK, or why the call cannot be: nothing has changed then. */
heddle_code api_take(api_call *c, heddle_sim *sim);
/* Leaves a call that failed that far, and gives its code. */
heddle_code api_leave_lost(api_call *c);
/* Makes the error's text of the messages, hands these to the caller, and gives
 * the simulation free. */
heddle_code api_end(api_call *c, heddle_code code);
/* Hands the messages to the caller that it has not got. */
void api_tell(heddle_sim *sim);
/* The errors among them, a line each, appended. */
void api_put_errors(const heddle_sim *sim, strbuf *out);
/* A reader of a result, which may be called in callbacks, and takes nothing. */
void api_guard(api_call *c, heddle_sim *sim);
void api_unguard(api_call *c);

/* clang-format off */
#define API_BEGIN_OR(the_sim, failed)                                          \
    api_call call;                                                             \
    heddle_code taken = api_take(&call, (the_sim));                            \
    if (taken != HEDDLE_OK)                                                    \
        return (failed);                                                       \
    if (setjmp(call.out)) {                                                    \
        taken = api_leave_lost(&call);                                         \
        return (failed);                                                       \
    }
/* clang-format on */
#define API_BEGIN(the_sim) API_BEGIN_OR(the_sim, taken)

/* An object that a call would make: there is none unless it does. In front of
 * API_BEGIN, which may return. */
#define API_NO(object)                                                         \
    do {                                                                       \
        if (object)                                                            \
            *(object) = NULL;                                                  \
    } while (0)

/* A wrong argument: its code, and the text. */
heddle_code api_wrong(heddle_sim *sim, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
heddle_code api_code(status st);
/* The text of heddle_error from outside of a call, unless one is under way. */
void api_note(heddle_sim *sim, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Copies a structure of the caller's, whose first member is its size, to one of
 * `size` bytes, of which programs that were compiled earlier have fewer, but
 * `least`; what later ones have behind it must be zeros. */
bool api_take_struct(void *to, size_t size, const void *from, size_t least);

/* ---- api_module.c ---- */

/* Frees it if it was unloaded and nothing tells of it any more. */
void api_module_release(heddle_module *m);
void api_module_free(heddle_module *m);

/* The texts of its files. */
const sources *api_module_sources(heddle_module *m);
heddle_code api_module_load_file(heddle_sim *sim, const char *path,
                                 heddle_module **out);
/* The object of a module of the device; it is made if there is none yet. */
heddle_module *api_module_of(heddle_sim *sim, rt_module *is, const char *name);
void api_module_unload(heddle_module *m);

/* ---- api_arguments.c ---- */

/* Lays out the arguments of a launch; the caller frees *params. */
heddle_code api_arguments(const heddle_kernel *k, const heddle_launch *l,
                          void **params);

/* ---- api_launch.c ---- */

/* HEDDLE_OK, or HEDDLE_BAD_ARGUMENT: what is wrong with flags of `where`. */
heddle_code api_launch_flags(heddle_sim *sim, uint32_t flags,
                             const char *where);
/* How launches go that have these. */
rt_launch api_launch_how(heddle_sim *sim, uint32_t flags, uint64_t max_cycles);
/* Callbacks: sim->launch begins; it has ended with that. */
void api_launch_begins(const heddle_sim *sim);
void api_launch_ended(heddle_sim *sim, heddle_result *r);
/* The one in flight, which `sim` may not have, is dropped. */
void api_launch_drop(heddle_sim *sim);

/* ---- api_plan.c ---- */

/* Frees it if it was closed and nothing tells of it any more. */
void api_plan_release(heddle_plan *p);
void api_plan_free(heddle_plan *p);

/* ---- api_result.c ---- */

/* What came of the launch in flight, or has until now; it owns the profile from
 * then on, NULL: there is none. */
heddle_result *api_result_new(heddle_sim *sim, const rt_result *r,
                              sm_profile_row *profile);
/* What came of a launch of a plan, the last of its list. */
heddle_result *api_result_of_plan(heddle_plan *p, const exec_fault *fault);
/* It has ended: the code, and the text of the messages. It joins those that
 * heddle_json tells. */
void api_result_end(heddle_result *r, heddle_code code);
void api_result_free(heddle_result *r); /* which is in no list */
/* The names of counters, once there are any. */
void api_counters_know(heddle_sim *sim);
void api_totals_add(heddle_sim *sim, const uint64_t *totals);

#endif
