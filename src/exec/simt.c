/* src/exec/simt.c */
#include "exec/simt.h"

#include <string.h>

#include "base/bits.h"
#include "base/must.h"

enum { RUN, AT_BSYNC, AT_WARPSYNC, AT_CTA }; /* what a group waits for */

void simt_start(simt *s, isa_arch arch, uint32_t lanes)
{
    s->pc = 0;
    s->active = s->live = lanes;
    s->back = s->spins = s->yields = 0;
    s->depth = 0;
    s->arch = (uint8_t)arch;
    s->noted = 0;
}

void simt_next(simt *s) { s->pc++; }

/* ---- the stack ---- */

static bool stack_push(simt *s, uint8_t kind, uint32_t pc, uint32_t mask)
{
    if (s->depth == (s->deep ? SIMT_NEAR + SIMT_DEEP : SIMT_NEAR))
        return false;
    *simt_at(s, s->depth++) =
        (simt_entry){.pc = pc, .mask = mask, .kind = kind};
    return true;
}

/* Goes on with the lanes of the topmost entry that still live. */
static void stack_pop(simt *s)
{
    s->active = 0;
    while (!s->active && s->depth) {
        const simt_entry *e = simt_at(s, --s->depth);

        s->active = e->mask & s->live;
        s->pc = e->pc;
    }
}

bool simt_ssy(simt *s, uint32_t target)
{
    if (!stack_push(s, SIMT_SSY, target, s->active))
        return false;
    s->pc++;
    return true;
}

bool simt_sync(simt *s, uint32_t lanes)
{
    unsigned i = s->depth;

    while (i && simt_at(s, i - 1)->kind != SIMT_SSY)
        i--;
    if (!i || (lanes & ~simt_at(s, i - 1)->mask))
        return false;
    s->active &= ~lanes;
    if (s->active)
        s->pc++;
    else
        stack_pop(s);
    return true;
}

/* ---- groups ---- */

/* Makes `lanes` of the running ones a group of their own. */
static simt_entry *group_add(simt *s, uint8_t kind, uint32_t pc, uint32_t lanes)
{
    simt_entry *e = &s->entry[s->depth];

    MUST(s->depth < SIMT_GROUPS);
    *e = (simt_entry){.pc = pc, .mask = lanes, .kind = kind};
    s->depth++;
    s->active &= ~lanes;
    s->yields = 0;
    return e;
}

static void group_remove(simt *s, unsigned i)
{
    s->depth--;
    memmove(&s->entry[i], &s->entry[i + 1],
            (s->depth - i) * sizeof s->entry[0]);
}

static void group_run(simt *s, unsigned i)
{
    s->active = s->entry[i].mask;
    s->pc = s->entry[i].pc;
    s->yields = s->entry[i].need;
    s->back = 0;
    group_remove(s, i);
}

/* If nothing runs: the group that became ready last, so that inner regions
 * end before outer ones go on. */
static void group_pick(simt *s)
{
    for (unsigned i = s->depth; !s->active && i-- > 0;)
        if (s->entry[i].kind == RUN)
            group_run(s, i);
}

/* Lets the oldest ready group run and the running one queue behind all. */
static bool group_rotate(simt *s)
{
    for (unsigned i = 0; i < s->depth; i++) {
        simt_entry now = {
            .pc = s->pc, .mask = s->active, .kind = RUN, .need = s->yields};

        if (s->entry[i].kind != RUN)
            continue;
        group_run(s, i);
        s->entry[s->depth++] = now;
        return true;
    }
    return false;
}

/* The waiting groups with lanes of `lanes` run on; where several, or the
 * running one, stand at the same place they become one. */
static void group_wake(simt *s, uint32_t lanes)
{
    for (unsigned i = s->depth; i-- > 0;) {
        simt_entry *e = &s->entry[i];
        unsigned k = s->depth;

        if (e->kind == RUN || !(e->mask & lanes))
            continue;
        e->kind = RUN;
        e->need = 0;
        if (s->active && e->pc == s->pc) {
            s->active |= e->mask;
            group_remove(s, i);
            continue;
        }
        while (--k > i)
            if (s->entry[k].kind == RUN && s->entry[k].pc == e->pc &&
                (s->entry[k].mask & lanes))
                break;
        if (k > i) {
            s->entry[k].mask |= e->mask;
            s->entry[k].need = 0;
            group_remove(s, i);
        }
    }
}

