#include "sm/memory/lsu.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "mem/sector.h"
#include "sm/cta.h"
#include "sm/mbarrier.h"
#include "sm/memory/bytes.h"
#include "sm/memory/hints.h"
#include "sm/memory/lines.h"
#include "sm/memory/lsu_impl.h"
#include "sm/slots.h"
#include "sm/state.h"

/* Tags of stores and reductions: warp slot and its life, the launch, no pending
 * entry. */
#define TAG_STORE 0x80000000u

void sm_lsu_init(sm_lsu *u, const config *cfg)
{
    u->room = u->limit = cfg->sm.lsu.queue;
    /* The queue goes on for what another SM of the cluster sends. */
    if (cfg->gpu.cluster.size > 1 && u->room < cfg->gpu.cluster.credits)
        u->room = cfg->gpu.cluster.credits;
    u->pending_room = cfg->sm.lsu.pending;
    u->store_limit = cfg->sm.lsu.stores;
    u->keeps = cfg->l2.persisting != 0;
    u->turns.wanted = cfg->l1.values == CFG_L1_VALUES_TURN;
    u->queue = new0(u->room, sizeof *u->queue);
    u->pending = new0(u->pending_room, sizeof *u->pending);
    u->left = new0(u->pending_room, sizeof *u->left);
    u->ahead = cfg->sm.lsu.transactions == 1 && !u->turns.wanted &&
               cfg->l1.queue == CFG_L1_QUEUE_FIFO;
    u->store = new_aligned(64, u->room * sizeof *u->store);
    u->spare = new0(u->room, sizeof *u->spare);
    for (uint32_t i = 0; i < u->room; i++)
        u->spare[i] = &u->store[i];
    for (uint32_t i = u->pending_room; i-- > 0;) {
        u->pending[i].next = u->pending_free;
        u->pending_free = i + 1;
    }
}

void sm_lsu_fini(sm_lsu *u)
{
    free(u->queue);
    free(u->store);
    free(u->spare);
    free(u->pending);
    free(u->left);
    free(u->atoms);
    sm_turns_fini(&u->turns);
}

/* Memory for atomics is taken when a program first uses one. */
static mem_atom *take_atom(sm_lsu *u)
{
    if (!u->atoms) {
        u->atoms = new0(LSU_ATOMS, sizeof *u->atoms);
        for (unsigned i = LSU_ATOMS; i-- > 0;) {
            u->atoms[i].next = u->atom_free;
            u->atom_free = &u->atoms[i];
        }
    }
    mem_atom *a = u->atom_free;
    if (a)
        u->atom_free = a->next;
    return a;
}

static void give_atom(sm_lsu *u, mem_atom *a)
{
    a->next = u->atom_free;
    u->atom_free = a;
}

static uint16_t *filter_of(sm_lsu *u, uint64_t line)
{
    uint64_t n = line / MEM_LINE;

    return &u->filter[(n ^ n >> 8) % LSU_FILTER];
}

void sm_lsu_add(sm *s, unsigned w, const sm_inst *si, uint32_t pc,
                uint64_t ready)
{
    sm_lsu *u = &s->lsu;
    uint32_t at = u->head + u->count;
    sm_lsu_entry *e = &u->queue[at < u->room ? at : at - u->room];

    e->m = sm_lsu_next(u);
    e->ready = ready;
    e->issued = s->now;
    e->inst = si;
    e->pc = pc;
    e->warp = (uint8_t)w;
    e->owner = s->owner.saturated && s->owner.chosen && s->owner.warp == w;
    if (__builtin_expect(s->lsu.keeps, 0) && sm_keep_by_policy(si->in))
        e->policy = sm_keep_policy(s, w, si->in, e->m->mask);
    if (si->flags & INST_COPY)
        e->group = (uint8_t)sm_async_copy_add(s, w);
    if (__builtin_expect(s->tma != NULL, 0) && isa_is_bulk(si->in->op))
        e->group = (uint8_t)sm_tma_issue(s, w, si, bits_popcount32(e->m->mask));
    if (e->m->space[EXEC_SHARED]) { /* for the host's cache only */
        const uint8_t *shared = s->ctas.cta[s->warp[w].cta].x.shared;
        __builtin_prefetch(shared + e->m->addr[0], 1);
        __builtin_prefetch(shared + e->m->addr[ISA_WARP - 1], 1);
    }
    u->count++;
    if (sm_lsu_full(u))
        sm_slots_reopen(s);
    s->warp[w].queued++;
    s->warp[w].outstanding++;
}

