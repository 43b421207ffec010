/* src/sm/memory/tma.c - see tma.h. */
#include "sm/memory/tma.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "exec/atom.h"
#include "exec/tma.h"
#include "sm/mbarrier.h"
#include "sm/memory/tma_state.h"
#include "sm/state.h"

static const stat_desc descs[] = {
#define STAT(id, unit, help) STAT_DESC(sm_tma_stats, id, unit, help),
#include "sm/tma_stats.def"
#undef STAT
};

const stats_block sm_tma_stats_block = {
    "sm[*].tma", "the tensor memory accelerator of an SM", descs,
    COUNTOF(descs)};

void sm_tma_init(sm *s, stats *reg, const char *name)
{
    const config *cfg = s->cfg;
    char path[48];
    sm_tma *t;

    if (!s->port.to_net_t)
        return;
    t = s->tma = new0(1, sizeof *t);
    t->room = cfg->sm.tma.queue;
    t->op = new0(t->room, sizeof *t->op);
    t->order = new0(t->room, sizeof *t->order);
    t->ending = new0(t->room, sizeof *t->ending);
    t->maps = new0(cfg->sm.tma.maps, sizeof *t->maps);
    t->map_age = new0(cfg->sm.tma.maps, sizeof *t->map_age);
    t->map_at = new0(cfg->sm.tma.maps, sizeof *t->map_at);
    t->groups = new0(cfg->sm.warps, sizeof *t->groups);
    for (unsigned i = t->room; i-- > 0;) {
        t->op[i].next = t->free;
        t->free = i + 1;
    }
    snprintf(path, sizeof path, "%s.tma", name);
    stats_add(reg, path, descs, COUNTOF(descs), &t->st);
}

void sm_tma_free(sm_tma *t)
{
    if (!t)
        return;
    for (unsigned i = 0; i < t->room; i++)
        free(t->op[i].t.data);
    free(t->atoms);
    free(t->op);
    free(t->order);
    free(t->ending);
    free(t->maps);
    free(t->map_age);
    free(t->map_at);
    free(t->groups);
    free(t);
}

void sm_tma_clear(sm_tma *t)
{
    if (t)
        t->map_count = 0;
}

unsigned sm_tma_count(const sm *s) { return s->tma ? s->tma->used : 0; }

/* ---- copies come and go ---- */

static void count_copy(sm_tma *t, const exec_tma *c)
{
    switch (c->kind) {
    case TMA_LOAD:
        t->st.loads++;
        break;
    case TMA_STORE:
        t->st.stores++;
        break;
    case TMA_REDUCE:
    case TMA_COMBINE:
        t->st.reductions++;
        break;
    case TMA_COPY:
        t->st.moves++;
        break;
    case TMA_PREFETCH:
        t->st.prefetches++;
        break;
    case TMA_MAP:
        break;
    }
    t->st.bytes += c->kind == TMA_PREFETCH || c->kind == TMA_MAP ? 0 : c->bytes;
}

bool sm_tma_accept(sm *s, const sm_lsu_entry *e)
{
    sm_tma *t = s->tma;
    exec_fault fault;

    if (bits_popcount32(e->m->mask) > t->room - t->used)
        return false;
    for (uint32_t left = e->m->mask; left; left &= left - 1) {
        unsigned n = t->free - 1;
        tma_op *op = &t->op[n];
        uint16_t next = op->next;

        *op = (tma_op){.warp = e->warp,
                       .cta = s->warp[e->warp].cta,
                       .group = e->group,
                       .born = s->now,
                       .next = next,
                       .ready = s->now + s->cfg->sm.tma.start};
        if (!exec_tma_begin(&s->x[e->warp], e->m, bits_ctz32(left), s->view,
                            &op->t, &fault)) {
            sm_stop(s, e->warp, &fault);
            return false;
        }
        const exec_cta *c = s->x[e->warp].cta;

        op->cga = c->cga;
        op->own = c->cga ? (uint16_t)(1u << c->rank) : 1;
        op->pc = e->pc;
        op->walk = exec_tma_walk_of(&op->t);
        t->free = next;
        t->used++;
        t->order[(t->first + t->waiting++) % t->room] = (uint16_t)n;
        s->warp[e->warp].outstanding++;
        count_copy(t, &op->t);
    }
    return true;
}

