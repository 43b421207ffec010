/* Simulations: opening, closing, errors and callbacks. */
#include "api/objects.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "config/preset.h"
#include "config/print.h"
#include "config/rules.h"

enum { SETTINGS_MAX = 100000, THREADS_MAX = 1024, REGISTERS_MAX = 255 };

/* Room for a last message is there from the beginning. */
enum { ERROR_ROOM = 1024 };

/* ---- Codes ---- */

const char *heddle_version(void) { return HEDDLE_VERSION; }
uint32_t heddle_version_number(void) { return HEDDLE_VERSION_NUMBER; }

const char *heddle_code_text(heddle_code code)
{
    static const char *const texts[] = {
        [HEDDLE_OK] = "ok",
        [HEDDLE_BAD_ARGUMENT] = "bad argument",
        [HEDDLE_BAD_CONFIG] = "bad configuration",
        [HEDDLE_BAD_PROGRAM] = "bad program",
        [HEDDLE_BAD_FILE] = "bad file",
        [HEDDLE_NOT_FOUND] = "not found",
        [HEDDLE_BUSY] = "busy",
        [HEDDLE_FAULT] = "fault",
        [HEDDLE_HANG] = "hang",
        [HEDDLE_LIMIT] = "limit",
        [HEDDLE_CANCELLED] = "cancelled",
        [HEDDLE_NO_MEMORY] = "out of memory",
        [HEDDLE_INTERNAL] = "internal error",
        [HEDDLE_LOST] = "the simulation is lost",
        [HEDDLE_MISMATCH] = "other results than expected",
    };

    return (size_t)code < COUNTOF(texts) ? texts[code] : "no code of Heddle";
}

heddle_code api_code(status st)
{
    switch (st) {
    case ST_OK:
        return HEDDLE_OK;
    case ST_USAGE:
        return HEDDLE_BAD_ARGUMENT;
    case ST_CONFIG:
        return HEDDLE_BAD_CONFIG;
    case ST_PROGRAM:
        return HEDDLE_BAD_PROGRAM;
    case ST_FAULT:
        return HEDDLE_FAULT;
    case ST_HANG:
        return HEDDLE_HANG;
    case ST_LIMIT:
        return HEDDLE_LIMIT;
    case ST_NOMEM:
        return HEDDLE_NO_MEMORY;
    case ST_IO:
    case ST_INPUT:
        return HEDDLE_BAD_FILE;
    case ST_INTERRUPTED:
        return HEDDLE_CANCELLED;
    case ST_MISMATCH:
        return HEDDLE_MISMATCH;
    case ST_INTERNAL:
        return HEDDLE_INTERNAL;
    }
    MUST(!"a status");
    return HEDDLE_INTERNAL;
}

heddle_code api_wrong(heddle_sim *sim, const char *fmt, ...)
{
    strbuf text = {0};
    va_list ap;

    va_start(ap, fmt);
    strbuf_vprintf(&text, fmt, ap);
    va_end(ap);
    diag_error(sim->dg, "%s", text.text);
    strbuf_fini(&text);
    return HEDDLE_BAD_ARGUMENT;
}

/* ---- Calls ---- */

static void leave(void *arg, bool memory, const char *text)
{
    api_call *c = arg;

    c->sim->lost = true;
    c->sim->lost_by = memory ? HEDDLE_NO_MEMORY : HEDDLE_INTERNAL;
    /* Without taking memory, if there is none. */
    if (c->sim->error.room > strlen(text)) {
        c->sim->error.size = strlen(text);
        memcpy(c->sim->error.text, text, c->sim->error.size + 1);
    }
    longjmp(c->out, 1);
}

void api_guard(api_call *c, heddle_sim *sim)
{
    c->sim = sim;
    c->hook = must_on_fail((must_hook){.tell = NULL});
    c->escape = must_leave_by((must_escape){leave, c});
}

