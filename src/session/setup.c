#include "session/setup.h"

#include <string.h>

#include "base/must.h"
#include "session/message.h"

enum { DEVICES_MOST = 256, RULES_MOST = 1 << 16 };

session_setup *session_setup_new(void)
{
    arena *mem = arena_new();

    session_setup *s = ARENA_NEW(mem, session_setup);
    s->mem = mem;
    return s;
}

void session_setup_free(session_setup *s)
{
    if (s)
        arena_free(s->mem);
}

bool session_code_of(const char *word, session_code *out)
{
    static const char *const words[] = {
        [CODE_AUTO] = "auto", [CODE_PTX] = "ptx", [CODE_SASS] = "sass"};

    for (size_t i = 0; i < COUNTOF(words); i++)
        if (!strcmp(words[i], word)) {
            *out = (session_code)i;
            return true;
        }
    return false;
}

static void put_select(strbuf *b, const launch_filter *r)
{
    wire_put_u8(b, (uint8_t)(r->functional | r->sample << 1));
    wire_put_u64(b, r->skip);
    wire_put_u64(b, r->max_timed);
    wire_put_u32(b, (uint32_t)r->count);
    for (size_t i = 0; i < r->count; i++) {
        wire_put_text(b, r->rule[i].kernel);
        wire_put_u64(b, r->rule[i].first);
        wire_put_u64(b, r->rule[i].last);
    }
}

static void get_select(wire *w, arena *mem, launch_filter *r)
{
    uint8_t bits = wire_get_u8(w);

    r->functional = bits & 1;
    r->sample = bits >> 1 & 1;
    r->skip = wire_get_u64(w);
    r->max_timed = wire_get_u64(w);
    r->count = wire_get_u32(w);
    if (r->count > RULES_MOST)
        w->bad = true;
    if (w->bad)
        return;
    r->rule = ARENA_ARRAY(mem, launch_filter_rule, r->count + 1);
    for (size_t i = 0; i < r->count; i++) {
        r->rule[i].kernel = wire_get_text(w, mem);
        r->rule[i].first = wire_get_u64(w);
        r->rule[i].last = wire_get_u64(w);
        w->bad |= !r->rule[i].kernel;
    }
}

static void put_trace(strbuf *b, const session_trace *t)
{
    wire_put_u8(b, t->wanted);
    wire_put_u32(b, t->filter.first_sm);
    wire_put_u32(b, t->filter.last_sm);
    wire_put_u64(b, t->filter.warps);
    wire_put_u64(b, t->filter.from);
    wire_put_u64(b, t->filter.to);
    wire_put_u8(b, t->filter.queues);
    wire_put_u64(b, t->first);
    wire_put_u64(b, t->last);
    wire_put_u64(b, t->limit);
}

static void get_trace(wire *w, session_trace *t)
{
    t->wanted = wire_get_u8(w);
    t->filter.first_sm = wire_get_u32(w);
    t->filter.last_sm = wire_get_u32(w);
    t->filter.warps = wire_get_u64(w);
    t->filter.from = wire_get_u64(w);
    t->filter.to = wire_get_u64(w);
    t->filter.queues = wire_get_u8(w);
    t->first = wire_get_u64(w);
    t->last = wire_get_u64(w);
    t->limit = wire_get_u64(w);
}

static void put_checkpoint(strbuf *b, const session_checkpoint *c)
{
    wire_put_text(b, c->file);
    wire_put_u8(b, (uint8_t)(c->resumes | c->taken << 1));
    wire_put_text(b, c->kernel);
    wire_put_u64(b, c->nth);
}

static void get_checkpoint(wire *w, arena *mem, session_checkpoint *c)
{
    c->file = wire_get_text(w, mem);
    uint8_t bits = wire_get_u8(w);
    c->resumes = bits & 1;
    c->taken = bits >> 1 & 1;
    c->kernel = wire_get_text(w, mem);
    c->nth = wire_get_u64(w);
    w->bad |= c->file && !c->resumes && !c->kernel;
}

