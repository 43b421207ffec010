#include "runtime/flight.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "runtime/internal.h"
#include "runtime/sampled.h"

/* A launch in flight, or prepared, with what its kernel launches. */
typedef struct flight_launch {
    bool taken;
    const rt_launch *launch; /* what runs now, */
    rt_child *child;         /* and owns it; NULL: the caller's */
    rt_child *queue;         /* is to run when that has ended */
    bool resumes;            /* as soon as there is room */
    bool begun;              /* the first has ended */
    exec_launch e;
    rt_banks banks;
    rt_part part;        /* of all of it */
    rt_untimed *untimed; /* NULL: it is timed */
    rt_sampled *sampled; /* parts of it are; NULL: all of it, or nothing */
    exec_fault fault;    /* of one that is not */
    bool waits;          /* perhaps for another: it has not ended in its turn */
} flight_launch;

struct rt_flight {
    rt_device *d;
    rt_group calls;
    flight_launch **slot;   /* most + 1 of them, NULL: not needed yet */
    flight_launch **by_gpu; /* by the machine's number */
    unsigned most, in_flight;
    bool functional;      /* what is in flight is not timed, */
    unsigned turn;        /* and which of it has had the last turn */
    flight_launch *ready; /* prepared; NULL: none */
    rt_launch first;      /* of the group, */
    char *name;           /* its kernel's */
    rt_timed timed;       /* it, */
    rt_result sum;        /* what came out of it, */
    launch_outcome gaps;  /* between what is timed of sampled ones, */
    rt_part *part;        /* the launches of it that have ended, */
    size_t parts, part_room;
    rt_lines lines;     /* and what they printed, of which */
    size_t told;        /* so many have been in an event */
    exec_strays strays; /* of all of them */
};

rt_flight *rt_flight_new(rt_device *d, const rt_group *calls)
{
    rt_flight *f = new0(1, sizeof *f);

    f->d = d;
    f->calls = *calls;
    f->most = d->cfg->gpu.concurrent;
    f->slot = new0(f->most + 1, sizeof *f->slot);
    f->by_gpu = new0(f->most, sizeof *f->by_gpu);
    return f;
}

static void end_untimed(flight_launch *is, rt_result *out)
{
    rt_untimed_end(is->untimed, out);
    is->untimed = NULL;
}

/* What is not timed is given up. */
static void drop_untimed(rt_flight *f)
{
    for (unsigned n = 0; f->by_gpu && n < f->most; n++)
        if (f->by_gpu[n] && f->by_gpu[n]->untimed)
            end_untimed(f->by_gpu[n], &(rt_result){0});
}

static void drop_children(flight_launch *is)
{
    rt_sampled_free(is->sampled);
    is->sampled = NULL;
    rt_children_drop(&is->queue);
    rt_child_free(is->child);
    is->child = NULL;
    is->resumes = false;
}

static void free_slot(rt_flight *f, flight_launch *is)
{
    drop_children(is);
    rt_banks_fini(f->d, &is->banks);
    free(is);
}

void rt_flight_free(rt_flight *f)
{
    if (!f)
        return;
    drop_untimed(f);
    for (unsigned i = 0; f->slot && i <= f->most; i++)
        if (f->slot[i])
            free_slot(f, f->slot[i]);
    rt_lines_fini(&f->lines);
    exec_strays_fini(&f->strays);
    free(f->name);
    free(f->slot);
    free(f->by_gpu);
    free(f->part);
    free(f);
}

void rt_flight_forget(rt_flight *f)
{
    if (f->in_flight && !f->functional)
        f->d->broken = true;
    drop_untimed(f);
    rt_children_forget(f->d);
    for (unsigned i = 0; i <= f->most; i++)
        if (f->slot[i]) {
            drop_children(f->slot[i]);
            f->slot[i]->taken = false;
        }
    memset(f->by_gpu, 0, f->most * sizeof *f->by_gpu);
    f->in_flight = 0;
    f->ready = NULL;
}

/* ---- Beginning ---- */

