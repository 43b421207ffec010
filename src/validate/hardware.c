/* src/validate/hardware.c - see hardware.h. */
#include "validate/hardware.h"

#include <math.h>
#include <string.h>

/* ---- Launches here ---- */

static void add_one(hardware *h, const char *name, const uint32_t grid[3],
                    const uint32_t block[3], bool timed, uint64_t cycles)
{
    hardware_launch *to;

    ARENA_GROW(h->mem, h->ours, h->count, h->room);
    to = &h->ours[h->count++];
    *to = (hardware_launch){
        .kernel = kernel_label_of(arena_strdup(h->mem, name), h->mem),
        .timed = timed,
        .cycles = cycles};
    memcpy(to->grid, grid, sizeof to->grid);
    memcpy(to->block, block, sizeof to->block);
}

static void add_launch(hardware *h, const report_launch *l)
{
    bool timed = !l->functional && l->status == ST_OK && !l->unfinished;

    if (!l->group) {
        add_one(h, l->kernel->name, l->grid, l->block, timed, l->cycles);
        return;
    }
    for (size_t i = 0; i < l->group->count; i++) {
        const report_part *p = &l->group->part[i];

        add_one(h, p->kernel->name, p->grid, p->block, timed, p->cycles);
    }
}

void hardware_add(hardware *h, const report_program *p)
{
    for (size_t i = 0; i < p->process_count; i++)
        for (size_t k = 0; k < p->processes[i].launch_count; k++)
            add_launch(h, &p->processes[i].launches[k]);
}

/* ---- Cycles of the device ---- */

/* NAN: there is nothing to make them of. */
static double cycles_there(const hardware *h, const profile_launch *l)
{
    double clock = isnan(l->clock_hz) ? h->clock_hz : l->clock_hz;

    if (isnan(l->cycles))
        return l->time_s * clock;
    return h->theirs->of_all_sms ? l->cycles / h->sms : l->cycles;
}

status hardware_check(const hardware *h, diag *dg)
{
    const profile *p = h->theirs;

    for (size_t i = 0; i < p->count; i++) {
        const profile_launch *l = &p->launches[i];

        if (!isnan(cycles_there(h, l)) || isnan(l->time_s))
            continue;
        diag_add(dg, DIAG_ERROR, p->path, l->line, 0, 0,
                 "the launch has a duration, but no cycles and no clock: say "
                 "the clock of the device, as in --clock 1380MHz, or measure "
                 "cycles");
        return ST_USAGE;
    }
    return ST_OK;
}

/* ---- Rows ---- */

/* Of a row while it is made. */
typedef struct making {
    truth_row *is;
    uint64_t launches;
} making;

typedef struct matcher {
    hardware *h;
    validate *v;
    truth *of;
    making *rows; /* of each row of `v` */
    size_t room, making_room;
} matcher;

static bool fits(const hardware_launch *ours, const profile_launch *theirs)
{
    return !ours->taken && kernel_label_equal(&ours->kernel, &theirs->kernel) &&
           (!theirs->shaped ||
            (!memcmp(ours->grid, theirs->grid, sizeof ours->grid) &&
             !memcmp(ours->block, theirs->block, sizeof ours->block)));
}

static const char *name_of(const kernel_label *k, arena *mem)
{
    return k->arguments ? arena_printf(mem, "%s%s", k->base, k->arguments)
                        : k->base;
}

/* The number of the row of all launches of a kernel that have a value, or have
 * none for the same reason; SIZE_MAX: there is none. */
static size_t find_row(const matcher *m, const char *kernel, const char *why)
{
    for (size_t i = 0; i < m->v->count; i++)
        if (m->v->rows[i].why == why &&
            !strcmp(m->v->rows[i].is->kernel, kernel))
            return i;
    return SIZE_MAX;
}

/* A row of no cycles. */
static size_t new_row(matcher *m, const char *name, const char *why)
{
    validate *v = m->v;
    truth_row *is = ARENA_NEW(v->mem, truth_row);

    ARENA_GROW(v->mem, m->rows, v->count, m->making_room);
    ARENA_GROW(v->mem, v->rows, v->count, m->room);
    *is = (truth_row){.name = name,
                      .kernel = name,
                      .gpu = m->h->gpu,
                      .metric = "cycles",
                      .unit = "cycles",
                      .scale = 1,
                      .source = m->h->theirs->tool,
                      .class = "",
                      .input = TRUTH_SAME};
    m->rows[v->count] = (making){is, 0};
    v->rows[v->count] = (validate_row){m->of, is, 0, why};
    return v->count++;
}

