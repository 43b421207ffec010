#include "sm/fetch.h"

#include <limits.h>
#include <string.h>

#include "base/bits.h"
#include "base/must.h"
#include "sm/state.h"

void sm_fetch_init(sm_fetch *f, const config *cfg)
{
    unsigned n = cfg->sm.issue.schedulers, ports = cfg->sm.fetch.ports;

    f->ports = ports;
    f->width = cfg->sm.fetch.width;
    f->buffer = cfg->sm.fetch.buffer;
    f->decode = cfg->sm.fetch.decode;
    f->misses = cfg->sm.fetch.misses;
    f->prefetch = cfg->sm.fetch.prefetch;
    f->current = cfg->sm.fetch.choice == CFG_FETCH_CHOICE_CURRENT;
    f->wrong_path = cfg->sm.fetch.wrong_path;
    f->perfect = cfg->sm.fetch.perfect;
    for (unsigned w = 0; w < SM_WARPS; w++) {
        unsigned s = w % n;

        f->warp[w].sched = (uint8_t)s;
        for (unsigned p = 0; p < ports; p++)
            if (ports <= n ? s * ports / n == p : p * n / ports == s)
                f->port_mask[p] |= BIT(w);
    }
#define LEVEL(c, from)                                                         \
    sm_read_cache_init(c, (from).bytes, (from).line, (from).ways,              \
                       (from).latency)
    LEVEL(&f->l1, cfg->sm.l1i);
    LEVEL(&f->l15, cfg->sm.l15);
    for (unsigned s = 0; s < n; s++)
        LEVEL(&f->l0[s], cfg->sm.l0i);
#undef LEVEL
    const sm_read_cache *first = f->l0[0].exists ? &f->l0[0] : &f->l1;
    f->own_level = f->l0[0].exists;
    f->line_shift = first->shift;
    f->delay = f->decode + first->latency;
}

void sm_fetch_fini(sm_fetch *f)
{
    for (unsigned s = 0; s < SM_SCHEDULERS; s++)
        sm_read_cache_fini(&f->l0[s]);
    sm_read_cache_fini(&f->l1);
    sm_read_cache_fini(&f->l15);
    sm_touch_fini(&f->touch);
}

static void empty(sm_fetch *f)
{
    for (unsigned s = 0; s < SM_SCHEDULERS; s++)
        sm_read_cache_clear(&f->l0[s]);
    sm_read_cache_clear(&f->l1);
    sm_read_cache_clear(&f->l15);
    sm_touch_clear(&f->touch);
}

void sm_fetch_clear(sm_fetch *f, bool keep)
{
    if (!keep)
        empty(f);
    memset(f->miss, 0, sizeof f->miss);
    memset(f->hits, 0, sizeof f->hits);
    f->arriving = 0;
    f->unsent = 0;
    f->want = f->open = f->missing = f->starved = f->redirect = f->live = 0;
    f->sure = 0;
    f->launch++;
}

static uint64_t touch_line(const sm_fetch *f, uint64_t addr)
{
    return (addr - SM_CODE_BASE) >> f->line_shift;
}

void sm_fetch_reserve(sm_fetch *f, uint64_t end)
{
    sm_touch_reserve(&f->touch, touch_line(f, end) + 1);
}

/* Works out if `w` fetches at the next free port. */
static inline void update(sm *s, unsigned w)
{
    sm_fetch *f = &s->fetch;
    const sm_fetch_warp *b = &f->warp[w];
    unsigned held = (unsigned)b->count + b->flight;

    /* A group is no longer than `width`: mostly no need to look. */
    if ((f->open >> w & 1) && b->pc < b->insts &&
        (held + f->width <= f->buffer ||
         held + b->inst[b->pc].group <= f->buffer))
        f->want |= BIT(w);
    else
        f->want &= ~BIT(w);
}

/* After a change of the masks of warps that cannot fetch. */
static void reopen(sm_fetch *f)
{
    f->open = f->live & ~(f->missing | f->starved | f->redirect);
}

/* What was fetched before is dropped. */
static void next_epoch(const sm *s, sm_fetch_warp *b)
{
    b->epoch = (b->epoch + 1) & 0xff;
    b->stamp = (uint16_t)(b->epoch | (s->observe.trace ? FETCH_TRACED : 0));
}

