/* src/cache/l1_access.c - the tag stage: what a request finds, what stands in
 * its way, what performing it changes. */
#include "base/bits.h"
#include "base/must.h"
#include "cache/l1_impl.h"
#include "isa/isa.h"

static bool l1_miss_queue_takes(const l1 *b, unsigned n)
{
    return b->misses.count + b->untranslated.count + n <= b->cfg.miss_queue;
}

static bool is_cached(const l1 *b, const mem_msg *m)
{
    return m->local ? b->cfg.locals : b->cfg.globals;
}

static cfg_l1_write write_policy(const l1 *b, const mem_msg *m)
{
    if (!is_cached(b, m))
        return CFG_L1_WRITE_EVICT;
    return m->local ? b->cfg.local_write : b->cfg.write;
}

static bool l1_data_busy(const l1 *b, uint64_t now)
{
    return b->data_at >= (now + 1) * b->cfg.data_bytes;
}

static void use_l1_data_port(l1 *b, uint64_t now, unsigned sectors)
{
    uint64_t start = now * b->cfg.data_bytes;

    if (b->data_at < start)
        b->data_at = start;
    b->data_at += sectors * MEM_SECTOR;
}

/* A line that is absent needs a slot at once; a dirty victim needs a place in
 * the miss queue besides those of the request itself. */
static void find_slot(const l1 *b, const mem_msg *m, l1_plan *p)
{
    p->slot = mem_tags_victim(&b->tags, m->addr);
    p->full = p->slot == MEM_NO_SLOT;
    if (!p->full && mem_tags_holds(&b->tags, p->slot) &&
        b->tags.state[p->slot].dirty)
        p->places++;
}

static void find_read(const l1 *b, const mem_msg *m, l1_plan *p)
{
    uint8_t have = 0, awaited = 0;

    if (p->present)
        have = b->tags.state[p->slot].valid &
               (uint8_t)~b->tags.state[p->slot].partial;
    if (!(m->sectors & (uint8_t)~have) || b->cfg.perfect) {
        p->act = L1_ACT_HIT;
        return;
    }
    p->entry = mem_mshr_find(b->mshr, m->addr);
    if (p->entry != MEM_NO_ENTRY)
        awaited = mem_mshr_at(b->mshr, p->entry)->awaited;
    p->fetch = mem_sectors_widen(m->sectors, b->cfg.sector / MEM_SECTOR) &
               (uint8_t)~have & (uint8_t)~awaited;
    if (p->entry != MEM_NO_ENTRY) {
        p->act = L1_ACT_MERGE;
        p->places = p->fetch != 0;
        return;
    }
    p->act = L1_ACT_MISS;
    p->places = 1;
    if (p->present)
        return;
    if (m->hint == MEM_HINT_SKIP ||
        (__builtin_expect(b->locality != NULL, 0) &&
         !l1_locality_keeps(b->locality, mem_tags_set(&b->tags, m->addr),
                            m->addr)))
        l1_go_around(p);
    else if (b->cfg.alloc == CFG_ALLOC_ON_MISS)
        find_slot(b, m, p);
}

void l1_go_around(l1_plan *p)
{
    *p = (l1_plan){.act = L1_ACT_PASS,
                   .slot = MEM_NO_SLOT,
                   .entry = MEM_NO_ENTRY,
                   .around = true,
                   .places = 1};
}

bool l1_passes(const l1 *b, const mem_msg *m)
{
    if (m->kind == MEM_WRITE || m->kind == MEM_FENCE)
        return false;
    return m->kind != MEM_READ || !is_cached(b, m) || m->hint == CACHE_CG ||
           m->hint == CACHE_CV;
}

void l1_find(const l1 *b, const mem_msg *m, l1_plan *p)
{
    l1_find_at(b, m, mem_tags_find(&b->tags, m->addr), p);
}

void l1_find_at(const l1 *b, const mem_msg *m, uint32_t slot, l1_plan *p)
{
    *p = (l1_plan){.entry = MEM_NO_ENTRY, .slot = slot};
    p->present = p->slot != MEM_NO_SLOT;
    if (m->kind == MEM_WRITE && write_policy(b, m) == CFG_L1_WRITE_BACK) {
        p->act = L1_ACT_KEEP;
        if (!p->present)
            find_slot(b, m, p);
    } else if (m->kind == MEM_WRITE || l1_passes(b, m)) {
        p->act = L1_ACT_PASS;
        p->places = 1;
    } else {
        find_read(b, m, p);
    }
}

