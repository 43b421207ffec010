/* src/lab/compare_run.c - running the sides of a comparison, and adding up what
 * they launched; see compare.h. */
#include <string.h>

#include "base/must.h"
#include "lab/compare.h"
#include "report/kernels.h"

/* ---- Sums ---- */

/* Room for one more of `size` bytes each, in an arena: what was there is copied
 * when it is full. */
static void *grow(arena *mem, void *old, size_t count, size_t *room,
                  size_t size)
{
    void *more;

    if (count < *room)
        return old;
    *room = *room ? 2 * *room : 64;
    more = arena_alloc(mem, *room * size);
    if (count)
        memcpy(more, old, count * size);
    return more;
}

/* Counters come in the same order from every GPU of a kind, so the place where
 * it was the last time is looked at first. */
static compare_counter *counter(compare_sum *to, arena *mem, size_t hint,
                                stats_total_item t)
{
    char name[256];

    snprintf(name, sizeof name, "%s.%s", t.path, t.desc->id);
    if (hint < to->counter_count && !strcmp(to->counters[hint].name, name))
        return &to->counters[hint];
    for (size_t i = 0; i < to->counter_count; i++)
        if (!strcmp(to->counters[i].name, name))
            return &to->counters[i];
    to->counters = grow(mem, to->counters, to->counter_count, &to->counter_room,
                        sizeof *to->counters);
    to->counters[to->counter_count] = (compare_counter){
        arena_strdup(mem, name), arena_strdup(mem, t.desc->unit), 0};
    return &to->counters[to->counter_count++];
}

static compare_kernel *kernel(compare_sum *to, arena *mem, const char *name)
{
    for (size_t i = 0; i < to->kernel_count; i++)
        if (!strcmp(to->kernels[i].name, name))
            return &to->kernels[i];
    to->kernels = grow(mem, to->kernels, to->kernel_count, &to->kernel_room,
                       sizeof *to->kernels);
    to->kernels[to->kernel_count] =
        (compare_kernel){.name = arena_strdup(mem, name)};
    return &to->kernels[to->kernel_count++];
}

static void add_kernel(compare_sum *to, arena *mem, const kernel_sum *k)
{
    const report_launch *l = &k->sum;
    compare_kernel *one;

    if (!l->totals)
        return;
    one = kernel(to, mem, k->name);
    one->timed += k->timed;
    one->cycles += l->cycles;
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
    for (size_t i = 0; i < stats_total_count(l->stats); i++)
        counter(to, mem, i, stats_total_get(l->stats, i))->value +=
            l->totals[i];
}

void compare_sum_add(compare_sum *to, arena *mem, const report_program *p)
{
    kernel_sums all;

    kernel_sums_make(&all, p);
    to->launches += all.launches;
    to->failed += all.failed;
    to->timed += all.timed;
    for (size_t i = 0; i < all.count; i++)
        add_kernel(to, mem, &all.row[i]);
    kernel_sums_free(&all);
    for (size_t i = 0; i < p->process_count; i++) {
        to->has_hash |= p->processes[i].has_hash;
        to->memory_hash += p->processes[i].memory_hash;
    }
}

/* ---- Running ---- */

typedef struct keeper {
    compare_sum *sum;
    arena *mem;
} keeper;

static bool keep(void *arg, const suite_program *p, const char *const *argv,
                 const session_outcome *o)
{
    const keeper *k = arg;

    (void)p, (void)argv;
    compare_sum_add(k->sum, k->mem, session_outcome_get(o));
    return true;
}

/* The texts of the sum must live as long as the run: they are in an arena of
 * their own, since several workloads run at once. */
static void run_program(const compare_workload *w, const compare_side *side,
                        compare_run *out)
{
    suite_job job = side->job;
    keeper k = {&out->sum, arena_new()};

    MUST(k.mem != NULL);
    job.keep = keep;
    job.keep_arg = &k;
    job.keep_output = true;
    suite_run(w->suite, w->program, &job, &out->result);
    out->mem = k.mem;
}

void compare_run_one(const compare *c, size_t w, size_t s)
{
    const compare_workload *x = &c->workloads[w];
    compare_run *out = &x->runs[s];

    if (x->launch_file)
        compare_launch_file(x->launch_file, &c->sides[s], out);
    else
        run_program(x, &c->sides[s], out);
    out->done = out->result.verdict != SUITE_STOPPED;
}

void compare_fini(compare *c)
{
    for (size_t i = 0; i < c->count; i++)
        for (size_t s = 0; s < c->side_count; s++) {
            suite_result_fini(&c->workloads[i].runs[s].result);
            arena_free(c->workloads[i].runs[s].mem);
        }
}
