/* src/cache/l2_access.c - what a request or a fill finds in the slice and what
 * it changes there. */
#include "base/bits.h"
#include "cache/l2_far.h"
#include "cache/l2_impl.h"
#include "cache/l2_keep.h"
#include "exec/exec.h"

enum { ALL_SECTORS = (1 << MEM_LINE / MEM_SECTOR) - 1 };

static bool l2_miss_queue_takes(const l2 *b, unsigned n)
{
    return b->misses.count + n <= b->cfg.miss_queue;
}

void l2_use_data_port(l2 *b, uint64_t now, unsigned sectors)
{
    uint64_t start = now * b->cfg.data_bytes;

    if (b->data_at < start)
        b->data_at = start;
    b->data_at += sectors * MEM_SECTOR;
}

static l2_refusal plan_slot(const l2 *b, l2_plan *p, unsigned *messages)
{
    p->slot = l2_victim(b, p->set);
    if (p->slot == MEM_NO_SLOT)
        return L2_SET_FULL;
    if (mem_tags_holds(&b->tags, p->slot) && b->tags.state[p->slot].dirty)
        ++*messages;
    if (l2_parted(b) && l2_far_holds_back(b, p->slot))
        return L2_FAR;
    return L2_OK;
}

/* The resources of a request that is not a plain hit. */
static l2_refusal plan_miss(const l2 *b, const mem_msg *m, l2_plan *p)
{
    unsigned messages = p->fetch != 0;
    bool mshr = p->wait || p->fetch;
    l2_refusal why = L2_OK;

    if (!p->present)
        why = plan_slot(b, p, &messages);
    if (why)
        return why;
    if (mshr && p->entry == MEM_NO_ENTRY && mem_mshr_full(b->mshr))
        return L2_MSHR_ENTRY;
    if (p->wait && p->entry != MEM_NO_ENTRY &&
        !mem_mshr_mergeable(b->mshr, p->entry, m->sectors))
        return L2_MSHR_MERGE;
    return l2_miss_queue_takes(b, messages) ? L2_OK : L2_MISS_QUEUE;
}

static l2_refusal plan_write(l2 *b, uint64_t now, const mem_msg *m, l2_plan *p,
                             uint8_t absent)
{
    if (l2_data_busy(b, now))
        return L2_DATA_PORT;
    if (m->ack && !mem_ring_room(l2_far_ring(b, m, &b->hits)))
        return L2_REPLY;
    if (!mem_keep_accesses(m->keep))
        return L2_OK;
    if (m->partial && b->cfg.write == CFG_L2_WRITE_FETCH)
        p->fetch = m->sectors & absent;
    return plan_miss(b, m, p);
}

/* Sectors that come from DRAM together: more if the program says so. */
static unsigned fetched_at_once(const l2 *b, const mem_msg *m)
{
    unsigned usual = b->cfg.sector / MEM_SECTOR, wanted = 1u << m->widen;

    if (__builtin_expect(wanted <= usual, 1))
        return usual;
    return wanted < MEM_LINE / MEM_SECTOR ? wanted : MEM_LINE / MEM_SECTOR;
}

l2_refusal l2_plan_request(l2 *b, uint64_t now, const mem_msg *m, l2_plan *p)
{
    uint8_t have = 0, awaited = 0;

    *p = (l2_plan){.entry = MEM_NO_ENTRY};
    if (l2_parted(b) && l2_far_away(b, m))
        return l2_far_plan(b, now, m, p);
    p->set = mem_tags_set(&b->tags, mem_route_in_slice(&b->route, m->addr));
    p->slot = mem_tags_find_in(&b->tags, p->set, m->addr);
    p->present = p->slot != MEM_NO_SLOT;
    if (p->present) {
        mem_line_state s = b->tags.state[p->slot];
        have = s.valid & (uint8_t)~s.partial;
        if (s.pending) {
            p->entry = mem_mshr_find(b->mshr, m->addr);
            awaited = s.pending;
        }
    }
    if (l2_parted(b) && l2_far_must_wait(b, m, p))
        return L2_FAR;
    if (__builtin_expect(b->cfg.perfect, 0)) {
        unsigned none = 0;
        l2_refusal why = p->present ? L2_OK : plan_slot(b, p, &none);

        if (why)
            return why;
        have = ALL_SECTORS;
    }
    if (m->kind == MEM_WRITE)
        return plan_write(b, now, m, p, (uint8_t) ~(have | awaited));
    if (l2_is_atomic(m) && now < b->atom_free)
        return L2_ATOMIC_UNIT;
    /* Atomics of one line are performed in the order in which they came: none
     * passes one that waits for another sector. */
    if (!(m->sectors & (uint8_t)~have) && !(l2_is_atomic(m) && awaited)) {
        if (l2_data_busy(b, now))
            return L2_DATA_PORT;
        mem_ring *to = l2_is_atomic(m) ? &b->atoms : &b->hits;
        return mem_ring_room(l2_far_ring(b, m, to)) ? L2_OK : L2_REPLY;
    }
    p->wait = true;
    p->fetch = mem_sectors_widen(m->sectors, fetched_at_once(b, m)) &
               (uint8_t)~have & (uint8_t)~awaited;
    return plan_miss(b, m, p);
}

