/* The report of a program for people: a table with a row for each kernel, the
 * longest kernels and the first launches in full, what went wrong, and sums. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "report/endless.h"
#include "report/failure.h"
#include "report/kernels.h"
#include "report/launch.h"
#include "report/program.h"
#include "report/sampled.h"
#include "report/stray.h"
#include "text/word.h"

enum { WIDTH_LEAST = 80, WIDTH_DEFAULT = 100, NAME_LEAST = 12, NAME_MOST = 48 };

/* ---- The table of kernels ---- */

typedef struct table {
    const kernel_sum *row;
    double time_s; /* of all */
    FILE *to;
} table;

static word cell_launches(const table *t)
{
    return word_grouped(t->row->count);
}

static word cell_timed(const table *t) { return word_grouped(t->row->timed); }

/* Short where it would not fit. */
static word short_number(uint64_t v, size_t width)
{
    word w = word_grouped(v);

    if (strlen(w.s) <= width)
        return w;
    w = word_count((double)v);
    w.s[strcspn(w.s, " ") + 2] = '\0';
    return w;
}

static word cell_insts(const table *t)
{
    return short_number(t->row->warp_insts, 13);
}

/* Those that were not timed, too, if their cycles are guessed: "~". */
static word cell_cycles(const table *t)
{
    const kernel_sum *k = t->row;
    word is, all;

    if (!k->timed)
        return (word){"-"};
    if (!k->guess.launches && !k->guess.in_parts)
        return short_number(k->sum.cycles, 13);
    all = short_number((uint64_t)kernel_cycles(k->sum.cycles, &k->guess), 12);
    snprintf(is.s, sizeof is.s, "~%.20s", all.s);
    return is;
}

static double time_of(const kernel_sum *k)
{
    return k->f.time_s + k->guess.time_s;
}

static word cell_time(const table *t)
{
    return t->row->timed ? word_duration(time_of(t->row)) : (word){"-"};
}

static word cell_share(const table *t)
{
    return t->row->timed ? word_percent(time_of(t->row) / t->time_s)
                         : (word){"-"};
}

static word cell_ipc(const table *t)
{
    return t->row->timed ? word_real(t->row->f.ipc, 2) : (word){"-"};
}

static word cell_occupancy(const table *t)
{
    return t->row->timed ? word_percent(t->row->f.occupancy) : (word){"-"};
}

static word cell_lanes(const table *t) { return word_percent(t->row->lanes); }

static word cell_l1(const table *t)
{
    return t->row->timed ? word_percent(t->row->f.level[LEVEL_L1].hit_rate)
                         : (word){"-"};
}

static word cell_l2(const table *t)
{
    return t->row->timed ? word_percent(t->row->f.level[LEVEL_L2].hit_rate)
                         : (word){"-"};
}

static word cell_dram(const table *t)
{
    return t->row->timed
               ? word_per_second(t->row->f.level[LEVEL_DRAM].bandwidth)
               : (word){"-"};
}

/* Columns by the width from which the table has them. */
static const struct {
    const char *title;
    unsigned width, from;
    word (*print)(const table *t);
} columns[] = {
    {"launches", 8, 0, cell_launches}, {"timed", 7, 0, cell_timed},
    {"warp insts", 13, 0, cell_insts}, {"cycles", 13, 0, cell_cycles},
    {"time", 8, 100, cell_time},       {"share", 7, 0, cell_share},
    {"IPC", 6, 0, cell_ipc},           {"occup.", 7, 90, cell_occupancy},
    {"lanes", 7, 130, cell_lanes},     {"L1 hit", 7, 120, cell_l1},
    {"L2 hit", 7, 120, cell_l2},       {"DRAM", 9, 110, cell_dram},
};

static unsigned name_width(unsigned width)
{
    unsigned used = 2;

    for (size_t i = 0; i < COUNTOF(columns); i++)
        if (width >= columns[i].from)
            used += columns[i].width + 1;
    used = width > used + NAME_LEAST ? width - used : NAME_LEAST;
    return used < NAME_MOST ? used : NAME_MOST;
}