/* ---- the head starts ---- */

static void set_block(sm *s, sm_lsu_block block)
{
    if (s->lsu.block == block)
        return;
    sm_slots_count_cycles(s, s->now);
    s->lsu.block = block;
    if (s->observe.trace)
        sm_trace_block(s, block);
}

/* Spares the host the second line of `si` where the answer is no. */
static bool is_texture(const sm *s, const sm_inst *si)
{
    return (s->port.to_ro || si->class == ISA_CLASS_TEX) && si->texture;
}

/* Data comes back to the SM, if only to its L1. */
static bool is_reading(const sm_lsu_entry *e)
{
    const isa_inst *in = e->inst->in;

    return in->flags & ISA_F_LOAD || (in->op == ISA_CCTL && !sm_is_order(in));
}

/* Loads that the L1 may keep fetch whole lines. */
static inline bool is_whole_lines(const sm *s, const isa_inst *in)
{
    return s->cfg->sm.lsu.coalesce == CFG_COALESCE_LINE &&
           (in->flags & ISA_F_LOAD) && !(in->flags & ISA_F_ATOMIC) &&
           ISA_GET(in, CACHE) != CACHE_CG && ISA_GET(in, CACHE) != CACHE_CV;
}

/* Fills u->txs for the head of the queue. */
static void list(sm *s, const sm_lsu_entry *e)
{
    sm_lsu *u = &s->lsu;
    const isa_inst *in = e->inst->in;

    u->txs.count = 0;
    u->remote = 0;
    u->listed = true;
    if (in->op == ISA_CCTL) {
        sm_lines_prefetch(s, e);
        return;
    }
    if (exec_is_fetch(in)) {
        sm_lines_texels(s, e);
        return;
    }
    if (e->m->space[EXEC_GLOBAL])
        sm_coalesce(&u->txs, e->m->addr, e->m->space[EXEC_GLOBAL], e->m->size);
    if (e->m->space[EXEC_LOCAL] && !s->cfg->sm.lsu.perfect_local)
        sm_lines_local(s, e);
    if (__builtin_expect(e->m->space[EXEC_REMOTE] != 0, 0))
        u->remote = exec_remote_ranks(e->m);
    if (is_whole_lines(s, in))
        for (unsigned i = 0; i < u->txs.count; i++)
            u->txs.tx[i].sectors = 0xf;
}

/* Why the head cannot start, LSU_RUNS if it can. */
static sm_lsu_block obstacle(sm *s, const sm_lsu_entry *e)
{
    sm_lsu *u = &s->lsu;

    if (!is_atomic(e) && e->m->space[EXEC_GLOBAL])
        for (unsigned i = 0; i < u->txs.count; i++)
            if (*filter_of(u, u->txs.tx[i].line))
                return LSU_COHERENCE;
    if (__builtin_expect(u->turns.waiting != 0, 0) && sm_turn_waits(s, e))
        return LSU_COHERENCE;
    if (is_reading(e) && (u->txs.count || u->remote) && !u->pending_free)
        return LSU_PENDING;
    return LSU_RUNS;
}

static void take_pending(sm *s, const sm_lsu_entry *e)
{
    sm_lsu *u = &s->lsu;

    u->tag = u->pending_free - 1;
    u->has_tag = true;
    sm_pending *p = &u->pending[u->tag];
    u->pending_free = p->next;
    *p = (sm_pending){.inst = e->inst,
                      .issued = e->issued,
                      .pc = e->pc,
                      .warp = e->warp,
                      .group = e->group};
    u->left[u->tag] = u->txs.count + bits_popcount32(u->remote);
    s->warp[e->warp].loads++;
    s->warp[e->warp].outstanding++;
}

