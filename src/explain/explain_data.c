/* The advice for programs. */
#include <math.h>

#include "explain/explain.h"

static void put_triple(json *j, const char *key, const uint32_t v[3])
{
    json_open(j, key, '[');
    for (unsigned i = 0; i < 3 && v[0]; i++)
        json_u64(j, NULL, v[i]);
    json_close(j, '[');
}

static void put_line(json *j, const char *key, const look_line *l)
{
    json_open(j, key, '{');
    json_text(j, "place", l->place);
    json_text(j, "text", l->text);
    json_real(j, "slots", l->share);
    json_text(j, "stall", l->stall);
    json_real(j, "stall_share", l->reason);
    json_u64(j, "insts", l->sum.insts);
    json_u64(j, "lanes", l->sum.lanes);
    json_u64(j, "accesses", l->sum.tx_insts);
    json_u64(j, "sectors", l->sum.sectors);
    json_u64(j, "sectors_least", l->sum.sectors_least);
    json_u64(j, "shared_passes", l->sum.shared_passes);
    json_u64(j, "shared_conflicts", l->sum.shared_conflicts);
    json_close(j, '{');
}

static void put_work(json *j, const look *k, const look_work *w)
{
    json_open(j, NULL, '{');
    json_text(j, "kind", w->name);
    json_real(j, "ops", w->ops);
    json_real(j, "ops_per_s", w->ops / k->time_s);
    json_real(j, "peak_ops_per_s", w->peak);
    json_open(j, "ops_per_byte", '{');
    json_real(j, "l1", look_intensity(k, w, LEVEL_L1));
    json_real(j, "l2", look_intensity(k, w, LEVEL_L2));
    json_real(j, "dram", look_intensity(k, w, LEVEL_DRAM));
    json_close(j, '{');
    json_close(j, '{');
}

static void put_occupancy(json *j, const look *k)
{
    json_open(j, "occupancy", '{');
    json_u64(j, "ctas_per_sm", k->ctas);
    json_u64(j, "warps_per_cta", k->warps);
    json_text(j, "limiter", k->limiter);
    json_real(j, "resident_warps", k->f.warps);
    if (k->step.ctas) {
        json_open(j, "next_step", '{');
        json_u64(j, "ctas_per_sm", k->step.ctas);
        if (k->step.registers)
            json_u64(j, "registers", k->step.registers);
        else
            json_u64(j, "shared_bytes", k->step.shared);
        json_close(j, '{');
    }
    json_close(j, '{');
}

static void put_look(json *j, const look *k)
{
    json_open(j, NULL, '{');
    json_text(j, "kernel", k->name);
    json_u64(j, "gpu", k->device);
    json_u64(j, "launches", k->launches);
    json_u64(j, "cycles", k->cycles);
    json_real(j, "share", k->share);
    json_real(j, "time_s", k->time_s);
    put_triple(j, "grid", k->grid);
    put_triple(j, "block", k->block);
    json_u64(j, "registers", k->registers);
    json_u64(j, "shared_bytes", k->shared_bytes);
    bounds_json(j, &k->b);
    put_occupancy(j, k);
    json_open(j, "work", '[');
    for (unsigned i = 0; i < LOOK_WORKS && k->work[i].ops > 0; i++)
        put_work(j, k, &k->work[i]);
    json_close(j, '[');
    json_open(j, "warp_states", '{');
    for (unsigned i = 0; i < WHY_COUNT; i++)
        if (k->state[i] > 0)
            json_real(j, sm_why_names[i], k->state[i]);
    json_close(j, '{');
    json_open(j, "lines", '[');
    for (size_t i = 0; i < k->line_count; i++)
        put_line(j, NULL, &k->line[i]);
    json_close(j, '[');
    json_close(j, '{');
}

static void put_trial(json *j, const explain *x, const explain_trial *t)
{
    json_open(j, NULL, '{');
    json_text(j, "rule", t->rule->id);
    json_text(j, "change", t->rule->change);
    json_text(j, "advice", t->rule->advice);
    json_text(j, "kernel", x->looks[t->kernel].name);
    json_text(j, "figure", t->figure);
    if (t->worst)
        put_line(j, "line", t->worst);
    json_real(j, "most", t->most);
    json_text(j, "sets", *t->sets ? t->sets : NULL);
    json_bool(j, "tried", t->gain > 0);
    json_text(j, "problem", t->problem);
    if (t->gain > 0) {
        json_real(j, "gain", t->gain);
        json_u64(j, "cycles", t->run->sum.cycles);
        json_bool(j, "other_results", t->other_results);
        json_open(j, "kernel_gains", '{');
        for (size_t i = 0; i < x->look_count; i++)
            if (!isnan(t->kernel_gain[i]))
                json_real(j, x->looks[i].name, t->kernel_gain[i]);
        json_close(j, '{');
    }
    json_close(j, '{');
}

void explain_json(const explain *x, const what_if *w, const char *command,
                  FILE *to)
{
    json j = json_document(to);

    json_text(&j, "command", command);
    json_u64(&j, "cycles", x->cycles);
    json_real(&j, "host_s", x->host_s);
    json_open(&j, "kernels", '[');
    for (size_t i = 0; i < x->look_count; i++)
        put_look(&j, &x->looks[i]);
    json_close(&j, '[');
    json_open(&j, "changes", '[');
    for (size_t i = 0; i < x->trial_count; i++)
        put_trial(&j, x, &x->trials[i]);
    json_close(&j, '[');
    if (w)
        what_if_json(w, &j);
    json_document_end(&j);
}