static void print_row(const table *t, unsigned width, unsigned name)
{
    char text[NAME_MOST + 1];
    const char *s = t->row ? t->row->name : "kernel";
    size_t n = strlen(s);

    snprintf(text, sizeof text, "%.*s", (int)name, s);
    if (n > name) /* names may differ at their ends only */
        snprintf(text, sizeof text, "%.*s..%s", (int)(name / 2 - 1), s,
                 s + n - (name - name / 2 - 1));
    fprintf(t->to, "  %-*s", (int)name, text);
    for (size_t i = 0; i < COUNTOF(columns); i++)
        if (width >= columns[i].from)
            fprintf(t->to, " %*s", (int)columns[i].width,
                    t->row ? columns[i].print(t).s : columns[i].title);
    fputc('\n', t->to);
}

static unsigned gpu_at(const report_program *p, const kernel_sum *k)
{
    return k->sum.device < p->gpu_count ? k->sum.device : 0;
}

static void print_kernels(const report_program *p, const kernel_sums *all,
                          unsigned width, FILE *to)
{
    table t = {.time_s = all->time_s + all->guess.time_s, .to = to};
    unsigned name = name_width(width), last = UINT32_MAX;

    for (size_t i = 0; i < all->count; i++) {
        const kernel_sum *k = &all->row[i];
        unsigned gpu = gpu_at(p, k);
        const config *c = k->sum.cfg;

        if (gpu != last) {
            fprintf(to, "%s", i ? "\n" : "");
            if (p->gpu_count > 1)
                fprintf(to, "GPU %u: ", gpu);
            fprintf(to, "%s, %u SM%s at %.0f MHz\n", c->gpu.name, c->gpu.sms,
                    word_plural(c->gpu.sms), c->gpu.clock_khz / 1e3);
            t.row = NULL;
            print_row(&t, width, name);
        }
        last = gpu;
        t.row = k;
        print_row(&t, width, name);
    }
}

/* Which kernels are those of libraries that stand for the vendor's. */
static void print_own(const kernel_sums *all, FILE *to)
{
    static const char *const own[][2] = {{"heddle_blas_", "cuBLAS"},
                                         {"heddle_rand_", "cuRAND"}};

    for (size_t i = 0; i < COUNTOF(own); i++)
        for (size_t k = 0; k < all->count; k++)
            if (!strncmp(all->row[k].name, own[i][0], strlen(own[i][0]))) {
                fprintf(to,
                        "  (%s*: Heddle's own kernels in place of those of "
                        "%s, which take another time)\n",
                        own[i][0], own[i][1]);
                break;
            }
}

/* The sums of the kernels that took longest, in full. */
static void print_sums(const report_program *p, const kernel_sums *all,
                       FILE *to)
{
    size_t left = 0;

    fputc('\n', to);
    for (size_t i = 0; i < all->count; i++) {
        const kernel_sum *k = &all->row[i];
        char note[96];
        int n;

        if (!k->summed)
            continue;
        if (i >= p->kernels) {
            left++;
            continue;
        }
        n = snprintf(note, sizeof note, "%s%s launch%s",
                     word_grouped(k->summed).s, k->timed ? " timed" : "",
                     k->summed == 1 ? "" : "es together");
        if (p->gpu_count > 1)
            snprintf(note + n, sizeof note - (size_t)n, ", GPU %u",
                     gpu_at(p, k));
        launch_text(&p->options, &k->sum, note, to);
        if (k->profiled && k->profiled < k->summed)
            fprintf(to,
                    "(tables of %s launch%s; the others are of other "
                    "builds)\n\n",
                    word_grouped(k->profiled).s, k->profiled == 1 ? "" : "es");
    }
    if (left && p->kernels)
        fprintf(to, "(%s other kernel%s)\n\n", word_grouped(left).s,
                word_plural(left));
}

/* ---- Single launches ---- */

/* "launch 3 of 12, process 4711" */
static void note_of(const report_program *p, const report_process *o, size_t i,
                    char *text, size_t room)
{
    const report_launch *l = &o->launches[i];
    int n = snprintf(text, room, "launch %zu of %zu", i + 1, o->launch_count);

    if (p->process_count > 1)
        n += snprintf(text + n, room - (size_t)n, ", process %" PRIu32, o->pid);
    if (p->gpu_count > 1)
        n += snprintf(text + n, room - (size_t)n, ", GPU %u", l->device);
    if (l->functional)
        n += snprintf(text + n, room - (size_t)n, ", functional");
    if (l->unfinished)
        snprintf(text + n, room - (size_t)n, ", unfinished");
}