/* The access takes effect. False: a fault, the SM has stopped. */
static bool perform(sm *s, sm_lsu_entry *e)
{
    exec_warp *x = &s->x[e->warp];
    unsigned spaces = BIT(EXEC_GLOBAL) | BIT(EXEC_SHARED) | BIT(EXEC_LOCAL);
    exec_fault f;
    bool ok = true;

    if (is_atomic(e)) {
        spaces &= ~(unsigned)BIT(EXEC_GLOBAL);
        if (e->m->space[EXEC_GLOBAL])
            ok = exec_mem_check(x, e->m, s->view, &f);
    }
    if (e->m->in->op == ISA_PRINT)
        x->clock = s->now;
    if (__builtin_expect(s->observe.spin != NULL, 0))
        sm_spin_before(s, e, spaces);
    if (ok)
        ok = __builtin_expect(s->lsu.turns.wanted, 0) && sm_turn_is(s, e)
                 ? exec_mem_begin(x, e->m, s->view, &f)
                 : exec_mem_perform(x, e->m, spaces, s->view, &f);
    if (!ok)
        sm_stop(s, e->warp, &f);
    else if (is_atomic(e) || __builtin_expect(s->observe.spin != NULL, 0))
        sm_spin_after(s, e, spaces);
    if (ok && is_atomic(e) && s->ctas.cta[s->warp[e->warp].cta].at_mbarrier)
        sm_mbarrier_arrived(s, s->warp[e->warp].cta);
    return ok;
}

static void count_start(sm *s, const sm_lsu_entry *e)
{
    if (e->m->space[EXEC_LOCAL]) {
        s->st.mem_local++;
        if (__builtin_expect(s->observe.profile != NULL, 0))
            sm_profile_at(s, e->warp, e->pc)->mem_local++;
    }
    if (!e->m->space[EXEC_GLOBAL])
        return;
    s->st.mem_global++;
    if (is_atomic(e)) {
        if (e->inst->in->flags & ISA_F_LOAD)
            s->st.mem_atomics++;
        else
            s->st.mem_reductions++;
    }
}

/* Members of a cluster have to have results of fixed latency in the same cycle,
 * so those of loads book none there: result_due() of sm.c. */
static uint64_t bus_at(sm *s, unsigned w, uint64_t due)
{
    return s->front_end->shared ? due : sm_result_at(s, w, due);
}

/* The result of `inst`, or the data of its copy, is there in cycle `due`. */
static void arrive(sm *s, const sm_inst *inst, unsigned w, uint32_t pc,
                   unsigned group, uint64_t due)
{
    if (inst->flags & INST_COPY)
        sm_event_at(s, due, EVENT_COPY, w, pc, group);
    else
        sm_event_at(s, bus_at(s, w, due), EVENT_WRITE, w, pc, 0);
}

/* No lane accesses anything, or what it accesses costs nothing; returns when
 * the result is there. */
static SM_COLD uint64_t start_empty(sm *s, const sm_lsu_entry *e)
{
    if (s->observe.trace)
        sm_trace_empty(s, e);
    return s->now + 1;
}

/* The last data of a memory instruction has come: its result is there in cycle
 * `due`, but for the result bus. */
static void count_load(sm *s, const sm_pending *p, uint64_t due)
{
    s->st.memory_cycles += s->now - p->sent_at;
    s->st.memory_latency[bins_cycles(s->now - p->sent_at)]++;
    if (p->inst->flags & INST_RESULT)
        s->st.load_latency[bins_cycles(due - p->issued)]++;
}

/* A bulk copy is handed over. False: that cannot be in this cycle. */
static SM_COLD bool start_bulk(sm *s, const sm_lsu_entry *e)
{
    sm_lsu *u = &s->lsu;
    bool taken = sm_tma_accept(s, e);

    set_block(s, taken ? LSU_RUNS : LSU_PENDING);
    if (!taken)
        return false;
    u->started = u->listed = true;
    u->has_tag = false;
    u->sent = u->txs.count = 0;
    u->remote = 0;
    u->free = s->now;
    start_empty(s, e);
    return true;
}

