/* src/sm/memory/hints.c - see the header. */
#include "sm/memory/hints.h"

#include "base/bits.h"
#include "mem/keep.h"
#include "sm/state.h"

uint64_t sm_keep_policy(const sm *s, unsigned warp, const isa_inst *in,
                        uint32_t lanes)
{
    const exec_warp *x = &s->x[warp];
    unsigned lane = lanes ? bits_ctz32(lanes) : 0;

    return x->reg[in->src[2]][lane] | (uint64_t)x->reg[in->src[2] + 1][lane]
                                          << 32;
}

static mem_keep by_window(const sm *s, const sm_lsu_entry *e, uint64_t line)
{
    const exec_hints *l =
        &s->launches.grid[s->warp[e->warp].grid].launch->hints;
    mem_keep is = line - l->window_at < l->window_bytes
                      ? mem_keep_of(l->window_policy, line)
                      : MEM_KEEP_DEFAULT;

    return is == MEM_KEEP_LAST ? MEM_KEEP_WINDOW : is;
}

void sm_keep_note(const sm *s, const sm_lsu_entry *e, mem_msg *m)
{
    const isa_inst *in = e->inst->in;
    isa_mod_set has = isa_table[in->op].mods;

    if (m->local || !(has >> MOD_KEEP & 1))
        return;
    if (in->op == ISA_CCTL && ISA_GET(in, PFLEVEL) >= PFLEVEL_APPLY) {
        m->keep = ISA_GET(in, PFLEVEL) == PFLEVEL_APPLY ? MEM_KEEP_APPLY
                                                        : MEM_KEEP_DISCARD;
        return;
    }
    m->keep = (uint8_t)(ISA_GET(in, KEEP)) & 7;
    if (sm_keep_by_policy(in))
        m->keep = (uint8_t)(mem_keep_of(e->policy, m->addr)) & 7;
    else if (!m->keep)
        m->keep = (uint8_t)(by_window(s, e, m->addr)) & 7;
    if (!(has >> MOD_LTC & 1))
        return;
    m->widen = (uint8_t)ISA_GET(in, LTC) & 3;
    if (ISA_GET(in, L1SKIP) && m->hint != CACHE_CG && m->hint != CACHE_CV)
        m->hint = MEM_HINT_SKIP;
}
