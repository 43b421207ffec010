#include "study/replays.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "codegen/codegen.h"
#include "replay/warps.h"

/* What the replay leaves out or adds, where it is not as traces usually are. */
static void warn(const kernel_trace *k, const char *path, diag *dg)
{
    uint64_t fetches = 0;

    for (uint32_t i = 0; i < k->code.count; i++)
        if (k->code.inst[i].in.op == ISA_TXQ)
            fetches += k->code.inst[i].executed;
    if (fetches)
        diag_add(dg, DIAG_WARNING, path, 0, 0, 0,
                 "%" PRIu64 " accesses to textures and surfaces take the time "
                 "of their unit alone: the trace has no addresses of them",
                 fetches);
    if (k->unended)
        diag_add(dg, DIAG_WARNING, path, 0, 0, 0,
                 "%" PRIu64 " warp%s not end with EXIT: one was added to each, "
                 "and counts as an instruction",
                 k->unended, k->unended == 1 ? " does" : "s do");
}

/* The kernels that were launched: one that comes again, which traces tell by
 * its name and code, is in the caches still. Their modules live as long as the
 * device, for the report. */
typedef struct replayed {
    rt_module **module;
    size_t count, room;
} replayed;

static isa_kernel *kernel_of(const rt_module *m)
{
    return &rt_module_program(m)->kernels[0];
}

static rt_module *find_module(const replayed *all, const isa_kernel *k)
{
    for (size_t i = 0; i < all->count; i++)
        if (!strcmp(kernel_of(all->module[i])->name, k->name) &&
            replay_code_merge(kernel_of(all->module[i]), k))
            return all->module[i];
    return NULL;
}

static status take_module(replayed *all, rt_device *d, replay_warps *w,
                          diag *dg, rt_module **out)
{
    isa_program *p = replay_warps_program(w);
    status st;

    if ((*out = find_module(all, &p->kernels[0]))) {
        isa_program_free(p);
        return ST_OK;
    }
    st = rt_module_new(d, p, dg, out);
    if (st != ST_OK) {
        isa_program_free(p);
        return st;
    }
    GROW(all->module, all->count + 1, all->room);
    all->module[all->count++] = *out;
    return ST_OK;
}

static status launch(const replays *r, replayed *all, const char *path,
                     kernel_trace *k, diag *dg)
{
    replay_warps *w =
        replay_warps_new(k, cg_arch_of(rt_device_config(r->device)));
    rt_module *m;
    status st = take_module(all, r->device, w, dg, &m);

    if (st == ST_OK)
        st = r->launch(r->arg, m, replay_warps_front(w), k);
    if (st == ST_OK && replay_warps_failed(w)) {
        diag_error(dg, "the temporary file of '%s' could not be read again",
                   path);
        st = ST_INPUT;
    }
    replay_warps_free(w);
    return st;
}

status replays_run(const replays *r, diag *dg)
{
    replayed all = {0};
    status st = ST_OK;

    for (size_t i = 0; i < r->list->count && st == ST_OK; i++) {
        const trace_step *step = &r->list->step[i];
        kernel_trace *k;

        if (!step->path) {
            rt_copied(r->device, replay_address(step->addr), step->bytes);
            continue;
        }
        st = kernel_trace_read(step->path, &r->how, dg, &k);
        if (st != ST_OK)
            break;
        warn(k, step->path, dg);
        st = launch(r, &all, step->path, k, dg);
        kernel_trace_free(k);
    }
    free(all.module);
    return st;
}
