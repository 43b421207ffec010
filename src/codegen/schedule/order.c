/* src/codegen/schedule/order.c
 *
 * A list scheduler over the places of groups of seven instructions: the first
 * of a group issues alone, the others in pairs, as they are decoded. From a
 * window of the order that codegen/schedule/sched.c left it takes the
 * instruction that is ready the soonest, the first of equals, and at the places
 * of pairs another that can issue with it. Times are those of the block alone:
 * what comes into it counts as ready. */
#include "codegen/schedule/order.h"

#include <string.h>

#include "base/must.h"
#include "codegen/ir/latency.h"
#include "codegen/ir/pair.h"

/* SLACK: cycles that a pair may wait for its second: it saves a cycle of the
 * scheduler, and the second would come no sooner behind the first. CORES:
 * pairs of a group that may need the cores that two schedulers share, so that
 * each has them half of the time. */
enum {
    WINDOW = 16,
    SLACK = 1,
    CORES = 2,
    TRIES = 4,
    CACHE = 6, /* [US8639882:operand-cache] */
};

typedef struct item {
    isa_inst in;
    cg_touched touched;
    uint32_t after; /* bit i: not before the one WINDOW - i ahead of it */
    bool placed;
} item;

typedef struct pacer {
    const cg_options *opt;
    item *item;
    uint32_t n, front; /* the first that has no place yet */
    int now;
    int reg[256], pred[8], guard[8]; /* ready from, by number */
    uint8_t cached[CACHE];           /* operands, the latest first */
    unsigned ncached;
} pacer;

/* ---- what comes when --------------------------------------------------- */

static int paced_latency(const pacer *p, const isa_inst *in)
{
    return cg_latency(&p->opt->latency, in->op, in->mod);
}

static int later_cycle(int a, int b) { return a > b ? a : b; }

/* Cycles until `in` could issue. */
static int wait_of(const pacer *p, const isa_inst *in)
{
    int latency = paced_latency(p, in), at = p->guard[in->guard & 7];

    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < in->src_regs[i]; k++)
            at = later_cycle(at, p->reg[in->src[i] + k]);
    for (unsigned k = 0; k < in->dst_regs; k++)
        at = later_cycle(at, p->reg[in->dst + k] - latency + 1);
    for (unsigned i = 0; i < 7; i++) {
        if (in->pread >> i & 1)
            at = later_cycle(at, p->pred[i]);
        if (in->pwrite >> i & 1)
            at = later_cycle(at, p->pred[i] - latency + 1);
    }
    return at > p->now ? at - p->now : 0;
}

/* ---- operands ---------------------------------------------------------- */

static bool is_cached(const pacer *p, unsigned reg)
{
    return memchr(p->cached, (int)reg, p->ncached) != NULL;
}

static void cache_register(pacer *p, unsigned reg)
{
    unsigned at = 0;

    while (at < p->ncached && p->cached[at] != reg)
        at++;
    if (at == p->ncached && at < CACHE)
        p->ncached++;
    if (at == CACHE)
        at--;
    memmove(&p->cached[1], &p->cached[0], at);
    p->cached[0] = (uint8_t)reg;
}

static void cache_operands(pacer *p, const isa_inst *in)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < in->src_regs[i]; k++)
            cache_register(p, in->src[i] + k);
    for (unsigned i = 0; i < p->ncached; i++)
        if (p->cached[i] - (unsigned)in->dst >= in->dst_regs)
            p->cached[kept++] = p->cached[i];
    p->ncached = kept;
}

/* Cycles beyond the first that both take to read what is not cached. */
static unsigned pair_conflicts(const pacer *p, const isa_inst *a,
                               const isa_inst *b)
{
    const isa_inst *both[2] = {a, b};
    const cg_banks *banks = &p->opt->banks;
    unsigned of_bank[CG_BANKS_MAX] = {0}, most = 1, n = 0;
    uint8_t seen[24];

    for (unsigned i = 0; i < 6 && banks->count; i++) {
        const isa_inst *in = both[i / 3];

        for (unsigned k = 0; k < in->src_regs[i % 3]; k++) {
            unsigned reg = in->src[i % 3] + k;

            if (is_cached(p, reg) || memchr(seen, (int)reg, n))
                continue;
            seen[n++] = (uint8_t)reg;
            unsigned bank = cg_bank(banks, reg);

            if (++of_bank[bank] > most)
                most = of_bank[bank];
        }
    }
    return most - 1;
}

/* ---- choosing ---------------------------------------------------------- */

/* Instructions of the window that have no place yet, as bits from the
 * front on. */
static uint32_t unplaced(const pacer *p)
{
    uint32_t set = 0;

    for (uint32_t i = 0; i < WINDOW && p->front + i < p->n; i++)
        set |= (uint32_t)!p->item[p->front + i].placed << i;
    return set;
}

