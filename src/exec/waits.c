#include "exec/waits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/plural.h"
#include "base/strbuf.h"
#include "exec/arrivals.h"
#include "exec/cga.h"
#include "exec/dependent.h"
#include "exec/fault.h"
#include "exec/mbarrier.h"
#include "exec/pool.h"

/* Where warps of a CTA wait together: a barrier's number, EXEC_CGA_BARRIER, or
 * an mbarrier. */
typedef struct wait {
    const exec_waits_cta *c;
    bool mbarrier;
    uint32_t at; /* offset of the mbarrier, or number of the barrier */
    uint32_t pc; /* of the first that waits */
    uint64_t warps;
} wait;

struct exec_waits {
    exec_waits_cta *cta;
    size_t count, room;
    wait *wait;
    size_t waits, wait_room;
};

exec_waits *exec_waits_new(void) { return new0(1, sizeof(exec_waits)); }

void exec_waits_add(exec_waits *ws, const exec_waits_cta *c)
{
    GROW(ws->cta, ws->count + 1, ws->room);
    ws->cta[ws->count++] = *c;
}

/* ---- who waits where ---- */

static void note_wait(exec_waits *ws, const exec_waits_cta *c, bool mbarrier,
                      uint32_t at, uint32_t pc, unsigned warp)
{
    wait *w = NULL;

    for (size_t i = ws->waits; i-- > 0 && ws->wait[i].c == c;)
        if (ws->wait[i].mbarrier == mbarrier && ws->wait[i].at == at)
            w = &ws->wait[i];
    if (!w) {
        GROW(ws->wait, ws->waits + 1, ws->wait_room);
        w = &ws->wait[ws->waits++];
        *w = (wait){.c = c, .mbarrier = mbarrier, .at = at, .pc = pc};
    }
    w->warps |= (uint64_t)1 << warp;
}

/* A loop around mbarrier.test_wait: it decides by a word that something has
 * arrived at. */
static bool polls_mbarrier(const exec_waits_cta *c, unsigned warp, uint32_t *at,
                           uint32_t *pc)
{
    const exec_spin *s = c->spin[warp];

    for (unsigned i = 0; s && i < s->polls; i++) {
        const exec_poll *p = &s->poll[i];
        unsigned lane = p->shared ? bits_ctz32(p->shared) : 0;

        if (!p->decides || !p->shared || p->size != 8 || p->atomic ||
            !exec_arrivals_at(c->cta, (uint32_t)p->addr[lane]))
            continue;
        *at = (uint32_t)p->addr[lane];
        *pc = p->pc;
        return true;
    }
    return false;
}

static void find_waits(exec_waits *ws, const exec_waits_cta *c)
{
    for (unsigned i = 0; i < EXEC_CTA_WARPS; i++) {
        const exec_bar *b = c->bar[i];
        uint32_t at, pc;

        if (!c->warp[i])
            continue;
        if (c->blocked >> i & 1)
            note_wait(ws, c, false, b->number, b->pc, i);
        else if (b->mbarrier && exec_mbarrier_holds(c->cta, b->at, b->phase))
            note_wait(ws, c, true, b->at, b->pc, i);
        else if (polls_mbarrier(c, i, &at, &pc))
            note_wait(ws, c, true, at, pc, i);
    }
}

/* ---- in words ---- */

/* "3 warps" becomes "warps 0-1, 4". */
static void put_set(strbuf *b, const char *what, uint64_t set)
{
    bool first = true;

    strbuf_printf(b, "%s%s ", what, set & (set - 1) ? "s" : "");
    for (uint64_t left = set; left;) {
        unsigned from = bits_ctz64(left), to = from;

        while (to < 63 && left >> (to + 1) & 1)
            to++;
        left &= ~(bits_mask64(to - from + 1) << from);
        strbuf_printf(b, first ? "%u" : ", %u", from);
        if (to > from)
            strbuf_printf(b, "-%u", to);
        first = false;
    }
}

static uint64_t live_warps(const exec_waits_cta *c)
{
    uint64_t set = 0;

    for (unsigned i = 0; i < EXEC_CTA_WARPS; i++)
        set |= (uint64_t)(c->warp[i] != NULL) << i;
    return set;
}

static uint64_t all_warps(const exec_waits_cta *c)
{
    return bits_mask64(c->cta->launch->warps);
}

/* Those of `set`, and where the first of them is; then those that have ended.
 */
static void put_missing(strbuf *b, const exec_waits_cta *c, uint64_t set)
{
    const isa_kernel *k = c->cta->launch->kernel;
    uint64_t here = set & live_warps(c), gone = set & ~live_warps(c);

    if (here) {
        unsigned first = bits_ctz64(here);
        const exec_warp *w = c->warp[first];
        bool waits = c->blocked >> first & 1;

        put_set(b, "warp", here);
        strbuf_printf(b, " ha%s not", here & (here - 1) ? "ve" : "s");
        if (here & (here - 1))
            strbuf_printf(b, " (%u is", first);
        else
            strbuf_puts(b, " (it is");
        strbuf_puts(b, waits ? " at the barrier at " : " at ");
        exec_place_text(b, k, waits ? c->bar[first]->pc : w->simt.pc);
        strbuf_puts(b, ")");
    }
    if (gone) {
        strbuf_puts(b, here ? ", " : "");
        put_set(b, "warp", gone);
        strbuf_printf(b, " ha%s exited", gone & (gone - 1) ? "ve" : "s");
    }
}

