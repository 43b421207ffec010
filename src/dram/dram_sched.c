/* src/dram/dram_sched.c - which command is given next, and what it changes.
 * One command a clock. A decision holds until a request arrives or a command
 * is given, so the cost follows the requests, not the clocks. */
#include "base/bits.h"
#include "dram/dram_impl.h"

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static bool starving(const dram *b, const dram_request *r, uint64_t at)
{
    return b->cfg.age_limit && at > r->arrived + b->cfg.age_limit;
}

/* -- lists -------------------------------------------------------------- */

static void pick(dram *b, dram_bank *k, dram_list *l)
{
    uint32_t r = l->first;

    while (r != DRAM_NONE && b->pool[r].row != k->row)
        r = b->pool[r].next;
    l->hit = r != DRAM_NONE;
    l->pick = l->hit ? r : l->first;
    l->seq = l->pick != DRAM_NONE ? b->pool[l->pick].seq : 0;
}

static void set_row(dram *b, dram_bank *k, uint32_t row)
{
    k->row = row;
    for (unsigned q = 0; q < DRAM_KINDS; q++)
        pick(b, k, &k->list[q]);
}

void dram_enter(dram *b, uint32_t r)
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
    b->waiting[q->kind][q->bank / 64] |= (uint64_t)1 << q->bank % 64;
    if (l->first == r || (!l->hit && q->row == k->row)) {
        l->pick = r;
        l->seq = q->seq;
        l->hit = q->row == k->row;
    }
}

static void leave(dram *b, uint32_t r)
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
    if (l->first == DRAM_NONE)
        b->waiting[q->kind][q->bank / 64] &= ~((uint64_t)1 << q->bank % 64);
    pick(b, k, l);
    q->next = b->free;
    b->free = r;
}

/* -- decision ----------------------------------------------------------- */

/* Reads go first; writes when there are many, down to few, or when nothing
 * else is to be done. */
static void set_mode(dram *b)
{
    uint32_t reads = b->count[DRAM_READ], writes = b->count[DRAM_WRITE];

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
}

/* The command that request r of bank k needs next and its first clock. */
static dram_next need(const dram *b, const dram_bank *k, uint32_t r, bool hit)
{
    uint64_t at = later(b->own, b->slot[hit]);

    if (hit) {
        uint64_t bus = b->mode == DRAM_READ ? b->rd_ok : b->wr_ok;
        at = later(at, later(k->col_ok, b->group_ok[k->group]));
        return (dram_next){later(at, bus), DRAM_COL, r, false};
    }
    if (k->row != DRAM_NONE)
        return (dram_next){later(at, k->pre_ok), DRAM_PRE, r, false};
    at = later(at, later(k->act_ok, b->act_ok));
    return (dram_next){later(at, b->faw[b->faw_at]), DRAM_ACT, r, false};
}

/* The earliest command over all banks; of those, columns first, then age. */
static dram_next best_of(dram *b)
{
    dram_next best = {NEVER, DRAM_WAIT, DRAM_NONE, false};
    uint64_t age = NEVER;

    b->open_hit = false;
    for (unsigned w = 0; w < b->words; w++) {
        for (uint64_t m = b->waiting[b->mode][w]; m; m &= m - 1) {
            const dram_bank *k = &b->bank[w * 64 + bits_ctz64(m)];
            const dram_list *l = &k->list[b->mode];
            dram_next n = need(b, k, l->pick, l->hit);

            b->open_hit |= l->hit;
            if (n.at > best.at)
                continue;
            if (n.at == best.at) {
                bool col = n.cmd == DRAM_COL, was = best.cmd == DRAM_COL;
                if (col != was ? was : l->seq > age)
                    continue;
            }
            best = n;
            age = l->seq;
        }
    }
    return best;
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
        const dram_bank *k = &b->bank[r->bank];
        b->open_hit = k->row == r->row;
        b->next = need(b, k, old, b->open_hit);

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
    dram_tell(b, at, DRAM_CMD_ACTIVATE, r->bank, r->row);
    r->opened = true;
    set_row(b, k, r->row);
}

static void precharge(dram *b, dram_bank *k, uint64_t at)
{
    dram_tell(b, at, DRAM_CMD_PRECHARGE, (uint32_t)(k - b->bank), k->row);
    k->act_ok = later(k->act_ok, at + b->cfg.t_rp);
    b->st.precharges++;
    set_row(b, k, DRAM_NONE);
}