/* The first launches in full; of timed ones, if there are any. */
static void print_launches(const report_program *p, const kernel_sums *all,
                           FILE *to)
{
    size_t left = all->timed ? all->timed : all->launches, shown = 0;

    if (!p->detailed || !left)
        return;
    for (size_t i = 0; i < p->process_count; i++) {
        const report_process *o = &p->processes[i];

        for (size_t k = 0; k < o->launch_count && shown < p->detailed; k++) {
            char note[128];

            if (all->timed && !o->launches[k].totals)
                continue;
            note_of(p, o, k, note, sizeof note);
            launch_text(&p->options, &o->launches[k], note, to);
            shown++;
        }
    }
    if (shown < left)
        fprintf(to, "(%s other %slaunch%s; --launches all shows all)\n\n",
                word_grouped(left - shown).s, all->timed ? "timed " : "",
                left - shown == 1 ? "" : "es");
}

/* ---- What went wrong ---- */

static void print_process(const report_program *p, const report_process *o,
                          FILE *to)
{
    const char *path = o->program ? o->program : "?";
    const char *slash = strrchr(path, '/');

    if (p->process_count > 1)
        fprintf(to, "process %" PRIu32 " (%s): ", o->pid,
                slash ? slash + 1 : path);
}

/* Its lines, indented. */
static void print_error(const char *text, FILE *to)
{
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        fprintf(to, "  %.*s\n", (int)n, text);
    }
}

static void print_bad_launches(const report_program *p, const report_process *o,
                               FILE *to)
{
    for (size_t i = 0; i < o->launch_count; i++) {
        const report_launch *l = &o->launches[i];

        if (!l->unfinished && l->status == ST_OK)
            continue;
        print_process(p, o, to);
        fprintf(to, "launch %zu of '%s' ", i + 1, l->kernel->name);
        if (!l->unfinished)
            fprintf(to, "FAILED: %s\n", report_status(l->status));
        else
            fprintf(to, "DID NOT END: %s\n",
                    o->running ? "it still runs" : "its program ended first");
        if (l->error)
            print_error(l->error, to);
        if (l->unfinished && l->totals)
            launch_text(&p->options, l, "partial: until its program ended", to);
        else
            spin_text(&l->spins, "  ", to);
    }
}

/* A remark on how it ended; NULL: none. */
static const char *state_of(const report_program *p, const report_process *o)
{
    if (o->broken)
        return "what it sent could not be understood; the rest of it is "
               "missing here";
    if (o->running)
        return "still runs; what it launches from now on is missing here";
    if (!o->ended && (p->process_count > 1 || !p->signal))
        return "ended without a word: a crash, or _exit";
    return NULL;
}

/* Each place once. */
static void print_strays(const report_program *p, FILE *to)
{
    exec_strays all = report_program_strays(p);

    stray_text(&all, to);
    exec_strays_fini(&all);
}

static void print_troubles(const report_program *p, const kernel_sums *all,
                           FILE *to)
{
    bool badly = p->signal || p->exit_code || !all->launches || all->failed;

    for (size_t i = 0; i < p->process_count; i++) {
        const report_process *o = &p->processes[i];

        print_bad_launches(p, o, to);
        if (failures_matter(o, badly)) {
            print_process(p, o, to);
            failures_text(o, to);
        }
        for (size_t k = 0; k < o->note_count; k++) {
            print_process(p, o, to);
            fprintf(to, "note: %s\n", o->notes[k]);
        }
        if (state_of(p, o)) {
            print_process(p, o, to);
            fprintf(to, "%s\n", state_of(p, o));
        }
    }
    print_strays(p, to);
    if (p->signal)
        fprintf(to, "the program was ended by signal %d (%s)\n", p->signal,
                strsignal(p->signal));
    else if (p->exit_code)
        fprintf(to, "the program ended with exit status %d\n", p->exit_code);
}

/* ---- Sums ---- */

