/* src/trace/kanata.c - a trace as a log of Kanata 0004, for the viewer Konata
 * [KANATA:format]. Lane 0 is the pipeline, lane `stall` why an instruction
 * waits, lane `mem` its way through the load and store unit, lanes t0 to t3
 * those of its first transactions. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "sm/decode.h"
#include "sm/stats.h"
#include "trace/writer.h"

enum {
    SLOTS = 64,      /* warps of an SM */
    REGS = 256,      /* and predicates behind them */
    TX_LANES = 4,    /* of an instruction */
    LAUNCH_GAP = 20, /* cycles drawn between two launches */
};

typedef struct producer {
    uint64_t id;    /* line, from 1, as trace_inst.own */
    uint64_t until; /* cycle in which it retired, NEVER: not yet */
} producer;

typedef struct slot {
    uint64_t cta;
    uint32_t index;
    /* The stall that is shown and the one that is to be: of line `id`, 0:
     * none. What changes within a cycle is not shown. */
    struct {
        uint64_t id;
        const char *why;
    } shown, wanted;
    bool dirty;
    producer of[REGS + 8];
} slot;

typedef struct kanata {
    trace_writer is;
    FILE *f;
    const trace_launch *l;
    sm_decoded code;
    slot **slot; /* of each SM, SLOTS of them; NULL: none yet */
    uint32_t *dirty;
    size_t dirty_count;
    uint64_t now; /* cycle of what was written last */
    uint64_t ids, retired;
    bool begun;     /* something was written */
    bool in_launch; /* and some of this launch */
} kanata;

/* ---- Time ---- */

static slot *warp_slot(kanata *k, unsigned sm, unsigned w)
{
    if (!k->slot[sm]) {
        k->slot[sm] = new0(SLOTS, sizeof *k->slot[sm]);
    }
    return &k->slot[sm][w];
}

static void show_stall(kanata *k, slot *s)
{
    s->dirty = false;
    if (s->shown.id == s->wanted.id && s->shown.why == s->wanted.why)
        return;
    if (s->shown.id && s->shown.id != s->wanted.id)
        fprintf(k->f, "E\t%" PRIu64 "\tstall\t%s\n", s->shown.id - 1,
                s->shown.why);
    if (s->wanted.id)
        fprintf(k->f, "S\t%" PRIu64 "\tstall\t%s\n", s->wanted.id - 1,
                s->wanted.why);
    s->shown = s->wanted;
}

static void show_stalls(kanata *k)
{
    for (size_t i = 0; i < k->dirty_count; i++)
        show_stall(k, warp_slot(k, k->dirty[i] / SLOTS, k->dirty[i] % SLOTS));
    k->dirty_count = 0;
}

static void set_stall(kanata *k, unsigned sm, unsigned w, uint64_t id,
                      const char *why)
{
    slot *s = warp_slot(k, sm, w);

    s->wanted.id = id;
    s->wanted.why = id ? why : NULL;
    if (!s->dirty)
        k->dirty[k->dirty_count++] = sm * SLOTS + w;
    s->dirty = true;
}

static void advance_to(kanata *k, uint64_t cycle)
{
    if (!k->begun) {
        fprintf(k->f, "Kanata\t0004\nC=\t%" PRIu64 "\n", cycle);
    } else if (!k->in_launch) {
        fprintf(k->f, "C\t%u\n", LAUNCH_GAP);
    } else if (cycle > k->now) {
        show_stalls(k);
        fprintf(k->f, "C\t%" PRIu64 "\n", cycle - k->now);
    }
    k->begun = k->in_launch = true;
    k->now = cycle;
}

/* ---- Instructions ---- */

