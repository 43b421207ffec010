#include "trace/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "cache/l1.h"
#include "cache/l2.h"
#include "config/param.h"
#include "isa/print.h"
#include "sm/stats.h"

struct trace_flow {
    const trace_launch *launch;
    map *by_number; /* SM << 32 | inst: trace_inst */
    map *by_birth;  /* SM << 48 | born: trace_inst */
    trace_inst *first;
    uint64_t begins; /* cycle of the first event */
    bool begun;
};

const char *const trace_places[TX_PLACES] = {
#define TX(id, name, help) name,
#include "trace/place.def"
#undef TX
};

trace_flow *trace_flow_new(const trace_launch *l)
{
    trace_flow *f = new0(1, sizeof *f);

    f->launch = l;
    f->by_number = map_new();
    f->by_birth = map_new();
    return f;
}

void trace_flow_free(trace_flow *f)
{
    if (!f)
        return;
    for (trace_inst *in = f->first, *next; in; in = next) {
        next = in->next;
        free(in->tx);
        free(in);
    }
    map_free(f->by_number);
    map_free(f->by_birth);
    free(f);
}

trace_inst *trace_flow_next(const trace_flow *f, const trace_inst *before)
{
    return before ? before->next : f->first;
}

/* ---- Instructions ---- */

static uint64_t number_key(const trace_event *e)
{
    return (uint64_t)e->sm << 32 | e->inst;
}

static uint64_t birth_key(unsigned sm, uint64_t born)
{
    return (uint64_t)sm << 48 | born;
}

static trace_inst *find_inst(const trace_flow *f, const trace_event *e)
{
    uint64_t at;

    return e->inst && map_get(f->by_number, number_key(e), &at)
               ? (trace_inst *)(uintptr_t)at
               : NULL;
}

static trace_inst *make_inst(trace_flow *f, const trace_event *e)
{
    trace_inst *in = new0(1, sizeof *in);

    *in = (trace_inst){.inst = e->inst,
                       .pc = e->a,
                       .sm = e->sm,
                       .warp = e->warp,
                       .first = e->cycle,
                       .next = f->first};
    if (f->first)
        f->first->previous = in;
    f->first = in;
    map_put(f->by_number, number_key(e), (uintptr_t)in);
    return in;
}

static void forget_inst(trace_flow *f, trace_inst *in)
{
    map_del(f->by_number, (uint64_t)in->sm << 32 | in->inst);
    for (unsigned i = 0; i < in->tx_count; i++)
        map_del(f->by_birth, birth_key(in->sm, in->tx[i].born));
    if (in->previous)
        in->previous->next = in->next;
    else
        f->first = in->next;
    if (in->next)
        in->next->previous = in->previous;
    free(in->tx);
    free(in);
}

/* Events that may be the first of an instruction. Waits inside of one are only
 * where the trace begins. */
static bool introduces(const trace_flow *f, const trace_event *e)
{
    switch (e->kind) {
    case TRACE_FETCH:
    case TRACE_FLYING:
        return true;
    case TRACE_WAIT:
        return e->inst &&
               (!sm_why_is_inside(e->b & 0xff) || e->cycle == f->begins);
    default:
        return false;
    }
}

static trace_tx *add_tx(trace_flow *f, trace_inst *in, const trace_event *e)
{
    GROW(in->tx, in->tx_count + 1, in->tx_room);
    trace_tx *t = &in->tx[in->tx_count];
    *t = (trace_tx){.line = e->addr,
                    .born = e->cycle,
                    .number = in->tx_count++,
                    .kind = (uint8_t)e->b,
                    .sectors = (uint8_t)e->a,
                    .l1 = ACCESSES,
                    .l2 = ACCESSES};
    in->tx_open++;
    map_put(f->by_birth, birth_key(in->sm, e->cycle), (uintptr_t)in);
    return t;
}

/* ---- Requests ---- */

static trace_tx *find_tx(const trace_inst *in, uint64_t line, uint64_t born)
{
    for (unsigned i = 0; i < in->tx_count; i++)
        if (in->tx[i].line == line && in->tx[i].born == born)
            return &in->tx[i];
    return NULL;
}

/* The request of SM `sm` for `line` that left the LSU `age` cycles ago. */
static trace_tx *find_request(const trace_flow *f, const trace_event *e,
                              uint32_t age, trace_inst **in)
{
    uint64_t at, born = e->cycle - age;

    *in = NULL;
    if (!map_get(f->by_birth, birth_key(e->sm, born), &at))
        return NULL;
    *in = (trace_inst *)(uintptr_t)at;
    return find_tx(*in, e->addr, born);
}

static trace_place place_after_l1(trace_access a)
{
    return a == ACCESS_HIT     ? TX_L1_HIT
           : a == ACCESS_MERGE ? TX_L1_MERGE
           : a == ACCESS_PASS  ? TX_L1_PASS
                               : TX_L1_MISS;
}

/* Where the event leaves a request. */
static trace_place place_after(const trace_flow *f, const trace_event *e,
                               const trace_tx *t)
{
    bool at_sm = e->unit < f->launch->cfg->gpu.sms;

    switch (e->kind) {
    case TRACE_L1_ACCESS:
        return place_after_l1((trace_access)e->a);
    case TRACE_NET_SEND:
        return at_sm ? TX_NET : TX_BACK;
    case TRACE_NET_DELIVER:
        return at_sm ? TX_ARRIVED : TX_L2_QUEUE;
    case TRACE_L2_ACCESS:
        return e->a == ACCESS_HIT || e->a == ACCESS_WRITE ? TX_L2_HIT
               : e->a == ACCESS_MERGE                     ? TX_L2_MERGE
                                                          : TX_L2_MISS;
    case TRACE_L2_REPLY:
        return TX_REPLY;
    case TRACE_L1_FILL:
        return TX_FILLED;
    case TRACE_REPLY:
        return TX_DONE;
    default:
        return (trace_place)t->place;
    }
}

