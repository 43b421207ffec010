/* src/sm/observe/dump.c - the state of an SM in words, for the hang report. */
#include <inttypes.h>

#include "base/bits.h"
#include "sm/observe/inspect.h"
#include "sm/sm.h"
#include "sm/state.h"

/* What the master's warp needs of other members. */
static void dump_awaited(const sm_cluster *h, unsigned w, FILE *f)
{
    if (h->outcome[w].awaited)
        fprintf(f, ", members %x have not reported where it goes",
                h->outcome[w].awaited);
    for (uint16_t i = h->first_late[w]; i; i = h->late[i].next)
        fprintf(f, ", result of pc %" PRIu32 " is in members %x", h->late[i].pc,
                h->late[i].have);
}

static void dump_share(const sm *s, FILE *f)
{
    static const char *const mode[] = {
        [CLUSTER_ALONE] = "works by itself",
        [CLUSTER_FORMING] = "forms",
        [CLUSTER_SHARED] = "shares",
        [CLUSTER_DISSOLVING] = "dissolves",
    };
    const sm_cluster *h = s->cluster;

    fprintf(f, "  front end: member %u of %u, %s", h->self, h->members,
            mode[h->mode]);
    for (unsigned k = 1; s->front_end == &sm_front_master && k < h->members;
         k++)
        fprintf(f, ", %u credits of member %u", h->credits[k], k);
    fputc('\n', f);
}

/* Who of the CTA has come to the barrier of its thread-block cluster. */
static void dump_cga(const sm_cta *c, FILE *f)
{
    fprintf(f,
            " of the thread-block cluster: %u of %" PRIu32
            " warps of CTA %" PRIu32 " of %" PRIu32 " have arrived",
            bits_popcount64(c->at_cga.arrived), c->x.live_warps, c->x.rank,
            c->x.cga ? c->x.cga->size : 1);
}

static void put_barrier(const sm *s, unsigned w, FILE *f)
{
    const sm_cta *c = &s->ctas.cta[s->warp[w].cta];
    unsigned number = s->bar[w].number;

    if (sm_is_let_go(s, w)) {
        fputs(": all have come", f);
        return;
    }
    if (number == EXEC_CGA_BARRIER) {
        dump_cga(c, f);
        return;
    }
    const sm_barrier *b = &c->barrier[number];
    fprintf(f, " %u: %" PRIu32 " of %" PRIu32 " threads", number, b->arrived,
            b->expected ? b->expected : c->x.live_warps * ISA_WARP);
}

void sm_put_wait(const sm *s, unsigned w, FILE *f)
{
    const sm_warp *p = &s->warp[w];
    const exec_warp *x = &s->x[w];

    fputs(sm_why_names[p->why], f);
    if (p->why == WHY_REGISTERS)
        fprintf(f, " %u: has %u, the pool %" PRIu32, x->wants, x->has,
                x->cta->pool);
    if (p->why == WHY_BARRIER)
        put_barrier(s, w, f);
    if (s->front_end == &sm_front_master)
        dump_awaited(s->cluster, w, f);
    if (p->loads || p->stores || p->queued)
        fprintf(f, " (%u loads, %" PRIu32 " stores, %u queued)", p->loads,
                p->stores, p->queued);
}

static void dump_warp(const sm *s, unsigned w, FILE *f)
{
    const exec_warp *x = &s->x[w];
    uint32_t pc = x->simt.pc;

    fprintf(f, "  warp %2u CTA %" PRIu64, w, x->cta->number);
    if (s->launches.count > 1)
        fprintf(f, " of '%s'", x->cta->launch->kernel->name);
    fprintf(f, " pc %" PRIu32, pc);
    if (pc < sm_code_count(s, w))
        fprintf(f, " %s", isa_table[x->code[pc].op].text);
    fprintf(f, " lanes %08" PRIx32 "/%08" PRIx32 ": ", x->simt.active,
            x->simt.live);
    sm_put_wait(s, w, f);
    fputc('\n', f);
}

void sm_dump(const sm *s, FILE *f)
{
    static const char *const block[] = {
        [LSU_RUNS] = "running",
        [LSU_PORT] = "waiting for the L1",
        [LSU_PENDING] = "out of pending entries",
        [LSU_COHERENCE] = "waiting for an atomic",
    };

    fprintf(f, "sm %u at cycle %" PRIu64 ": %u CTAs, %u warps\n", s->id, s->now,
            s->ctas.count, bits_popcount64(s->resident));
    fprintf(f,
            "  LSU: %" PRIu32 " instructions, %s; %" PRIu32
            " stores not acknowledged\n",
            s->lsu.count, block[s->lsu.block], s->lsu.stores);
    if (sm_tma_count(s))
        fprintf(f, "  tensor memory accelerator: %u copies under way\n",
                sm_tma_count(s));
    if (s->cluster)
        dump_share(s, f);
    for (uint64_t set = s->resident; set; set &= set - 1)
        dump_warp(s, bits_ctz64(set), f);
}
