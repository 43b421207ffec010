#include "probe/judge/probe_device.h"

#include <stdlib.h>
#include <string.h>

#include "asm/asm.h"
#include "base/alloc.h"
#include "codegen/schedule/ctl.h"

enum { DATA_ALIGN = 1 << 20 };

struct probe_device {
    probe_machine machine;
    rt_device *rt;
    diag *dg;
    const volatile sig_atomic_t *stop;
    char *text; /* of the module that is loaded */
    rt_module *module;
    uint64_t out, out_bytes;
    uint64_t data, data_bytes;
    probe_effort effort;
};

/* What the kernel's parameters are, see probe/machine.h. */
typedef struct probe_params {
    uint64_t out, data;
    uint32_t args[PROBE_ARGS];
} probe_params;

/* ---- Control information ---- */

static bool has_target(const isa_inst *in)
{
    return in->op == ISA_BRA || in->op == ISA_BSSY || in->op == ISA_SSY ||
           in->op == ISA_CALL;
}

/* Volta's instructions without control information get the compiler's, because
 * a machine may issue by it. */
static void add_control_info(const config *cfg, isa_kernel *k)
{
    cg_options how = cg_options_of(cfg);
    bool *leader = new0(k->code_count + 1, sizeof *leader);
    uint32_t *given = new0(k->code_count + 1, sizeof *given);

    for (uint32_t i = 0; i < k->code_count; i++) {
        given[i] = k->code[i].ctl;
        if (has_target(&k->code[i]) && k->code[i].val[0] < k->code_count)
            leader[k->code[i].val[0]] = true;
    }
    cg_control(&how, k, leader, NULL, 0);
    for (uint32_t i = 0; i < k->code_count; i++)
        if (given[i] >> CTL_HAS & 1)
            k->code[i].ctl = given[i];
    free(leader);
    free(given);
}

/* ---- Launches ---- */

/* The module of a launch; the last one if the text is the same. */
static status load_probe_module(probe_device *d, const probe_launch *l)
{
    if (d->module && !strcmp(d->text, l->text))
        return ST_OK;
    rt_module_unload(d->module);
    free(d->text);
    d->module = NULL;
    d->text = new_text(l->text);
    isa_program *p = NULL;
    status st = asm_parse(l->name, l->text, strlen(l->text), d->dg, &p);
    for (uint32_t i = 0; st == ST_OK && i < p->kernel_count; i++)
        if (d->machine.family == PROBE_VOLTA)
            add_control_info(rt_device_config(d->rt), &p->kernels[i]);
    if (st == ST_OK)
        st = rt_module_new(d->rt, p, d->dg, &d->module);
    if (st != ST_OK)
        isa_program_free(p);
    return st;
}

static bool make_device_room(probe_device *d, uint64_t *at, uint64_t *have,
                             uint64_t bytes, const char *name)
{
    rt_memory *m = rt_device_memory(d->rt);

    if (bytes <= *have)
        return true;
    if (*at)
        rt_release(m, *at);
    *at = rt_alloc_aligned(m, bytes, DATA_ALIGN, name);
    *have = *at ? bytes : 0;
    return *at != 0;
}

static status launch_probe(probe_device *d, const probe_launch *l)
{
    probe_params p = {.out = d->out, .data = l->data};
    rt_launch how = {.module = d->module,
                     .kernel = rt_module_kernel(d->module, NULL, d->dg),
                     .grid = {l->ctas, 1, 1},
                     .block = {l->threads, 1, 1},
                     .shared_bytes = l->shared_bytes,
                     .params = &p,
                     .stop = d->stop};
    rt_result result;

    if (!how.kernel)
        return ST_INTERNAL;
    memcpy(p.args, l->args, sizeof p.args);
    status st = rt_run(d->rt, &how, d->dg, &result);
    if (st == ST_USAGE) { /* an answer, too */
        diag_clear(d->dg);
        return st;
    }
    d->effort.launches++;
    d->effort.cycles += result.cycles;
    d->effort.warp_insts += result.warp_insts;
    return st;
}

static status run_probe(void *self, const probe_launch *l)
{
    probe_device *d = self;
    uint64_t bytes = l->out_words * sizeof *l->out;
    status st = load_probe_module(d, l);

    if (st != ST_OK)
        return st;
    if (!make_device_room(d, &d->out, &d->out_bytes, bytes ? bytes : 1,
                          "results")) {
        diag_error(d->dg, "no room for the results of a probe");
        return ST_NOMEM;
    }
    st = launch_probe(d, l);
    if (st == ST_OK && bytes)
        rt_read(rt_device_memory(d->rt), d->out, l->out, bytes);
    return st;
}

static uint64_t probe_data(void *self, size_t bytes)
{
    probe_device *d = self;

    return make_device_room(d, &d->data, &d->data_bytes, bytes, "data")
               ? d->data
               : 0;
}

static bool write_probe_data(void *self, uint64_t at, const void *from,
                             size_t bytes)
{
    const probe_device *d = self;

    return rt_write(rt_device_memory(d->rt), at, from, bytes);
}

static probe_family family_of(const config *cfg)
{
    return cfg->gpu.arch == CFG_ARCH_FERMI    ? PROBE_FERMI
           : cfg->gpu.arch == CFG_ARCH_KEPLER ? PROBE_KEPLER
                                              : PROBE_VOLTA;
}

probe_device *probe_device_new(const config *cfg, const rt_options *opt,
                               const volatile sig_atomic_t *stop, diag *dg)
{
    probe_device *d = new0(1, sizeof *d);

    d->dg = dg;
    d->stop = stop;
    d->machine = (probe_machine){.self = d,
                                 .family = family_of(cfg),
                                 .arch = isa_arch_names[cg_arch_of(cfg)],
                                 .run = run_probe,
                                 .memory = probe_data,
                                 .write = write_probe_data};
    d->rt = rt_device_new(cfg, opt, dg);
    if (!d->rt) {
        free(d);
        return NULL;
    }
    return d;
}

void probe_device_free(probe_device *d)
{
    if (!d)
        return;
    rt_device_free(d->rt);
    free(d->text);
    free(d);
}

const probe_machine *probe_device_machine(const probe_device *d)
{
    return &d->machine;
}

probe_effort probe_device_effort(const probe_device *d) { return d->effort; }
