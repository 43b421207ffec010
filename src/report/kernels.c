#include "report/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"

/* Rows are found by name; those of one name, on several GPUs, form a chain. */
typedef struct finder {
    kernel_sums *s;
    strmap *by_name; /* name -> number of a row + 1 */
    size_t *next;    /* row -> number of the next row of its name + 1 */
    size_t room;
} finder;

static kernel_sum *add_kernel_sum(finder *f, const report_launch *l,
                                  size_t head)
{
    kernel_sums *s = f->s;

    if (s->count == f->room) {
        f->room = f->room ? 2 * f->room : 16;
        s->row = renew(s->row, f->room, sizeof *s->row);
        f->next = renew(f->next, f->room, sizeof *f->next);
    }
    kernel_sum *k = &s->row[s->count];
    *k = (kernel_sum){.name = l->kernel->name,
                      .sum = {.kernel = l->kernel,
                              .cfg = l->cfg,
                              .device = l->device,
                              .unfinished = true,
                              .functional = true}};
    f->next[s->count++] = head;
    strmap_put(f->by_name, k->name, (void *)(uintptr_t)s->count);
    s->kernels += !head;
    return k;
}

static kernel_sum *find_kernel_sum(const finder *f, const char *name,
                                   unsigned device, size_t *head)
{
    *head = (size_t)(uintptr_t)strmap_get(f->by_name, name);
    for (size_t i = *head; i; i = f->next[i - 1])
        if (f->s->row[i - 1].sum.device == device)
            return &f->s->row[i - 1];
    return NULL;
}

static kernel_sum *kernel_sum_of(finder *f, const report_launch *l)
{
    size_t head;
    kernel_sum *k = find_kernel_sum(f, l->kernel->name, l->device, &head);

    return k ? k : add_kernel_sum(f, l, head);
}

/* All that is not summed is that of the first launch. */
static void begin_sum(kernel_sum *k, const report_launch *l)
{
    report_launch *sum = &k->sum;

    report_sum_fini(&k->counters);
    k->counters.kernel = l->kernel;
    k->summed = k->profiled = 0;
    *sum = *l;
    sum->cycles = sum->warp_insts = sum->thread_insts = sum->ctas = 0;
    sum->estimated = sum->estimated_spread = sum->estimated_error = 0;
    sum->host_seconds = 0;
    sum->totals = sum->counters = NULL;
    sum->profile = NULL;
    sum->folded = NULL;
    sum->series = (energy_series){.row = NULL};
    sum->warps = (stats_series){.blocks = 0};
    sum->lines = NULL;
    sum->strays = (exec_strays){.count = 0};
    sum->spins = (exec_spins){.count = 0};
    sum->line_count = 0;
}

static void same_size(uint32_t *sum, const uint32_t *v)
{
    if (memcmp(sum, v, 3 * sizeof *v) != 0)
        sum[0] = 0;
}

/* Those of a group are of one kernel here: the group. */
static size_t launches_of(const report_launch *l)
{
    return l->group ? l->group->count : 1;
}

/* Rows can be added where the instructions are the same. */
static bool has_profile(const kernel_sum *k, const report_sum *s)
{
    return s->profile && s->kernel == k->counters.kernel;
}

static void add_to_sum(kernel_sum *k, const report_launch *l)
{
    report_launch *sum = &k->sum;

    if (k->summed)
        sum->group = NULL; /* parts of one group are not those of all */
    k->summed += launches_of(l);
    same_size(sum->grid, l->grid);
    same_size(sum->block, l->block);
    sum->cycles += l->cycles;
    sum->estimated += l->estimated;
    sum->estimated_spread = (uint64_t)llround(
        hypot((double)sum->estimated_spread, (double)l->estimated_spread));
    sum->estimated_error += l->estimated_error;
    sum->warp_insts += l->warp_insts;
    sum->thread_insts += l->thread_insts;
    sum->ctas += l->ctas;
    sum->host_seconds += l->host_seconds;
    report_sum_totals(&k->counters, l->stats, l->totals);
    k->profiled += report_sum_profile(&k->counters, l->kernel, l->profile) ||
                   (l->folded && has_profile(k, l->folded));
}

/* Counters of launches that were summed when they ended. */
static void add_folded(finder *f, const report_process *o)
{
    for (size_t i = 0; i < o->sum_count; i++) {
        const report_sum *s = o->sums[i];
        size_t head;
        kernel_sum *k = find_kernel_sum(f, s->name, s->device, &head);

        if (k) {
            report_sum_totals(&k->counters, s->stats, s->totals);
            report_sum_profile(&k->counters, s->kernel, s->profile);
        }
    }
}

