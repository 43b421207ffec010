/* src/study/measure.c - running a workload, and adding up what it launched; see
 * measure.h. */
#include <string.h>

#include "report/kernels.h"
#include "study/measure.h"

/* ---- Sums ---- */

/* Counters come in the same order from every GPU of a kind, so the place where
 * it was the last time is looked at first. */
static measure_counter *counter_of_total(measure_sum *to, arena *mem,
                                         size_t hint, stats_total_item t)
{
    char name[256];

    snprintf(name, sizeof name, "%s.%s", t.path, t.desc->id);
    if (hint < to->counter_count && !strcmp(to->counters[hint].name, name))
        return &to->counters[hint];
    for (size_t i = 0; i < to->counter_count; i++)
        if (!strcmp(to->counters[i].name, name))
            return &to->counters[i];
    ARENA_GROW(mem, to->counters, to->counter_count, to->counter_room);
    to->counters[to->counter_count] = (measure_counter){
        .name = arena_strdup(mem, name),
        .unit = arena_strdup(mem, t.desc->unit),
        .hist = t.desc->hist ? arena_printf(mem, "%s.%s", t.path, t.desc->hist)
                             : NULL,
        .from = t.desc->from};
    return &to->counters[to->counter_count++];
}

static measure_kernel *kernel(measure_sum *to, arena *mem, const char *name)
{
    for (size_t i = 0; i < to->kernel_count; i++)
        if (!strcmp(to->kernels[i].name, name))
            return &to->kernels[i];
    ARENA_GROW(mem, to->kernels, to->kernel_count, to->kernel_room);
    to->kernels[to->kernel_count] =
        (measure_kernel){.name = arena_strdup(mem, name)};
    return &to->kernels[to->kernel_count++];
}

static void add_to_kernel(measure_sum *to, arena *mem, const kernel_sum *k)
{
    const report_launch *l = &k->sum;
    measure_kernel *one;

    if (!l->totals)
        return;
    one = kernel(to, mem, k->name);
    one->timed += k->timed;
    one->cycles += l->cycles;
    one->warp_insts += l->warp_insts;
    one->time_s += k->f.time_s;
    to->cycles += l->cycles;
    to->time_s += k->f.time_s;
    to->warp_insts += l->warp_insts;
    to->thread_insts += l->thread_insts;
    for (unsigned i = 0; i < LEVELS; i++)
        if (k->f.level[i].id) {
            to->level[i] = k->f.level[i].name;
            to->bytes[i] += k->f.level[i].bytes;
        }
    to->energy_fj += k->f.energy.total_fj;
    to->too_much |=
        k->f.energy.overflow || to->energy_fj < k->f.energy.total_fj;
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        to->part_fj[i] += k->f.energy.part_fj[i];
    for (size_t i = 0; i < stats_total_count(l->stats); i++) {
        stats_total_item t = stats_total_get(l->stats, i);

        counter_of_total(to, mem, i, t)->value += l->totals[i];
    }
}

void measure_add(measure_sum *to, arena *mem, const report_program *p)
{
    kernel_sums all;

    kernel_sums_make(&all, p);
    to->launches += all.launches;
    to->failed += all.failed;
    to->timed += all.timed;
    for (size_t i = 0; i < all.count; i++)
        add_to_kernel(to, mem, &all.row[i]);
    kernel_sums_free(&all);
    for (size_t i = 0; i < p->process_count; i++) {
        to->has_hash |= p->processes[i].has_hash;
        to->memory_hash += p->processes[i].memory_hash;
    }
}

static measure_counter *counter_like(measure_sum *to, arena *mem, size_t hint,
                                     const measure_counter *c)
{
    if (hint < to->counter_count && !strcmp(to->counters[hint].name, c->name))
        return &to->counters[hint];
    for (size_t i = 0; i < to->counter_count; i++)
        if (!strcmp(to->counters[i].name, c->name))
            return &to->counters[i];
    ARENA_GROW(mem, to->counters, to->counter_count, to->counter_room);
    to->counters[to->counter_count] = *c;
    to->counters[to->counter_count].value = 0;
    return &to->counters[to->counter_count++];
}

