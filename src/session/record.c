#include "session/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/must.h"
#include "isa/object.h"

enum {
    LAUNCHES_MOST = 1 << 24, /* of a process: more is no program */
    NOTES_MOST = 1000,
    FAILURES_MOST = 32, /* kinds that are kept: the first half and the last */
    OPEN_MOST = 1000,   /* launches under way: one on each device, or two */
    ACTIVITIES_MOST = 1 << 20, /* that are kept, the first ones */
    PASSING_MOST = 64 << 10,   /* bytes */
};

typedef struct opened { /* a launch that has no result yet */
    uint64_t launch;
    gpu_progress now;
    msg_result sofar;  /* no totals: not received */
    report_part *part; /* those that have ended */
    size_t parts, room;
} opened;

typedef struct module {
    isa_program *program; /* NULL: not sent */
    sources *texts;
    strmap *kernels; /* name -> isa_kernel, where there is no program */
} module;

struct record {
    arena *mem, *passing; /* texts of messages, until there are many */
    const config *const *configs;
    stats **names; /* of each device, NULL: not received yet */
    unsigned device_count;
    map *modules; /* number -> module */
    module **all;
    size_t module_count;
    strmap *words; /* texts that recur */
    report_launch *launches;
    size_t count, room;
    uint64_t each, timed; /* launches that keep their counters; that have */
    strmap *sum_of;       /* kernel's name -> the last of its sums + 1 */
    report_sum **sums;
    size_t *next_sum; /* of each: the one before it of that name + 1 */
    size_t sum_count;
    opened *open;
    size_t open_count;
    uint64_t last; /* the last launch in any message */
    msg_hello hello;
    const char **notes;
    size_t note_count;
    report_failure failures[FAILURES_MOST]; /* own their texts */
    size_t failure_count;
    uint64_t failures_lost;
    report_activity *activities;
    size_t activity_count, activity_room;
    uint64_t activities_lost;
    session_transfers moved;
    msg_bye bye;
    bool ended;
};

record *record_new(const config *const *configs, unsigned device_count,
                   uint64_t each)
{
    record *r = new0(1, sizeof *r);

    r->mem = arena_new();
    r->passing = arena_new();
    r->configs = configs;
    r->device_count = device_count;
    r->names = new0(device_count, sizeof(stats *));
    r->modules = map_new();
    r->words = strmap_new();
    r->sum_of = strmap_new();
    r->each = each;
    return r;
}

static void opened_fini(opened *o)
{
    for (size_t i = 0; i < o->parts; i++)
        free(o->part[i].profile);
    free(o->part);
    msg_result_fini(&o->sofar);
}

static void failure_fini(report_failure *f)
{
    free((char *)f->function);
    free((char *)f->name);
    free((char *)f->text);
}

void record_free(record *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->failure_count; i++)
        failure_fini(&r->failures[i]);
    for (size_t i = 0; i < r->count; i++)
        report_launch_fini(&r->launches[i]);
    free(r->launches);
    for (size_t i = 0; i < r->sum_count; i++) {
        report_sum_fini(r->sums[i]);
        free(r->sums[i]);
    }
    free(r->sums);
    free(r->next_sum);
    strmap_free(r->sum_of);
    for (size_t i = 0; i < r->open_count; i++)
        opened_fini(&r->open[i]);
    free(r->open);
    for (size_t i = 0; i < r->module_count; i++) {
        isa_program_free(r->all[i]->program);
        sources_free(r->all[i]->texts);
        strmap_free(r->all[i]->kernels);
    }
    free(r->all);
    for (unsigned i = 0; r->names && i < r->device_count; i++)
        stats_free(r->names[i]);
    free(r->names);
    free(r->notes);
    free(r->activities);
    map_free(r->modules);
    strmap_free(r->words);
    arena_free(r->mem);
    arena_free(r->passing);
    free(r);
}

/* One copy of each text. */
static const char *word_of(record *r, const char *s)
{
    const char *known;

    if (!s)
        return NULL;
    known = strmap_get(r->words, s);
    if (known)
        return known;
    s = arena_strdup(r->mem, s);
    strmap_put(r->words, s, (void *)s);
    return s;
}

/* ---- Modules ---- */