/* Adds `n` launches of `theirs` and, of all of them together, `ours` cycles. */
static void add_to_row(matcher *m, const profile_launch *l, uint64_t n,
                       double ours, const char *why)
{
    arena *mem = m->v->mem;
    const char *kernel = name_of(&l->kernel, mem);
    bool single = !m->h->by_kernel && !why;
    size_t i = single ? SIZE_MAX : find_row(m, kernel, why);

    if (i == SIZE_MAX)
        i = new_row(m, kernel, why);
    if (single)
        m->rows[i].is->name =
            arena_printf(mem, "%s at line %u", kernel, l->line);
    m->rows[i].is->value += cycles_there(m->h, l) * (double)n;
    m->rows[i].launches += n;
    m->v->rows[i].ours += ours;
}

static const char not_timed[] = "its launch here was not timed, or failed";
static const char not_launched[] = "nothing was launched here of that kernel, "
                                   "grid and block, or less often";

/* What of a launch, or of several that were summed, was launched here. */
static void match_launch(matcher *m, const profile_launch *l)
{
    hardware *h = m->h;
    uint64_t found = 0;
    double cycles = 0;
    bool timed = true;

    for (size_t i = 0; i < h->count && found < l->count; i++) {
        hardware_launch *o = &h->ours[i];

        if (!fits(o, l))
            continue;
        o->taken = true;
        timed &= o->timed;
        cycles += (double)o->cycles;
        found++;
    }
    if (found && timed)
        add_to_row(m, l, found, cycles, NULL);
    else if (found)
        add_to_row(m, l, found, 0, not_timed);
    if (found < l->count)
        add_to_row(m, l, l->count - found, 0, not_launched);
}

static void note_unmatched(const matcher *m)
{
    const hardware *h = m->h;

    for (size_t i = 0; i < h->count; i++) {
        uint64_t n = 0;
        bool first = true;

        if (h->ours[i].taken)
            continue;
        for (size_t k = 0; k < h->count; k++)
            if (!h->ours[k].taken &&
                !strcmp(h->ours[k].kernel.name, h->ours[i].kernel.name)) {
                n++;
                first &= k >= i;
            }
        if (first)
            validate_note(m->v, "only here: %s, %llu %s",
                          h->ours[i].kernel.name, (unsigned long long)n,
                          n == 1 ? "launch" : "launches");
    }
}

static void note_profile(const matcher *m, size_t without)
{
    const profile *p = m->h->theirs;

    if (without)
        validate_note(m->v,
                      "%s: %zu launches have neither cycles nor a "
                      "duration and are left out",
                      p->path, without);
    if (p->passed_over)
        validate_note(m->v,
                      "%s: %zu lines are no rows of its tables and were passed "
                      "over",
                      p->path, p->passed_over);
    if (p->of_all_sms)
        validate_note(m->v,
                      "%s: elapsed_cycles_sm is the sum over all SMs; it is "
                      "divided by the %u of %s",
                      p->path, m->h->sms, m->h->gpu);
}

void hardware_match(hardware *h, validate *v)
{
    matcher m = {.h = h, .v = v, .of = ARENA_NEW(v->mem, truth)};
    size_t without = 0;

    *m.of = (truth){.path = h->theirs->path,
                    .name = h->theirs->path,
                    .about = "",
                    .device = h->theirs->tool};
    for (size_t i = 0; i < h->theirs->count; i++) {
        const profile_launch *l = &h->theirs->launches[i];

        if (isnan(cycles_there(h, l)))
            without++;
        else
            match_launch(&m, l);
    }
    for (size_t i = 0; i < v->count; i++) {
        if (v->rows[i].why)
            v->rows[i].ours = NAN;
        if (m.rows[i].launches > 1)
            m.rows[i].is->name =
                arena_printf(v->mem, "%s x%llu", m.rows[i].is->name,
                             (unsigned long long)m.rows[i].launches);
    }
    note_unmatched(&m);
    note_profile(&m, without);
}
