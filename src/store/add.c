/* src/store/add.c - studies and runs become rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/must.h"
#include "base/version.h"
#include "cost/cost.h"
#include "report/kernels.h"
#include "report/record.h"
#include "report/stray.h"
#include "report/timeline.h"
#include "stats/sums.h"
#include "store/store_impl.h"

enum { OUTPUT_MOST = 1 << 20 }; /* bytes of standard output that are kept */

/* Numbers of the names of a registry's totals, looked up when needed. */
typedef struct total_names {
    const stats *of;
    int64_t *number;
    struct total_names *next;
} total_names;

/* A run being added; after an error nothing more is. */
typedef struct adder {
    store *s;
    const store_run *r;
    int64_t run;
    bool bad;
    total_names *names;
    int64_t part[ENERGY_PARTS]; /* numbers of energy.<part>, 0: not yet */
} adder;

/* ---- Small things ---- */

static void unique_id(char *out) /* 32 digits */
{
    uint64_t v[2];
    ssize_t got = getrandom(v, sizeof v, 0);

    MUST(got == (ssize_t)sizeof v);
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)v[0],
             (unsigned long long)v[1]);
}

static void utc(double seconds, char out[32])
{
    time_t t = (time_t)seconds;
    struct tm tm;

    if (!gmtime_r(&t, &tm) || !strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm))
        strcpy(out, "1970-01-01T00:00:00Z");
}

/* Runs a statement. FIND gives its first column, 0 without a row; PUT that, or
 * the number of the row that was added; 0 after an error. */
