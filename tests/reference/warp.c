/* tests/reference/warp.c - what threads of a warp tell each other
 * [PTX85:shfl-sync] [PTX85:vote-sync] [PTX85:match-sync] [PTX85:redux-sync].
 * A form with .sync waits for all lanes of its mask that have not exited; one
 * without takes place among the lanes that have come to it when no lane of
 * the warp can run on. */
#include <string.h>

#include "reference/state.h"

void ref_wait_warp(ref_thread *t, const ptx_inst *in, uint32_t members)
{
    if (!(members >> t->lane & 1)) {
        ref_fail(t, "lane %u is not in its own member mask 0x%x", t->lane,
                 members);
        return;
    }
    t->wait = REF_AT_WARP;
    t->at = in;
    t->members = members;
}

void ref_lanes(ref_thread *t, const ptx_inst *in)
{
    bool sync = ptx_has(in, PTX_FLAG_SYNC);

    ref_wait_warp(t, in,
                  sync ? ref_get_u32(t, &in->ops[in->nops - 1]) : UINT32_MAX);
}

/* Lanes that execute one instruction together. */
typedef struct group {
    ref_thread *t[REF_WARP]; /* by lane; NULL: not in it */
    ref_thread *all[REF_WARP];
    uint32_t mask;
} group;

/* ---- what they give ---- */

/* Lane that `lane` reads, and whether it is in range. */
static unsigned source(const ptx_inst *in, unsigned lane, uint32_t b,
                       uint32_t c, bool *in_range)
{
    int segment = c >> 8 & 31, clamp = c & 31, n = b & 31;
    int most = ((int)lane & segment) | (clamp & ~segment);
    int least = (int)lane & segment, j;

    if (ptx_has_sub(in, PTX_SUB_UP)) {
        j = (int)lane - n;
        *in_range = j >= most;
    } else {
        if (ptx_has_sub(in, PTX_SUB_DOWN))
            j = (int)lane + n;
        else if (ptx_has_sub(in, PTX_SUB_BFLY))
            j = (int)lane ^ n;
        else
            j = least | (n & ~segment);
        *in_range = j <= most;
    }
    return *in_range ? (unsigned)j : lane;
}

/* Of a lane that does not take part, its register (docs/deviations.md). */
static uint64_t shuffle(const group *g, unsigned lane, bool *in_range)
{
    ref_thread *t = g->t[lane], *from;
    const ptx_inst *in = t->at;
    uint32_t b = ref_get_u32(t, &in->ops[2]), c = ref_get_u32(t, &in->ops[3]);
    unsigned j = source(in, lane, b, c, in_range);

    from = g->t[j];
    if (from)
        return ref_get_u32(from, &from->at->ops[1]);
    from = g->all[j];
    if (from && from->top->f == t->top->f)
        return ref_get_u32(from, &in->ops[1]);
    return 0;
}

static uint32_t ballot(const group *g)
{
    uint32_t mask = 0;

    for (unsigned k = 0; k < REF_WARP; k++)
        if (g->t[k] && ref_get_pred(g->t[k], &g->t[k]->at->ops[1]))
            mask |= (uint32_t)1 << k;
    return mask;
}

static uint32_t same(const group *g, unsigned lane)
{
    const ptx_inst *in = g->t[lane]->at;
    ptx_type type = ref_type(in, 0);
    uint64_t mine = ref_get(g->t[lane], &in->ops[1], type);
    uint32_t mask = 0;

    for (unsigned k = 0; k < REF_WARP; k++)
        if (g->t[k] && ref_get(g->t[k], &g->t[k]->at->ops[1], type) == mine)
            mask |= (uint32_t)1 << k;
    return mask;
}

/* Minimum or maximum of floats: a NaN if all are, or by .NaN if one is. */
static uint64_t reduce_floats(const group *g, const ptx_inst *in)
{
    bool nan = false;
    hw_number r = {.kind = HW_NOT};

    for (unsigned k = 0; k < REF_WARP; k++) {
        if (!g->t[k])
            continue;
        hw_number v = ref_unpack(
            PTX_TYPE_F32, ref_get_u32(g->t[k], &g->t[k]->at->ops[1]), false);
        nan |= v.kind == HW_NOT;
        if (v.kind == HW_NOT)
            continue;
        if (ptx_has(in, PTX_FLAG_ABS))
            v.minus = false;
        int order = r.kind == HW_NOT ? -1 : hw_order(v, r);
        if (order == 0)
            order = (int)r.minus - (int)v.minus;
        if (r.kind == HW_NOT || (order < 0) == ptx_has_sub(in, PTX_SUB_MIN))
            r = v;
    }
    if (nan && ptx_has(in, PTX_FLAG_NAN))
        r = (hw_number){.kind = HW_NOT};
    return hw_pack(HW_F32, r, HW_RN, false, false);
}

