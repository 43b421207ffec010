#include "trace/waterfall.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "sm/stats.h"

enum { SLOTS = 64 };

typedef struct row { /* one warp, while its slot holds it */
    unsigned warp;
    uint64_t cta;
    uint32_t index;
    bool waiting; /* since `since` for `why` at `code` */
    uint64_t since;
    unsigned why;
    int64_t code;
    strbuf waits, insts, requests;
} row;

typedef struct waterfall {
    trace_writer is;
    const trace_launch *l;
    bool done, cut; /* a window is kept; more than there is room for */
    bool begun;
    unsigned sm;
    uint64_t from, to;
    uint64_t rows;
    int64_t *place; /* of each pc in `codes`, -1: not there */
    int64_t places;
    strbuf codes, text;
    row *row;
    size_t count, room;
    size_t of[SLOTS]; /* the slot's row, from 1; 0: none */
} waterfall;

/* Escaped as JSON wants it. */
static void put_json_text(strbuf *b, const char *s)
{
    strbuf_putc(b, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            strbuf_putc(b, '\\');
        strbuf_putc(b, (unsigned char)*s < ' ' ? ' ' : *s);
    }
    strbuf_putc(b, '"');
}

/* Where the instruction stands in the list of codes. */
static int64_t number_of_code(waterfall *w, uint32_t pc)
{
    strbuf text = {0}, line = {0};

    if (pc >= w->l->kernel->code_count)
        return -1;
    if (w->place[pc] >= 0)
        return w->place[pc];
    trace_text(w->l, pc, &text);
    strbuf_printf(&w->codes, "%s[%" PRIu32 ",", w->places ? "," : "", pc);
    put_json_text(&w->codes, text.text);
    strbuf_putc(&w->codes, ',');
    if (trace_line(w->l, pc, &line))
        put_json_text(&w->codes, line.text);
    else
        strbuf_puts(&w->codes, "null");
    strbuf_putc(&w->codes, ']');
    strbuf_fini(&text);
    strbuf_fini(&line);
    return w->place[pc] = w->places++;
}

static row *row_of(waterfall *w, unsigned warp)
{
    return w->of[warp % SLOTS] ? &w->row[w->of[warp % SLOTS] - 1] : NULL;
}

static void comma(waterfall *w, strbuf *b)
{
    if (b->size)
        strbuf_putc(b, ',');
    w->rows++;
}

static void end_wait(waterfall *w, row *r, uint64_t cycle)
{
    if (r->waiting && cycle > r->since) {
        comma(w, &r->waits);
        strbuf_printf(&r->waits, "[%" PRIu64 ",%" PRIu64 ",%u,%" PRId64 "]",
                      r->since, cycle - r->since, r->why, r->code);
    }
    r->waiting = false;
}

/* As `why` of the file: sm_why, and one more behind them. */
static unsigned reason(unsigned b)
{
    if (b >> 8)
        return (b >> 8) - 1;
    return b == WHY_READY ? WHY_COUNT : b & 0xff;
}

static void begin_warp(waterfall *w, const trace_event *e)
{
    GROW(w->row, w->count + 1, w->room);
    w->row[w->count++] = (row){.warp = e->warp, .cta = e->addr, .index = e->a};
    w->of[e->warp % SLOTS] = w->count;
}

static void on_wait(waterfall *w, row *r, const trace_event *e)
{
    end_wait(w, r, e->cycle);
    r->waiting = true;
    r->since = e->cycle;
    r->why = reason(e->b);
    r->code = e->inst ? number_of_code(w, e->a) : -1;
}

static void on_retire(waterfall *w, row *r, const trace_event *e,
                      const trace_inst *in)
{
    if (!in->issue && in->first)
        return; /* issued before the window */
    comma(w, &r->insts);
    strbuf_printf(&r->insts, "[%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%u,%u]",
                  number_of_code(w, in->pc), in->issue, e->cycle - in->issue,
                  in->unit, (unsigned)__builtin_popcount(in->lanes));
}

static void on_reply(waterfall *w, row *r, const trace_event *e,
                     const trace_inst *in, const trace_tx *t)
{
    bool below = t->l2 < ACCESSES;

    comma(w, &r->requests);
    strbuf_printf(&r->requests, "[%" PRIu64 ",%u,%" PRId64 ",\"L1 %s%s%s\"]",
                  t->born, e->a, number_of_code(w, in->pc),
                  t->l1 < ACCESSES ? trace_access_names[t->l1] : "?",
                  below ? ", L2 " : "", below ? trace_access_names[t->l2] : "");
}