void sm_fetch_start(sm *s, unsigned w, const sm_decoded *code, uint32_t pc)
{
    sm_fetch_warp *b = &s->fetch.warp[w];

    b->inst = code->inst;
    b->insts = code->count;
    b->pc = pc;
    b->count = b->flight = 0;
    next_epoch(s, b);
    s->fetch.live |= BIT(w);
    s->fetch.redirect &= ~BIT(w);
    s->fetch.missing &= ~BIT(w);
    s->fetch.starved &= ~BIT(w);
    if (__builtin_expect(s->cold_code != 0, 0))
        s->cold_code &= ~BIT(w);
    reopen(&s->fetch);
    update(s, w);
}

static void drop(sm *s, unsigned w)
{
    sm_fetch_warp *b = &s->fetch.warp[w];

    s->st.flushed += b->count + b->flight;
    if (__builtin_expect(s->observe.trace != NULL, 0))
        sm_trace_flush(s, w);
    b->count = b->flight = 0;
    next_epoch(s, b);
    s->fetch.want &= ~BIT(w);
}

void sm_fetch_stop(sm *s, unsigned w)
{
    drop(s, w);
    s->fetch.live &= ~BIT(w);
    s->cold_code &= ~BIT(w);
    reopen(&s->fetch);
}

void sm_fetch_pop(sm *s, unsigned w)
{
    s->fetch.warp[w].count--;
    update(s, w);
}

void sm_fetch_flush(sm *s, unsigned w)
{
    drop(s, w);
    s->fetch.redirect |= BIT(w);
    reopen(&s->fetch);
}

void sm_fetch_redirect(sm *s, unsigned w, uint32_t pc)
{
    s->fetch.warp[w].pc = pc;
    s->fetch.redirect &= ~BIT(w);
    s->fetch.missing &= ~BIT(w);
    s->fetch.starved &= ~BIT(w);
    if (__builtin_expect(s->cold_code != 0, 0))
        s->cold_code &= ~BIT(w);
    reopen(&s->fetch);
    update(s, w);
}

static inline __attribute__((always_inline)) void decoded(sm *s, uint32_t hit)
{
    unsigned w = hit & 0xff;
    sm_fetch_warp *b = &s->fetch.warp[w];
    uint8_t n = (uint8_t)(hit >> 8);

    if (__builtin_expect(b->epoch != hit >> 16, 0)) {
        if (b->epoch != (hit >> 16 & ~FETCH_TRACED))
            return; /* flushed meanwhile */
        sm_trace_decode(s, w, n);
    }
    b->flight -= n;
    b->count += n;
    if (b->count == n && s->warp[w].why == WHY_FETCH)
        sm_warp_head(s, w);
}

void sm_fetch_decoded(sm *s, uint32_t hit) { decoded(s, hit); }

void sm_fetch_arrive(sm *s)
{
    sm_fetch *f = &s->fetch;
    unsigned at = s->now % FETCH_RING;

    if (!(f->arriving >> at & 1))
        return;
    f->arriving &= ~(1u << at);
    for (unsigned i = 0; i < f->hits[at]; i++)
        decoded(s, f->hit[at][i]);
    f->hits[at] = 0;
}

/* ---- misses ---- */

static void send_fetch_miss(sm *s, sm_fetch_miss *m)
{
    mem_msg msg = {
        .addr = m->line / MEM_LINE * MEM_LINE,
        .born = s->now,
        .tag = s->fetch.launch << 8 | (uint32_t)(m - s->fetch.miss),
        .src = (uint16_t)s->id,
        .kind = MEM_READ,
        .client = CLIENT_ICACHE,
        .sectors = 0xf,
    };

    bool was = m->unsent;
    m->unsent = !mem_port_push(s->port.to_net_i, s->now, &msg);
    s->fetch.unsent += (unsigned)m->unsent - (unsigned)was;
    s->st.icache_requests += !m->unsent;
}

/* Looks behind the first level and starts the fill. */
static void start_fill(sm *s, sm_fetch_miss *m, bool have_l0)
{
    sm_fetch *f = &s->fetch;
    uint32_t number = (uint32_t)(m - f->miss);

    m->delay = 0;
    if (have_l0 && f->l1.exists) {
        m->delay += f->l1.latency;
        s->st.l1i_accesses++;
        if (sm_read_cache_hit(&f->l1, m->line)) {
            sm_event_at(s, s->now + m->delay + !m->delay, EVENT_IFILL, 0, 0,
                        number);
            return;
        }
        s->st.l1i_misses++;
    }
    if (f->l15.exists) {
        m->delay += f->l15.latency;
        s->st.l15_accesses++;
        if (sm_read_cache_hit(&f->l15, m->line)) {
            sm_event_at(s, s->now + m->delay + !m->delay, EVENT_IFILL, 0, 0,
                        number);
            return;
        }
        s->st.l15_misses++;
    }
    m->cold = sm_touch_first(&f->touch, touch_line(f, m->line));
    send_fetch_miss(s, m);
}