void api_unguard(api_call *c)
{
    must_leave_by(c->escape);
    must_on_fail(c->hook);
}

static bool take(heddle_sim *sim)
{
    return !__atomic_exchange_n(&sim->busy, true, __ATOMIC_ACQUIRE);
}

static void give(heddle_sim *sim)
{
    __atomic_store_n(&sim->busy, false, __ATOMIC_RELEASE);
}

heddle_code api_take(api_call *c, heddle_sim *sim)
{
    if (!sim)
        return HEDDLE_BAD_ARGUMENT;
    if (!take(sim))
        return HEDDLE_BUSY;
    if (sim->lost || !sim->opened) {
        heddle_code code = sim->lost ? HEDDLE_LOST : HEDDLE_BAD_CONFIG;

        give(sim);
        return code;
    }
    api_guard(c, sim);
    diag_clear(sim->dg);
    sim->told = 0;
    sim->error.size = 0;
    sim->error.text[0] = '\0';
    return HEDDLE_OK;
}

heddle_code api_leave_lost(api_call *c)
{
    heddle_code code = c->sim->lost_by;

    api_unguard(c);
    give(c->sim);
    return code;
}

static void add_error(strbuf *out, const diag_item *d)
{
    if (out->size)
        strbuf_putc(out, '\n');
    if (d->file)
        strbuf_printf(out, "%s:", d->file);
    if (d->file && d->line)
        strbuf_printf(out, "%u:", d->line);
    if (d->file && d->line && d->column)
        strbuf_printf(out, "%u:", d->column);
    strbuf_printf(out, "%s%s", d->file ? " " : "", d->text);
}

static void tell(const heddle_callbacks *calls, const diag_item *d)
{
    const heddle_message m = {.level = d->level == DIAG_NOTE ? HEDDLE_NOTE
                                       : d->level == DIAG_WARNING
                                           ? HEDDLE_WARNING
                                           : HEDDLE_ERROR,
                              .line = d->line,
                              .column = d->column,
                              .file = d->file,
                              .text = d->text};

    calls->message(calls->arg, &m);
}

void api_tell(heddle_sim *sim)
{
    for (; sim->told < diag_count(sim->dg); sim->told++)
        if (sim->calls.message)
            tell(&sim->calls, diag_get(sim->dg, sim->told));
}

void api_put_errors(const heddle_sim *sim, strbuf *out)
{
    for (size_t i = 0; i < diag_count(sim->dg); i++)
        if (diag_get(sim->dg, i)->level == DIAG_ERROR)
            add_error(out, diag_get(sim->dg, i));
}

heddle_code api_end(api_call *c, heddle_code code)
{
    heddle_sim *sim = c->sim;

    if (code != HEDDLE_OK)
        api_put_errors(sim, &sim->error);
    if (code != HEDDLE_OK && !sim->error.size)
        strbuf_puts(&sim->error, heddle_code_text(code));
    api_tell(sim);
    api_unguard(c);
    give(sim);
    return code;
}

/* Takes no memory while it has the simulation. */
void api_note(heddle_sim *sim, const char *fmt, ...)
{
    char text[ERROR_ROOM];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!take(sim))
        return;
    if (!sim->lost) {
        sim->error.size = strlen(text);
        memcpy(sim->error.text, text, sim->error.size + 1);
    }
    give(sim);
}

bool api_take_struct(void *to, size_t size, const void *from, size_t least)
{
    uint64_t theirs;
    const char *bytes = from;

    memcpy(&theirs, from, sizeof theirs);
    if (theirs < least || theirs > 65536)
        return false;
    for (uint64_t i = size; i < theirs; i++)
        if (bytes[i])
            return false;
    memset(to, 0, size);
    memcpy(to, from, theirs < size ? theirs : size);
    return true;
}

/* ---- Opening ---- */

static bool check_limit(heddle_sim *sim, const char *what, uint64_t got,
                        uint64_t most)
{
    if (got > most)
        api_wrong(sim, "%s is %llu, and at most %llu", what,
                  (unsigned long long)got, (unsigned long long)most);
    return got <= most;
}