static module *new_module(record *r, uint64_t number)
{
    module *m = ARENA_NEW(r->mem, module);

    m->kernels = strmap_new();
    r->all = renew(r->all, r->module_count + 1, sizeof(module *));
    r->all[r->module_count++] = m;
    map_put(r->modules, number, (uint64_t)(uintptr_t)m);
    return m;
}

static module *find_module(record *r, uint64_t number)
{
    uint64_t m;

    return map_get(r->modules, number, &m) ? (module *)(uintptr_t)m
                                           : new_module(r, number);
}

/* Compilers write "./x" or "x". */
static bool same_file(const char *a, const char *b)
{
    a += 2 * !strncmp(a, "./", 2);
    b += 2 * !strncmp(b, "./", 2);
    return !strcmp(a, b);
}

/* The texts that were sent; files of the host that were not are read. What is
 * the text of none of them is that of the program. */
static sources *texts_of(const isa_program *p, const msg_module *msg)
{
    sources *s = sources_new(p->files, p->file_count, NULL);

    for (size_t i = 0; i < msg->text_count; i++) {
        const char *text = msg->texts[i].text;
        bool found = false;

        for (uint32_t f = 0; f < p->file_count; f++)
            if (same_file(msg->texts[i].file, p->files[f])) {
                sources_put(s, f, text, strlen(text));
                found = true;
            }
        if (!found)
            sources_put_program(s, text, strlen(text));
    }
    return s;
}

static bool take_module(record *r, wire *w)
{
    msg_module msg;
    module *m;
    diag *dg;

    if (!msg_module_get(w, r->mem, &msg) ||
        map_get(r->modules, msg.number, &(uint64_t){0}))
        return false;
    m = new_module(r, msg.number);
    if (!msg.object_size)
        return true;
    dg = diag_new();
    status st =
        object_read(msg.name, msg.object, msg.object_size, dg, &m->program);
    diag_free(dg);
    if (st != ST_OK)
        return false;
    m->texts = texts_of(m->program, &msg);
    return true;
}

/* The kernel as the module has it, else what its launch says of it. */
static const isa_kernel *kernel_of(record *r, module *m, const msg_kernel *b)
{
    const isa_kernel *k =
        m->program ? isa_program_kernel(m->program, b->name) : NULL;
    isa_kernel *own;

    if (k || (k = strmap_get(m->kernels, b->name)))
        return k;
    own = ARENA_NEW(r->mem, isa_kernel);
    *own = (isa_kernel){.name = word_of(r, b->name),
                        .bank0 = b->sass ? BANK0_SM70 : BANK0_OWN,
                        .registers = b->registers,
                        .shared_bytes = b->shared,
                        .local_bytes = b->local,
                        .spill_bytes = b->spill};
    strmap_put(m->kernels, own->name, own);
    return own;
}

/* ---- Launches ---- */

static bool take_counters(record *r, wire *w)
{
    uint32_t device;
    stats *s;

    if (!msg_counters_get(w, r->mem, &device, &s))
        return false;
    if (device >= r->device_count || r->names[device]) {
        stats_free(s);
        return false;
    }
    r->names[device] = s;
    return true;
}

static opened *find_open(const record *r, uint64_t launch)
{
    for (size_t i = 0; i < r->open_count; i++)
        if (r->open[i].launch == launch)
            return &r->open[i];
    return NULL;
}

static void open_launch(record *r, uint64_t launch)
{
    r->open = renew(r->open, r->open_count + 1, sizeof *r->open);
    r->open[r->open_count++] = (opened){.launch = launch};
    r->last = launch;
}

static void close_launch(record *r, opened *o)
{
    opened_fini(o);
    *o = r->open[--r->open_count];
}

static bool begin_launch(record *r, wire *w, arena *mem)
{
    msg_begin b;
    module *m;

    if (!msg_begin_get(w, mem, &b) || b.launch != r->count ||
        b.device >= r->device_count || r->count == LAUNCHES_MOST ||
        r->open_count == OPEN_MOST)
        return false;
    GROW(r->launches, r->count + 1, r->room);
    m = find_module(r, b.kernel.module);
    report_launch *l = &r->launches[r->count++];
    *l = (report_launch){.kernel = kernel_of(r, m, &b.kernel),
                         .cfg = r->configs[b.device],
                         .device = b.device,
                         .functional = b.functional,
                         .source = m->program,
                         .sources = m->texts,
                         .arch = m->program ? m->program->arch : 0,
                         .shared_bytes = b.kernel.shared_bytes,
                         .unfinished = true};
    memcpy(l->grid, b.kernel.grid, sizeof l->grid);
    memcpy(l->block, b.kernel.block, sizeof l->block);
    open_launch(r, b.launch);
    return true;
}