void l2_turn_into_reply(const l2 *b, mem_msg *r)
{
    r->dst = r->src;
    r->src = b->port.node;
    if (r->kind == MEM_READ)
        r->payload = mem_sectors_bytes(r->sectors);
    else if (r->kind != MEM_ATOMIC)
        r->payload = 0;
    r->kind = r->kind == MEM_READ || r->kind == MEM_ATOMIC ? MEM_DATA : MEM_ACK;
}

static inline void reply(l2 *b, uint64_t now, mem_ring *to, const mem_msg *m,
                         unsigned latency)
{
    uint64_t there = mem_clock_to_core(b->clock, now + latency);
    unsigned port = b->port.to_net->latency;
    uint64_t due =
        mem_clock_from_core(b->clock, there > port ? there - port : 0);

    due = due > now ? due : now;
    if (l2_parted(b) && l2_far_reply(b, m, due))
        return;
    l2_turn_into_reply(b, mem_ring_push(to, m, due));
}

void l2_reply(l2 *b, uint64_t now, mem_ring *to, const mem_msg *m,
              unsigned latency)
{
    reply(b, now, to, m, latency);
}

/* Cycles of the atomic unit: lanes on different words in parallel, lanes on the
 * same word one after the other. */
static unsigned atomic_cycles(const l2 *b, const mem_atom *a)
{
    uint8_t on_word[MEM_LINE / 4] = {0};
    unsigned lanes = 0, most = 1;

    if (!a)
        return 1;
    for (uint32_t rest = a->lanes; rest; rest &= rest - 1) {
        unsigned word =
            (unsigned)(a->addr[bits_ctz32(rest)] / 4) % (MEM_LINE / 4);
        if (++on_word[word] > most)
            most = on_word[word];
        lanes++;
    }
    unsigned wide =
        (unsigned)bits_div_up(lanes ? lanes : 1, b->cfg.atomic_lanes);
    unsigned deep = (most - 1) * b->cfg.atomic_same + 1;
    return wide > deep ? wide : deep;
}

static void perform_atomic(l2 *b, uint64_t now, const mem_msg *m, uint32_t slot,
                           unsigned latency)
{
    unsigned cycles = atomic_cycles(b, m->atom);
    uint64_t start = now > b->atom_free ? now : b->atom_free;

    if (m->atom) {
        exec_atom_perform(m->atom, b->port.view);
        m->atom->when = now;
        b->st.atomic_lanes += bits_popcount32(m->atom->lanes);
    }
    b->tags.state[slot].dirty |= m->sectors;
    if (l2_parted(b))
        l2_far_changed(b, now, m, slot);
    b->atom_free = start + cycles;
    b->st.atomic_cycles += cycles;
    uint64_t due = start + latency + b->cfg.atomic_latency + cycles - 1;
    if (due < b->atom_due)
        due = b->atom_due;
    b->atom_due = due;
    reply(b, start, &b->atoms, m, (unsigned)(due - start));
}

static void send_to_dram(l2 *b, uint64_t when, uint64_t line, mem_kind kind,
                         uint8_t sectors, uint32_t tag, bool traced)
{
    bool write = kind == MEM_WRITE;
    mem_msg m = {.addr = line,
                 .tag = tag,
                 .src = b->port.slice,
                 .kind = (uint8_t)kind,
                 .client = CLIENT_L2,
                 .sectors = sectors,
                 .traced = traced};

    if (write)
        m.payload = mem_sectors_bytes(sectors);
    mem_ring_push(&b->misses, &m, when);
}

