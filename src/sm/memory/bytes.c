#include "sm/memory/bytes.h"

#include "base/bits.h"
#include "mem/sector.h"
#include "sm/state.h"

/* Lanes that load or store global memory, and nothing else: what they touch is
 * in the transactions, byte by byte. */
static bool is_of_bytes(const sm_lsu_entry *e)
{
    const isa_inst *in = e->inst->in;

    return e->m->space[EXEC_GLOBAL] && !e->m->space[EXEC_LOCAL] &&
           !(in->flags & ISA_F_ATOMIC) && in->op != ISA_CCTL &&
           !exec_is_fetch(in);
}

void sm_bytes_watch(sm *s, const sm_lsu_entry *e, bool lines)
{
    const sm_txs *x = &s->lsu.txs;
    unsigned least = 0;

    if (is_of_bytes(e) && !lines)
        least = (unsigned)bits_div_up(sm_coalesce_bytes(x), MEM_SECTOR);
    else
        for (unsigned i = 0; i < x->count; i++)
            least += mem_sectors_count(x->tx[i].sectors);
    sm_profile_at(s, e->warp, e->pc)->sectors_least += least;
}

void sm_bytes_list(sm *s, const sm_lsu_entry *e, bool lines)
{
    sm_txs *x = &s->lsu.txs;
    uint32_t lanes = e->m->space[EXEC_GLOBAL];

    if (!is_of_bytes(e) || s->lsu.turns.wanted)
        return;
    sm_coalesce_perfectly(x, e->m->addr[bits_ctz32(lanes)], e->m->size);
    for (unsigned i = 0; lines && i < x->count; i++)
        x->tx[i].sectors = 0xf;
}
