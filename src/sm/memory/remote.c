/* src/sm/memory/remote.c - see remote.h. */
#include "sm/memory/remote.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "sm/mbarrier.h"
#include "sm/memory/coalesce.h"
#include "sm/memory/lsu.h"
#include "sm/state.h"

enum { REQUESTS = 64 }; /* of an SM, under way */

/* A request that was performed: the reply leaves when its data is there. */
typedef struct answer {
    uint64_t ready;
    mem_msg m;
} answer;

struct sm_remote {
    exec_remote request[REQUESTS];
    exec_remote *free;
    answer *ring; /* in the order in which they were performed */
    uint32_t head, count, room;
    bool yields; /* the SM's own instruction comes before the next request */
};

sm_remote *sm_remote_new(void)
{
    sm_remote *r = new0(1, sizeof *r);

    for (unsigned i = REQUESTS; i-- > 0;) {
        r->request[i].next = r->free;
        r->free = &r->request[i];
    }
    return r;
}

void sm_remote_free(sm_remote *r)
{
    if (!r)
        return;
    free(r->ring);
    free(r);
}

/* ---- asking ---- */

static unsigned payload(const exec_remote *r)
{
    return bits_popcount32(r->m.mask) * r->m.size;
}

bool sm_remote_send(sm *s, const sm_lsu_entry *e)
{
    sm_remote *own = s->remote;
    unsigned rank = bits_ctz32(s->lsu.remote), w = e->warp,
             flags = e->inst->in->flags;
    exec_remote *r = own->free;
    bool reads = flags & ISA_F_LOAD;

    if (!r || mem_port_full(s->port.to_cga, s->now))
        return false;
    if (!reads && s->lsu.stores >= s->lsu.store_limit)
        return false;
    own->free = r->next;
    exec_remote_pack(&s->x[w], e->m, rank, r);
    mem_msg m = {
        .born = s->now,
        .remote = r,
        .tag = reads ? s->lsu.tag : sm_lsu_store_tag(s, w),
        .src = (uint16_t)s->id,
        .dst = s->x[w].cta->cga->sm[rank],
        .kind = reads ? MEM_READ : MEM_WRITE,
        .warp = (uint8_t)w,
        .client = CLIENT_LSU,
        .payload = (uint16_t)(!reads || flags & ISA_F_ATOMIC ? payload(r) : 0)};
    if (!reads)
        sm_lsu_count_store(s, w);
    s->cga.st.requests++;
    s->cga.st.bytes += payload(r);
    MUST(mem_port_push(s->port.to_cga, s->now, &m));
    s->lsu.remote &= s->lsu.remote - 1;
    if (reads && !s->lsu.pending[m.tag].sent_at)
        s->lsu.pending[m.tag].sent_at = s->now;
    return true;
}

void sm_remote_replies(sm *s)
{
    mem_msg *m;

    while ((m = mem_port_peek(s->port.from_cga_reply, s->now))) {
        exec_remote *r = m->remote;

        if (m->client == CLIENT_TMA) {
            sm_tma_placed(s, m);
            mem_port_pop(s->port.from_cga_reply, s->now);
            continue;
        }
        if (r->fault.kind)
            sm_stop(s, m->warp, &r->fault);
        sm_lsu_remote(s, m);
        r->next = s->remote->free;
        s->remote->free = r;
        mem_port_pop(s->port.from_cga_reply, s->now);
    }
}

/* ---- answering ---- */

/* The slot of the CTA of that cluster and rank, if it still runs; -1. */
static int target_of(const sm *s, uint32_t cga, uint32_t rank)
{
    for (unsigned i = 0; i < s->cfg->sm.ctas; i++) {
        const sm_cta *c = &s->ctas.cta[i];

        if (c->taken && c->x.cga && c->x.cga->serial == cga &&
            c->x.rank == rank && c->x.live_warps)
            return (int)i;
    }
    return -1;
}

/* Turns at the banks. */
static unsigned passes_of(const sm *s, const exec_remote *r)
{
    const config *cfg = s->cfg;
    const sm_banks of = {.count = cfg->sm.shared.banks,
                         .width = cfg->sm.shared.bank_bytes};

    if (r->m.in->flags & ISA_F_ATOMIC)
        return sm_shared_atomic_passes(r->m.addr, r->m.mask, of.count,
                                       of.width) *
               (1 + cfg->sm.shared.atomic);
    return sm_shared_passes(r->m.addr, r->m.mask, r->m.size, &of);
}