static void label(kanata *k, const trace_inst *in, const slot *s)
{
    strbuf left = {0}, more = {0};
    uint64_t id = in->own - 1;

    strbuf_printf(&left, "w%02u ", in->warp);
    trace_text(k->l, in->pc, &left);
    strbuf_printf(&more, "SM %u, warp %u: CTA %" PRIu64 ", its warp %u", in->sm,
                  in->warp, s->cta, s->index);
    strbuf_printf(&more, "\\nfirst seen in cycle %" PRIu64, in->first);
    strbuf_puts(&more, "\\n");
    if (!trace_line(k->l, in->pc, &more))
        strbuf_puts(&more, "source line not known");
    fprintf(k->f, "L\t%" PRIu64 "\t0\t%s\nL\t%" PRIu64 "\t1\t%s\n", id,
            left.text, id, more.text);
    strbuf_fini(&left);
    strbuf_fini(&more);
}

static void introduce(kanata *k, trace_inst *in)
{
    in->own = ++k->ids;
    fprintf(k->f, "I\t%" PRIu64 "\t%u\t%u\n", k->ids - 1, in->inst,
            in->sm * SLOTS + in->warp);
    label(k, in, warp_slot(k, in->sm, in->warp));
}

static void kanata_stage(kanata *k, const trace_inst *in, const char *lane,
                         const char *name)
{
    fprintf(k->f, "S\t%" PRIu64 "\t%s\t%s\n", in->own - 1, lane, name);
}

static void tip(kanata *k, const trace_inst *in, unsigned type, const char *fmt,
                ...) __attribute__((format(printf, 4, 5)));

static void tip(kanata *k, const trace_inst *in, unsigned type, const char *fmt,
                ...)
{
    va_list ap;

    fprintf(k->f, "L\t%" PRIu64 "\t%u\t", in->own - 1, type);
    va_start(ap, fmt);
    vfprintf(k->f, fmt, ap);
    va_end(ap);
    fputc('\n', k->f);
}

/* Arrows from what wrote the operands, if that was under way when `in` was
 * fetched: only then can it have waited for it. */
static void arrow(kanata *k, const trace_inst *in, const producer *p,
                  uint64_t *last)
{
    if (!p->id || p->until < in->first || p->id == *last)
        return;
    fprintf(k->f, "W\t%" PRIu64 "\t%" PRIu64 "\t0\n", in->own - 1, p->id - 1);
    *last = p->id;
}

static void arrows(kanata *k, const trace_inst *in)
{
    slot *s = warp_slot(k, in->sm, in->warp);
    const sm_inst *si = &k->code.inst[in->pc];
    producer me = {in->own, NEVER};
    uint64_t last = 0;

    for (unsigned i = 0; i < si->reads; i++)
        arrow(k, in, &s->of[si->read[i]], &last);
    for (unsigned i = 0; i < ISA_PREDS; i++)
        if (si->in->pread >> i & 1)
            arrow(k, in, &s->of[REGS + i], &last);
    for (unsigned i = 0; i < si->in->dst_regs; i++)
        s->of[(si->in->dst + i) % REGS] = me;
    for (unsigned i = 0; i < ISA_PREDS; i++)
        if (si->in->pwrite >> i & 1)
            s->of[REGS + i] = me;
}

static void forget_producer(kanata *k, const trace_inst *in, uint64_t cycle)
{
    slot *s = warp_slot(k, in->sm, in->warp);
    const isa_inst *is = &k->l->kernel->code[in->pc];
    uint64_t id = in->own;

    for (unsigned i = 0; i < is->dst_regs; i++)
        if (s->of[(is->dst + i) % REGS].id == id)
            s->of[(is->dst + i) % REGS].until = cycle;
    for (unsigned i = 0; i < ISA_PREDS; i++)
        if ((is->pwrite >> i & 1) && s->of[REGS + i].id == id)
            s->of[REGS + i].until = cycle;
}

/* R closes all its stages. */
static void retire(kanata *k, const trace_inst *in, bool flushed)
{
    slot *s = warp_slot(k, in->sm, in->warp);
    uint64_t id = in->own;

    if (s->wanted.id == id)
        set_stall(k, in->sm, in->warp, 0, NULL);
    if (s->shown.id == id)
        s->shown.id = 0;
    fprintf(k->f, "R\t%" PRIu64 "\t%" PRIu64 "\t%d\n", id - 1, k->retired,
            flushed);
    k->retired += !flushed;
}