void kernel_guess_add(kernel_guess *g, const report_launch *l)
{
    double spread = (double)l->estimated_spread;

    if (!l->estimated)
        return;
    *(report_launch_timed(l) ? &g->in_parts : &g->launches) += launches_of(l);
    g->cycles += (double)l->estimated;
    g->time_s += (double)l->estimated / (1e3 * (double)l->cfg->gpu.clock_khz);
    g->error += (double)l->estimated_error;
    g->variance += spread * spread;
}

double kernel_cycles(uint64_t timed, const kernel_guess *g)
{
    return (double)timed + g->cycles;
}

double kernel_cycles_error(uint64_t timed, const kernel_guess *g)
{
    double all = kernel_cycles(timed, g);

    return all > 0 ? 2 * sqrt(g->error * g->error + g->variance) / all : 0;
}

static void add_to_kernel_sum(kernel_sum *k, const report_launch *l)
{
    bool timed = report_launch_timed(l);

    kernel_guess_add(&k->guess, l);
    k->count += launches_of(l);
    k->failed += l->unfinished || l->status != ST_OK;
    k->functional += l->functional && !l->unfinished ? launches_of(l) : 0;
    k->warp_insts += l->warp_insts;
    k->thread_insts += l->thread_insts;
    k->host_seconds += l->host_seconds;
    if (l->unfinished || (k->timed && !timed))
        return; /* nothing to add, or what is timed counts alone */
    if (!k->summed || (timed && !k->timed))
        begin_sum(k, l);
    k->timed += timed ? launches_of(l) : 0;
    add_to_sum(k, l);
}

static int by_cycles(const void *a, const void *b)
{
    const kernel_sum *x = a, *y = b;

    if (x->sum.device != y->sum.device)
        return x->sum.device < y->sum.device ? -1 : 1;
    double m = kernel_cycles(x->sum.cycles, &x->guess),
           n = kernel_cycles(y->sum.cycles, &y->guess);

    if (m != n) /* whole numbers, but for guesses */
        return m > n ? -1 : 1;
    if (x->warp_insts != y->warp_insts)
        return x->warp_insts > y->warp_insts ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void sum_up(kernel_sums *s)
{
    for (size_t i = 0; i < s->count; i++) {
        kernel_sum *k = &s->row[i];

        k->sum.stats = k->counters.totals ? k->counters.stats : k->sum.stats;
        k->sum.totals = k->counters.totals;
        k->sum.profile = k->counters.profile;
        figures_compute(&k->sum, &k->f);
        k->lanes = (double)k->thread_insts / (32.0 * (double)k->warp_insts);
        s->launches += k->count;
        s->timed += k->timed;
        s->functional += k->functional;
        s->failed += k->failed;
        s->cycles += k->sum.cycles;
        s->warp_insts += k->warp_insts;
        s->energy_overflow |=
            k->f.energy.overflow ||
            __builtin_add_overflow(s->energy_fj, k->f.energy.total_fj,
                                   &s->energy_fj);
        s->time_s += k->f.time_s;
        s->guess.launches += k->guess.launches;
        s->guess.in_parts += k->guess.in_parts;
        s->guess.cycles += k->guess.cycles;
        s->guess.time_s += k->guess.time_s;
        s->guess.variance +=
            k->guess.variance + k->guess.error * k->guess.error;
        s->host_seconds += k->host_seconds;
    }
}

void kernel_sums_make(kernel_sums *s, const report_program *p)
{
    finder f = {.s = s, .by_name = strmap_new()};

    *s = (kernel_sums){.count = 0};
    for (size_t i = 0; i < p->process_count; i++)
        for (size_t k = 0; k < p->processes[i].launch_count; k++) {
            const report_launch *l = &p->processes[i].launches[k];

            add_to_kernel_sum(kernel_sum_of(&f, l), l);
        }
    for (size_t i = 0; i < p->process_count; i++)
        add_folded(&f, &p->processes[i]);
    sum_up(s);
    if (s->count)
        qsort(s->row, s->count, sizeof *s->row, by_cycles);
    strmap_free(f.by_name);
    free(f.next);
}

void kernel_sums_free(kernel_sums *s)
{
    for (size_t i = 0; i < s->count; i++)
        report_sum_fini(&s->row[i].counters);
    free(s->row);
}
