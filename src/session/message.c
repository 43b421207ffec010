#include "session/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"

enum {
    ROW_NUMBERS = sizeof(sm_profile_row) / sizeof(uint64_t),
    NUMBERS_MOST = 1 << 26, /* of one list */
    SMS_MOST = 1 << 12,
};

void msg_hello_put(strbuf *b, const msg_hello *m)
{
    size_t at = wire_begin(b, MSG_HELLO);

    wire_put_u32(b, m->pid);
    wire_put_u32(b, m->parent);
    wire_put_text(b, m->program);
    wire_put_text(b, m->command);
    wire_put_text(b, m->version);
    wire_end(b, at);
}

bool msg_hello_get(wire *w, arena *mem, msg_hello *m)
{
    m->pid = wire_get_u32(w);
    m->parent = wire_get_u32(w);
    m->program = wire_get_text(w, mem);
    m->command = wire_get_text(w, mem);
    m->version = wire_get_text(w, mem);
    return !w->bad && m->program && m->command && m->version;
}

/* ---- Modules ---- */

void msg_module_put(strbuf *b, const msg_module *m)
{
    size_t at = wire_begin(b, MSG_MODULE);

    wire_put_u64(b, m->number);
    wire_put_text(b, m->name);
    wire_put_bytes(b, m->object, m->object_size);
    wire_put_u32(b, (uint32_t)m->text_count);
    for (size_t i = 0; i < m->text_count; i++) {
        wire_put_text(b, m->texts[i].file);
        wire_put_text(b, m->texts[i].text);
    }
    wire_end(b, at);
}

bool msg_module_get(wire *w, arena *mem, msg_module *m)
{
    m->number = wire_get_u64(w);
    m->name = wire_get_text(w, mem);
    m->object = wire_get_bytes(w, &m->object_size);
    m->text_count = wire_get_u32(w);
    if (!m->name || w->bad || m->text_count > w->left)
        return false;
    m->texts = ARENA_ARRAY(mem, msg_text, m->text_count + 1);
    for (size_t i = 0; i < m->text_count; i++) {
        m->texts[i].file = wire_get_text(w, mem);
        m->texts[i].text = wire_get_text(w, mem);
        if (!m->texts[i].file || !m->texts[i].text)
            return false;
    }
    return !w->bad;
}

/* ---- Launches ---- */

static void put_msg_kernel(strbuf *b, const msg_kernel *m)
{
    wire_put_u64(b, m->module);
    wire_put_text(b, m->name);
    wire_put_u8(b, m->sass);
    wire_put_u32(b, m->registers);
    wire_put_u32(b, m->shared);
    wire_put_u32(b, m->local);
    wire_put_u32(b, m->spill);
    wire_put_triple(b, m->grid);
    wire_put_triple(b, m->block);
    wire_put_u32(b, m->shared_bytes);
}

static bool get_msg_kernel(wire *w, arena *mem, msg_kernel *m)
{
    m->module = wire_get_u64(w);
    m->name = wire_get_text(w, mem);
    m->sass = wire_get_u8(w);
    m->registers = wire_get_u32(w);
    m->shared = wire_get_u32(w);
    m->local = wire_get_u32(w);
    m->spill = wire_get_u32(w);
    wire_get_triple(w, m->grid);
    wire_get_triple(w, m->block);
    m->shared_bytes = wire_get_u32(w);
    return !w->bad && m->name;
}

void msg_begin_put(strbuf *b, const msg_begin *m)
{
    size_t at = wire_begin(b, MSG_BEGIN);

    wire_put_u64(b, m->launch);
    wire_put_u32(b, m->device);
    wire_put_u8(b, m->functional);
    put_msg_kernel(b, &m->kernel);
    wire_end(b, at);
}

bool msg_begin_get(wire *w, arena *mem, msg_begin *m)
{
    m->launch = wire_get_u64(w);
    m->device = wire_get_u32(w);
    m->functional = wire_get_u8(w);
    return get_msg_kernel(w, mem, &m->kernel);
}

/* As they lie in memory: both sides are of one build. */
void msg_trace_put(strbuf *b, uint64_t launch, const trace_event *e, size_t n)
{
    size_t at = wire_begin(b, MSG_TRACE);

    wire_put_u64(b, launch);
    wire_put_bytes(b, e, n * sizeof *e);
    wire_end(b, at);
}

