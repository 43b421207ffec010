/* src/sm/hazard/table.c - see table.h. */
#include "sm/hazard/table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/must.h"
#include "sm/hazard/pending.h"
#include "sm/hazard/table_rows.h"
#include "sm/limits.h"

/* Kept out of the functions that every instruction goes through. */
#define RARE __attribute__((noinline))

typedef struct slot {
    uint8_t rid, off; /* registers rid .. rid + off */
    bool used, late;
    uint16_t left;  /* of them, those that await their result: a bit each */
    uint64_t since; /* cycle */
} slot;

enum { WORDS = TABLE_SLOTS / 64 };

typedef struct slot_set { /* one for each slot */
    uint64_t word[WORDS];
} slot_set;

/* The comparators look at every slot of the warp at once, so that what they
 * find is kept as bits: the registers that `seen` slots stand for. */
typedef struct table {
    sm_hazard base;
    unsigned slots; /* of a line: what a warp may have at most */
    unsigned row;   /* slots of a row */
    unsigned offset_bits;
    cfg_table_empty empty;
    bool full_blocks, predicates;
    bool slow_only;   /* control codes cover the other results */
    bool by_register; /* what is released */
    bool mask;
    uint8_t needs[UINT8_MAX + 1]; /* slots, by registers of a result */
    sm_stats *st;
    uint16_t used[SM_WARPS];  /* slots, by warp */
    uint16_t limit[SM_WARPS]; /* of them: in use, or open to its results */
    table_rows rows;
    uint8_t more[SM_WARPS];   /* rows that it has, but for one */
    uint64_t since[SM_WARPS]; /* cycle, by warp: `used` is counted before it */
    pending_preds preds[SM_WARPS];
    /* By warp: the instruction that was compared last and, with sm.table.mask,
     * has not issued; the slots that it waits for then. */
    const sm_inst *head[SM_WARPS];
    slot_set waits[SM_WARPS];
    slot_set taken[SM_WARPS]; /* slots, by warp: in use, or not open to it */
    uint8_t where[SM_WARPS]
                 [256]; /* slot, by warp and register that it stands for */
    slot *slot;         /* [warp][slot] */
    pending_row seen[SM_WARPS] __attribute__((aligned(64)));
} table;

static inline table *table_of(sm_hazard *h) { return (table *)h; }

unsigned sm_table_used(const sm_hazard *h, unsigned warp)
{
    return ((const table *)h)->used[warp];
}

unsigned sm_table_room(const sm_hazard *h, unsigned warp)
{
    const table *t = (const table *)h;

    return t->limit[warp] - t->used[warp];
}

unsigned sm_table_owner(const sm_hazard *h, unsigned home)
{
    return ((const table *)h)->rows.owner[home];
}

static inline slot *entry_of(const table *t, unsigned warp)
{
    return t->slot + (size_t)warp * t->slots;
}

/* The slot stands for its register rid + i. */
static inline bool stands(const table *t, const slot *e, unsigned i)
{
    return !t->by_register || (e->left >> i & 1);
}

uint32_t sm_table_slot(const sm_hazard *h, unsigned warp, unsigned i,
                       uint8_t *rid)
{
    const table *t = (const table *)h;
    const slot *e = entry_of(t, warp) + i;
    uint32_t bits = 0;

    *rid = e->rid;
    for (unsigned k = 0; e->used && k <= e->off; k++)
        bits |= (uint32_t)stands(t, e, k) << k;
    return bits;
}

/* Slots for the result of `si`, if it is tracked. */
static inline unsigned needs(const table *t, const sm_inst *si)
{
    return t->slow_only && !si->slow ? 0 : t->needs[si->in->dst_regs];
}

static inline uint64_t cycle(const table *t) { return *t->base.now; }

/* ---- What the comparators see ---- */

static void see(pending_row *seen, unsigned reg, bool late)
{
    uint64_t bit = (uint64_t)1 << (reg % 64);

    seen->word[reg / 64].reg |= bit;
    if (late)
        seen->word[reg / 64].late |= bit;
}

