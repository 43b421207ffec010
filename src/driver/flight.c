#include "driver/flight.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "driver/checkpoint.h"
#include "driver/worker.h"
#include "lookout/lookout.h"
#include "report/stray.h"
#include "runtime/flight.h"
#include "session/client.h"
#include "session/sampling.h"

struct drv_flight {
    drv_device *device;
    rt_flight *rt;
    drv_launch **slot; /* by number; NULL: free */
    unsigned slots, count;
    flight_end *ended;
    drv_launch *waits; /* for room; NULL: none */
    /* Of the group. */
    bool functional; /* nothing of it is timed */
    uint64_t base_ns, base_cycle;
    session_open open;
    energy_series series;   /* no rows: none wanted */
    stats_series warps;     /* no blocks: none wanted */
    launch_outcome guessed; /* its members of estimates: their sums */
    uint64_t last_end;      /* cycle of the last launch that ended; 0: none */
    size_t parts_reported;  /* parts */
    lookout *lookout;       /* NULL: nobody watches, or not yet */
    diag *dg;               /* of the advance under way */
};

enum { BESIDE = 64 };

/* Part of the process's state, like drv; with the machine lock. */
static struct {
    launch_filter_state *select;
    sampling *samples; /* NULL: none are wanted */
    unsigned queue;    /* of the last launch; 0: none */
    unsigned beside;   /* launches that may be in flight with others */
    char **warned;     /* warnings are shown once */
    size_t warned_count;
    bool untraced;      /* and that launches are not traced, */
    bool unwarmed;      /* or not warmed up */
    exec_strays strays; /* of all launches, where there is no session */
} st;

/* ---- Time ---- */

static uint64_t scale_up(uint64_t n, uint64_t by, uint64_t of)
{
    return (uint64_t)(((unsigned __int128)n * by + of - 1) / of);
}

static uint64_t ns_of(const drv_device *d, uint64_t cycles)
{
    return scale_up(cycles, 1000000, d->cfg->gpu.clock_khz);
}

static uint64_t cycles_of(const drv_device *d, uint64_t ns)
{
    return scale_up(ns, d->cfg->gpu.clock_khz, 1000000);
}

static uint64_t time_at(const struct drv_flight *f, uint64_t cycle)
{
    return f->base_ns + ns_of(f->device, cycle - f->base_cycle);
}

/* As if every scheduler issued in every cycle: a lower bound, and never 0. */
static uint64_t functional_ns(const drv_device *d, uint64_t insts)
{
    const config *cfg = d->cfg;
    uint64_t peak =
        (uint64_t)cfg->gpu.sms * cfg->sm.issue.schedulers * cfg->sm.issue.width;
    uint64_t ns = ns_of(d, (insts + peak - 1) / peak);

    return ns ? ns : 1;
}

/* ---- Messages ---- */

static bool warned_before(const char *text)
{
    for (size_t i = 0; i < st.warned_count; i++)
        if (!strcmp(st.warned[i], text))
            return true;
    char **more = alloc_try_renew(st.warned, st.warned_count + 1, sizeof *more);
    if (!more)
        return false;
    st.warned = more;
    if ((st.warned[st.warned_count] = alloc_try_text(text)))
        st.warned_count++;
    return false;
}

/* Messages for stderr with the source's lines, without warnings that were
 * shown before. */
static char *error_message(const diag *dg, const drv_module *m)
{
    diag *show = diag_count(dg) ? diag_new() : NULL;
    char *text = NULL;
    size_t size;
    FILE *f;

    if (show && m->file && m->source)
        diag_source(show, m->file, m->source, strlen(m->source));
    for (size_t i = 0; show && i < diag_count(dg); i++) {
        const diag_item *d = diag_get(dg, i);
        if (d->level != DIAG_WARNING || !warned_before(d->text))
            diag_add(show, d->level, d->file, d->line, d->column, d->length,
                     "%s", d->text);
    }
    if (show && diag_count(show) && (f = open_memstream(&text, &size))) {
        diag_print(show, f, false);
        fclose(f);
    }
    diag_free(show);
    return text;
}

/* `fault` NULL: none. */
static int result_of(status is, const exec_fault *fault)
{
    static const exec_fault none = {.kind = FAULT_NONE};

    return is == ST_OK ? 0 : drv.door->result(is, fault ? fault : &none);
}

/* ---- Reports to the session ---- */