/* Lanes that wait in this way. */
static uint32_t waiting_lanes(const simt *s, uint8_t kind,
                              const simt_entry *like)
{
    uint32_t lanes = 0;

    for (unsigned i = 0; i < s->depth; i++) {
        const simt_entry *e = &s->entry[i];

        if (e->kind == kind && e->bar == like->bar &&
            (kind != AT_WARPSYNC || e->need == like->need))
            lanes |= e->mask;
    }
    return lanes;
}

uint32_t *simt_part(simt *s, unsigned bar)
{
    if (!(s->noted >> bar & 1)) {
        s->noted |= (uint16_t)(1u << bar);
        memset(s->part[bar], 0, sizeof s->part[bar]);
    }
    return s->part[bar];
}

void simt_parts(const simt *s, uint32_t part[ISA_BARRIERS][ISA_WARP])
{
    for (unsigned bar = 0; bar < ISA_BARRIERS; bar++)
        if (s->noted >> bar & 1)
            memcpy(part[bar], s->part[bar], sizeof s->part[bar]);
        else
            memset(part[bar], 0, sizeof s->part[bar]);
}

/* Participants of Bn in the sets of `lanes`, also lanes that have ended. */
static uint32_t part_get(const simt *s, unsigned bar, uint32_t lanes)
{
    uint32_t part = 0;

    for (unsigned l = 0; l < ISA_WARP; l++)
        part |= s->part[bar][l] & -(lanes >> l & 1);
    return part;
}

static void part_set(simt *s, unsigned bar, uint32_t lanes, uint32_t part)
{
    for (unsigned l = 0; l < ISA_WARP; l++) {
        uint32_t m = -(lanes >> l & 1);

        s->part[bar][l] = (part & m) | (s->part[bar][l] & ~m);
    }
}

/* Lanes that `lanes` wait for at Bn, as far as they live. */
static uint32_t participants(const simt *s, unsigned bar, uint32_t lanes)
{
    return part_get(s, bar, lanes) & s->live;
}

/* Of `come`, lanes at Bn, those that wait there for `lanes`: others may be at a
 * barrier of the same number in another function, with a set of its own. */
static uint32_t partners(const simt *s, unsigned bar, uint32_t come,
                         uint32_t lanes)
{
    uint32_t with = 0;

    for (uint32_t left = come; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);
        with |= (uint32_t)((s->part[bar][l] & lanes) != 0) << l;
    }
    return with;
}

/* Lanes that run or are ready to. */
static uint32_t going_lanes(const simt *s)
{
    uint32_t lanes = s->active;

    for (unsigned i = 0; i < s->depth; i++)
        lanes |= s->entry[i].mask & -(uint32_t)(s->entry[i].kind == RUN);
    return lanes;
}

/* Some lanes that the group waits for: the set of its first lane will do. */
static uint32_t awaited_lanes(const simt *s, const simt_entry *e)
{
    return e->kind == AT_BSYNC ? s->part[e->bar][bits_ctz32(e->mask)] : e->need;
}

/* Those of `part` that wait at the convergence barrier of `e` go on without the
 * others. */
static void let_through(simt *s, const simt_entry *e, uint32_t part)
{
    uint32_t gone = waiting_lanes(s, AT_BSYNC, e) & part;
    unsigned bar = e->bar;

    for (unsigned l = 0; l < ISA_WARP; l++)
        if (part >> l & 1)
            s->part[bar][l] &= ~gone;
    group_wake(s, gone);
}