/* False: it cannot start in this cycle, or not at all. */
static bool start(sm *s, sm_lsu_entry *e)
{
    sm_lsu *u = &s->lsu;
    bool result = is_reading(e);
    uint64_t shared_done = 0;

    if (__builtin_expect(s->tma != NULL, 0) && isa_is_bulk(e->inst->in->op))
        return start_bulk(s, e);
    if (!u->listed)
        list(s, e);
    set_block(s, obstacle(s, e));
    if (u->block != LSU_RUNS)
        return false;
    if (!perform(s, e))
        return false;
    count_start(s, e);
    u->started = true;
    u->has_tag = false;
    u->sent = 0;
    u->free = s->now;
    if (e->m->space[EXEC_SHARED] || is_copy(e))
        shared_done = sm_lsu_shared(s, e);
    if (u->txs.count) {
        s->st.tx_insts++;
        if (__builtin_expect(s->observe.profile != NULL, 0)) {
            sm_profile_at(s, e->warp, e->pc)->tx_insts++;
            sm_bytes_watch(s, e, is_whole_lines(s, e->inst->in));
        }
        if (__builtin_expect(s->cfg->sm.lsu.perfect, 0))
            sm_bytes_list(s, e, is_whole_lines(s, e->inst->in));
        s->st.transactions[bins_powers(u->txs.count)]++;
    }
    if (u->txs.count || u->remote) {
        if (result) {
            take_pending(s, e);
            u->pending[u->tag].earliest = shared_done;
        }
    } else if (result) {
        s->warp[e->warp].outstanding++;
        if (!shared_done)
            shared_done = start_empty(s, e);
        arrive(s, e->inst, e->warp, e->pc, e->group, shared_done);
    } else if (!shared_done) {
        start_empty(s, e);
    }
    return true;
}

/* ---- transactions ---- */

uint32_t sm_lsu_store_tag(const sm *s, unsigned w)
{
    return TAG_STORE | (uint32_t)s->warp[w].grid << 24 |
           (uint32_t)s->warp[w].life << 8 | w;
}

/* True if some sector that is written is not written in full. */
static bool is_partial(const sm_tx *t)
{
    uint64_t whole[2] = {0, 0};

    for (unsigned i = 0; i < MEM_LINE / MEM_SECTOR; i++)
        if (t->sectors >> i & 1)
            whole[i / 2] |= bits_mask64(MEM_SECTOR) << (i % 2 * MEM_SECTOR);
    return t->bytes[0] != whole[0] || t->bytes[1] != whole[1];
}

static mem_msg message(const sm *s, const sm_lsu_entry *e, const sm_tx *t)
{
    mem_msg m = {.addr = t->line,
                 .born = s->now,
                 .tag = s->lsu.tag,
                 .src = (uint16_t)s->id,
                 .kind = MEM_READ,
                 .client = CLIENT_LSU,
                 .sectors = t->sectors,
                 .cta = s->warp[e->warp].cta,
                 .warp = e->warp,
                 .ordered = s->port.l1_reorders && sm_is_volatile(e->inst->in),
                 .hint = sm_hint_of(e->inst->in) & 7,
                 .local = sm_line_is_local(t)};

    if (__builtin_expect(s->lsu.keeps, 0))
        sm_keep_note(s, e, &m);
    return m;
}

/* Where the transactions of `e` go. */
static mem_port *port_of(const sm *s, const sm_lsu_entry *e)
{
    return s->port.to_ro && e->inst->texture ? s->port.to_ro : s->port.to_l1;
}

/* Whose it is, and what it does when its turn comes if it has not done so. */
static SM_COLD bool send_special(sm *s, const sm_lsu_entry *e, const sm_tx *t,
                                 mem_port *to, mem_msg *m)
{
    m->owner = e->owner;
    m->turn = sm_turn_new(s, e, t);
    if (mem_port_push(to, s->now, m))
        return true;
    sm_turn_drop(m->turn);
    return false;
}

static inline __attribute__((always_inline)) bool
send_request(sm *s, const sm_lsu_entry *e, const sm_tx *t, mem_port *to,
             mem_msg *m)
{
    if (__builtin_expect(s->lsu.turns.wanted | e->owner, 0))
        return send_special(s, e, t, to, m);
    return mem_port_push(to, s->now, m);
}

