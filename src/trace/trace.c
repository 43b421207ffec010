#include "trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "trace/waterfall.h"
#include "trace/writer.h"

struct trace_set {
    trace_options is;
    FILE *file[TRACE_WRITERS];
    trace_writer *writer[TRACE_WRITERS];
    const char *path[TRACE_WRITERS];
    int error[TRACE_WRITERS]; /* errno of a write that failed, 0: none */
    gpu_trace request;
    trace_flow *flow; /* of the launch that is traced, NULL: none */
    const trace_launch *launch;
    uint64_t timed;                   /* launches so far */
    uint64_t events;                  /* written */
    uint64_t last;                    /* cycle of the last one */
    bool full;                        /* the limit was reached, */
    uint64_t full_launch, full_cycle; /* there */
};

trace_options trace_defaults(void)
{
    return (trace_options){.filter = {.warps = UINT64_MAX, .to = UINT64_MAX},
                           .first_launch = 1,
                           .last_launch = 1,
                           .limit = TRACE_LIMIT};
}

bool trace_wanted(const trace_options *o)
{
    return o->kanata || o->perfetto || o->waterfall;
}

/* ---- Files ---- */

static bool open_trace_file(trace_set *t, unsigned i, const char *path,
                            trace_writer *(*make)(FILE *), diag *dg)
{
    if (!path)
        return true;
    t->path[i] = path;
    t->file[i] = fopen(path, "we");
    if (!t->file[i]) {
        diag_error(dg, "cannot write '%s': %s", path, strerror(errno));
        return false;
    }
    t->writer[i] = make(t->file[i]);
    return true;
}

trace_set *trace_open(const trace_options *o, diag *dg)
{
    trace_set *t = new0(1, sizeof *t);

    t->is = *o;
    t->is.filter.queues = o->perfetto != NULL;
    t->request =
        (gpu_trace){.filter = t->is.filter, .take = trace_take, .arg = t};
    if (o->waterfall)
        t->writer[TRACE_WATERFALL] = trace_waterfall_new();
    if (open_trace_file(t, TRACE_KANATA, o->kanata, trace_kanata_new, dg) &&
        open_trace_file(t, TRACE_PERFETTO, o->perfetto, trace_perfetto_new, dg))
        return t;
    trace_close(t, dg);
    return NULL;
}

/* A disk that is full ends the trace, not the run. */
static void note_errors(trace_set *t)
{
    for (unsigned i = 0; i < TRACE_WRITERS; i++)
        if (t->file[i] && !t->error[i] && ferror(t->file[i]))
            t->error[i] = errno ? errno : EIO;
}

static bool any_failed(const trace_set *t)
{
    for (unsigned i = 0; i < TRACE_WRITERS; i++)
        if (t->error[i])
            return true;
    return false;
}

static status close_file(trace_set *t, unsigned i, diag *dg)
{
    FILE *f = t->file[i];

    if (!f)
        return ST_OK;
    note_errors(t);
    errno = 0;
    if (fclose(f) != 0 && !t->error[i])
        t->error[i] = errno ? errno : EIO;
    if (!t->error[i])
        return ST_OK;
    diag_error(dg, "the trace '%s' is not complete: %s", t->path[i],
               strerror(t->error[i]));
    return ST_IO;
}

status trace_close(trace_set *t, diag *dg)
{
    status st = ST_OK;

    if (!t)
        return ST_OK;
    for (unsigned i = 0; i < TRACE_WRITERS; i++) {
        if (t->writer[i])
            t->writer[i]->ops->free(t->writer[i]);
        if (close_file(t, i, dg) != ST_OK)
            st = ST_IO;
    }
    if (t->full)
        diag_add(dg, DIAG_WARNING, NULL, 0, 0, 0,
                 "the trace ends in cycle %llu of launch %llu, after %llu "
                 "events: choose SMs, warps or cycles, or raise --trace-limit",
                 (unsigned long long)t->full_cycle,
                 (unsigned long long)t->full_launch,
                 (unsigned long long)t->events);
    else if (trace_wanted(&t->is) && t->timed < t->is.first_launch)
        diag_add(dg, DIAG_WARNING, NULL, 0, 0, 0,
                 "nothing was traced: there were %llu timed launches, and "
                 "--trace-launch asks for number %llu",
                 (unsigned long long)t->timed,
                 (unsigned long long)t->is.first_launch);
    else if (trace_wanted(&t->is) && !t->events && !any_failed(t))
        diag_add(dg, DIAG_WARNING, NULL, 0, 0, 0,
                 "the trace is empty: nothing happened on these SMs and "
                 "warps in these cycles");
    trace_flow_free(t->flow);
    free(t);
    return st;
}

const char *trace_window(trace_set *t, size_t *size)
{
    trace_writer *w = t->writer[TRACE_WATERFALL];

    return w ? trace_waterfall_text(w, size) : NULL;
}

/* ---- Launches ---- */

const gpu_trace *trace_begin(trace_set *t, const trace_launch *l)
{
    uint64_t number = ++t->timed;

    if (number < t->is.first_launch || number > t->is.last_launch || t->full)
        return NULL;
    t->launch = l;
    t->last = 0;
    t->flow = trace_flow_new(l);
    for (unsigned i = 0; i < TRACE_WRITERS; i++)
        if (t->writer[i])
            t->writer[i]->ops->begin(t->writer[i], l);
    return &t->request;
}

static void write_event(void *set, const trace_event *e, trace_inst *in,
                        trace_tx *tx)
{
    trace_set *t = set;

    for (unsigned i = 0; i < TRACE_WRITERS; i++)
        if (t->writer[i])
            t->writer[i]->ops->event(t->writer[i], e, in, tx);
}

bool trace_take(void *set, const trace_event *e, size_t n)
{
    trace_set *t = set;

    if (!t->flow || t->full)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (t->events == t->is.limit) {
            t->full = true;
            t->full_launch = t->launch->number;
            t->full_cycle = t->last;
            break;
        }
        /* Levels of queues come from the beginning of the launch. */
        if (e[i].cycle >= t->is.filter.from) {
            t->events++;
            t->last = e[i].cycle;
        }
        trace_flow_take(t->flow, &e[i], write_event, t);
    }
    note_errors(t);
    return !t->full && !any_failed(t);
}

void trace_power(trace_set *t, uint64_t start, double watts)
{
    if (t->flow && t->writer[TRACE_PERFETTO])
        trace_perfetto_power(t->writer[TRACE_PERFETTO], start, watts);
}

void trace_warps(trace_set *t, const stats_series *warps)
{
    if (t->flow && t->writer[TRACE_PERFETTO])
        trace_perfetto_warps(t->writer[TRACE_PERFETTO], warps);
}

void trace_end(trace_set *t, uint64_t cycles)
{
    uint64_t at = cycles;

    if (!t->flow)
        return;
    if (at > t->is.filter.to)
        at = t->is.filter.to;
    if (t->full || at < t->last)
        at = t->last;
    for (unsigned i = 0; i < TRACE_WRITERS; i++) {
        if (t->writer[i])
            t->writer[i]->ops->end(t->writer[i], t->flow, at);
        if (t->file[i])
            fflush(t->file[i]);
    }
    note_errors(t);
    trace_flow_free(t->flow);
    t->flow = NULL;
    t->launch = NULL;
}
