/* src/sm/cluster/cluster_union.c - gpu.cluster.conflict=union: members whose
 * warps go different ways go all of them. */
#include <string.h>

#include "base/bits.h"
#include "base/must.h"
#include "sm/cluster/cluster_impl.h"
#include "sm/cta.h"

exec_result share_step(sm *s, unsigned w, exec_mem *mem, exec_fault *fault)
{
    exec_warp *x = &s->x[w];

    s->share->was[w] = simt_mark_of(&x->simt);
    if (x->simt.active)
        return exec_step(x, mem, &s->bar[w], fault);
    s->st.union_empty++;
    exec_skip(x);
    return EXEC_DONE;
}

bool share_unite(sm *s, unsigned w)
{
    sm_share *h = s->share;
    uint8_t alive = share_everybody(h) & ~(h->gone[w] & ~1u);
    simt *stack[SHARE_MEMBERS];
    simt_mark was[SHARE_MEMBERS];
    uint32_t pc = s->x[w].simt.pc;
    unsigned n = 0;

    for (unsigned k = 0; k < h->members; k++) {
        sm *m = k ? h->member[k] : s;

        if (!(alive >> k & 1))
            continue;
        stack[n] = &m->x[w].simt;
        was[n++] = m->share->was[w];
    }
    if (!share_unites(s) || !simt_unite(stack, was, n))
        return false;
    s->st.unions++;
    h->bare[w] = 0;
    for (unsigned k = 0, i = 0; k < h->members; k++) {
        if (!(alive >> k & 1))
            continue;
        h->gone[w] |= (uint8_t)(!stack[i]->live << k);
        h->bare[w] |= (uint8_t)((stack[i]->live && !stack[i]->active) << k);
        i++;
    }
    share_tell_all(s, s->now,
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
    s->share->gone[w] = s->share->bare[w] = 0;
    sm_warp_end(s, w);
    share_leave(s, BIT(w));
}

void share_proceed(sm *s, unsigned w)
{
    if (s->share->outcome[w].over) {
        s->share->outcome[w].over = false;
        end(s, w);
        return;
    }
    if (s->fetch.redirect >> w & 1)
        sm_fetch_redirect(s, w, s->x[w].simt.pc);
    sm_warp_head(s, w);
}

bool share_outlives(sm *s, unsigned w)
{
    if (!share_unites(s))
        return false;
    if (!s->share->outcome[w].owed) { /* the last */
        end(s, w);
        return true;
    }
    s->constant.found[w] = 0;
    sm_fetch_flush(s, w);
    sm_warp_set(s, w, WHY_ACK);
    return true;
}

bool share_outlived(sm *s, const sm_word *m)
{
    const sm_inst *si = sm_inst_at(s, m->warp, m->pc);

    if ((s->resident >> m->warp & 1) && !s->warp[m->warp].ended)
        return false;
    s->st.union_empty++;
    if (si->flags & INST_MEM)
        share_answer(s, (sm_word){.kind = WORD_CREDIT});
    if (share_is_late(si)) {
        s->st.acks++;
        share_acknowledge(
            s, (sm_word){.kind = WORD_ACK, .warp = m->warp, .pc = m->pc});
    }
    return true;
}

/* Has a warp of the CTA of `w` ended in some members only? */
static bool is_uneven(const sm *s, unsigned w)
{
    for (uint64_t set = s->ctas.cta[s->warp[w].cta].warps; set; set &= set - 1)
        if (s->share->gone[bits_ctz64(set)])
            return true;
    return false;
}

bool share_cannot_follow(sm *s, unsigned w, const sm_inst *si,
                         sm_dissolve_cause *cause)
{
    sm_share *h = s->share;
    uint64_t limit = s->cfg->gpu.cluster.apart;

    h->apart[w] = h->bare[w] ? h->apart[w] + 1 : 0;
    if (si->in->flags & ISA_F_BARRIER) {
        *cause = h->bare[w] ? DISSOLVE_BRANCH : DISSOLVE_EXIT;
        return h->bare[w] || is_uneven(s, w);
    }
    *cause = DISSOLVE_APART;
    return limit && h->apart[w] > limit;
}

void share_settle(sm *s)
{
    for (uint64_t set = s->resident; set; set &= set - 1) {
        unsigned w = bits_ctz64(set), why = s->warp[w].why;
        bool due = why == WHY_BRANCH || why == WHY_CODE; /* it will resume */
        simt *t = &s->x[w].simt;

        if (t->active || s->warp[w].ended)
            continue;
        if (!t->live) { /* one that resumes ends by its next instruction */
            sm_check_forget(s, w);
            if (!due)
                end(s, w);
            continue;
        }
        sm_check_forget(s, w);
        simt_settle(t);
        if (!(s->fetch.redirect >> w & 1))
            sm_fetch_flush(s, w);
        if (due)
            continue;
        sm_fetch_redirect(s, w, t->pc);
        sm_warp_head(s, w);
    }
    memset(s->share->gone, 0, sizeof s->share->gone);
    memset(s->share->bare, 0, sizeof s->share->bare);
}