static flight_launch *take_place(rt_flight *f)
{
    unsigned i = 0;

    while (f->slot[i] && f->slot[i]->taken)
        i++;
    if (!f->slot[i])
        f->slot[i] = new0(1, sizeof *f->slot[i]);
    return f->slot[i];
}

status rt_flight_prepare(rt_flight *f, const rt_launch *l, size_t number,
                         diag *dg)
{
    flight_launch *is = take_place(f);
    rt_result known;

    MUST(!f->ready);
    status st = rt_prepare(f->d, l, &is->banks, &is->e, dg, &known);
    if (st != ST_OK)
        return st;
    is->taken = true;
    is->waits = is->begun = false;
    is->launch = l;
    is->part = (rt_part){.number = number,
                         .ctas_per_sm = known.ctas_per_sm,
                         .limiter = known.limiter};
    f->ready = is;
    return ST_OK;
}

bool rt_flight_prepared(const rt_flight *f) { return f->ready != NULL; }

/* One that is not timed has the device to itself, unless it waits. */
static bool untimed_room(const rt_flight *f)
{
    for (unsigned n = 0; n < f->most; n++)
        if (f->by_gpu[n] && !f->by_gpu[n]->waits)
            return false;
    return f->in_flight < f->most;
}

bool rt_flight_room(const rt_flight *f)
{
    bool functional = rt_is_functional(f->d, f->ready->launch);

    if (!f->in_flight)
        return true;
    if (functional != f->functional || f->in_flight == f->most)
        return false;
    return functional ? untimed_room(f) : gpu_has_room(f->d->gpu, &f->ready->e);
}

static void begin_timed_group(rt_flight *f)
{
    rt_warm_up(f->d, &f->ready->e, f->ready->launch);
    f->sum.start = rt_flight_now(f);
    rt_timed_begin(&f->timed, f->d, &f->first);
}

static void begin_launch_group(rt_flight *f)
{
    f->functional = rt_is_functional(f->d, f->ready->launch);
    if (!f->functional)
        rt_prepare_machine(f->d);
    rt_lines_clear(&f->lines);
    f->told = 0;
    exec_strays_fini(&f->strays);
    f->parts = 0;
    if (f->calls.begins)
        f->calls.begins(f->calls.arg, f->ready->launch);
    f->first = *f->ready->launch;
    free(f->name);
    f->name = new_text(f->first.kernel->name);
    f->sum = (rt_result){0};
    f->gaps = (launch_outcome){.cycles = 0};
    if (!f->functional)
        begin_timed_group(f);
}

static void begin_untimed(rt_flight *f, flight_launch *is, unsigned *n)
{
    is->untimed = rt_untimed_new(f->d, &is->e, is->launch, &is->fault);
    for (*n = 0; f->by_gpu[*n];)
        ++*n;
}

static bool is_machine_idle(const rt_flight *f)
{
    for (unsigned n = 0; n < f->most; n++)
        if (f->by_gpu[n])
            return false;
    return true;
}

/* The launch on the machine of which parts are timed; NULL: none. */
static rt_sampled *sampled_of(const rt_flight *f)
{
    for (unsigned n = 0; n < f->most; n++)
        if (f->by_gpu[n] && f->by_gpu[n]->sampled)
            return f->by_gpu[n]->sampled;
    return NULL;
}

static void begin_timed(rt_flight *f, flight_launch *is, unsigned *n)
{
    bool alone = is_machine_idle(f);
    rt_sampled *beside = sampled_of(f);

    if (alone)
        f->timed.before = rt_flight_now(f) - f->sum.start;
    if (beside)
        rt_sampled_stop(beside);
    *n = gpu_begin(f->d->gpu, &is->e, is->launch->profile);
    if (alone)
        is->sampled = rt_sampled_new(f->d, &is->e, is->launch, *n);
    for (unsigned k = 0; is->launch->after && k < f->most; k++)
        if (f->by_gpu[k] && f->by_gpu[k]->part.number + 1 == is->launch->after)
            gpu_hold(f->d->gpu, *n, k);
}

static void begin_launch(rt_flight *f, flight_launch *is)
{
    unsigned n;

    if (f->functional)
        begin_untimed(f, is, &n);
    else
        begin_timed(f, is, &n);
    f->by_gpu[n] = is;
    f->d->launches++;
}