/* `take` has an arena for texts of the message that nobody needs behind it. */
static bool take_texts(record *r, wire *w,
                       bool (*take)(record *r, wire *w, arena *mem))
{
    if (arena_bytes(r->passing) > PASSING_MOST) {
        arena_free(r->passing);
        r->passing = arena_new();
    }
    return take(r, w, r->passing);
}

static bool take_progress(record *r, wire *w)
{
    gpu_progress now;
    uint64_t launch;
    opened *o;

    if (!msg_progress_get(w, &launch, &now) || !(o = find_open(r, launch)))
        return false;
    o->now = now;
    r->last = launch;
    return true;
}

/* With one copy of its texts. */
static launch_outcome outcome_of(record *r, const launch_outcome *is)
{
    launch_outcome own = *is;

    own.limiter = word_of(r, is->limiter ? is->limiter : "-");
    return own;
}

/* ---- Launches in flight together ---- */

static report_part *new_part(opened *o)
{
    GROW(o->part, o->parts + 1, o->room);
    return &o->part[o->parts++];
}

static bool part_ends(record *r, wire *w, arena *mem)
{
    msg_part m;

    if (!msg_part_get(w, mem, &m))
        return false;
    opened *o = find_open(r, m.launch);
    module *of = find_module(r, m.kernel.module);
    const isa_kernel *k = kernel_of(r, of, &m.kernel);
    if (!o || (m.profile_count && of->program &&
               m.profile_count != (size_t)k->code_count + 1)) {
        free(m.profile);
        return false;
    }
    report_part *p = new_part(o);
    *p = (report_part){.kernel = k,
                       .stream = word_of(r, m.stream),
                       .shared_bytes = m.kernel.shared_bytes,
                       .outcome = outcome_of(r, &m.outcome),
                       .source = of->program,
                       .texts = of->texts};
    memcpy(p->grid, m.kernel.grid, sizeof p->grid);
    memcpy(p->block, m.kernel.block, sizeof p->block);
    if (of->program)
        p->profile = m.profile;
    else
        free(m.profile); /* rows of instructions that nobody knows */
    return true;
}

/* The launch was several. Their times count from its start. */
static void join_launch_parts(report_launch *l, opened *o)
{
    if (!o->parts)
        return;
    for (size_t i = 0; i < o->parts; i++)
        o->part[i].start -=
            l->start < o->part[i].start ? l->start : o->part[i].start;
    free((void *)l->profile);
    MUST(report_launch_join(l, o->part, o->parts));
    o->parts = 0; /* their profiles are the group's */
}

/* True if the vectors have the lengths that the names say. */
static bool vectors_fit(const record *r, const report_launch *l,
                        const msg_result *m)
{
    const stats *s = r->names[l->device];

    if ((m->total_count || m->counter_count) && !s)
        return false;
    return (!m->total_count || m->total_count == stats_total_count(s)) &&
           (!m->counter_count || m->counter_count == stats_count(s)) &&
           (!m->profile_count ||
            m->profile_count == (size_t)l->kernel->code_count + 1 ||
            !l->source);
}

/* ---- Counters of many launches ---- */

static bool is_sum_of(const report_sum *s, const report_launch *l)
{
    return s->device == l->device && (s->kernel == l->kernel || l->group);
}

/* Groups have no profile: their sums are of one name. */
static report_sum *sum_for(record *r, const report_launch *l)
{
    const char *name = word_of(r, l->kernel->name);
    size_t last = (size_t)(uintptr_t)strmap_get(r->sum_of, name);

    for (size_t i = last; i; i = r->next_sum[i - 1])
        if (is_sum_of(r->sums[i - 1], l))
            return r->sums[i - 1];
    r->sums = renew(r->sums, r->sum_count + 1, sizeof *r->sums);
    r->next_sum = renew(r->next_sum, r->sum_count + 1, sizeof *r->next_sum);
    r->next_sum[r->sum_count] = last;
    r->sums[r->sum_count] = new0(1, sizeof **r->sums);
    *r->sums[r->sum_count] =
        (report_sum){.name = name, .device = l->device, .kernel = l->kernel};
    strmap_put(r->sum_of, name, (void *)(uintptr_t)(r->sum_count + 1));
    return r->sums[r->sum_count++];
}

