/* src/runtime/launch_cga.c - see launch_cga.h. */
#include "runtime/launch_cga.h"

#include <string.h>

#include "exec/cga.h"
#include "gpu/dispatch/gpc.h"

void rt_cga_of(const rt_launch *l, uint32_t cga[3])
{
    const uint32_t *from = l->cga[0] ? l->cga : l->kernel->req_cga;

    memcpy(cga, from, 3 * sizeof *cga);
}

/* What the kernel was compiled for. */
static void check_kernel(const rt_launch *l, const uint32_t cga[3], diag *dg)
{
    const isa_kernel *k = l->kernel;
    uint64_t size = (uint64_t)cga[0] * cga[1] * cga[2];

    if (l->cga[0] && k->req_cga[0] && memcmp(l->cga, k->req_cga, sizeof l->cga))
        diag_error(dg,
                   "the thread-block cluster is %ux%ux%u, but kernel '%s' "
                   "requires %ux%ux%u (.reqnctapercluster)",
                   l->cga[0], l->cga[1], l->cga[2], k->name, k->req_cga[0],
                   k->req_cga[1], k->req_cga[2]);
    if (k->max_cga && size > k->max_cga)
        diag_error(dg,
                   "the thread-block cluster has %llu CTAs, but kernel '%s' "
                   "was compiled for at most %u (.maxclusterrank)",
                   (unsigned long long)size, k->name, k->max_cga);
    if (k->explicit_cga && !cga[0])
        diag_error(dg,
                   "kernel '%s' is for launches that say how large a "
                   "thread-block cluster is (.explicitcluster): give one "
                   "(--cluster, or 'cluster' in a launch file)",
                   k->name);
}

/* Why no cluster can start on a machine whose SMs know them: how it hands out
 * CTAs, with the parameter that says so. NULL: they can. */
static const char *hindrance(const config *cfg)
{
    if (cfg->gpu.cluster.size > 1)
        return "gpu.cluster.size: SMs that share a front end take CTAs in rows";
    if (cfg->gpu.cta.block > 1)
        return "gpu.cta.block: CTAs go in blocks to an SM, not together to a "
               "GPC";
    if (cfg->gpu.cta.limit == CFG_CTA_LIMIT_LAZY)
        return "gpu.cta.limit=lazy: an SM that takes fewer CTAs than fit may "
               "never have room for one";
    if (cfg->gpu.cta.allocation == CFG_ALLOCATION_CONTIGUOUS)
        return "gpu.cta.allocation=contiguous: room for them is counted, not "
               "found in pieces";
    if (cfg->gpu.load_weight.tree == CFG_LOAD_TREE_PIPELINED)
        return "gpu.load_weight.tree=pipelined: it finds one SM at a time";
    return NULL;
}

unsigned rt_cga_most(const config *cfg)
{
    return cfg->gpu.cga.most && hindrance(cfg) ? 1 : cfg->gpu.cga.most;
}

/* Bulk copies need an accelerator: only its family compiles them. */
static void check_bulk(const config *cfg, const isa_kernel *k, diag *dg)
{
    bool shares = cfg->gpu.cluster.size > 1;

    if ((cfg->sm.tma.queue && !shares) || cfg->gpu.arch < CFG_ARCH_HOPPER)
        return;
    for (uint32_t pc = 0; pc < k->code_count; pc++)
        if (isa_is_bulk(k->code[pc].op) || k->code[pc].op == ISA_UTMAWAIT ||
            k->code[pc].op == ISA_UTMACMDFLUSH) {
            diag_error(dg,
                       "kernel '%s' makes bulk copies, but %s has no tensor "
                       "memory accelerator (%s)",
                       k->name, cfg->gpu.name,
                       shares ? "gpu.cluster.size: SMs share a front end"
                              : "sm.tma.queue");
            return;
        }
}

bool rt_cga_check(const config *cfg, const rt_launch *l, diag *dg)
{
    size_t before = diag_errors(dg);
    uint32_t cga[3];

    rt_cga_of(l, cga);
    check_kernel(l, cga, dg);
    check_bulk(cfg, l->kernel, dg);
    if (!cga[0])
        return diag_errors(dg) == before;
    uint64_t size = (uint64_t)cga[0] * cga[1] * cga[2];
    if (!size)
        diag_error(dg, "a thread-block cluster of %ux%ux%u has no CTAs", cga[0],
                   cga[1], cga[2]);
    else if (size > 1 && !cfg->gpu.cga.most)
        diag_error(dg,
                   "kernel '%s' is launched in thread-block clusters of "
                   "%ux%ux%u CTAs, but %s has none: they exist from compute "
                   "capability 9.0 on (gpu.cga.most)",
                   l->kernel->name, cga[0], cga[1], cga[2], cfg->gpu.name);
    else if (size > 1 && hindrance(cfg))
        diag_error(dg,
                   "kernel '%s' is launched in thread-block clusters of "
                   "%ux%ux%u CTAs, but this GPU starts none because of %s",
                   l->kernel->name, cga[0], cga[1], cga[2], hindrance(cfg));
    else if (size > 1 && size > cfg->gpu.cga.most)
        diag_error(dg,
                   "a thread-block cluster of %ux%ux%u has %llu CTAs, but the "
                   "GPU allows %u (gpu.cga.most)",
                   cga[0], cga[1], cga[2], (unsigned long long)size,
                   cfg->gpu.cga.most);
    else if (size > 1 && l->cga_portable && size > cfg->gpu.cga.portable)
        diag_error(dg,
                   "a thread-block cluster of %ux%ux%u has %llu CTAs: more "
                   "than %u are not portable, and kernel '%s' has to allow "
                   "them first",
                   cga[0], cga[1], cga[2], (unsigned long long)size,
                   cfg->gpu.cga.portable, l->kernel->name);
    for (unsigned i = 0; size && i < 3; i++)
        if (l->grid[i] % cga[i])
            diag_error(dg,
                       "grid %c is %u, no multiple of the %u CTAs that a "
                       "thread-block cluster has there",
                       "xyz"[i], l -> grid[i], cga[i]);
    return diag_errors(dg) == before;
}

unsigned rt_cga_active(const config *cfg, unsigned size, unsigned ctas)
{
    unsigned n = 0;
    gpcs g;

    gpcs_init(&g, cfg);
    for (unsigned i = 0; i < g.count; i++)
        n += g.list[i].sms * ctas / size;
    gpcs_fini(&g);
    return n;
}

bool rt_cga_fits(const config *cfg, const exec_launch *e, unsigned ctas,
                 diag *dg)
{
    unsigned size = exec_cga_size(e);

    if (size == 1 || size <= gpc_largest(cfg) * ctas)
        return true;
    diag_error(dg,
               "a thread-block cluster of %u CTAs of kernel '%s' does not fit "
               "a GPC: %u on each of its %u SMs do",
               size, e->kernel->name, ctas, gpc_largest(cfg));
    return false;
}
