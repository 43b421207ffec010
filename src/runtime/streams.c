#include "runtime/streams.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"
#include "runtime/internal.h"

#define NONE ((size_t)-1)

typedef struct running {
    const rt_streams *of;
    diag *dg;
    size_t *next;  /* per launch: the next of its stream, or NONE */
    size_t *head;  /* per stream: the first that has not ended, or NONE */
    bool *busy;    /* per stream: that one is in flight */
    size_t ready;  /* is prepared, */
    status wrong;  /* or cannot begin; then no more do */
    rt_flight *in; /* flight */
} running;

static void init_streams(running *r)
{
    const rt_streams *of = r->of;

    r->next = new0(of->count + 1, sizeof *r->next);
    r->head = new0(of->streams + 1, sizeof *r->head);
    r->busy = new0(of->streams + 1, sizeof *r->busy);
    r->in = rt_flight_new(of->device, &of->group);
    for (unsigned i = 0; i < of->streams; i++)
        r->head[i] = NONE;
    for (size_t i = of->count; i-- > 0;) {
        MUST(of->stream[i] < of->streams);
        r->next[i] = r->head[of->stream[i]];
        r->head[of->stream[i]] = i;
    }
}

static void fini_streams(running *r)
{
    rt_flight_free(r->in);
    free(r->next);
    free(r->head);
    free(r->busy);
}

/* The first of the list that waits for nothing but room; NONE. */
static size_t first_ready(const running *r)
{
    size_t first = NONE;

    for (unsigned i = 0; i < r->of->streams; i++)
        if (!r->busy[i] && r->head[i] < first)
            first = r->head[i];
    return first;
}

/* Makes the next launch ready; there may be none. */
static status prepare_next(running *r)
{
    size_t n = first_ready(r);

    if (rt_flight_prepared(r->in) || n == NONE)
        return ST_OK;
    r->ready = n;
    return rt_flight_prepare(r->in, &r->of->launch[n], n, r->dg);
}

/* All that are ready and have room, in the order of the list. */
static void begin_all(running *r)
{
    while (r->wrong == ST_OK) {
        r->wrong = prepare_next(r);
        if (r->wrong != ST_OK || !rt_flight_prepared(r->in) ||
            !rt_flight_room(r->in))
            break;
        rt_flight_begin(r->in);
        r->busy[r->of->stream[r->ready]] = true;
    }
}

static status run_all_streams(running *r)
{
    begin_all(r);
    while (rt_flight_count(r->in)) {
        rt_event e;
        status st = rt_flight_advance(r->in, 0, &e, r->dg);

        if (st != ST_OK)
            return st;
        if (!e.paused) {
            unsigned stream = r->of->stream[e.part.number];

            r->busy[stream] = false;
            r->head[stream] = r->next[e.part.number];
        }
        begin_all(r);
    }
    return r->wrong;
}

status rt_run_streams(const rt_streams *s, diag *dg)
{
    running r = {.of = s, .dg = dg};
    status st;

    if (s->device->opt.warm)
        diag_add(dg, DIAG_WARNING, NULL, 0, 0, 0,
                 "launches that begin beside others are not warmed up: --set "
                 "gpu.concurrent=1 runs them one at a time");
    init_streams(&r);
    st = run_all_streams(&r);
    fini_streams(&r);
    return st;
}
