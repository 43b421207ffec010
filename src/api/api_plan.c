/* Launch files and traces: what they describe, run on the simulation. */
#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "base/alloc.h"
#include "replay/trace_list.h"
#include "runtime/image.h"

/* ---- Opening ---- */

/* A launch file that is wrong is no configuration. */
static heddle_code code_of(status st)
{
    return st == ST_CONFIG || st == ST_USAGE ? HEDDLE_BAD_FILE : api_code(st);
}

static heddle_code read_plan(heddle_plan *p, const char *path)
{
    heddle_sim *sim = p->sim;
    status st = ST_OK;

    if (trace_list_is(path)) {
        p->is->program = arena_strdup(p->is->mem, path);
        return HEDDLE_OK;
    }
    st = plan_read(p->is, path, sim->dg);
    if (st != ST_OK)
        return code_of(st);
    if (!p->is->program) {
        diag_error(sim->dg, "%s names no program", path);
        return HEDDLE_BAD_FILE;
    }
    return trace_list_is(p->is->program)
               ? HEDDLE_OK
               : api_module_load_file(sim, p->is->program, &p->module);
}

static void add_buffers(heddle_plan *p)
{
    heddle_buffer **end = &p->buffers;

    for (const plan_buffer *b = p->is->buffers; b; b = b->next) {
        if (b->image)
            continue;
        heddle_buffer *to = new0(1, sizeof *to);

        *to = (heddle_buffer){.sim = p->sim,
                              .plan = p,
                              .is = b,
                              .name = new_text(b->name),
                              .addr = b->addr,
                              .size = b->count * plan_type_bytes(b->type)};
        *end = to;
        end = &to->next;
    }
}

static heddle_code fill_plan(heddle_plan *p, const char *path)
{
    heddle_code code = read_plan(p, path);

    if (code != HEDDLE_OK)
        return code;
    p->run = (plan_run){.plan = p->is,
                        .device = p->sim->device,
                        .cfg = rt_device_config(p->sim->device),
                        .module = p->module ? p->module->is : NULL};
    code = code_of(plan_run_load(&p->run, p->sim->dg));
    add_buffers(p); /* those that it has got */
    return code;
}

static heddle_code busy(heddle_sim *sim)
{
    api_wrong(sim, "a launch is in flight: heddle_advance ends it");
    return HEDDLE_BUSY;
}

static void close_plan(heddle_plan *p);

static heddle_code open_plan(heddle_sim *sim, const char *path,
                             heddle_plan **out)
{
    if (!out || !path || !*path || !strcmp(path, "-"))
        return api_wrong(sim, "heddle_plan_open: %s",
                         !out ? "`plan` is NULL" : "`path` names no file");
    if (sim->in_flight)
        return busy(sim);
    heddle_plan *p = new0(1, sizeof *p);
    *p = (heddle_plan){.sim = sim, .is = plan_new(), .next = sim->plans};
    sim->plans = p;
    heddle_code code = fill_plan(p, path);
    if (code == HEDDLE_OK)
        *out = p;
    else
        close_plan(p);
    return code;
}

heddle_code heddle_plan_open(heddle_sim *sim, const char *path,
                             heddle_plan **out)
{
    API_NO(out);
    API_BEGIN(sim);
    return api_end(&call, open_plan(sim, path, out));
}

/* ---- Closing ---- */

void api_plan_free(heddle_plan *p)
{
    heddle_plan **at = &p->sim->plans;

    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    while (p->buffers) {
        heddle_buffer *b = p->buffers;

        p->buffers = b->next;
        free(b->name);
        free(b);
    }
    plan_run_fini(&p->run);
    plan_free(p->is);
    free(p);
}

void api_plan_release(heddle_plan *p)
{
    if (p->closed && !p->results)
        api_plan_free(p);
}

/* What it has in the GPU's memory. */
static void free_memory(heddle_plan *p)
{
    rt_memory *m = rt_device_memory(p->sim->device);

    for (const plan_buffer *b = p->is->buffers; b; b = b->next)
        if (b->image && b->addr)
            rt_image_release(m, (uint32_t)b->addr);
        else if (b->addr)
            MUST(rt_release(m, b->addr));
    for (const plan_sampler *s = p->is->samplers; s; s = s->next)
        if (s->number)
            rt_sampler_release(m, s->number);
}

static void close_plan(heddle_plan *p)
{
    free_memory(p);
    p->closed = true;
    if (p->module)
        api_module_unload(p->module);
    p->module = NULL;
    api_plan_release(p);
}

static heddle_code close_idle(heddle_plan *p)
{
    if (p->sim->in_flight)
        return busy(p->sim);
    close_plan(p);
    return HEDDLE_OK;
}

heddle_code heddle_plan_close(heddle_plan *p)
{
    if (!p)
        return HEDDLE_OK;
    API_BEGIN(p->sim);
    return api_end(&call, close_idle(p));
}

/* ---- What it has ---- */

heddle_module *heddle_plan_module(heddle_plan *p)
{
    return p ? p->module : NULL;
}