/* The entry of `line`, a new one if there is none; NULL if all are taken. */
static sm_fetch_miss *entry(sm *s, uint64_t line, unsigned sched)
{
    sm_fetch *f = &s->fetch;
    bool have_l0 = f->l0[sched].exists;
    sm_fetch_miss *spare = NULL;

    for (unsigned i = 0; i < f->misses; i++) {
        if (f->miss[i].taken && f->miss[i].line == line) {
            f->miss[i].l0 |= (uint8_t)BIT(sched);
            return &f->miss[i];
        }
        if (!f->miss[i].taken && !spare)
            spare = &f->miss[i];
    }
    if (!spare)
        return NULL;
    *spare =
        (sm_fetch_miss){.line = line, .l0 = (uint8_t)BIT(sched), .taken = true};
    start_fill(s, spare, have_l0);
    return spare;
}

static SM_COLD void await_cold(sm *s, unsigned w)
{
    s->cold_code |= BIT(w);
    s->observe.stalls = true;
}

static void miss(sm *s, unsigned w, uint64_t line, unsigned line_bytes)
{
    sm_fetch *f = &s->fetch;
    unsigned sched = f->warp[w].sched;
    sm_read_cache *first = f->l0[sched].exists ? &f->l0[sched] : &f->l1;
    uint64_t end = f->warp[w].inst[f->warp[w].insts - 1].line;
    sm_fetch_miss *m = entry(s, line, sched);

    f->want &= ~BIT(w);
    if (!m) {
        f->starved |= BIT(w);
    } else {
        m->warps |= BIT(w);
        f->missing |= BIT(w);
    }
    if (m ? m->cold : !sm_touched(&f->touch, touch_line(f, line)))
        await_cold(s, w);
    reopen(f);
    if (s->warp[w].why == WHY_FETCH && !f->warp[w].flight)
        sm_warp_set(s, w, WHY_ICACHE);
    for (unsigned i = 1; m && i <= f->prefetch; i++) {
        uint64_t ahead = line + (uint64_t)i * line_bytes;
        if (ahead > end)
            break;
        if (!sm_read_cache_hit(first, ahead))
            entry(s, ahead, sched);
    }
}

void sm_fetch_filled(sm *s, unsigned number)
{
    sm_fetch *f = &s->fetch;
    sm_fetch_miss *m = &f->miss[number];
    uint64_t again = (m->warps & f->missing) | f->starved;

    for (unsigned i = 0; i < s->issue.schedulers; i++)
        if (m->l0 >> i & 1)
            sm_read_cache_fill(&f->l0[i], m->line);
    sm_read_cache_fill(&f->l1, m->line);
    sm_read_cache_fill(&f->l15, m->line);
    f->sure = 0; /* something may have been evicted */
    m->taken = false;
    f->missing &= ~again;
    s->cold_code &= ~again;
    f->starved = 0;
    reopen(f);
    for (; again; again &= again - 1) {
        unsigned w = bits_ctz64(again);
        if (s->warp[w].why == WHY_ICACHE)
            sm_warp_set(s, w, WHY_FETCH);
        update(s, w);
    }
}

void sm_fetch_reply(sm *s, const mem_msg *msg)
{
    uint32_t number = msg->tag & 0xff;
    uint32_t delay = s->fetch.miss[number].delay;

    if (msg->tag >> 8 != (s->fetch.launch & 0xffffff))
        return; /* for the launch before */
    if (delay)
        sm_event_at(s, s->now + delay, EVENT_IFILL, 0, 0, number);
    else
        sm_fetch_filled(s, number);
}

/* ---- ports ---- */

/* True if the line is in the first level; else the warp waits for it. */
static bool find_line(sm *s, unsigned w, uint64_t addr)
{
    sm_fetch *f = &s->fetch;
    sm_fetch_warp *b = &f->warp[w];
    sm_read_cache *first = f->own_level ? &f->l0[b->sched] : &f->l1;

    if (!f->perfect && !sm_read_cache_hit(first, addr)) {
        if (f->own_level)
            s->st.l0i_misses++;
        else
            s->st.l1i_misses++;
        miss(s, w, addr, 1u << f->line_shift);
        return false;
    }
    b->line = (uint32_t)(addr >> f->line_shift);
    f->sure |= BIT(w);
    return true;
}

