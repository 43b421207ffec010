/* Results of launches: figures, counters, faults, lines and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "base/alloc.h"
#include "base/suggest.h"
#include "report/record.h"

/* ---- Making and freeing ---- */

/* The simulation's last, of a kernel of `m`. */
static heddle_result *new_result(heddle_module *m, const exec_fault *fault)
{
    heddle_sim *sim = m->sim;
    heddle_result *out = new0(1, sizeof *out);

    *out = (heddle_result){.sim = sim, .module = m, .fault = *fault};
    m->results++;
    *sim->results_end = out;
    sim->results_end = &out->next;
    return out;
}

heddle_result *api_result_new(heddle_sim *sim, const rt_result *r,
                              sm_profile_row *profile)
{
    const rt_launch *l = &sim->launch;
    const isa_program *program = rt_module_program(l->module);
    heddle_result *out = new_result(sim->running, &r->fault);
    plan_launch shape = {.shared_bytes = l->shared_bytes};

    memcpy(shape.grid, l->grid, sizeof shape.grid);
    memcpy(shape.block, l->block, sizeof shape.block);
    out->kernel = new_text(l->kernel->name);
    launch_list_add(
        &out->list, sim->device, &shape,
        &(report_launch){.kernel = l->kernel,
                         .cfg = rt_device_config(sim->device),
                         .functional = sim->opt.functional || l->functional,
                         .source = program,
                         .arch = program->arch,
                         .profile = profile},
        r);
    return out;
}

heddle_result *api_result_of_plan(heddle_plan *p, const exec_fault *fault)
{
    heddle_module *m = api_module_of(p->sim, p->run.module, p->is->program);
    heddle_result *out = new_result(m, fault);

    out->plan = p;
    p->results++;
    launch_list_move(&p->run.launches, &out->list);
    out->kernel = new_text(out->list.row->kernel->name);
    return out;
}

/* The place that the first error of the launch has. */
static void take_place(heddle_result *r)
{
    const diag *dg = r->sim->dg;

    for (size_t i = 0; i < diag_count(dg); i++) {
        const diag_item *d = diag_get(dg, i);

        if (d->level != DIAG_ERROR)
            continue;
        r->file = new_text_if(d->file);
        r->line = d->line;
        return;
    }
}

void api_result_end(heddle_result *r, heddle_code code)
{
    strbuf text = {0};

    r->code = code;
    r->kept = true;
    if (code == HEDDLE_OK)
        return;
    api_put_errors(r->sim, &text);
    r->error = text.text; /* NULL: none */
    if (code == HEDDLE_FAULT)
        take_place(r);
}

void api_result_free(heddle_result *r)
{
    heddle_plan *p = r->plan;

    r->module->results--;
    api_module_release(r->module);
    launch_list_fini(&r->list);
    strbuf_fini(&r->json);
    arena_free(r->row_mem);
    free(r->kernel);
    free(r->error);
    free(r->file);
    free(r);
    if (p) {
        p->results--;
        api_plan_release(p);
    }
}

static void remove_result(heddle_result *r)
{
    heddle_sim *sim = r->sim;
    heddle_result **at = &sim->results;

    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    if (!*at)
        sim->results_end = at;
    api_result_free(r);
}

void heddle_result_free(heddle_result *result)
{
    api_call call;

    if (!result || api_take(&call, result->sim) != HEDDLE_OK)
        return;
    remove_result(result);
    api_end(&call, HEDDLE_OK);
}

/* ---- Plain facts ---- */

heddle_result *heddle_result_next(const heddle_result *result)
{
    return result ? result->next : NULL;
}

heddle_code heddle_result_code(const heddle_result *result)
{
    return result ? result->code : HEDDLE_BAD_ARGUMENT;
}

const char *heddle_result_error(const heddle_result *result)
{
    return result && result->error ? result->error : "";
}

const char *heddle_result_kernel(const heddle_result *result)
{
    return result ? result->kernel : NULL;
}

uint64_t heddle_result_cycles(const heddle_result *result)
{
    return result ? result->list.row->cycles : 0;
}

/* ---- Figures ---- */

/* The row of number `i` of those that are numbers; NULL: there is none. */
static const record_row *figure_row(size_t i)
{
    for (size_t k = 0; k < RECORD_ROWS; k++) {
        const record_row *r = &record_rows[k];

        if (record_letter(r->kind) != 't' && r->kind != RECORD_TRIPLE &&
            i-- == 0)
            return r;
    }
    return NULL;
}

size_t heddle_figure_count(void)
{
    size_t n = 0;

    while (figure_row(n))
        n++;
    return n;
}

heddle_code heddle_figure_info(size_t i, heddle_info *info)
{
    const record_row *r = figure_row(i);

    if (!r || !info)
        return HEDDLE_BAD_ARGUMENT;
    *info = (heddle_info){.name = r->id, .unit = r->unit, .help = r->help};
    return HEDDLE_OK;
}

/* Is it about time? Then there is none without timing. */
static bool is_timed(const record_row *r)
{
    return r->group == RECORD_CYCLES || r->group == RECORD_ESTIMATE ||
           r->group == RECORD_SLOTS || r->group == RECORD_COLD;
}

static double figure_of(const heddle_result *result, const record_row *r)
{
    figures f;
    record_values v;

    figures_compute(result->list.row, &f);
    v = record_of(result->list.row, &f);
    if (!v.timed && is_timed(r))
        return NAN;
    return record_letter(r->kind) == 'r' ? record_real(&v, r)
                                         : (double)v.of[r - record_rows].count;
}

/* "; did you mean 'ipc'?", or "". The text is as long as the names. */
static const char *near_name(const char *name, const char *const *names,
                             size_t count, strbuf *to)
{
    const char *near = suggest_nearest(name, names, count);

    if (!near)
        return "";
    strbuf_printf(to, "; did you mean '%s'?", near);
    return to->text;
}