/* No MSHR for it, and perhaps no place in the miss queue, either. */
static l1_refusal mshr_refusal(const l1 *b, l1_refusal mshr, unsigned places)
{
    return b->cfg.cause_order == CFG_CAUSE_ORDER_GPGPUSIM &&
                   !l1_miss_queue_takes(b, places)
               ? L1_MISS_QUEUE
               : mshr;
}

static l1_refusal refuse_load(const l1 *b, const mem_msg *m, const l1_plan *p)
{
    if (p->act == L1_ACT_MERGE) {
        if (!mem_mshr_mergeable(b->mshr, p->entry, m->sectors))
            return mshr_refusal(b, L1_MSHR_MERGE, 1);
        return !p->fetch || l1_miss_queue_takes(b, 1) ? L1_OK : L1_MISS_QUEUE;
    }
    if (p->full)
        return L1_SET_FULL;
    if (mem_mshr_full(b->mshr))
        return mshr_refusal(b, L1_MSHR_ENTRY, p->places);
    return l1_miss_queue_takes(b, p->places) ? L1_OK : L1_MISS_QUEUE;
}

l1_refusal l1_refuse(const l1 *b, uint64_t now, const mem_msg *m,
                     const l1_plan *p)
{
    bool writes = m->kind == MEM_WRITE && p->present;

    if ((p->act == L1_ACT_HIT || writes) && l1_data_busy(b, now))
        return L1_DATA_PORT;
    switch (p->act) {
    case L1_ACT_HIT:
        return mem_ring_room(&b->hits) ? L1_OK : L1_REPLY;
    case L1_ACT_MERGE:
    case L1_ACT_MISS:
        return refuse_load(b, m, p);
    case L1_ACT_KEEP:
        if (m->ack && !mem_ring_room(&b->hits))
            return L1_REPLY;
        if (p->present)
            return L1_OK;
        if (p->full)
            return L1_SET_FULL;
        break;
    case L1_ACT_PASS:
        break;
    }
    return l1_miss_queue_takes(b, p->places) ? L1_OK : L1_MISS_QUEUE;
}

/* It waits in its place of the miss queue, together with what comes for the
 * same page. */
static void await_translation(l1 *b, uint64_t now, const mem_msg *m, bool anew)
{
    mem_ring_push(&b->untranslated, m, now)->src = b->port.node;
    *(anew ? &b->st.tlb_misses : &b->st.tlb_merges) += 1;
}

static void send_miss(l1 *b, uint64_t now, const mem_msg *m)
{
    bool anew;

    if (b->tlb.mmu && !tlb_find(&b->tlb, now, m->addr, &anew)) {
        await_translation(b, now, m, anew);
        return;
    }
    mem_ring_push(&b->misses, m, now + b->cfg.miss_latency)->src = b->port.node;
}

/* Requests sectors of the line of MSHR `entry` from the L2. */
static void fetch_sectors(l1 *b, uint64_t now, const mem_msg *m, uint32_t entry,
                          uint8_t sectors)
{
    mem_msg f = *m;

    f.kind = MEM_READ;
    f.client = b->port.client;
    f.tag = entry;
    f.sectors = sectors;
    f.payload = 0;
    mem_mshr_at(b->mshr, entry)->awaited |= sectors;
    send_miss(b, now, &f);
}

void l1_evict(l1 *b, uint64_t now, uint32_t slot)
{
    const mem_line_state *s = &b->tags.state[slot];

    if (!mem_tags_holds(&b->tags, slot))
        return;
    b->st.evictions++;
    if (__builtin_expect(b->locality != NULL, 0))
        l1_locality_evict(b->locality, slot / b->tags.ways, b->tags.line[slot]);
    if (s->dirty) {
        unsigned sectors = mem_sectors_count(s->dirty);
        mem_msg w = {.addr = b->tags.line[slot],
                     .born = now,
                     .kind = MEM_WRITE,
                     .client = b->port.client,
                     .sectors = s->dirty,
                     .partial = s->partial != 0,
                     .payload = (uint16_t)(sectors * MEM_SECTOR)};

        b->st.writebacks++;
        b->st.writeback_sectors += sectors;
        send_miss(b, now, &w);
    }
    mem_tags_drop(&b->tags, slot);
}

