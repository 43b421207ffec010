/* tests/reference/both.c */
#include "reference/both.h"

#include "config/sheet.h"
#include "reference/ref.h"
#include "runtime/runtime.h"
#include "unit/codegen/rig.h"

enum { BOTH_STACK = 16384 }; /* bytes of a thread, for recursion */

#define MOST_WORK 400000000ull /* thread instructions: an endless loop */

bool both_open(both_module *b, const char *file, const char *text)
{
    *b = (both_module){.file = file, .text = text};
    b->mem = arena_new();
    b->dg = diag_new();
    diag_source(b->dg, file, text, strlen(text));
    return ptx_parse(file, text, strlen(text), b->mem, b->dg, &b->m) == ST_OK;
}

void both_close(both_module *b)
{
    arena_free(b->mem);
    diag_free(b->dg);
}

void both_result_free(both_result *r)
{
    for (unsigned k = 0; k < BOTH_BUFFERS; k++)
        free(r->bytes[k]);
    memset(r, 0, sizeof *r);
}

static uint8_t *copy(const void *from, uint64_t size)
{
    uint8_t *p = calloc(1, size + 1);

    if (from && size)
        memcpy(p, from, size);
    return p;
}

bool both_by_reference(both_module *b, const both_launch *l, both_result *out)
{
    uint64_t at[BOTH_BUFFERS];
    ref_launch launch = {.kernel = l->kernel,
                         .dynamic = l->dynamic,
                         .env = {0, 0, 0, 3}, /* as rig_prepare has it */
                         .params = at,
                         .max_steps = l->max_steps ? l->max_steps : MOST_WORK,
                         .strict = l->strict};
    ref *r = ref_new(b->m);

    memset(out, 0, sizeof *out);
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.cta, l->cta, sizeof launch.cta);
    for (unsigned k = 0; k < l->nbuffers; k++) {
        at[k] = 0x700000000ull + ((uint64_t)k << 32);
        out->bytes[k] = copy(l->init[k], l->size[k]);
        ref_map(r, at[k], out->bytes[k], l->size[k]);
    }
    bool good = ref_run(r, &launch);
    snprintf(out->error, sizeof out->error, "%s", good ? "" : ref_error(r));
    out->work = ref_steps(r);
    ref_free(r);
    return good;
}

/* The first message, in one line. */
static void first_message(const diag *dg, char *text, size_t size)
{
    const diag_item *i = diag_count(dg) ? diag_get(dg, 0) : NULL;

    snprintf(text, size, "%u: %s", i ? i->line : 0,
             i ? i->text : "failed without a message");
}

static bool run_rig(rig *r, const both_launch *l, isa_arch arch,
                    both_result *out)
{
    uint64_t at[BOTH_BUFFERS];
    status st;

    rig_prepare(r, l->kernel, arch, l->grid, l->cta, l->dynamic);
    if (r->k->open_stack)
        r->launch.stack_bytes = BOTH_STACK;
    for (unsigned k = 0; k < l->nbuffers; k++) {
        at[k] = rig_alloc(r, "buffer", l->size[k], l->init[k]);
        rig_param(r, &at[k], 8);
    }
    st = rig_run(r);
    if (st == ST_FAULT || st == ST_HANG)
        exec_fault_text(&r->fault, &r->launch, r->image, out->error,
                        sizeof out->error);
    else if (st != ST_OK)
        snprintf(out->error, sizeof out->error, "status %d", st);
    out->work = r->totals.thread_instructions;
    for (unsigned k = 0; st == ST_OK && k < l->nbuffers; k++)
        out->bytes[k] = copy(mem_host(r->image, at[k]), l->size[k]);
    return st == ST_OK;
}

bool both_by_heddle(both_module *b, const both_launch *l, const cg_options *o,
                    both_result *out)
{
    rig r = {.dg = diag_new()};
    bool good = false;

    memset(out, 0, sizeof *out);
    if (cg_compile(b->m, o, r.dg, &r.p) != ST_OK)
        first_message(r.dg, out->error, sizeof out->error);
    else if (!rig_check_code(&r, o->arch))
        snprintf(out->error, sizeof out->error, "badly formed instructions");
    else
        good = run_rig(&r, l, o->arch, out);
    rig_free(&r);
    return good;
}

/* ---- timing ---- */

static bool run_timed(rt_device *d, both_module *b, const both_launch *l,
                      diag *dg, both_result *out)
{
    uint64_t at[BOTH_BUFFERS];
    rt_module *m;
    rt_result r;

    if (rt_module_load_text(d, b->file, b->text, strlen(b->text), dg, &m) !=
        ST_OK)
        return false;
    rt_launch launch = {.module = m,
                        .kernel = rt_module_kernel(m, l->kernel, dg),
                        .shared_bytes = l->dynamic,
                        .params = at,
                        .max_cycles = 100000000};
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->cta, sizeof launch.block);
    for (unsigned k = 0; k < l->nbuffers; k++) {
        uint8_t *bytes = copy(l->init[k], l->size[k]);
        at[k] = rt_alloc(rt_device_memory(d), l->size[k], "buffer");
        bool written =
            at[k] && rt_write(rt_device_memory(d), at[k], bytes, l->size[k]);
        free(bytes);
        if (!written)
            return false;
    }
    if (!launch.kernel || rt_run(d, &launch, dg, &r) != ST_OK)
        return false;
    for (unsigned k = 0; k < l->nbuffers; k++) {
        out->bytes[k] = copy(NULL, l->size[k]);
        if (!rt_read(rt_device_memory(d), at[k], out->bytes[k], l->size[k]))
            return false;
    }
    out->work = r.cycles;
    return true;
}

bool both_by_timing(both_module *b, const both_launch *l, const char *preset,
                    unsigned threads, both_result *out)
{
    rt_options opt = {.threads = threads, .stack_bytes = BOTH_STACK};
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();
    rt_device *d = NULL;
    bool good = false;

    memset(out, 0, sizeof *out);
    if (config_sheet_load(s, preset, dg) == ST_OK)
        d = rt_device_new(config_sheet_values(s), &opt, dg);
    if (d)
        good = run_timed(d, b, l, dg, out);
    if (!good)
        first_message(dg, out->error, sizeof out->error);
    rt_device_free(d);
    config_sheet_free(s);
    diag_free(dg);
    return good;
}

bool both_differ(const both_launch *l, const both_result *a,
                 const both_result *b, unsigned *buffer, uint64_t *at)
{
    for (unsigned k = 0; k < l->nbuffers; k++)
        for (uint64_t i = 0; i < l->size[k]; i++)
            if (a->bytes[k][i] != b->bytes[k][i]) {
                *buffer = k;
                *at = i;
                return true;
            }
    return false;
}