static void see_slot(const table *t, const slot *e, pending_row *seen)
{
    for (unsigned i = 0; i <= e->off; i++)
        if (stands(t, e, i))
            see(seen, (unsigned)e->rid + i, e->late);
}

/* Works it out from the slots, as the encoding of empty ones has it. */
static RARE void look(table *t, unsigned warp)
{
    const slot *entry = entry_of(t, warp);
    pending_row *seen = &t->seen[warp];

    *seen = (pending_row){0};
    for (unsigned i = 0; i < t->slots; i++) {
        const slot *e = &entry[i];

        if (!e->used && t->empty == CFG_TABLE_EMPTY_ZERO_MATCH)
            see(seen, 0, false);
        if (!e->used || (!e->rid && t->empty == CFG_TABLE_EMPTY_ZERO_SKIP))
            continue;
        see_slot(t, e, seen);
    }
}

/* ---- The mask of slots that an instruction waits for ---- */

static bool waits_for(const table *t, const sm_inst *si, const slot *e)
{
    for (unsigned i = 0; e->used && i <= e->off; i++) {
        unsigned r = (unsigned)e->rid + i;

        if (stands(t, e, i) && (si->touch[r / 64] >> (r % 64) & 1))
            return true;
    }
    return false;
}

static uint64_t operands(const sm_inst *si)
{
    return si->reads + !!si->in->dst_regs;
}

static RARE void remember(table *t, unsigned warp, const sm_inst *si)
{
    slot_set *waits = &t->waits[warp];

    *waits = (slot_set){0};
    for (unsigned i = 0; i < t->slots; i++)
        if (waits_for(t, si, entry_of(t, warp) + i))
            waits->word[i / 64] |= (uint64_t)1 << (i % 64);
}

/* Slot `at` no longer stands for all that it did. If it still stands for
 * something, who waits for it is compared with it, and nothing else, again. */
static RARE void forget_slot(table *t, unsigned warp, unsigned at)
{
    uint64_t *waits = &t->waits[warp].word[at / 64];
    const slot *e = entry_of(t, warp) + at;
    uint64_t bit = (uint64_t)1 << (at % 64);

    if (!(*waits & bit))
        return;
    if (e->used)
        t->st->table_compares += operands(t->head[warp]);
    if (!waits_for(t, t->head[warp], e))
        *waits &= ~bit;
}

/* What a comparison would find; the caller counts it. */
static RARE sm_why remembered(const table *t, unsigned warp, const sm_inst *si)
{
    pending_row row = {0};

    for (unsigned i = 0; i < WORDS; i++)
        for (uint64_t left = t->waits[warp].word[i]; left; left &= left - 1)
            see_slot(t, entry_of(t, warp) + 64 * i + bits_ctz64(left), &row);
    t->st->hazard_checks--;
    t->st->hazard_operands -= si->reads + !!(si->flags & INST_RESULT);
    t->st->table_remembered++;
    sm_why why = pending_check(&row, t->preds[warp], si);
    MUST_CHECK(why == pending_check(&t->seen[warp], t->preds[warp], si));
    return why;
}

/* ---- The policy ---- */

/* Nothing that `si` waits for is pending: is there room for its result? */
static inline sm_why room(const table *t, unsigned warp, const sm_inst *si)
{
    unsigned used = t->used[warp];

    if (used + needs(t, si) > t->limit[warp] ||
        (t->full_blocks && used == t->limit[warp]))
        return WHY_TABLE;
    return WHY_READY;
}

/* Rows of the warp but for one, which every access reads. */
static inline unsigned more_rows(const table *t, unsigned warp)
{
    return t->rows.group > 1 ? t->more[warp] : 0;
}

/* The instruction is compared with the slots in use. */
static inline sm_why compare(table *t, unsigned warp, const sm_inst *si)
{
    uint64_t compares = t->used[warp] * operands(si);

    t->st->table_compares += compares;
    t->st->table_rows += more_rows(t, warp);
    if (t->head[warp] != si)
        t->st->table_compares_once += compares;
    t->head[warp] = si;
    return pending_check(&t->seen[warp], t->preds[warp], si);
}

