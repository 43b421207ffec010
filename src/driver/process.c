/* The process: what it simulates on, the session it belongs to, its end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "config/preset.h"
#include "config/sheet.h"
#include "driver/checkpoint.h"
#include "driver/flight.h"
#include "driver/kernel_command.h"
#include "driver/room.h"
#include "driver/worker.h"
#include "session/client.h"

drv_state drv = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
    .machine = PTHREAD_MUTEX_INITIALIZER,
};

/* ---- The lock, and calls that fail ---- */

void drv_lock(void) { pthread_mutex_lock(&drv.lock); }
void drv_unlock(void) { pthread_mutex_unlock(&drv.lock); }

/* Of each thread: what it has called. */
static _Thread_local const char *called;

const char *drv_enter(const char *function)
{
    const char *before = called;

    drv_lock();
    called = function;
    return before;
}

void drv_leave(const char *const *before)
{
    called = *before;
    drv_unlock();
}

const char *drv_called(void) { return called ? called : drv.door->api; }

bool drv_wished(const char *name)
{
    const char *value = getenv(name);

    return value && *value && strcmp(value, "0") != 0;
}

bool drv_logs(void) { return drv_wished("HEDDLE_LOG"); }

enum { TEXT_MOST = 4096 }; /* bytes of the text of an error */

int drv_fail(const char *function, int code, const char *fmt, va_list args)
{
    char text[TEXT_MOST];

    if (!drv_logs() && !drv.session)
        return code;
    const char *name = drv.door->code_name(code);
    vsnprintf(text, sizeof text, fmt, args);
    session_failed(drv.session, function, code, name, text);
    if (drv_logs())
        fprintf(stderr, "heddle: %s: %s: %s\n", function, name, text);
    return code;
}

/* ---- Devices ---- */

uint64_t drv_device_bytes(const drv_device *d)
{
    return d->cfg->gpu.global_bytes;
}

/* False: no memory. */
static bool add_device(const char *name, const config *cfg)
{
    drv_device **more =
        alloc_try_renew(drv.devices, drv.device_count + 1, sizeof *more);
    drv_device *d = alloc_try_zeroed(1, sizeof *d);
    config *own = alloc_try_array(1, sizeof *own);

    if (more)
        drv.devices = more;
    if (!more || !d || !own) {
        free(d);
        free(own);
        return false;
    }
    *own = *cfg;
    if (drv.door->adapt)
        drv.door->adapt(own);
    d->cfg = own;
    d->name = alloc_try_text(name);
    d->number = drv.device_count;
    drv.devices[drv.device_count++] = d;
    return d->name != NULL;
}

/* Adds the GPU `name`, a preset or a file. */
static bool add_named(const char *name, diag *dg)
{
    config_sheet *sheet = config_sheet_new();
    bool good = sheet && config_sheet_load(sheet, name, dg) == ST_OK &&
                add_device(name, config_sheet_values(sheet));

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
    if (good && !drv.device_count)
        diag_error(dg, "HEDDLE_GPU names no GPU");
    return good && drv.device_count;
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
               add_device(d->name, config_sheet_values(sheet));
        config_sheet_free(sheet);
    }
    return good;
}

/* Devices share one memory, which is larger than any of theirs: what was freed
 * is used again only when all of it was handed out once (memory.c), and pages
 * that are not touched cost nothing. Where so much address space cannot be had,
 * or not where it must be, less will do, but not less than `least` bytes. */
static rt_memory *make_memory(uint64_t least, diag *dg)
{
    for (uint64_t bytes = 1ull << 40; bytes > least; bytes /= 2) {
        diag *why = diag_new();
        rt_memory *m = why ? rt_memory_new(bytes, why) : NULL;

        diag_free(why);
        if (m && (!drv.door->identity || rt_memory_identity(m)))
            return m;
        rt_memory_free(m);
    }
    return rt_memory_new(least, dg);
}

static bool start_devices(const rt_options *opt, diag *dg)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < drv.device_count; i++) {
        uint64_t bytes = drv_device_bytes(drv.devices[i]);

        most = bytes > most ? bytes : most;
    }
    drv.image = make_memory(most, dg);
    if (drv.image && !checkpoint_begin(dg))
        return false;
    for (unsigned i = 0; i < drv.device_count && drv.image; i++) {
        drv_device *d = drv.devices[i];

        d->rt = rt_device_new_on(d->cfg, opt, drv.image, dg);
        if (!d->rt)
            return false;
    }
    return drv.image != NULL;
}

/* ---- Beginning and end ---- */

enum { SLACK_ALIGN = 256 }; /* a buffer stays where it would be without */

static bool make_process(diag *dg)
{
    rt_options opt = {.threads = 1, .lenient = !drv_wished("HEDDLE_STRICT")};
    const char *names = getenv("HEDDLE_GPU");

    drv.session = session_connect(getenv(SESSION_VARIABLE), dg, &drv.setup);
    if (drv.session)
        opt = drv.setup->rt;
    else if (diag_errors(dg))
        return false;
    opt.partial = true;
    if (drv.session)
        drv.slack_bytes = bits_align_up(drv.setup->slack_bytes, SLACK_ALIGN);
    opt.slack_bytes = drv.slack_bytes;
    opt.slack_offered = drv.session != NULL;
    bool good = drv.session ? add_setup(drv.setup, dg)
                            : add_list(names && *names ? names : "v100", dg);
    return good && start_devices(&opt, dg);
}

/* The program ends. What it still waits for, in destructors that run later, is
 * no longer reported. */
static void end_process(void)
{
    session_client *c = drv.session;
    uint64_t hash = 0;
    strbuf note = {0};

    if (!worker_end())
        return;
    checkpoint_end();
    for (unsigned i = 0; drv.setup && drv.setup->hash && i < drv.device_count;
         i++)
        hash = hash * 31 + rt_hash(drv.devices[i]->rt);
    session_memory(c, drv_room_hash());
    if (!c)
        flight_report_strays();
    drv_lock(); /* no thread is reporting an error */
    if (launch_not_begun(&note))
        session_note(c, note.text);
    strbuf_fini(&note);
    drv.session = NULL;
    drv_unlock();
    session_close(c, drv.setup && drv.setup->hash ? &hash : NULL);
}

bool drv_start(const drv_door *door)
{
    diag *dg = diag_new();

    drv.door = door;
    bool good = dg && make_process(dg);
    if (good)
        atexit(end_process);
    else if (dg)
        diag_print(dg, stderr, false);
    diag_free(dg);
    return good;
}
