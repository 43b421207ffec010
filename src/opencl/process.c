/* The state of the process: platform, devices, locks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "config/preset.h"
#include "config/sheet.h"
#include "opencl/device.h"
#include "opencl/memory/memory.h"
#include "opencl/opencl.h"
#include "opencl/queue/flight.h"
#include "opencl/queue/kernel_command.h"
#include "opencl/queue/worker.h"
#include "session/client.h"

/* The one driver of this process. An ICD has no handle through which its state
 * could be passed, so it is global. */
static ocl_state state = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
    .machine = PTHREAD_MUTEX_INITIALIZER,
};
static pthread_once_t once = PTHREAD_ONCE_INIT;

void state_lock(void) { pthread_mutex_lock(&state.lock); }
void state_unlock(void) { pthread_mutex_unlock(&state.lock); }

/* Of each thread: what it has called. */
static _Thread_local const char *called;

const char *state_enter(const char *function)
{
    const char *before = called;

    state_lock();
    called = function;
    return before;
}

void state_leave(const char *const *before)
{
    called = *before;
    state_unlock();
}

const char *state_called(void) { return called ? called : "OpenCL"; }

/* Is the variable of the environment set to something, but not to 0? */
static bool is_wished(const char *name)
{
    const char *value = getenv(name);

    return value && *value && strcmp(value, "0") != 0;
}

bool state_logs(void) { return is_wished("HEDDLE_LOG"); }

/* Adds the GPU `name`, a preset or a file. */
static bool add_named(const char *name, diag *dg)
{
    config_sheet *sheet = config_sheet_new();
    bool good = sheet && config_sheet_load(sheet, name, dg) == ST_OK &&
                device_add(&state, name, config_sheet_values(sheet));

    config_sheet_free(sheet);
    return good;
}

/* "v100,k20", the value of HEDDLE_GPU. */
static bool add_list(const char *list, diag *dg)
{
    char *copy = alloc_try_text(list), *rest = copy, *name;
    bool good = copy != NULL;

    while (good && (name = strsep(&rest, ",")))
        good = !*name || add_named(name, dg);
    free(copy);
    if (good && !state.device_count)
        diag_error(dg, "HEDDLE_GPU names no GPU");
    return good && state.device_count;
}

/* The GPUs that the session's command line names. */
static bool add_setup(const session_setup *setup, diag *dg)
{
    bool good = true;

    for (unsigned i = 0; i < setup->device_count && good; i++) {
        const session_device *d = &setup->devices[i];
        config_sheet *sheet = config_sheet_new();

        good = sheet &&
               config_sheet_read(sheet, d->name, d->config, strlen(d->config),
                                 dg) == ST_OK &&
               device_add(&state, d->name, config_sheet_values(sheet));
        config_sheet_free(sheet);
    }
    return good;
}

enum { SLACK_ALIGN = 256 }; /* a buffer stays where it would be without */

static bool make_state(diag *dg)
{
    rt_options opt = {.threads = 1, .lenient = !is_wished("HEDDLE_STRICT")};
    const char *names = getenv("HEDDLE_GPU");

    state.platform = object_new(OCL_PLATFORM, sizeof *state.platform, NULL);
    if (!state.platform)
        return false;
    state.session = session_connect(getenv(SESSION_VARIABLE), dg, &state.setup);
    if (state.session)
        opt = state.setup->rt;
    else if (diag_errors(dg))
        return false;
    state.as_cpu =
        is_wished("HEDDLE_AS_CPU") || (state.session && state.setup->as_cpu);
    opt.partial = true;
    if (state.session)
        state.slack_bytes =
            bits_align_up(state.setup->slack_bytes, SLACK_ALIGN);
    opt.slack_bytes = state.slack_bytes;
    opt.slack_offered = state.session != NULL;
    bool good = state.session ? add_setup(state.setup, dg)
                              : add_list(names && *names ? names : "v100", dg);
    return good && devices_start(&state, &opt, dg);
}

/* The program ends. What it still waits for, in destructors that run later, is
 * no longer reported. */
static void end_state(void)
{
    session_client *c = state.session;
    uint64_t hash = 0;
    strbuf note = {0};

    if (!worker_end())
        return;
    for (unsigned i = 0;
         state.setup && state.setup->hash && i < state.device_count; i++)
        hash = hash * 31 + rt_hash(state.devices[i]->rt);
    session_memory(c, memory_hash());
    if (!c)
        flight_report_strays();
    state_lock(); /* no thread is reporting an error */
    if (launch_not_begun(&note))
        session_note(c, note.text);
    strbuf_fini(&note);
    state.session = NULL;
    state_unlock();
    session_close(c, state.setup && state.setup->hash ? &hash : NULL);
}

static void start_state(void)
{
    diag *dg = diag_new();

    if (!dg || !make_state(dg)) {
        state.platform = NULL;
        if (dg)
            diag_print(dg, stderr, false);
    } else {
        atexit(end_state);
    }
    diag_free(dg);
}

ocl_state *state_get(void)
{
    pthread_once(&once, start_state);
    return state.platform ? &state : NULL;
}