static void put_waiters(strbuf *b, const wait *w)
{
    strbuf_printf(b, "in CTA %" PRIu64 " ", w->c->cta->number);
    put_set(b, "warp", w->warps);
    strbuf_printf(b, " wait%s at ", w->warps & (w->warps - 1) ? "" : "s");
}

static void put_barrier(strbuf *b, const wait *w)
{
    const exec_waits_cta *c = w->c;
    uint32_t need =
        c->need[w->at] ? c->need[w->at] : c->cta->live_warps * ISA_WARP;

    put_waiters(b, w);
    strbuf_printf(b, "barrier %u (", w->at);
    exec_place_text(b, c->cta->launch->kernel, w->pc);
    strbuf_printf(b, "), where %u of %u threads have come: ", c->come[w->at],
                  need);
    if (all_warps(c) & ~w->warps)
        put_missing(b, c, all_warps(c) & ~w->warps);
    else
        strbuf_puts(b, "the CTA has no more");
}

/* Others hold what they want: those that have not given all they can, or have
 * ended. */
static void put_pool(strbuf *b, const wait *w)
{
    enum { LEAST = 24 }; /* [PTX85:setmaxnreg] */
    const exec_waits_cta *c = w->c;
    const exec_warp *first = c->warp[bits_ctz64(w->warps)];
    uint64_t others = all_warps(c) & ~w->warps;

    for (uint64_t left = others & live_warps(c); left; left &= left - 1)
        if (c->warp[bits_ctz64(left)]->has <= LEAST)
            others &= ~(left & -left);
    put_waiters(b, w);
    strbuf_puts(b, "setmaxnreg (");
    exec_place_text(b, c->cta->launch->kernel, w->pc);
    strbuf_printf(b,
                  ") for %u registers a thread instead of %u, the CTA's pool "
                  "has %u for one warp; to give some back ",
                  first->wants, first->has, c->cta->pool);
    if (others)
        put_missing(b, c, others);
    else
        strbuf_puts(b, "the CTA has no more warps");
}

static void put_dependent(strbuf *b, const wait *w)
{
    put_waiters(b, w);
    strbuf_puts(b, "griddepcontrol.wait (");
    exec_place_text(b, w->c->cta->launch->kernel, w->pc);
    strbuf_puts(b, ") for the launch before theirs to end");
}

/* ---- clusters ---- */

static bool same_cluster(const exec_waits_cta *a, const exec_waits_cta *b)
{
    return a->launch == b->launch && a->cta->cga == b->cta->cga;
}

static const exec_waits_cta *peer(const exec_waits *ws, const exec_waits_cta *c,
                                  unsigned rank)
{
    for (size_t i = 0; i < ws->count; i++)
        if (same_cluster(&ws->cta[i], c) && ws->cta[i].cta->rank == rank &&
            live_warps(&ws->cta[i]))
            return &ws->cta[i];
    return NULL;
}

/* Of a cluster of CTAs: which have exited. */
static void put_exited(strbuf *b, const exec_waits *ws, const exec_waits_cta *c)
{
    uint64_t gone = 0;

    for (unsigned r = 0; c->cta->cga && r < c->cta->cga->size; r++)
        gone |= (uint64_t)!peer(ws, c, r) << r;
    if (!gone)
        return;
    strbuf_puts(b, "; ");
    put_set(b, "CTA", gone);
    strbuf_printf(b, " of the cluster ha%s exited",
                  gone & (gone - 1) ? "ve" : "s");
}

static void put_cga_barrier(strbuf *b, const exec_waits *ws, const wait *w)
{
    const exec_waits_cta *c = w->c;
    unsigned size = c->cta->cga ? c->cta->cga->size : 1;
    bool first = true;

    put_waiters(b, w);
    strbuf_puts(b, "the barrier of the thread-block cluster (");
    exec_place_text(b, c->cta->launch->kernel, w->pc);
    strbuf_puts(b, ")");
    for (unsigned r = 0; r < size; r++) {
        const exec_waits_cta *p = c->cta->cga ? peer(ws, c, r) : c;
        uint64_t miss = p ? live_warps(p) & ~p->cga_arrived : 0;

        if (!miss)
            continue;
        strbuf_puts(b, first ? ": " : "; ");
        strbuf_printf(b, "of CTA %" PRIu64 ", rank %u, ", p->cta->number, r);
        put_missing(b, p, miss);
        first = false;
    }
    put_exited(b, ws, c);
}

/* ---- mbarriers ---- */