void session_setup_put(strbuf *b, const session_setup *s)
{
    size_t at = wire_begin(b, MSG_SETUP);

    wire_put_u32(b, s->rt.threads);
    wire_put_u8(b, s->rt.no_skip);
    wire_put_u64(b, s->rt.shuffle);
    wire_put_u32(b, s->rt.max_registers);
    wire_put_u64(b, s->rt.print_bytes);
    wire_put_u64(b, s->rt.heap_bytes);
    wire_put_u32(b, s->rt.stack_bytes);
    wire_put_u8(b, (uint8_t)(s->rt.lenient | s->rt.check_async << 1));
    wire_put_u32(b, s->rt.warm);
    put_select(b, &s->filter);
    wire_put_u64(b, s->max_cycles);
    wire_put_u8(b, s->profile);
    wire_put_u8(b, s->sources);
    wire_put_u8(b, s->per_block);
    wire_put_u64(b, s->sample_cycles);
    wire_put_u64(b, s->warps_cycles);
    wire_put_u8(b, (uint8_t)(s->hash | s->timeline << 1 | s->watch.wanted << 2 |
                             s->watch.hold << 3));
    put_trace(b, &s->trace);
    wire_put_u64(b, s->slack_bytes);
    wire_put_u8(b, s->as_cpu);
    wire_put_u8(b, (uint8_t)s->code);
    put_checkpoint(b, &s->checkpoint);
    wire_put_text(b, s->rt.trace_folder);
    wire_put_u8(b, (uint8_t)s->rt.trace_pack);
    wire_put_u32(b, s->device_count);
    for (unsigned i = 0; i < s->device_count; i++) {
        wire_put_text(b, s->devices[i].name);
        wire_put_text(b, s->devices[i].config);
    }
    wire_end(b, at);
}

static void get_devices(wire *w, session_setup *s)
{
    s->device_count = wire_get_u32(w);
    if (!s->device_count || s->device_count > DEVICES_MOST)
        w->bad = true;
    if (w->bad)
        return;
    s->devices = ARENA_ARRAY(s->mem, session_device, s->device_count);
    for (unsigned i = 0; i < s->device_count; i++) {
        s->devices[i].name = wire_get_text(w, s->mem);
        s->devices[i].config = wire_get_text(w, s->mem);
        w->bad |= !s->devices[i].name || !s->devices[i].config;
    }
}

session_setup *session_setup_get(wire *w)
{
    session_setup *s = session_setup_new();

    if (!s)
        return NULL;
    s->rt.threads = wire_get_u32(w);
    s->rt.no_skip = wire_get_u8(w);
    s->rt.shuffle = wire_get_u64(w);
    s->rt.max_registers = wire_get_u32(w);
    s->rt.print_bytes = wire_get_u64(w);
    s->rt.heap_bytes = wire_get_u64(w);
    s->rt.stack_bytes = wire_get_u32(w);
    uint8_t bits = wire_get_u8(w);
    s->rt.lenient = bits & 1;
    s->rt.check_async = bits >> 1 & 1;
    s->rt.warm = wire_get_u32(w);
    get_select(w, s->mem, &s->filter);
    s->max_cycles = wire_get_u64(w);
    s->profile = wire_get_u8(w);
    s->sources = wire_get_u8(w);
    s->per_block = wire_get_u8(w);
    s->sample_cycles = wire_get_u64(w);
    s->warps_cycles = wire_get_u64(w);
    bits = wire_get_u8(w);
    s->hash = bits & 1;
    s->timeline = bits >> 1 & 1;
    s->watch.wanted = bits >> 2 & 1;
    s->watch.hold = bits >> 3 & 1;
    get_trace(w, &s->trace);
    s->slack_bytes = wire_get_u64(w);
    s->as_cpu = wire_get_u8(w);
    s->code = (session_code)(wire_get_u8(w) % (CODE_SASS + 1));
    get_checkpoint(w, s->mem, &s->checkpoint);
    s->rt.trace_folder = wire_get_text(w, s->mem);
    s->rt.trace_pack = (pack_how)(wire_get_u8(w) % 3);
    get_devices(w, s);
    if (w->bad) {
        session_setup_free(s);
        return NULL;
    }
    return s;
}