static bool send_load(sm *s, const sm_lsu_entry *e, const sm_tx *t)
{
    mem_msg m = message(s, e, t);

    s->st.tx_loads++;
    return send_request(s, e, t, port_of(s, e), &m);
}

void sm_lsu_count_store(sm *s, unsigned w)
{
    s->lsu.stores++;
    s->warp[w].stores++;
    s->launches.grid[s->warp[w].grid].stores++;
}

static bool send_store(sm *s, const sm_lsu_entry *e, const sm_tx *t)
{
    mem_msg m = message(s, e, t);

    m.kind = MEM_WRITE;
    m.tag = sm_lsu_store_tag(s, e->warp);
    m.payload =
        (uint16_t)(bits_popcount64(t->bytes[0]) + bits_popcount64(t->bytes[1]));
    m.partial = is_partial(t) && m.payload;
    m.ack = !m.local;
    if (m.ack) {
        if (s->lsu.stores >= s->lsu.store_limit)
            return false;
        sm_lsu_count_store(s, e->warp);
        sm_note_store(s, e, t);
    }
    s->st.tx_stores++;
    return send_request(s, e, t, s->port.to_l1, &m);
}

static bool send_atomic(sm *s, const sm_lsu_entry *e, const sm_tx *t)
{
    sm_lsu *u = &s->lsu;
    mem_msg m = message(s, e, t);

    m.hint = 0; /* these bits mean something else here */
    m.kind = MEM_ATOMIC;
    m.payload = (uint16_t)(bits_popcount32(t->lanes) * e->m->size);
    if (!(e->inst->in->flags & ISA_F_LOAD)) {
        m.kind = MEM_REDUCE;
        m.tag = sm_lsu_store_tag(s, e->warp);
        if (u->stores >= u->store_limit)
            return false;
    }
    m.atom = take_atom(u);
    if (!m.atom)
        return false;
    exec_atom_pack(e->m, t->lanes & e->m->space[EXEC_GLOBAL], m.atom);
    m.atom->silent = !s->x[e->warp].code_count;
    sm_note_atom(s, e, m.atom);
    ++*filter_of(u, t->line);
    if (m.kind == MEM_REDUCE) {
        sm_lsu_count_store(s, e->warp);
    }
    s->st.tx_atomics++;
    return mem_port_push(s->port.to_l1, s->now, &m);
}

static SM_COLD void watch_sent(sm *s, const sm_lsu_entry *e, const sm_tx *t)
{
    if (s->observe.profile) {
        sm_profile_row *row = sm_profile_at(s, e->warp, e->pc);

        row->tx++;
        row->sectors += mem_sectors_count(t->sectors);
    }
    if (s->observe.trace)
        sm_trace_tx(s, e, t, port_of(s, e));
}

/* Sends one transaction; false: blocked, u->block says by what. */
static bool send_transaction(sm *s, const sm_lsu_entry *e, const sm_tx *t)
{
    unsigned flags = e->inst->in->flags;
    bool sent;

    if (mem_port_full(port_of(s, e), s->now)) {
        set_block(s, LSU_PORT);
        return false;
    }
    if (flags & ISA_F_ATOMIC)
        sent = send_atomic(s, e, t);
    else if ((flags & ISA_F_STORE && !is_copy(e)) || sm_is_order(e->inst->in))
        sent = send_store(s, e, t);
    else
        sent = send_load(s, e, t);
    set_block(s, sent ? LSU_RUNS : LSU_PENDING);
    if (!s->lsu.sent && s->lsu.has_tag)
        s->lsu.pending[s->lsu.tag].sent_at = s->now;
    s->st.tx_sectors += sent ? mem_sectors_count(t->sectors) : 0;
    if (sent && port_of(s, e) != s->port.to_l1)
        s->st.tx_ro_sectors += mem_sectors_count(t->sectors);
    if (sent && __builtin_expect(s->observe.any, 0))
        watch_sent(s, e, t);
    return sent;
}

/* Loads leave one in a cycle whatever else happens, as long as the port has
 * room: those of this window but the last of the instruction, which takes its
 * own cycle, are pushed here, each for its cycle. Returns how many. */
