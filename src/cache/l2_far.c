/* src/cache/l2_far.c - see the header. */
#include "cache/l2_far.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cache/l2_keep.h"

/* Tags of answers: AWAY for requests in `away`, else an entry of `mshr`. */
#define AWAY 0x80000000u
#define NONE UINT32_MAX

l2_far *l2_far_new(const l2 *b, uint64_t replies)
{
    l2_far *f = new0(1, sizeof *f);
    uint32_t pending = b->cfg.link.pending;

    f->mark = new0((size_t)b->cfg.sets * b->cfg.ways, sizeof *f->mark);
    f->mshr = l2_mshr_new(&b->cfg);
    f->stale = new0(b->cfg.mshrs, sizeof *f->stale);
    f->waits = new0(b->cfg.mshrs, sizeof *f->waits);
    f->away = new_array(pending, sizeof *f->away);
    f->spare = new_array(pending, sizeof *f->spare);
    for (uint32_t i = 0; i < pending; i++)
        f->spare[f->spares++] = pending - 1 - i;
    f->recall = new0(b->cfg.link.recalls, sizeof *f->recall);
    f->recalling = NONE;
    mem_ring_init(&f->asks, b->cfg.miss_queue);
    mem_ring_init(&f->answers, replies);
    /* Those of this slice, and answers to those of the counterpart. */
    mem_ring_init(&f->orders, 2 * (uint64_t)b->cfg.link.recalls);
    mem_ring_init(&f->released, b->cfg.link.recalls);
    return f;
}

void l2_far_free(l2_far *f)
{
    if (!f)
        return;
    mem_mshr_free(f->mshr);
    mem_ring_fini(&f->asks);
    mem_ring_fini(&f->answers);
    mem_ring_fini(&f->orders);
    mem_ring_fini(&f->released);
    free(f->mark);
    free(f->stale);
    free(f->waits);
    free(f->away);
    free(f->spare);
    free(f->recall);
    free(f);
}

void l2_pair(l2 *a, l2 *b)
{
    a->far->peer = b;
    b->far->peer = a;
}

bool l2_far_idle(const l2 *b)
{
    const l2_far *f = b->far;

    return !mem_mshr_count(f->mshr) && f->spares == b->cfg.link.pending &&
           !f->recalls && !f->asks.count && !f->answers.count &&
           !f->orders.count && !f->released.count &&
           !b->port.from_near->count && !b->port.from_link->count;
}

static uint32_t slot_of(const l2 *b, uint64_t line)
{
    uint32_t set = mem_tags_set(&b->tags, mem_route_in_slice(&b->route, line));

    return mem_tags_find_in(&b->tags, set, line);
}

/* ---- Copies ---- */

/* Sectors of a line are out of date here, also what is on its way. */
static void drop_copy(l2 *b, uint64_t line, uint8_t sectors)
{
    l2_far *f = b->far;
    uint32_t slot = slot_of(b, line), e = mem_mshr_find(f->mshr, line);

    if (e != MEM_NO_ENTRY)
        f->stale[e] = true;
    if (slot == MEM_NO_SLOT || !(b->tags.state[slot].valid & sectors))
        return;
    MUST_CHECK(f->mark[slot] == L2_COPY);
    b->st.copies_dropped++;
    b->tags.state[slot].valid &= (uint8_t)~sectors;
    if (b->tags.state[slot].valid)
        return;
    mem_tags_drop(&b->tags, slot);
    f->mark[slot] = 0;
}

/* The slot for a copy of a line; MEM_NO_SLOT: there is none now. */
static uint32_t place_for(l2 *b, uint64_t own, const mem_msg *m)
{
    uint32_t slot = slot_of(b, m->addr);

    if (slot != MEM_NO_SLOT)
        return slot;
    uint32_t set =
        mem_tags_set(&b->tags, mem_route_in_slice(&b->route, m->addr));
    slot = l2_victim(b, set);
    if (slot == MEM_NO_SLOT)
        return slot;
    if (mem_tags_holds(&b->tags, slot) &&
        (l2_far_holds_back(b, slot) ||
         (b->tags.state[slot].dirty && !mem_ring_room(&b->misses))))
        return MEM_NO_SLOT;
    l2_replace_line(b, own, m, slot);
    b->far->mark[slot] = L2_COPY;
    b->st.copies++;
    return slot;
}