/* Lanes at a WARPSYNC that waits for some of `lanes`. */
static uint32_t lanes_that_await(const simt *s, uint32_t lanes)
{
    uint32_t all = 0;

    for (unsigned i = 0; i < s->depth; i++)
        if (s->entry[i].kind == AT_WARPSYNC && s->entry[i].need & lanes)
            all |= s->entry[i].mask;
    return all;
}

/* Nothing can go on, since lanes at a convergence barrier wait for others that
 * wait for them at a WARPSYNC: lets the first through, those of the smallest
 * region. ptxas leaves regions for a WARPSYNC without a BREAK, so the former
 * wait is not binding. [PTXAS13] */
static void wake_crossed_group(simt *s)
{
    const simt_entry *best = NULL;
    uint32_t best_part = 0;

    for (unsigned i = 0; i < s->depth; i++) {
        const simt_entry *e = &s->entry[i];
        uint32_t part, absent;

        if (e->kind != AT_BSYNC)
            continue;
        part = participants(s, e->bar, e->mask);
        absent = part & ~waiting_lanes(s, AT_BSYNC, e);
        if (absent && !(absent & ~lanes_that_await(s, e->mask)) &&
            (!best || bits_popcount32(part) < bits_popcount32(best_part))) {
            best = e;
            best_part = part;
        }
    }
    if (best)
        let_through(s, best, best_part);
}

/* Wakes every group of which all participants have arrived. Most wait for one
 * that is still going, which is seen without a look at all the others. */
static void wake_complete_groups(simt *s)
{
    uint32_t going = going_lanes(s);

    for (unsigned i = 0; i < s->depth; i++) {
        const simt_entry *e = &s->entry[i];
        uint32_t come, need;

        if ((e->kind != AT_BSYNC && e->kind != AT_WARPSYNC) ||
            (awaited_lanes(s, e) & s->live & going))
            continue;
        come = waiting_lanes(s, e->kind, e);
        if (e->kind == AT_BSYNC)
            come = partners(s, e->bar, come, e->mask);
        need = e->kind == AT_BSYNC ? participants(s, e->bar, e->mask)
                                   : e->need & s->live;
        if (need & ~come)
            continue;
        group_wake(s, (need & come) | e->mask);
        going = going_lanes(s);
        i = UINT32_MAX; /* the list has changed: search again from its start */
    }
    if (!going)
        wake_crossed_group(s);
    group_pick(s);
}

/* Lanes of groups that yield time and again and lose none: they spin. */
static uint32_t spinning_lanes(const simt *s)
{
    uint32_t lanes = s->yields >= SIMT_YIELDS ? s->active : 0;

    for (unsigned i = 0; i < s->depth; i++)
        if (s->entry[i].kind == RUN && s->entry[i].need >= SIMT_YIELDS)
            lanes |= s->entry[i].mask;
    return lanes;
}

/* The lanes at the convergence barrier of `e` wait for spinning ones, or have
 * waited too long for the running ones; *part are its participants. `yields`:
 * the running ones are at a YIELD. */
static bool waits_in_vain(const simt *s, const simt_entry *e, bool yields,
                          uint32_t *part)
{
    uint32_t absent;

    *part = participants(s, e->bar, e->mask);
    absent = *part & ~waiting_lanes(s, AT_BSYNC, e);
    if (!(*part & s->active))
        return false;
    return s->spins - e->need >= SIMT_SPINS ||
           (yields && !(absent & ~spinning_lanes(s)));
}

/* Lets such lanes go on without the others: those of the smallest region
 * first. */
static bool group_let_through(simt *s, bool yields)
{
    const simt_entry *best = NULL;
    uint32_t best_part = 0;

    for (unsigned i = 0; i < s->depth; i++) {
        const simt_entry *e = &s->entry[i];
        uint32_t part;

        if (e->kind == AT_BSYNC && waits_in_vain(s, e, yields, &part) &&
            (!best || bits_popcount32(part) < bits_popcount32(best_part))) {
            best = e;
            best_part = part;
        }
    }
    if (!best)
        return false;
    let_through(s, best, best_part);
    return true;
}

static void group_yield(simt *s, bool yields)
{
    group_let_through(s, yields);
    group_rotate(s);
    s->back = 0;
}