static RARE sm_why check_mask(table *t, unsigned warp, const sm_inst *si)
{
    sm_why why;

    if (t->head[warp] == si) {
        why = remembered(t, warp, si);
    } else {
        why = compare(t, warp, si);
        remember(t, warp, si);
    }
    return why == WHY_READY ? room(t, warp, si) : why;
}

static sm_why table_check(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    table *t = table_of(h);

    if (t->mask)
        return check_mask(t, warp, si);
    sm_why why = compare(t, warp, si);
    return why == WHY_READY ? room(t, warp, si) : why;
}

/* The second of a pair has comparators of its own. Those that agree are counted
 * when it is the head. */
static RARE sm_why second(sm_hazard *h, unsigned warp, const sm_inst *si,
                          bool counted)
{
    table *t = table_of(h);
    const sm_inst *next = si + 1;
    unsigned used = t->used[warp] + needs(t, si);
    sm_why why = pending_check(&t->seen[warp], t->preds[warp], next);

    if (why == WHY_READY && (used + needs(t, next) > t->limit[warp] ||
                             (t->full_blocks && used == t->limit[warp])))
        why = WHY_TABLE;
    if (counted && why != WHY_READY) {
        t->st->table_compares += t->used[warp] * operands(next);
        t->st->table_rows += more_rows(t, warp);
    }
    return why;
}

static void issued(sm_hazard *h, unsigned warp, const sm_inst *si,
                   uint64_t delay)
{
    (void)si, (void)delay;
    table_of(h)->head[warp] = NULL;
}

/* Before `used` of the warp changes: counts the cycles that it was so. Those
 * without a slot are what is left, see table_settle(). */
static inline void count_used(table *t, unsigned warp, uint64_t now)
{
    uint64_t cycles = now - t->since[warp];
    unsigned used = t->used[warp];

    t->since[warp] = now;
    if (!used)
        return;
    t->st->table_held[bins_slots(used)] += cycles;
    t->st->table_slot_cycles += cycles * used;
}

/* The slot of part `i` of a result. */
static inline slot part(const table *t, const sm_inst *si, unsigned i)
{
    unsigned most = 1u << t->offset_bits, first = i * most;
    unsigned left = si->in->dst_regs - first;
    unsigned regs = left < most ? left : most;

    return (slot){.rid = (uint8_t)(si->in->dst + first),
                  .off = (uint8_t)(regs - 1),
                  .used = true,
                  .late = si->flags & INST_LATE,
                  .left = (uint16_t)((1u << regs) - 1)};
}

/* Puts it in the first free slot. */
static inline void take(table *t, unsigned warp, slot is, uint64_t now)
{
    uint64_t *taken = t->taken[warp].word;
    unsigned i = 0;

    while (!~taken[i])
        i++;
    unsigned at = 64 * i + bits_ctz64(~taken[i]);
    MUST_CHECK(at < t->slots);
    taken[i] |= taken[i] + 1; /* the lowest that is not set */
    is.since = now;
    entry_of(t, warp)[at] = is;
    t->where[warp][is.rid] = (uint8_t)at;
    for (unsigned r = 1; r <= is.off; r++)
        t->where[warp][is.rid + r] = (uint8_t)at;
}

/* The result is pending, in `n` slots. */
static inline void take_all(table *t, unsigned warp, const sm_inst *si,
                            unsigned n)
{
    uint64_t now = cycle(t);

    MUST_CHECK(t->used[warp] + n <= t->limit[warp]);
    for (unsigned i = 0; i < n; i++)
        take(t, warp, part(t, si, i), now);
    count_used(t, warp, now);
    t->used[warp] = (uint16_t)(t->used[warp] + n);
    t->st->table_used[bins_slots(t->used[warp])]++;
    t->st->table_writes += n;
}

static RARE void take_several(table *t, unsigned warp, const sm_inst *si,
                              unsigned n)
{
    take_all(t, warp, si, n);
    t->st->table_wide++;
}