static heddle_code check_options(heddle_sim *sim, const heddle_options *o)
{
    const uint32_t known = HEDDLE_FUNCTIONAL | HEDDLE_LENIENT |
                           HEDDLE_CHECK_ASYNC | HEDDLE_NO_SKIP;

    if (!check_limit(sim, "heddle_options.setting_count", o->setting_count,
                     SETTINGS_MAX) ||
        !check_limit(sim, "heddle_options.threads", o->threads, THREADS_MAX) ||
        !check_limit(sim, "heddle_options.warm", o->warm, RT_WARM_MOST) ||
        !check_limit(sim, "heddle_options.max_registers", o->max_registers,
                     REGISTERS_MAX) ||
        !check_limit(sim, "heddle_options.stack_bytes", o->stack_bytes,
                     1 << 20) ||
        !check_limit(sim, "heddle_options.heap_bytes", o->heap_bytes,
                     UINT64_MAX >> 8) ||
        !check_limit(sim, "heddle_options.print_bytes", o->print_bytes,
                     UINT64_MAX >> 8))
        return HEDDLE_BAD_ARGUMENT;
    if (o->flags & ~known || o->reserved)
        return api_wrong(sim, "heddle_options has a flag that this library "
                              "does not know");
    if (o->warm && o->flags & HEDDLE_FUNCTIONAL)
        return api_wrong(sim, "heddle_options.warm is a matter of timing: it "
                              "does not go with HEDDLE_FUNCTIONAL");
    if (o->setting_count && !o->settings)
        return api_wrong(sim, "heddle_options.settings is NULL");
    for (uint64_t i = 0; i < o->setting_count; i++)
        if (!o->settings[i])
            return api_wrong(sim, "heddle_options.settings[%llu] is NULL",
                             (unsigned long long)i);
    if (o->gpu && !strcmp(o->gpu, "-"))
        return api_wrong(sim, "a GPU cannot be read from the standard input");
    return HEDDLE_OK;
}

static rt_options runtime_options(const heddle_options *o)
{
    return (rt_options){.threads = o->threads,
                        .functional = o->flags & HEDDLE_FUNCTIONAL,
                        .no_skip = o->flags & HEDDLE_NO_SKIP,
                        .lenient = o->flags & HEDDLE_LENIENT,
                        .check_async = o->flags & HEDDLE_CHECK_ASYNC,
                        .max_registers = o->max_registers,
                        .print_bytes = o->print_bytes,
                        .heap_bytes = o->heap_bytes,
                        .stack_bytes = o->stack_bytes,
                        .warm = o->warm,
                        .partial = true};
}

static void keep_result(void *arg, const rt_result *sum, const rt_part *part,
                        size_t parts)
{
    heddle_sim *sim = arg;

    (void)part;
    (void)parts;
    sim->result = api_result_new(sim, sum, sim->launch.profile);
    sim->launch.profile = NULL;
    sim->ended = true;
}

static heddle_code open_device(heddle_sim *sim, const heddle_options *o)
{
    status st = ST_OK;

    sim->sheet = config_sheet_new();
    st = config_sheet_load(sim->sheet, o->gpu ? o->gpu : "v100", sim->dg);
    for (uint64_t i = 0; i < o->setting_count; i++) {
        status one = config_sheet_set(sim->sheet, o->settings[i],
                                      CONFIG_FROM_SET, sim->dg);
        st = st == ST_OK ? one : st;
    }
    if (st == ST_OK)
        st = config_sheet_check(sim->sheet, sim->dg);
    if (st != ST_OK)
        return api_code(st);
    sim->opt = runtime_options(o);
    sim->device =
        rt_device_new(config_sheet_values(sim->sheet), &sim->opt, sim->dg);
    if (!sim->device)
        return HEDDLE_NO_MEMORY;
    sim->flight = rt_flight_new(sim->device,
                                &(rt_group){.ended = keep_result, .arg = sim});
    config_dump(config_sheet_values(sim->sheet), &sim->config);
    return HEDDLE_OK;
}