static void print_moved(const report_program *p, FILE *to)
{
    report_moved m = {0};

    for (size_t i = 0; i < p->process_count; i++) {
        m.read += p->processes[i].moved.read;
        m.written += p->processes[i].moved.written;
        m.copied += p->processes[i].moved.copied;
    }
    if (m.read || m.written || m.copied)
        fprintf(to, "transfers: %s written to the GPU, %s read, %s copied\n",
                word_bytes((double)m.written).s, word_bytes((double)m.read).s,
                word_bytes((double)m.copied).s);
}

/* What is not simulated in full, and what all would have taken. */
static void put_guess(const kernel_sums *all, FILE *to)
{
    const kernel_guess *g = &all->guess;

    if (!g->launches && !g->in_parts)
        return;
    fputs("sampled: ", to);
    if (g->launches)
        fprintf(to,
                "%s launch%s not timed, but charged what those like %s "
                "took%s",
                word_grouped(g->launches).s, g->launches == 1 ? "" : "es",
                g->launches == 1 ? "it" : "them", g->in_parts ? "; " : "");
    if (g->in_parts)
        fprintf(to, "%s launch%s timed in parts", word_grouped(g->in_parts).s,
                g->in_parts == 1 ? "" : "es");
    fputs(";\n  all: ", to);
    sampled_text(all->cycles, all->time_s, g, to);
    fputc('\n', to);
}

static void print_total(const report_program *p, const kernel_sums *all,
                        FILE *to)
{
    fprintf(to, "total: %s launch%s", word_grouped(all->launches).s,
            all->launches == 1 ? "" : "es");
    fprintf(to, " of %zu kernel%s", all->kernels, word_plural(all->kernels));
    if (p->process_count > 1)
        fprintf(to, " in %zu processes", p->process_count);
    if (all->functional)
        fprintf(to, ", %s functional", word_grouped(all->functional).s);
    if (all->failed)
        fprintf(to, ", %s FAILED", word_grouped(all->failed).s);
    fprintf(to, "\nsimulated: %s warp instructions",
            word_grouped(all->warp_insts).s);
    if (all->timed)
        fprintf(to, "; timed: %s cycles, %s", word_grouped(all->cycles).s,
                word_duration(all->time_s).s);
    fputc('\n', to);
    put_guess(all, to);
    if (all->energy_overflow)
        fputs("energy: more than 18 kJ, too much to be told\n", to);
    else if (all->energy_fj && all->time_s > 0)
        fprintf(to, "energy: %s, on average %s W, EDP %.3g J s\n",
                word_joules(energy_joules(all->energy_fj)).s,
                word_real(energy_joules(all->energy_fj) / all->time_s, 1).s,
                energy_joules(all->energy_fj) * all->time_s);
    print_moved(p, to);
    fprintf(to,
            "host: %.3g s, of them %.3g s in kernels at %swarp "
            "instructions/s, %u thread%s\n"
            "CPU:  %.3g s, with the program's own\n",
            p->seconds, all->host_seconds,
            word_count(all->host_seconds > 0
                           ? (double)all->warp_insts / all->host_seconds
                           : 0)
                .s,
            p->threads, word_plural(p->threads), p->cpu_seconds);
}

static void print_hashes(const report_program *p, FILE *to)
{
    for (size_t i = 0; i < p->process_count; i++) {
        const report_process *o = &p->processes[i];

        if (!o->has_hash)
            continue;
        print_process(p, o, to);
        fprintf(to, "hash: %016" PRIx64 "\n", o->hash);
    }
}

void report_program_text(const report_program *p, FILE *to)
{
    unsigned width = p->options.width ? p->options.width : WIDTH_DEFAULT;
    kernel_sums all;

    kernel_sums_make(&all, p);
    fprintf(to, "heddle: %s\n", p->command);
    if (!p->process_count)
        fprintf(to, "the program used neither OpenCL nor CUDA: %s\n",
                p->unused ? p->unused : "nothing asked for Heddle's driver");
    else if (!all.launches)
        fputs("the program launched no kernel\n", to);
    if (all.launches) {
        print_kernels(p, &all, width < WIDTH_LEAST ? WIDTH_LEAST : width, to);
        print_own(&all, to);
        print_sums(p, &all, to);
        print_launches(p, &all, to);
    }
    print_troubles(p, &all, to);
    if (all.launches)
        print_total(p, &all, to);
    else if (p->process_count)
        print_moved(p, to);
    print_hashes(p, to);
    kernel_sums_free(&all);
}
