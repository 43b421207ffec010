/* tests/unit/cache/test_l2_far.c - two slices that are each other's
 * counterparts, with links between them: what is read near an SM is never older
 * than a store that was acknowledged before, every request is answered once,
 * and neither skipping nor the order of ticks changes anything.
 *
 * Slices hold tags only, so the bench keeps versions: a store or an atomic
 * makes the next version of its sectors when its home performs it, data that
 * leave the home for the other side carry the versions of the moment in which
 * they were read, and those last there as long as the slice says that it has a
 * copy. */
#include "test.h"

#include "cache/l2.h"
#include "exec/exec.h"
#include "l2_config.h"
#include "mem/ring.h"
#include "mem/spread.h"

enum { SIDES = 2, LINES = 24, ASKED = 900, MOST_ROUNDS = 400000 };

typedef struct ask {
    mem_msg m;
    mem_atom atom;
    uint32_t version[4]; /* that it made, by sector */
    uint32_t before[4];  /* reads: acknowledged versions when it began */
    uint64_t at;         /* answered in */
    bool performed, waits;
} ask;

typedef struct net_link { /* of so many cycles, in order */
    mem_port *from, *to;
    mem_ring under_way;
    uint32_t versions[4096][4]; /* of data, by number in the ring's order */
    unsigned in, out;
} net_link;

typedef struct side {
    l2 *slice;
    mem_view *view;
    mem_port port[8];
    mem_ring script, memory;
    uint64_t next;
} side;

typedef struct pair {
    config cfg;
    stats *reg;
    mem_image *image;
    uint64_t base, now;
    side side[SIDES];
    net_link link[4];
    ask ask[ASKED];
    unsigned asked, owed, done;
    unsigned link_latency, dram_latency;
    bool no_skip, reversed;
    mem_route route;
    uint32_t version[LINES][4];      /* at home */
    uint32_t acknowledged[LINES][4]; /* seen by who asked */
    uint32_t copy[LINES][4];         /* what last came to the other side */
    uint32_t read[LINES][4]; /* of what is about to leave the home for it */
} pair;

enum {
    FROM_NET,
    TO_NET,
    TO_DRAM,
    FROM_DRAM,
    TO_HOME,
    FROM_NEAR,
    TO_LINK,
    FROM_LINK
};

static unsigned line_of(const pair *p, uint64_t addr)
{
    return (unsigned)((addr - p->base) / MEM_LINE);
}

static unsigned home_of(const pair *p, uint64_t addr)
{
    return mem_route_slice(&p->route, addr);
}

static uint64_t count_of(const pair *p, unsigned i, const char *id)
{
    char name[64];
    uint64_t v;

    snprintf(name, sizeof name, "l2[%u].%s", i, id);
    CHECK(stats_find(p->reg, NULL, name, &v));
    return v;
}

static bool changes(const mem_msg *m) { return m->kind != MEM_READ; }

/* -- Construction -------------------------------------------------------- */

static void add_asks(pair *p, rng *g)
{
    uint64_t when = 0;

    for (unsigned i = 0; i < ASKED; i++) {
        ask *a = &p->ask[i];
        mem_msg *m = &a->m;
        unsigned what = rng_below(g, 20);

        *m = (mem_msg){.addr = p->base + (uint64_t)rng_below(g, LINES) * 128,
                       .sectors = (uint8_t)(1 + rng_below(g, 15)),
                       .tag = i,
                       .born = i,
                       .src = 100,
                       .client = CLIENT_L1};
        m->kind = what < 12   ? MEM_READ
                  : what < 16 ? MEM_WRITE
                  : what < 18 ? MEM_ATOMIC
                              : MEM_REDUCE;
        m->ack = m->kind == MEM_WRITE && rng_below(g, 4);
        m->partial = m->kind == MEM_WRITE && rng_below(g, 2);
        if (m->kind == MEM_ATOMIC || m->kind == MEM_REDUCE) {
            a->atom = (mem_atom){.op = ATOM_ADD, .type = ATYPE_U32};
            for (unsigned s = 0; s < 4; s++)
                if (m->sectors >> s & 1) {
                    a->atom.lanes |= 1u << s;
                    a->atom.addr[s] = m->addr + s * MEM_SECTOR;
                    a->atom.a[s] = 1;
                }
            m->atom = &a->atom;
        }
        when += rng_below(g, 60) ? rng_below(g, 4) : rng_below(g, 2000);
        p->owed += m->kind != MEM_WRITE || m->ack;
        mem_ring_push(&p->side[rng_below(g, SIDES)].script, m, when);
    }
}