const trace_event *msg_trace_get(wire *w, uint64_t *launch, size_t *n)
{
    size_t size = 0;

    *launch = wire_get_u64(w);
    const void *bytes = wire_get_bytes(w, &size);
    *n = size / sizeof(trace_event);
    return w->bad || size % sizeof(trace_event) || w->left ? NULL : bytes;
}

static void put_progress(strbuf *b, const gpu_progress *p)
{
    wire_put_u64(b, p->cycle);
    wire_put_u64(b, p->ctas_done);
    wire_put_u64(b, p->ctas);
    wire_put_u64(b, p->warp_insts);
    wire_put_u32(b, p->turn);
    wire_put_u32(b, p->turns);
    wire_put_text(b, p->spin);
}

static bool get_progress(wire *w, gpu_progress *p)
{
    p->cycle = wire_get_u64(w);
    p->ctas_done = wire_get_u64(w);
    p->ctas = wire_get_u64(w);
    p->warp_insts = wire_get_u64(w);
    p->turn = wire_get_u32(w);
    p->turns = wire_get_u32(w);
    size_t size = 0;
    const char *spin = wire_get_bytes(w, &size);
    if (!spin || size > sizeof p->spin)
        return false;
    memset(p->spin, 0, sizeof p->spin);
    for (size_t i = 0; i < size && i + 1 < sizeof p->spin; i++)
        p->spin[i] = (char)(spin[i] < ' ' || spin[i] > '~' ? '?' : spin[i]);
    return !w->bad;
}

void msg_progress_put(strbuf *b, uint64_t launch, const gpu_progress *p)
{
    size_t at = wire_begin(b, MSG_PROGRESS);

    wire_put_u64(b, launch);
    put_progress(b, p);
    wire_end(b, at);
}

bool msg_progress_get(wire *w, uint64_t *launch, gpu_progress *p)
{
    *launch = wire_get_u64(w);
    return get_progress(w, p);
}

/* ---- What came out: the rows of stats/launch_record.def ---- */

#define PUT_STATUS  wire_put_u32
#define PUT_COUNT   wire_put_u64
#define PUT_NUMBER  wire_put_u32
#define PUT_SECONDS wire_put_real
#define PUT_TEXT    wire_put_text

static void put_outcome(strbuf *b, const launch_outcome *is)
{
#define RESULT(id, kind, ...) PUT_##kind(b, is->id);
#define SHOWN(...)
#include "stats/launch_record.def"
#undef RESULT
#undef SHOWN
}

#define GET_STATUS  wire_get_u32(w)
#define GET_COUNT   wire_get_u64(w)
#define GET_NUMBER  wire_get_u32(w)
#define GET_SECONDS wire_get_real(w)
#define GET_TEXT    wire_get_text(w, mem)

static bool get_outcome(wire *w, arena *mem, launch_outcome *is)
{
#define RESULT(id, kind, ...) is->id = GET_##kind;
#define SHOWN(...)
#include "stats/launch_record.def"
#undef RESULT
#undef SHOWN
    return !w->bad && is->status <= ST_INTERRUPTED;
}

/* ---- Parts ---- */

static void put_profile(strbuf *b, const sm_profile_row *rows, size_t n)
{
    wire_put_numbers(b, (const uint64_t *)rows, n * ROW_NUMBERS);
}

/* False: no whole rows. */
static bool get_profile(wire *w, sm_profile_row **rows, size_t *count)
{
    size_t n;

    *rows = (sm_profile_row *)wire_get_numbers(w, NUMBERS_MOST, &n);
    *count = n / ROW_NUMBERS;
    return !w->bad && n % ROW_NUMBERS == 0;
}

void msg_part_put(strbuf *b, const msg_part *m)
{
    size_t at = wire_begin(b, MSG_PART);

    wire_put_u64(b, m->launch);
    put_msg_kernel(b, &m->kernel);
    wire_put_text(b, m->stream);
    put_outcome(b, &m->outcome);
    put_profile(b, m->profile, m->profile_count);
    wire_end(b, at);
}