static void drop_line(l1 *b, const l1_plan *p)
{
    const mem_line_state *s = &b->tags.state[p->slot];

    /* A reserved line stays, because its MSHR refers to it; dirty data stay,
     * too. */
    if (!p->present || s->pending || s->dirty)
        return;
    mem_tags_drop(&b->tags, p->slot);
    b->st.drops++;
}

static void reply_hit(l1 *b, uint64_t now, const mem_msg *m, mem_kind kind)
{
    mem_msg *r = mem_ring_push(&b->hits, m,
                               now + b->cfg.latency - b->port.to_lsu->latency);
    unsigned sectors = mem_sectors_count(m->sectors);

    r->kind = (uint8_t)kind;
    r->hit = kind == MEM_DATA;
    r->payload = kind == MEM_DATA ? (uint16_t)(sectors * MEM_SECTOR) : 0;
}

static inline void perform_hit(l1 *b, uint64_t now, const mem_msg *m,
                               uint32_t slot)
{
    unsigned sectors = mem_sectors_count(m->sectors);

    use_l1_data_port(b, now, sectors);
    b->st.read_sectors += sectors;
    if (__builtin_expect(slot != MEM_NO_SLOT, 1)) /* else l1.perfect */
        mem_tags_touch(&b->tags, slot);
    reply_hit(b, now, m, MEM_DATA);
}

static void reserve_line(l1 *b, uint32_t slot, uint8_t sectors)
{
    bool anew = !b->tags.state[slot].pending;

    mem_tags_await(&b->tags, slot, sectors);
    if (anew)
        b->st.reserved_taken[bins_slots(
            b->tags.reserved[slot / b->tags.ways])]++;
}

static void perform_miss(l1 *b, uint64_t now, const mem_msg *m,
                         const l1_plan *p)
{
    uint32_t e = p->entry, slot = p->slot;

    if (p->act == L1_ACT_MISS) {
        e = mem_mshr_add(b->mshr, m->addr);
        b->st.mshrs_taken[bins_powers(mem_mshr_count(b->mshr))]++;
        if (!p->present && b->cfg.alloc == CFG_ALLOC_ON_MISS) {
            l1_evict(b, now, slot);
            mem_tags_take(&b->tags, slot, m->addr);
        }
        mem_mshr_at(b->mshr, e)->slot = slot;
    }
    mem_mshr_merge(b->mshr, e, m);
    if (b->cfg.alloc == CFG_ALLOC_ON_MISS)
        slot = mem_mshr_at(b->mshr, e)->slot;
    if (slot != MEM_NO_SLOT)
        mem_tags_touch(&b->tags, slot);
    if (!p->fetch)
        return;
    if (b->cfg.alloc == CFG_ALLOC_ON_MISS)
        reserve_line(b, slot, p->fetch);
    fetch_sectors(b, now, m, e, p->fetch);
}

static void perform_keep(l1 *b, uint64_t now, const mem_msg *m,
                         const l1_plan *p)
{
    mem_line_state *s = &b->tags.state[p->slot];

    if (p->present) {
        mem_tags_touch(&b->tags, p->slot);
    } else {
        l1_evict(b, now, p->slot);
        mem_tags_take(&b->tags, p->slot, m->addr);
    }
    /* Written bytes are not tracked within a sector: a partial sector stays
     * partial until it is fetched or written in full. */
    if (m->partial)
        s->partial |= m->sectors & (uint8_t)~s->valid;
    else
        s->partial &= (uint8_t)~m->sectors;
    s->valid |= m->sectors;
    s->dirty |= m->sectors;
    if (m->ack)
        reply_hit(b, now, m, MEM_ACK);
}

static void perform_pass(l1 *b, uint64_t now, const mem_msg *m,
                         const l1_plan *p)
{
    send_miss(b, now, m);
    b->expected += m->kind != MEM_WRITE || m->ack;
    if (m->kind == MEM_WRITE && write_policy(b, m) == CFG_L1_WRITE_THROUGH) {
        if (p->present)
            mem_tags_touch(&b->tags, p->slot);
        return;
    }
    drop_line(b, p);
}