static void keep_copy(l2 *b, uint64_t own, const mem_msg *m)
{
    l2_far *f = b->far;
    uint32_t slot = MEM_NO_SLOT;

    if (!b->cfg.link.keep)
        return;
    if (!f->stale[m->tag])
        slot = place_for(b, own, m);
    if (slot == MEM_NO_SLOT) {
        b->st.copies_lost++;
        return;
    }
    l2_use_data_port(b, own, mem_sectors_count(m->sectors));
    mem_tags_fill(&b->tags, slot, m->sectors);
}

/* ---- Requests of SMs for lines of the other partition ---- */

bool l2_far_away(const l2 *b, const mem_msg *m)
{
    return m->client != CLIENT_L2 &&
           mem_route_slice(&b->route, m->addr) != b->port.slice;
}

static bool owes_answer(const mem_msg *m)
{
    return m->kind != MEM_WRITE || m->ack;
}

static l2_refusal plan_read(l2 *b, uint64_t own, const mem_msg *m, l2_plan *p)
{
    const l2_far *f = b->far;
    uint8_t have = p->present ? b->tags.state[p->slot].valid : 0, awaited = 0;

    if (!(m->sectors & (uint8_t)~have)) {
        if (l2_data_busy(b, own))
            return L2_DATA_PORT;
        return mem_ring_room(&b->hits) ? L2_OK : L2_REPLY;
    }
    p->wait = true;
    p->entry = mem_mshr_find(f->mshr, m->addr);
    if (p->entry == MEM_NO_ENTRY) {
        if (mem_mshr_full(f->mshr))
            return L2_MSHR_ENTRY;
    } else {
        if (f->stale[p->entry])
            return L2_FAR;
        if (!mem_mshr_mergeable(f->mshr, p->entry, m->sectors))
            return L2_MSHR_MERGE;
        awaited = mem_mshr_at(f->mshr, p->entry)->awaited;
    }
    p->fetch = mem_sectors_widen(m->sectors, b->cfg.sector / MEM_SECTOR) &
               (uint8_t)~have & (uint8_t)~awaited;
    return p->fetch && !mem_ring_room(&b->far->asks) ? L2_MISS_QUEUE : L2_OK;
}

l2_refusal l2_far_plan(l2 *b, uint64_t own, const mem_msg *m, l2_plan *p)
{
    p->far = true;
    p->slot = slot_of(b, m->addr);
    p->present = p->slot != MEM_NO_SLOT;
    if (m->kind == MEM_READ)
        return plan_read(b, own, m, p);
    if (owes_answer(m) && !b->far->spares)
        return L2_FAR;
    return mem_ring_room(&b->far->asks) ? L2_OK : L2_MISS_QUEUE;
}

/* A request to the home. What happens to it there is not recorded. */
static void ask_home(l2 *b, uint64_t own, const mem_msg *m, uint32_t tag,
                     uint8_t sectors)
{
    mem_msg ask = *m;

    ask.client = CLIENT_L2;
    ask.dst = b->port.home_end;
    ask.tag = tag;
    ask.sectors = sectors;
    ask.traced = 0;
    mem_ring_push(&b->far->asks, &ask, own + b->cfg.miss_latency);
}

static void send_on(l2 *b, uint64_t own, const mem_msg *m)
{
    l2_far *f = b->far;
    uint32_t tag = 0;

    b->st.far_writes++;
    drop_copy(b, m->addr, m->sectors);
    if (owes_answer(m)) {
        tag = f->spare[--f->spares];
        f->away[tag] = *m;
    }
    ask_home(b, own, m, tag | AWAY, m->sectors);
}