static void put_symbol(strbuf *b, const isa_kernel *k, uint32_t at)
{
    for (uint32_t i = 0; i < k->shared_count; i++) {
        const isa_shared *v = &k->shared[i];

        if (at < v->offset || (v->size && at - v->offset >= v->size))
            continue;
        strbuf_printf(b, " '%s", v->name);
        if (at > v->offset)
            strbuf_printf(b, "+%u", at - v->offset);
        strbuf_puts(b, "'");
        return;
    }
}

static void put_due(strbuf *b, const exec_mbarrier *m, const exec_arrived *a)
{
    strbuf_printf(b, "%u of %u arrivals are missing", m->left, m->expected);
    if (m->bytes > 0)
        strbuf_printf(b,
                      " and %d byte%s that expect_tx announced, but nothing "
                      "brought",
                      m->bytes, word_plural((uint64_t)m->bytes));
    else if (m->bytes < 0)
        strbuf_printf(b, "; %d byte%s came that no expect_tx has announced",
                      -m->bytes, word_plural((uint64_t)-m->bytes));
    else
        strbuf_puts(b, ", no bytes");
    if (a && a->announced && m->bytes > 0)
        strbuf_printf(b, " (%" PRIu64 " of %" PRIu64 " came)", a->came,
                      a->announced);
}

static void put_arrived(strbuf *b, const exec_waits *ws,
                        const exec_waits_cta *c, const exec_arrived *a)
{
    uint64_t warps = a ? a->warps : 0, ever = a ? a->ever & ~warps : 0;
    uint64_t never = all_warps(c) & ~warps & ~ever;

    strbuf_puts(b, "; in this phase ");
    if (warps)
        put_set(b, "warp", warps);
    if (a && a->ranks) {
        strbuf_puts(b, warps ? " and " : "");
        put_set(b, "CTA", a->ranks);
        strbuf_puts(b, " of the cluster");
    }
    strbuf_puts(b, warps || (a && a->ranks) ? " arrived" : "nobody arrived");
    if (ever) {
        strbuf_puts(b, ", before it ");
        put_set(b, "warp", ever);
        strbuf_puts(b, " did");
    }
    if (never) {
        strbuf_puts(b, "; ");
        put_missing(b, c, never);
    }
    put_exited(b, ws, c);
}

static void put_mbarrier(strbuf *b, const exec_waits *ws, const wait *w)
{
    const exec_waits_cta *c = w->c;
    const isa_kernel *k = c->cta->launch->kernel;
    const exec_arrived *a = exec_arrivals_at(c->cta, w->at);
    exec_mbarrier m;
    uint64_t word;

    memcpy(&word, c->cta->shared + w->at, 8);
    m = exec_mbarrier_of(word);
    put_waiters(b, w);
    strbuf_puts(b, "mbarrier");
    put_symbol(b, k, w->at);
    strbuf_printf(b, " at shared 0x%x (", w->at);
    exec_place_text(b, k, w->pc);
    strbuf_printf(b, ") for the end of phase %u: ", a ? a->phases : m.phase);
    if (!m.expected && !m.left) {
        strbuf_puts(b, "no mbarrier.init has set it up");
        return;
    }
    put_due(b, &m, a);
    put_arrived(b, ws, c, a);
}

static int by_warps(const void *x, const void *y)
{
    const wait *a = x, *b = y;
    unsigned m = bits_popcount64(a->warps), n = bits_popcount64(b->warps);

    if (a->mbarrier != b->mbarrier)
        return a->mbarrier ? -1 : 1;
    if (m != n)
        return m < n ? 1 : -1;
    if (a->c->cta->number != b->c->cta->number)
        return a->c->cta->number > b->c->cta->number ? 1 : -1;
    return (a->at > b->at) - (a->at < b->at);
}

char *exec_waits_end(exec_waits *ws)
{
    strbuf b = {0};
    uint64_t more = 0;

    for (size_t i = 0; i < ws->count; i++)
        find_waits(ws, &ws->cta[i]);
    if (ws->waits)
        qsort(ws->wait, ws->waits, sizeof *ws->wait, by_warps);
    for (size_t i = 0; i < ws->waits; i++) {
        const wait *w = &ws->wait[i];

        if (i >= WAITS_REPORTED) {
            more += bits_popcount64(w->warps);
            continue;
        }
        strbuf_puts(&b, i ? "\n" : "");
        if (w->mbarrier)
            put_mbarrier(&b, ws, w);
        else if (w->at == EXEC_ACQBULK)
            put_dependent(&b, w);
        else if (w->at == EXEC_POOL)
            put_pool(&b, w);
        else if (w->at == EXEC_CGA_BARRIER)
            put_cga_barrier(&b, ws, w);
        else
            put_barrier(&b, w);
    }
    if (more)
        strbuf_printf(&b, "\n%" PRIu64 " more warp%s wait at barriers", more,
                      word_plural(more));
    free(ws->wait);
    free(ws->cta);
    free(ws);
    return b.text;
}
