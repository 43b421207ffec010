#include "opencl/launch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "opencl/event.h"
#include "opencl/worker.h"
#include "session/client.h"

/* What kernels printed and the program has not seen yet: it sees it when it
 * waits, so that its own output is never in between by chance. */
typedef struct printed {
    struct printed *next;
    uint64_t end_ns; /* of the launch */
    size_t size;
    char text[];
} printed;

/* Part of the process's state, like ocl_state. */
static struct {
    /* With the machine lock. */
    select_state *select;
    char **warned; /* warnings are shown once */
    size_t warned_count;
    /* With the lock. */
    printed *first, **end;
} st;

/* ---- What a launch prints ---- */

/* The texts of printf, put together; assertions go to stderr at once. */
static printed *collect(const rt_result *r)
{
    size_t size = 0;

    for (size_t i = 0; i < r->line_count; i++) {
        const exec_line *line = &r->lines[i];
        if (line->assertion)
            fwrite(line->text, 1, line->length, stderr);
        else
            size += line->length;
    }
    printed *p = size ? malloc(sizeof *p + size) : NULL;
    if (!p)
        return NULL;
    *p = (printed){.size = 0};
    for (size_t i = 0; i < r->line_count; i++) {
        const exec_line *line = &r->lines[i];
        if (line->assertion)
            continue;
        memcpy(p->text + p->size, line->text, line->length);
        p->size += line->length;
    }
    return p;
}

void launch_show(uint64_t until_ns)
{
    printed *p = st.first;

    if (!p || p->end_ns > until_ns)
        return;
    for (; (p = st.first) && p->end_ns <= until_ns; free(p)) {
        st.first = p->next;
        fwrite(p->text, 1, p->size, stdout);
    }
    fflush(stdout);
}

void launch_forget(void)
{
    for (printed *p; (p = st.first); free(p))
        st.first = p->next;
}

static bool warned_before(const char *text)
{
    for (size_t i = 0; i < st.warned_count; i++)
        if (!strcmp(st.warned[i], text))
            return true;
    char **more = realloc(st.warned, (st.warned_count + 1) * sizeof *more);
    if (!more)
        return false;
    st.warned = more;
    if ((st.warned[st.warned_count] = strdup(text)))
        st.warned_count++;
    return false;
}

/* Messages for stderr with the source's lines, without warnings that were
 * shown before. */
