/* src/gpu/cga_link.c - see cga_link.h. */
#include "gpu/cga_link.h"

#include "base/alloc.h"
#include "gpu/state.h"

/* All CTAs of a thread-block cluster have arrived at its barrier: that goes to
 * where it is noticed and back, gpu.cga.latency each way. */
static void release_cga(gpu *g, const exec_cga *c, uint64_t last, uint32_t who)
{
    unsigned per = g->cfg->gpu.cluster.size;
    uint64_t when = last + 2 * (uint64_t)g->cfg->gpu.cga.latency;

    for (unsigned r = 0; r < c->size; r++) {
        unsigned i = c->sm[r], n = i / per;
        bool again = false;

        for (unsigned k = 0; k < r; k++)
            again |= (who >> k & 1) && c->sm[k] == i;
        if (!(who >> r & 1) || again)
            continue;
        cluster_cga_release(g->cluster[n], i % per, when, c->serial);
        g->due[n] = when < g->due[n] ? when : g->due[n];
    }
}

void gpu_gather_cga(gpu *g, sm *s)
{
    const sm_cga_word *w;
    unsigned n = sm_cga_words(s, &w);

    for (unsigned k = 0; k < n; k++) {
        uint64_t last;
        uint32_t who;

        if (dispatch_cga_take(g->dispatch, &w[k], &last, &who))
            release_cga(g, w[k].cga, last, who);
    }
}

void gpu_connect_cga(gpu *g)
{
    unsigned per = g->cfg->gpu.cluster.size, sms = g->cfg->gpu.sms;

    for (unsigned k = 0; k < CLUSTER_CGA_ENDS; k++) {
        g->cga_end[k] = new0(sms, sizeof *g->cga_end[k]);
        for (unsigned i = 0; i < sms; i++) {
            noc_end *e = cluster_cga_end(g->cluster[i / per], i % per, k);

            g->cga_end[k][i] = e;
            noc_end_set_due(e, &g->due[i / per]);
        }
    }
}

void gpu_exchange_cga(gpu *g)
{
    unsigned per = g->cfg->gpu.cluster.size, sms = g->cfg->gpu.sms;

    for (unsigned k = 0; k < CLUSTER_CGA_ENDS; k++)
        for (unsigned a = 0; a < g->active_clusters; a++)
            for (unsigned m = 0; m < per; m++) {
                unsigned i = g->active[a] * per + m;

                if (i < sms)
                    g->st.messages += noc_end_exchange(
                        g->cga_end[k][i], g->cga_end[k], sms, g->to);
            }
}