void l2_far_perform(l2 *b, uint64_t own, const mem_msg *m, const l2_plan *p)
{
    l2_far *f = b->far;
    uint32_t e = p->entry;

    if (m->kind != MEM_READ) {
        send_on(b, own, m);
        return;
    }
    b->st.far_reads++;
    if (p->present) {
        if (!b->keep || m->keep != MEM_KEEP_UNCHANGED)
            mem_tags_touch(&b->tags, p->slot);
        if (b->keep)
            l2_keep_found(b, p->slot, m->keep);
    }
    if (!p->wait) {
        b->st.far_hits++;
        b->st.read_sectors += mem_sectors_count(m->sectors);
        l2_use_data_port(b, own, mem_sectors_count(m->sectors));
        l2_reply(b, own, &b->hits, m, b->cfg.latency);
        return;
    }
    if (e == MEM_NO_ENTRY) {
        e = mem_mshr_add(f->mshr, m->addr);
        f->stale[e] = false;
    }
    mem_mshr_at(f->mshr, e)->awaited |= p->fetch;
    if (p->fetch)
        ask_home(b, own, m, e, p->fetch);
    mem_mshr_merge(f->mshr, e, m);
}

/* ---- At home ---- */

static bool being_recalled(const l2 *b, uint64_t line)
{
    const l2_far *f = b->far;

    for (uint32_t i = 0; f->recalls && i < b->cfg.link.recalls; i++)
        if (f->recall[i].used && f->recall[i].line == line)
            return true;
    return false;
}

/* A place is free again when what it held back has been answered. */
static bool no_recall_left(const l2 *b)
{
    const l2_far *f = b->far;

    return f->recalls + f->released.count >= b->cfg.link.recalls;
}

bool l2_far_must_wait(const l2 *b, const mem_msg *m, const l2_plan *p)
{
    const l2_far *f = b->far;
    bool near = m->client == CLIENT_L2;
    uint8_t waits =
        p->entry == MEM_NO_ENTRY ? L2_FAR_NOBODY : f->waits[p->entry];

    if (m->kind == MEM_READ)
        return near && waits == L2_FAR_ATOMICS;
    if (l2_is_atomic(m) && waits == L2_FAR_READS)
        return true;
    if (near) /* which has dropped its own copies */
        return false;
    return being_recalled(b, m->addr) ||
           (p->present && f->mark[p->slot] & L2_SHARED & m->sectors &&
            no_recall_left(b));
}

bool l2_far_holds_back(const l2 *b, uint32_t slot)
{
    return b->far->mark[slot] & L2_SHARED &&
           (no_recall_left(b) || being_recalled(b, b->tags.line[slot]));
}

static uint32_t start_recall(l2 *b, uint64_t own, uint64_t line,
                             uint8_t sectors)
{
    l2_far *f = b->far;
    uint32_t i = 0;

    MUST(f->recalls < b->cfg.link.recalls);
    while (f->recall[i].used)
        i++;
    f->recalls++;
    f->recall[i] = (l2_recall){.line = line, .used = true};
    b->st.recalls++;
    mem_msg m = {.addr = line,
                 .kind = MEM_DROP,
                 .client = CLIENT_L2,
                 .dst = b->port.link_end,
                 .tag = i,
                 .sectors = sectors};
    mem_ring_push(&f->orders, &m, own);
    return i;
}

/* Sectors that a request changes are the home's alone. The recall, or NONE. */
static uint32_t take_back(l2 *b, uint64_t own, const mem_msg *m, uint32_t slot)
{
    uint8_t *mark = &b->far->mark[slot];
    uint8_t shared = *mark & L2_SHARED & m->sectors;

    *mark &= (uint8_t)~shared;
    /* The counterpart dropped its copies when this passed there. */
    if (!shared || m->client == CLIENT_L2)
        return NONE;
    return start_recall(b, own, b->tags.line[slot], shared);
}

void l2_far_changed(l2 *b, uint64_t own, const mem_msg *m, uint32_t slot)
{
    uint32_t r = take_back(b, own, m, slot);

    if (owes_answer(m))
        b->far->recalling = r;
}

