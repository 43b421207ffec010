#include "exec/async_found.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "exec/fault.h"
#include "isa/print.h"

typedef struct list {
    exec_finding *is;
    size_t count, room;
} list;

struct exec_findings {
    uint32_t sms;
    list sm[];
};

exec_findings *exec_findings_new(uint32_t sms)
{
    exec_findings *f = new0(1, sizeof *f + sms * sizeof f->sm[0]);

    f->sms = sms;
    return f;
}

void exec_findings_free(exec_findings *f)
{
    for (uint32_t i = 0; f && i < f->sms; i++)
        free(f->sm[i].is);
    free(f);
}

void exec_findings_clear(exec_findings *f)
{
    for (uint32_t i = 0; i < f->sms; i++)
        f->sm[i].count = 0;
}

static bool comes_first(const exec_finding *a, const exec_finding *b)
{
    return a->cta != b->cta ? a->cta < b->cta : a->warp < b->warp;
}

static void merge(list *l, const exec_finding *is)
{
    for (size_t i = 0; i < l->count; i++) {
        exec_finding *f = &l->is[i];
        uint64_t count = f->count + is->count;

        if (f->pc != is->pc || f->what != is->what || f->other != is->other)
            continue;
        if (comes_first(is, f))
            *f = *is;
        f->count = count;
        return;
    }
    GROW(l->is, l->count + 1, l->room);
    l->is[l->count++] = *is;
}

void exec_findings_add(exec_findings *f, uint32_t sm, const exec_finding *is)
{
    MUST(sm < f->sms);
    merge(&f->sm[sm], is);
}

static int by_place(const void *x, const void *y)
{
    const exec_finding *a = x, *b = y;

    if (a->pc != b->pc)
        return a->pc < b->pc ? -1 : 1;
    if (a->what != b->what)
        return a->what < b->what ? -1 : 1;
    return (a->other > b->other) - (a->other < b->other);
}

exec_finding *exec_findings_take(exec_findings *f, size_t *count)
{
    list all = {.count = 0};

    for (uint32_t i = 0; i < f->sms; i++)
        for (size_t k = 0; k < f->sm[i].count; k++)
            merge(&all, &f->sm[i].is[k]);
    exec_findings_clear(f);
    if (all.count)
        qsort(all.is, all.count, sizeof *all.is, by_place);
    *count = all.count;
    return all.is;
}

/* What it does; then, behind the place of the other, what is missing. */
static const struct {
    const char *does, *lacks;
} texts[] = {
    [ASYNC_COPY] = {"what cp.async writes at",
                    "it needs cp.async.wait_group, or .wait_all, before"},
    [ASYNC_COPY_OF] = {"what cp.async of another warp writes at",
                       "it needs that warp's cp.async.wait_group, then a "
                       "barrier, before"},
    [ASYNC_BULK] = {"what a bulk copy writes at",
                    "it needs a wait for that phase of its mbarrier before"},
    [ASYNC_PROXY] = {"through the async proxy what was written at",
                     "it needs fence.proxy.async between"},
    [ASYNC_ORDER] = {"through the async proxy what another warp wrote at",
                     "it needs fence.proxy.async and a barrier between"},
    [ASYNC_TENSOR] = {"what wgmma reads at",
                      "it needs wgmma.wait_group before"},
    [ASYNC_STORE] = {"what a bulk store reads at",
                     "it needs cp.async.bulk.wait_group.read before"},
    [ASYNC_REGISTER] = {"that wgmma uses at",
                        "it needs wgmma.wait_group before"},
    [ASYNC_UNFENCED] = {"that was written at", "it needs wgmma.fence between"},
    [ASYNC_MBARRIER] = {"an mbarrier that was initialised at",
                        "it needs fence.mbarrier_init or fence.proxy.async, "
                        "then a barrier, between"},
    [ASYNC_PEER] = {"the shared memory of another CTA, which may not have "
                    "begun",
                    "it needs barrier.cluster.arrive and .wait before"},
};

char *exec_finding_text(const exec_finding *f, const exec_launch *l)
{
    const isa_kernel *k = l->kernel;
    bool reg = f->what == ASYNC_REGISTER || f->what == ASYNC_UNFENCED;
    isa_inst in = k->code[f->pc];
    strbuf b = {0};

    strbuf_printf(&b, "%s ",
                  f->what == ASYNC_UNFENCED ? "wgmma uses"
                  : f->write                ? "writes"
                                            : "reads");
    if (reg)
        strbuf_printf(&b, "register R%" PRIu32 " ", f->at);
    strbuf_puts(&b, texts[f->what].does);
    if (f->what != ASYNC_PEER) {
        strbuf_puts(&b, " ");
        exec_place_text(&b, k, f->other);
    }
    strbuf_printf(&b, ": %s; in kernel '%s', CTA (%u,%u,%u) warp %u",
                  texts[f->what].lacks, k->name ? k->name : "?", f->id[0],
                  f->id[1], f->id[2], f->warp);
    if (f->by != f->warp)
        strbuf_printf(&b, " (the other: warp %u)", f->by);
    if (!reg)
        strbuf_printf(&b, ", shared 0x%" PRIx32, f->at);
    in.ctl = CTL_NONE;
    strbuf_printf(&b, ", instruction %" PRIu32 ": ", f->pc);
    isa_print(&in, l->arch, &b, NULL, NULL);
    return b.text;
}