bool msg_part_get(wire *w, arena *mem, msg_part *m)
{
    *m = (msg_part){.launch = wire_get_u64(w)};
    if (!get_msg_kernel(w, mem, &m->kernel))
        return false;
    m->stream = wire_get_text(w, mem);
    if (get_outcome(w, mem, &m->outcome) && m->stream && m->outcome.limiter &&
        get_profile(w, &m->profile, &m->profile_count))
        return true;
    free(m->profile);
    return false;
}

/* ---- Results ---- */

static void put_lines(strbuf *b, const rt_result *r)
{
    wire_put_u64(b, r->lines_lost);
    wire_put_u32(b, (uint32_t)r->line_count);
    for (size_t i = 0; i < r->line_count; i++) {
        const exec_line *x = &r->lines[i];

        wire_put_u64(b, x->time);
        wire_put_u64(b, x->order);
        wire_put_triple(b, x->cta);
        wire_put_triple(b, x->thread);
        wire_put_u32(b, x->sm);
        wire_put_u8(b, x->assertion);
        wire_put_bytes(b, x->text, x->length);
    }
}

static bool get_line(wire *w, exec_line *x)
{
    size_t size;
    const char *text;

    x->time = wire_get_u64(w);
    x->order = wire_get_u64(w);
    wire_get_triple(w, x->cta);
    wire_get_triple(w, x->thread);
    x->sm = wire_get_u32(w);
    x->assertion = wire_get_u8(w);
    text = wire_get_bytes(w, &size);
    if (!text)
        return false;
    x->text = new_array(size + 1, 1); /* it may have zeros in it */
    memcpy(x->text, text, size);
    x->text[size] = '\0';
    x->length = (uint32_t)size;
    return true;
}

static bool get_lines(wire *w, rt_result *r)
{
    size_t n;
    exec_line *lines;

    r->lines_lost = wire_get_u64(w);
    n = wire_get_u32(w);
    if (w->bad || n > w->left)
        return false;
    if (!n)
        return true;
    lines = new0(n, sizeof *lines);
    r->lines = lines;
    for (size_t i = 0; i < n; i++, r->line_count++)
        if (!get_line(w, &lines[i]))
            return false;
    return true;
}

static void put_strays(strbuf *b, const exec_strays *s)
{
    wire_put_u32(b, (uint32_t)s->count);
    for (size_t i = 0; i < s->count; i++) {
        const exec_stray *x = &s->is[i];

        wire_put_text(b, x->kernel);
        wire_put_text(b, x->file);
        wire_put_u32(b, x->line);
        wire_put_u32(b, x->pc);
        wire_put_u8(b, x->write);
        wire_put_u8(b, x->kind);
        wire_put_u64(b, x->count);
        wire_put_u64(b, x->reach);
        wire_put_text(b, x->text);
    }
}

static bool get_strays(wire *w, arena *mem, exec_strays *s)
{
    size_t n = wire_get_u32(w);

    if (n > w->left)
        return false;
    for (size_t i = 0; i < n && !w->bad; i++) {
        exec_stray x = {.kernel = wire_get_text(w, mem)};

        x.file = wire_get_text(w, mem);
        x.line = wire_get_u32(w);
        x.pc = wire_get_u32(w);
        x.write = wire_get_u8(w);
        x.kind = wire_get_u8(w);
        x.count = wire_get_u64(w);
        x.reach = wire_get_u64(w);
        x.text = wire_get_text(w, mem);
        if (w->bad || !x.kernel || !x.text)
            return false;
        exec_strays_append(s, &x);
    }
    return !w->bad;
}

static void put_site(strbuf *b, const exec_site *x)
{
    wire_put_text(b, x->kernel);
    wire_put_text(b, x->file);
    wire_put_u32(b, x->line);
    wire_put_u32(b, x->pc);
    wire_put_u8(b, (uint8_t)(x->nothing | x->shared << 1 | x->atomic << 2 |
                             x->polls << 3));
    wire_put_u32(b, x->size);
    wire_put_u64(b, x->cta);
    wire_put_u64(b, x->addr);
    wire_put_u64(b, x->value);
    wire_put_u64(b, x->lanes);
    wire_put_u64(b, x->warps);
    wire_put_u64(b, x->ctas);
    wire_put_text(b, x->where);
    wire_put_text(b, x->writer);
}