static void move(const trace_flow *f, const trace_event *e, trace_tx *t)
{
    t->before = t->place;
    t->place = (uint8_t)place_after(f, e, t);
    if (e->kind == TRACE_L1_ACCESS)
        t->l1 = (uint8_t)e->a;
    else if (e->kind == TRACE_L2_ACCESS)
        t->l2 = (uint8_t)e->a;
}

/* All that wait in the L2 for a line that DRAM deals with now. */
static void notify_dram(trace_flow *f, const trace_event *e,
                        trace_flow_event *tell, void *arg)
{
    for (trace_inst *in = f->first; in; in = in->next) {
        for (unsigned i = 0; in->tx_open && i < in->tx_count; i++) {
            trace_tx *t = &in->tx[i];

            if (t->line != e->addr ||
                (t->place != TX_L2_MISS && t->place != TX_DRAM_QUEUE))
                continue;
            t->place = e->kind == TRACE_DRAM_QUEUE ? TX_DRAM_QUEUE : TX_DRAM;
            tell(arg, e, in, t);
        }
    }
}

static bool is_of_request(const trace_event *e)
{
    switch (e->kind) {
    case TRACE_L1_ACCESS:
    case TRACE_L1_REFUSE:
    case TRACE_L1_FILL:
    case TRACE_NET_SEND:
    case TRACE_NET_DELIVER:
    case TRACE_L2_ACCESS:
    case TRACE_L2_REFUSE:
    case TRACE_L2_REPLY:
    case TRACE_REPLY:
        return true;
    default:
        return false;
    }
}

static void update_inst(trace_flow *f, const trace_event *e, trace_inst *in,
                        trace_tx **tx)
{
    switch (e->kind) {
    case TRACE_FLYING:
        in->issued = true;
        break;
    case TRACE_ISSUE:
        in->issued = true;
        in->issue = e->cycle;
        in->lanes = (uint32_t)e->addr;
        break;
    case TRACE_EXECUTE:
        in->unit = (uint8_t)e->b;
        break;
    case TRACE_REQUEST:
        *tx = add_tx(f, in, e);
        break;
    case TRACE_RETIRE:
        in->retired = true;
        break;
    case TRACE_FLUSH:
        in->dropped = true;
        break;
    default:
        break;
    }
}

void trace_flow_take(trace_flow *f, const trace_event *e,
                     trace_flow_event *tell, void *arg)
{
    trace_inst *in = NULL;
    trace_tx *tx = NULL;

    if (!f->begun)
        f->begins = e->cycle;
    f->begun = true;
    if (e->kind == TRACE_DRAM_QUEUE || e->kind == TRACE_DRAM_ACCESS) {
        notify_dram(f, e, tell, arg);
        return;
    }
    if (is_of_request(e)) {
        tx = find_request(f, e, e->kind == TRACE_REPLY ? e->a : e->inst, &in);
        if (tx) {
            in->tx_open -= e->kind == TRACE_REPLY && tx->place != TX_DONE;
            move(f, e, tx);
        }
    } else if (trace_blocks[e->kind] == TRACE_SM) {
        in = find_inst(f, e);
        if (!in && introduces(f, e))
            in = make_inst(f, e);
        if (in)
            update_inst(f, e, in, &tx);
    }
    tell(arg, e, in, tx);
    if (in && ((in->retired && !in->tx_open) || in->dropped))
        forget_inst(f, in);
}

/* ---- Words ---- */

const char *trace_why(unsigned why)
{
    if (why >> 8)
        return sm_why_names[(why >> 8) - 1];
    return (why & 0xff) == WHY_READY ? "not_chosen" : sm_why_names[why & 0xff];
}

const char *trace_unit(unsigned unit)
{
    const config_param *p = config_param_find("sm.op.fp32.unit");

    return p && unit < p->choice_count ? p->choices[unit].text : "?";
}

const char *trace_refusal(const trace_event *e)
{
    return e->kind == TRACE_L1_REFUSE ? l1_refusals[e->a] : l2_refusals[e->a];
}

/* The kernel that the instruction is of; NULL: there is one only. */
static const trace_code_part *code_at(const trace_launch *l, uint32_t pc)
{
    size_t i = l->codes && l->codes->count > 1 ? l->codes->count : 0;

    while (i && l->codes->code[i - 1].first > pc)
        i--;
    return i ? &l->codes->code[i - 1] : NULL;
}

void trace_text(const trace_launch *l, uint32_t pc, strbuf *b)
{
    const trace_code_part *c = code_at(l, pc);
    uint32_t at = pc - (c ? c->first : 0);

    if (pc >= l->kernel->code_count)
        return;
    if (c)
        strbuf_printf(b, "%s ", c->kernel->name);
    strbuf_printf(b, "0x%04llx ", (unsigned long long)isa_address(l->arch, at));
    isa_inst in = l->kernel->code[pc];
    in.ctl = 0; /* the listing has the control information */
    isa_print(&in, l->arch, b, NULL, NULL);
}

bool trace_line(const trace_launch *l, uint32_t pc, strbuf *b)
{
    const isa_inst *in = &l->kernel->code[pc];
    const char *file, *slash;

    if (pc >= l->kernel->code_count || !in->line)
        return false;
    file = isa_kernel_file(l->kernel, in);
    slash = file ? strrchr(file, '/') : NULL;
    strbuf_printf(b, "%s:%u",
                  slash  ? slash + 1
                  : file ? file
                         : "line",
                  in->line);
    return true;
}