void l2_replace_line(l2 *b, uint64_t now, const mem_msg *m, uint32_t slot)
{
    if (mem_tags_holds(&b->tags, slot)) {
        mem_line_state s = b->tags.state[slot];

        b->st.evictions++;
        if (b->keep)
            l2_keep_replaced(b, slot);
        if (l2_parted(b))
            l2_far_replaced(b, now, slot);
        if (s.dirty && !b->cfg.perfect) {
            b->st.writebacks++;
            b->st.writeback_sectors += mem_sectors_count(s.dirty);
            send_to_dram(b, now + b->cfg.miss_latency, b->tags.line[slot],
                         MEM_WRITE, s.dirty, 0, false);
        }
    }
    mem_tags_take(&b->tags, slot, m->addr);
    if (b->keep)
        l2_keep_taken(b, slot, m->keep);
}

/* What is no access changes no data; it is answered all the same. */
static void perform_order(l2 *b, uint64_t now, const mem_msg *m,
                          const l2_plan *p)
{
    l2_keep_order(b, m, p->present ? p->slot : MEM_NO_SLOT);
    reply(b, now, &b->hits, m, b->cfg.latency);
}

/* A use of a line that is there. */
static void use_line(l2 *b, const mem_msg *m, uint32_t slot)
{
    if (!b->keep) {
        mem_tags_touch(&b->tags, slot);
        return;
    }
    if (m->keep != MEM_KEEP_UNCHANGED)
        mem_tags_touch(&b->tags, slot);
    l2_keep_found(b, slot, m->keep);
}

static void perform_wait(l2 *b, uint64_t now, const mem_msg *m,
                         const l2_plan *p)
{
    uint32_t e = p->entry;

    if (e == MEM_NO_ENTRY) {
        e = mem_mshr_add(b->mshr, m->addr);
        b->st.mshrs_taken[bins_powers(mem_mshr_count(b->mshr))]++;
        mem_mshr_at(b->mshr, e)->slot = p->slot;
        if (l2_parted(b))
            b->far->waits[e] = L2_FAR_NOBODY;
    }
    mem_mshr_at(b->mshr, e)->awaited |= p->fetch;
    mem_tags_await(&b->tags, p->slot, p->fetch);
    if (p->fetch)
        send_to_dram(b, now + b->cfg.miss_latency, m->addr, MEM_READ, p->fetch,
                     e, m->traced);
    if (!p->wait)
        return;
    if (l2_parted(b))
        l2_far_awaits(b, now, m, p->slot, e);
    mem_msg w = *m;
    if (l2_is_atomic(m)) /* behind all that wait already */
        w.sectors |= mem_mshr_at(b->mshr, e)->awaited;
    mem_mshr_merge(b->mshr, e, &w);
}

static void perform_write(l2 *b, uint64_t now, const mem_msg *m,
                          const l2_plan *p)
{
    mem_line_state *s = &b->tags.state[p->slot];
    unsigned sectors = mem_sectors_count(m->sectors);

    l2_use_data_port(b, now, sectors);
    b->st.write_sectors += sectors;
    if (m->partial)
        s->partial |= m->sectors & (uint8_t)~s->valid;
    else
        s->partial &= (uint8_t)~m->sectors;
    s->valid |= m->sectors;
    s->dirty |= m->sectors;
    if (l2_parted(b))
        l2_far_changed(b, now, m, p->slot);
    if (p->fetch)
        perform_wait(b, now, m, p);
    if (m->ack)
        reply(b, now, &b->hits, m, b->cfg.latency);
}

static void count_l2_access(l2 *b, const mem_msg *m, const l2_plan *p)
{
    b->st.tag_lookups++;
    if (__builtin_expect(m->client == CLIENT_L2, 0)) {
        l2_far_count(b, m, p);
        return;
    }
    if (m->kind == MEM_WRITE) {
        b->st.writes++;
        b->st.write_hits += p->present;
        b->st.write_misses += !p->present;
        b->st.partial_writes += m->partial;
        return;
    }
    if (l2_is_atomic(m)) {
        b->st.atomics += m->kind == MEM_ATOMIC;
        b->st.reductions += m->kind == MEM_REDUCE;
        b->st.atomic_hits += !p->wait;
        return;
    }
    b->st.reads++;
    b->st.code_reads += m->client == CLIENT_ICACHE;
    b->st.constant_reads += m->client == CLIENT_CONST;
    if (!p->wait)
        b->st.read_hits++;
    else if (!p->fetch)
        b->st.read_merges++;
    else if (p->present)
        b->st.read_sector_misses++;
    else
        b->st.read_misses++;
}