static bool get_site(wire *w, arena *mem, exec_site *x)
{
    *x = (exec_site){.kernel = wire_get_text(w, mem)};
    x->file = wire_get_text(w, mem);
    x->line = wire_get_u32(w);
    x->pc = wire_get_u32(w);
    uint8_t bits = wire_get_u8(w);
    x->nothing = bits & 1;
    x->shared = bits >> 1 & 1;
    x->atomic = bits >> 2 & 1;
    x->polls = bits >> 3 & 1;
    x->size = wire_get_u32(w);
    x->cta = wire_get_u64(w);
    x->addr = wire_get_u64(w);
    x->value = wire_get_u64(w);
    x->lanes = wire_get_u64(w);
    x->warps = wire_get_u64(w);
    x->ctas = wire_get_u64(w);
    x->where = wire_get_text(w, mem);
    x->writer = wire_get_text(w, mem);
    return !w->bad && x->kernel && (x->nothing || (x->where && x->writer));
}

/* Where the numbers of all places together are. */
static const size_t spin_numbers[] = {
    offsetof(exec_spins, more),    offsetof(exec_spins, warps),
    offsetof(exec_spins, waiting), offsetof(exec_spins, starved),
    offsetof(exec_spins, live),    offsetof(exec_spins, ctas),
    offsetof(exec_spins, started), offsetof(exec_spins, since),
    offsetof(exec_spins, to)};

static void put_spins(strbuf *b, const exec_spins *s)
{
    static const exec_spins none = {.count = 0};

    s = s ? s : &none;
    wire_put_u32(b, (uint32_t)s->count);
    for (size_t i = 0; i < s->count; i++)
        put_site(b, &s->is[i]);
    for (size_t i = 0; i < COUNTOF(spin_numbers); i++)
        wire_put_u64(b, *(const uint64_t *)((const char *)s + spin_numbers[i]));
    wire_put_u8(b, (uint8_t)(s->timed | s->endless << 1));
    wire_put_text(b, s->waits);
}

static bool get_spins(wire *w, arena *mem, exec_spins *s)
{
    exec_site site[SPINS_REPORTED];
    exec_spins is = {.is = site, .count = wire_get_u32(w)};

    if (is.count > SPINS_REPORTED)
        return false;
    for (size_t i = 0; i < is.count; i++)
        if (!get_site(w, mem, &site[i]))
            return false;
    for (size_t i = 0; i < COUNTOF(spin_numbers); i++)
        *(uint64_t *)((char *)&is + spin_numbers[i]) = wire_get_u64(w);
    uint8_t bits = wire_get_u8(w);
    is.timed = bits & 1;
    is.endless = bits >> 1 & 1;
    is.waits = (char *)wire_get_text(w, mem);
    exec_spins_copy(s, &is);
    return !w->bad;
}

static void put_moved(strbuf *b, const session_transfers *m)
{
    wire_put_u64(b, m->read_bytes);
    wire_put_u64(b, m->write_bytes);
    wire_put_u64(b, m->copy_bytes);
}

static void get_moved(wire *w, session_transfers *m)
{
    m->read_bytes = wire_get_u64(w);
    m->write_bytes = wire_get_u64(w);
    m->copy_bytes = wire_get_u64(w);
}

/* Start, cycles, overflow, and parts of each sample. */
enum { SAMPLE_NUMBERS = 3 + ENERGY_PARTS };

static void put_series(strbuf *b, const energy_series *s)
{
    wire_put_u64(b, s->count);
    for (size_t i = 0; i < s->count; i++) {
        const energy *e = &s->row[i].energy;
        uint64_t v[SAMPLE_NUMBERS] = {s->row[i].start, e->cycles, e->overflow};

        memcpy(v + 3, e->part_fj, sizeof e->part_fj);
        wire_put_numbers(b, v, SAMPLE_NUMBERS);
    }
}