static void side_init(pair *p, unsigned i)
{
    side *s = &p->side[i];
    mem_port *q = s->port;
    char name[16];

    for (unsigned k = 0; k < 8; k++)
        mem_port_init(&q[k], 2, 1);
    mem_ring_init(&s->script, ASKED);
    mem_ring_init(&s->memory, ASKED);
    s->view = mem_view_new(p->image, false);
    l2_ports ports = {.from_net = &q[FROM_NET],
                      .to_net = &q[TO_NET],
                      .to_dram = &q[TO_DRAM],
                      .from_dram = &q[FROM_DRAM],
                      .to_home = &q[TO_HOME],
                      .from_near = &q[FROM_NEAR],
                      .to_link = &q[TO_LINK],
                      .from_link = &q[FROM_LINK],
                      .view = s->view,
                      .slice = (uint16_t)i,
                      .node = (uint16_t)(9 + i)};
    snprintf(name, sizeof name, "l2[%u]", i);
    s->slice = l2_new(&p->cfg, p->reg, name, &ports);
}

static pair *pair_new(unsigned seed)
{
    pair *p = calloc(1, sizeof *p);
    rng g;

    rng_init(&g, seed, "pair");
    config_defaults(&p->cfg);
    p->cfg.gpu.clock_khz = 1000000;
    random_l2(&p->cfg, &g);
    if (p->cfg.l2.clock_khz > p->cfg.gpu.clock_khz) /* one look-up a tick */
        p->cfg.l2.clock_khz = 0;
    p->cfg.l2.slices = p->cfg.dram.channels = p->cfg.l2.partitions = 2;
    p->cfg.l2.slice_hash = CFG_INDEX_MOD;
    p->cfg.l2.interleave = 128;
    p->cfg.l2.link.pending = 1 + rng_below(&g, 6);
    p->cfg.l2.link.recalls = 1 + rng_below(&g, 4);
    p->cfg.l2.link.keep = rng_below(&g, 8) != 0;
    p->link_latency = 1 + rng_below(&g, 150);
    p->dram_latency = 1 + rng_below(&g, 150);
    p->reg = stats_new();
    p->image = mem_image_new(1 << 21);
    p->base = mem_alloc(p->image, 1 << 16, "a");
    mem_route_init(&p->route, &p->cfg);
    for (unsigned i = 0; i < SIDES; i++)
        side_init(p, i);
    l2_pair(p->side[0].slice, p->side[1].slice);
    for (unsigned i = 0; i < 4; i++) {
        side *a = &p->side[i % 2], *b = &p->side[1 - i % 2];

        p->link[i].from = &a->port[i < 2 ? TO_HOME : TO_LINK];
        p->link[i].to = &b->port[i < 2 ? FROM_NEAR : FROM_LINK];
        mem_ring_init(&p->link[i].under_way, 4096);
    }
    add_asks(p, &g);
    return p;
}

