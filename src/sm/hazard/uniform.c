/* src/sm/hazard/uniform.c - see uniform.h. */
#include "sm/hazard/uniform.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"
#include "sm/limits.h"

enum { SLOTS = ISA_UREGS + ISA_PREDS, PREDS_AT = ISA_UREGS };

typedef struct row {
    uint64_t reg[UNIFORM_VIEWS]; /* pending */
    uint8_t pred[UNIFORM_VIEWS];
    uint8_t results[UNIFORM_VIEWS][SLOTS]; /* how many of them */
} row;

struct sm_uniform {
    row warp[SM_WARPS];
};

sm_uniform *sm_uniform_new(const config *cfg)
{
    return cfg->gpu.arch >= CFG_ARCH_AMPERE ? new0(1, sizeof(sm_uniform))
                                            : NULL;
}

void sm_uniform_free(sm_uniform *u) { free(u); }

/* Moves, constants and votes, and what comes from lanes, are seen by all at
 * once [NAK80:uniform]. */
unsigned sm_uniform_delay(const config *cfg, const isa_inst *in,
                          uniform_view view)
{
    if (in->class != ISA_CLASS_UNIFORM)
        return 0;
    switch (view) {
    case VIEW_LANES:
        return cfg->sm.uniform.lanes;
    case VIEW_LATE:
        return cfg->sm.uniform.late;
    case VIEW_GUARD:
        return cfg->sm.uniform.guard;
    case VIEW_UNIFORM:
    case UNIFORM_VIEWS:
        break;
    }
    return 0;
}

static uint64_t registers(unsigned first, unsigned n)
{
    return n ? (((uint64_t)1 << n) - 1) << first : 0;
}

static uint64_t written(const isa_inst *in)
{
    return registers(in->dst, in->udst_regs);
}

static uint64_t sources(const isa_inst *in)
{
    unsigned n, first = isa_uaddr(in, &n);
    uint64_t r = registers(first, n);

    for (unsigned i = 0; i < 3; i++)
        r |= registers(in->src[i], in->usrc_regs[i]);
    return r;
}

/* What the operands of `in` have to be visible to. */
static uniform_view view_of(const isa_inst *in)
{
    if (in->op == ISA_ULDC)
        return VIEW_GUARD;
    if (isa_is_uniform(in->op))
        return VIEW_UNIFORM;
    return in->flags & ISA_F_VARIABLE ? VIEW_LATE : VIEW_LANES;
}

sm_why sm_uniform_check(const sm_uniform *u, unsigned warp, const isa_inst *in)
{
    const row *w = &u->warp[warp];
    uniform_view view = view_of(in);
    bool guarded = isa_guard_uniform(in) && (in->guard & 7) != ISA_PT;

    if (w->reg[view] & sources(in))
        return WHY_RAW_ALU;
    if ((w->pred[view] & in->upread) ||
        (guarded && w->pred[VIEW_GUARD] >> (in->guard & 7) & 1))
        return WHY_RAW_PRED;
    if ((w->reg[VIEW_UNIFORM] & written(in)) ||
        (w->pred[VIEW_UNIFORM] & in->upwrite))
        return WHY_WAW;
    return WHY_READY;
}

void sm_uniform_pend(sm_uniform *u, unsigned warp, const isa_inst *in)
{
    row *w = &u->warp[warp];

    for (unsigned v = 0; v < UNIFORM_VIEWS; v++) {
        for (unsigned i = 0; i < in->udst_regs; i++)
            w->results[v][in->dst + i]++;
        for (unsigned p = 0; p < ISA_PREDS; p++)
            w->results[v][PREDS_AT + p] += in->upwrite >> p & 1;
        w->reg[v] |= written(in);
        w->pred[v] |= in->upwrite;
    }
}

/* Results of one register may follow each other before the later views have
 * seen the first. */
void sm_uniform_release(sm_uniform *u, unsigned warp, const isa_inst *in,
                        uniform_view view)
{
    row *w = &u->warp[warp];
    uint8_t *n = w->results[view];

    for (unsigned i = 0; i < in->udst_regs; i++) {
        MUST_CHECK(n[in->dst + i]);
        if (!--n[in->dst + i])
            w->reg[view] &= ~((uint64_t)1 << (in->dst + i));
    }
    for (unsigned p = 0; p < ISA_PREDS; p++)
        if (in->upwrite >> p & 1 && !--n[PREDS_AT + p])
            w->pred[view] &= (uint8_t) ~(1u << p);
}

bool sm_uniform_idle(const sm_uniform *u, unsigned warp)
{
    const row *w = &u->warp[warp];
    uint64_t any = 0;

    for (unsigned v = 0; v < UNIFORM_VIEWS; v++)
        any |= w->reg[v] | w->pred[v];
    return !any;
}