/* May the one `i` behind the front come next, if those of `set` are left? */
static bool is_free(const pacer *p, uint32_t i, uint32_t set)
{
    return !(p->item[p->front + i].after >> (WINDOW - i) & set);
}

typedef struct pick {
    uint32_t first, second; /* from the front on; no second: the first again */
    int wait;
} pick;

/* What issues best with `first`: ready the soonest, then the fewest conflicts,
 * then as written. False if there is nothing. */
static bool find_second(const pacer *p, uint32_t set, bool cores, int wait,
                        pick *out)
{
    const isa_inst *a = &p->item[p->front + out->first].in;
    unsigned least = UINT32_MAX;

    set &= ~(1u << out->first);
    for (uint32_t i = 0; i < WINDOW; i++) {
        if (!(set >> i & 1))
            continue;
        const isa_inst *b = &p->item[p->front + i].in;
        if ((cg_on_cores(a) && cg_on_cores(b) && !cores) || !cg_pairs(a, b) ||
            !is_free(p, i, set))
            continue;
        int late = later_cycle(wait_of(p, b) - wait, 0);
        unsigned cost = pair_conflicts(p, a, b) + 8 * (unsigned)late;
        if (late > SLACK || cost >= least)
            continue;
        least = cost;
        out->second = i;
        out->wait = wait + late;
    }
    return least != UINT32_MAX;
}

/* The next to issue: at the place of a pair one with a second, if there are. */
static pick choose_item(const pacer *p, bool pair, bool cores)
{
    uint32_t set = unplaced(p), ready[WINDOW], n = 0;
    int least = INT32_MAX;

    for (uint32_t i = 0; i < WINDOW; i++) {
        if (!(set >> i & 1) || !is_free(p, i, set))
            continue;
        int wait = wait_of(p, &p->item[p->front + i].in);
        if (wait > least)
            continue;
        if (wait < least)
            n = 0;
        least = wait;
        ready[n++] = i;
    }
    MUST(n);
    for (uint32_t k = 0; pair && k < n && k < TRIES; k++) {
        pick both = {.first = ready[k]};

        if (find_second(p, set, cores, least, &both))
            return both;
    }
    return (pick){ready[0], ready[0], least};
}

/* ---- placing ----------------------------------------------------------- */

static isa_inst place_item(pacer *p, uint32_t i)
{
    item *x = &p->item[p->front + i];
    const isa_inst *in = &x->in;
    int when = p->now + paced_latency(p, in);

    for (unsigned k = 0; k < in->dst_regs; k++)
        p->reg[in->dst + k] = when;
    for (unsigned k = 0; k < 7; k++)
        if (in->pwrite >> k & 1) {
            p->pred[k] = when;
            p->guard[k] = when + p->opt->latency.guard;
        }
    cache_operands(p, in);
    x->placed = true;
    return *in;
}

static void advance_cycle(pacer *p)
{
    p->now++;
    while (p->front < p->n && p->item[p->front].placed)
        p->front++;
}

/* What must not come before what, within the window. */
static void link_window(pacer *p, const isa_inst *code)
{
    for (uint32_t i = 0; i < p->n; i++) {
        item *x = &p->item[i];

        x->in = code[i];
        x->touched = cg_touches(&x->in);
        for (uint32_t k = 1; k <= WINDOW && k <= i; k++)
            if (cg_stays_behind(&x->touched, &p->item[i - k].touched))
                x->after |= 1u << (WINDOW - k);
    }
}

/* Does the pair need the cores twice? */
static bool on_cores(const isa_inst *pair)
{
    return cg_on_cores(&pair[0]) && cg_on_cores(&pair[1]);
}

void cg_order(const cg_options *opt, arena *a, isa_inst *code, uint32_t first,
              uint32_t end)
{
    pacer p = {.opt = opt, .n = end - first};
    unsigned cores = 0;

    for (uint32_t i = first - first % KEPLER_GROUP; i + 1 < first; i++)
        cores += cg_is_head(&code[i]) && on_cores(&code[i]);
    p.item = ARENA_ARRAY(a, item, p.n);
    link_window(&p, code + first);
    for (uint32_t at = first; at < end; at++) {
        uint32_t slot = at % KEPLER_GROUP;
        bool pair = slot % 2 && at + 1 < end;

        if (slot == 0)
            cores = 0;
        pick next = choose_item(&p, pair, cores < CORES);
        p.now += next.wait;
        code[at] = place_item(&p, next.first);
        if (next.second != next.first) {
            code[at].ctl = CTL_NONE | KEPLER_PAIR << CTL_CODE | 1u << CTL_HAS;
            code[at + 1] = place_item(&p, next.second);
            cores += on_cores(&code[at]);
            at++;
        }
        advance_cycle(&p);
    }
}
