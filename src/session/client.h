/* src/session/client.h - the program's side of a session: the reports of its
 * driver to the `heddle exec` that started it. Nothing here fails or blocks the
 * program: when the connection breaks the client sends nothing more and the
 * program runs on. After a fork the child's first message is on a connection of
 * its own. Calls of several threads come one after the other; a fork must not
 * come while one is under way. */
#ifndef SESSION_CLIENT_H
#define SESSION_CLIENT_H

#include "gpu/gpu.h"
#include "lookout/lookout.h"
#include "runtime/flight.h"
#include "session/message.h"
#include "session/setup.h"

/* The variable of the environment that names the session. */
#define SESSION_VARIABLE "HEDDLE_SESSION"

typedef struct session_client session_client;

/* Connects to the session `name`, the value of SESSION_VARIABLE, and reads its
 * setup; the caller frees *out. NULL: `name` is NULL, or one error is
 * in `dg`. */
session_client *session_connect(const char *name, diag *dg,
                                session_setup **out);
/* What session_close sends beside its hash: that of the contents of memory
 * objects. */
void session_memory(session_client *c, uint64_t hash);
/* Ends it: the process is done with OpenCL. `hash` NULL: none. Also without it
 * nothing is lost that was sent. NULL is fine. */
void session_close(session_client *c, const uint64_t *hash);

/* ---- Below, a NULL client is fine: nothing is sent ---- */

typedef struct session_module {
    uint64_t number;  /* the caller's, never used for another module */
    const char *name; /* for people: the file, or "program 3" */
    const isa_program *program;
    const msg_text *texts; /* of source files, by the program's file names */
    size_t text_count;
} session_module;

typedef struct session_launch {
    const session_module *module; /* sent before its first launch */
    const isa_kernel *kernel;
    unsigned device; /* index into the setup's devices */
    uint32_t grid[3], block[3];
    uint32_t shared_bytes; /* dynamic */
    bool functional;
} session_launch;

/* A launch that was begun and has no result yet, in the caller's storage. Of
 * launches in flight together the first is begun, the others join it. */
typedef struct session_open {
    session_client *client; /* NULL: no session */
    uint64_t number;
    unsigned connection; /* the only one that it is reported on */
    unsigned device;
    bool timed;
    int64_t progress_ms; /* when the last one was sent */
    gpu_trace tracing;
} session_open;

/* A message is sent at the latest with the first one that follows after a tenth
 * of a second; until then it is in memory that the other side reads if this
 * process is killed (session/shared_tail.h). */
void session_begin(session_client *c, const session_launch *l, session_open *o);

/* As a gpu_run's progress, with the launch as its argument; at most
 * ten a second are sent. */
void session_progress(void *open, const gpu_progress *p);

/* As an rt_launch's sofar, with the launch as its argument. */
void session_sofar(void *open, const rt_device *d, const rt_result *r);

/* The trace of the launch; NULL: none. Called once for each launch. */
const gpu_trace *session_traced(session_open *o);

/* One of several launches in flight has ended. */
typedef struct session_part {
    const session_module *module;
    const isa_kernel *kernel;
    const char *stream; /* its queue */
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;         /* dynamic */
    const rt_part *is;             /* the number means nothing */
    const sm_profile_row *profile; /* as below */
} session_part;

void session_ended(session_open *o, const session_part *p);

/* Over its time; each may be empty. */
typedef struct session_samples {
    const energy_series *energy;
    const stats_series *warps; /* resident, of every SM, times cycles */
} session_samples;

/* The launch, or all of them, has ended, however. `d` is the device it ran on;
 * `kernel` that of `profile`, which has a row more than it has instructions,
 * NULL: none, or of parts; `samples` NULL: none; `error` is what the user
 * should read, NULL: nothing went wrong. A launch that could not start has a
 * result of its status only. */
void session_result(session_open *o, const rt_device *d, const rt_result *r,
                    const isa_kernel *kernel, const sm_profile_row *profile,
                    const session_samples *samples, const char *error);

/* To who watches, where the setup says that somebody does; for lookouts. */
lookout_line session_line(session_client *c);

/* What the process has transferred until now; sent with results and at the
 * end. */
void session_moved(session_client *c, const session_transfers *all);

/* Something has ended that the timeline has: its launch is the number of a
 * session_open. */
void session_activity(session_client *c, const report_activity *a);

/* A sentence for the report. */
void session_note(session_client *c, const char *text);

/* A call of OpenCL has failed: the function, its code and the code's name, and
 * why; the first SESSION_FAILURES of a process are sent. Name and text are
 * copied. */
enum { SESSION_FAILURES = 100000 };
void session_failed(session_client *c, const char *function, int code,
                    const char *name, const char *text);

#endif