static uint64_t reduce(const group *g, const ptx_inst *in)
{
    ptx_type type = ref_type(in, 0);
    bool first = true;
    ref_int r = 0;

    for (unsigned k = 0; k < REF_WARP; k++) {
        if (!g->t[k])
            continue;
        ref_int v = ref_get_int(g->t[k], &g->t[k]->at->ops[1], type);
        if (first)
            r = v;
        else if (ptx_has_sub(in, PTX_SUB_ADD))
            r += v;
        else if (ptx_has_sub(in, PTX_SUB_MIN))
            r = v < r ? v : r;
        else if (ptx_has_sub(in, PTX_SUB_MAX))
            r = v > r ? v : r;
        else if (ptx_has_sub(in, PTX_SUB_AND))
            r &= v;
        else if (ptx_has_sub(in, PTX_SUB_OR))
            r |= v;
        else
            r ^= v;
        first = false;
    }
    return (uint64_t)r;
}

/* ---- instructions ---- */

typedef struct result {
    uint64_t d;
    bool p;
} result;

static result of_vote(const group *g, const ptx_inst *in)
{
    uint32_t yes = ballot(g);
    bool all = yes == g->mask;
    result r = {.d = yes};

    if (ptx_has_sub(in, PTX_SUB_ALL))
        r.p = all;
    else if (ptx_has_sub(in, PTX_SUB_ANY))
        r.p = yes != 0;
    else
        r.p = all || yes == 0; /* uni */
    return r;
}

static result result_of(const group *g, unsigned lane)
{
    const ptx_inst *in = g->t[lane]->at;
    uint32_t mask;
    result r = {0};

    if (in->op == PTX_SHFL) {
        r.d = shuffle(g, lane, &r.p);
    } else if (in->op == PTX_VOTE) {
        return of_vote(g, in);
    } else if (in->op == PTX_MATCH) {
        mask = same(g, lane);
        r.p = mask == g->mask;
        r.d = !ptx_has_sub(in, PTX_SUB_ALL) || r.p ? mask : 0;
    } else if (in->op == PTX_REDUX) {
        r.d = ref_is_float(ref_type(in, 0)) ? reduce_floats(g, in)
                                            : reduce(g, in);
    } else if (in->op == PTX_ELECT) {
        r.d = (unsigned)__builtin_ctz(g->mask);
        r.p = r.d == lane;
    } else {
        r.d = g->mask;
    }
    return r;
}

static void give(ref_thread *t, result r)
{
    const ptx_inst *in = t->at;
    const ptx_operand *d = &in->ops[0], *p = ref_part(d, 1);

    if (in->op == PTX_VOTE && !ptx_has_sub(in, PTX_SUB_BALLOT)) {
        ref_put_pred(t, d, r.p);
        return;
    }
    if (p)
        ref_put_pred(t, p, r.p);
    ref_put(t, ref_part(d, 0),
            in->op == PTX_REDUX ? ref_type(in, 0) : PTX_TYPE_B32, r.d);
}

static void perform(group *g)
{
    result r[REF_WARP];

    for (unsigned k = 0; k < REF_WARP; k++)
        if (g->t[k] && g->t[k]->at->op != PTX_BAR)
            r[k] = result_of(g, k);
    for (unsigned k = 0; k < REF_WARP; k++) {
        if (!g->t[k])
            continue;
        if (g->t[k]->at->op != PTX_BAR)
            give(g->t[k], r[k]);
        g->t[k]->wait = REF_RUNS;
    }
}

/* ---- who takes part ---- */

static bool is_sync(const ptx_inst *in)
{
    return in->op == PTX_BAR || ptx_has(in, PTX_FLAG_SYNC);
}

/* The lanes that `t` waits for have all come to such an instruction. */
static bool gather_sync(ref_thread *t, group *g)
{
    for (unsigned k = 0; k < REF_WARP; k++) {
        ref_thread *o = g->all[k];
        if (!o || !(t->members >> k & 1) || o->wait == REF_EXITED)
            continue;
        if (o->wait != REF_AT_WARP || o->at->op != t->at->op ||
            strcmp(o->at->mods, t->at->mods) || o->members != t->members)
            return false;
        g->t[k] = o;
        g->mask |= (uint32_t)1 << k;
    }
    return true;
}

static bool gather_others(ref_thread *t, group *g)
{
    for (unsigned k = 0; k < REF_WARP; k++) {
        ref_thread *o = g->all[k];
        if (o && o->wait == REF_RUNS)
            return false;
        if (!o || o->wait != REF_AT_WARP || o->at != t->at)
            continue;
        g->t[k] = o;
        g->mask |= (uint32_t)1 << k;
    }
    return true;
}

static bool release(ref_cta *c, bool sync)
{
    bool released = false;

    for (uint32_t k = 0; k < c->threads; k++) {
        ref_thread *t = &c->t[k];
        group g = {.mask = 0};
        if (t->wait != REF_AT_WARP || is_sync(t->at) != sync)
            continue;
        for (uint32_t n = 0; n < REF_WARP; n++)
            if (t->warp * REF_WARP + n < c->threads)
                g.all[n] = &c->t[t->warp * REF_WARP + n];
        if (sync ? gather_sync(t, &g) : gather_others(t, &g)) {
            perform(&g);
            released = true;
        }
    }
    return released;
}

bool ref_release_warps(ref_cta *c)
{
    return release(c, true) || release(c, false);
}
