/* src/pages/page_run_kernels.c - what the kernels of a study did: slots,
 * memory, energy, power over time. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "pages/page_run.h"

enum { DRAWN = 16, TABLED = PAGE_RUN_KERNELS, SPARKS = 120 };

/* "spmv" where all kernels are of one workload. */
static const char *title_of(const page_study *y, const stored_kernels *k,
                            size_t i)
{
    for (size_t n = 0; n < k->count; n++)
        if (k->row[n].run != k->row[i].run)
            return strcmp(k->row[i].workload, k->row[i].name)
                       ? arena_printf(y->mem, "%s / %s", k->row[i].workload,
                                      k->row[i].name)
                       : k->row[i].name;
    return k->row[i].name;
}

/* ---- Where slots and joules went ---- */

static void put_slot_stacks(page *p, const page_study *y,
                            const stored_kernels *k)
{
    const char *names[FIGURE_STALLS_MAX + 1] = {"issued"};
    stack_group groups[DRAWN];
    size_t n = 0, parts = 1;

    for (size_t i = 0; i < k->count && n < DRAWN; i++) {
        const figures *f = &k->row[i].f;
        double *shares;
        stack_bar *bar;

        if (!f->slots)
            continue;
        for (parts = 1; parts <= f->stall_count; parts++)
            names[parts] = f->stalls[parts - 1].name;
        shares = ARENA_ARRAY(y->mem, double, parts);
        bar = ARENA_NEW(y->mem, stack_bar);
        shares[0] = word_share(f->issued, f->slots);
        for (size_t r = 1; r < parts; r++)
            shares[r] = word_share(f->stalls[r - 1].slots, f->slots);
        *bar = (stack_bar){k->row[i].gpu ? k->row[i].gpu : "", shares};
        groups[n++] = (stack_group){title_of(y, k, i), bar, 1};
    }
    if (n)
        chart_stack(p, &(stack){.is = {"Issue slots, used or lost",
                                       "of each kernel, in percent; a slot is "
                                       "lost for the nearest reason of any "
                                       "warp",
                                       "slots", "kernel"},
                                .parts = names,
                                .part_count = parts,
                                .first = true,
                                .colour = words_stall_colour,
                                .groups = groups,
                                .count = n});
}

/* Of the kernels that are drawn, where it is much. */
static void put_cold(page *p, const page_study *y, const stored_kernels *k)
{
    for (size_t i = 0; i < k->count && i < DRAWN; i++) {
        double share = k->row[i].f.cold.share;

        if (share >= FIGURE_COLD_SHOWN)
            page_note(p,
                      "%s: cold start: %s of the slots, but for no_warp, wait "
                      "for code or constants that an SM needs for the first "
                      "time; --warm 1 times the launch without.",
                      title_of(y, k, i), word_percent(share).s);
    }
}

static void put_joule_stacks(page *p, const page_study *y,
                             const stored_kernels *k)
{
    const char *names[ENERGY_PARTS];
    stack_group groups[DRAWN];
    size_t n = 0;

    for (unsigned i = 0; i < ENERGY_PARTS; i++)
        names[i] = energy_part_table[i].name;
    for (size_t i = 0; i < k->count && n < DRAWN; i++) {
        const energy *e = &k->row[i].f.energy;
        double *shares;
        stack_bar *bar;

        if (!e->total_fj || e->overflow)
            continue;
        shares = ARENA_ARRAY(y->mem, double, ENERGY_PARTS);
        bar = ARENA_NEW(y->mem, stack_bar);
        for (unsigned x = 0; x < ENERGY_PARTS; x++)
            shares[x] = word_share(e->part_fj[x], e->total_fj);
        *bar = (stack_bar){k->row[i].gpu ? k->row[i].gpu : "", shares};
        groups[n++] = (stack_group){title_of(y, k, i), bar, 1};
    }
    if (!n)
        return;
    page_section(p, "Energy");
    chart_stack(p,
                &(stack){.is = {"Energy by part", "of each kernel, in percent",
                                "energy-parts", "kernel"},
                         .parts = names,
                         .part_count = ENERGY_PARTS,
                         .colour = words_part_colour,
                         .groups = groups,
                         .count = n});
}

