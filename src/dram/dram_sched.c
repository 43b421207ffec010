/* src/dram/dram_sched.c - which command is given next, and what it changes.
 * One command a clock. A decision holds until a request arrives or a command
 * is given, so the cost follows the requests, not the clocks. */
#include "base/bits.h"
#include "dram/dram_impl.h"

static uint64_t later_clock(uint64_t a, uint64_t b) { return a > b ? a : b; }

static bool starving(const dram *b, const dram_request *r, uint64_t at)
{
    return b->cfg.age_limit && at > r->arrived + b->cfg.age_limit;
}

/* -- lists -------------------------------------------------------------- */

static void set_bit(uint64_t *words, uint32_t i, bool on)
{
    uint64_t bit = (uint64_t)1 << i % 64;

    words[i / 64] = on ? words[i / 64] | bit : words[i / 64] & ~bit;
}

/* Makes `r` what bank k serves next of its kind q. */
static void set_pick(dram *b, dram_bank *k, unsigned q, uint32_t r, bool hit)
{
    dram_list *l = &k->list[q];
    uint32_t bank = (uint32_t)(k - b->bank);

    l->pick = r;
    l->seq = r != DRAM_NONE ? b->pool[r].seq : 0;
    l->hit = hit;
    set_bit(b->waiting[q], bank, r != DRAM_NONE);
    set_bit(b->open[q], bank, hit);
    b->group[k->group].known = false;
    b->row_from = 0;
}

/* The oldest request to the open row, from `r` on; else the oldest. */
static void pick_request(dram *b, dram_bank *k, unsigned q, uint32_t r)
{
    while (r != DRAM_NONE && b->pool[r].row != k->row)
        r = b->pool[r].next;
    set_pick(b, k, q, r != DRAM_NONE ? r : k->list[q].first, r != DRAM_NONE);
}

static void set_row(dram *b, dram_bank *k, uint32_t row)
{
    k->row = row;
    for (unsigned q = 0; q < DRAM_KINDS; q++)
        pick_request(b, k, q, row == DRAM_NONE ? DRAM_NONE : k->list[q].first);
}

/* Can the newest request of its kind change what is next, if it is what its
 * bank serves next of the kind (`picked`)? */
static bool matters(const dram *b, dram_kind kind, bool picked)
{
    if (kind == b->mode)
        return picked;
    return kind == DRAM_READ ? !b->forced
                             : !b->count[DRAM_READ] ||
                                   b->count[DRAM_WRITE] >= b->cfg.write_high;
}

bool dram_enter(dram *b, uint32_t r)
{
    dram_request *q = &b->pool[r];
    dram_bank *k = &b->bank[q->bank];
    dram_list *l = &k->list[q->kind];

    q->next = DRAM_NONE;
    q->prev = l->last;
    if (l->last == DRAM_NONE)
        l->first = r;
    else
        b->pool[l->last].next = r;
    l->last = r;
    q->younger = DRAM_NONE;
    q->older = b->youngest[q->kind];
    if (q->older == DRAM_NONE)
        b->oldest[q->kind] = r;
    else
        b->pool[q->older].younger = r;
    b->youngest[q->kind] = r;
    b->count[q->kind]++;
    if (q->kind == DRAM_READ)
        b->st.reads_queued[bins_powers(b->count[DRAM_READ])]++;
    bool picked = l->first == r || (!l->hit && q->row == k->row);
    if (picked)
        set_pick(b, k, q->kind, r, q->row == k->row);
    return matters(b, q->kind, picked);
}

static void unlink_request(dram *b, uint32_t r)
{
    dram_request *q = &b->pool[r];
    dram_bank *k = &b->bank[q->bank];
    dram_list *l = &k->list[q->kind];

    *(q->prev == DRAM_NONE ? &l->first : &b->pool[q->prev].next) = q->next;
    *(q->next == DRAM_NONE ? &l->last : &b->pool[q->next].prev) = q->prev;
    *(q->older == DRAM_NONE ? &b->oldest[q->kind]
                            : &b->pool[q->older].younger) = q->younger;
    *(q->younger == DRAM_NONE ? &b->youngest[q->kind]
                              : &b->pool[q->younger].older) = q->older;
    b->count[q->kind]--;
    /* Nothing older than an oldest hit is one. */
    pick_request(b, k, q->kind, l->hit && l->pick == r ? q->next : l->first);
    q->next = b->free;
    b->free = r;
}