static void pair_free(pair *p)
{
    for (unsigned i = 0; i < SIDES; i++) {
        side *s = &p->side[i];

        l2_free(s->slice);
        mem_view_free(s->view);
        for (unsigned k = 0; k < 8; k++)
            mem_port_fini(&s->port[k]);
        mem_ring_fini(&s->script);
        mem_ring_fini(&s->memory);
    }
    for (unsigned i = 0; i < 4; i++)
        mem_ring_fini(&p->link[i].under_way);
    stats_free(p->reg);
    mem_image_free(p->image);
    free(p);
}

/* -- Versions ------------------------------------------------------------ */

/* The home has performed what ask `a` changes. */
static void performed(pair *p, ask *a)
{
    unsigned l = line_of(p, a->m.addr);

    a->performed = true;
    for (unsigned s = 0; s < 4; s++)
        if (a->m.sectors >> s & 1)
            a->version[s] = ++p->version[l][s];
}

/* Side `i` has taken a request from an SM or from its counterpart. */
static void taken(pair *p, unsigned i, const mem_msg *m, bool hit)
{
    unsigned l = line_of(p, m->addr);
    ask *a = &p->ask[m->born];

    if (m->kind == MEM_READ && m->client != CLIENT_L2) {
        memcpy(a->before, p->acknowledged[l], sizeof a->before);
        a->waits = home_of(p, m->addr) != i && !hit;
        for (unsigned s = 0; hit && home_of(p, m->addr) != i && s < 4; s++)
            if (m->sectors >> s & 1 && p->copy[l][s] < a->before[s])
                TEST_FAIL("cycle %" PRIu64 ": side %u reads version %u of "
                          "sector %u of line %u from a copy; %u was "
                          "acknowledged",
                          p->now, i, p->copy[l][s], s, l, a->before[s]);
    } else if (m->kind == MEM_READ) {
        memcpy(p->read[l], p->version[l], sizeof p->read[l]);
    } else if (m->kind == MEM_WRITE && home_of(p, m->addr) == i) {
        performed(p, a);
    }
}

static void atomics_performed(pair *p)
{
    for (unsigned i = 0; i < ASKED; i++)
        if (p->ask[i].atom.lanes && p->ask[i].atom.when && !p->ask[i].performed)
            performed(p, &p->ask[i]);
}

static void tick(pair *p, unsigned i)
{
    side *s = &p->side[i];
    const mem_msg *head[3] = {mem_port_peek(&s->port[FROM_NET], p->now),
                              mem_port_peek(&s->port[FROM_NEAR], p->now),
                              mem_port_peek(&s->port[FROM_DRAM], p->now)};
    static const unsigned from[3] = {FROM_NET, FROM_NEAR, FROM_DRAM};
    uint64_t hits = count_of(p, i, "far_hits");
    uint32_t at[3];
    mem_msg seen[3];

    for (unsigned k = 0; k < 3; k++) {
        at[k] = s->port[from[k]].head;
        if (head[k])
            seen[k] = *head[k];
    }
    s->next = l2_tick(s->slice, p->now);
    atomics_performed(p);
    hits = count_of(p, i, "far_hits") - hits;
    for (unsigned k = 0; k < 2; k++)
        if (s->port[from[k]].head != at[k])
            taken(p, i, &seen[k], k == 0 && hits);
    if (s->port[FROM_DRAM].head != at[2])
        memcpy(p->read[line_of(p, seen[2].addr)],
               p->version[line_of(p, seen[2].addr)], sizeof p->read[0]);
}

/* -- Neighbours ---------------------------------------------------------- */

static void answered(pair *p, const mem_msg *m)
{
    ask *a = &p->ask[m->tag];
    unsigned l = line_of(p, a->m.addr);

    CHECK(!a->at && m->dst == 100);
    CHECK(m->kind == (a->m.kind == MEM_READ || a->m.kind == MEM_ATOMIC
                          ? MEM_DATA
                          : MEM_ACK));
    a->at = p->now;
    p->done++;
    for (unsigned s = 0; s < 4; s++) {
        if (!(a->m.sectors >> s & 1))
            continue;
        if (changes(&a->m)) {
            CHECK(a->performed);
            if (a->version[s] > p->acknowledged[l][s])
                p->acknowledged[l][s] = a->version[s];
        } else if (a->waits && p->copy[l][s] < a->before[s]) {
            TEST_FAIL("cycle %" PRIu64 ": a read gets version %u of sector %u "
                      "of line %u; %u was acknowledged before it began",
                      p->now, p->copy[l][s], s, l, a->before[s]);
        }
    }
}