void rt_flight_begin(rt_flight *f)
{
    flight_launch *is = f->ready;
    must_hook before = rt_run_begins(f->d, is->e.kernel->name,
                                     rt_is_functional(f->d, is->launch));

    if (!f->in_flight)
        begin_launch_group(f);
    begin_launch(f, is);
    rt_run_ends(f->d, before);
    f->in_flight++;
    f->ready = NULL;
}

void rt_flight_skip(rt_flight *f)
{
    f->ready->taken = false;
    f->ready = NULL;
    f->d->launches++;
}

/* What kernels have launched begins where there is room. */
static void resume_launches(rt_flight *f)
{
    for (unsigned i = 0; i <= f->most; i++) {
        flight_launch *is = f->slot[i];

        if (!is || !is->resumes ||
            !(f->functional || gpu_has_room(f->d->gpu, &is->e)))
            continue;
        is->resumes = false;
        begin_launch(f, is);
    }
}

unsigned rt_flight_count(const rt_flight *f) { return f->in_flight; }

uint64_t rt_flight_now(const rt_flight *f)
{
    return f->d->cycles_before + (f->d->gpu ? gpu_now(f->d->gpu) : 0);
}

/* ---- Ending ---- */

/* It ended, with what it launched, or is lost. */
static void note_part(rt_flight *f, flight_launch *is, status st)
{
    GROW(f->part, f->parts + 1, f->part_room);
    is->part.status = st;
    f->part[f->parts++] = is->part;
}

static void note_strays(rt_flight *f, const flight_launch *is)
{
    exec_strays strays = rt_take_strays(f->d, &is->e);

    exec_strays_add(&f->strays, &strays);
    exec_strays_fini(&strays);
}

/* Adds what is told of `from`, whose other rows are 0, and no machine counted.
 */
static void add_gaps(launch_outcome *to, const launch_outcome *from)
{
    to->warp_insts += from->warp_insts;
    to->thread_insts += from->thread_insts;
    to->estimated += from->estimated;
    to->estimated_spread += from->estimated_spread;
    to->estimated_error += from->estimated_error;
}

/* What was done by it, or by a kernel that it launched. */
static void add_timed(rt_flight *f, flight_launch *is, const gpu_result *g)
{
    rt_part *p = &is->part;

    note_strays(f, is);
    if (!is->begun)
        p->start = f->d->cycles_before + g->start;
    is->begun = true;
    p->cycles = f->d->cycles_before + g->end - p->start;
    p->ctas += g->ctas;
    p->warp_insts += g->warp_insts;
    f->sum.ctas += g->ctas;
    if (is->sampled) {
        launch_outcome gaps = {.cycles = 0};

        rt_sampled_add(is->sampled, &gaps);
        rt_sampled_free(is->sampled);
        is->sampled = NULL;
        add_gaps(&p->outcome, &gaps);
        add_gaps(&f->gaps, &gaps);
    }
}

static void add_untimed(rt_flight *f, flight_launch *is)
{
    rt_result r = {0};

    note_strays(f, is);
    end_untimed(is, &r);
    is->part.ctas += r.ctas;
    is->part.warp_insts += r.warp_insts;
    f->sum.ctas += r.ctas;
    f->sum.warp_insts += r.warp_insts;
    f->sum.thread_insts += r.thread_insts;
    f->sum.host_seconds += r.host_seconds;
}

/* What ran of it has ended. True: it goes on with what that launched. */
static bool go_on(rt_flight *f, flight_launch *is, diag *dg)
{
    rt_children_take(f->d, &is->e, is->launch, &is->queue, dg);
    rt_lines_take(f->d, f->name, &f->lines, dg);
    rt_child *next = rt_children_next(f->d, &is->queue, &is->banks, &is->e, dg);
    rt_child_free(is->child);
    is->child = next;
    if (!next)
        return false;
    is->launch = &next->launch;
    is->waits = false;
    return is->resumes = true;
}