static void release(sm *s, tma_op *op)
{
    sm_tma *t = s->tma;

    free(op->t.data);
    op->t.data = NULL;
    op->next = (uint16_t)t->free;
    t->free = (unsigned)(op - t->op) + 1;
    t->used--;
    s->warp[op->warp].outstanding--;
    sm_warp_drain(s, op->warp);
}

/* Its source has been read. */
static void source_read(sm *s, tma_op *op)
{
    if (op->t.kind != TMA_STORE && op->t.kind != TMA_REDUCE)
        return;
    s->tma->groups[op->warp].reading[op->group]--;
    sm_tma_group_changed(s, op->warp);
}

/* All it did is done. */
static void complete(sm *s, tma_op *op)
{
    if (op->t.kind == TMA_STORE || op->t.kind == TMA_REDUCE) {
        s->tma->groups[op->warp].left[op->group]--;
        sm_tma_group_changed(s, op->warp);
    }
    release(s, op);
}

/* ---- tensor maps ---- */

/* Where the line of a map lies for caches: parameters are in the constant bank
 * of the launch. */
static uint64_t line_of_map(const sm *s, const tma_op *op)
{
    uint64_t at = op->t.map_at, offset = at & (MEM_WINDOW_BYTES - 1);

    if (at - MEM_PARAM_WINDOW < MEM_WINDOW_BYTES)
        at = s->constant.base[op->warp] + offset;
    else if (at - MEM_LOCAL_WINDOW < MEM_WINDOW_BYTES)
        at = SM_LOCAL_BASE + offset;
    return at / MEM_LINE * MEM_LINE;
}

static bool has_map(sm *s, const tma_op *op)
{
    sm_tma *t = s->tma;

    for (unsigned i = 0; i < t->map_count; i++)
        if (t->map_at[i] == op->t.map_at &&
            !memcmp(&t->maps[i], &op->t.map, sizeof op->t.map)) {
            t->map_age[i] = ++t->ages;
            return true;
        }
    return false;
}

static void keep_map(sm *s, const tma_op *op)
{
    sm_tma *t = s->tma;
    unsigned to = 0;

    if (t->map_count < s->cfg->sm.tma.maps)
        to = t->map_count++;
    else
        for (unsigned i = 1; i < t->map_count; i++)
            if (t->map_age[i] < t->map_age[to])
                to = i;
    t->maps[to] = op->t.map;
    t->map_at[to] = op->t.map_at;
    t->map_age[to] = ++t->ages;
}

/* True: the map of the first copy is there. */
static bool find_map(sm *s, tma_op *op)
{
    sm_tma *t = s->tma;

    if (!op->t.tensor || op->mapped)
        return true;
    if (op->asked)
        return false;
    if (has_map(s, op)) {
        t->st.map_hits++;
        op->mapped = true;
        return true;
    }
    mem_msg m = {.addr = line_of_map(s, op),
                 .born = s->now,
                 .tag = TMA_TAG_MAP | (uint32_t)(op - t->op),
                 .src = (uint16_t)s->id,
                 .kind = MEM_READ,
                 .client = CLIENT_TMA,
                 .sectors = 0xf};

    if (!mem_port_push(s->port.to_net_t, s->now, &m))
        return false;
    t->st.map_misses++;
    t->st.requests++;
    op->asked = true;
    return false;
}

/* ---- lines ---- */

/* The next piece of the copy that lies in one line of memory; false: there is
 * none. Elements of 2 bytes are reduced in pairs, but for single ones at the
 * ends of a run. */
