/* src/session/client.h - the program's side of a session: what its driver
 * tells the `heddle exec` that started it. Nothing here fails loudly or lasts:
 * when the other side goes away the client falls silent and the program runs
 * on. After a fork the child's first message is on a connection of its own.
 * Not thread-safe; calls for one launch come between its begin and result. */
#ifndef SESSION_CLIENT_H
#define SESSION_CLIENT_H

#include "gpu/gpu.h"
#include "runtime/runtime.h"
#include "session/message.h"
#include "session/setup.h"

/* The variable of the environment that names the session. */
#define SESSION_VARIABLE "HEDDLE_SESSION"

typedef struct session_client session_client;

/* Connects to the session `name`, the value of SESSION_VARIABLE, and reads what
 * it asks for; the caller frees *out. NULL: `name` is NULL, or one error is in
 * `dg`. */
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

/* What is said here is sent at the latest with the first message that comes
 * after a tenth of a second; until then it is where the other side finds it
 * even if this process is killed (session/tail.h). */
void session_begin(session_client *c, const session_launch *l);

/* As a gpu_run's progress, with the client as its argument; at most
 * ten a second are sent. */
void session_progress(void *c, const gpu_progress *p);

/* What the launch that was begun is to be traced with; NULL: it is not. */
const gpu_trace *session_traced(session_client *c);

/* The launch that was begun has ended, however. `d` is the device it ran on;
 * `profile` has a row more than the kernel has instructions, NULL: none;
 * `series` are samples of its energy, NULL: none; `error` is what the user
 * should read, NULL: nothing went wrong. A launch that could not start has a
 * result of its status only. */
void session_result(session_client *c, const rt_device *d, const rt_result *r,
                    const sm_profile_row *profile, const energy_series *series,
                    const char *error);

/* What the process has transferred until now; sent with results and at the
 * end. */
void session_moved(session_client *c, const session_transfers *all);

/* A sentence for the report. */
void session_note(session_client *c, const char *text);

#endif