/* False also if memory runs out. */
static bool get_series(wire *w, energy_series *s)
{
    uint64_t count = wire_get_u64(w);

    for (uint64_t i = 0; i < count && !w->bad; i++) {
        size_t n;
        uint64_t *v = wire_get_numbers(w, SAMPLE_NUMBERS, &n);
        energy e = {0};
        bool good = v && n == SAMPLE_NUMBERS;

        if (good) {
            e.cycles = v[1];
            e.overflow = v[2];
            memcpy(e.part_fj, v + 3, sizeof e.part_fj);
            for (unsigned k = 0; k < ENERGY_PARTS; k++)
                e.total_fj += e.part_fj[k];
            energy_series_add(s, v[0], &e);
        }
        free(v);
        if (!good)
            return false;
    }
    return !w->bad;
}

static void put_warps(strbuf *b, const stats_series *s)
{
    wire_put_u64(b, s->count);
    for (size_t k = 0; k < s->count; k++) {
        wire_put_u64(b, s->end[k]);
        wire_put_numbers(b, s->value + k * s->blocks, s->blocks);
    }
}

/* False also if memory runs out. */
static bool get_warps(wire *w, stats_series *s)
{
    uint64_t count = wire_get_u64(w), last = 0;

    for (uint64_t k = 0; k < count && !w->bad; k++) {
        uint64_t end = wire_get_u64(w);
        size_t n;
        uint64_t *v = wire_get_numbers(w, SMS_MOST, &n);
        bool good = v && n && end > last && stats_series_put(s, n, end, v);

        free(v);
        if (!good)
            return false;
        last = end;
    }
    return !w->bad;
}

static void put_result(strbuf *b, uint8_t as, const msg_result *m)
{
    size_t at = wire_begin(b, as);
    const rt_result *r = &m->is;

    wire_put_u64(b, m->launch);
    wire_put_text(b, m->error);
    put_outcome(b, &r->outcome);
    put_lines(b, r);
    put_strays(b, &r->strays);
    put_spins(b, r->spins);
    wire_put_numbers(b, r->totals, m->total_count);
    wire_put_numbers(b, r->counters, m->counter_count);
    put_profile(b, m->profile, m->profile_count);
    put_series(b, &m->series);
    put_warps(b, &m->warps);
    put_moved(b, &m->moved);
    wire_end(b, at);
}

void msg_result_put(strbuf *b, const msg_result *m)
{
    put_result(b, MSG_RESULT, m);
}

void msg_sofar_put(strbuf *b, const msg_result *m)
{
    put_result(b, MSG_SOFAR, m);
}

static bool get_vectors(wire *w, msg_result *m)
{
    m->is.totals = wire_get_numbers(w, NUMBERS_MOST, &m->total_count);
    m->is.counters = wire_get_numbers(w, NUMBERS_MOST, &m->counter_count);
    return get_profile(w, &m->profile, &m->profile_count);
}

bool msg_result_get(wire *w, arena *mem, msg_result *m)
{
    rt_result *r = &m->is;

    *m = (msg_result){.launch = wire_get_u64(w)};
    m->error = wire_get_text(w, mem);
    if (get_outcome(w, mem, &r->outcome) && get_lines(w, r) &&
        get_strays(w, mem, &r->strays) && get_spins(w, mem, &m->spins) &&
        get_vectors(w, m) && get_series(w, &m->series) &&
        get_warps(w, &m->warps)) {
        get_moved(w, &m->moved);
        if (!w->bad)
            return true;
    }
    msg_result_fini(m);
    return false;
}

void msg_result_fini(msg_result *m)
{
    for (size_t i = 0; i < m->is.line_count; i++)
        free(m->is.lines[i].text);
    free((void *)m->is.lines);
    exec_strays_fini(&m->is.strays);
    exec_spins_fini(&m->spins);
    free((void *)m->is.totals);
    free((void *)m->is.counters);
    free(m->profile);
    energy_series_fini(&m->series);
    stats_series_fini(&m->warps);
    *m = (msg_result){0};
}

/* ---- The rest ---- */

void msg_bye_put(strbuf *b, const msg_bye *m)
{
    size_t at = wire_begin(b, MSG_BYE);

    put_moved(b, &m->moved);
    wire_put_u8(b, m->has_hash);
    wire_put_u64(b, m->hash);
    wire_put_u64(b, m->memory_hash);
    wire_end(b, at);
}

bool msg_bye_get(wire *w, msg_bye *m)
{
    get_moved(w, &m->moved);
    m->has_hash = wire_get_u8(w);
    m->hash = wire_get_u64(w);
    m->memory_hash = wire_get_u64(w);
    return !w->bad;
}