static bool next_piece(tma_op *op, tma_piece *p)
{
    while (!op->run.inside || !op->run.bytes)
        if (!exec_tma_next(&op->t, &op->walk, &op->run))
            return false;
    exec_tma_run *r = &op->run;
    uint32_t room = MEM_LINE - (uint32_t)(r->global % MEM_LINE);

    p->at = r->global;
    p->offset = r->offset;
    p->bytes = r->bytes < room ? r->bytes : room;
    if (op->t.kind == TMA_REDUCE &&
        (op->t.type == ATYPE_F16 || op->t.type == ATYPE_BF16)) {
        if (p->at % 4 || p->bytes < 4)
            p->bytes = 2;
        else
            p->bytes &= ~3u;
    }
    return true;
}

static void take_piece(tma_op *op, const tma_piece *p)
{
    op->run.global += p->bytes;
    op->run.offset += p->bytes;
    op->run.bytes -= p->bytes;
}

static uint8_t sectors_of(const tma_piece *p)
{
    unsigned first = (unsigned)(p->at % MEM_LINE) / MEM_SECTOR;
    unsigned last = (unsigned)((p->at + p->bytes - 1) % MEM_LINE) / MEM_SECTOR;

    return (uint8_t)(bits_mask32(last + 1) & ~bits_mask32(first));
}

static mem_msg message(const sm *s, const tma_op *op, const tma_piece *p)
{
    return (mem_msg){.addr = p->at / MEM_LINE * MEM_LINE,
                     .born = s->now,
                     .tag = (uint32_t)(op - s->tma->op),
                     .src = (uint16_t)s->id,
                     .kind = MEM_READ,
                     .client = CLIENT_TMA,
                     .sectors = sectors_of(p)};
}

static mem_atom *take_atom(sm_tma *t)
{
    mem_atom *a;

    if (!t->atoms) {
        t->atoms = new0(TMA_ATOMS, sizeof *t->atoms);
        for (unsigned i = TMA_ATOMS; i-- > 0;) {
            t->atoms[i].next = t->atom_free;
            t->atom_free = &t->atoms[i];
        }
    }
    a = t->atom_free;
    if (a)
        t->atom_free = a->next;
    return a;
}

static void give_atom(sm_tma *t, mem_atom *a)
{
    a->next = t->atom_free;
    t->atom_free = a;
}

/* A lane for each element of the piece. */
static void fill_atom(const sm *s, const tma_op *op, const tma_piece *p,
                      mem_atom *a)
{
    unsigned type = op->t.type, size = exec_atom_bytes(type), n = 0;

    if (size == 2 && p->bytes >= 4) {
        type = type == ATYPE_F16 ? ATYPE_F16X2 : ATYPE_BF16X2;
        size = 4;
    }
    memset(a, 0, sizeof *a);
    a->op = op->t.op;
    a->type = (uint8_t)type;
    for (uint32_t o = 0; o < p->bytes; o += size, n++) {
        a->addr[n] = p->at + o;
        memcpy(&a->a[n], op->t.data + p->offset + o, size);
    }
    a->lanes = bits_mask32(n);
    a->cta = s->x[op->warp].cta->number;
    a->pc = op->pc;
    a->launch = s->warp[op->warp].grid;
    a->warp = (uint8_t)s->x[op->warp].index;
}

/* Sectors that are written, but not as a whole. */
static bool is_partial(const tma_piece *p)
{
    return p->at % MEM_SECTOR || p->bytes % MEM_SECTOR;
}

static void note_store(sm *s, const tma_op *op, const tma_piece *p)
{
    unsigned first = (unsigned)(p->at % MEM_LINE);
    uint64_t bytes[2] = {0, 0};
    exec_writer by = {.addr = p->at / MEM_LINE * MEM_LINE,
                      .when = s->now,
                      .cta = s->x[op->warp].cta->number,
                      .pc = op->pc,
                      .launch = s->warp[op->warp].grid,
                      .warp = (uint8_t)s->x[op->warp].index,
                      .lane = ISA_WARP,
                      .taken = true};

    for (unsigned i = first; i < first + p->bytes; i++)
        bytes[i / 64] |= (uint64_t)1 << i % 64;
    exec_writers_store(&s->launches.writers, &by, bytes);
}