/* -- decision ----------------------------------------------------------- */

/* Reads go first; writes when there are many, down to few, or when nothing
 * else is to be done. */
static void set_mode(dram *b)
{
    uint32_t reads = b->count[DRAM_READ], writes = b->count[DRAM_WRITE];
    dram_kind was = b->mode;

    if (b->mode == DRAM_WRITE) {
        b->forced = b->forced && writes > b->cfg.write_low;
        if (!writes || (reads && !b->forced))
            b->mode = DRAM_READ;
    }
    if (b->mode == DRAM_READ && writes &&
        (!reads || writes >= b->cfg.write_high)) {
        b->mode = DRAM_WRITE;
        b->forced = writes >= b->cfg.write_high;
        b->st.drains++;
    }
    if (b->mode == was)
        return;
    b->row_from = 0;
    for (unsigned g = 0; g < b->cfg.bank_groups; g++)
        b->group[g].known = false;
}

/* First clock for a column command, were it not for its bank and group. */
static uint64_t column_from(const dram *b)
{
    uint64_t bus = b->mode == DRAM_READ ? b->rd_ok : b->wr_ok;

    return later_clock(later_clock(b->own, b->slot[1]), bus);
}

static dram_next need_column(const dram *b, const dram_bank *k, uint32_t r)
{
    uint64_t at = later_clock(k->col_ok, b->group[k->group].ok);

    return (dram_next){later_clock(at, column_from(b)), DRAM_COL, r, false};
}

/* The row command that request r of bank k needs and its first clock. */
static dram_next need_row(const dram *b, const dram_bank *k, uint32_t r)
{
    uint64_t at = later_clock(b->own, b->slot[0]);

    if (k->row != DRAM_NONE)
        return (dram_next){later_clock(at, k->pre_ok), DRAM_PRE, r, false};
    at = later_clock(at, later_clock(k->act_ok, b->act_ok));
    return (dram_next){later_clock(at, b->faw[b->faw_at]), DRAM_ACT, r, false};
}

/* Finds the bank of group g whose column command comes first, not before
 * `from`; the oldest request if there are several. */
static void look_into_group(dram *b, unsigned g, uint64_t from)
{
    dram_group *group = &b->group[g];
    uint64_t best = NEVER, age = NEVER;

    group->known = true;
    for (unsigned w = 0; w < b->words; w++) {
        uint64_t m = b->open[b->mode][w] & b->members[g * b->words + w];
        for (; m; m &= m - 1) {
            uint32_t i = w * 64 + bits_ctz64(m);
            uint64_t ok = b->bank[i].col_ok;
            uint64_t seq = b->bank[i].list[b->mode].seq;

            group->known &= ok <= group->ok;
            ok = later_clock(later_clock(ok, group->ok), from);
            if (ok > best || (ok == best && seq > age))
                continue;
            best = ok;
            age = seq;
            group->bank = i;
        }
    }
    group->ready = best;
    group->seq = age;
}

static dram_next best_column(dram *b)
{
    uint64_t best = NEVER, age = NEVER, from = column_from(b);
    const dram_group *first = NULL, *end = b->group + b->cfg.bank_groups;

    for (dram_group *group = b->group; group < end; group++) {
        if (!group->known)
            look_into_group(b, (unsigned)(group - b->group), from);
        uint64_t at = later_clock(group->ready, from);
        if (at > best || (at == best && group->seq >= age))
            continue;
        best = at;
        age = group->seq;
        first = group;
    }
    if (!first)
        return (dram_next){NEVER, DRAM_COL, DRAM_NONE, false};
    return (dram_next){best, DRAM_COL, b->bank[first->bank].list[b->mode].pick,
                       false};
}

