#include "exec/mbarrier.h"

#include <string.h>

#include "exec/arrivals.h"

/* Where the instruction `in` of warp `w` finds the mbarrier of a lane: waiting,
 * a warp keeps its registers. */
static uint32_t place_of(const exec_warp *w, const isa_inst *in, unsigned lane)
{
    unsigned regs, plus = isa_uaddr(in, &regs);
    uint32_t at = in->val[0] + (regs ? w->ureg[plus] : 0);

    at += in->src[0] == ISA_RZ ? 0 : w->reg[in->src[0]][lane];
    return at & (uint32_t)(MEM_WINDOW_BYTES - 1);
}

void exec_mbarrier_went_on(exec_warp *w, const exec_bar *b)
{
    const isa_inst *in = &w->code[b->pc];
    uint32_t over = 0;

    for (uint32_t left = b->lanes; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);
        uint32_t phase = in->src[1] == ISA_RZ ? 0 : w->reg[in->src[1]][l];

        if (!exec_mbarrier_holds(w->cta, place_of(w, in, l), phase))
            over |= 1u << l;
    }
    if (in->pdst[0] != ISA_PT)
        w->pred[in->pdst[0]] = (w->pred[in->pdst[0]] & ~b->lanes) | over;
    if (w->cta->async)
        exec_async_look(w, b->at);
}

void exec_mbarrier_behind_copies(exec_warp *w, const exec_bar *b)
{
    const isa_inst *in = &w->code[b->pc];
    exec_cta *c = w->cta;
    unsigned op = ISA_GET(in, TWOCOUNTS) ? ATOM_ARRIVE80 : ATOM_ARRIVE;
    uint64_t by = ISA_GET(in, ARRIVAL) == ARRIVAL_A0TX
                      ? (uint64_t)UINT32_MAX << 32 /* a byte less */
                      : 1;

    for (uint32_t left = b->lanes; left; left &= left - 1) {
        uint32_t at = place_of(w, in, bits_ctz32(left));
        uint64_t was, now;

        memcpy(&was, c->shared + at, 8);
        now = exec_atom_apply(op, ATYPE_U64, was, by, 0, false);
        memcpy(c->shared + at, &now, 8);
        exec_arrivals_note(c, at, was, now, by, c->rank, w->index);
    }
}
