#include "sm/memory/constant.h"

#include <string.h>

#include "base/bits.h"
#include "sm/state.h"

void sm_constant_init(sm_constant *c, const config *cfg)
{
    memset(c, 0, sizeof *c);
    c->perfect = cfg->sm.constant.perfect;
    c->misses = cfg->sm.constant.misses;
    return sm_read_cache_init(
        &c->l1, cfg->sm.constant.l1.bytes, cfg->sm.constant.l1.line,
        cfg->sm.constant.l1.ways, cfg->sm.constant.l1.latency);
}

void sm_constant_fini(sm_constant *c) { sm_read_cache_fini(&c->l1); }

void sm_constant_clear(sm_constant *c, bool keep)
{
    if (!keep)
        sm_read_cache_clear(&c->l1);
    memset(c->miss, 0, sizeof c->miss);
    c->unsent = 0;
    c->starved = 0;
    c->launch++;
}

static void send_constant_miss(sm *s, sm_constant_miss *m)
{
    mem_msg msg = {
        .addr = m->line / MEM_LINE * MEM_LINE,
        .born = s->now,
        .tag = s->constant.launch << 8 | (uint32_t)(m - s->constant.miss),
        .src = (uint16_t)s->id,
        .kind = MEM_READ,
        .client = CLIENT_CONST,
        .sectors = (uint8_t)(1u << (m->line % MEM_LINE / MEM_SECTOR)),
    };

    for (unsigned b = MEM_SECTOR; b < 1u << s->constant.l1.shift;
         b += MEM_SECTOR)
        msg.sectors |= (uint8_t)(msg.sectors << 1);
    msg.sectors &= 0xf;
    bool was = m->unsent;
    m->unsent = !mem_port_push(s->port.to_net_c, s->now, &msg);
    s->constant.unsent += (unsigned)m->unsent - (unsigned)was;
    s->st.const_requests += !m->unsent;
}

static bool first_touch(sm *s, unsigned w, uint64_t line)
{
    const sm_constant *c = &s->constant;

    return sm_touch_first(&s->launches.grid[s->warp[w].grid].touch,
                          (line - c->base[w]) >> c->l1.shift);
}

static bool untouched(const sm *s, unsigned w, uint64_t line)
{
    const sm_constant *c = &s->constant;

    return !sm_touched(&s->launches.grid[s->warp[w].grid].touch,
                       (line - c->base[w]) >> c->l1.shift);
}

/* For warp `w`. */
static void start_fill(sm *s, sm_constant_miss *m, unsigned w)
{
    sm_read_cache *l15 = &s->fetch.l15;

    if (l15->exists) {
        m->delay = l15->latency;
        s->st.l15_accesses++;
        if (sm_read_cache_hit(l15, m->line)) {
            sm_event_at(s, s->now + m->delay + !m->delay, EVENT_CFILL, 0, 0,
                        (uint32_t)(m - s->constant.miss));
            return;
        }
        s->st.l15_misses++;
    }
    m->cold = first_touch(s, w, m->line);
    send_constant_miss(s, m);
}

/* Notes that `w` waits for the line of `addr`. True if that is cold. */
static bool request(sm *s, unsigned w, uint64_t addr)
{
    sm_constant *c = &s->constant;
    uint64_t line = addr >> c->l1.shift << c->l1.shift;
    sm_constant_miss *spare = NULL;

    for (unsigned i = 0; i < c->misses; i++) {
        if (c->miss[i].taken && c->miss[i].line == line) {
            c->miss[i].warps |= BIT(w);
            return c->miss[i].cold;
        }
        if (!c->miss[i].taken && !spare)
            spare = &c->miss[i];
    }
    if (!spare) {
        c->starved |= BIT(w);
        return untouched(s, w, line);
    }
    *spare = (sm_constant_miss){.line = line, .warps = BIT(w), .taken = true};
    start_fill(s, spare, w);
    return spare->cold;
}

/* Looks up constant `i` of the head of `w`; *cold falls if it waits for one
 * that is not. */
static bool look(sm *s, unsigned w, unsigned i, uint32_t at, bool *cold)
{
    sm_constant *c = &s->constant;

    if (c->found[w] >> i & 1)
        return true;
    s->st.const_accesses++;
    if (!c->perfect && c->l1.exists &&
        !sm_read_cache_hit(&c->l1, c->base[w] + at)) {
        s->st.const_misses++;
        *cold &= request(s, w, c->base[w] + at);
        return false;
    }
    c->found[w] |= (uint32_t)BIT(i);
    return true;
}

static uint32_t lanes_of(const exec_warp *x, const isa_inst *in)
{
    uint32_t guard = x->pred[in->guard & 7];

    return x->simt.active & (in->guard & PRED_NOT ? ~guard : guard);
}

/* Where lane `l` of an LDC reads, as bank << 16 | offset. */
static uint32_t lane_at(const exec_warp *x, const isa_inst *in, unsigned l)
{
    uint32_t index =
        in->src[0] == ISA_RZ || !in->src_regs[0] ? 0 : x->reg[in->src[0]][l];

    return (uint32_t)in->lut << 16 | ((index + in->val[0]) & 0xffff);
}