/* ---- Tables ---- */

static void put_percent(page *p, double share)
{
    page_number(p, 100 * share, "%s", word_percent(share).s);
}

/* Cycles of its launches, one after the other. */
static void put_launches(page *p, const page_study *y, const stored_kernel *k)
{
    double *cycles = ARENA_ARRAY(y->mem, double, SPARKS);
    size_t n = 0;
    store_query *q;

    if (k->timed < 2) {
        page_cell(p, "%s", "");
        return;
    }
    q = store_select(y->s, y->dg,
                     "SELECT cycles FROM launch WHERE run = ?1 AND device = ?2"
                     " AND kernel = ?3 AND NOT functional ORDER BY launch LIMIT"
                     " ?4",
                     "iiti", k->run, k->device, k->name, (int64_t)SPARKS);
    while (q && n < SPARKS && store_next(q, y->dg))
        cycles[n++] = store_real(q, 0);
    store_done(q);
    chart_spark(p, cycles, n,
                arena_printf(y->mem, "cycles of the first %zu launches", n));
}

static void put_kernel_row(page *p, const page_study *y, const stored_kernel *k,
                           double all_s)
{
    const energy *e = &k->f.energy;
    bool timed = k->timed && k->f.slots;
    double watts = timed ? energy_watts(e, e->total_fj) : NAN;

    if (k->failed)
        page_row_bad(p);
    page_cell(p, "%s", k->name);
    page_cell(p, "%s", k->workload);
    page_cell(p, "%s", k->gpu ? k->gpu : "-");
    page_number(p, (double)k->launches, "%s", word_grouped(k->launches).s);
    page_number(p, (double)k->cycles, "%s", word_grouped(k->cycles).s);
    put_percent(p, all_s > 0 ? k->time_s / all_s : NAN);
    page_number(p, timed ? k->f.ipc_sm : NAN, "%s",
                timed ? word_real(k->f.ipc_sm, 2).s : "-");
    put_percent(p, timed ? k->f.occupancy : NAN);
    put_percent(p, timed ? k->f.lanes : NAN);
    put_percent(p, timed ? word_share(k->f.issued, k->f.slots) : NAN);
    page_number(p, 1e3 * k->energy_j, "%s",
                isnan(k->energy_j) ? "-" : word_real(1e3 * k->energy_j, 3).s);
    page_number(p, watts, "%s", word_real(watts, 1).s);
    put_launches(p, y, k);
}

static void put_kernel_table(page *p, const page_study *y,
                             const stored_kernels *k, unsigned id)
{
    static const page_column columns[] = {
        {.name = "kernel"},
        {.name = "workload"},
        {.name = "GPU"},
        {.name = "launches", .number = true},
        {.name = "cycles", .number = true},
        {.name = "of all",
         .exact = "%",
         .number = true,
         .help = "share of the time"},
        {.name = "IPC/SM", .number = true},
        {.name = "occupancy",
         .exact = "%",
         .number = true,
         .help = "resident warps of active SMs, of the limit"},
        {.name = "lanes",
         .exact = "%",
         .number = true,
         .help = "share that executes"},
        {.name = "issued",
         .exact = "%",
         .number = true,
         .help = "share of issue slots"},
        {.name = "energy", .unit = "mJ", .number = true},
        {.name = "power", .unit = "W", .number = true},
        {.name = "course", .help = "cycles, one launch after the other"}};
    double all_s = 0;

    for (size_t i = 0; i < k->count; i++)
        all_s += k->row[i].time_s;
    page_table(p, "Every kernel, its launches together", "kernels", columns,
               13);
    for (size_t i = 0; i < k->count && i < TABLED; i++) {
        page_row_place(p, arena_printf(y->mem, "k%u-%zu", id, i));
        put_kernel_row(p, y, &k->row[i], all_s);
    }
    page_table_end(p);
    if (k->count > TABLED)
        page_note(p, "The %d of %zu kernels that took longest.", TABLED,
                  k->count);
}

