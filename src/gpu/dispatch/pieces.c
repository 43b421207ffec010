#include "gpu/dispatch/pieces.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"

static void sm_init(pieces_sm *h, const config *cfg)
{
    /* Each CTA is a piece and what its warps give back early cuts that, at
     * most, into as many as it has warps and one that is only rounding. */
    unsigned most = cfg->sm.warps + cfg->sm.ctas;

    h->cta = new0(cfg->sm.ctas, sizeof *h->cta);
    extents_init(&h->registers, most);
    extents_init(&h->shared, most);
}

void pieces_init(pieces *p, const config *cfg)
{
    p->ctas = cfg->sm.ctas;
    p->at = new0(cfg->gpu.sms, sizeof *p->at);
    p->sms = cfg->gpu.sms;
    for (unsigned i = 0; i < p->sms; i++)
        sm_init(&p->at[i], cfg);
}

void pieces_fini(pieces *p)
{
    for (unsigned i = 0; i < p->sms; i++) {
        extents_fini(&p->at[i].registers);
        extents_fini(&p->at[i].shared);
        free(p->at[i].cta);
    }
    free(p->at);
}

void pieces_clear(pieces *p, const sm_resources *have)
{
    for (unsigned i = 0; i < p->sms; i++) {
        pieces_sm *h = &p->at[i];

        extents_clear(&h->registers, have->registers);
        extents_clear(&h->shared, have->shared_bytes);
        for (unsigned k = 0; k < p->ctas; k++)
            h->cta[k].here = false;
    }
}

bool pieces_fit(const pieces *p, unsigned i, const sm_resources *need)
{
    const pieces_sm *h = &p->at[i];

    return need->registers <= h->registers.largest &&
           need->shared_bytes <= h->shared.largest;
}

static pieces_cta *find_cta(pieces *p, unsigned i, unsigned n, uint64_t number)
{
    pieces_cta *c = p->at[i].cta, *end = c + p->ctas;

    while (c < end && (!c->here || c->launch != n || c->number != number))
        c++;
    MUST(c < end);
    return c;
}

void pieces_take(pieces *p, unsigned i, unsigned n, uint64_t number,
                 const sm_resources *need)
{
    pieces_sm *h = &p->at[i];
    pieces_cta *c = h->cta;

    while (c->here)
        c++;
    *c = (pieces_cta){
        .here = true,
        .launch = n,
        .number = number,
        .registers_at = extents_take(&h->registers, need->registers),
        .shared_at = extents_take(&h->shared, need->shared_bytes),
    };
}

void pieces_give_warp(pieces *p, unsigned i, unsigned n, uint64_t number,
                      unsigned index, const sm_resources *part)
{
    pieces_cta *c = find_cta(p, i, n, number);

    MUST(!(c->ended >> index & 1));
    c->ended |= (uint64_t)1 << index;
    extents_give(&p->at[i].registers,
                 c->registers_at + (uint64_t)index * part->registers,
                 part->registers);
}

void pieces_give(pieces *p, unsigned i, unsigned n, uint64_t number,
                 const sm_resources *need, const sm_resources *part)
{
    pieces_sm *h = &p->at[i];
    pieces_cta *c = find_cta(p, i, n, number);
    uint64_t rest = need->registers;

    for (unsigned w = 0; w < need->warps; w++) {
        uint64_t at = c->registers_at + (uint64_t)w * part->registers;

        if (!(c->ended >> w & 1))
            extents_give(&h->registers, at, part->registers);
        rest -= part->registers;
    }
    extents_give(&h->registers, c->registers_at + need->registers - rest, rest);
    extents_give(&h->shared, c->shared_at, need->shared_bytes);
    c->here = false;
}
