/* tests/unit/dram/dram_rig.h - a DRAM channel with scripted L2 slices, and a
 * checker of command timing that knows only the configuration. */
#ifndef DRAM_RIG_H
#define DRAM_RIG_H

#include "test.h"

#include "dram/dram.h"
#include "mem/clock.h"
#include "mem/image.h"
#include "mem/ring.h"
#include "mem/spread.h"

enum { RIG_TAGS = 1 << 14, RIG_BANKS = 64, RIG_COMMANDS = 1 << 16 };

/* A command, as seen from outside. */
typedef struct rig_cmd {
    uint64_t at;
    dram_command cmd;
    uint32_t bank, row;
} rig_cmd;

typedef struct rig {
    config cfg;
    stats *reg;
    dram *b;
    unsigned slices;
    mem_port from[DRAM_SLICES], to[DRAM_SLICES];
    mem_ring script[DRAM_SLICES];
    bool stuck; /* the slices take nothing */
    bool no_skip, reversed;
    uint64_t now, next, wake;
    unsigned entered, owed, done;
    uint64_t at[RIG_TAGS];
    uint32_t order[RIG_TAGS]; /* tags as they were answered */
    rig_cmd *log;
    unsigned commands;
} rig;

/* One slice, one channel, DRAM at the core's clock; a burst is one sector and
 * takes one clock. Numbers are chosen to be told apart. */
static rig *rig_new(unsigned slices)
{
    rig *r = calloc(1, sizeof *r);

    config_defaults(&r->cfg);
    r->slices = slices;
    r->cfg.gpu.clock_khz = 1000000;
    r->cfg.l2.slices = slices;
    r->cfg.l2.interleave = 256;
    r->cfg.l2.slice_hash = CFG_INDEX_MOD;
    r->cfg.dram.clock_khz = 0;
    r->cfg.dram.channels = 1;
    r->cfg.dram.bank_groups = 4;
    r->cfg.dram.banks = 16;
    r->cfg.dram.bus_bytes = 16;
    r->cfg.dram.data_rate = 2;
    r->cfg.dram.burst = 2;
    r->cfg.dram.row_bytes = 2048;
    r->cfg.dram.bank_xor = false;
    r->cfg.dram.age_limit = 0;
    r->cfg.dram.latency = 50;
    r->cfg.dram.t_rcd = 12;
    r->cfg.dram.t_rp = 11;
    r->cfg.dram.t_ras = 28;
    r->cfg.dram.t_rc = 40;
    r->cfg.dram.t_cl = 13;
    r->cfg.dram.t_cwl = 4;
    r->cfg.dram.t_ccd_s = 1;
    r->cfg.dram.t_ccd_l = 2;
    r->cfg.dram.t_rrd = 3;
    r->cfg.dram.t_faw = 14;
    r->cfg.dram.t_wr = 10;
    r->cfg.dram.t_wtr = 5;
    r->cfg.dram.t_rtp = 3;
    r->cfg.dram.refresh = false;
    return r;
}

static void rig_log(void *arg, uint64_t at, dram_command cmd, uint32_t bank,
                    uint32_t row)
{
    rig *r = arg;

    if (r->commands < RIG_COMMANDS)
        r->log[r->commands++] = (rig_cmd){at, cmd, bank, row};
}

static void rig_start(rig *r)
{
    dram_ports p = {.slices = r->slices};

    r->reg = stats_new();
    r->log = calloc(RIG_COMMANDS, sizeof *r->log);
    for (unsigned s = 0; s < r->slices; s++) {
        mem_port_init(&r->from[s], 4, 1);
        mem_port_init(&r->to[s], 4, 1);
        mem_ring_init(&r->script[s], RIG_TAGS);
        p.from_l2[s] = &r->from[s];
        p.to_l2[s] = &r->to[s];
    }
    r->b = dram_new(&r->cfg, r->reg, "dram", &p);
    CHECK(r->b != NULL);
    dram_watch(r->b, rig_log, r);
}

static void rig_free(rig *r)
{
    dram_free(r->b);
    stats_free(r->reg);
    for (unsigned s = 0; s < r->slices; s++) {
        mem_port_fini(&r->from[s]);
        mem_port_fini(&r->to[s]);
        mem_ring_fini(&r->script[s]);
    }
    free(r->log);
    free(r);
}

