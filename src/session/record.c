#include "session/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/must.h"
#include "isa/object.h"

enum {
    LAUNCHES_MOST = 1 << 24, /* of a process: more is no program */
    NOTES_MOST = 1000,
};

typedef struct module {
    isa_program *program; /* NULL: not sent */
    sources *texts;
    strmap *kernels; /* name -> isa_kernel, where there is no program */
} module;

struct record {
    arena *mem;
    const config *const *configs;
    stats **names; /* of each device, NULL: not said yet */
    unsigned device_count;
    map *modules; /* number -> module */
    module **all;
    size_t module_count;
    strmap *words; /* texts that recur */
    report_launch *launches;
    size_t count, room;
    bool open; /* the last launch has no result */
    gpu_progress now;
    msg_hello hello;
    const char **notes;
    size_t note_count;
    session_transfers moved;
    msg_bye bye;
    bool ended;
};

record *record_new(const config *const *configs, unsigned device_count)
{
    record *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->mem = arena_new();
    r->configs = configs;
    r->device_count = device_count;
    r->names = calloc(device_count, sizeof(stats *));
    r->modules = map_new();
    r->words = strmap_new();
    if (!r->mem || !r->names || !r->modules || !r->words) {
        record_free(r);
        return NULL;
    }
    return r;
}

static void launch_fini(report_launch *l)
{
    for (size_t i = 0; i < l->line_count; i++)
        free(l->lines[i].text);
    free((void *)l->lines);
    free((void *)l->totals);
    free((void *)l->counters);
    energy_series_fini(&l->series);
    free((void *)l->profile);
}

void record_free(record *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->count; i++)
        launch_fini(&r->launches[i]);
    free(r->launches);
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
    map_free(r->modules);
    strmap_free(r->words);
    arena_free(r->mem);
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
    strmap_put(r->words, s, (void *)s);
    return s;
}

/* ---- Modules ---- */