static void kanata_issue(kanata *k, const trace_event *e, const trace_inst *in)
{
    const slot *s = warp_slot(k, in->sm, in->warp);

    if (s->wanted.id == in->own)
        set_stall(k, in->sm, in->warp, 0, NULL);
    kanata_stage(k, in, "0", "Is");
    tip(k, in, 1, "\\nissued in cycle %" PRIu64 " by scheduler %u, %u lanes",
        e->cycle, e->b, bits_popcount32(in->lanes));
    arrows(k, in);
}

static void kanata_execute(kanata *k, const trace_event *e,
                           const trace_inst *in)
{
    char name[32];

    snprintf(name, sizeof name, "X%s", trace_unit(e->b));
    kanata_stage(k, in, "0", name);
    tip(k, in, 2, "unit %s: interval %u, latency %" PRIu64, trace_unit(e->b),
        e->a, e->addr);
}

static void wait(kanata *k, const trace_event *e, const trace_inst *in)
{
    /* An instruction that is waited at inside has not retired. */
    if (in && !in->retired)
        set_stall(k, e->sm, e->warp, in->own, trace_why(e->b));
    else
        set_stall(k, e->sm, e->warp, 0, NULL);
}

/* ---- Memory ---- */

static void kanata_reply(kanata *k, const trace_event *e, const trace_inst *in,
                         const trace_tx *t)
{
    if (t->number < TX_LANES)
        fprintf(k->f, "E\t%" PRIu64 "\tt%u\t%s\n", in->own - 1, t->number,
                trace_places[t->before]);
    tip(k, in, 1, "\\nt%u line 0x%" PRIx64 ": L1 %s%s%s, %u cycles", t->number,
        t->line, t->l1 < ACCESSES ? trace_access_names[t->l1] : "?",
        t->l2 < ACCESSES ? ", L2 " : "",
        t->l2 < ACCESSES ? trace_access_names[t->l2] : "", e->a);
}

static void kanata_request(kanata *k, const trace_event *e,
                           const trace_inst *in, const trace_tx *t)
{
    static const char *const row[] = {"row hit", "row miss", "row conflict"};
    char lane[16];

    if (e->kind == TRACE_REPLY) {
        kanata_reply(k, e, in, t);
        return;
    }
    if (t->number >= TX_LANES)
        return;
    snprintf(lane, sizeof lane, "t%u", t->number);
    if (e->kind == TRACE_L1_REFUSE || e->kind == TRACE_L2_REFUSE) {
        tip(k, in, 1, "\\nt%u refused by the %s in cycle %" PRIu64 ": %s",
            t->number, e->kind == TRACE_L1_REFUSE ? "L1" : "L2", e->cycle,
            trace_refusal(e));
        return;
    }
    kanata_stage(k, in, lane, trace_places[t->place]);
    if (e->kind == TRACE_REQUEST)
        tip(k, in, 2, "line 0x%" PRIx64 ", sectors 0x%x", t->line, t->sectors);
    else if (e->kind == TRACE_L1_ACCESS || e->kind == TRACE_L2_ACCESS)
        tip(k, in, 2, "%s", trace_access_names[e->a]);
    else if (e->kind == TRACE_DRAM_ACCESS)
        tip(k, in, 2, "channel %u, %s", e->unit, row[e->a % 3]);
}

static void kanata_memory(kanata *k, const trace_event *e, const trace_inst *in)
{
    static const char *const blocked[] = {"lsu_runs", "l1_port", "lsu_pending",
                                          "lsu_coherence"};

    switch (e->kind) {
    case TRACE_LSU_QUEUE:
        kanata_stage(k, in, "mem", "Q");
        break;
    case TRACE_LSU_START:
        kanata_stage(k, in, "mem", "Ls");
        tip(k, in, 2, "%u transactions", e->a);
        break;
    case TRACE_LSU_BLOCK:
        kanata_stage(k, in, "mem", e->b ? blocked[e->b % 4] : "Ls");
        break;
    case TRACE_SHARED:
        kanata_stage(k, in, "mem", "Sh");
        tip(k, in, 2, "%u passes, %u for bank conflicts", e->a, e->b);
        break;
    case TRACE_LSU_DONE:
        kanata_stage(k, in, "mem", "Wd");
        break;
    }
}