/* Asks for a line, or sends one. False: it has to wait. */
static bool send_piece(sm *s, tma_op *op, const tma_piece *p)
{
    sm_tma *t = s->tma;
    mem_msg m = message(s, op, p);

    if (t->lines >= s->cfg->sm.tma.requests ||
        mem_port_full(s->port.to_net_t, s->now))
        return false;
    if (op->t.kind == TMA_STORE) {
        m.kind = MEM_WRITE;
        m.payload = (uint16_t)p->bytes;
        m.partial = is_partial(p);
        m.ack = true;
        note_store(s, op, p);
    } else if (op->t.kind == TMA_REDUCE) {
        m.kind = MEM_REDUCE;
        m.payload = (uint16_t)p->bytes;
        m.atom = take_atom(t);
        if (!m.atom)
            return false;
        fill_atom(s, op, p, m.atom);
    }
    MUST(mem_port_push(s->port.to_net_t, s->now, &m));
    t->lines++;
    op->left++;
    t->st.requests++;
    t->st.sectors += bits_popcount32(m.sectors);
    return true;
}

/* ---- the first copy ---- */

static bool reads_shared(const tma_op *op)
{
    return op->t.kind == TMA_STORE || op->t.kind == TMA_REDUCE ||
           op->t.kind == TMA_COPY || op->t.kind == TMA_COMBINE;
}

/* A line's turn at the banks, in turn with the load unit's instructions. */
static bool take_banks(sm *s)
{
    sm_lsu *u = &s->lsu;
    sm_tma *t = s->tma;

    if (s->now < u->free) {
        t->st.wait_shared++;
        return false;
    }
    if (t->yields && u->count && u->queue[u->head].ready <= s->now) {
        t->yields = false;
        t->st.wait_shared++;
        return false;
    }
    t->yields = true;
    u->free = s->now + 1;
    s->st.shared_passes++;
    return true;
}

static void end_later(sm_tma *t, tma_op *op)
{
    t->ending[(t->end_first + t->end_count++) % t->room] =
        (uint16_t)(op - t->op);
}

/* The last of its lines has been asked for, or has left. */
static void all_sent(sm *s, tma_op *op)
{
    sm_tma *t = s->tma;

    op->all = true;
    t->first = (t->first + 1) % t->room;
    t->waiting--;
    if (op->t.kind == TMA_STORE)
        exec_tma_put(&op->t, s->view);
    source_read(s, op);
    if (!op->left)
        end_later(t, op);
}

/* Data for another CTA: of a load the crossbar has brought it to all of them
 * at once, so that only a header goes over the network between SMs. */
static bool forward(sm *s, const tma_op *op, unsigned rank, unsigned bytes,
                    bool last)
{
    mem_msg m = {.born = s->now,
                 .bulk = (struct tma_op *)op,
                 .tag = (uint32_t)(op - s->tma->op) | (last ? TMA_TAG_LAST : 0),
                 .src = (uint16_t)s->id,
                 .dst = op->cga->sm[rank],
                 .kind = MEM_WRITE,
                 .client = CLIENT_TMA,
                 .warp = (uint8_t)rank,
                 .sectors = (uint8_t)bits_mask32(bytes / MEM_SECTOR),
                 .payload = (uint16_t)(op->t.kind == TMA_LOAD ? 0 : bytes)};

    if (!mem_port_push(s->port.to_cga, s->now, &m))
        return false;
    s->tma->st.multicast_bytes += bytes;
    return true;
}

/* A copy between shared memories: a line of the source in a cycle. */
static bool move_line(sm *s, tma_op *op)
{
    uint32_t left = op->t.bytes - op->moved;
    uint32_t n = left < MEM_LINE ? left : MEM_LINE;
    bool own = op->t.ranks & op->own;

    if (!left)
        return false;
    if (!own && mem_port_full(s->port.to_cga, s->now))
        return false;
    if (!take_banks(s))
        return false;
    if (!own)
        MUST(forward(s, op, bits_ctz32(op->t.ranks), n, false));
    op->moved += n;
    return true;
}