static inline uint64_t rig_stat(const rig *r, const char *id)
{
    char name[96];
    uint64_t v;

    snprintf(name, sizeof name, "dram.%s", id);
    CHECK(stats_find(r->reg, NULL, name, &v));
    return v;
}

static uint32_t rig_ask(rig *r, uint64_t when, mem_msg m)
{
    mem_route route;

    mem_route_init(&route, &r->cfg);
    m.tag = r->entered++;
    m.client = CLIENT_L2;
    if (!m.sectors)
        m.sectors = 0xf;
    r->owed += m.kind == MEM_READ;
    mem_ring_push(&r->script[mem_route_slice(&route, m.addr)], &m, when);
    return m.tag;
}

static inline uint32_t rig_read(rig *r, uint64_t when, uint64_t addr,
                                uint8_t sectors)
{
    return rig_ask(
        r, when, (mem_msg){.kind = MEM_READ, .addr = addr, .sectors = sectors});
}

static inline uint32_t rig_write(rig *r, uint64_t when, uint64_t addr,
                                 uint8_t sectors)
{
    return rig_ask(
        r, when,
        (mem_msg){.kind = MEM_WRITE, .addr = addr, .sectors = sectors});
}

static void rig_slice(rig *r, unsigned s)
{
    mem_msg *m;

    while (!r->stuck && (m = mem_port_peek(&r->to[s], r->now))) {
        CHECK(m->tag < r->entered && !r->at[m->tag]);
        CHECK_EQ(m->kind, MEM_DATA);
        r->at[m->tag] = r->now;
        r->order[r->done++] = m->tag;
        mem_port_pop(&r->to[s], r->now);
    }
    while ((m = mem_ring_front(&r->script[s])) && m->when <= r->now) {
        if (!mem_port_push(&r->from[s], r->now, m))
            break;
        mem_ring_pop(&r->script[s]);
    }
}

static void rig_slices(rig *r)
{
    for (unsigned i = 0; i < r->slices; i++)
        rig_slice(r, r->reversed ? r->slices - 1 - i : i);
}