static unsigned send_ahead(sm *s, const sm_lsu_entry *e)
{
    sm_lsu *u = &s->lsu;
    mem_port *to = port_of(s, e);
    uint64_t end = s->window_end > s->now ? s->window_end - s->now : 0;
    unsigned n = mem_port_room(to, s->now), sectors = 0;

    if (!is_plain_load(e) || u->remote || e->owner || s->observe.any)
        return 0;
    n = n < u->txs.count - u->sent ? n : u->txs.count - u->sent - 1;
    n = n < end ? n : (unsigned)end;
    if (n < 2)
        return 0;
    set_block(s, LSU_RUNS);
    if (!u->sent)
        u->pending[u->tag].sent_at = s->now;
    for (unsigned i = 0; i < n; i++) {
        const sm_tx *t = &u->txs.tx[u->sent++];
        mem_msg m = message(s, e, t);

        m.born = s->now + i;
        mem_port_put(to, m.born, &m);
        sectors += mem_sectors_count(t->sectors);
    }
    s->st.tx_loads += n;
    s->st.tx_sectors += sectors;
    s->st.tx_ro_sectors += to != s->port.to_l1 ? sectors : 0;
    s->st.lsu_busy += n;
    u->free = s->now + n;
    return n;
}

static void finish(sm *s, const sm_lsu_entry *e)
{
    sm_lsu *u = &s->lsu;
    unsigned w = e->warp;

    if (sm_lsu_full(u))
        sm_slots_reopen(s);
    u->head = u->head + 1 == u->room ? 0 : u->head + 1;
    u->count--;
    u->spare[u->room - u->count - 1] = e->m;
    u->listed = u->started = false;
    u->free = s->now + 1;
    s->warp[w].queued--;
    s->warp[w].outstanding--;
    if (__builtin_expect(s->front_end->lsu_done != NULL, 0))
        s->front_end->lsu_done(s);
    if (s->warp[w].why == WHY_FENCE)
        sm_lsu_fence(s, w);
    sm_warp_drain(s, w);
}

void sm_lsu_tick(sm *s)
{
    sm_lsu *u = &s->lsu;

    if (__builtin_expect(s->remote != NULL, 0))
        sm_remote_serve(s);
    if (__builtin_expect(s->bulk, 0)) {
        sm_tma_tick(s);
        if (s->fault.kind)
            return;
    }
    if (__builtin_expect(u->fences != 0, 0))
        sm_lsu_send_fence(s);
    if (!u->count || s->now < u->free)
        return;
    sm_lsu_entry *e = &u->queue[u->head];
    if (!u->started) {
        if (s->now < e->ready || !start(s, e) || s->now < u->free)
            return;
    }
    if (u->ahead && u->sent + 2 < u->txs.count && send_ahead(s, e))
        return;
    unsigned before = u->sent, limit = before + s->cfg->sm.lsu.transactions;
    while (u->sent < u->txs.count && u->sent < limit &&
           send_transaction(s, e, &u->txs.tx[u->sent]))
        u->sent++;
    if (u->sent == u->txs.count && __builtin_expect(u->remote != 0, 0) &&
        !sm_remote_send(s, e))
        return;
    if (u->sent == u->txs.count && !u->remote)
        finish(s, e);
    else if (u->sent == before && !u->remote)
        return;
    s->st.lsu_busy++;
}

uint64_t sm_lsu_when(const sm *s)
{
    const sm_lsu *u = &s->lsu;
    uint64_t when = s->now + 1;

    if (__builtin_expect(u->fences != 0, 0))
        return when;
    if (!u->count)
        return NEVER;
    if (u->block == LSU_PENDING || u->block == LSU_COHERENCE)
        return __builtin_expect(u->turns.waiting != 0, 0) ? when : NEVER;
    if (u->block == LSU_PORT)
        return mem_port_retry(port_of(s, &u->queue[u->head]), s->now);
    if (!u->started && when < u->queue[u->head].ready)
        when = u->queue[u->head].ready;
    return when < u->free ? u->free : when;
}

bool sm_lsu_goes_on(const sm *s)
{
    const sm_lsu *u = &s->lsu;

    if (!u->count || s->now < u->free)
        return true;
    if (!u->started)
        return s->now < u->queue[u->head].ready;
    return u->txs.count - u->sent > s->cfg->sm.lsu.transactions;
}