/* Notes whether a warp that waits does so for cold lines only. */
static inline bool waits(sm *s, unsigned w, bool all, bool cold)
{
    if (__builtin_expect(!all, 0)) {
        s->cold_constants = (s->cold_constants & ~BIT(w)) | (cold ? BIT(w) : 0);
        s->observe.stalls = true;
    }
    return all;
}

/* Constant operand `i`; ULDC may have an index. */
static inline uint32_t constant_at(const sm *s, unsigned w, const sm_inst *si,
                                   unsigned i)
{
    const isa_inst *in = si->in;
    uint32_t at = si->constant[i];

    if (__builtin_expect(in->op == ISA_ULDC && in->usrc_regs[0], 0))
        at = (at & ~0xffffu) | ((at + s->x[w].ureg[in->src[0]]) & 0xffff);
    return at;
}

bool sm_constant_ready(sm *s, unsigned w, const sm_inst *si)
{
    bool all = true, cold = true;

    if (si->flags & INST_CONST)
        for (unsigned i = 0; i < si->consts; i++)
            all = look(s, w, i, constant_at(s, w, si, i), &cold) && all;
    if (!(si->flags & INST_LDC))
        return waits(s, w, all, cold);
    uint32_t last = UINT32_MAX;
    uint32_t lanes = lanes_of(&s->x[w], si->in);
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = bits_ctz32(lanes);
        uint32_t line = lane_at(&s->x[w], si->in, l) >> s->constant.l1.shift;
        if (line == last) /* found or requested with the lane before */
            continue;
        last = line;
        all = look(s, w, l, line << s->constant.l1.shift, &cold) && all;
    }
    return waits(s, w, all, cold);
}

bool sm_constant_has(sm *s, unsigned w, uint64_t line)
{
    sm_constant *c = &s->constant;

    if (c->perfect || !c->l1.exists || sm_read_cache_hit(&c->l1, line))
        return true;
    request(s, w, line);
    return false;
}

unsigned sm_constant_lines(sm *s, unsigned w, const sm_inst *si, uint64_t *line)
{
    const sm_constant *c = &s->constant;
    uint64_t last = UINT64_MAX;
    unsigned n = 0;

    for (uint32_t lanes = lanes_of(&s->x[w], si->in); lanes;
         lanes &= lanes - 1) {
        uint64_t at = c->base[w] + lane_at(&s->x[w], si->in, bits_ctz32(lanes));

        at = at >> c->l1.shift << c->l1.shift;
        if (at == last)
            continue;
        last = at;
        s->st.const_accesses++;
        if (sm_constant_has(s, w, at))
            continue;
        s->st.const_misses++;
        line[n++] = at;
    }
    return n;
}

static unsigned addresses_of(const exec_warp *x, const sm_inst *si)
{
    uint32_t left = lanes_of(x, si->in);
    unsigned passes = 0;

    while (left) {
        uint32_t at = lane_at(x, si->in, bits_ctz32(left));
        for (uint32_t rest = left; rest; rest &= rest - 1)
            if (lane_at(x, si->in, bits_ctz32(rest)) == at)
                left &= ~(1u << bits_ctz32(rest));
        passes++;
    }
    return passes;
}

unsigned sm_constant_load(sm *s, unsigned w, const sm_inst *si)
{
    sm_constant *c = &s->constant;
    unsigned pass = s->cfg->sm.constant.pass;
    unsigned passes = addresses_of(&s->x[w], si);
    uint64_t start = s->now + s->cfg->sm.lsu.latency, last = start;

    if (passes) {
        if (start < c->port_free)
            start = c->port_free;
        s->st.const_waits += start - last;
        c->port_free = start + passes * pass;
        last = start + (passes - 1) * pass;
    }
    s->st.const_passes += passes;
    return (unsigned)(last - s->now) + c->l1.latency +
           s->cfg->sm.lsu.write_back;
}

void sm_constant_filled(sm *s, unsigned number)
{
    sm_constant *c = &s->constant;
    sm_constant_miss *m = &c->miss[number];
    uint64_t again = m->warps | c->starved;

    sm_read_cache_fill(&c->l1, m->line);
    sm_read_cache_fill(&s->fetch.l15, m->line);
    m->taken = false;
    c->starved = 0;
    s->cold_constants &= ~again; /* those that still wait say so again */
    for (again &= s->wait[WHY_CONSTANT]; again; again &= again - 1)
        sm_warp_head(s, bits_ctz64(again));
    if (s->cluster)
        sm_cluster_filled(s);
}

void sm_constant_reply(sm *s, const mem_msg *msg)
{
    uint32_t number = msg->tag & 0xff;
    uint32_t delay = s->constant.miss[number].delay;

    if (msg->tag >> 8 != (s->constant.launch & 0xffffff))
        return; /* for the launch before */
    if (delay)
        sm_event_at(s, s->now + delay, EVENT_CFILL, 0, 0, number);
    else
        sm_constant_filled(s, number);
}

uint64_t sm_constant_tick(sm *s)
{
    sm_constant *c = &s->constant;

    for (unsigned i = 0; c->unsent && i < c->misses; i++)
        if (c->miss[i].unsent)
            send_constant_miss(s, &c->miss[i]);
    return c->unsent ? s->now + 1 : NEVER;
}