void l2_perform(l2 *b, uint64_t now, const mem_msg *m, const l2_plan *p)
{
    count_l2_access(b, m, p);
    b->unanswered += m->kind != MEM_WRITE || m->ack;
    if (__builtin_expect(p->far, 0)) {
        l2_far_perform(b, now, m, p);
        return;
    }
    if (__builtin_expect(!mem_keep_accesses(m->keep), 0)) {
        perform_order(b, now, m, p);
        return;
    }
    if (p->present)
        use_line(b, m, p->slot);
    else
        l2_replace_line(b, now, m, p->slot);
    if (__builtin_expect(b->cfg.perfect, 0))
        b->tags.state[p->slot].valid = ALL_SECTORS;
    if (m->kind == MEM_WRITE) {
        perform_write(b, now, m, p);
        return;
    }
    if (p->wait) {
        perform_wait(b, now, m, p);
        return;
    }
    l2_use_data_port(b, now, mem_sectors_count(m->sectors));
    b->st.read_sectors += mem_sectors_count(m->sectors);
    if (l2_is_atomic(m))
        perform_atomic(b, now, m, p->slot, b->cfg.latency);
    else
        reply(b, now, &b->hits, m, b->cfg.latency);
}

bool l2_fill_fits(const l2 *b, const mem_msg *m)
{
    uint32_t n = mem_mshr_at(b->mshr, m->tag)->waiting;

    return mem_ring_room(&b->fills) >= n && mem_ring_room(&b->atoms) >= n &&
           (!l2_parted(b) || l2_far_fill_fits(b, m, n));
}

void l2_fill(l2 *b, uint64_t now, const mem_msg *m)
{
    const mem_mshr_entry *e = mem_mshr_at(b->mshr, m->tag);
    unsigned sectors = mem_sectors_count(m->sectors);
    uint32_t slot = e->slot;
    const mem_msg *w;

    MUST_CHECK(e->line == m->addr && !(m->sectors & ~e->awaited));
    l2_use_data_port(b, now, sectors);
    b->st.fills++;
    b->st.fill_sectors += sectors;
    mem_tags_fill(&b->tags, slot, m->sectors);
    mem_mshr_arrive(b->mshr, m->tag, m->sectors);
    while ((w = mem_mshr_next(b->mshr, m->tag))) {
        if (l2_is_atomic(w))
            perform_atomic(b, now, w, slot, b->cfg.fill_latency);
        else
            reply(b, now, &b->fills, w, b->cfg.fill_latency);
    }
}

/* The slot of a line of the slice, which is there from now on, and youngest;
 * MEM_NO_SLOT: it has no place. */
static uint32_t place_line(l2 *b, uint64_t line)
{
    uint32_t set = mem_tags_set(&b->tags, mem_route_in_slice(&b->route, line));
    uint32_t slot = mem_tags_find_in(&b->tags, set, line);

    if (slot != MEM_NO_SLOT) {
        mem_tags_touch(&b->tags, slot);
        return slot;
    }
    slot = l2_victim(b, set);
    if (slot == MEM_NO_SLOT)
        return slot;
    if (b->far) {
        if (mem_tags_holds(&b->tags, slot))
            l2_far_copied(b, b->tags.line[slot], L2_SHARED);
        b->far->mark[slot] = 0;
    }
    mem_tags_take(&b->tags, slot, line);
    if (b->keep)
        l2_keep_taken(b, slot, MEM_KEEP_DEFAULT);
    return slot;
}

void l2_touched(l2 *b, uint64_t line, uint8_t sectors, bool store)
{
    if (b->far && store)
        l2_far_copied(b, line, sectors);
    uint32_t slot = place_line(b, line);
    if (slot == MEM_NO_SLOT)
        return;
    mem_line_state *s = &b->tags.state[slot];
    sectors &= (uint8_t)~s->pending;
    s->valid |= sectors;
    s->partial &= (uint8_t)~sectors;
    if (store)
        s->dirty |= sectors;
}

/* What it takes the place of has gone to DRAM while the copy went on. */
void l2_copied(l2 *b, uint64_t line, uint8_t sectors)
{
    if (b->far)
        l2_far_copied(b, line, sectors);
    uint32_t slot = place_line(b, line);
    if (slot == MEM_NO_SLOT)
        return;
    mem_line_state *s = &b->tags.state[slot];
    s->valid |= sectors;
    s->partial &= (uint8_t)~sectors;
    if (b->cfg.copies == CFG_L2_COPIES_WRITE)
        s->dirty |= sectors;
    else
        s->dirty &= (uint8_t)~sectors;
}