static char *message(const diag *dg, const launch_module *m)
{
    diag *show = diag_count(dg) ? diag_new() : NULL;
    char *text = NULL;
    size_t size;
    FILE *f;

    if (show && m->file && m->source)
        diag_source(show, m->file, m->source, strlen(m->source));
    for (size_t i = 0; show && i < diag_count(dg); i++) {
        const diag_item *d = diag_get(dg, i);
        if (d->level == DIAG_ERROR || !warned_before(d->text))
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

/* ---- Running ---- */

/* One launch while it runs. */
typedef struct job {
    ocl_launch *launch;
    cl_device_id device;
    bool functional;
    sm_profile_row *profile; /* NULL: none wanted */
    energy_series series;    /* no rows: none wanted */
    diag *dg;
    rt_result result;
} job;

static bool is_functional(const ocl_state *s, const isa_kernel *k)
{
    if (!s->setup)
        return false;
    if (!st.select)
        st.select = select_new(&s->setup->select);
    return st.select && !select_is_timed(st.select, k->name);
}

static void tell_begin(const ocl_state *s, const job *j)
{
    const ocl_launch *l = j->launch;
    msg_text text = {l->module.file, l->module.source};
    session_module m = {.number = l->module.number,
                        .name = l->module.name,
                        .program = rt_module_program(l->module.module),
                        .texts = &text,
                        .text_count = text.file && text.text};
    session_launch b = {.module = &m,
                        .kernel = l->code,
                        .device = j->device->number,
                        .shared_bytes = l->shared_bytes,
                        .functional = j->functional};

    memcpy(b.grid, l->grid, sizeof b.grid);
    memcpy(b.block, l->block, sizeof b.block);
    session_begin(s->session, &b);
}

/* A sample for which there is no memory is left out. */
static void take_sample(void *arg, const rt_sample *is)
{
    job *j = arg;
    energy e;

    energy_compute(j->device->cfg, is->stats, is->totals, is->cycles, &e);
    energy_series_add(&j->series, is->start, &e);
}

static void run(const ocl_state *s, job *j)
{
    const ocl_launch *l = j->launch;
    rt_launch r = {.module = l->module.module,
                   .kernel = l->code,
                   .work_dim = l->work_dim,
                   .shared_bytes = l->shared_bytes,
                   .params = l->params,
                   .functional = j->functional,
                   .stop = &worker_stop,
                   .profile = j->profile};

    memcpy(r.grid, l->grid, sizeof r.grid);
    memcpy(r.block, l->block, sizeof r.block);
    memcpy(r.threads, l->threads, sizeof r.threads);
    memcpy(r.offset, l->offset, sizeof r.offset);
    if (s->setup) {
        r.max_cycles = s->setup->max_cycles;
        r.counters = s->setup->per_block;
        r.sample_cycles = s->setup->sample_cycles;
        r.sample = take_sample;
        r.sample_arg = j;
    }
    if (s->session) {
        r.progress = session_progress;
        r.progress_arg = s->session;
        r.trace = session_traced(s->session);
    }
    rt_run(j->device->rt, &r, j->dg, &j->result);
}

/* Timed: as simulated. Functional: as if every scheduler issued in every
 * cycle, so that it is a lower bound and never 0. */
static uint64_t duration(const job *j)
{
    const config *cfg = j->device->cfg;
    uint64_t cycles = j->result.cycles;

    if (j->functional) {
        uint64_t peak = (uint64_t)cfg->gpu.sms * cfg->sm.issue.schedulers *
                        cfg->sm.issue.width;
        cycles = (j->result.warp_insts + peak - 1) / peak;
    }
    unsigned __int128 ns = (unsigned __int128)cycles * 1000000;
    uint64_t rounded =
        (uint64_t)((ns + cfg->gpu.clock_khz - 1) / cfg->gpu.clock_khz);
    return rounded ? rounded : 1;
}

static cl_int result_code(status st_)
{
    switch (st_) {
    case ST_OK:
        return CL_SUCCESS;
    case ST_NOMEM:
        return CL_OUT_OF_HOST_MEMORY;
    default:
        return CL_OUT_OF_RESOURCES;
    }
}

static cl_int finish(const ocl_state *s, job *j)
{
    char *text = message(j->dg, &j->launch->module);
    bool failed = j->result.status != ST_OK;

    if (text)
        fputs(text, stderr);
    session_result(s->session, j->device->rt, &j->result, j->profile,
                   &j->series, failed ? text : NULL);
    free(text);
    j->launch->printed = collect(&j->result);
    j->launch->command.duration_ns = duration(j);
    return result_code(j->result.status);
}

static cl_int launch_run(ocl_command *c)
{
    ocl_state *s = state_get();
    job j = {.launch = (ocl_launch *)c, .device = c->queue->device};

    j.functional = is_functional(s, j.launch->code);
    if (s->setup && s->setup->profile)
        j.profile =
            calloc((size_t)j.launch->code->code_count + 1, sizeof *j.profile);
    if (!(j.dg = diag_new()))
        return CL_OUT_OF_HOST_MEMORY;
    tell_begin(s, &j);
    run(s, &j);
    cl_int result = finish(s, &j);
    diag_free(j.dg);
    free(j.profile);
    energy_series_fini(&j.series);
    return result;
}

static void launch_fini(ocl_command *c)
{
    ocl_launch *l = (ocl_launch *)c;
    printed *p = l->printed;

    free(l->params);
    if (!p)
        return;
    p->end_ns = c->event->end_ns;
    if (!st.first)
        st.end = &st.first;
    *st.end = p;
    st.end = &p->next;
}

ocl_launch *launch_new(cl_command_queue q, cl_command_type type)
{
    ocl_launch *l = command_new(sizeof *l, q, type, launch_run);

    if (l)
        l->command.fini = launch_fini;
    return l;
}