/* Works on the first copy, one line. False: it waits. */
static bool work_line(sm *s, tma_op *op)
{
    tma_piece p;

    if (reads_shared(op) && !op->t.data)
        exec_tma_take(&op->t, s->x[op->warp].cta);
    if (op->t.kind == TMA_COPY || op->t.kind == TMA_COMBINE) {
        bool moved = move_line(s, op);

        if (op->moved == op->t.bytes)
            all_sent(s, op);
        return moved;
    }
    if (op->t.kind == TMA_MAP || !next_piece(op, &p)) {
        all_sent(s, op);
        return true;
    }
    if (s->tma->lines >= s->cfg->sm.tma.requests ||
        mem_port_full(s->port.to_net_t, s->now)) {
        s->tma->st.full++;
        return false;
    }
    if (reads_shared(op) && !take_banks(s))
        return false;
    if (!send_piece(s, op, &p)) /* a reduction that finds no place */
        return false;
    take_piece(op, &p);
    if (!next_piece(op, &p))
        all_sent(s, op);
    return true;
}

static void work(sm *s)
{
    sm_tma *t = s->tma;
    bool busy = false;

    for (unsigned n = 0; n < s->cfg->sm.tma.rate && t->waiting; n++) {
        tma_op *op = &t->op[t->order[t->first]];

        if (op->ready > s->now || !find_map(s, op) || !work_line(s, op))
            break;
        busy = true;
    }
    t->st.busy += busy;
}

/* ---- the end of a copy ---- */

/* Tells other CTAs that all is there; then it takes effect in the own one. */
static void end_first(sm *s)
{
    sm_tma *t = s->tma;
    unsigned n = t->ending[t->end_first];
    tma_op *op = &t->op[n];
    uint32_t others = op->t.ranks & ~(uint32_t)op->own & ~(uint32_t)op->told;

    if (op->t.kind == TMA_LOAD && !op->t.data)
        exec_tma_fetch(&op->t, s->view);
    if (others) {
        if (!forward(s, op, bits_ctz32(others), 0, true))
            return;
        op->told |= (uint16_t)(others & -others);
        op->acks++;
        if (others & (others - 1))
            return;
    }
    t->end_first = (t->end_first + 1) % t->room;
    t->end_count--;
    op->ended = true;
    if (op->t.ranks & op->own)
        sm_event_at(s, s->now + 1 + s->cfg->sm.tma.finish, EVENT_TMA, op->warp,
                    0, n);
    else if (!op->acks)
        complete(s, op);
}

void sm_tma_land(sm *s, unsigned n)
{
    tma_op *op = &s->tma->op[n];
    exec_fault fault;

    if (!exec_tma_place(&op->t, s->x[op->warp].cta, &fault)) {
        sm_stop(s, op->warp, &fault);
        return;
    }
    op->t.ranks &= (uint16_t)~op->own;
    s->tma->st.latency += s->now - op->born;
    if (s->ctas.cta[op->cta].at_mbarrier)
        sm_mbarrier_arrived(s, op->cta);
    if (!op->acks)
        complete(s, op);
}

bool sm_tma_can_take(const sm *s) { return s->now >= s->tma->link_free; }

void sm_tma_target(const mem_msg *m, uint32_t *cga, uint32_t *rank)
{
    *cga = m->bulk->cga->serial;
    *rank = m->warp;
}