void l2_far_awaits(l2 *b, uint64_t own, const mem_msg *m, uint32_t slot,
                   uint32_t e)
{
    if (l2_is_atomic(m)) {
        take_back(b, own, m, slot);
        b->far->waits[e] = L2_FAR_ATOMICS;
    } else if (m->client == CLIENT_L2) {
        b->far->waits[e] = L2_FAR_READS;
    }
}

void l2_far_replaced(l2 *b, uint64_t own, uint32_t slot)
{
    uint8_t shared = b->far->mark[slot] & L2_SHARED;

    b->far->mark[slot] = 0;
    if (!shared)
        return;
    b->st.recalls_replaced++;
    start_recall(b, own, b->tags.line[slot], shared);
}

/* Data for the counterpart, which may keep a copy. Where it keeps none, other
 * reads may still come to wait for these data. */
static void share(l2 *b, const mem_msg *m)
{
    uint32_t slot = slot_of(b, m->addr);

    MUST_CHECK(slot != MEM_NO_SLOT);
    b->far->mark[slot] |= m->sectors;
}

bool l2_far_reply(l2 *b, const mem_msg *m, uint64_t due)
{
    l2_far *f = b->far;
    mem_msg r = *m;

    if (m->client != CLIENT_L2 && f->recalling == NONE)
        return false;
    if (m->kind == MEM_READ && m->client == CLIENT_L2)
        share(b, m);
    l2_turn_into_reply(b, &r);
    if (m->client == CLIENT_L2) {
        r.dst = b->port.link_end;
        f->answer_due = due > f->answer_due ? due : f->answer_due;
        mem_ring_push(&f->answers, &r, f->answer_due);
        return true;
    }
    l2_recall *c = &f->recall[f->recalling];

    f->recalling = NONE;
    c->reply = r;
    c->reply.when = due;
    c->owes = true;
    return true;
}

bool l2_far_fill_fits(const l2 *b, const mem_msg *m, uint32_t n)
{
    return mem_ring_room(&b->far->answers) >= n &&
           !(b->far->waits[m->tag] == L2_FAR_ATOMICS &&
             being_recalled(b, m->addr));
}

void l2_far_count(l2 *b, const mem_msg *m, const l2_plan *p)
{
    if (m->kind != MEM_READ) {
        b->st.home_writes++;
        return;
    }
    b->st.home_reads++;
    b->st.home_hits += !p->wait;
}

void l2_far_copied(l2 *b, uint64_t line, uint8_t sectors)
{
    l2 *peer = b->far->peer;
    uint32_t at = slot_of(b, line), slot = slot_of(peer, line);

    if (at != MEM_NO_SLOT)
        b->far->mark[at] &= (uint8_t) ~(sectors & L2_SHARED);
    if (slot != MEM_NO_SLOT && peer->far->mark[slot] == L2_COPY)
        drop_copy(peer, line, sectors);
}

/* ---- Stages ---- */

static void recall_ends(l2 *b, uint64_t own, uint32_t i)
{
    l2_far *f = b->far;
    l2_recall *r = &f->recall[i];

    MUST(r->used);
    r->used = false;
    f->recalls--;
    if (!r->owes)
        return;
    uint64_t due = r->reply.when > own ? r->reply.when : own;
    f->released_due = due > f->released_due ? due : f->released_due;
    mem_ring_push(&f->released, &r->reply, f->released_due);
}

static void copy_arrives(l2 *b, uint64_t own, const mem_msg *m)
{
    l2_far *f = b->far;
    const mem_msg *w;

    keep_copy(b, own, m);
    mem_mshr_arrive(f->mshr, m->tag, m->sectors);
    while ((w = mem_mshr_next(f->mshr, m->tag)))
        l2_reply(b, own, &b->fills, w, b->cfg.fill_latency);
}

static void away_answered(l2 *b, uint64_t own, const mem_msg *m)
{
    l2_far *f = b->far;
    uint32_t tag = m->tag & ~AWAY;

    f->spare[f->spares++] = tag;
    l2_reply(b, own, &b->fills, &f->away[tag], b->cfg.fill_latency);
}