static dram_next best_row(const dram *b)
{
    uint64_t best = NEVER, age = NEVER;
    uint64_t pre_from = later_clock(b->own, b->slot[0]);
    uint64_t act_from =
        later_clock(later_clock(b->act_ok, b->faw[b->faw_at]), pre_from);
    const dram_bank *first = NULL;

    for (unsigned w = 0; w < b->words; w++) {
        uint64_t m = b->waiting[b->mode][w] & ~b->open[b->mode][w];
        for (; m; m &= m - 1) {
            const dram_bank *k = &b->bank[w * 64 + bits_ctz64(m)];
            uint64_t at = k->row == DRAM_NONE
                              ? later_clock(k->act_ok, act_from)
                              : later_clock(k->pre_ok, pre_from);
            uint64_t seq = k->list[b->mode].seq;

            if (at > best || (at == best && seq > age))
                continue;
            best = at;
            age = seq;
            first = k;
        }
    }
    if (!first)
        return (dram_next){NEVER, DRAM_WAIT, DRAM_NONE, false};
    return (dram_next){best, first->row == DRAM_NONE ? DRAM_ACT : DRAM_PRE,
                       first->list[b->mode].pick, false};
}

/* The earliest command over all banks; of those, columns first, then age. */
static dram_next best_of(dram *b)
{
    dram_next column = best_column(b), row;

    b->open_hit = column.request != DRAM_NONE;
    if (column.at <= later_clock(b->row_from, later_clock(b->own, b->slot[0])))
        return column; /* no row command can be earlier */
    row = best_row(b);
    b->row_from = row.at;
    return row.at < column.at ? row : column;
}

/* The command that serves the oldest request, whatever else waits. */
static dram_next next_in_order(dram *b, uint32_t r)
{
    const dram_bank *k = &b->bank[b->pool[r].bank];

    b->open_hit = k->row == b->pool[r].row;
    return b->open_hit ? need_column(b, k, r) : need_row(b, k, r);
}

void dram_decide(dram *b)
{
    set_mode(b);
    if (!b->count[b->mode]) {
        b->next = (dram_next){NEVER, DRAM_WAIT, DRAM_NONE, false};
        b->open_hit = false;
        return;
    }
    uint32_t old = b->oldest[b->mode];
    const dram_request *r = &b->pool[old];
    bool late = starving(b, r, b->own);
    if (late || b->cfg.scheduler == CFG_DRAM_SCHED_FCFS) {
        b->next = next_in_order(b, old);
        b->next.late = late;
        return;
    }
    b->next = best_of(b);
    uint64_t limit = r->arrived + b->cfg.age_limit + 1;
    if (b->cfg.age_limit && b->next.at >= limit)
        b->next = (dram_next){limit, DRAM_WAIT, DRAM_NONE, false};
}

/* -- commands ----------------------------------------------------------- */

static void activate(dram *b, dram_bank *k, dram_request *r, uint64_t at)
{
    k->col_ok = at + b->cfg.t_rcd;
    k->pre_ok = at + b->cfg.t_ras;
    k->act_ok = at + b->cfg.t_rc;
    b->act_ok = at + b->cfg.t_rrd;
    b->faw[b->faw_at] = at + b->cfg.t_faw;
    b->faw_at = (b->faw_at + 1) % 4;
    b->st.activates++;
    dram_observe(b, at, DRAM_CMD_ACTIVATE, r->bank, r->row);
    r->opened = true;
    set_row(b, k, r->row);
}

static void precharge(dram *b, dram_bank *k, uint64_t at)
{
    dram_observe(b, at, DRAM_CMD_PRECHARGE, (uint32_t)(k - b->bank), k->row);
    k->act_ok = later_clock(k->act_ok, at + b->cfg.t_rp);
    b->st.precharges++;
    set_row(b, k, DRAM_NONE);
}