static void put_level(page *p, const stored_kernel *k, const figure_level *v)
{
    page_cell(p, "%s", k->name);
    page_cell(p, "%s", k->workload);
    page_cell(p, "%s", v->name);
    page_number(p, (double)v->accesses, "%s", word_grouped(v->accesses).s);
    put_percent(p, v->hit_rate);
    page_number(p, (double)v->bytes, "%s", word_bytes((double)v->bytes).s);
    page_number(p, v->bandwidth / 1e9, "%s",
                word_real(v->bandwidth / 1e9, 1).s);
    put_percent(p, v->peak > 0 ? v->bandwidth / v->peak : NAN);
}

static void put_memory(page *p, const stored_kernels *k)
{
    static const page_column columns[] = {
        {.name = "kernel"},
        {.name = "workload"},
        {.name = "level"},
        {.name = "accesses", .number = true},
        {.name = "hit rate", .exact = "%", .number = true},
        {.name = "moved", .exact = "B", .number = true},
        {.name = "bandwidth", .unit = "GB/s", .number = true},
        {.name = "of peak", .exact = "%", .number = true}};

    page_section(p, "Memory");
    page_table(p, "Where bytes move", "memory", columns, 8);
    for (size_t i = 0; i < k->count && i < DRAWN; i++)
        for (unsigned l = 0; l < LEVELS && k->row[i].f.slots; l++)
            if (k->row[i].f.level[l].id && k->row[i].f.level[l].bytes)
                put_level(p, &k->row[i], &k->row[i].f.level[l]);
    page_table_end(p);
    if (k->count > DRAWN)
        page_note(p, "The %d kernels that took longest.", DRAWN);
}

static void put_access(page *p, const stored_kernel *k)
{
    const figures *f = &k->f;
    const figure_banks *b = &f->banks;

    page_cell(p, "%s", k->name);
    page_cell(p, "%s", k->workload);
    page_number(p, (double)f->tx_insts, "%s", word_grouped(f->tx_insts).s);
    page_number(p, f->tx_per_inst, "%s", word_real(f->tx_per_inst, 2).s);
    page_number(p, (double)b->accesses, "%s", word_grouped(b->accesses).s);
    page_number(p, b->passes_each, "%s", word_real(b->passes_each, 2).s);
    page_number(p, b->conflicts_each, "%s", word_real(b->conflicts_each, 2).s);
    put_percent(p, b->lost);
    put_percent(p, b->cycles);
}

/* What lanes that do not fit together cost. */
static void put_accesses(page *p, const stored_kernels *k)
{
    static const page_column columns[] = {
        {.name = "kernel"},
        {.name = "workload"},
        {.name = "accesses",
         .number = true,
         .help = "of warps, to global and local memory"},
        {.name = "transactions",
         .number = true,
         .help = "of lines, for such an access on average"},
        {.name = "shared",
         .number = true,
         .help = "accesses of warps to shared memory"},
        {.name = "passes",
         .number = true,
         .help = "of the shared memory, for such an access on average"},
        {.name = "conflicts",
         .number = true,
         .help = "passes that bank conflicts add to an access, on average"},
        {.name = "of passes",
         .exact = "%",
         .number = true,
         .help = "share of the passes that is lost to bank conflicts"},
        {.name = "of cycles",
         .exact = "%",
         .number = true,
         .help = "bank conflicts, of the cycles of SMs that had warps"}};

    page_table(p, "What an access takes", "accesses", columns, 9);
    for (size_t i = 0; i < k->count && i < DRAWN; i++)
        if (k->row[i].f.slots)
            put_access(p, &k->row[i]);
    page_table_end(p);
    if (k->count > DRAWN)
        page_note(p, "The %d kernels that took longest.", DRAWN);
}

void page_run_kernels(page *p, const page_study *y, const stored_kernels *k,
                      unsigned id)
{
    bool timed = false;

    if (!k->count)
        return;
    page_section(p, "Kernels");
    put_kernel_table(p, y, k, id);
    for (size_t i = 0; i < k->count; i++)
        timed |= k->row[i].f.slots > 0;
    if (!timed) {
        page_note(p, "No launch was timed.");
        return;
    }
    put_slot_stacks(p, y, k);
    put_cold(p, y, k);
    put_memory(p, k);
    put_accesses(p, k);
    put_joule_stacks(p, y, k);
}