static heddle_code open_sim(heddle_sim *sim, const heddle_options *options)
{
    heddle_options o = HEDDLE_OPTIONS_INIT;

    if (options && !api_take_struct(&o, sizeof o, options, sizeof o))
        return api_wrong(sim, "heddle_options.size is none that this library "
                              "knows: begin with HEDDLE_OPTIONS_INIT");
    heddle_code code = check_options(sim, &o);
    return code == HEDDLE_OK ? open_device(sim, &o) : code;
}

heddle_code heddle_open(const heddle_options *options, heddle_sim **out)
{
    api_call call;

    if (!out)
        return HEDDLE_BAD_ARGUMENT;
    *out = NULL;
    heddle_sim *sim = calloc(1, sizeof *sim);
    char *room = calloc(1, ERROR_ROOM);
    if (!sim || !room) {
        free(sim);
        free(room);
        return HEDDLE_NO_MEMORY;
    }
    *out = sim;
    sim->error = (strbuf){.text = room, .room = ERROR_ROOM};
    sim->results_end = &sim->results;
    sim->busy = true;
    api_guard(&call, sim);
    if (setjmp(call.out))
        return api_leave_lost(&call);
    (*out)->dg = diag_new();
    heddle_code code = open_sim(*out, options);
    (*out)->opened = code == HEDDLE_OK;
    return api_end(&call, code);
}

/* ---- Closing ---- */

static void free_all(heddle_sim *sim)
{
    api_launch_drop(sim);
    while (sim->results) {
        heddle_result *r = sim->results;

        sim->results = r->next;
        api_result_free(r);
    }
    while (sim->plans)
        api_plan_free(sim->plans);
    while (sim->modules)
        api_module_free(sim->modules);
    while (sim->buffers) {
        heddle_buffer *b = sim->buffers;

        sim->buffers = b->next;
        free(b->name);
        free(b);
    }
    rt_flight_free(sim->flight);
    rt_device_free(sim->device);
    config_sheet_free(sim->sheet);
    diag_free(sim->dg);
    for (size_t i = 0; sim->counter && i < sim->total_count; i++)
        free(sim->counter[i].name);
    free(sim->counter);
    free(sim->totals);
    strbuf_fini(&sim->config);
    strbuf_fini(&sim->json);
}

void heddle_close(heddle_sim *sim)
{
    if (!sim || !take(sim))
        return;
    if (!sim->lost)
        free_all(sim);
    else if (sim->opt.threads > 1)
        return; /* its helpers may go on, and look at whether to stop */
    strbuf_fini(&sim->error);
    free(sim);
}

/* ---- What it is ---- */

const char *heddle_error(const heddle_sim *sim)
{
    return sim ? sim->error.text : "there is no simulation (NULL)";
}

const char *heddle_config(heddle_sim *sim)
{
    return sim && sim->opened && !sim->lost ? sim->config.text : NULL;
}

size_t heddle_gpu_count(void) { return config_preset_count(); }

const char *heddle_gpu_name(size_t i)
{
    return i < config_preset_count() ? config_preset_get(i)->name : NULL;
}

heddle_code heddle_set_callbacks(heddle_sim *sim,
                                 const heddle_callbacks *callbacks)
{
    API_BEGIN(sim);
    heddle_callbacks now = HEDDLE_CALLBACKS_INIT;
    if (callbacks && !api_take_struct(&now, sizeof now, callbacks, sizeof now))
        return api_end(&call,
                       api_wrong(sim, "heddle_callbacks.size is none that this "
                                      "library knows: begin with "
                                      "HEDDLE_CALLBACKS_INIT"));
    sim->calls = now;
    return api_end(&call, HEDDLE_OK);
}
