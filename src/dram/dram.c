/* src/dram/dram.c - the channel towards its L2 slices. Stages of a core cycle,
 * last to first: replies leave, commands are given, requests are accepted. */
#include "dram/dram.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "dram/dram_impl.h"

static const stat_desc dram_desc[] = {
#define STAT(id, unit, help) STAT_DESC(dram_stats, id, unit, help),
#define HIST(id, bins, of, unit, help)                                         \
    STAT_HIST(dram_stats, id, bins, of, unit, help)
#include "dram/dram_stats.def"
#undef STAT
#undef HIST
};

const stats_block dram_stats_block = {"dram[*]", "DRAM channel", dram_desc,
                                      COUNTOF(dram_desc)};

static void reset_banks(dram *b)
{
    for (unsigned i = 0; i < b->cfg.banks; i++) {
        dram_bank *k = &b->bank[i];

        k->row = DRAM_NONE;
        k->group = i % b->cfg.bank_groups;
        b->members[k->group * b->words + i / 64] |= (uint64_t)1 << i % 64;
        for (unsigned q = 0; q < DRAM_KINDS; q++)
            k->list[q] = (dram_list){0, DRAM_NONE, DRAM_NONE, DRAM_NONE, false};
    }
    uint32_t slots = b->cfg.queue + b->cfg.write_queue;
    for (uint32_t r = 0; r < slots; r++)
        b->pool[r].next = r + 1 < slots ? r + 1 : DRAM_NONE;
    for (unsigned q = 0; q < DRAM_KINDS; q++)
        b->oldest[q] = b->youngest[q] = DRAM_NONE;
    b->next = (dram_next){NEVER, DRAM_WAIT, DRAM_NONE, false};
    /* Channels take turns. */
    b->refresh_from = b->cfg.t_refi + (uint64_t)b->cfg.t_refi *
                                          b->port.channel / b->cfg.channels;
    b->refresh_due = b->refresh_from;
    b->reply_at = NEVER;
}

static void allocate_channel(dram *b)
{
    unsigned slots = b->cfg.queue + b->cfg.write_queue;
    /* Enough for full rate over the reply's latency. */
    unsigned replies = b->cfg.queue + b->cfg.latency / 2 + 64;

    b->words = (b->cfg.banks + 63) / 64;
    b->pool = new0(slots, sizeof *b->pool);
    b->bank = new0(b->cfg.banks, sizeof *b->bank);
    b->group = new0(b->cfg.bank_groups, sizeof *b->group);
    b->members =
        new0((size_t)b->cfg.bank_groups * b->words, sizeof *b->members);
    for (unsigned q = 0; q < DRAM_KINDS; q++) {
        b->waiting[q] = new0(b->words, sizeof *b->waiting[q]);
        b->open[q] = new0(b->words, sizeof *b->open[q]);
    }
    for (unsigned s = 0; s < b->port.slices; s++) {
        mem_ring_init(&b->data[s], replies);
        mem_ring_init(&b->early[s], replies);
    }
}

dram *dram_new(const config *cfg, stats *reg, const char *name,
               const dram_ports *ports)
{
    dram *b = new0(1, sizeof *b);
    unsigned port = 0;

    MUST(ports->slices > 0 && ports->slices <= DRAM_SLICES);
    b->cfg_all = *cfg;
    b->cfg = cfg->dram;
    b->clock = config_clock_ratio(cfg, b->cfg.clock_khz);
    b->port = *ports;
    mem_route_init(&b->route, cfg);
    b->bl = (unsigned)bits_div_up(b->cfg.burst, b->cfg.data_rate);
    for (unsigned s = 0; s < ports->slices; s++)
        if (ports->to_l2[s]->latency > port)
            port = ports->to_l2[s]->latency;
    b->slack = b->cfg.latency > port ? b->cfg.latency - port - 1 : 0;
    b->sectors = b->cfg.bus_bytes * b->cfg.burst / MEM_SECTOR;
    if (!b->sectors)
        b->sectors = 1;
    allocate_channel(b);
    reset_banks(b);
    stats_add(reg, name, dram_desc, COUNTOF(dram_desc), &b->st);
    return b;
}

void dram_free(dram *b)
{
    if (!b)
        return;
    free(b->pool);
    free(b->bank);
    free(b->group);
    free(b->members);
    for (unsigned q = 0; q < DRAM_KINDS; q++) {
        free(b->waiting[q]);
        free(b->open[q]);
    }
    for (unsigned s = 0; s < b->port.slices; s++) {
        mem_ring_fini(&b->data[s]);
        mem_ring_fini(&b->early[s]);
    }
    free(b);
}

bool dram_idle(const dram *b)
{
    if (b->count[DRAM_READ] || b->count[DRAM_WRITE])
        return false;
    for (unsigned s = 0; s < b->port.slices; s++)
        if (b->port.from_l2[s]->count || b->outstanding[s])
            return false;
    return true;
}