/* The module as the session has it; `text` has to live as long. */
static session_module module_of(const drv_launch *l, msg_text *text)
{
    *text = (msg_text){l->module.file, l->module.source};
    return (session_module){.number = l->module.number,
                            .name = l->module.name,
                            .program = rt_module_program(l->module.module),
                            .texts = text,
                            .text_count = text->file && text->text};
}

static void report_begin(const drv_launch *l, session_open *open)
{
    msg_text text;
    session_module m = module_of(l, &text);
    session_launch b = {.module = &m,
                        .kernel = l->code,
                        .device = l->command.queue->device->number,
                        .shared_bytes = l->shared_bytes,
                        .functional = l->functional};

    memcpy(b.grid, l->grid, sizeof b.grid);
    memcpy(b.block, l->block, sizeof b.block);
    session_begin(drv.session, &b, open);
}

static uint64_t ctas_of(const drv_launch *l)
{
    return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

static void add_guess(struct drv_flight *f, const launch_outcome *is)
{
    f->guessed.estimated += is->estimated;
    f->guessed.estimated_spread += is->estimated_spread;
    f->guessed.estimated_error += is->estimated_error;
}

/* What a launch took, or was computed to do, tells of those like it; one that
 * was not timed learns from them. */
static void learn(struct drv_flight *f, drv_launch *l, launch_outcome *is)
{
    sampling_guess guess;

    if (!l->sampled || is->status != ST_OK)
        return;
    if (!l->functional) {
        uint64_t end = is->start + is->cycles;
        bool behind = f->last_end > is->start;

        sampling_timed(st.samples, l->alike, ctas_of(l), is->warp_insts,
                       behind ? end - f->last_end : is->cycles + is->estimated,
                       behind);
        f->last_end = end;
        l->estimated = is->estimated;
        add_guess(f, is);
        return;
    }
    guess = sampling_computed(st.samples, l->alike, ctas_of(l), is->warp_insts);
    is->estimated = l->estimated = (uint64_t)(guess.cycles + 0.5);
    is->estimated_spread = (uint64_t)(guess.spread + 0.5);
    is->estimated_error = (uint64_t)(guess.error + 0.5);
    add_guess(f, is);
}

static void report_part_of_flight(struct drv_flight *f, rt_part *is)
{
    drv_launch *l = f->slot[is->number];
    msg_text text;
    session_module m = module_of(l, &text);
    char name[32];
    session_part p = {.module = &m,
                      .kernel = l->code,
                      .stream = name,
                      .shared_bytes = l->shared_bytes,
                      .is = is,
                      .profile = l->run.profile};

    learn(f, l, &is->outcome);
    snprintf(name, sizeof name, "%s %u", drv.door->queue,
             l->command.queue->number);
    memcpy(p.grid, l->grid, sizeof p.grid);
    memcpy(p.block, l->block, sizeof p.block);
    session_ended(&f->open, &p);
    l->part = (unsigned)f->parts_reported++;
}

/* A sample for which there is no memory is left out. */
static void take_flight_sample(void *arg, const rt_sample *is)
{
    struct drv_flight *f = arg;
    energy e;

    energy_compute(f->device->cfg, is->stats, is->totals, is->cycles, &e);
    energy_series_add(&f->series, is->start, &e);
}

/* `result` of a launch, or of a group. */
static void report_result(session_open *open, const drv_launch *l,
                          const rt_result *result, bool alone,
                          const session_samples *samples, const diag *dg)
{
    char *text = error_message(dg, &l->module);

    if (!open->client && result->strays.count)
        exec_strays_add(&st.strays, &result->strays);
    if (text)
        fputs(text, stderr);
    session_result(open, l->command.queue->device->rt, result, l->code,
                   alone ? l->run.profile : NULL, samples,
                   result->status != ST_OK ? text : NULL);
    free(text);
}

static void report_flight_group(void *arg, const rt_result *sum,
                                const rt_part *part, size_t parts)
{
    struct drv_flight *f = arg;
    drv_launch *l = f->slot[part[f->parts_reported].number];
    rt_result all = *sum;

    for (size_t i = f->parts_reported; parts > 1 && i < parts; i++) {
        rt_part is = part[i];

        report_part_of_flight(f, &is);
    }
    if (parts == 1)
        learn(f, l, &all.outcome);
    all.estimated = f->guessed.estimated;
    all.estimated_spread = f->guessed.estimated_spread;
    all.estimated_error = f->guessed.estimated_error;
    report_result(&f->open, l, &all, parts == 1,
                  &(session_samples){&f->series, &f->warps}, f->dg);
    energy_series_fini(&f->series);
    stats_series_fini(&f->warps);
}

/* ---- Beginning ---- */

static struct drv_flight *flight_of(drv_device *d)
{
    struct drv_flight *f = d->flight;

    if (f || !(f = alloc_try_zeroed(1, sizeof *f)))
        return f;
    f->device = d;
    f->slots = d->cfg->gpu.concurrent + 1; /* one may wait */
    f->slot = alloc_try_zeroed(f->slots, sizeof *f->slot);
    f->ended = alloc_try_zeroed(f->slots, sizeof *f->ended);
    f->rt = rt_flight_new(d->rt,
                          &(rt_group){.ended = report_flight_group, .arg = f});
    if (f->slot && f->ended && f->rt)
        return d->flight = f;
    rt_flight_free(f->rt);
    free(f->slot);
    free(f->ended);
    free(f);
    return NULL;
}

/* May launches be in flight beside each other? Those of several queues may, and
 * of one without an order: then what each takes alone says little. So it is for
 * BESIDE launches from one of another queue on. */
static bool is_beside(const drv_launch *l)
{
    const drv_queue *q = l->command.queue;

    st.beside -= st.beside > 0;
    if (!q->in_order || (st.queue && st.queue != q->number))
        st.beside = BESIDE;
    st.queue = q->number;
    return st.beside > 0;
}

/* Is it timed? */
static void decide_timing(drv_launch *l)
{
    if (!drv.setup)
        return;
    if (!st.select)
        st.select = launch_filter_new(&drv.setup->filter);
    if (checkpoint_reads()) {
        if (st.select)
            launch_filter_pass(st.select, l->code->name);
        l->functional = true;
        return;
    }
    l->functional =
        st.select && !launch_filter_is_timed(st.select, l->code->name);
    l->sampled = drv.setup->filter.sample && !l->functional && !is_beside(l);
    if (!l->sampled)
        return;
    if (!st.samples)
        st.samples = sampling_new();
    sampling_launch is = {.code = l->code,
                          .device = l->command.queue->device->number,
                          .shared_bytes = l->shared_bytes};
    memcpy(is.block, l->block, sizeof is.block);
    l->functional = !sampling_is_timed(st.samples, &is, ctas_of(l), &l->alike);
}

static void describe_launch(drv_launch *l, struct drv_flight *f)
{
    rt_launch *r = &l->run;

    *r = (rt_launch){.module = l->module.module,
                     .kernel = l->code,
                     .work_dim = l->work_dim,
                     .shared_bytes = l->shared_bytes,
                     .params = l->params,
                     .functional = l->functional,
                     .sampled = l->sampled,
                     .cga = {l->cga[0], l->cga[1], l->cga[2]},
                     .cooperative = l->cooperative,
                     .hints = l->hints,
                     .stop = &worker_stop,
                     .alone = checkpoint_writes() ||
                              (drv.device_count == 1 && !f->device->shared)};
    memcpy(r->grid, l->grid, sizeof r->grid);
    memcpy(r->block, l->block, sizeof r->block);
    memcpy(r->threads, l->threads, sizeof r->threads);
    memcpy(r->offset, l->offset, sizeof r->offset);
    if (!drv.setup)
        return;
    r->max_cycles = drv.setup->max_cycles;
    r->counters = drv.setup->per_block;
    rt_launch_samples(r, drv.setup->sample_cycles, drv.setup->warps_cycles,
                      take_flight_sample, f, &f->warps);
    if (drv.setup->profile)
        r->profile = alloc_try_zeroed((size_t)l->code->code_count + 1,
                                      sizeof *r->profile);
}

/* Reports a launch that never is in flight, from begin to result. */
static int report_alone(drv_launch *l, session_open *open,
                        const rt_result *result, const diag *dg)
{
    launch_printed(l, result->lines, result->line_count);
    report_result(open, l, result, true, NULL, dg);
    l->command.duration_ns =
        functional_ns(l->command.queue->device, result->warp_insts);
    return result_of(result->status, &result->fault);
}

/* 0: it can begin when there is room. */
static int prepare_launch(struct drv_flight *f, drv_launch *l)
{
    diag *dg = diag_new();
    unsigned n = 0;
    session_open open;

    while (f->slot[n])
        n++;
    l->number = n;
    decide_timing(l);
    describe_launch(l, f);
    status is = rt_flight_prepare(f->rt, &l->run, n, dg);
    int code = 0;
    if (is != ST_OK) {
        report_begin(l, &open);
        if (open.client)
            l->reported = open.number;
        code = report_alone(l, &open, &(rt_result){.status = is}, dg);
    }
    diag_free(dg);
    return code;
}

/* Once. */
static void note_unwarmed(struct drv_flight *f)
{
    if (drv.setup->rt.warm && f->device->shared && f->slots > 2 &&
        !st.unwarmed) {
        st.unwarmed = true;
        session_note(f->open.client,
                     "launches that begin beside others are not warmed up: "
                     "--set gpu.concurrent=1 runs them one at a time");
    }
}

/* Where somebody watches, this one is looked at. */
static void watch_launch(struct drv_flight *f, drv_launch *l)
{
    const drv_module *m = &l->module;

    if (!drv.setup->watch.wanted)
        return;
    if (!f->lookout)
        f->lookout =
            lookout_new(&(lookout_options){.line = session_line(f->open.client),
                                           .device = f->device->number,
                                           .hold = drv.setup->watch.hold,
                                           .cfg = f->device->cfg,
                                           .program = "/proc/self/exe",
                                           .stop = &worker_stop});
    if (m->file && m->source)
        lookout_source(f->lookout, m->number, m->file, m->source);
    lookout_launch(f->lookout, f->open.number, 0);
    l->run.look = lookout_look;
    l->run.look_arg = f->lookout;
}

/* Reports the beginning of a group; options of its first launch hold
 * for all. */
static void begin_flight_group(struct drv_flight *f, drv_launch *l)
{
    f->base_ns = f->device->now_ns;
    f->parts_reported = 0;
    f->guessed = (launch_outcome){.estimated = 0};
    f->last_end = 0;
    report_begin(l, &f->open);
    if (!f->open.client)
        return;
    l->run.progress = session_progress;
    l->run.progress_arg = &f->open;
    if (l->functional)
        return;
    l->run.sofar = session_sofar;
    l->run.sofar_arg = &f->open;
    watch_launch(f, l);
    note_unwarmed(f);
    l->run.trace = session_traced(&f->open);
    if (l->run.trace && f->device->shared && f->slots > 2) {
        l->run.trace = NULL; /* events do not have the number of their launch */
        if (!st.untraced)
            session_note(f->open.client,
                         "launches that may be in flight with others are not "
                         "traced: --set gpu.concurrent=1 runs them one at a "
                         "time");
        st.untraced = true;
    }
}

static void begin_launch(struct drv_flight *f, drv_launch *l)
{
    bool first = !f->count;

    if (first)
        f->functional = l->functional;
    f->dg = diag_new();
    if (first)
        begin_flight_group(f, l);
    rt_flight_begin(f->rt);
    if (first)
        f->base_cycle = rt_flight_now(f->rt);
    if (f->open.client)
        l->reported = f->open.number;
    f->slot[l->number] = l;
    f->count++;
    diag_free(f->dg);
}

flight_state flight_begin(drv_launch *l, const drv_launch *before, int *result)
{
    struct drv_flight *f = flight_of(l->command.queue->device);

    *result = result_of(f ? ST_OK : ST_NOMEM, NULL);
    if (!f)
        return FLIGHT_ENDED;
    if (f->waits != l && (*result = prepare_launch(f, l)))
        return FLIGHT_ENDED;
    if (checkpoint_reads()) {
        rt_flight_skip(f->rt);
        checkpoint_performs(l);
        return FLIGHT_ENDED;
    }
    f->waits = rt_flight_room(f->rt) ? NULL : l;
    if (f->waits)
        return FLIGHT_WAITS;
    l->run.after = before ? before->number + 1 : 0;
    begin_launch(f, l);
    return FLIGHT_BEGUN;
}

/* ---- Ending ---- */

static flight_end take_ended(struct drv_flight *f, unsigned n, int result,
                             uint64_t start, uint64_t end)
{
    drv_launch *l = f->slot[n];

    f->slot[n] = NULL;
    f->count--;
    return (flight_end){
        .launch = l,
        .result = result,
        .start_ns = start,
        .end_ns = end > start ? end : start + 1,
    };
}

/* All that are in flight are lost; launch `failed` is why, with `result`. */
static unsigned take_all_lost(struct drv_flight *f, size_t failed, int result)
{
    int other = result_of(ST_INTERRUPTED, NULL);
    unsigned count = 0;

    for (unsigned n = 0; n < f->slots; n++)
        if (f->slot[n])
            f->ended[count++] = take_ended(f, n, n == failed ? result : other,
                                           f->slot[n]->command.event->start_ns,
                                           f->device->now_ns);
    return count;
}

/* The device's time after an advance, and that of the launch that ended. */
static flight_end time_timed(struct drv_flight *f, const rt_event *e)
{
    drv_device *d = f->device;

    d->now_ns = time_at(f, rt_flight_now(f->rt));
    if (e->idle) { /* what is left out of sampled launches takes its time */
        uint64_t all =
            time_at(f, f->base_cycle + e->group + f->guessed.estimated);
        d->now_ns = all > f->base_ns ? all : f->base_ns + 1;
    }
    return (flight_end){
        .start_ns = time_at(f, e->part.start),
        .end_ns =
            time_at(f, e->part.start + e->part.cycles + e->part.estimated),
    };
}

/* The same where nothing is timed: while launches wait, they wait for whatever
 * comes next. */
static flight_end time_untimed(struct drv_flight *f, uint64_t until_ns,
                               const rt_event *e)
{
    drv_device *d = f->device;
    flight_end is = {.start_ns = d->now_ns};
    const drv_launch *l;

    if (e->paused && until_ns != FLIGHT_NEVER)
        d->now_ns = until_ns;
    if (e->paused)
        return is;
    l = f->slot[e->part.number];
    is.start_ns = l->command.event->start_ns;
    is.end_ns =
        is.start_ns + (l->estimated ? ns_of(d, l->estimated)
                                    : functional_ns(d, e->part.warp_insts));
    if (e->idle && is.end_ns > d->now_ns)
        d->now_ns = is.end_ns;
    return is;
}

unsigned flight_advance(drv_device *d, uint64_t until_ns,
                        const flight_end **out)
{
    struct drv_flight *f = d->flight;
    uint64_t until = 0;
    rt_event e;

    *out = f->ended;
    if (!rt_flight_count(f->rt) || !(f->dg = diag_new())) {
        rt_flight_forget(f->rt);
        return take_all_lost(f, f->slots, 0);
    }
    if (until_ns != FLIGHT_NEVER)
        until = f->base_cycle + cycles_of(d, until_ns - f->base_ns);
    status is = rt_flight_advance(f->rt, until, &e, f->dg);
    flight_end end =
        f->functional ? time_untimed(f, until_ns, &e) : time_timed(f, &e);
    if (!e.paused)
        launch_printed(f->slot[e.part.number], e.lines, e.line_count);
    if (!e.paused)
        checkpoint_launched(
            f->slot[e.part.number],
            &(checkpoint_launch){.is = is,
                                 .lines = e.lines,
                                 .line_count = e.line_count,
                                 .duration_ns = end.end_ns - end.start_ns});
    if (!e.paused && !e.idle)
        report_part_of_flight(f, &e.part);
    diag_free(f->dg);
    if (e.paused && e.lets_go) {
        f->slot[e.part.number]->lets_go = true;
        f->slot[e.part.number]->go_ns = d->now_ns;
    }
    if (e.paused)
        return 0;
    if (is != ST_OK)
        return take_all_lost(f, e.part.number, result_of(is, &e.part.fault));
    f->ended[0] =
        take_ended(f, (unsigned)e.part.number, 0, end.start_ns, end.end_ns);
    return 1;
}

void flight_report_strays(void)
{
    stray_text(&st.strays, stderr);
    exec_strays_fini(&st.strays);
}

/* ---- With the lock ---- */

unsigned flight_count(const drv_device *d)
{
    return d->flight ? d->flight->count : 0;
}

void flight_forget(drv_device *d)
{
    struct drv_flight *f = d->flight;

    exec_strays_fini(&st.strays);
    if (!f)
        return;
    rt_flight_forget(f->rt);
    memset(f->slot, 0, f->slots * sizeof *f->slot);
    f->count = 0;
    f->waits = NULL;
    f->open.client = NULL;
    lookout_free(f->lookout);
    f->lookout = NULL;
    d->waits = NULL;
    d->full = false;
}