/* The running lanes went back to an earlier instruction. */
static void count_back(simt *s)
{
    s->spins++;
    if (++s->back >= SIMT_BACK)
        group_yield(s, false);
}

void simt_yield(simt *s)
{
    s->pc++;
    if (s->arch < ARCH_VOLTA || !s->depth)
        return;
    s->yields += s->back > 0; /* in a loop */
    group_yield(s, true);
}

void simt_bssy(simt *s, unsigned bar, uint32_t lanes)
{
    simt_part(s, bar);
    part_set(s, bar, lanes, lanes);
    s->yields = 0;
    s->pc++;
}

/* `lanes` of the running ones wait, and the others go on; if there are none,
 * another group runs. */
static void group_park(simt *s, simt_entry as, uint32_t lanes)
{
    simt_entry *e = group_add(s, as.kind, s->pc + 1, lanes);

    e->bar = as.bar;
    e->need = as.need;
    if (s->active)
        s->pc++;
    wake_complete_groups(s);
}

void simt_bsync(simt *s, unsigned bar, uint32_t lanes)
{
    simt_part(s, bar);
    if (!(participants(s, bar, lanes) & ~lanes)) {
        s->pc++;
        return;
    }
    group_park(
        s,
        (simt_entry){.kind = AT_BSYNC, .bar = (uint8_t)bar, .need = s->spins},
        lanes);
}

void simt_break(simt *s, unsigned bar, uint32_t lanes)
{
    simt_part(s, bar);
    uint32_t part = part_get(s, bar, lanes);

    for (unsigned l = 0; l < ISA_WARP; l++)
        if (part >> l & 1)
            s->part[bar][l] &= ~lanes;
    part_set(s, bar, lanes, 0);
    s->pc++;
    if (s->depth)
        wake_complete_groups(s);
}

void simt_warpsync(simt *s, uint32_t lanes, uint32_t mask)
{
    if (s->arch < ARCH_VOLTA || !(mask & s->live & ~lanes)) {
        s->pc++;
        return;
    }
    group_park(s, (simt_entry){.kind = AT_WARPSYNC, .need = mask}, lanes);
}

bool simt_cta_barrier(simt *s, unsigned bar, uint32_t lanes, uint32_t *pred)
{
    simt_entry like = {.bar = (uint8_t)bar};
    uint32_t come = lanes;

    if (s->arch >= ARCH_VOLTA)
        come |= waiting_lanes(s, AT_CTA, &like);
    if (s->arch >= ARCH_VOLTA && come != s->live) {
        simt_entry *e = group_add(s, AT_CTA, s->pc, lanes);

        e->bar = (uint8_t)bar;
        e->need = *pred & lanes;
        if (s->active)
            s->pc++;
        group_pick(s);
        return false;
    }
    s->pc++;
    if (s->arch < ARCH_VOLTA || come == lanes)
        return true;
    for (unsigned i = 0; i < s->depth; i++) {
        *pred |= s->entry[i].need;
        s->entry[i].pc++;
    }
    group_wake(s, come);
    return true;
}

void simt_stand_aside(simt *s, uint32_t pc)
{
    uint32_t yields = s->yields;

    group_add(s, RUN, s->pc, s->active)->need = yields;
    s->pc = pc;
}

uint32_t simt_aside(const simt *s)
{
    const simt_entry *last = s->depth ? &s->entry[s->depth - 1] : NULL;

    if (s->arch < ARCH_VOLTA || s->active || !last || last->kind != RUN)
        return UINT32_MAX;
    return last->pc;
}

bool simt_has_more(const simt *s)
{
    unsigned ready = 0;

    for (unsigned i = 0; s->arch >= ARCH_VOLTA && i < s->depth; i++)
        ready += s->entry[i].kind == RUN;
    return ready > (s->active ? 0 : 1);
}

/* As if they had never been away: turns are counted on. */
void simt_come_back(simt *s)
{
    const simt_entry *last = &s->entry[--s->depth];

    s->active = last->mask;
    s->pc = last->pc;
    s->yields = last->need;
}