static void trace_request_served(dram *b, const dram_request *r, uint64_t at)
{
    uint64_t core = mem_clock_to_core(b->clock, at);
    uint64_t data = mem_clock_to_core(b->clock, at + b->cfg.t_cl + b->bl);

    dram_note_queue(b, core, TRACE_DRAM_LEAVE, r->kind);
    if (r->msg.traced)
        event_log_add(b->log, &(trace_event){.cycle = core,
                                             .addr = r->msg.addr,
                                             .a = r->closed ? 2 : r->opened,
                                             .b = (uint16_t)(data - core),
                                             .unit = (uint16_t)b->port.channel,
                                             .kind = TRACE_DRAM_ACCESS});
}

static void finish_request(dram *b, uint32_t n, uint64_t at)
{
    dram_request *r = &b->pool[n];
    dram_bank *k = &b->bank[r->bank];
    uint64_t bytes = mem_sectors_bytes(r->msg.sectors);

    b->st.row_conflicts += r->closed;
    b->st.row_misses += r->opened && !r->closed;
    b->st.row_hits += !r->opened && !r->closed;
    if (__builtin_expect(b->log != NULL, 0))
        trace_request_served(b, r, at);
    if (r->kind == DRAM_READ) {
        b->st.read_bytes += bytes;
        dram_answer(b, r, at + b->cfg.t_cl + b->bl);
    } else {
        b->st.write_bytes += bytes;
    }
    unlink_request(b, n);
    bool wanted = k->list[DRAM_READ].hit || k->list[DRAM_WRITE].hit;
    if (b->cfg.page == CFG_PAGE_CLOSED && !wanted)
        precharge(b, k, k->pre_ok); /* given along with the column */
}

static void issue_column(dram *b, dram_bank *k, uint32_t n, uint64_t at)
{
    dram_request *r = &b->pool[n];
    uint64_t gap = later_clock(b->cfg.t_ccd_s, b->bl);

    dram_group *group = &b->group[k->group];

    group->ok = at + b->cfg.t_ccd_l;
    if (group->seq != NEVER) /* while known, no bank of it is later */
        group->ready = later_clock(group->ready, group->ok);
    b->busy_until = at + b->bl;
    dram_observe(b, at, r->kind == DRAM_READ ? DRAM_CMD_READ : DRAM_CMD_WRITE,
                 r->bank, r->row);
    if (r->kind == DRAM_READ) {
        b->st.read_bursts++;
        b->rd_ok = at + gap;
        /* The bus rests one clock when its direction changes [guess]. */
        uint64_t end = at + b->cfg.t_cl + b->bl + 1;
        b->wr_ok = at + gap;
        if (end > b->wr_ok + b->cfg.t_cwl)
            b->wr_ok = end - b->cfg.t_cwl;
        k->pre_ok = later_clock(k->pre_ok, at + b->cfg.t_rtp);
    } else {
        uint64_t end = at + b->cfg.t_cwl + b->bl;
        b->st.write_bursts++;
        b->wr_ok = at + gap;
        b->rd_ok = end + b->cfg.t_wtr;
        k->pre_ok = later_clock(k->pre_ok, end + b->cfg.t_wr);
    }
    if (!--r->bursts)
        finish_request(b, n, at);
}

static void occupy_command_slot(dram *b, dram_cmd cmd, uint64_t at)
{
    b->slot[cmd == DRAM_COL] = at + 1;
    if (!b->cfg.row_commands)
        b->slot[0] = b->slot[1] = at + 1;
}

/* All rows are closed as soon as their timing allows, then the channel is
 * lost for t_rfc. */