static heddle_code no_figure(heddle_sim *sim, const char *name)
{
    const char *names[RECORD_ROWS];
    size_t n = 0;
    strbuf text = {0};

    for (const record_row *r; (r = figure_row(n)); n++)
        names[n] = r->id;
    api_note(sim, "no figure '%s'%s", name, near_name(name, names, n, &text));
    strbuf_fini(&text);
    return HEDDLE_NOT_FOUND;
}

static heddle_code find_figure(const heddle_result *result, const char *name,
                               double *value)
{
    const record_row *r;

    for (size_t i = 0; (r = figure_row(i)); i++)
        if (!strcmp(r->id, name)) {
            *value = figure_of(result, r);
            return HEDDLE_OK;
        }
    return no_figure(result->sim, name);
}

heddle_code heddle_result_figure(const heddle_result *result, const char *name,
                                 double *value)
{
    api_call call;

    if (!result || !name || !value)
        return HEDDLE_BAD_ARGUMENT;
    api_guard(&call, result->sim);
    if (setjmp(call.out)) {
        api_unguard(&call);
        return HEDDLE_LOST;
    }
    heddle_code code = find_figure(result, name, value);
    api_unguard(&call);
    return code;
}

/* ---- Counters ---- */

void api_counters_know(heddle_sim *sim)
{
    const stats *s = rt_stats(sim->device);

    if (sim->counter || !stats_total_count(s))
        return;
    sim->total_count = stats_total_count(s);
    sim->totals = new0(sim->total_count, sizeof *sim->totals);
    sim->counter = new0(sim->total_count, sizeof *sim->counter);
    for (size_t i = 0; i < sim->total_count; i++) {
        stats_total_item item = stats_total_get(s, i);
        strbuf name = {0};

        strbuf_printf(&name, "%s.%s", item.path, item.desc->id);
        sim->counter[i].name = name.text;
    }
}

void api_totals_add(heddle_sim *sim, const uint64_t *totals)
{
    for (size_t i = 0; totals && i < sim->total_count; i++)
        sim->totals[i] += totals[i];
}

size_t heddle_counter_count(const heddle_sim *sim)
{
    return sim ? sim->total_count : 0;
}

static heddle_code describe_counter(heddle_sim *sim, size_t i,
                                    heddle_info *info)
{
    if (!info || i >= sim->total_count)
        return api_wrong(sim, "there is no counter %zu, but %zu in all%s", i,
                         sim->total_count,
                         sim->total_count ? ""
                                          : " before the first timed launch");
    const stat_desc *d = stats_total_get(rt_stats(sim->device), i).desc;
    *info = (heddle_info){
        .name = sim->counter[i].name, .unit = d->unit, .help = d->help};
    return HEDDLE_OK;
}

heddle_code heddle_counter_info(heddle_sim *sim, size_t i, heddle_info *info)
{
    API_BEGIN(sim);
    return api_end(&call, describe_counter(sim, i, info));
}

const uint64_t *heddle_result_counters(const heddle_result *result,
                                       size_t *count)
{
    const uint64_t *totals = result ? result->list.row->totals : NULL;

    if (count)
        *count = totals ? result->sim->total_count : 0;
    return totals;
}

static heddle_code no_counter(heddle_sim *sim, const char *name, bool timed)
{
    const char **names = new0(sim->total_count + 1, sizeof *names);
    strbuf text = {0};

    for (size_t i = 0; i < sim->total_count; i++)
        names[i] = sim->counter[i].name;
    if (timed)
        api_note(sim, "no counter '%s'%s", name,
                 near_name(name, names, sim->total_count, &text));
    else
        api_note(sim, "no counter '%s': nothing was timed", name);
    strbuf_fini(&text);
    free(names);
    return HEDDLE_NOT_FOUND;
}

static heddle_code sum_counters(const heddle_result *r, const char *name,
                                uint64_t *value)
{
    const report_launch *l = r->list.row;
    size_t matched = 0;
    uint64_t sum = 0;

    if (l->totals)
        sum = stats_total_sum(l->stats, l->totals, name, &matched);
    if (l->totals && !matched && l->counters)
        sum = stats_sum(l->stats, l->counters, name, &matched);
    if (!matched)
        return no_counter(r->sim, name, l->totals);
    *value = sum;
    return HEDDLE_OK;
}

heddle_code heddle_result_counter(const heddle_result *result, const char *name,
                                  uint64_t *value)
{
    api_call call;

    if (!result || !name || !value)
        return HEDDLE_BAD_ARGUMENT;
    api_guard(&call, result->sim);
    if (setjmp(call.out)) {
        api_unguard(&call);
        return HEDDLE_LOST;
    }
    heddle_code code = sum_counters(result, name, value);
    api_unguard(&call);
    return code;
}

static heddle_code sum_totals(heddle_sim *sim, const char *name,
                              uint64_t *value)
{
    size_t matched = 0;

    if (!name || !value)
        return api_wrong(sim, "heddle_total: `%s` is NULL",
                         !name ? "name" : "value");
    uint64_t sum = sim->totals ? stats_total_sum(rt_stats(sim->device),
                                                 sim->totals, name, &matched)
                               : 0;
    if (!matched) {
        api_wrong(sim, "no counter '%s'%s", name,
                  sim->totals ? "" : ": nothing was timed");
        return HEDDLE_NOT_FOUND;
    }
    *value = sum;
    return HEDDLE_OK;
}

heddle_code heddle_total(heddle_sim *sim, const char *name, uint64_t *value)
{
    API_BEGIN(sim);
    return api_end(&call, sum_totals(sim, name, value));
}
