/* src/sm/cluster/cluster_union.c - gpu.cluster.conflict=union: members whose
 * warps go different ways go all of them. */
#include <string.h>

#include "base/bits.h"
#include "base/must.h"
#include "sm/cluster/cluster_impl.h"
#include "sm/cta.h"

exec_result sm_cluster_step(sm *s, unsigned w, exec_mem *mem, exec_fault *fault)
{
    exec_warp *x = &s->x[w];

    s->cluster->was[w] = simt_mark_of(&x->simt);
    if (x->simt.active)
        return exec_step(x, mem, &s->bar[w], fault);
    s->st.union_empty++;
    exec_skip(x);
    return EXEC_DONE;
}

void sm_cluster_find_meeting(sm *s, unsigned w)
{
    sm_cluster *h = s->cluster;

    h->meets[w] = UINT32_MAX;
    for (unsigned k = 0; k < h->members; k++) {
        const sm *m = k ? h->member[k] : s;

        if ((h->laneless[w] >> k & 1) &&
            simt_aside(&m->x[w].simt) < h->meets[w])
            h->meets[w] = simt_aside(&m->x[w].simt);
    }
}

/* wide_code */
static wide_place place_at(const void *code, uint32_t pc)
{
    const sm_inst *si = (const sm_inst *)code + pc;

    return (wide_place){.nest = si->nest, .meets = si->in->op == ISA_BSYNC};
}

/* The warp does not stand where it came to by itself. */
static bool has_moved(const simt *s, const simt_mark *came)
{
    return s->pc != came->pc || s->active != came->active;
}

bool sm_cluster_unite(sm *s, unsigned w)
{
    sm_cluster *h = s->cluster;
    uint8_t gone = (h->warp_ended[w] & ~1u) | sm_cluster_empty(s, w);
    uint8_t alive = sm_cluster_all(h) & ~gone;
    simt *stack[CLUSTER_MEMBERS];
    simt_mark was[CLUSTER_MEMBERS], came[CLUSTER_MEMBERS];
    uint32_t pc = s->x[w].simt.pc;
    unsigned n = 0;
    bool moved = false;
    wide_code code = {place_at, sm_inst_at(s, w, 0)};

    for (unsigned k = 0; k < h->members; k++) {
        sm *m = k ? h->member[k] : s;

        if (!(alive >> k & 1))
            continue;
        stack[n] = &m->x[w].simt;
        came[n] = simt_mark_of(stack[n]);
        was[n++] = m->cluster->was[w];
    }
    if (!sm_cluster_is_union(s) || !wide_warp_unite(stack, was, n, &code))
        return false;
    h->laneless[w] = 0;
    for (unsigned k = 0, i = 0; k < h->members; k++) {
        if (!(alive >> k & 1))
            continue;
        h->warp_ended[w] |= (uint8_t)(!stack[i]->live << k);
        h->laneless[w] |= (uint8_t)((stack[i]->live && !stack[i]->active) << k);
        moved = moved || has_moved(stack[i], &came[i]);
        i++;
    }
    s->st.unions += moved;
    if (moved)
        sm_cluster_send_all(s, s->now,
                            (sm_word){.kind = WORD_UNITE,
                                      .warp = (uint8_t)w,
                                      .pc = s->x[w].simt.pc,
                                      .depth = s->x[w].simt.depth});
    if (s->x[w].simt.pc != pc && !(s->fetch.redirect >> w & 1))
        sm_fetch_flush(s, w);
    return true;
}

/* The master's warp ends, in the last member or as the cluster parts. */
static void end(sm *s, unsigned w)
{
    s->cluster->warp_ended[w] = s->cluster->laneless[w] = 0;
    sm_warp_end(s, w);
    sm_cluster_leave(s, BIT(w));
}

void sm_cluster_proceed(sm *s, unsigned w)
{
    if (s->cluster->outcome[w].over) {
        s->cluster->outcome[w].over = false;
        end(s, w);
        return;
    }
    if (s->fetch.redirect >> w & 1)
        sm_fetch_redirect(s, w, s->x[w].simt.pc);
    sm_warp_head(s, w);
}

bool sm_cluster_outlives(sm *s, unsigned w)
{
    if (!sm_cluster_is_union(s))
        return false;
    if (!s->cluster->outcome[w].awaited) { /* the last */
        end(s, w);
        return true;
    }
    s->constant.found[w] = 0;
    sm_fetch_flush(s, w);
    sm_warp_set(s, w, WHY_ACK);
    return true;
}

bool sm_cluster_outlived(sm *s, const sm_word *m)
{
    const sm_inst *si = sm_inst_at(s, m->warp, m->pc);

    if ((s->resident >> m->warp & 1) && !s->warp[m->warp].ended)
        return false;
    s->st.union_empty++;
    if (si->flags & INST_MEM)
        sm_cluster_answer(s, (sm_word){.kind = WORD_CREDIT});
    if (sm_cluster_is_late(si)) {
        s->st.acks++;
        sm_cluster_acknowledge(
            s, (sm_word){.kind = WORD_ACK, .warp = m->warp, .pc = m->pc});
    }
    return true;
}

/* Has a warp of the CTA of `w` ended in some members only? */
static bool is_uneven(const sm *s, unsigned w)
{
    for (uint64_t set = s->ctas.cta[s->warp[w].cta].warps; set; set &= set - 1)
        if (s->cluster->warp_ended[bits_ctz64(set)])
            return true;
    return false;
}

bool sm_cluster_cannot_follow(sm *s, unsigned w, const sm_inst *si,
                              sm_dissolve_cause *cause)
{
    sm_cluster *h = s->cluster;
    uint64_t limit = s->cfg->gpu.cluster.apart;

    h->apart[w] = h->laneless[w] ? h->apart[w] + 1 : 0;
    if (si->in->flags & ISA_F_BARRIER) {
        *cause = h->laneless[w] ? DISSOLVE_BRANCH : DISSOLVE_EXIT;
        return h->laneless[w] || is_uneven(s, w);
    }
    *cause = DISSOLVE_APART;
    return limit && h->apart[w] > limit;
}

void sm_cluster_end_union(sm *s)
{
    for (uint64_t set = s->resident; set; set &= set - 1) {
        unsigned w = bits_ctz64(set), why = s->warp[w].why;
        bool due = why == WHY_BRANCH || why == WHY_CODE; /* it will resume */
        simt *t = &s->x[w].simt;

        if (t->active || s->warp[w].ended)
            continue;
        if (!t->live) { /* one that resumes ends by its next instruction */
            sm_table_stage_forget(s, w);
            if (!due)
                end(s, w);
            continue;
        }
        sm_table_stage_forget(s, w);
        wide_warp_leave(t);
        if (!(s->fetch.redirect >> w & 1))
            sm_fetch_flush(s, w);
        if (due)
            continue;
        sm_fetch_redirect(s, w, t->pc);
        sm_warp_head(s, w);
    }
    memset(s->cluster->warp_ended, 0, sizeof s->cluster->warp_ended);
    memset(s->cluster->laneless, 0, sizeof s->cluster->laneless);
}