void dram_watch(dram *b, dram_watcher *watch, void *arg)
{
    b->watch = watch;
    b->watch_arg = arg;
}

void dram_trace(dram *b, event_log *log) { b->log = log; }

void dram_note_queue(dram *b, uint64_t at, trace_kind kind, dram_kind queue)
{
    /* From the beginning of the launch on: they are changes. */
    if (b->log->filter.queues && at < b->log->filter.to)
        event_log_add(b->log, &(trace_event){.cycle = at,
                                             .a = 1,
                                             .b = queue == DRAM_READ
                                                      ? TRACE_QUEUE_DRAM_READ
                                                      : TRACE_QUEUE_DRAM_WRITE,
                                             .unit = (uint16_t)b->port.channel,
                                             .kind = (uint8_t)kind});
}

/* -- counters ----------------------------------------------------------- */

void dram_count(dram *b, uint64_t own)
{
    uint64_t t = b->counted;

    if (own <= t)
        return;
    b->st.read_queue_occupancy += (own - t) * b->count[DRAM_READ];
    b->st.write_queue_occupancy += (own - t) * b->count[DRAM_WRITE];
    b->counted = own;
    if (t < b->busy_until) {
        uint64_t end = mem_earlier(own, b->busy_until);
        b->st.busy += end - t;
        t = end;
    }
    if (t < b->refresh_until && t < own) {
        uint64_t end = mem_earlier(own, b->refresh_until);
        b->st.refreshing += end - t;
        t = end;
    }
    if (!b->count[b->mode])
        b->st.idle += own - t;
    else if (b->open_hit)
        b->st.wasted_column += own - t;
    else
        b->st.wasted_row += own - t;
}

void dram_settle(dram *b, uint64_t now)
{
    uint64_t own = mem_clock_from_core(b->clock, now);

    dram_run(b, own);
    dram_count(b, own);
}

/* -- replies ------------------------------------------------------------ */

void dram_answer(dram *b, const dram_request *r, uint64_t own)
{
    unsigned port = b->port.to_l2[r->slice]->latency;
    uint64_t due = mem_clock_to_core(b->clock, own) + b->cfg.latency;
    mem_msg m = r->msg;

    b->st.read_latency += due - m.when;
    m.kind = MEM_DATA;
    m.payload = mem_sectors_bytes(m.sectors);
    due -= mem_earlier(due, port);
    mem_ring_push(&b->data[r->slice], &m, due);
    b->reply_at = mem_earlier(b->reply_at, due);
}

/* One reply to each slice in a cycle. */
static void dram_reply_stage(dram *b, uint64_t now)
{
    uint64_t next = NEVER;

    for (unsigned s = 0; s < b->port.slices; s++) {
        mem_ring *data = &b->data[s], *early = &b->early[s];
        mem_ring *from =
            mem_ring_next(early) < mem_ring_next(data) ? early : data;

        if (mem_ring_next(from) <= now) {
            if (mem_port_push(b->port.to_l2[s], now, mem_ring_at(from, 0))) {
                mem_ring_pop(from);
                b->outstanding[s]--;
            } else {
                b->st.reply_blocked++;
            }
        }
        next = mem_earlier(next, mem_ring_next(data));
        next = mem_earlier(next, mem_ring_next(early));
    }
    b->reply_at = next;
}

/* -- requests ----------------------------------------------------------- */

/* Bursts that transfer all sectors of the mask. */
static uint8_t bursts_of(const dram *b, uint8_t sectors)
{
    unsigned n = 0;

    for (unsigned i = 0; i < MEM_LINE / MEM_SECTOR; i += b->sectors)
        n += (sectors >> i & bits_mask32(b->sectors)) != 0;
    return (uint8_t)n;
}

/* True if a write in the queue of the bank has all sectors that the
 * read wants. */
static bool forward(const dram *b, const mem_msg *m, uint32_t bank)
{
    uint32_t w = b->bank[bank].list[DRAM_WRITE].first;

    for (; w != DRAM_NONE; w = b->pool[w].next)
        if (b->pool[w].msg.addr == m->addr &&
            !(m->sectors & ~b->pool[w].msg.sectors))
            return true;
    return false;
}

static void answer_early(dram *b, unsigned slice, const mem_msg *m,
                         uint64_t now)
{
    unsigned port = b->port.to_l2[slice]->latency;
    uint64_t due = now + 1 + b->cfg.latency;
    mem_msg r = *m;

    b->st.forwarded++;
    b->st.read_latency += due - m->when;
    r.kind = MEM_DATA;
    r.payload = mem_sectors_bytes(m->sectors);
    mem_ring_push(&b->early[slice], &r, due - port);
    b->reply_at = mem_earlier(b->reply_at, due - port);
}

static bool room_for(const dram *b, unsigned slice, const mem_msg *m)
{
    if (m->kind == MEM_WRITE)
        return b->count[DRAM_WRITE] < b->cfg.write_queue;
    return b->count[DRAM_READ] < b->cfg.queue &&
           b->outstanding[slice] < b->data[slice].most;
}