void msg_failed_put(strbuf *b, const msg_failed *m)
{
    size_t at = wire_begin(b, MSG_FAILED);

    wire_put_text(b, m->function);
    wire_put_u32(b, (uint32_t)m->code);
    wire_put_text(b, m->name);
    wire_put_text(b, m->text);
    wire_end(b, at);
}

bool msg_failed_get(wire *w, arena *mem, msg_failed *m)
{
    m->function = wire_get_text(w, mem);
    m->code = (int32_t)wire_get_u32(w);
    m->name = wire_get_text(w, mem);
    m->text = wire_get_text(w, mem);
    return !w->bad && m->function && m->name && m->text;
}

void msg_activity_put(strbuf *b, const report_activity *a)
{
    size_t at = wire_begin(b, MSG_ACTIVITY);

    wire_put_u8(b, (uint8_t)a->kind);
    wire_put_u8(b, (uint8_t)a->flags);
    wire_put_u32(b, a->device);
    wire_put_text(b, a->stream);
    wire_put_u64(b, a->begin_ns);
    wire_put_u64(b, a->end_ns);
    wire_put_u64(b, a->bytes);
    wire_put_u64(b, a->launch);
    wire_put_u32(b, a->part);
    wire_end(b, at);
}

bool msg_activity_get(wire *w, arena *mem, report_activity *a)
{
    a->kind = (activity_kind)wire_get_u8(w);
    a->flags = wire_get_u8(w);
    a->device = wire_get_u32(w);
    a->stream = wire_get_text(w, mem);
    a->begin_ns = wire_get_u64(w);
    a->end_ns = wire_get_u64(w);
    a->bytes = wire_get_u64(w);
    a->launch = wire_get_u64(w);
    a->part = wire_get_u32(w);
    return !w->bad && a->kind < ACTIVITY_KINDS && a->begin_ns <= a->end_ns &&
           !a->stream == (a->kind == ACTIVITY_WAIT);
}

void msg_note_put(strbuf *b, const char *text)
{
    size_t at = wire_begin(b, MSG_NOTE);

    wire_put_text(b, text);
    wire_end(b, at);
}

const char *msg_note_get(wire *w, arena *mem) { return wire_get_text(w, mem); }

/* ---- Where somebody watches ---- */

void msg_ask_put(strbuf *b, const lookout_ask *a)
{
    size_t at = wire_begin(b, MSG_ASK);

    wire_put_u8(b, (uint8_t)a->command);
    wire_put_u64(b, a->number);
    wire_put_u64(b, a->cycles);
    wire_put_u8(b, a->inspects);
    wire_put_u32(b, a->device);
    wire_put_u32(b, a->sm);
    wire_put_u32(b, a->slot);
    wire_end(b, at);
}

bool msg_ask_get(wire *w, lookout_ask *a)
{
    a->command = (lookout_command)wire_get_u8(w);
    a->number = wire_get_u64(w);
    a->cycles = wire_get_u64(w);
    a->inspects = wire_get_u8(w);
    a->device = wire_get_u32(w);
    a->sm = wire_get_u32(w);
    a->slot = wire_get_u32(w);
    return !w->bad && a->command < LOOKOUT_COMMANDS;
}

void msg_seen_put(strbuf *b, const lookout_seen *s)
{
    size_t at = wire_begin(b, MSG_SEEN);

    wire_put_u32(b, s->device);
    wire_put_text(b, s->text);
    wire_put_text(b, s->warp);
    wire_put_u64(b, s->done);
    wire_put_u8(b, s->standing);
    wire_put_real(b, s->launch_s);
    wire_put_real(b, s->all_s);
    put_progress(b, &s->is);
    wire_end(b, at);
}

bool msg_seen_get(wire *w, arena *mem, lookout_seen *s)
{
    s->device = wire_get_u32(w);
    s->text = wire_get_text(w, mem);
    s->warp = wire_get_text(w, mem);
    s->done = wire_get_u64(w);
    s->standing = wire_get_u8(w);
    s->launch_s = wire_get_real(w);
    s->all_s = wire_get_real(w);
    return get_progress(w, &s->is) && s->text;
}