#define RUN(a, which, types, ...)                                              \
    ((a)->bad ? SQLITE_ERROR                                                   \
              : store_put((a)->s, KEPT_##which, types, __VA_ARGS__))
#define FIND(a, which, types, ...)                                             \
    find_row(a, KEPT_##which, RUN(a, which, types, __VA_ARGS__))
#define PUT(a, which, types, ...)                                              \
    put_row(a, KEPT_##which, RUN(a, which, types, __VA_ARGS__))

#define PUT_CELLS(a, which, cell, n)                                           \
    put_row(a, KEPT_##which,                                                   \
            (a)->bad ? SQLITE_ERROR                                            \
                     : store_put_cells((a)->s, KEPT_##which, cell, n))

/* Cells. A number that is KNOWN is not 0. */
#define TEXT(column, v)    ((store_cell){column, 't', (v), 0, 0})
#define NUMBER(column, v)  ((store_cell){column, 'u', NULL, (uint64_t)(v), 0})
#define INTEGER(column, v) ((store_cell){column, 'i', NULL, (uint64_t)(v), 0})
#define REAL(column, v)    ((store_cell){column, 'r', NULL, 0, (v)})
#define KNOWN(column, v)   ((v) ? NUMBER(column, v) : REAL(column, NAN))

/* The columns of what is charged; null where all is simulated in full. */
#define SAMPLED(timed, guess)                                                  \
    KNOWN("sampled", (guess)->launches + (guess)->in_parts),                   \
        REAL("estimated_cycles",                                               \
             is_sampled(guess) ? kernel_cycles(timed, guess) : NAN),           \
        REAL("half_interval_95",                                               \
             is_sampled(guess) ? kernel_cycles_error(timed, guess) : NAN)

static bool is_sampled(const kernel_guess *g)
{
    return g->launches || g->in_parts;
}

static int64_t find_row(adder *a, kept which, int rc)
{
    if (rc == SQLITE_ROW)
        return store_got(a->s, which);
    a->bad |= rc != SQLITE_DONE;
    return 0;
}

static int64_t put_row(adder *a, kept which, int rc)
{
    if (rc == SQLITE_DONE)
        return store_added(a->s);
    return find_row(a, which, rc);
}

/* Those of stats/sums.def. */
#define SUM_COUNT   NUMBER
#define SUM_SECONDS REAL

/* ---- Configurations ---- */

static void origin_text(const config_sheet *sheet, const config_param *p,
                        strbuf *out)
{
    config_origin o;

    out->size = 0;
    if (!sheet) {
        strbuf_puts(out, "not known");
        return;
    }
    o = config_sheet_origin(sheet, p);
    if (o.kind == CONFIG_FROM_FILE)
        strbuf_printf(out, "%s:%u:%u", o.file, o.line, o.column);
    else
        strbuf_puts(out, o.file ? o.file : "default");
}

/* Of all values and their origins. */
static void config_id(const config *cfg, const config_sheet *sheet, char *out)
{
    strbuf all = {0}, from = {0};

    for (size_t i = 0; i < config_param_count(); i++) {
        const config_param *p = config_param_get(i);

        strbuf_printf(&all, "%s: ", p->path);
        config_value(cfg, p, &all);
        origin_text(sheet, p, &from);
        strbuf_printf(&all, "\t%s\n", from.text);
    }
    snprintf(out, 33, "%016llx%016llx",
             (unsigned long long)hash_bytes(all.text, all.size, 1),
             (unsigned long long)hash_bytes(all.text, all.size, 2));
    strbuf_fini(&all);
    strbuf_fini(&from);
}

static int64_t add_config(adder *a, const config *cfg,
                          const config_sheet *sheet)
{
    strbuf value = {0}, from = {0};
    char id[33];
    int64_t number;

    config_id(cfg, sheet, id);
    number = FIND(a, FIND_CONFIG, "t", id);
    if (number || a->bad)
        return number;
    number = PUT(a, ADD_CONFIG, "t", id);
    for (size_t i = 0; i < config_param_count() && !a->bad; i++) {
        const config_param *p = config_param_get(i);
        int64_t parameter = store_parameter(a->s, p->path,
                                            *p->unit ? p->unit : NULL, p->help),
                origin;

        value.size = 0;
        strbuf_puts(&value, "");
        config_value(cfg, p, &value);
        origin_text(sheet, p, &from);
        origin = store_origin(a->s, from.text);
        a->bad |= !parameter || !origin;
        PUT(a, ADD_VALUE, "iiti", number, parameter, value.text, origin);
    }
    strbuf_fini(&value);
    strbuf_fini(&from);
    return number;
}

static void add_devices(adder *a, const report_program *p)
{
    for (size_t i = 0; i < p->gpu_count && !a->bad; i++) {
        const config_sheet *sheet = a->r->sheets ? a->r->sheets[i] : NULL;
        int64_t number = add_config(a, p->gpus[i].cfg, sheet);

        PUT(a, ADD_DEVICE, "iiti", a->run, (int64_t)i, p->gpus[i].name, number);
    }
}

/* ---- Counters ---- */

static int64_t *names_of(adder *a, const stats *st)
{
    total_names *n = a->names;

    while (n && n->of != st)
        n = n->next;
    if (!n) {
        n = new_array(1, sizeof *n);
        *n = (total_names){st, new0(stats_total_count(st) + 1, sizeof(int64_t)),
                           a->names};
        MUST(n->number != NULL);
        a->names = n;
    }
    return n->number;
}

static void forget_names(adder *a)
{
    while (a->names) {
        total_names *n = a->names;

        a->names = n->next;
        free(n->number);
        free(n);
    }
}

static int64_t counter_name(adder *a, int64_t *known, stats_total_item t)
{
    char path[256];

    if (*known)
        return *known;
    snprintf(path, sizeof path, "%s.%s", t.path, t.desc->id);
    *known = store_name(a->s, path, t.desc->unit, "counter", t.desc->help);
    a->bad |= !*known;
    return *known;
}

static int64_t part_name(adder *a, unsigned part)
{
    const energy_part_desc *d = &energy_part_table[part];
    char path[64];

    if (a->part[part])
        return a->part[part];
    snprintf(path, sizeof path, "energy.%s", d->name);
    a->part[part] = store_name(a->s, path, "J", "energy", d->help);
    a->bad |= !a->part[part];
    return a->part[part];
}

/* Bins that are not empty. */
static void add_histograms(adder *a, int64_t kernel, const report_launch *l)
{
    stats_hist h = {0};

    while (!a->bad && stats_hist_next(l->stats, &h)) {
        char path[256];
        int64_t name;

        snprintf(path, sizeof path, "%s.%s", h.path, h.bin->hist);
        name = store_name(a->s, path, h.bin->of, "histogram", h.bin->help);
        a->bad |= !name;
        for (size_t i = 0; i < h.bins && !a->bad; i++) {
            bool last = i + 1 == h.bins;
            uint64_t n = l->totals[h.first + i];

            if (n && last)
                PUT(a, ADD_HIST, "iiunu", kernel, name, h.bin[i].from, n);
            else if (n)
                PUT(a, ADD_HIST, "iiuuu", kernel, name, h.bin[i].from,
                    h.bin[i + 1].from, n);
        }
    }
}

/* All that is not 0, of a launch or a kernel. */
static void add_counters(adder *a, kept which, int64_t of,
                         const report_launch *l, const energy *e)
{
    int64_t *known = names_of(a, l->stats);
    size_t n = stats_total_count(l->stats);

    for (size_t i = 0; i < n && !a->bad; i++) {
        stats_total_item t = stats_total_get(l->stats, i);
        int64_t name;

        if (!l->totals[i] || t.desc->hist)
            continue;
        name = counter_name(a, &known[i], t);
        a->bad |= store_put(a->s, which, "iiu", of, name, l->totals[i]) !=
                  SQLITE_DONE;
    }
    for (unsigned i = 0; i < ENERGY_PARTS && !e->overflow && !a->bad; i++)
        if (e->part_fj[i])
            a->bad |= store_put(a->s, which, "iir", of, part_name(a, i),
                                energy_joules(e->part_fj[i])) != SQLITE_DONE;
}

static double joules(const energy *e, bool timed)
{
    return timed && !e->overflow ? energy_joules(e->total_fj) : NAN;
}

/* ---- Launches ---- */

static void add_series(adder *a, int64_t launch, const energy_series *is)
{
    for (size_t i = 0; i < is->count && !a->bad; i++) {
        const energy_sample *x = &is->row[i];

        for (unsigned k = 0; k < ENERGY_PARTS && !x->energy.overflow; k++)
            if (x->energy.part_fj[k])
                PUT(a, ADD_SERIES, "iiur", launch, part_name(a, k),
                    x->start + x->energy.cycles,
                    energy_joules(x->energy.part_fj[k]));
    }
}

/* SM 0 has a row for every step, which gives the ends of all steps. */
static void add_warps(adder *a, int64_t launch, const stats_series *s)
{
    for (size_t i = 0; i < s->blocks && !a->bad; i++) {
        char path[32];
        int64_t name;

        snprintf(path, sizeof path, "sm[%zu].warps", i);
        name = store_name(a->s, path, "warp", "occupancy",
                          "resident warps, summed over cycles");
        a->bad |= !name;
        for (size_t k = 0; k < s->count && !a->bad; k++)
            if (!i || s->value[k * s->blocks + i])
                PUT(a, ADD_SERIES, "iiuu", launch, name, s->end[k],
                    s->value[k * s->blocks + i]);
    }
}

/* Cells of a row of the record; returns how many. */
static size_t record_cells(const record_values *v, record_id id,
                           char names[][64], store_cell *out)
{
    const record_row *r = &record_rows[id];
    const record_value *x = &v->of[id];
    bool three = r->kind == RECORD_TRIPLE;

    for (unsigned i = 0; i < (three ? 3 : 1); i++) {
        snprintf(names[i], sizeof names[i], "%.*s%s", record_sql_name(r),
                 r->sql, three ? record_triple[i] : "");
        out[i] = three ? NUMBER(names[i], x->triple[i])
                       : (store_cell){names[i], record_letter(r->kind), x->text,
                                      x->count, record_real(v, r)};
    }
    return three ? 3 : 1;
}

static int64_t put_launch(adder *a, uint32_t pid, size_t seq,
                          const record_values *v)
{
    enum { MOST = 3 + 3 * RECORD_ROWS };
    store_cell cell[MOST] = {NUMBER("run", a->run), NUMBER("process", pid),
                             NUMBER("seq", seq)};
    char names[MOST][64];
    record_id row[RECORD_ROWS];
    size_t rows = record_sql_rows(row), n = 3;

    for (size_t i = 0; i < rows; i++)
        n += record_cells(v, row[i], &names[n], &cell[n]);
    return PUT_CELLS(a, ADD_LAUNCH, cell, n);
}

static void add_launch(adder *a, uint32_t pid, size_t seq, bool counters,
                       const report_launch *l)
{
    energy e = {.cycles = l->cycles, .clock_khz = l->cfg->gpu.clock_khz};
    record_values v;
    int64_t launch;

    counters &= l->totals != NULL;
    if (counters)
        energy_compute(l->cfg, l->stats, l->totals, l->cycles, &e);
    v = record_of(l, &(figures){.time_s = energy_seconds(&e), .energy = e});
    if (!counters)
        v.of[RECORD_energy_j].real = NAN;
    launch = put_launch(a, pid, seq, &v);
    if (counters)
        add_counters(a, KEPT_ADD_STAT, launch, l, &e);
    add_series(a, launch, &l->series);
    if (seq < STORE_LAUNCH_STATS)
        add_warps(a, launch, &l->warps);
}

/* Beyond the limits only those that failed. */
static void add_launch_rows(adder *a, const report_program *p)
{
    const store_run *r = a->r;
    uint64_t most = r->launches ? r->launches : STORE_LAUNCHES, n = 0;

    for (size_t i = 0; i < p->process_count; i++)
        for (size_t k = 0; k < p->processes[i].launch_count && !a->bad; k++) {
            const report_launch *l = &p->processes[i].launches[k];
            bool failed = l->status != ST_OK || l->unfinished;

            if (n < most || failed)
                add_launch(a, p->processes[i].pid, k, n < r->launch_stats, l);
            n++;
        }
}

static void add_kernels(adder *a, const kernel_sums *all)
{
    for (size_t i = 0; i < all->count && !a->bad; i++) {
        const kernel_sum *k = &all->row[i];
        bool timed = k->sum.totals != NULL;
        const launch_sums is = {.launches = k->count,
                                .failed = k->failed,
                                .timed = k->timed,
                                .cycles = timed ? k->sum.cycles : 0,
                                .time_s = timed ? k->f.time_s : 0,
                                .warp_insts = k->sum.warp_insts,
                                .thread_insts = k->sum.thread_insts};
        const store_cell cell[] = {
            NUMBER("run", a->run), NUMBER("device", k->sum.device),
            TEXT("name", k->name),
#define SUM(id, kind, ...) SUM_##kind(#id, is.id),
#include "stats/sums.def"
#undef SUM
            REAL("energy_j", joules(&k->f.energy, timed)),
            SAMPLED(k->sum.cycles, &k->guess)};
        int64_t kernel = PUT_CELLS(a, ADD_KERNEL, cell, COUNTOF(cell));

        if (timed)
            add_counters(a, KEPT_ADD_KERNEL_STAT, kernel, &k->sum,
                         &k->f.energy);
        if (timed)
            add_histograms(a, kernel, &k->sum);
    }
}

/* ---- The run ---- */

/* Digits of the memory's contents; false: unknown. */
static bool memory_hash(const report_program *p, char out[17])
{
    uint64_t sum = 0;
    bool any = false;

    for (size_t i = 0; p && i < p->process_count; i++) {
        any |= p->processes[i].has_hash;
        sum += p->processes[i].memory_hash;
    }
    snprintf(out, 17, "%016llx", (unsigned long long)sum);
    return any;
}

/* Instructions are those of timed launches. */
static launch_sums sums_of(const kernel_sums *all)
{
    launch_sums is = {.launches = all->launches,
                      .failed = all->failed,
                      .timed = all->timed,
                      .cycles = all->cycles,
                      .time_s = all->time_s};

    for (size_t i = 0; i < all->count; i++)
        if (all->row[i].sum.totals) {
            is.warp_insts += all->row[i].sum.warp_insts;
            is.thread_insts += all->row[i].sum.thread_insts;
        }
    return is;
}

static void add_run(adder *a, const char *id, const kernel_sums *all)
{
    const store_run *r = a->r;
    const report_program *p = r->program;
    const launch_sums is = sums_of(all);
    char started[32], hash[17];
    struct utsname host;

    utc(r->started, started);
    uname(&host);
    const store_cell cell[] = {
        TEXT("id", id),
        TEXT("workload", r->workload),
        TEXT("size", r->size),
        TEXT("status", r->status),
        TEXT("why", r->why),
        INTEGER("exit_code", r->exit_code),
        INTEGER("signal", r->signal),
        TEXT("started", started),
        REAL("wall_s", r->wall_s),
        REAL("cpu_s", r->cpu_s > 0 ? r->cpu_s : NAN),
        KNOWN("max_rss", r->max_rss),
        KNOWN("threads", p ? p->threads : 0),
        TEXT("version", version_text),
        TEXT("build", r->build ? r->build : ""),
        TEXT("host", host.nodename),
        TEXT("command", r->command),
        TEXT("memory_hash", memory_hash(p, hash) ? hash : NULL),
#define SUM(id, kind, ...) SUM_##kind(#id, is.id),
#include "stats/sums.def"
#undef SUM
        REAL("energy_j", all->timed && !all->energy_overflow
                             ? energy_joules(all->energy_fj)
                             : NAN),
        KNOWN("storage_bits",
              p && p->gpu_count ? cost_total(p->gpus[0].cfg).bits : 0),
        SAMPLED(all->cycles, &all->guess)};

    a->run = PUT_CELLS(a, ADD_RUN, cell, COUNTOF(cell));
}

/* What was there of a run that is replaced. */
static void drop_run(adder *a)
{
    PUT(a, DROP_LAUNCHES, "i", a->run);
    PUT(a, DROP_KERNELS, "i", a->run);
    PUT(a, DROP_DEVICES, "i", a->run);
    PUT(a, DROP_ARTIFACTS, "i", a->run);
}

static void add_outside(adder *a, const report_program *p)
{
    exec_strays all = report_program_strays(p);
    strbuf text = {0};

    stray_lines(&all, &text);
    if (text.size)
        PUT(a, ADD_ARTIFACT, "itub", a->run, "outside", (uint64_t)text.size,
            text.text, text.size);
    strbuf_fini(&text);
    exec_strays_fini(&all);
}

static void add_timeline(adder *a, const report_program *p)
{
    strbuf text = {0};

    timeline_put(p, &text);
    if (text.size)
        PUT(a, ADD_ARTIFACT, "itub", a->run, "timeline", (uint64_t)text.size,
            text.text, text.size);
    strbuf_fini(&text);
}

static void add_all(adder *a, const char *id)
{
    static const report_program none;
    const store_run *r = a->r;
    const report_program *p = r->program ? r->program : &none;
    kernel_sums all;

    kernel_sums_make(&all, p);
    add_run(a, id, &all);
    add_devices(a, p);
    add_launch_rows(a, p);
    add_kernels(a, &all);
    if (r->output)
        PUT(a, ADD_ARTIFACT, "itub", a->run, "stdout", (uint64_t)r->output_size,
            r->output,
            r->output_size < OUTPUT_MOST ? r->output_size
                                         : (size_t)OUTPUT_MOST);
    if (r->tail && *r->tail)
        PUT(a, ADD_ARTIFACT, "itub", a->run, "tail", (uint64_t)strlen(r->tail),
            r->tail, strlen(r->tail));
    add_outside(a, p);
    add_timeline(a, p);
    if (r->waterfall)
        PUT(a, ADD_ARTIFACT, "itub", a->run, "waterfall",
            (uint64_t)r->waterfall_size, r->waterfall, r->waterfall_size);
    kernel_sums_free(&all);
    forget_names(a);
}

/* Its place; what was there before is somewhere else now. */
static void add_place(adder *a)
{
    const store_run *r = a->r;

    if (!r->study)
        return;
    PUT(a, DROP_POINT, "iu", r->study, r->number);
    PUT(a, ADD_POINT, "iuit", r->study, r->number, a->run, r->label);
    for (size_t i = 0; i < r->factor_count; i++)
        PUT(a, ADD_FACTOR, "iutt", r->study, r->number, r->factors[i].name,
            r->factors[i].value);
}

status store_add(store *s, const store_run *r, diag *dg)
{
    adder a = {.s = s, .r = r};
    char id[33];
    bool passed;
    status st = store_enter(s, dg);

    if (st != ST_OK)
        return st;
    if (!r->id)
        unique_id(id);
    a.run = FIND(&a, FIND_RUN, "t", r->id ? r->id : id);
    passed = a.run && sqlite3_column_int(s->kept[KEPT_FIND_RUN], 1);
    if (a.run && !passed)
        drop_run(&a);
    if (!passed && !a.bad)
        add_all(&a, r->id ? r->id : id);
    add_place(&a);
    if (a.bad)
        st = store_failed(s, dg);
    else
        return store_leave(s, true, dg);
    store_leave(s, false, dg);
    return st;
}

/* ---- Studies ---- */

status store_add_study(store *s, const store_study *t, diag *dg, int64_t *study)
{
    adder a = {.s = s};
    char uid[33], now[32];
    status st = store_enter(s, dg);
    int64_t got = 0;

    if (st != ST_OK)
        return st;
    if (t->uid)
        got = FIND(&a, FIND_STUDY, "t", t->uid);
    else
        unique_id(uid);
    utc((double)time(NULL), now);
    if (!got)
        got = PUT(&a, ADD_STUDY, "tttttttu", t->uid ? t->uid : uid, t->kind,
                  t->name, t->about, t->command, t->plan, now, t->places);
    if (!a.bad) {
        st = store_leave(s, true, dg);
        if (st == ST_OK)
            *study = got;
        return st;
    }
    st = store_failed(s, dg);
    store_leave(s, false, dg);
    return st;
}