/* Can what came by the link be taken? Orders always are. */
static bool link_fits(const l2 *b, const mem_msg *m)
{
    if (m->kind == MEM_DROP || m->kind == MEM_DROPPED)
        return true;
    return mem_ring_room(&b->fills) >=
           (m->tag & AWAY ? 1 : mem_mshr_at(b->far->mshr, m->tag)->waiting);
}

static void link_stage(l2 *b, uint64_t now, uint64_t own)
{
    const mem_msg *m = mem_port_peek(b->port.from_link, now);

    if (!m || !link_fits(b, m))
        return;
    b->changed = true;
    if (m->kind == MEM_DROP) {
        mem_msg done = *m;

        drop_copy(b, m->addr, m->sectors);
        done.kind = MEM_DROPPED;
        done.dst = b->port.link_end;
        mem_ring_push(&b->far->orders, &done, own);
    } else if (m->kind == MEM_DROPPED) {
        recall_ends(b, own, m->tag);
    } else if (m->tag & AWAY) {
        away_answered(b, own, m);
    } else {
        copy_arrives(b, own, m);
    }
    mem_port_pop(b->port.from_link, now);
}

/* Answers leave in order, orders before them. */
static mem_ring *next_answer(l2_far *f)
{
    return mem_ring_next(&f->orders) <= mem_ring_next(&f->answers)
               ? &f->orders
               : &f->answers;
}

/* True if the port had no room. */
static bool send_front(l2 *b, mem_ring *from, mem_port *to, uint64_t now,
                       uint64_t own)
{
    const mem_msg *m = mem_ring_front(from);

    if (!m || m->when > own)
        return false;
    if (!mem_port_push(to, now, m))
        return true;
    if (from == &b->far->answers)
        b->unanswered--;
    mem_ring_pop(from);
    b->changed = true;
    return false;
}

void l2_far_stages(l2 *b, uint64_t now, uint64_t own)
{
    l2_far *f = b->far;

    f->link_blocked = send_front(b, next_answer(f), b->port.to_link, now, own);
    f->asks_blocked = send_front(b, &f->asks, b->port.to_home, now, own);
    link_stage(b, now, own);
}

bool l2_far_home_stage(l2 *b, uint64_t now, uint64_t own)
{
    l2_far *f = b->far;
    const mem_msg *m = mem_port_peek(b->port.from_near, now);
    l2_plan plan;

    if (f->stall && !f->changed && own < f->retry_at)
        return false;
    f->changed = false;
    f->stall = L2_OK;
    if (!m)
        return false;
    f->stall = l2_plan_request(b, own, m, &plan);
    f->retry_at = l2_retry(b, f->stall);
    if (f->stall)
        return false;
    b->st.received_bytes += m->payload;
    l2_perform(b, own, m, &plan);
    mem_port_pop(b->port.from_near, now);
    return true;
}

static uint64_t ring_next(const mem_ring *r, uint64_t own, bool blocked)
{
    uint64_t next = mem_ring_next(r);

    if (next > own)
        return next;
    return blocked ? NEVER : own + 1;
}

uint64_t l2_far_next(const l2 *b, uint64_t now, uint64_t own)
{
    const l2_far *f = b->far;
    const mem_msg *m = mem_port_peek(b->port.from_link, now);
    uint64_t next = ring_next(&f->asks, own, f->asks_blocked);

    if ((m && link_fits(b, m)) || b->changed || f->changed)
        return own + 1;
    next = mem_earlier(next, ring_next(&f->orders, own, f->link_blocked));
    next = mem_earlier(next, ring_next(&f->answers, own, f->link_blocked));
    if (f->stall)
        return mem_earlier(next, f->retry_at);
    return mem_port_peek(b->port.from_near, now) ? own + 1 : next;
}

uint64_t l2_far_retry(const l2 *b, uint64_t now)
{
    uint64_t next = NEVER;

    if (b->far->asks_blocked)
        next = mem_port_retry(b->port.to_home, now);
    if (b->far->link_blocked)
        next = mem_earlier(next, mem_port_retry(b->port.to_link, now));
    return next;
}
