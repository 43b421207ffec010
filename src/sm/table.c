/* src/sm/table.c - see table.h. */
#include "sm/table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "sm/pending.h"

typedef struct slot {
    uint8_t rid, off; /* registers rid .. rid + off */
    bool used, late;
    uint64_t since; /* cycle */
} slot;

/* The comparators look at every slot of the warp at once, so that what they
 * find is kept as bits: the registers that `seen` slots stand for. */
typedef struct table {
    sm_hazard base;
    unsigned slots, offset_bits;
    cfg_table_empty empty;
    bool full_blocks, predicates;
    sm_stats *st;
    uint16_t used[64]; /* slots, by warp */
    pending_preds preds[64];
    slot *slot;            /* [warp][slot] */
    const sm_inst **asked; /* by warp: what was compared last */
    pending_row seen[64] __attribute__((aligned(64)));
} table;

static inline table *table_of(sm_hazard *h) { return (table *)h; }

unsigned sm_table_used(const sm_hazard *h, unsigned warp)
{
    return ((const table *)h)->used[warp];
}

bool sm_table_slot(const sm_hazard *h, unsigned warp, unsigned i, uint8_t *rid,
                   uint8_t *off)
{
    const table *t = (const table *)h;
    const slot *e = &t->slot[(size_t)warp * t->slots + i];

    *rid = e->rid;
    *off = e->off;
    return e->used;
}

static inline unsigned needs(const table *t, const isa_inst *in)
{
    return (in->dst_regs + (1u << t->offset_bits) - 1) >> t->offset_bits;
}

/* ---- What the comparators see ---- */

static void see(pending_row *seen, unsigned reg, bool late)
{
    uint64_t bit = (uint64_t)1 << (reg % 64);

    seen->word[reg / 64].reg |= bit;
    if (late)
        seen->word[reg / 64].late |= bit;
}

/* Works it out from the slots, as the encoding of empty ones has it. */
static void look(table *t, unsigned warp)
{
    const slot *entry = t->slot + (size_t)warp * t->slots;
    pending_row *seen = &t->seen[warp];

    *seen = (pending_row){0};
    for (unsigned i = 0; i < t->slots; i++) {
        const slot *e = &entry[i];

        if (!e->used && t->empty == CFG_TABLE_EMPTY_ZERO_MATCH)
            see(seen, 0, false);
        if (!e->used || (!e->rid && t->empty == CFG_TABLE_EMPTY_ZERO_SKIP))
            continue;
        for (unsigned r = e->rid; r <= (unsigned)e->rid + e->off; r++)
            see(seen, r, e->late);
    }
}

/* ---- The policy ---- */

static sm_why check(const sm_hazard *h, unsigned warp, const sm_inst *si)
{
    const table *t = (const table *)h;
    sm_why why = pending_check(&t->seen[warp], t->preds[warp], si);
    unsigned used = t->used[warp];

    uint64_t compares = (uint64_t)used * (si->reads + !!si->in->dst_regs);
    t->st->table_compares += compares;
    if (t->asked[warp] != si)
        t->st->table_compares_once += compares;
    t->asked[warp] = why == WHY_READY ? NULL : si;
    if (why != WHY_READY)
        return why;
    if (used + needs(t, si->in) > t->slots ||
        (t->full_blocks && used == t->slots))
        return WHY_TABLE;
    return WHY_READY;
}

/* The register of part `i` of a result, and how many follow it. */
static slot part(const table *t, const sm_inst *si, unsigned i)
{
    unsigned most = 1u << t->offset_bits, first = i * most;
    unsigned left = si->in->dst_regs - first;

    return (slot){.rid = (uint8_t)(si->in->dst + first),
                  .off = (uint8_t)((left < most ? left : most) - 1),
                  .used = true,
                  .late = si->flags & INST_LATE};
}

static void reserve(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    table *t = table_of(h);
    slot *entry = t->slot + (size_t)warp * t->slots;
    unsigned n = needs(t, si->in);

    MUST_CHECK(t->used[warp] + n <= t->slots);
    for (unsigned i = 0, at = 0; i < n; i++) {
        while (entry[at].used)
            at++;
        entry[at] = part(t, si, i);
        entry[at].since = t->base.now ? *t->base.now : 0;
    }
    t->used[warp] = (uint16_t)(t->used[warp] + n);
    t->st->table_writes += n;
    t->st->table_wide += n > 1;
    if (n)
        t->st->table_used[bins_slots(t->used[warp])]++;
    if (t->empty != CFG_TABLE_EMPTY_VALID)
        look(t, warp);
    else
        pending_set(&t->seen[warp], si);
    if (t->predicates) {
        t->preds[warp].pred |= si->in->pwrite;
        t->preds[warp].guard |= si->in->pwrite;
    }
}

static void release(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    table *t = table_of(h);
    slot *entry = t->slot + (size_t)warp * t->slots;
    unsigned n = needs(t, si->in);

    for (unsigned i = 0; i < n; i++) {
        slot is = part(t, si, i);
        unsigned at = 0;

        while (at < t->slots && !(entry[at].used && entry[at].rid == is.rid))
            at++;
        MUST(at < t->slots && entry[at].off == is.off);
        if (!i && t->base.now)
            t->st->table_life[bins_cycles(*t->base.now - entry[at].since)]++;
        entry[at] = (slot){0};
    }
    t->st->table_searches += (uint64_t)t->used[warp] * n;
    t->used[warp] = (uint16_t)(t->used[warp] - n);
    t->st->table_frees += n;
    if (t->empty != CFG_TABLE_EMPTY_VALID)
        look(t, warp);
    else
        pending_clear(&t->seen[warp], si->in);
    t->preds[warp].pred &= (uint8_t)~si->in->pwrite;
}

static void release_guard(sm_hazard *h, unsigned warp, const sm_inst *si)
{
    table_of(h)->preds[warp].guard &= (uint8_t)~si->in->pwrite;
}

static void destroy(sm_hazard *h)
{
    free(table_of(h)->slot);
    free(table_of(h)->asked);
    free(h);
}

static const sm_hazard_ops ops = {
    .free = destroy,
    .check = check,
    .reserve = reserve,
    .release = release,
    .release_guard = release_guard,
};

sm_hazard *sm_table_new(const config *cfg, unsigned slots, sm_stats *st)
{
    table *t = aligned_alloc(64, sizeof *t);

    if (!t)
        return NULL;
    memset(t, 0, sizeof *t);
    t->base.ops = &ops;
    t->slots = slots;
    t->offset_bits = cfg->sm.table.offset_bits;
    t->empty = cfg->sm.table.empty;
    t->full_blocks = cfg->sm.table.full_blocks;
    t->predicates = cfg->sm.table.predicates;
    t->st = st;
    t->slot = calloc((size_t)64 * slots, sizeof *t->slot);
    t->asked = calloc(64, sizeof *t->asked);
    if (!t->slot || !t->asked) {
        free(t->slot);
        free(t->asked);
        free(t);
        return NULL;
    }
    for (unsigned w = 0; w < 64; w++)
        look(t, w);
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