/* ---- Events ---- */

static void pipeline(kanata *k, const trace_event *e, trace_inst *in)
{
    switch (e->kind) {
    case TRACE_FETCH:
        kanata_stage(k, in, "0", "F");
        break;
    case TRACE_DECODE:
        kanata_stage(k, in, "0", "D");
        break;
    case TRACE_WAIT:
        wait(k, e, in);
        break;
    case TRACE_ISSUE:
        kanata_issue(k, e, in);
        break;
    case TRACE_COLLECT:
        kanata_stage(k, in, "0", "Oc");
        tip(k, in, 2, "bank conflicts: %u cycles", e->a);
        break;
    case TRACE_EXECUTE:
        kanata_execute(k, e, in);
        break;
    case TRACE_FLYING:
        kanata_stage(k, in, "0", "Xlsu");
        tip(k, in, 2, "issued before the trace begins");
        break;
    case TRACE_WRITE:
        kanata_stage(k, in, "0", "Wb");
        break;
    case TRACE_FLUSH:
    case TRACE_RETIRE:
        forget_producer(k, in, e->cycle);
        retire(k, in, e->kind == TRACE_FLUSH);
        break;
    default:
        kanata_memory(k, e, in);
    }
}

static void warp_begins(kanata *k, const trace_event *e)
{
    slot *s = warp_slot(k, e->sm, e->warp);

    s->cta = e->addr;
    s->index = e->a;
    for (unsigned i = 0; i < COUNTOF(s->of); i++)
        s->of[i] = (producer){0, 0};
}

static void kanata_event(void *arg, const trace_event *e, trace_inst *in,
                         trace_tx *t)
{
    kanata *k = arg;

    if (e->kind == TRACE_WARP_BEGIN)
        warp_begins(k, e);
    else if (e->kind == TRACE_WARP_END || (e->kind == TRACE_WAIT && !in))
        set_stall(k, e->sm, e->warp, 0, NULL);
    if (!in || (in->retired && e->kind != TRACE_RETIRE))
        return;
    advance_to(k, e->cycle);
    if (!in->own)
        introduce(k, in);
    if (t)
        kanata_request(k, e, in, t);
    else
        pipeline(k, e, in);
}

static void kanata_begin(trace_writer *w, const trace_launch *l)
{
    kanata *k = (kanata *)w;

    k->l = l;
    k->in_launch = false;
    k->slot = new0(l->cfg->gpu.sms, sizeof *k->slot);
    k->dirty = new0((size_t)l->cfg->gpu.sms * SLOTS, sizeof *k->dirty);
    sm_decode_load(&k->code, l->cfg, l->kernel, l->arch, 0);
}

static void kanata_end(trace_writer *w, const trace_flow *f, uint64_t cycle)
{
    kanata *k = (kanata *)w;

    if (k->in_launch)
        advance_to(k, cycle);
    for (trace_inst *in = trace_flow_next(f, NULL); in;
         in = trace_flow_next(f, in)) {
        if (!in->own || in->retired)
            continue;
        tip(k, in, 1, "\\nunder way when the trace ended");
        retire(k, in, true);
    }
    for (unsigned i = 0; i < k->l->cfg->gpu.sms; i++)
        free(k->slot[i]);
    free(k->slot);
    free(k->dirty);
    k->slot = NULL;
    k->dirty = NULL;
    k->dirty_count = 0;
}

static void kanata_free(trace_writer *w)
{
    kanata *k = (kanata *)w;

    if (!k->begun)
        fputs("Kanata\t0004\n", k->f);
    sm_decode_fini(&k->code);
    free(k);
}

static const trace_writer_ops kanata_ops = {kanata_begin, kanata_event,
                                            kanata_end, kanata_free};

trace_writer *trace_kanata_new(FILE *f)
{
    kanata *k = new0(1, sizeof *k);

    k->is.ops = &kanata_ops;
    k->f = f;
    return &k->is;
}