static void end_group(rt_flight *f, status st, uint64_t cycles)
{
    rt_result *sum = &f->sum;

    if (!f->functional)
        rt_timed_end(&f->timed, cycles, sum);
    add_gaps(&sum->outcome, &f->gaps);
    sum->status = st;
    sum->spins = rt_spins(f->d, f->functional, st);
    sum->lines = f->lines.line;
    sum->line_count = f->lines.count;
    sum->lines_lost = f->lines.lost;
    sum->strays = f->strays;
    if (f->parts == 1) {
        sum->ctas_per_sm = f->part[0].ctas_per_sm;
        sum->limiter = f->part[0].limiter;
    }
    f->calls.ended(f->calls.arg, sum, f->part, f->parts);
}

/* It has ended, with all that it launched. True: and with it the group. */
static bool end_one(rt_flight *f, flight_launch *is, uint64_t cycles)
{
    note_part(f, is, ST_OK);
    is->taken = false;
    f->in_flight--;
    if (!f->in_flight)
        end_group(f, ST_OK, cycles);
    return !f->in_flight;
}

/* Launches that never had room while `is`, which may wait for them, held it. */
static void note_waiting(const rt_flight *f, const flight_launch *is, diag *dg)
{
    const char *name = is->e.kernel->name;

    for (unsigned n = 0; n < f->most && !f->functional; n++) {
        const flight_launch *other = f->by_gpu[n];
        gpu_result g;

        if (!other || other == is)
            continue;
        gpu_inspect(f->d->gpu, n, &g);
        if (!g.ctas_begun)
            diag_add(dg, DIAG_NOTE, NULL, 0, 0, 0,
                     "kernel '%s' has had no room for a CTA; if '%s' waits for "
                     "it, neither ever ends: launch '%s' first, or let '%s' "
                     "leave room (fewer CTAs, less shared memory)",
                     other->e.kernel->name, name, other->e.kernel->name, name);
    }
    if (f->ready && f->in_flight == f->most)
        diag_add(dg, DIAG_NOTE, NULL, 0, 0, 0,
                 "kernel '%s' has not begun, as %u launch%s in flight "
                 "(gpu.concurrent); if '%s' waits for it, neither ever ends",
                 f->ready->e.kernel->name, f->most,
                 f->most > 1 ? "es are" : " is", name);
}

/* What else was in flight is lost. */
static void note_others(rt_flight *f, const flight_launch *but)
{
    for (unsigned n = 0; n < f->most; n++) {
        flight_launch *is = f->by_gpu[n];
        gpu_result g;

        if (!is || is == but)
            continue;
        if (f->functional) {
            add_untimed(f, is);
        } else {
            gpu_inspect(f->d->gpu, n, &g);
            add_timed(f, is, &g);
        }
        note_part(f, is, ST_INTERRUPTED);
    }
    for (unsigned i = 0; i <= f->most; i++)
        if (f->slot[i] && f->slot[i]->resumes)
            note_part(f, f->slot[i], ST_INTERRUPTED);
}

/* Launch `n` failed, and with it what else was in flight. `g`: NULL if it is
 * not timed. */
static void fail_group(rt_flight *f, status st, unsigned n, const gpu_result *g,
                       diag *dg)
{
    flight_launch *is = f->by_gpu[n], *ready = f->ready;
    unsigned others = f->in_flight - 1;

    if (st == ST_FAULT)
        is->part.fault = f->sum.fault = g ? g->fault : is->fault;
    rt_describe(f->d, &is->e, st, &is->part.fault, is->launch, dg);
    if (others && st != ST_INTERRUPTED)
        diag_add(dg, DIAG_NOTE, NULL, 0, 0, 0,
                 "%u other launch%s in flight with it did not end", others,
                 others > 1 ? "es that were" : " that was");
    if (st == ST_LIMIT || st == ST_HANG || st == ST_INTERRUPTED)
        note_waiting(f, is, dg);
    if (g)
        add_timed(f, is, g);
    else
        add_untimed(f, is);
    note_part(f, is, st);
    note_others(f, is);
    end_group(f, st, g ? f->timed.before + g->group : 0);
    rt_flight_forget(f);
    f->ready = ready;
    if (ready)
        ready->taken = true;
}

