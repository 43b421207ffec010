#include "sm/memory/lines.h"

#include <string.h>

#include "base/bits.h"
#include "sm/state.h"

/* A prefetch of the lines that exist; others are left out without a fault. */
void sm_lines_prefetch(sm *s, const sm_lsu_entry *e)
{
    sm_txs *txs = &s->lsu.txs;
    uint32_t mask = 0;
    unsigned hint = 0;

    if (!s->lsu.keeps && ISA_GET(e->inst->in, PFLEVEL) >= PFLEVEL_APPLY)
        return;

    for (uint32_t left = e->m->space[EXEC_GLOBAL]; left; left &= left - 1) {
        unsigned l = bits_ctz32(left);

        if (mem_valid(mem_view_image(s->view), e->m->addr[l], 1, &hint))
            mask |= 1u << l;
    }
    sm_coalesce(txs, e->m->addr, mask, 1);
    for (unsigned i = 0; i < txs->count; i++)
        txs->tx[i].sectors = 0xf;
}

/* Local memory of a warp slot. */
static uint64_t local_bytes(const exec_launch *l)
{
    return bits_align_up((uint64_t)exec_local_bytes(l) * ISA_WARP, MEM_LINE);
}

uint64_t sm_local_bytes(const config *cfg, const exec_launch *l)
{
    return (uint64_t)cfg->gpu.sms * cfg->sm.warps * local_bytes(l);
}

/* Local memory of a lane is interleaved by words with that of the others, so
 * that lanes at the same offset share lines: the addresses `at` bytes behind
 * those of `e`. */
static void local_addresses(const sm *s, const sm_lsu_entry *e, unsigned at,
                            uint64_t addr[ISA_WARP])
{
    const sm_grid *g = &s->launches.grid[s->warp[e->warp].grid];
    uint64_t slot = s->id * (uint64_t)s->cfg->sm.warps + e->warp;
    uint64_t base = g->local + slot * local_bytes(g->launch);

    for (unsigned l = 0; l < ISA_WARP; l++) {
        uint64_t o = e->m->addr[l] + at;
        addr[l] = SM_LOCAL_BASE +
                  (base + (o / 4 * ISA_WARP + l) * 4 + o % 4) % SM_LOCAL_BYTES;
    }
}

void sm_lines_local(sm *s, const sm_lsu_entry *e)
{
    uint64_t addr[ISA_WARP];
    unsigned size = e->m->size;

    for (unsigned at = 0; at < size; at += 4) {
        local_addresses(s, e, at, addr);
        sm_coalesce(&s->lsu.txs, addr, e->m->space[EXEC_LOCAL],
                    size < 4 ? size : 4);
    }
}

/* The texels of all lanes, each line once. [guess] */
void sm_lines_texels(sm *s, const sm_lsu_entry *e)
{
    uint64_t addr[EXEC_TAPS][ISA_WARP];
    uint32_t mask[EXEC_TAPS];
    unsigned rows = exec_texels(&s->x[e->warp], e->m, addr, mask);

    for (unsigned k = 0; k < rows; k++)
        sm_coalesce(&s->lsu.txs, addr[k], mask[k], 1);
}

enum exec_space sm_lines_words(const sm *s, const sm_lsu_entry *e,
                               const sm_tx *t, uint32_t words[4])
{
    memset(words, 0, 4 * sizeof *words);
    if (!sm_line_is_local(t)) {
        words[0] = t->lanes & e->m->space[EXEC_GLOBAL];
        return EXEC_GLOBAL;
    }
    for (unsigned k = 0; 4 * k < e->m->size; k++) {
        uint64_t addr[ISA_WARP];

        local_addresses(s, e, 4 * k, addr);
        for (uint32_t left = e->m->space[EXEC_LOCAL]; left; left &= left - 1) {
            unsigned l = bits_ctz32(left);

            if (addr[l] / MEM_LINE == t->line / MEM_LINE)
                words[k] |= 1u << l;
        }
    }
    return EXEC_LOCAL;
}