static void finish(dram *b, uint32_t n, uint64_t at)
{
    dram_request *r = &b->pool[n];
    dram_bank *k = &b->bank[r->bank];
    uint64_t bytes = bits_popcount32(r->msg.sectors) * MEM_SECTOR;

    b->st.row_conflicts += r->closed;
    b->st.row_misses += r->opened && !r->closed;
    b->st.row_hits += !r->opened && !r->closed;
    if (r->kind == DRAM_READ) {
        b->st.read_bytes += bytes;
        dram_answer(b, r, at + b->cfg.t_cl + b->bl);
    } else {
        b->st.write_bytes += bytes;
    }
    leave(b, n);
    bool wanted = k->list[DRAM_READ].hit || k->list[DRAM_WRITE].hit;
    if (b->cfg.page == CFG_PAGE_CLOSED && !wanted)
        precharge(b, k, k->pre_ok); /* given along with the column */
}

static void column(dram *b, dram_bank *k, uint32_t n, uint64_t at)
{
    dram_request *r = &b->pool[n];
    uint64_t gap = later(b->cfg.t_ccd_s, b->bl);

    b->group_ok[k->group] = at + b->cfg.t_ccd_l;
    b->busy_until = at + b->bl;
    dram_tell(b, at, r->kind == DRAM_READ ? DRAM_CMD_READ : DRAM_CMD_WRITE,
              r->bank, r->row);
    if (r->kind == DRAM_READ) {
        b->st.read_bursts++;
        b->rd_ok = at + gap;
        /* The bus rests one clock when its direction changes [guess]. */
        uint64_t end = at + b->cfg.t_cl + b->bl + 1;
        b->wr_ok = at + gap;
        if (end > b->wr_ok + b->cfg.t_cwl)
            b->wr_ok = end - b->cfg.t_cwl;
        k->pre_ok = later(k->pre_ok, at + b->cfg.t_rtp);
    } else {
        uint64_t end = at + b->cfg.t_cwl + b->bl;
        b->st.write_bursts++;
        b->wr_ok = at + gap;
        b->rd_ok = end + b->cfg.t_wtr;
        k->pre_ok = later(k->pre_ok, end + b->cfg.t_wr);
    }
    if (!--r->bursts)
        finish(b, n, at);
}

static void take_slot(dram *b, dram_cmd cmd, uint64_t at)
{
    b->slot[cmd == DRAM_COL] = at + 1;
    if (!b->cfg.row_commands)
        b->slot[0] = b->slot[1] = at + 1;
}

/* All rows are closed as soon as their timing allows, then the channel is
 * lost for t_rfc. */
static void refresh(dram *b)
{
    uint64_t start = later(b->refresh_due, b->slot[0]);
    dram_bank *end = b->bank + b->cfg.banks;

    for (dram_bank *k = b->bank; k < end; k++)
        if (k->row != DRAM_NONE)
            start = later(start, k->pre_ok);
    for (dram_bank *k = b->bank; k < end; k++)
        if (k->row != DRAM_NONE)
            precharge(b, k, start);
    for (dram_bank *k = b->bank; k < end; k++)
        start = later(start, k->act_ok);
    for (dram_bank *k = b->bank; k < end; k++)
        k->act_ok = start + b->cfg.t_rfc;
    dram_tell(b, start, DRAM_CMD_REFRESH, 0, 0);
    b->slot[0] = b->slot[1] = start + 1;
    b->refresh_until = start + b->cfg.t_rfc;
    b->refresh_due += b->cfg.t_refi;
    b->st.refreshes++;
}

/* Nothing waits and no row is open: refreshes before `end` but the last only
 * pass the time. */
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
    b->refresh_due += n * period;
    b->counted = b->refresh_due;
}

void dram_run(dram *b, uint64_t end)
{
    for (;;) {
        if (b->cfg.refresh && b->refresh_due < end &&
            b->refresh_due <= b->next.at) {
            skip_refreshes(b, end);
            b->own = b->refresh_due;
            dram_count(b, b->own);
            refresh(b);
            dram_decide(b);
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

            take_slot(b, n.cmd, n.at);
            b->st.starved += n.late;
            if (n.cmd == DRAM_ACT) {
                activate(b, k, r, n.at);
            } else if (n.cmd == DRAM_PRE) {
                r->closed = true;
                precharge(b, k, n.at);
            } else {
                column(b, k, n.request, n.at);
            }
        }
        dram_decide(b);
    }
    if (end > b->own)
        b->own = end;
}