/* The next launch to get a turn: one that has not had any has the device to
 * itself. */
static unsigned next_turn(const rt_flight *f)
{
    unsigned n = f->turn;

    for (unsigned k = 0; k < f->most; k++)
        if (f->by_gpu[k] && !f->by_gpu[k]->waits)
            return k;
    do
        n = (n + 1) % f->most;
    while (!f->by_gpu[n]);
    return n;
}

/* Until what runs has ended: *goes_on if not all of a launch has. */
static status step_untimed(rt_flight *f, rt_event *out, bool *goes_on, diag *dg)
{
    unsigned n = f->turn = next_turn(f);
    flight_launch *is = f->by_gpu[n];
    bool ended;

    must_hook before = rt_run_begins(f->d, is->e.kernel->name, true);
    status st =
        rt_untimed_run(is->untimed, f->in_flight == 1 && !f->ready, &ended);
    rt_run_ends(f->d, before);
    out->paused = is->waits = st == ST_OK && !ended;
    if (out->paused)
        return st;
    if (st != ST_OK) {
        rt_lines_take(f->d, f->name, &f->lines, dg);
        fail_group(f, st, n, NULL, dg);
        return st;
    }
    f->by_gpu[n] = NULL;
    add_untimed(f, is);
    *goes_on = go_on(f, is, dg);
    if (!*goes_on)
        out->idle = end_one(f, is, 0);
    return st;
}

static status step_timed(rt_flight *f, rt_event *out, bool *goes_on, diag *dg)
{
    flight_launch *is;
    gpu_result g;
    unsigned n;

    must_hook before = rt_run_begins(f->d, f->name, false);
    rt_sampled *parts = sampled_of(f);
    status st = parts ? rt_sampled_advance(parts, &f->timed.run, &n, &g)
                      : gpu_advance(f->d->gpu, &f->timed.run, &n, &g);
    rt_run_ends(f->d, before);
    out->paused = st == ST_OK && g.paused;
    if (out->paused && g.lets_go) {
        out->lets_go = true;
        out->part.number = f->by_gpu[n]->part.number;
    }
    if (out->paused)
        return st;
    out->group = f->timed.before + g.group;
    if (st != ST_OK) {
        rt_lines_take(f->d, f->name, &f->lines, dg);
        fail_group(f, st, n, &g, dg);
        return st;
    }
    is = f->by_gpu[n];
    f->by_gpu[n] = NULL;
    add_timed(f, is, &g);
    *goes_on = go_on(f, is, dg);
    if (!*goes_on)
        out->idle = end_one(f, is, out->group);
    return st;
}

status rt_flight_advance(rt_flight *f, uint64_t until, rt_event *out, diag *dg)
{
    size_t at = f->parts;
    bool goes_on;
    status st;

    f->timed.run.until = until ? until - f->d->cycles_before : 0;
    *out = (rt_event){0};
    do {
        goes_on = false;
        resume_launches(f);
        st = f->functional ? step_untimed(f, out, &goes_on, dg)
                           : step_timed(f, out, &goes_on, dg);
    } while (goes_on);
    if (out->paused)
        return st;
    if (st != ST_OK)
        out->idle = true;
    out->part = f->part[at];
    out->line_count = f->lines.count - f->told;
    out->lines = out->line_count ? f->lines.line + f->told : NULL;
    f->told = f->lines.count;
    return st;
}

bool rt_flight_sofar(rt_flight *f, rt_result *out)
{
    rt_device *d = f->d;
    gpu_result g = {.ctas = 0};

    if (!f->in_flight || f->functional)
        return false;
    for (unsigned n = 0; n < f->most; n++)
        if (f->by_gpu[n])
            gpu_inspect(d->gpu, n, &g);
    *out = (rt_result){.status = ST_OK,
                       .start = f->sum.start,
                       .cycles = rt_flight_now(f) - f->sum.start,
                       .ctas = f->sum.ctas + g.ctas};
    gpu_settle(d->gpu);
    rt_counters_sofar(&d->counters, d->stats, out);
    return true;
}