bool sm_tma_deliver(sm *s, const mem_msg *m, int cta, mem_msg *ack)
{
    unsigned rate = s->cfg->noc.reply_bytes;
    unsigned bytes = MEM_SECTOR * bits_popcount32(m->sectors);
    tma_op *op = m->bulk;
    exec_fault fault;

    s->tma->link_free = s->now + (bytes + rate - 1) / rate;
    if (!(m->tag & TMA_TAG_LAST))
        return false;
    if (!exec_tma_place(&op->t, cta < 0 ? NULL : &s->ctas.cta[cta].x, &fault))
        op->failed[m->warp] = (uint8_t)fault.kind;
    else if (s->ctas.cta[cta].at_mbarrier)
        sm_mbarrier_arrived(s, (unsigned)cta);
    *ack = *m;
    ack->kind = MEM_ACK;
    ack->dst = m->src;
    ack->src = (uint16_t)s->id;
    ack->payload = 0;
    return true;
}

void sm_tma_placed(sm *s, const mem_msg *m)
{
    tma_op *op = m->bulk;

    if (op->failed[m->warp]) {
        exec_fault fault = exec_tma_failed(
            &op->t, (enum exec_fault_kind)op->failed[m->warp], m->warp);

        sm_stop(s, op->warp, &fault);
    }
    op->acks--;
    if (!op->acks && op->ended && !(op->t.ranks & op->own))
        complete(s, op);
}

/* ---- what comes from memory ---- */

/* A line of a load goes to shared memory, and on to others. False: it waits. */
static bool take_line(sm *s, tma_op *op, const mem_msg *m)
{
    sm_tma *t = s->tma;
    unsigned bytes = MEM_SECTOR * bits_popcount32(m->sectors);

    if (!t->taken) {
        t->taken = true;
        t->targets = op->t.ranks;
    }
    if (t->targets & op->own) {
        if (!take_banks(s))
            return false;
        t->targets &= (uint16_t)~op->own;
    }
    for (; t->targets; t->targets &= (uint16_t)(t->targets - 1))
        if (!forward(s, op, bits_ctz32(t->targets), bytes, false))
            return false;
    t->taken = false;
    return true;
}

static void reply(sm *s, const mem_msg *m)
{
    sm_tma *t = s->tma;
    tma_op *op = &t->op[m->tag & TMA_TAG_NUMBER];

    if (m->tag & TMA_TAG_MAP) {
        op->mapped = true;
        keep_map(s, op);
        return;
    }
    if (m->atom && m->kind == MEM_ACK) {
        sm_note_change(s, m->atom);
        give_atom(t, m->atom);
    }
    t->lines--;
    if (--op->left == 0 && op->all)
        end_later(t, op);
}

static void take_replies(sm *s)
{
    mem_msg *m;

    while ((m = mem_port_peek(s->port.from_net_t, s->now))) {
        tma_op *op = &s->tma->op[m->tag & TMA_TAG_NUMBER];
        bool line = !(m->tag & TMA_TAG_MAP) && op->t.kind == TMA_LOAD;

        if (line && !take_line(s, op, m))
            return;
        reply(s, m);
        mem_port_pop(s->port.from_net_t, s->now);
    }
}

void sm_tma_tick(sm *s)
{
    sm_tma *t = s->tma;

    take_replies(s);
    if (s->fault.kind)
        return;
    if (t->end_count)
        end_first(s);
    if (t->waiting)
        work(s);
}

/* ---- when ---- */

/* The first copy can go on from its `ready` on. */
static bool waits_for_map(const tma_op *op) { return op->asked && !op->mapped; }

bool sm_tma_busy(const sm *s)
{
    const sm_tma *t = s->tma;
    const tma_op *op = &t->op[t->order[t->first]];

    return t->end_count || mem_port_peek(s->port.from_net_t, s->now) ||
           (t->waiting && op->ready <= s->now && !waits_for_map(op));
}

uint64_t sm_tma_when(const sm *s, uint64_t now)
{
    const sm_tma *t = s->tma;
    const tma_op *op;

    if (t->end_count || mem_port_peek(s->port.from_net_t, now))
        return now + 1;
    if (!t->waiting)
        return NEVER;
    op = &t->op[t->order[t->first]];
    if (waits_for_map(op))
        return NEVER;
    return op->ready > now ? op->ready : now + 1;
}