static void neighbours(pair *p, unsigned i)
{
    side *s = &p->side[i];
    mem_msg *m;

    while ((m = mem_port_peek(&s->port[TO_NET], p->now))) {
        answered(p, m);
        mem_port_pop(&s->port[TO_NET], p->now);
    }
    while ((m = mem_port_peek(&s->port[TO_DRAM], p->now))) {
        mem_msg back = *m;

        back.kind = MEM_DATA;
        CHECK_EQ(home_of(p, m->addr), i);
        if (m->kind == MEM_READ)
            mem_ring_push(&s->memory, &back, p->now + p->dram_latency);
        mem_port_pop(&s->port[TO_DRAM], p->now);
    }
    while ((m = mem_ring_front(&s->memory)) && m->when <= p->now &&
           mem_port_push(&s->port[FROM_DRAM], p->now, m))
        mem_ring_pop(&s->memory);
    while ((m = mem_ring_front(&s->script)) && m->when <= p->now &&
           mem_port_push(&s->port[FROM_NET], p->now, m))
        mem_ring_pop(&s->script);
}

static void carry(pair *p, net_link *n)
{
    mem_msg *m = mem_port_peek(n->from, p->now);

    if (m) {
        if (m->kind == MEM_DATA)
            memcpy(n->versions[n->in % 4096], p->read[line_of(p, m->addr)],
                   sizeof n->versions[0]);
        n->in++;
        mem_ring_push(&n->under_way, m, p->now + p->link_latency);
        mem_port_pop(n->from, p->now);
    }
    while ((m = mem_ring_front(&n->under_way)) && m->when <= p->now &&
           mem_port_push(n->to, p->now, m)) {
        unsigned l = line_of(p, m->addr);

        for (unsigned s = 0; s < 4; s++)
            if (m->kind == MEM_DATA && m->sectors >> s & 1)
                p->copy[l][s] = n->versions[n->out % 4096][s];
        n->out++;
        mem_ring_pop(&n->under_way);
    }
}

static uint64_t earliest(const pair *p)
{
    uint64_t first = NEVER;

    for (unsigned i = 0; i < SIDES; i++) {
        const side *s = &p->side[i];

        first = mem_earlier(first, s->next);
        first = mem_earlier(first, mem_ring_next(&s->script));
        first = mem_earlier(first, mem_ring_next(&s->memory));
        for (unsigned k = 0; k < 8; k++)
            first = mem_earlier(first, mem_port_wake(&s->port[k], p->now));
    }
    for (unsigned i = 0; i < 4; i++)
        first = mem_earlier(first, mem_ring_next(&p->link[i].under_way));
    return first;
}

static bool due(const pair *p, unsigned i)
{
    static const unsigned in[4] = {FROM_NET, FROM_DRAM, FROM_NEAR, FROM_LINK};
    const side *s = &p->side[i];

    for (unsigned k = 0; k < 4; k++)
        if (mem_port_wake(&s->port[in[k]], p->now - 1) <= p->now)
            return true;
    return p->no_skip || s->next <= p->now;
}