/* It has ended. */
static void keep_counters(record *r, report_launch *l)
{
    if (l->totals && r->timed++ >= r->each)
        report_launch_fold(l, sum_for(r, l));
}

/* Removes the newlines at the end of a message; reports have their own
 * layout. */
static void trim_newlines(char *text)
{
    size_t n = text ? strlen(text) : 0;

    while (n && text[n - 1] == '\n')
        text[--n] = '\0';
}

static bool take_result(record *r, wire *w)
{
    report_launch *l;
    msg_result m;

    if (!msg_result_get(w, r->mem, &m))
        return false;
    opened *o = find_open(r, m.launch);
    l = o ? &r->launches[m.launch] : NULL;
    if (!l || !vectors_fit(r, l, &m)) {
        msg_result_fini(&m);
        return false;
    }
    r->last = m.launch;
    l->stats = r->names[l->device];
    l->unfinished = false;
    trim_newlines(m.error);
    l->error = m.error;
    l->outcome = outcome_of(r, &m.is.outcome);
    l->lines_lost = m.is.lines_lost;
    l->lines = m.is.lines; /* what is malloced is ours now */
    l->line_count = m.is.line_count;
    l->strays = m.is.strays;
    l->spins = m.spins;
    l->totals = m.is.totals;
    l->counters = m.is.counters;
    l->series = m.series;
    l->warps = m.warps;
    for (size_t i = 0; i < m.series.count; i++)
        l->series.row[i].energy.clock_khz = l->cfg->gpu.clock_khz;
    if (l->source)
        l->profile = m.profile;
    else
        free(m.profile); /* rows of instructions that nobody knows */
    join_launch_parts(l, o);
    keep_counters(r, l);
    close_launch(r, o);
    r->moved = m.moved;
    return true;
}

/* The results of a launch in case no others follow. */
static bool take_sofar(record *r, wire *w)
{
    msg_result m;

    if (!msg_result_get(w, r->mem, &m))
        return false;
    opened *o = find_open(r, m.launch);
    if (!o || !vectors_fit(r, &r->launches[m.launch], &m) || m.counter_count ||
        m.profile_count || m.is.line_count) {
        msg_result_fini(&m);
        return false;
    }
    msg_result_fini(&o->sofar);
    o->sofar = m;
    r->last = m.launch;
    return true;
}

/* The program ended first: as far as it was seen. */
static void leave_open(record *r, opened *o)
{
    report_launch *l = &r->launches[o->launch];
    const rt_result *is = &o->sofar.is;

    if (o->now.turns) /* it only warmed up */
        o->now = (gpu_progress){.cycle = 0};
    l->limiter = "-";
    l->ctas = o->now.ctas_done;
    l->warp_insts = o->now.warp_insts;
    l->cycles = l->functional ? 0 : o->now.cycle;
    if (is->totals && !l->functional) {
        l->stats = r->names[l->device];
        l->outcome = outcome_of(r, &is->outcome);
        l->status = ST_OK;      /* unfinished says more */
        l->totals = is->totals; /* ours now */
        l->spins = o->sofar.spins;
        o->sofar.is.totals = NULL;
        o->sofar.spins = (exec_spins){.count = 0};
    }
    join_launch_parts(l, o);
}

static bool add_note(record *r, wire *w, arena *mem)
{
    const char *text = msg_note_get(w, mem);

    if (!text || w->bad)
        return false;
    if (r->note_count == NOTES_MOST)
        return true;
    r->notes = renew(r->notes, r->note_count + 1, sizeof(char *));
    r->notes[r->note_count++] = word_of(r, text);
    return true;
}

/* The same as one before is counted; of too many kinds those in the middle
 * go. */
static void add_failure(record *r, const msg_failed *m)
{
    report_failure *f = r->failures;

    for (size_t i = 0; i < r->failure_count; i++)
        if (f[i].code == m->code && !strcmp(f[i].function, m->function) &&
            !strcmp(f[i].text, m->text)) {
            f[i].count++;
            return;
        }
    if (r->failure_count == FAILURES_MOST) {
        size_t at = FAILURES_MOST / 2;

        r->failures_lost += f[at].count;
        failure_fini(&f[at]);
        r->failure_count--;
        memmove(&f[at], &f[at + 1], (r->failure_count - at) * sizeof *f);
    }
    f += r->failure_count++;
    *f = (report_failure){new_text(m->function), m->code, new_text(m->name),
                          new_text(m->text), 1};
    MUST(f->function && f->name && f->text);
}

