/* tests/fuzz/fuzz_kernel.c - PTX all the way: compiled for one of the GPUs,
 * with all registers or few, loaded, and each kernel run for a while without
 * timing on memory that is mostly out of its bounds. */
#include "fuzz.h"

#include <stdlib.h>

#include "base/diag.h"
#include "base/must.h"
#include "config/sheet.h"
#include "runtime/image.h"
#include "runtime/runtime.h"

enum { GPUS = 3, LIMIT = 2000, PARAMS = 4096 };

/* Read once; in no input's way. */
static const config *machine(unsigned which)
{
    static const char *const names[GPUS] = {"gtx480", "k20", "v100"};
    static config_sheet *sheets[GPUS];
    config_sheet *s = sheets[which];
    diag *dg = diag_new();

    if (!s) {
        sheets[which] = s = config_sheet_new();
        MUST(config_sheet_load(s, names[which], dg) == ST_OK);
        MUST(config_sheet_set(s, "gpu.global_bytes=1M", CONFIG_FROM_SET, dg) ==
             ST_OK);
    }
    diag_free(dg);
    return config_sheet_values(s);
}

static void run(rt_device *d, const rt_module *m, const isa_kernel *k, diag *dg)
{
    static uint64_t params[PARAMS / 8];
    uint64_t buffer = rt_alloc(d, 4096, "buffer");
    rt_result r;
    rt_launch l = {.module = m,
                   .kernel = k,
                   .grid = {2, 1, 1},
                   .block = {40, 1, 1},
                   .params = params,
                   .max_cycles = LIMIT};

    if (k->param_bytes > PARAMS)
        return;
    for (unsigned i = 0; i < PARAMS / 8; i++)
        params[i] = buffer;
    rt_run(d, &l, dg, &r);
    if (buffer)
        rt_release(d, buffer);
}

/* Every texture and surface is one small image, samplers another than said. */
static void bind(rt_device *d, rt_module *m, diag *dg)
{
    const isa_program *p = rt_module_program(m);
    const rt_image_desc desc = {.kind = TEX_2D,
                                .order = TEX_RGBA,
                                .type = TEX_F32,
                                .size = {8, 4},
                                .levels = 2};
    uint32_t image = rt_image_new(d, &desc, dg);

    for (uint32_t i = 0; i < p->var_count; i++)
        if (p->vars[i].space == SPACE_HANDLE)
            rt_module_bind(m, p->vars[i].name,
                           p->vars[i].init[HANDLE_KIND] == HANDLE_SAMPLER
                               ? tex_handle(0, 0x27)
                               : tex_handle(image, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rt_options opt = {.functional = true,
                      .max_registers = size / GPUS % 2 ? 16 : 0};
    diag *dg = diag_new();
    rt_device *d = rt_device_new(machine(size % GPUS), &opt, dg);
    rt_module *m = NULL;

    MUST(d);
    if (rt_module_load_text(d, "fuzz.ptx", (const char *)data, size, dg, &m) ==
        ST_OK) {
        const isa_program *p = rt_module_program(m);

        bind(d, m, dg);
        for (unsigned i = 0; i < p->kernel_count; i++)
            run(d, m, &p->kernels[i], dg);
    }
    rt_device_free(d);
    diag_free(dg);
    return 0;
}