static void waterfall_event(void *arg, const trace_event *e, trace_inst *in,
                            trace_tx *t)
{
    waterfall *w = arg;
    row *r;

    if (w->done || w->cut || (trace_blocks[e->kind] != TRACE_SM && !in))
        return;
    if (!w->begun) {
        w->begun = true;
        w->sm = e->sm;
        w->from = e->cycle;
    }
    if (e->sm != w->sm)
        return;
    w->to = e->cycle;
    w->cut = w->rows >= WATERFALL_ROWS;
    if (e->kind == TRACE_WARP_BEGIN)
        begin_warp(w, e);
    r = row_of(w, in ? in->warp : e->warp);
    if (!r)
        return;
    if (e->kind == TRACE_WAIT) {
        on_wait(w, r, e);
    } else if (e->kind == TRACE_WARP_END) {
        end_wait(w, r, e->cycle);
        w->of[e->warp % SLOTS] = 0;
    } else if (e->kind == TRACE_RETIRE && in) {
        on_retire(w, r, e, in);
    } else if (e->kind == TRACE_REPLY && in && t) {
        on_reply(w, r, e, in, t);
    }
}

static void waterfall_begin(trace_writer *is, const trace_launch *l)
{
    waterfall *w = (waterfall *)is;

    if (w->done)
        return;
    w->l = l;
    w->place = new0(l->kernel->code_count + 1, sizeof *w->place);
    for (uint32_t i = 0; i < l->kernel->code_count; i++)
        w->place[i] = -1;
}

static void put_waterfall_head(waterfall *w)
{
    strbuf *b = &w->text;

    strbuf_printf(
        b, "{\"version\":1,\"launch\":%" PRIu64 ",\"kernel\":", w->l->number);
    put_json_text(b, w->l->kernel->name);
    strbuf_printf(b,
                  ",\"sm\":%u,\"from\":%" PRIu64 ",\"to\":%" PRIu64
                  ",\"cut\":%s,\n\"why\":[",
                  w->sm, w->from, w->to, w->cut ? "true" : "false");
    for (unsigned i = 0; i < WHY_COUNT; i++)
        strbuf_printf(b, "\"%s\",", sm_why_names[i]);
    strbuf_puts(b, "\"not_chosen\"],\n\"unit\":[");
    for (unsigned i = 0; i <= CFG_UNIT_FMA_HEAVY; i++)
        strbuf_printf(b, "%s\"%s\"", i ? "," : "", trace_unit(i));
    strbuf_puts(b, "],\n\"code\":[");
    strbuf_puts(b, w->codes.text ? w->codes.text : "");
    strbuf_puts(b, "],\n\"warps\":[");
}

static void put_warp_row(strbuf *b, row *r, bool first)
{
    strbuf_printf(
        b, "%s\n{\"warp\":%u,\"cta\":%" PRIu64 ",\"index\":%u,\"waits\":[",
        first ? "" : ",", r->warp, r->cta, r->index);
    strbuf_puts(b, r->waits.text ? r->waits.text : "");
    strbuf_puts(b, "],\"insts\":[");
    strbuf_puts(b, r->insts.text ? r->insts.text : "");
    strbuf_puts(b, "],\"requests\":[");
    strbuf_puts(b, r->requests.text ? r->requests.text : "");
    strbuf_puts(b, "]}");
    strbuf_fini(&r->waits);
    strbuf_fini(&r->insts);
    strbuf_fini(&r->requests);
}

static void waterfall_end(trace_writer *is, const trace_flow *f, uint64_t cycle)
{
    waterfall *w = (waterfall *)is;

    (void)f;
    if (w->done)
        return;
    if (!w->cut && w->begun)
        w->to = cycle;
    for (size_t i = 0; i < w->count; i++)
        end_wait(w, &w->row[i], w->to);
    if (w->begun) {
        put_waterfall_head(w);
        for (size_t i = 0; i < w->count; i++)
            put_warp_row(&w->text, &w->row[i], i == 0);
        strbuf_puts(&w->text, "]}\n");
        w->done = true;
    }
    free(w->place);
    free(w->row);
    strbuf_fini(&w->codes);
    w->place = NULL;
    w->row = NULL;
}

static void waterfall_free(trace_writer *is)
{
    waterfall *w = (waterfall *)is;

    strbuf_fini(&w->text);
    free(w);
}

static const trace_writer_ops waterfall_ops = {waterfall_begin, waterfall_event,
                                               waterfall_end, waterfall_free};

trace_writer *trace_waterfall_new(void)
{
    waterfall *w = new0(1, sizeof *w);

    w->is.ops = &waterfall_ops;
    return &w->is;
}

const char *trace_waterfall_text(const trace_writer *is, size_t *size)
{
    const waterfall *w = (const waterfall *)is;

    *size = w->text.size;
    return w->text.text;
}