static pair *run(unsigned seed, bool no_skip, bool reversed)
{
    pair *p = pair_new(seed);

    p->no_skip = no_skip;
    p->reversed = reversed;
    for (p->now = 1; p->now < MOST_ROUNDS;) {
        for (unsigned k = 0; k < SIDES; k++) {
            unsigned i = reversed ? 1 - k : k;

            if (due(p, i))
                tick(p, i);
        }
        for (unsigned k = 0; k < SIDES; k++)
            neighbours(p, k);
        for (unsigned k = 0; k < 4; k++)
            carry(p, &p->link[k]);
        uint64_t first = earliest(p);
        if (first == NEVER && p->done == p->owed)
            break;
        p->now = no_skip || first <= p->now ? p->now + 1
                                            : mem_earlier(first, MOST_ROUNDS);
    }
    for (unsigned i = 0; i < SIDES; i++) {
        if (!l2_idle(p->side[i].slice))
            l2_dump(p->side[i].slice, stderr);
        l2_settle(p->side[i].slice, MOST_ROUNDS);
    }
    CHECK_EQ(p->done, p->owed);
    CHECK(l2_idle(p->side[0].slice) && l2_idle(p->side[1].slice));
    return p;
}

TEST(no_read_is_older_than_a_store_that_was_acknowledged)
{
    uint64_t hits = 0, recalls = 0, lost = 0, dropped = 0;

    for (unsigned seed = 0; seed < 80; seed++) {
        pair *p = run(seed, false, false);

        for (unsigned i = 0; i < SIDES; i++) {
            hits += count_of(p, i, "far_hits");
            recalls += count_of(p, i, "recalls");
            lost += count_of(p, i, "copies_lost");
            dropped += count_of(p, i, "copies_dropped");
            if (!p->cfg.l2.link.keep)
                CHECK_EQ(count_of(p, i, "far_hits"), 0);
            CHECK_EQ(count_of(p, i, "far_writes"),
                     count_of(p, 1 - i, "home_writes"));
            CHECK_EQ(count_of(p, i, "tag_lookups"),
                     count_of(p, i, "reads") + count_of(p, i, "writes") +
                         count_of(p, i, "atomics") +
                         count_of(p, i, "reductions") +
                         count_of(p, i, "home_reads") +
                         count_of(p, i, "home_writes"));
        }
        pair_free(p);
    }
    /* All that the rules are about has happened. */
    CHECK(hits > 1000 && recalls > 1000 && lost > 1000 && dropped > 1000);
}

TEST(atomics_of_both_sides_add_up)
{
    for (unsigned seed = 0; seed < 30; seed++) {
        pair *p = run(seed, false, false);
        uint64_t want = 0, got = 0;

        for (unsigned i = 0; i < ASKED; i++)
            want += (uint64_t)__builtin_popcount(p->ask[i].atom.lanes);
        for (unsigned i = 0; i < SIDES; i++)
            mem_view_commit(p->side[i].view);
        for (uint64_t a = p->base; a < p->base + LINES * 128; a += 32) {
            uint32_t x;
            mem_view_read(p->side[0].view, a, &x, 4);
            got += x;
        }
        CHECK_EQ(got, want);
        pair_free(p);
    }
}

TEST(skipping_and_the_order_of_ticks_change_nothing_between_partitions)
{
    for (unsigned seed = 0; seed < 25; seed++) {
        pair *a = run(seed, false, false);

        for (unsigned how = 1; how < 4; how++) {
            pair *b = run(seed, how & 1, how & 2);

            for (unsigned i = 0; i < ASKED; i++)
                if (a->ask[i].at != b->ask[i].at)
                    TEST_FAIL("seed %u way %u: request %u at %" PRIu64
                              " or %" PRIu64,
                              seed, how, i, a->ask[i].at, b->ask[i].at);
            for (size_t i = 0; i < stats_count(a->reg); i++) {
                stats_item x = stats_get(a->reg, i), y = stats_get(b->reg, i);

                if (x.value != y.value)
                    TEST_FAIL("seed %u way %u: %s is %" PRIu64 " or %" PRIu64,
                              seed, how, x.desc->id, x.value, y.value);
            }
            pair_free(b);
        }
        pair_free(a);
    }
}