static void refresh_channel(dram *b)
{
    uint64_t start = later_clock(b->refresh_due, b->slot[0]);
    dram_bank *end = b->bank + b->cfg.banks;

    for (dram_bank *k = b->bank; k < end; k++)
        if (k->row != DRAM_NONE)
            start = later_clock(start, k->pre_ok);
    for (dram_bank *k = b->bank; k < end; k++)
        if (k->row != DRAM_NONE)
            precharge(b, k, start);
    for (dram_bank *k = b->bank; k < end; k++)
        start = later_clock(start, k->act_ok);
    for (dram_bank *k = b->bank; k < end; k++)
        k->act_ok = start + b->cfg.t_rfc;
    dram_observe(b, start, DRAM_CMD_REFRESH, 0, 0);
    b->slot[0] = b->slot[1] = start + 1;
    b->refresh_until = start + b->cfg.t_rfc;
    b->refresh_from += b->cfg.t_refi;
    b->refresh_due = b->refresh_from;
    b->st.refreshes++;
}

/* The bank whose turn it is takes no more columns, closes its row as soon as
 * its timing allows and is then lost for t_rfc_bank; the others go on. */
static void refresh_bank(dram *b)
{
    dram_bank *k = &b->bank[b->refresh_turn];
    uint64_t at = b->refresh_due;

    if (k->row != DRAM_NONE)
        precharge(b, k, later_clock(at, k->pre_ok));
    if (k->act_ok > at || b->slot[0] > at) {
        b->refresh_due = later_clock(k->act_ok, b->slot[0]);
        return;
    }
    k->act_ok = at + b->cfg.t_rfc_bank;
    dram_observe(b, at, DRAM_CMD_REFRESH_BANK, b->refresh_turn, 0);
    occupy_command_slot(b, DRAM_ACT, at);
    b->refresh_from += b->cfg.t_refi / b->cfg.banks;
    b->refresh_due = later_clock(b->refresh_from, at + 1);
    if (++b->refresh_turn == b->cfg.banks) {
        b->refresh_turn = 0;
        b->st.refreshes++;
    }
}

/* Nothing waits and no row is open: refreshes of channels before `end` but the
 * last only pass the time. */
static void skip_refreshes(dram *b, uint64_t end)
{
    uint64_t period = b->cfg.t_refi;

    if (b->next.at != NEVER || end <= b->refresh_due + 2 * period)
        return;
    for (unsigned i = 0; i < b->cfg.banks; i++)
        if (b->bank[i].row != DRAM_NONE)
            return;
    if (b->refresh_until > b->refresh_due || b->slot[0] > b->refresh_due)
        return;
    uint64_t n = (end - 1 - b->refresh_due) / period;
    dram_count(b, b->refresh_due);
    b->st.refreshes += n;
    b->st.refreshing += n * b->cfg.t_rfc;
    b->st.idle += n * (period - b->cfg.t_rfc);
    b->refresh_from += n * period;
    b->refresh_due = b->refresh_from;
    b->counted = b->refresh_due;
}

static void refresh(dram *b, uint64_t end)
{
    if (b->cfg.refresh_unit == CFG_REFRESH_UNIT_CHANNEL)
        skip_refreshes(b, end);
    b->own = b->refresh_due;
    dram_count(b, b->own);
    if (b->cfg.refresh_unit == CFG_REFRESH_UNIT_CHANNEL)
        refresh_channel(b);
    else
        refresh_bank(b);
    dram_decide(b);
}

void dram_run(dram *b, uint64_t end)
{
    for (;;) {
        if (b->cfg.refresh && b->refresh_due < end &&
            b->refresh_due <= b->next.at) {
            refresh(b, end);
            continue;
        }
        if (b->next.at >= end)
            break;
        dram_next n = b->next;
        b->own = n.at;
        dram_count(b, n.at);
        if (n.cmd != DRAM_WAIT) {
            dram_request *r = &b->pool[n.request];
            dram_bank *k = &b->bank[r->bank];

            occupy_command_slot(b, n.cmd, n.at);
            b->st.starved += n.late;
            if (n.cmd == DRAM_ACT) {
                activate(b, k, r, n.at);
            } else if (n.cmd == DRAM_PRE) {
                r->closed = true;
                precharge(b, k, n.at);
            } else {
                issue_column(b, k, n.request, n.at);
            }
        }
        dram_decide(b);
    }
    if (end > b->own)
        b->own = end;
}
