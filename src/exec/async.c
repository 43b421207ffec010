/* src/exec/async.c - see async.h. */
#include "exec/async.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "exec/async_found.h"
#include "exec/atom.h"
#include "exec/cga.h"
#include "exec/level.h"
#include "exec/pool.h"
#include "exec/sem/sem.h"

enum {
    MBARRIERS = 64,
    BARRIERS = EXEC_CGA_BARRIER + 1,
    FENCES = BARRIERS, /* fences of memory hand on what is known, too */
    MEETINGS,
    REGISTERS = 256,
    RING = 64, /* bulk copies of a warp that are not yet started */
};

enum { BY_NONE, BY_WARP, BY_COPY, BY_BULK }; /* writers */
enum { FOR_NONE, FOR_TENSOR, FOR_STORE };    /* readers in the background */

typedef struct word {
    uint8_t by, of;   /* writer: of a warp, or of an mbarrier */
    uint8_t by2, of2; /* reader: of a warp */
    uint32_t clock, pc, clock2, pc2;
} word;

typedef struct meeting { /* a barrier, or fences */
    uint32_t *sum, *over;
    uint32_t arrived, times;
} meeting;

typedef struct mbarrier {
    bool taken;
    uint32_t at, phases;
    uint32_t *sum, *over;
} mbarrier;

typedef struct group_register {
    uint32_t group; /* + 1, of the product that uses it; 0: none */
    uint32_t pc;    /* of that, or of who wrote it */
    bool fresh;     /* written since the last wgmma.fence */
} group_register;

typedef struct side {                  /* what a warp does */
    uint32_t copies, products, stores; /* groups closed so far */
    int waits;                         /* at a meeting; -1: at none */
    uint32_t times;                    /* of that, when it came */
    bool fenced;                       /* there was a wgmma.fence */
    uint32_t ring[RING];               /* groups of bulk copies */
    uint8_t put, take;
    group_register reg[REGISTERS];
} side;

/* Clocks of a vector: of each warp; of its groups of copies, of products and of
 * bulk stores that are over; phases of mbarriers that are; barriers of the
 * cluster; and, of each warp, what is behind a fence between proxies. */
struct exec_async {
    unsigned warps, knows, clocks;
    uint32_t *clock; /* of each warp so many */
    uint32_t words;
    word *word;
    meeting meet[MEETINGS];
    mbarrier mbarrier[MBARRIERS];
    side side[];
};

/* ---- clocks ---- */

static uint32_t *clock_of(exec_async *a, unsigned warp)
{
    return a->clock + (size_t)warp * a->clocks;
}

enum { AT_COPY = 1, AT_TENSOR, AT_STORE, AT_MBARRIER };

static uint32_t *know(exec_async *a, unsigned warp, unsigned kind, unsigned of)
{
    return clock_of(a, warp) + kind * a->warps + of;
}

static uint32_t *know_cga(exec_async *a, unsigned warp)
{
    return know(a, warp, AT_MBARRIER, MBARRIERS);
}

static uint32_t *fenced(exec_async *a, unsigned warp, unsigned of)
{
    return clock_of(a, warp) + a->knows + of;
}