static bool take_failed(record *r, wire *w)
{
    arena *mem = arena_new();
    msg_failed m;

    bool good = msg_failed_get(w, mem, &m);
    if (good)
        add_failure(r, &m);
    arena_free(mem);
    return good;
}

static bool add_activity(record *r, wire *w, arena *mem)
{
    report_activity a;

    if (!msg_activity_get(w, mem, &a) || a.device >= r->device_count)
        return false;
    if (r->activity_count == ACTIVITIES_MOST) {
        r->activities_lost++;
        return true;
    }
    a.stream = word_of(r, a.stream);
    GROW(r->activities, r->activity_count + 1, r->activity_room);
    r->activities[r->activity_count++] = a;
    return true;
}

bool record_take(record *r, uint8_t kind, wire *w)
{
    if ((kind == MSG_HELLO) != !r->hello.pid || r->ended)
        return false; /* the first message, and only that */
    switch (kind) {
    case MSG_HELLO:
        return msg_hello_get(w, r->mem, &r->hello) && r->hello.pid;
    case MSG_COUNTERS:
        return take_counters(r, w);
    case MSG_MODULE:
        return take_module(r, w);
    case MSG_BEGIN:
        return take_texts(r, w, begin_launch);
    case MSG_PROGRESS:
        return take_progress(r, w);
    case MSG_PART:
        return take_texts(r, w, part_ends);
    case MSG_RESULT:
        return take_result(r, w);
    case MSG_SOFAR:
        return take_sofar(r, w);
    case MSG_NOTE:
        return take_texts(r, w, add_note);
    case MSG_FAILED:
        return take_failed(r, w);
    case MSG_ACTIVITY:
        return take_texts(r, w, add_activity);
    case MSG_BYE:
        r->ended = msg_bye_get(w, &r->bye);
        if (r->ended)
            r->moved = r->bye.moved;
        return r->ended;
    default:
        return false;
    }
}

const report_launch *record_launch(const record *r, uint64_t n,
                                   gpu_progress *is)
{
    const opened *o = find_open(r, n);

    *is = o ? o->now : (gpu_progress){0};
    return o ? &r->launches[n] : NULL;
}

const report_launch *record_nth(const record *r, uint64_t n)
{
    return n < r->count ? &r->launches[n] : NULL;
}

uint64_t record_last(const record *r) { return r->last; }

uint32_t record_pid(const record *r) { return r->hello.pid; }

/* The order does not depend on which thread of the program ran what. */
static int by_begin(const void *x, const void *y)
{
    const report_activity *a = x, *b = y;
    const uint64_t keys[][2] = {
        {a->begin_ns, b->begin_ns}, {a->end_ns, b->end_ns}, {a->kind, b->kind},
        {a->device, b->device},     {a->launch, b->launch}, {a->part, b->part},
        {a->bytes, b->bytes}};

    for (size_t i = 0; i < COUNTOF(keys); i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return strcmp(a->stream ? a->stream : "", b->stream ? b->stream : "");
}

report_process record_report(record *r, bool running, bool broken)
{
    for (size_t i = 0; i < r->open_count; i++)
        leave_open(r, &r->open[i]);
    if (r->activity_count)
        qsort(r->activities, r->activity_count, sizeof *r->activities,
              by_begin);
    return (report_process){
        .pid = r->hello.pid,
        .parent = r->hello.parent,
        .program = r->hello.program,
        .command = r->hello.command,
        .launches = r->launches,
        .launch_count = r->count,
        .sums = (const report_sum *const *)r->sums,
        .sum_count = r->sum_count,
        .notes = r->notes,
        .note_count = r->note_count,
        .failures = r->failures,
        .failure_count = r->failure_count,
        .failures_lost = r->failures_lost,
        .activities = r->activities,
        .activity_count = r->activity_count,
        .activities_lost = r->activities_lost,
        .moved = {r->moved.read_bytes, r->moved.write_bytes,
                  r->moved.copy_bytes},
        .hash = r->bye.hash,
        .memory_hash = r->bye.memory_hash,
        .has_hash = r->bye.has_hash,
        .ended = r->ended,
        .running = running,
        .broken = broken,
    };
}