static void table_reserve(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    table *t = table_of(h);
    unsigned n = needs(t, si);

    if (n == 1)
        take_all(t, warp, si, 1);
    else if (n)
        take_several(t, warp, si, n);
    if (t->predicates) {
        t->preds[warp].pred |= si->in->pwrite;
        t->preds[warp].guard |= si->in->pwrite;
    }
    if (t->empty == CFG_TABLE_EMPTY_VALID)
        pending_set(&t->seen[warp], si);
    else
        look(t, warp);
}

/* The slot that stands for register `r` of the result, which is part `i` of
 * it. The number in a slot alone does not tell: where registers are released
 * one by one, the first of a slot may be pending again, in another slot. */
static inline unsigned find_entry_of(const table *t, unsigned warp,
                                     const sm_inst *si, unsigned r)
{
    unsigned reg = si->in->dst + r, at = t->where[warp][reg];
    const slot *e = entry_of(t, warp) + at;

    MUST(reg - e->rid <= e->off && (e->left >> (reg - e->rid) & 1));
    MUST_CHECK(e->used && e->off == part(t, si, r >> t->offset_bits).off &&
               e->rid == part(t, si, r >> t->offset_bits).rid);
    return at;
}

/* ---- Rows that change hands: sm.table.group ---- */

/* Slots of row `i` of its line that the warp uses. */
static unsigned used_in_row(const table *t, unsigned warp, unsigned i)
{
    const slot *e = entry_of(t, warp) + (size_t)i * t->row;
    unsigned n = 0;

    for (unsigned k = 0; k < t->row; k++)
        n += e[k].used;
    return n;
}

/* What the warp can use of its line. True: that has changed. */
static bool open_rows(table *t, unsigned warp)
{
    unsigned own = table_rows_of(&t->rows, warp, false), rows = 0, limit = 0;
    unsigned open = table_rows_of(&t->rows, warp, true);
    uint16_t was = t->limit[warp];

    t->taken[warp] = (slot_set){0};
    for (unsigned i = 0; i < t->rows.group; i++) {
        rows += own >> i & 1;
        limit += open >> i & 1 ? t->row : used_in_row(t, warp, i);
    }
    for (unsigned at = 0; at < t->slots; at++)
        if (entry_of(t, warp)[at].used || !(open >> at / t->row & 1))
            t->taken[warp].word[at / 64] |= (uint64_t)1 << (at % 64);
    t->more[warp] = (uint8_t)(rows ? rows - 1 : 0);
    t->limit[warp] = (uint16_t)limit;
    return limit != was;
}

/* Empty rows of the line of `warp` go to who is due them. Returns the warps of
 * the line that can use other slots than before. */
static uint64_t divide(table *t, unsigned warp)
{
    uint64_t other = 0;

    for (unsigned i = 0; i < t->rows.group; i++) {
        unsigned home = table_rows_warp(&t->rows, warp, i);
        unsigned owner = t->rows.owner[home];
        unsigned due = table_rows_due(&t->rows, home);

        if (due == owner || used_in_row(t, owner, i))
            continue;
        t->rows.owner[home] = (uint8_t)due;
        t->st->table_moves++;
    }
    for (unsigned i = 0; i < t->rows.group; i++) {
        unsigned member = table_rows_warp(&t->rows, warp, i);

        other |= (uint64_t)open_rows(t, member) << member;
    }
    return other & t->rows.running & ~((uint64_t)1 << warp);
}

static uint64_t begin(sm_hazard *h, unsigned warp)
{
    table *t = table_of(h);

    t->rows.running |= (uint64_t)1 << warp;
    return divide(t, warp);
}

static uint64_t end(sm_hazard *h, unsigned warp)
{
    table *t = table_of(h);

    t->rows.running &= ~((uint64_t)1 << warp);
    return divide(t, warp);
}

/* Slot `at` of the warp has become free. If its row is not the warp's any more,
 * nothing new gets there, and as the last it lets the row go. */
static RARE void leave(table *t, unsigned warp, unsigned at)
{
    unsigned i = at / t->row;
    uint64_t others;

    if (table_rows_of(&t->rows, warp, true) >> i & 1)
        return;
    t->taken[warp].word[at / 64] |= (uint64_t)1 << (at % 64);
    t->limit[warp]--;
    if (used_in_row(t, warp, i))
        return;
    others = divide(t, warp);
    if (others && t->base.room)
        t->base.room(t->base.room_of, others);
}