static void join(const exec_async *a, uint32_t *to, const uint32_t *from)
{
    for (unsigned i = 0; i < a->clocks; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}

/* What the warp has done up to now is handed on; what comes is not. */
static void hand_on(exec_async *a, unsigned warp, uint32_t *sum)
{
    join(a, sum, clock_of(a, warp));
    clock_of(a, warp)[warp]++;
}

/* ---- life ---- */

static exec_async *async_new(const exec_launch *l)
{
    exec_async *a = new0(1, sizeof *a + l->warps * sizeof a->side[0]);
    uint32_t *c;

    a->warps = l->warps;
    a->knows = AT_MBARRIER * l->warps + MBARRIERS + 1;
    a->clocks = a->knows + l->warps;
    a->words = (l->shared_bytes + 3) / 4;
    a->word = new0(a->words + 1, sizeof *a->word);
    c = a->clock = new0(((size_t)l->warps + 2 * (MEETINGS + MBARRIERS)),
                        a->clocks * sizeof *c);
    c += (size_t)l->warps * a->clocks;
    for (unsigned i = 0; i < MEETINGS; i++, c += 2 * a->clocks) {
        a->meet[i].sum = c;
        a->meet[i].over = c + a->clocks;
    }
    for (unsigned i = 0; i < MBARRIERS; i++, c += 2 * a->clocks) {
        a->mbarrier[i].sum = c;
        a->mbarrier[i].over = c + a->clocks;
    }
    for (unsigned i = 0; i < l->warps; i++) {
        clock_of(a, i)[i] = 1;
        a->side[i].waits = -1;
    }
    return a;
}

void exec_async_free(exec_cta *c)
{
    if (!c->async)
        return;
    free(c->async->clock);
    free(c->async->word);
    free(c->async);
    c->async = NULL;
}

/* ---- words of shared memory ---- */

static void tell(const exec_warp *w, uint32_t pc, exec_async_what what,
                 uint32_t at, uint32_t other, uint32_t by, bool write)
{
    exec_finding f = {.what = what,
                      .pc = pc,
                      .other = other,
                      .count = 1,
                      .cta = w->cta->number,
                      .warp = w->index,
                      .at = at,
                      .by = by,
                      .write = write};

    memcpy(f.id, w->cta->id, sizeof f.id);
    exec_findings_add(w->cta->launch->async, w->cta->sm, &f);
}

/* What is written in the background has to be there. */
static bool is_there(exec_async *a, const exec_warp *w, uint32_t pc,
                     uint32_t at, const word *x, bool write)
{
    if (x->by == BY_COPY && *know(a, w->index, AT_COPY, x->of) < x->clock)
        tell(w, pc, x->of == w->index ? ASYNC_COPY : ASYNC_COPY_OF, at, x->pc,
             x->of, write);
    else if (x->by == BY_BULK &&
             *know(a, w->index, AT_MBARRIER, x->of) < x->clock)
        tell(w, pc, ASYNC_BULK, at, x->pc, 0, write);
    else
        return true;
    return false;
}

/* Who reads in the background has to be done. */
static bool is_read(exec_async *a, const exec_warp *w, uint32_t pc, uint32_t at,
                    const word *x)
{
    if (x->by2 == FOR_TENSOR &&
        *know(a, w->index, AT_TENSOR, x->of2) < x->clock2)
        tell(w, pc, ASYNC_TENSOR, at, x->pc2, x->of2, true);
    else if (x->by2 == FOR_STORE &&
             *know(a, w->index, AT_STORE, x->of2) < x->clock2)
        tell(w, pc, ASYNC_STORE, at, x->pc2, x->of2, true);
    else
        return true;
    return false;
}

/* The async proxy reads a word: what the generic one wrote has to be behind a
 * fence between both. */
static bool is_fenced(exec_async *a, const exec_warp *w, uint32_t pc,
                      uint32_t at, const word *x)
{
    if (!is_there(a, w, pc, at, x, false))
        return false;
    if (x->by != BY_WARP || *fenced(a, w->index, x->of) >= x->clock)
        return true;
    tell(w, pc,
         clock_of(a, w->index)[x->of] >= x->clock ? ASYNC_PROXY : ASYNC_ORDER,
         at, x->pc, x->of, false);
    return false;
}

/* Words of `bytes` at `at`, as far as there are any. */
static uint32_t words_end(const exec_async *a, uint64_t at, uint32_t bytes)
{
    uint64_t end = (at + bytes + 3) / 4;

    return end < a->words ? (uint32_t)end : a->words;
}

static void read_words(exec_async *a, const exec_warp *w, uint32_t pc,
                       uint64_t at, uint32_t bytes)
{
    uint32_t end = words_end(a, at, bytes);

    for (uint64_t i = at / 4; i < end; i++)
        if (!is_there(a, w, pc, (uint32_t)i * 4, &a->word[i], false))
            return;
}

static void write_words(exec_async *a, const exec_warp *w, uint64_t at,
                        uint32_t bytes, const word *by)
{
    uint32_t end = words_end(a, at, bytes);
    bool good = true;

    for (uint64_t i = at / 4; i < end; i++) {
        word *x = &a->word[i];

        good = good && is_read(a, w, by->pc, (uint32_t)i * 4, x) &&
               (by->by == BY_BULK || (by->by == BY_COPY && x->by == BY_COPY) ||
                is_there(a, w, by->pc, (uint32_t)i * 4, x, true));
        *x = *by;
    }
}

static void read_behind(exec_async *a, const exec_warp *w, uint32_t pc,
                        uint64_t at, uint32_t bytes, unsigned by,
                        uint32_t clock)
{
    uint32_t end = words_end(a, at, bytes);
    bool good = true;

    for (uint64_t i = at / 4; i < end; i++) {
        word *x = &a->word[i];

        good = good && is_fenced(a, w, pc, (uint32_t)i * 4, x);
        if (by == FOR_NONE)
            continue;
        x->by2 = (uint8_t)by;
        x->of2 = (uint8_t)w->index;
        x->clock2 = clock;
        x->pc2 = pc;
    }
}

void exec_async_tile(const exec_warp *w, uint32_t at, uint32_t bytes)
{
    exec_async *a = w->cta->async;

    read_behind(a, w, w->simt.pc, at, bytes, FOR_TENSOR,
                a->side[w->index].products + 1);
}

/* ---- mbarriers and bulk copies ---- */

/* NULL: its entry is another's. */
static mbarrier *mbarrier_at(exec_async *a, uint32_t at)
{
    mbarrier *b = &a->mbarrier[at / 8 % MBARRIERS];

    if (!b->taken) {
        b->taken = true;
        b->at = at;
    }
    return b->at == at ? b : NULL;
}

void exec_async_arrival(exec_cta *c, uint32_t at, bool over, uint64_t by,
                        uint32_t rank, unsigned warp)
{
    exec_async *a = c->async;
    mbarrier *b = mbarrier_at(a, at);

    if (!b)
        return;
    if (by & bits_mask64(ARRIVE_BITS) && rank == c->rank)
        hand_on(a, warp, b->sum);
    if (!over)
        return;
    b->phases++;
    join(a, b->over, b->sum);
}

void exec_async_look(const exec_warp *w, uint32_t at)
{
    exec_async *a = w->cta->async;
    unsigned warp = w->index;
    mbarrier *b = &a->mbarrier[at / 8 % MBARRIERS];
    uint32_t *k = know(a, warp, AT_MBARRIER, at / 8 % MBARRIERS);

    if (!b->taken || b->at != at)
        return;
    join(a, clock_of(a, warp), b->over);
    *k = b->phases > *k ? b->phases : *k;
}

static void bulk_arrives(exec_async *a, const exec_warp *w, const exec_tma *t)
{
    unsigned rank = w->cta->cga ? w->cta->rank : 0;
    mbarrier *b;
    const word *x;

    if (t->mbarrier / 4 < a->words) {
        x = &a->word[t->mbarrier / 4];
        if (x->by == BY_WARP && *fenced(a, w->index, x->of) < x->clock)
            tell(w, t->place.pc, ASYNC_MBARRIER, t->mbarrier, x->pc, x->of,
                 false);
    }
    if (!(t->ranks >> rank & 1) || !(b = mbarrier_at(a, t->mbarrier)))
        return;
    write_words(a, w, t->shared, t->bytes,
                &(word){.by = BY_BULK,
                        .of = (uint8_t)(b - a->mbarrier),
                        .clock = b->phases + 1,
                        .pc = t->place.pc});
}

void exec_async_bulk(const exec_warp *w, const exec_tma *t)
{
    exec_async *a = w->cta->async;
    side *s = &a->side[w->index];
    uint32_t group = s->ring[s->take++ % RING];

    switch (t->kind) {
    case TMA_STORE:
    case TMA_REDUCE:
        read_behind(a, w, t->place.pc, t->shared, t->bytes, FOR_STORE,
                    group + 1);
        break;
    case TMA_COPY:
    case TMA_COMBINE:
        read_behind(a, w, t->place.pc, t->from, t->bytes, FOR_NONE, 0);
        bulk_arrives(a, w, t);
        break;
    case TMA_LOAD:
        bulk_arrives(a, w, t);
        break;
    case TMA_PREFETCH:
    case TMA_MAP:
        break;
    }
}

/* ---- registers of warp groups ---- */

static bool is_copy(unsigned op)
{
    return op == ISA_MOV || op == ISA_LDL || op == ISA_STL;
}

/* A use of `n` registers from `first` on by another instruction. */
static void use_registers(exec_async *a, const exec_warp *w, uint32_t pc,
                          unsigned first, unsigned n, bool write)
{
    side *s = &a->side[w->index];
    uint32_t done = *know(a, w->index, AT_TENSOR, w->index);

    for (unsigned r = first; r < first + n && r < REGISTERS; r++) {
        if (s->reg[r].group <= done)
            continue;
        tell(w, pc, ASYNC_REGISTER, r, s->reg[r].pc, w->index, write);
        return;
    }
}

static void product_registers(exec_async *a, const exec_warp *w, uint32_t pc,
                              const isa_inst *in)
{
    side *s = &a->side[w->index];
    const unsigned first[] = {in->dst, in->src[2], in->src[0]};
    const unsigned n[] = {in->dst_regs, in->src_regs[2],
                          ISA_GET(in, GREGA) ? in->src_regs[0] : 0};
    bool told = false;

    for (unsigned k = 0; k < COUNTOF(n); k++)
        for (unsigned r = first[k]; r < first[k] + n[k]; r++) {
            if ((s->reg[r].fresh || !s->fenced) && !told) {
                tell(w, pc, ASYNC_UNFENCED, r, s->reg[r].pc, w->index, false);
                told = true;
            }
            s->reg[r].fresh = false;
            if (k == 2) /* a copy of A, whose place the compiler may give to
                           something else */
                continue;
            s->reg[r].group = s->products + 1;
            s->reg[r].pc = pc;
        }
}

/* A copy is as its source: the compiler makes some of its own. */
static void note_written(side *s, uint32_t pc, const isa_inst *in)
{
    bool copies = in->op == ISA_MOV && in->src_regs[1] == in->dst_regs;

    for (unsigned k = 0; k < in->dst_regs && in->dst + k < REGISTERS; k++) {
        group_register *r = &s->reg[in->dst + k];

        if (copies)
            *r = s->reg[in->src[1] + k];
        else
            *r = (group_register){.pc = pc, .fresh = in->op != ISA_LDL};
    }
}

static void other_registers(exec_async *a, const exec_warp *w, uint32_t pc,
                            const isa_inst *in)
{
    side *s = &a->side[w->index];

    if (!is_copy(in->op)) {
        for (unsigned i = 0; i < 3; i++)
            use_registers(a, w, pc, in->src[i], in->src_regs[i], false);
        use_registers(a, w, pc, in->dst, in->dst_regs, true);
    }
    note_written(s, pc, in);
}

/* ---- instructions ---- */

static void wait_for(uint32_t *k, uint32_t closed, unsigned left)
{
    uint32_t done = closed > left ? closed - left : 0;

    *k = done > *k ? done : *k;
}

/* The warp goes on behind the barrier that it waited at. */
static void go_on(exec_async *a, unsigned warp)
{
    side *s = &a->side[warp];
    meeting *m;

    if (s->waits < 0)
        return;
    m = &a->meet[s->waits];
    join(a, clock_of(a, warp), m->times > s->times ? m->over : m->sum);
    if (s->waits == EXEC_CGA_BARRIER)
        *know_cga(a, warp) += 1;
    s->waits = -1;
}

static void arrive(exec_async *a, const exec_warp *w, const exec_bar *bar)
{
    meeting *m = &a->meet[bar->number];
    side *s = &a->side[w->index];
    uint32_t all = w->cta->live_warps * ISA_WARP;
    bool cga = bar->number == EXEC_CGA_BARRIER;

    if (bar->kind != EXEC_BAR_CGA_WAIT)
        hand_on(a, w->index, m->sum);
    if (bar->kind != 1 && bar->kind != EXEC_BAR_CGA_ARRIVE) {
        s->waits = (int)bar->number;
        s->times = m->times;
    }
    m->arrived += ISA_WARP;
    if (cga || m->arrived < (bar->count ? bar->count : all))
        return;
    m->arrived = 0;
    m->times++;
    join(a, m->over, m->sum);
}

static void fence(exec_async *a, unsigned warp, const isa_inst *in)
{
    uint32_t *c = clock_of(a, warp);

    if (ISA_GET(in, PROXY) == PROXY_NONE) {
        hand_on(a, warp, a->meet[FENCES].sum);
        join(a, c, a->meet[FENCES].sum);
        return;
    }
    for (unsigned i = 0; i < a->warps; i++)
        *fenced(a, warp, i) = c[i];
    c[warp]++;
}

static void access_shared(exec_async *a, const exec_warp *w, const exec_mem *m)
{
    unsigned flags = m->in->flags;
    word by = {.by = BY_WARP,
               .of = (uint8_t)w->index,
               .clock = clock_of(a, w->index)[w->index],
               .pc = m->pc};

    if (m->space[EXEC_REMOTE] && !*know_cga(a, w->index))
        tell(w, m->pc, ASYNC_PEER,
             (uint32_t)m->addr[bits_ctz32(m->space[EXEC_REMOTE])] &
                 (MEM_WINDOW_BYTES - 1),
             m->pc, w->index, (flags & ISA_F_STORE) != 0);
    if (flags & ISA_F_ATOMIC && exec_atom_arrives(ISA_GET(m->in, ATOMOP)))
        return;
    if (m->in->op == ISA_LDGSTS) {
        by.by = BY_COPY;
        by.clock = a->side[w->index].copies + 1;
        for (uint32_t left = m->lanes; left; left &= left - 1)
            write_words(a, w, m->data[0][bits_ctz32(left)], m->size, &by);
        return;
    }
    for (uint32_t left = m->space[EXEC_SHARED]; left; left &= left - 1) {
        uint64_t at = m->addr[bits_ctz32(left)];

        if (flags & ISA_F_STORE)
            write_words(a, w, at, m->size, &by);
        else
            read_words(a, w, m->pc, at, m->size);
    }
}

static bool is_bulk(unsigned op)
{
    return op >= ISA_UBLKCP && op <= ISA_UTMACCTL;
}

static void see_memory(exec_async *a, const exec_warp *w, const exec_mem *m)
{
    side *s = &a->side[w->index];

    if (m->in->op == ISA_PRINT)
        return;
    if (!is_bulk(m->in->op)) {
        access_shared(a, w, m);
        return;
    }
    for (uint32_t left = m->mask; left; left &= left - 1)
        s->ring[s->put++ % RING] = s->stores;
}

static void see(exec_async *a, const sem *x, uint32_t pc)
{
    const isa_inst *in = x->in;
    unsigned w = x->w->index;
    side *s = &a->side[w];

    if (x->result == EXEC_MEM)
        see_memory(a, x->w, x->mem);
    else if (x->result == EXEC_BARRIER && x->bar->number < EXEC_POOL)
        arrive(a, x->w, x->bar);
    switch (in->op) {
    case ISA_MEMBAR:
        fence(a, w, in);
        break;
    case ISA_LDGDEPBAR:
        s->copies++;
        break;
    case ISA_DEPBAR:
        wait_for(know(a, w, AT_COPY, w), s->copies, in->lut);
        break;
    case ISA_WGARRIVE:
        s->fenced = true;
        for (unsigned r = 0; r < REGISTERS; r++)
            s->reg[r].fresh = false;
        break;
    case ISA_WGCOMMIT:
        s->products++;
        break;
    case ISA_WGWAIT:
        wait_for(know(a, w, AT_TENSOR, w), s->products, in->lut);
        break;
    case ISA_UTMACMDFLUSH:
        s->stores++;
        break;
    case ISA_UTMAWAIT:
        wait_for(know(a, w, AT_STORE, w), s->stores, in->lut);
        break;
    case ISA_HGMMA:
        product_registers(a, x->w, pc, in);
        break;
    default:
        if (!x->w->cta->launch->kernel->spill_bytes)
            other_registers(a, x->w, pc, in);
    }
}

/* Any instruction of a warp that is checked. */
static void body_checked(sem *x)
{
    exec_async *a = x->w->cta->async;
    uint32_t pc = x->w->simt.pc;

    go_on(a, x->w->index);
    exec_ops_best()->body[x->in->op](x);
    if (x->result != EXEC_FAULT)
        see(a, x, pc);
}

static bool perform_checked(exec_warp *w, exec_mem *m, unsigned spaces,
                            mem_view *view, exec_fault *fault)
{
    uint32_t lanes = m->space[EXEC_SHARED];

    if (!exec_ops_best()->perform(w, m, spaces, view, fault))
        return false;
    if (lanes && spaces >> EXEC_SHARED & 1 && m->size == 8 &&
        (m->in->op == ISA_LDS || m->in->op == ISA_LD ||
         m->in->op == ISA_MBTEST))
        exec_async_look(w, (uint32_t)m->addr[bits_ctz32(lanes)]);
    return true;
}

static bool begin_checked(exec_warp *w, exec_mem *m, mem_view *view,
                          exec_fault *fault)
{
    return exec_ops_best()->begin(w, m, view, fault);
}

static void part_checked(exec_warp *w, const exec_mem *m, enum exec_space space,
                         const uint32_t words[4], mem_view *view)
{
    exec_ops_best()->part(w, m, space, words, view);
}

static bool check_checked(exec_warp *w, exec_mem *m, const mem_view *view,
                          exec_fault *fault)
{
    return exec_ops_best()->check(w, m, view, fault);
}

static const exec_ops checked = {
    .body = {[0 ... ISA_COUNT - 1] = body_checked},
    .perform = perform_checked,
    .begin = begin_checked,
    .part = part_checked,
    .check = check_checked,
};

void exec_async_start(exec_warp *w)
{
    if (!w->cta->async)
        w->cta->async = async_new(w->cta->launch);
    w->ops = &checked;
}