static void answer_later(sm_remote *own, const answer *a)
{
    if (own->count == own->room) {
        uint32_t room = own->room ? 2 * own->room : 16;
        answer *ring = new0(room, sizeof *ring);

        for (uint32_t i = 0; i < own->count; i++)
            ring[i] = own->ring[(own->head + i) % own->room];
        free(own->ring);
        own->ring = ring;
        own->room = room;
        own->head = 0;
    }
    own->ring[(own->head + own->count++) % own->room] = *a;
}

static void send_answers(sm *s)
{
    sm_remote *own = s->remote;

    while (
        own->count && own->ring[own->head].ready <= s->now &&
        mem_port_push(s->port.to_cga_reply, s->now, &own->ring[own->head].m)) {
        own->head = (own->head + 1) % own->room;
        own->count--;
    }
}

/* When an instruction of this SM's own has had its turns at the banks, also if
 * it still has requests to send: SMs that waited for each other with those
 * would wait for ever. In turn with instructions that can start. */
static bool can_serve(sm *s)
{
    const sm_lsu *u = &s->lsu;

    if (s->now < u->free)
        return false;
    if (s->remote->yields && u->count && u->queue[u->head].ready <= s->now) {
        s->remote->yields = false;
        return false;
    }
    s->remote->yields = true;
    return true;
}

/* A line of a bulk copy, or the word that all of it is there. */
static void serve_bulk(sm *s, const mem_msg *m)
{
    answer a = {.ready = s->now + 1 + s->cfg->sm.shared.latency};
    uint32_t cga, rank;

    sm_tma_target(m, &cga, &rank);
    if (sm_tma_deliver(s, m, target_of(s, cga, rank), &a.m))
        answer_later(s->remote, &a);
    mem_port_pop(s->port.from_cga, s->now);
    s->lsu.free = s->now + 1;
    s->st.shared_passes++;
}

void sm_remote_serve(sm *s)
{
    mem_msg *m = mem_port_peek(s->port.from_cga, s->now);

    send_answers(s);
    if (!m || (m->client == CLIENT_TMA && !sm_tma_can_take(s)) || !can_serve(s))
        return;
    if (m->client == CLIENT_TMA) {
        serve_bulk(s, m);
        return;
    }
    exec_remote *r = m->remote;
    unsigned passes = passes_of(s, r);
    answer a = {.ready = s->now + passes + s->cfg->sm.shared.latency, .m = *m};

    int cta = target_of(s, r->cga, r->rank);

    exec_remote_perform(r, cta < 0 ? NULL : &s->ctas.cta[cta].x);
    if (cta >= 0 && s->ctas.cta[cta].at_mbarrier)
        sm_mbarrier_arrived(s, (unsigned)cta);
    a.m.dst = m->src;
    a.m.src = (uint16_t)s->id;
    a.m.kind = m->kind == MEM_READ ? MEM_DATA : MEM_ACK;
    a.m.payload = (uint16_t)(m->kind == MEM_READ ? payload(r) : 0);
    answer_later(s->remote, &a);
    mem_port_pop(s->port.from_cga, s->now);
    s->lsu.free = s->now + passes;
    s->cga.st.served++;
    s->st.shared_passes += passes;
}

/* ---- when ---- */

bool sm_remote_busy(const sm *s)
{
    const sm_remote *own = s->remote;

    return mem_port_peek(s->port.from_cga, s->now) ||
           mem_port_peek(s->port.from_cga_reply, s->now) ||
           (own->count && own->ring[own->head].ready <= s->now);
}

uint64_t sm_remote_when(const sm *s, uint64_t now)
{
    const sm_remote *own = s->remote;
    uint64_t when = NEVER;

    if (own->count)
        when = own->ring[own->head].ready;
    if (mem_port_peek(s->port.from_cga, now)) {
        when = mem_earlier(when, s->lsu.free);
    }
    return when == NEVER ? NEVER : when > now ? when : now + 1;
}