/* Fetches the rest of the group at the warp's pc. Called for each fetch of the
 * ordinary front end: gcc leaves it out of line otherwise. */
static inline __attribute__((always_inline)) void fetch(sm *s, unsigned w)
{
    sm_fetch *f = &s->fetch;
    sm_fetch_warp *b = &f->warp[w];
    const sm_inst *si = &b->inst[b->pc];

    if (!f->own_level)
        s->st.l1i_accesses++;
    if ((!(f->sure >> w & 1) ||
         b->line != (uint32_t)(si->line >> f->line_shift)) &&
        !find_line(s, w, si->line))
        return;
    unsigned n = si->group;
    uint32_t hit = w | n << 8 | (uint32_t)b->stamp << 16;
    s->st.fetches++;
    s->st.fetched += n;
    b->pc += n;
    b->flight += (uint8_t)n;
    if (f->delay < FETCH_RING) {
        unsigned at = (s->now + f->delay) % FETCH_RING;
        f->arriving |= 1u << at;
        f->hit[at][f->hits[at]++] = hit;
    } else {
        sm_event_at(s, s->now + f->delay, EVENT_FETCH, w, 0, hit);
    }
    update(s, w);
}

/* The next cycle in which a port can fetch or something fetched arrives. */
static inline __attribute__((always_inline)) uint64_t next_fetch(const sm *s)
{
    const sm_fetch *f = &s->fetch;

    if (f->want || f->unsent)
        return s->now + 1;
    if (!f->arriving)
        return NEVER;
    unsigned turn = (s->now + 1) % FETCH_RING;
    uint32_t ahead = f->arriving >> turn | f->arriving << (-turn % FETCH_RING);
    return s->now + 1 + bits_ctz32(ahead);
}

/* Of `set`, the warp that scheduler `n` issues from, if two more instructions
 * fit, else the one with the emptiest buffer; of equals the one that issued
 * longest ago, which is the next to have its turn. */
static unsigned current_or_emptiest(const sm *s, unsigned n, uint64_t set)
{
    const sm_fetch *f = &s->fetch;
    unsigned current = sm_dual_current(s, n), best = bits_ctz64(set);
    unsigned least = UINT_MAX;

    for (; set; set &= set - 1) {
        unsigned w = bits_ctz64(set);
        unsigned held = (unsigned)f->warp[w].count + f->warp[w].flight;

        if (w == current && held + f->width <= f->buffer)
            return w;
        if (held < least || (held == least && s->issue.dual->stamp[w] <
                                                  s->issue.dual->stamp[best])) {
            least = held;
            best = w;
        }
    }
    return best;
}

/* Of `set`, the next in turn for port `p`; those that have nothing to issue
 * come first. */
static inline __attribute__((always_inline)) unsigned
next_in_turn(sm *s, unsigned p, uint64_t set)
{
    sm_fetch *f = &s->fetch;
    uint64_t idle = set & (s->wait[WHY_FETCH]);

    if (idle)
        set = idle;
    uint64_t above = set & (~(uint64_t)1 << f->last[p]);
    return f->last[p] = bits_ctz64(above ? above : set);
}

static inline __attribute__((always_inline)) void send_again(sm *s)
{
    sm_fetch *f = &s->fetch;

    for (unsigned i = 0; f->unsent && i < f->misses; i++)
        if (f->miss[i].unsent)
            send_fetch_miss(s, &f->miss[i]);
}

uint64_t sm_fetch_tick(sm *s)
{
    sm_fetch *f = &s->fetch;
    uint64_t want;

    send_again(s);
    want = f->want;
    for (unsigned p = 0; want && p < f->ports; p++) {
        uint64_t set = want & f->port_mask[p];
        if (!set)
            continue;
        unsigned w = next_in_turn(s, p, set);
        want &= ~BIT(w);
        fetch(s, w);
    }
    return next_fetch(s);
}

uint64_t sm_fetch_tick_dual(sm *s)
{
    sm_fetch *f = &s->fetch;

    send_again(s);
    for (unsigned p = 0; p < f->ports; p++) {
        uint64_t set = f->want & f->port_mask[p];

        if (!set)
            continue;
        if (f->wrong_path && (f->redirect & f->port_mask[p]))
            s->st.wrong_path++;
        else if (f->current)
            fetch(s, current_or_emptiest(s, p, set));
        else
            fetch(s, next_in_turn(s, p, set));
    }
    return next_fetch(s);
}