#define COUNT(m, what)                                                         \
    (*((m)->local ? &b->st.local_##what : &b->st.global_##what) += 1)

static void count_l1_access(l1 *b, const mem_msg *m, const l1_plan *p)
{
    if (m->kind == MEM_WRITE) {
        COUNT(m, writes);
        if (p->present)
            COUNT(m, write_hits);
        return;
    }
    if (m->kind != MEM_READ) {
        b->st.atomics++;
        return;
    }
    COUNT(m, reads);
    if (p->act == L1_ACT_HIT)
        COUNT(m, read_hits);
    else if (p->act == L1_ACT_PASS)
        COUNT(m, read_bypasses);
    else if (!p->fetch)
        COUNT(m, read_merges);
    else if (p->present || p->act == L1_ACT_MERGE)
        COUNT(m, read_sector_misses);
    else
        COUNT(m, read_misses);
}

static trace_access l1_trace_access(const mem_msg *m, const l1_plan *p)
{
    switch (p->act) {
    case L1_ACT_HIT:
        return ACCESS_HIT;
    case L1_ACT_KEEP:
        return ACCESS_WRITE;
    case L1_ACT_PASS:
        return m->kind == MEM_WRITE && p->present ? ACCESS_WRITE : ACCESS_PASS;
    case L1_ACT_MERGE:
    case L1_ACT_MISS:
        if (!p->fetch)
            return ACCESS_MERGE;
        return p->present || p->act == L1_ACT_MERGE ? ACCESS_SECTOR
                                                    : ACCESS_MISS;
    }
    MUST(!"every value is above");
}

/* A load that the cache might keep is performed. */
static __attribute__((cold)) void note_reference(l1 *b, const mem_msg *m,
                                                 const l1_plan *p)
{
    if (p->act == L1_ACT_PASS && !p->around)
        return;
    b->st.locality_lookups++;
    b->st.locality_new +=
        l1_locality_note(b->locality, mem_tags_set(&b->tags, m->addr), m->addr);
    b->st.locality_around += p->around;
}

static __attribute__((cold)) void
note_access(const l1 *b, uint64_t now, const mem_msg *m, const l1_plan *p)
{
    if (b->log)
        event_log_request(b->log, now, TRACE_L1_ACCESS, b->unit, b->port.node,
                          m, l1_trace_access(m, p), m->sectors);
}

/* What `m` does to registers and memory; the rest of it is time. */
static __attribute__((cold, noinline)) void
perform_turn(l1 *b, uint64_t now, const mem_msg *m, const l1_plan *p)
{
    mem_msg rest = *m;

    m->turn->take(m->turn);
    rest.turn = NULL;
    l1_perform(b, now, &rest, p);
}

void l1_perform(l1 *b, uint64_t now, const mem_msg *m, const l1_plan *p)
{
    unsigned sectors = mem_sectors_count(m->sectors);

    if (__builtin_expect(m->turn != NULL, 0) &&
        (m->kind == MEM_READ || m->kind == MEM_WRITE)) {
        perform_turn(b, now, m, p);
        return;
    }
    count_l1_access(b, m, p);
    if (__builtin_expect(m->traced, 0))
        note_access(b, now, m, p);
    if (__builtin_expect(b->locality != NULL, 0) && m->kind == MEM_READ)
        note_reference(b, m, p);
    b->st.tag_lookups++;
    b->unanswered += m->kind != MEM_WRITE || m->ack;
    if (m->kind == MEM_WRITE && (p->present || p->act == L1_ACT_KEEP)) {
        use_l1_data_port(b, now, sectors);
        b->st.write_sectors += sectors;
    }
    switch (p->act) {
    case L1_ACT_HIT:
        perform_hit(b, now, m, p->slot);
        break;
    case L1_ACT_MERGE:
    case L1_ACT_MISS:
        perform_miss(b, now, m, p);
        break;
    case L1_ACT_KEEP:
        perform_keep(b, now, m, p);
        break;
    case L1_ACT_PASS:
        perform_pass(b, now, m, p);
        break;
    }
}

bool l1_hit(l1 *b, uint64_t now, const mem_msg *m, uint32_t slot)
{
    if (slot == MEM_NO_SLOT || m->kind != MEM_READ || l1_passes(b, m) ||
        m->turn || m->traced || b->locality)
        return false;
    mem_line_state s = b->tags.state[slot];
    if (m->sectors & (uint8_t) ~(s.valid & (uint8_t)~s.partial))
        return false;
    if (l1_data_busy(b, now) || !mem_ring_room(&b->hits))
        return false;
    COUNT(m, reads);
    COUNT(m, read_hits);
    b->st.tag_lookups++;
    b->unanswered++;
    perform_hit(b, now, m, slot);
    return true;
}