static inline void free_slot(table *t, unsigned warp, unsigned at)
{
    slot *e = entry_of(t, warp) + at;
    uint64_t now = cycle(t);

    count_used(t, warp, now);
    t->used[warp]--;
    t->st->table_frees++;
    t->st->table_life[bins_cycles(now - e->since)]++;
    *e = (slot){0};
    t->taken[warp].word[at / 64] &= ~((uint64_t)1 << (at % 64));
    if (t->rows.group > 1) {
        t->st->table_rows += t->more[warp];
        leave(t, warp, at);
    }
}

static RARE void free_several(table *t, unsigned warp, const sm_inst *si,
                              unsigned n)
{
    t->st->table_searches += (uint64_t)t->used[warp] * n;
    for (unsigned i = 0; i < n; i++) {
        unsigned at = find_entry_of(t, warp, si, i << t->offset_bits);

        free_slot(t, warp, at);
        if (t->mask)
            forget_slot(t, warp, at);
    }
}

static void table_release(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    table *t = table_of(h);
    unsigned n = needs(t, si);

    t->preds[warp].pred &= (uint8_t)~si->in->pwrite;
    if (n == 1 && !t->mask) {
        t->st->table_searches += t->used[warp];
        free_slot(t, warp, find_entry_of(t, warp, si, 0));
    } else if (n) {
        free_several(t, warp, si, n);
    }
    if (t->empty == CFG_TABLE_EMPTY_VALID)
        pending_clear(&t->seen[warp], si);
    else
        look(t, warp);
}

/* One register of a result is written. */
static void write_register(table *t, unsigned warp, const sm_inst *si,
                           unsigned r)
{
    unsigned most = 1u << t->offset_bits, i = r / most;
    unsigned at = find_entry_of(t, warp, si, r);
    slot *e = entry_of(t, warp) + at, was = *e;

    if (t->by_register || e->left == 1u << (r % most)) /* it is looked for */
        t->st->table_searches += t->used[warp];
    e->left &= (uint16_t) ~(1u << (r % most));
    if (t->by_register)
        pending_clear_part(&t->seen[warp], si->in, r, 1);
    if (e->left) {
        if (t->by_register && t->mask)
            forget_slot(t, warp, at);
        return;
    }
    free_slot(t, warp, at);
    if (t->mask)
        forget_slot(t, warp, at);
    if (!t->by_register)
        pending_clear_part(&t->seen[warp], si->in, i * most, was.off + 1u);
}

static void table_release_part(sm_hazard *h, unsigned warp, const sm_inst *si,
                               unsigned first, unsigned n)
{
    table *t = table_of(h);

    for (unsigned r = first; r < first + n; r++)
        write_register(t, warp, si, r);
    if (t->empty != CFG_TABLE_EMPTY_VALID)
        look(t, warp);
    if (first + n == si->in->dst_regs)
        t->preds[warp].pred &= (uint8_t)~si->in->pwrite;
}

static void table_release_guard(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    table_of(h)->preds[warp].guard &= (uint8_t)~si->in->pwrite;
}

static bool table_idle(const sm_hazard *h, unsigned warp)
{
    const table *t = (const table *)h;

    return !t->used[warp] && !t->preds[warp].pred && !t->preds[warp].guard;
}

/* Warps whose slots are not in use: what is left of the cycles of all. */
static void table_settle(sm_hazard *h, uint64_t now)
{
    table *t = table_of(h);
    uint64_t none = t->st->warp_cycles;

    for (unsigned w = 0; w < SM_WARPS; w++)
        count_used(t, w, now);
    for (unsigned i = 1; i < HIST_SLOTS; i++)
        none -= t->st->table_held[i];
    t->st->table_held[0] = none;
}

static void table_destroy(sm_hazard *h)
{
    free(table_of(h)->slot);
    free(h);
}

#define OPS                                                                    \
    .free = table_destroy, .check = table_check, .second = second,             \
    .reserve = table_reserve, .release = table_release,                        \
    .release_part = table_release_part, .release_guard = table_release_guard,  \
    .idle = table_idle, .settle = table_settle