void measure_merge(measure_sum *to, arena *mem, const measure_sum *from)
{
#define SUM(id, kind, unit, help) to->id += from->id;
#include "stats/sums.def"
#undef SUM
    for (unsigned i = 0; i < LEVELS; i++) {
        to->level[i] = from->level[i] ? from->level[i] : to->level[i];
        to->bytes[i] += from->bytes[i];
    }
    to->energy_fj += from->energy_fj;
    to->too_much |= from->too_much || to->energy_fj < from->energy_fj;
    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        to->part_fj[i] += from->part_fj[i];
    for (size_t i = 0; i < from->counter_count; i++)
        counter_like(to, mem, i, &from->counters[i])->value +=
            from->counters[i].value;
    for (size_t i = 0; i < from->kernel_count; i++) {
        const measure_kernel *k = &from->kernels[i];
        measure_kernel *one = kernel(to, mem, k->name);

        one->timed += k->timed;
        one->cycles += k->cycles;
        one->warp_insts += k->warp_insts;
        one->time_s += k->time_s;
    }
    to->has_hash |= from->has_hash;
    to->memory_hash += from->memory_hash;
}

/* ---- Running ---- */

typedef struct keeper {
    const workload *workload;
    const measure_side *side;
    measure_run *run;
    bool handed_over; /* the side's `keep` was called */
} keeper;

static bool keep_program_run(keeper *k, const report_program *p)
{
    const measure_side *side = k->side;

    k->handed_over = true;
    return !side->keep ||
           side->keep(side->keep_arg, side, k->workload, k->run, p);
}

/* What a shell would run. */
static const char *command_line(const suite_program *p, const char *const *argv,
                                arena *mem)
{
    const char *all = argv[0];

    if (p->shell)
        return arena_strdup(mem, argv[2]);
    for (size_t i = 1; argv[i]; i++)
        all = arena_printf(mem, "%s %s", all, argv[i]);
    return arena_strdup(mem, all);
}

static unsigned threads_of(const measure_side *side)
{
    unsigned n = side->job.setup->rt.threads;

    return n ? n : 1;
}

static bool measure_outcome(void *arg, const suite_program *p,
                            const char *const *argv, const session_outcome *o)
{
    keeper *k = arg;
    report_program all = *session_outcome_get(o);

    all.command = command_line(p, argv, k->run->mem);
    all.threads = threads_of(k->side);
    all.gpus = k->side->gpus;
    all.gpu_count = k->side->gpu_count;
    measure_add(&k->run->sum, k->run->mem, &all);
    return keep_program_run(k, &all);
}

/* The texts of the sum must live as long as the run: they are in an arena of
 * their own, since several workloads run at once. */
static void run_program(keeper *k)
{
    suite_job job = k->side->job;

    job.keep = measure_outcome;
    job.keep_arg = k;
    job.keep_output = true;
    job.size = k->workload->size;
    job.draw = k->side->draw;
    suite_run(k->workload->suite, k->workload->program, &job, &k->run->result);
}

static void not_kept(suite_result *r)
{
    r->verdict = SUITE_FAIL;
    r->why = "its results could not be written";
}

void measure(const workload *w, const measure_side *side, measure_run *out)
{
    keeper k = {w, side, out, false};
    report_program all;

    out->mem = arena_new();
    if (!w->program) {
        measure_launching *l = measure_launches(w, side, out, &all);

        all.threads = threads_of(side);
        if (!keep_program_run(&k, &all))
            not_kept(&out->result);
        measure_launches_free(l);
    } else {
        run_program(&k);
    }
    if (!k.handed_over && !keep_program_run(&k, NULL))
        not_kept(&out->result);
    out->done = out->result.verdict != SUITE_STOPPED;
}

void measure_fini(measure_run *r)
{
    suite_result_fini(&r->result);
    arena_free(r->mem);
}