static heddle_code find_buffer(heddle_plan *p, const char *name,
                               heddle_buffer **out)
{
    if (!out || !name)
        return api_wrong(p->sim, "heddle_plan_buffer: `%s` is NULL",
                         !out ? "buffer" : "name");
    for (heddle_buffer *b = p->buffers; b; b = b->next)
        if (!strcmp(b->name, name)) {
            *out = b;
            return HEDDLE_OK;
        }
    api_wrong(p->sim, "the launch file has no buffer '%s'", name);
    return HEDDLE_NOT_FOUND;
}

heddle_code heddle_plan_buffer(heddle_plan *p, const char *name,
                               heddle_buffer **buffer)
{
    API_NO(buffer);
    API_BEGIN(p ? p->sim : NULL);
    return api_end(&call, find_buffer(p, name, buffer));
}

size_t heddle_plan_buffer_count(const heddle_plan *p)
{
    size_t n = 0;

    for (const heddle_buffer *b = p ? p->buffers : NULL; b; b = b->next)
        n++;
    return n;
}

heddle_code heddle_plan_buffer_at(const heddle_plan *p, size_t i,
                                  heddle_plan_buffer_info *info)
{
    heddle_buffer *b = p && info ? p->buffers : NULL;

    for (; b && i; i--)
        b = b->next;
    if (!b)
        return HEDDLE_BAD_ARGUMENT;
    *info = (heddle_plan_buffer_info){.name = b->name,
                                      .type = plan_type_text(b->is->type),
                                      .count = b->is->count,
                                      .buffer = b};
    return HEDDLE_OK;
}

size_t heddle_plan_check_count(const heddle_plan *p)
{
    return p ? p->run.check_count : 0;
}

heddle_code heddle_plan_check(const heddle_plan *p, size_t i,
                              heddle_check *check)
{
    if (!check || i >= heddle_plan_check_count(p))
        return HEDDLE_BAD_ARGUMENT;
    const report_check *c = &p->run.checks[i];
    *check = (heddle_check){.buffer = c->buffer,
                            .file = c->file,
                            .count = c->count,
                            .differ = c->differ,
                            .tolerance = c->tolerance,
                            .worst = c->worst};
    return HEDDLE_OK;
}

/* ---- Running ---- */

static void begin_launch(void *arg, const plan_run *r, const rt_launch *l,
                         size_t total)
{
    heddle_plan *p = arg;

    (void)r;
    (void)total;
    p->sim->launch = *l;
    p->sim->launch.profile = NULL; /* it is the plan's */
    api_tell(p->sim);              /* warnings, before what may take long */
    api_launch_begins(p->sim);
}

static void take_result(void *arg, plan_run *r, const rt_result *res, bool kept)
{
    heddle_plan *p = arg;
    heddle_result *out;

    (void)r;
    if (!kept)
        return;
    out = api_result_of_plan(p, &res->fault);
    api_result_end(out, api_code(res->status));
    api_counters_know(p->sim);
    api_totals_add(p->sim, out->list.row->totals);
    p->first = p->first ? p->first : out;
    api_launch_ended(p->sim, out);
}

static heddle_code check_options(heddle_plan *p,
                                 const heddle_plan_options *from,
                                 heddle_plan_options *o)
{
    heddle_sim *sim = p->sim;

    if (sim->in_flight)
        return busy(sim);
    if (p->closed)
        return api_wrong(sim, "heddle_plan_run: the launch file was closed");
    if (from && !api_take_struct(o, sizeof *o, from, sizeof *o))
        return api_wrong(sim, "heddle_plan_options.size is none that this "
                              "library knows: begin with "
                              "HEDDLE_PLAN_OPTIONS_INIT");
    if (o->reserved)
        return api_wrong(sim, "heddle_plan_options.reserved is not 0");
    return api_launch_flags(sim, o->flags, "heddle_plan_options");
}

/* Checks and dumps of what was launched. */
static status finish(plan_run *r, diag *dg)
{
    status st = plan_run_expect(r, dg);
    status dumped = plan_run_dump(r, dg);

    return st == ST_OK ? dumped : st;
}

static heddle_code run_plan(heddle_plan *p, const heddle_plan_options *options,
                            heddle_result **first)
{
    heddle_plan_options o = HEDDLE_PLAN_OPTIONS_INIT;
    heddle_sim *sim = p->sim;
    plan_run *r = &p->run;
    heddle_code code = check_options(p, options, &o);
    status st;

    if (code != HEDDLE_OK)
        return code;
    __atomic_store_n(&sim->stop, 0, __ATOMIC_RELAXED);
    r->how = api_launch_how(sim, o.flags, o.max_cycles);
    r->functional = sim->opt.functional || o.flags & HEDDLE_FUNCTIONAL;
    r->profile = o.flags & HEDDLE_PROFILE;
    r->begins = begin_launch;
    r->ended = take_result;
    r->arg = p;
    r->check_count = 0;
    p->first = NULL;
    st = plan_run_launches(r, sim->dg);
    if (st == ST_OK)
        st = finish(r, sim->dg);
    if (first)
        *first = p->first;
    return code_of(st);
}

heddle_code heddle_plan_run(heddle_plan *p, const heddle_plan_options *options,
                            heddle_result **first)
{
    API_NO(first);
    API_BEGIN(p ? p->sim : NULL);
    return api_end(&call, run_plan(p, options, first));
}