#define OPS_GROUP OPS, .begin = begin, .end = end

static const sm_hazard_ops ops[2][2] = {
    {{OPS}, {OPS, .issued = issued}},
    {{OPS_GROUP}, {OPS_GROUP, .issued = issued}}}; /* [groups][masks] */

static const uint64_t no_clock; /* for tests that have none */

sm_hazard *sm_table_new(const config *cfg, unsigned row, unsigned group,
                        sm_stats *st)
{
    table *t = new_aligned(64, sizeof *t);

    MUST(row * group <= TABLE_SLOTS && group <= TABLE_GROUP);
    t->base.ops = &ops[group > 1][cfg->sm.table.mask];
    t->base.now = &no_clock;
    t->row = row;
    t->slots = row * group;
    table_rows_init(&t->rows, cfg, group);
    t->offset_bits = cfg->sm.table.offset_bits;
    t->empty = cfg->sm.table.empty;
    t->full_blocks = cfg->sm.table.full_blocks;
    t->predicates = cfg->sm.table.predicates;
    t->by_register = cfg->sm.table.release == CFG_TABLE_RELEASE_REGISTER;
    t->mask = cfg->sm.table.mask;
    t->slow_only = cfg->sm.issue.hazard == CFG_HAZARD_CODES;
    t->st = st;
    for (unsigned n = 0; n < COUNTOF(t->needs); n++)
        t->needs[n] =
            (uint8_t)((n + (1u << t->offset_bits) - 1) >> t->offset_bits);
    t->slot = new0((size_t)64 * t->slots, sizeof *t->slot);
    for (unsigned w = 0; w < SM_WARPS; w++) {
        t->limit[w] = (uint16_t)row;
        look(t, w);
    }
    return &t->base;
}

bool sm_table_refuses(const config *cfg, const isa_kernel *kernel,
                      sm_refusal *out)
{
    unsigned rid = cfg->sm.table.rid_bits;
    unsigned names = rid ? 1u << rid : UINT_MAX;

    for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
        const isa_inst *in = &kernel->code[pc];
        unsigned slots = sm_table_needs(cfg, in);

        if (slots > cfg->sm.table.slots) {
            *out = (sm_refusal){pc,
                                NULL,
                                "slots for its result",
                                "sm.table.slots",
                                slots,
                                cfg->sm.table.slots};
            return true;
        }
        if (in->dst_regs && (unsigned)in->dst + in->dst_regs > names) {
            *out = (sm_refusal){pc,
                                NULL,
                                "register numbers in a slot",
                                "2 ^ sm.table.rid_bits",
                                (unsigned)in->dst + in->dst_regs,
                                names};
            return true;
        }
    }
    return false;
}

static bool reads_r0(const isa_inst *in)
{
    for (unsigned i = 0; i < COUNTOF(in->src); i++)
        if (in->src_regs[i] && !in->src[i])
            return true;
    return false;
}

/* Where the number 0 means that a slot is free, a result in R0 leaves it so:
 * skipped, whoever needs it issues too early; compared, it waits for ever. */
bool sm_table_refuses_r0(const config *cfg, const isa_kernel *kernel,
                         sm_refusal *out)
{
    bool match = cfg->sm.table.empty == CFG_TABLE_EMPTY_ZERO_MATCH;

    if (cfg->sm.table.empty == CFG_TABLE_EMPTY_VALID)
        return false;
    for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
        const isa_inst *in = &kernel->code[pc];

        if (!(in->dst_regs && !in->dst) && !(match && reads_r0(in)))
            continue;
        *out = (sm_refusal){
            .pc = pc,
            .why = match ? "R0 stands in every free slot with "
                           "sm.table.empty=zero_match, so it would wait for "
                           "ever; sm.table.empty=valid tells them apart"
                         : "a slot that stands for R0 is free with "
                           "sm.table.empty=zero_skip, so its hazards would be "
                           "missed; sm.table.empty=valid tells them apart"};
        return true;
    }
    return false;
}