static module *new_module(record *r, uint64_t number)
{
    module *m = ARENA_NEW(r->mem, module);

    m->kernels = strmap_new();
    r->all = realloc(r->all, (r->module_count + 1) * sizeof(module *));
    MUST(r->all && m->kernels);
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

/* The texts that were sent; files of the host that were not are read. */
static sources *texts_of(const isa_program *p, const msg_module *msg)
{
    sources *s = sources_new(p->files, p->file_count, NULL);

    for (uint32_t f = 0; s && f < p->file_count; f++)
        for (size_t i = 0; i < msg->text_count; i++)
            if (same_file(msg->texts[i].file, p->files[f]))
                sources_put(s, f, msg->texts[i].text,
                            strlen(msg->texts[i].text));
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
    MUST(dg != NULL);
    status st =
        object_read(msg.name, msg.object, msg.object_size, dg, &m->program);
    diag_free(dg);
    if (st != ST_OK)
        return false;
    m->texts = texts_of(m->program, &msg);
    return true;
}

/* The kernel as the module has it, else what its launch says of it. */
static const isa_kernel *kernel_of(record *r, module *m, const msg_begin *b)
{
    const isa_kernel *k =
        m->program ? isa_program_kernel(m->program, b->kernel) : NULL;
    isa_kernel *own;

    if (k || (k = strmap_get(m->kernels, b->kernel)))
        return k;
    own = ARENA_NEW(r->mem, isa_kernel);
    *own = (isa_kernel){.name = word_of(r, b->kernel),
                        .registers = b->registers,
                        .shared_bytes = b->kernel_shared,
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

static bool take_begin(record *r, wire *w)
{
    msg_begin b;
    module *m;

    if (!msg_begin_get(w, r->mem, &b) || r->open || b.launch != r->count ||
        b.device >= r->device_count || r->count == LAUNCHES_MOST)
        return false;
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 16;
        r->launches = realloc(r->launches, r->room * sizeof *r->launches);
        MUST(r->launches != NULL);
    }
    m = find_module(r, b.module);
    report_launch *l = &r->launches[r->count++];
    *l = (report_launch){.kernel = kernel_of(r, m, &b),
                         .cfg = r->configs[b.device],
                         .device = b.device,
                         .functional = b.functional,
                         .source = m->program,
                         .sources = m->texts,
                         .arch = m->program ? m->program->arch : 0,
                         .shared_bytes = b.shared_bytes,
                         .unfinished = true};
    memcpy(l->grid, b.grid, sizeof l->grid);
    memcpy(l->block, b.block, sizeof l->block);
    r->open = true;
    r->now = (gpu_progress){0};
    return true;
}

/* True if the vectors have the lengths that the names say. */
static bool fits(const record *r, const report_launch *l, const msg_result *m)
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

/* Messages end their lines; a report puts them where it wants. */
static void trim(char *text)
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
    l = r->open ? &r->launches[r->count - 1] : NULL;
    if (!l || m.launch != r->count - 1 || !fits(r, l, &m)) {
        msg_result_fini(&m);
        return false;
    }
    l->stats = r->names[l->device];
    l->unfinished = r->open = false;
    l->status = m.is.status;
    trim(m.error);
    l->error = m.error;
    l->start = m.is.start;
    l->cycles = m.is.cycles;
    l->warp_insts = m.is.warp_insts;
    l->thread_insts = m.is.thread_insts;
    l->ctas = m.is.ctas;
    l->ctas_per_sm = m.is.ctas_per_sm;
    l->limiter = word_of(r, m.limiter ? m.limiter : "-");
    l->host_seconds = m.is.host_seconds;
    l->lines_lost = m.is.lines_lost;
    l->lines = m.is.lines; /* what is malloced is ours now */
    l->line_count = m.is.line_count;
    l->totals = m.is.totals;
    l->counters = m.is.counters;
    l->series = m.series;
    for (size_t i = 0; i < m.series.count; i++)
        l->series.row[i].energy.clock_khz = l->cfg->gpu.clock_khz;
    if (l->source)
        l->profile = m.profile;
    else
        free(m.profile); /* rows of instructions that nobody knows */
    r->moved = m.moved;
    return true;
}

static bool take_note(record *r, wire *w)
{
    const char *text = msg_note_get(w, r->mem);

    if (!text || w->bad)
        return false;
    if (r->note_count == NOTES_MOST)
        return true;
    r->notes = realloc(r->notes, (r->note_count + 1) * sizeof(char *));
    MUST(r->notes != NULL);
    r->notes[r->note_count++] = word_of(r, text);
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
        return take_begin(r, w);
    case MSG_PROGRESS:
        return r->open && msg_progress_get(w, &r->now);
    case MSG_RESULT:
        return take_result(r, w);
    case MSG_NOTE:
        return take_note(r, w);
    case MSG_BYE:
        r->ended = msg_bye_get(w, &r->bye);
        if (r->ended)
            r->moved = r->bye.moved;
        return r->ended;
    default:
        return false;
    }
}

const report_launch *record_launch(const record *r, gpu_progress *is)
{
    *is = r->now;
    return r->open ? &r->launches[r->count - 1] : NULL;
}

const report_launch *record_last(const record *r)
{
    return r->count ? &r->launches[r->count - 1] : NULL;
}

uint64_t record_count(const record *r) { return r->count; }

uint32_t record_pid(const record *r) { return r->hello.pid; }

report_process record_report(record *r, bool running, bool broken)
{
    if (r->open) { /* as far as it was seen */
        report_launch *l = &r->launches[r->count - 1];

        l->limiter = "-";
        l->ctas = r->now.ctas_done;
        l->warp_insts = r->now.warp_insts;
        l->cycles = l->functional ? 0 : r->now.cycle;
    }
    return (report_process){
        .pid = r->hello.pid,
        .parent = r->hello.parent,
        .program = r->hello.program,
        .command = r->hello.command,
        .launches = r->launches,
        .launch_count = r->count,
        .notes = r->notes,
        .note_count = r->note_count,
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
