/* tests/fuzz/fuzz_kernel.c - PTX all the way: compiled for one of the families
 * with few registers or many, optimised or not; as an object and as assembly
 * it must come back the same; then each kernel runs for a while without timing
 * on memory that is mostly out of its bounds. What is done with an input
 * depends on its bytes alone. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "asm/asm.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/must.h"
#include "codegen/codegen.h"
#include "config/sheet.h"
#include "isa/object.h"
#include "ptx/ptx.h"
#include "runtime/image.h"
#include "runtime/runtime.h"

enum { LIMIT = 2000, PARAMS = 4096 };

/* Read once; in no input's way. */
static const config *machine(isa_arch arch)
{
    static const char *const names[ISA_ARCHS] = {"gtx480", "k20", "v100",
                                                 "a100", "h100"};
    static config_sheet *sheets[ISA_ARCHS];
    config_sheet *s = sheets[arch];
    diag *dg = diag_new();

    if (!s) {
        sheets[arch] = s = config_sheet_new();
        MUST(config_sheet_load(s, names[arch], dg) == ST_OK);
        MUST(config_sheet_set(s, "gpu.global_bytes=1M", CONFIG_FROM_SET, dg) ==
             ST_OK);
    }
    diag_free(dg);
    return config_sheet_values(s);
}

static cg_options options(uint64_t choice)
{
    static const unsigned registers[] = {0, 0, 16, 24, 40, 64};
    cg_options o = cg_default_options((isa_arch)(choice % ISA_ARCHS));

    o.max_registers = registers[choice / 8 % COUNTOF(registers)];
    o.optimise = choice >> 16 & 7;
    o.schedule = choice >> 20 & 7;
    o.contract = choice >> 24 & 1;
    return o;
}

static status compile(const uint8_t *data, size_t size, diag *dg,
                      isa_program **out)
{
    arena *mem = arena_new();
    cg_options o = options(hash_bytes(data, size, 1));
    ptx_module *m;
    status st;

    MUST(mem);
    st = ptx_parse("fuzz.ptx", (const char *)data, size, mem, dg, &m);
    if (st == ST_OK)
        st = cg_compile(m, &o, dg, out);
    MUST(st == ST_OK || diag_errors(dg) > 0);
    arena_free(mem);
    return st;
}

static void through_text(const isa_program *p, diag *dg)
{
    strbuf one = {0}, two = {0};
    isa_program *q = NULL;

    asm_print(p, &one, NULL);
    if (asm_parse("again.sass", one.text, one.size, dg, &q) != ST_OK)
        diag_print(dg, stderr, false);
    MUST(q);
    asm_print(q, &two, NULL);
    MUST(one.size == two.size && !memcmp(one.text, two.text, one.size));
    isa_program_free(q);
    strbuf_fini(&one);
    strbuf_fini(&two);
}

/* The object of `p` reads back as what it was. */
static void through_object(const isa_program *p, strbuf *object, diag *dg)
{
    strbuf again = {0};
    isa_program *q = NULL;

    object_write(p, object);
    if (object_read("fuzz.hobj", object->text, object->size, dg, &q) != ST_OK)
        diag_print(dg, stderr, false);
    MUST(q);
    object_write(q, &again);
    MUST(again.size == object->size &&
         !memcmp(again.text, object->text, again.size));
    isa_program_free(q);
    strbuf_fini(&again);
}

static void run(rt_device *d, const rt_module *m, const isa_kernel *k, diag *dg)
{
    static uint64_t params[PARAMS / 8];
    uint64_t buffer = rt_alloc(rt_device_memory(d), 4096, "buffer");
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
        rt_release(rt_device_memory(d), buffer);
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
    uint32_t image = rt_image_new(rt_device_memory(d), &desc, dg);

    for (uint32_t i = 0; i < p->var_count; i++)
        if (p->vars[i].space == SPACE_HANDLE)
            rt_module_bind(m, p->vars[i].name,
                           p->vars[i].init[HANDLE_KIND] == HANDLE_SAMPLER
                               ? tex_handle(0, 0x27)
                               : tex_handle(image, 0));
}

static void run_all(isa_arch arch, const strbuf *object, diag *dg)
{
    rt_options opt = {.functional = true};
    rt_device *d = rt_device_new(machine(arch), &opt, dg);
    rt_module *m = NULL;

    MUST(d);
    if (rt_module_load_text(d, "fuzz.hobj", object->text, object->size, dg,
                            &m) == ST_OK) {
        const isa_program *p = rt_module_program(m);

        bind(d, m, dg);
        for (unsigned i = 0; i < p->kernel_count; i++)
            run(d, m, &p->kernels[i], dg);
    }
    rt_device_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    diag *dg = diag_new();
    isa_program *p = NULL;
    strbuf object = {0};

    MUST(dg);
    if (compile(data, size, dg, &p) == ST_OK) {
        diag_clear(dg);
        through_object(p, &object, dg);
        through_text(p, dg);
        if (p->kernel_count)
            run_all(p->arch, &object, dg);
        isa_program_free(p);
    }
    strbuf_fini(&object);
    diag_free(dg);
    return 0;
}