/* Takes in the request at the head of a slice's port; `arrives` is the clock
 * from which it counts. True if a decision is due. */
static bool accept(dram *b, unsigned slice, const mem_msg *m, uint64_t now,
                   uint64_t arrives)
{
    dram_place p = dram_map(&b->cfg_all, mem_route_local(&b->route, m->addr));
    bool read = m->kind == MEM_READ;

    b->st.reads += read;
    b->st.writes += !read;
    if (__builtin_expect(m->traced, 0) && b->log)
        event_log_request(b->log, now, TRACE_DRAM_QUEUE, b->port.channel, 0, m,
                          m->sectors, 0);
    if (read) {
        b->outstanding[slice]++;
        if (forward(b, m, p.bank)) {
            answer_early(b, slice, m, now);
            return false;
        }
    }
    uint32_t n = b->free;
    dram_request *r = &b->pool[n];
    b->free = r->next;
    *r = (dram_request){.msg = *m,
                        .seq = b->seq++,
                        .arrived = arrives,
                        .row = p.row,
                        .bank = p.bank,
                        .slice = (uint8_t)slice,
                        .kind = read ? DRAM_READ : DRAM_WRITE,
                        .bursts = bursts_of(b, m->sectors)};
    MUST_CHECK(r->bursts > 0);
    if (__builtin_expect(b->log != NULL, 0))
        dram_note_queue(b, now, TRACE_DRAM_ENTER, r->kind);
    return dram_enter(b, n);
}

/* Accepts at most one request of each slice in a cycle; the slice that comes
 * first changes whenever one was accepted. They count from clock `arrives` on.
 * Returns the next cycle with work; *refused if a request waits for room. */
static uint64_t accept_stage(dram *b, uint64_t now, uint64_t arrives,
                             bool *refused)
{
    uint64_t next = NEVER;
    unsigned n = b->port.slices, s = b->turn;
    bool any = false, matters = false;

    for (unsigned i = 0; i < n; i++) {
        unsigned after = s + 1 < n ? s + 1 : 0;
        mem_port *from = b->port.from_l2[s];
        const mem_msg *m = mem_port_peek(from, now);

        if (m && !room_for(b, s, m)) {
            *refused = true;
        } else if (m) {
            if (!any)
                dram_count(b, arrives);
            any = true;
            matters |= accept(b, s, m, now, arrives);
            mem_port_pop(from, now);
            next = mem_earlier(next, mem_port_next(from));
            b->turn = after;
        }
        s = after;
    }
    if (matters)
        dram_decide(b);
    return next;
}

/* The cycle by which commands must have been issued. Others see only the reply
 * that a command leads to and the queue entry that it frees, so commands may be
 * issued late, many at once: each has the clock at which it acts. */
static uint64_t run_before(const dram *b, bool refused)
{
    const dram_next *n = &b->next;
    uint64_t at = n->at, room;

    if (at == NEVER)
        return NEVER;
    /* A burst that is not its request's last frees no entry, nor does what may
     * come before the next one. */
    room = at;
    if (n->cmd == DRAM_COL && b->pool[n->request].bursts > 1)
        room += b->bl;
    if (b->cfg.refresh) {
        at = mem_earlier(at, b->refresh_due);
        room = mem_earlier(room, b->refresh_due);
    }
    at = mem_clock_to_core(b->clock, at) + b->slack;
    return refused ? mem_earlier(mem_clock_to_core(b->clock, room), at) : at;
}

uint64_t dram_tick(dram *b, uint64_t now)
{
    uint64_t end = mem_clock_from_core(b->clock, now + 1), next;
    bool refused = false;

    if (b->reply_at <= now)
        dram_reply_stage(b, now);
    dram_run(b, end);
    next = accept_stage(b, now, end, &refused);
    next = mem_earlier(next, run_before(b, refused));
    next = mem_earlier(next, b->reply_at);
    return next > now ? next : now + 1;
}

/* -- hang report -------------------------------------------------------- */

void dram_dump(const dram *b, FILE *f)
{
    fprintf(f,
            "dram channel %u: serving %s; %" PRIu32 " reads, %" PRIu32
            " writes waiting",
            b->port.channel, b->mode == DRAM_READ ? "reads" : "writes",
            b->count[DRAM_READ], b->count[DRAM_WRITE]);
    if (b->next.at != NEVER)
        fprintf(f, "; next decision at clock %" PRIu64, b->next.at);
    fputc('\n', f);
    for (unsigned q = 0; q < DRAM_KINDS; q++)
        for (uint32_t r = b->oldest[q]; r != DRAM_NONE; r = b->pool[r].younger)
            fprintf(f,
                    "  %s line 0x%" PRIx64 " bank %" PRIu32 " row %" PRIu32
                    ", since clock %" PRIu64 "\n",
                    q == DRAM_READ ? "read" : "write", b->pool[r].msg.addr,
                    b->pool[r].bank, b->pool[r].row, b->pool[r].arrived);
}