static uint64_t min64(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Runs until cycle `end` (not included), or until nothing is left to do. */
static void rig_run(rig *r, uint64_t end)
{
    bool over = false;

    while (r->now < end && !over) {
        if (r->reversed)
            rig_slices(r);
        if (r->no_skip || r->next <= r->now || r->wake <= r->now)
            r->next = dram_tick(r->b, r->now);
        if (!r->reversed)
            rig_slices(r);
        uint64_t first = r->next;
        r->wake = NEVER;
        for (unsigned s = 0; s < r->slices; s++) {
            if (!r->stuck)
                first = min64(first, mem_port_next(&r->to[s]));
            first = min64(first, mem_ring_next(&r->script[s]));
            r->wake = min64(r->wake, mem_port_wake(&r->from[s], r->now));
        }
        first = min64(first, r->wake);
        over = first == NEVER && r->done == r->owed;
        r->now = over || r->no_skip || first <= r->now ? r->now + 1
                                                       : min64(first, end);
    }
    dram_settle(r->b, r->now);
}

/* -- checker ------------------------------------------------------------ */

static void rig_gap(const rig_cmd *a, const rig_cmd *b, uint64_t least,
                    const char *what)
{
    if (b->at < a->at + least)
        TEST_FAIL("%s: %d at %" PRIu64 " then %d at %" PRIu64
                  " in banks %u, %u, not %" PRIu64 " apart",
                  what, a->cmd, a->at, b->cmd, b->at, a->bank, b->bank, least);
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = ((const rig_cmd *)a)->at, y = ((const rig_cmd *)b)->at;

    return x < y ? -1 : x > y;
}

static bool is_column(const rig_cmd *c)
{
    return c->cmd == DRAM_CMD_READ || c->cmd == DRAM_CMD_WRITE;
}

/* Every pair of commands against the data sheet's rules, as far back as any
 * of them reaches. */
static void rig_check_pair(const rig *r, const rig_cmd *a, const rig_cmd *b)
{
    __typeof__(r->cfg.dram) c = r->cfg.dram;
    unsigned bl = c.burst / c.data_rate;
    bool same = a->bank == b->bank;
    bool group = a->bank % c.bank_groups == b->bank % c.bank_groups;

    if (b->cmd == DRAM_CMD_ACTIVATE) {
        if (a->cmd == DRAM_CMD_ACTIVATE)
            rig_gap(a, b, same ? c.t_rc : c.t_rrd, "t_rc, t_rrd");
        if (a->cmd == DRAM_CMD_PRECHARGE && same)
            rig_gap(a, b, c.t_rp, "t_rp");
        if (a->cmd == DRAM_CMD_REFRESH)
            rig_gap(a, b, c.t_rfc, "t_rfc");
        if (a->cmd == DRAM_CMD_REFRESH_BANK && same)
            rig_gap(a, b, c.t_rfc_bank, "t_rfc_bank");
    }
    if (b->cmd == DRAM_CMD_PRECHARGE && same) {
        if (a->cmd == DRAM_CMD_ACTIVATE)
            rig_gap(a, b, c.t_ras, "t_ras");
        if (a->cmd == DRAM_CMD_READ)
            rig_gap(a, b, c.t_rtp, "t_rtp");
        if (a->cmd == DRAM_CMD_WRITE)
            rig_gap(a, b, c.t_cwl + bl + c.t_wr, "t_wr");
    }
    if (is_column(b)) {
        if (a->cmd == DRAM_CMD_ACTIVATE && same)
            rig_gap(a, b, c.t_rcd, "t_rcd");
        if (is_column(a))
            rig_gap(a, b, group ? c.t_ccd_l : c.t_ccd_s, "t_ccd");
        if (a->cmd == DRAM_CMD_WRITE && b->cmd == DRAM_CMD_READ)
            rig_gap(a, b, c.t_cwl + bl + c.t_wtr, "t_wtr");
        if (a->cmd == DRAM_CMD_READ && b->cmd == DRAM_CMD_WRITE &&
            b->at + c.t_cwl <= a->at + c.t_cl + bl)
            TEST_FAIL("bus conflict at %" PRIu64, b->at);
    }
    if (b->cmd == DRAM_CMD_REFRESH && a->cmd == DRAM_CMD_PRECHARGE)
        rig_gap(a, b, c.t_rp, "t_rp before refresh");
    if (b->cmd == DRAM_CMD_REFRESH_BANK && a->cmd == DRAM_CMD_PRECHARGE && same)
        rig_gap(a, b, c.t_rp, "t_rp before refresh");
}

static inline void rig_check_timing(rig *r)
{
    uint32_t row[RIG_BANKS];
    uint64_t acts[5] = {0};
    unsigned n = 0;

    qsort(r->log, r->commands, sizeof *r->log, by_time);
    memset(row, 0xff, sizeof row);
    for (unsigned i = 0; i < r->commands; i++) {
        const rig_cmd *b = &r->log[i];
        for (unsigned j = i; j-- > 0 && r->log[j].at + 300 > b->at;)
            rig_check_pair(r, &r->log[j], b);
        if (b->cmd == DRAM_CMD_ACTIVATE) {
            CHECK_EQ(row[b->bank], UINT32_MAX);
            row[b->bank] = b->row;
            memmove(acts, acts + 1, 4 * sizeof *acts);
            acts[4] = b->at;
            if (++n >= 5)
                CHECK(acts[4] - acts[0] >= r->cfg.dram.t_faw);
        } else if (b->cmd == DRAM_CMD_PRECHARGE) {
            CHECK_EQ(row[b->bank], b->row);
            row[b->bank] = UINT32_MAX;
        } else if (is_column(b)) {
            CHECK_EQ(row[b->bank], b->row);
        } else if (b->cmd == DRAM_CMD_REFRESH_BANK) {
            CHECK_EQ(row[b->bank], UINT32_MAX);
        } else {
            for (unsigned k = 0; k < r->cfg.dram.banks; k++)
                CHECK_EQ(row[k], UINT32_MAX);
        }
    }
}

#endif