/* ---- replies ---- */

/* The L1 has answered a transaction of `p`. */
static SM_COLD void watch_read(sm *s, const sm_pending *p, const mem_msg *m)
{
    if (s->observe.profile && !m->atom) {
        sm_profile_row *row = sm_profile_at(s, p->warp, p->pc);

        row->reads++;
        row->read_hits += m->hit;
    }
    if (s->observe.trace)
        sm_trace_reply(s, m, s->lsu.left[m->tag] == 1);
}

static void data(sm *s, const mem_msg *m)
{
    sm_lsu *u = &s->lsu;
    sm_pending *p = &u->pending[m->tag];
    unsigned w = p->warp;

    MUST(m->tag < u->pending_room && u->left[m->tag] > 0);
    if (m->atom) {
        exec_atom_unpack(&s->x[w], p->inst->in, m->atom);
        sm_spin_atom(s, w, m->atom);
        give_atom(u, m->atom);
        --*filter_of(u, m->addr);
    }
    if (__builtin_expect(s->observe.any, 0))
        watch_read(s, p, m);
    if (--u->left[m->tag])
        return;
    uint64_t due = s->now + s->cfg->sm.lsu.write_back;
    if (is_texture(s, p->inst))
        due += p->inst->latency;
    if (due < p->earliest)
        due = p->earliest;
    if (p->inst->flags & INST_COPY)
        due += s->cfg->sm.shared.latency;
    p->next = u->pending_free;
    u->pending_free = m->tag + 1;
    s->warp[w].loads--;
    count_load(s, p, due);
    arrive(s, p->inst, w, p->pc, p->group, due);
    if (s->warp[w].why == WHY_FENCE)
        sm_lsu_fence(s, w);
}

static void ack(sm *s, const mem_msg *m)
{
    sm_lsu *u = &s->lsu;
    unsigned w = m->tag & 0xff;

    MUST((m->tag & TAG_STORE) && u->stores > 0);
    if (m->atom) {
        sm_note_change(s, m->atom);
        give_atom(u, m->atom);
        --*filter_of(u, m->addr);
    }
    u->stores--;
    sm_grid_stored(s, m->tag >> 24 & 0x7f);
    if (__builtin_expect(m->traced, 0) && s->observe.trace)
        sm_trace_reply(s, m, false);
    if (m->tag != sm_lsu_store_tag(s, w))
        return; /* the warp that stored has ended */
    s->warp[w].stores--;
    if (s->warp[w].why == WHY_FENCE)
        sm_lsu_fence(s, w);
}

void sm_lsu_remote(sm *s, const mem_msg *m)
{
    mem_msg plain = *m;

    plain.remote = NULL;
    if (m->kind == MEM_DATA) {
        if (!m->remote->fault.kind)
            exec_remote_unpack(&s->x[s->lsu.pending[m->tag].warp], m->remote);
        data(s, &plain);
    } else {
        ack(s, &plain);
    }
}

/* Where more than one message can come in a cycle, the port may be full. */
void sm_lsu_observe(sm *s)
{
    uint32_t *left = s->observe.any ? NULL : s->lsu.left;
    bool one =
        s->cfg->l1.tag_ports == 1 && s->cfg->l1.queue == CFG_L1_QUEUE_FIFO;

    s->port.from_l1->left = one ? left : NULL;
    if (s->port.from_ro)
        s->port.from_ro->left = left;
}

bool sm_lsu_counts_down(sm *s, const mem_msg *m)
{
    uint32_t *left = &s->lsu.left[m->tag];

    if (m->kind != MEM_DATA || m->atom)
        return false;
    MUST(m->tag<s->lsu.pending_room && * left> 0);
    if (*left == 1)
        return false;
    --*left;
    return true;
}

void sm_lsu_reply(sm *s, const mem_msg *m)
{
    if (m->kind == MEM_DATA)
        data(s, m);
    else if (m->kind == MEM_ACK)
        ack(s, m);
    else if (m->kind == MEM_PRESSURE)
        sm_owner_saturated(s, m->payload);
    else
        sm_lsu_end_fence(s, m->warp, s->now + 1);
}