/* ---- both ---- */

/* After lanes have ended. A warp whose other lanes all wait at one CTA barrier
 * runs the barrier instruction of one group again, to arrive. */
static void settle_ended_group(simt *s)
{
    wake_complete_groups(s);
    if (!s->active && s->depth &&
        waiting_lanes(s, AT_CTA, &s->entry[0]) == s->live)
        group_run(s, s->depth - 1u);
}

void simt_exit(simt *s, uint32_t lanes)
{
    s->live &= ~lanes;
    s->active &= ~lanes;
    if (s->active)
        s->pc++;
    if (s->arch >= ARCH_VOLTA)
        settle_ended_group(s);
    else if (!s->active)
        stack_pop(s);
}

bool simt_branch(simt *s, uint32_t taken, uint32_t target)
{
    if (taken == s->active) {
        bool back = target <= s->pc;

        s->pc = target;
        if (back && s->arch >= ARCH_VOLTA && s->depth)
            count_back(s);
        return true;
    }
    if (taken) {
        if (s->arch >= ARCH_VOLTA)
            group_add(s, RUN, target, taken);
        else if (!stack_push(s, SIMT_DIVERGED, target, taken))
            return false;
        s->active &= ~taken;
    }
    s->pc++;
    return true;
}

bool simt_branch_indirect(simt *s, uint32_t lanes,
                          const uint32_t target[ISA_WARP])
{
    uint32_t left = lanes;

    while (left) {
        uint32_t pc = target[bits_ctz32(left)], same = 0;

        for (unsigned l = 0; l < ISA_WARP; l++)
            same |= (uint32_t)(target[l] == pc) << l;
        same &= left;
        left &= ~same;
        if (same == s->active) { /* the last target, and no lane falls
                                    through */
            return simt_branch(s, same, pc);
        }
        if (s->arch >= ARCH_VOLTA)
            group_add(s, RUN, pc, same);
        else if (!stack_push(s, SIMT_DIVERGED, pc, same))
            return false;
        s->active &= ~same;
    }
    s->pc++;
    return true;
}

/* ---- from outside ---- */

static bool has_kind(const simt *s, uint8_t kind)
{
    for (unsigned i = 0; s->arch >= ARCH_VOLTA && i < s->depth; i++)
        if (s->entry[i].kind == kind)
            return true;
    return false;
}

bool simt_is_settled(const simt *s) { return !has_kind(s, AT_BSYNC); }

bool simt_takes_turns(const simt *s) { return has_kind(s, RUN); }

bool simt_same(const simt *s, const simt_entry *a, const simt_entry *b)
{
    bool counts = s->arch >= ARCH_VOLTA && a->kind == RUN;

    return a->pc == b->pc && a->mask == b->mask && a->kind == b->kind &&
           a->bar == b->bar && (counts || a->need == b->need);
}

static simt_place place_of_kind(const simt *s, uint8_t kind)
{
    if (s->arch < ARCH_VOLTA)
        return kind == SIMT_SSY ? PLACE_MEETS : PLACE_READY;
    return kind == AT_BSYNC      ? PLACE_MEETS
           : kind == AT_WARPSYNC ? PLACE_WARPSYNC
           : kind == AT_CTA      ? PLACE_CTA
                                 : PLACE_READY;
}

/* Of the stack the topmost entry with the lane is where it goes on. */
simt_place simt_place_of(const simt *s, unsigned l, uint32_t *pc)
{
    *pc = s->pc;
    if (!(s->live >> l & 1))
        return PLACE_ENDED;
    if (s->active >> l & 1)
        return PLACE_RUNS;
    for (unsigned i = s->depth; i-- > 0;) {
        const simt_entry *e =
            i < SIMT_NEAR ? &s->entry[i] : &s->deep[i - SIMT_NEAR];

        if (!(e->mask >> l & 1))
            continue;
        *pc = e->pc;
        return place_of_kind(s, e->kind);
    }
    return PLACE_READY;
}
