/* tests/unit/codegen/rig.h - compiles PTX text and runs one kernel of it
 * without timing: a loader and a launch in little. */
#ifndef RIG_H
#define RIG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/codegen.h"
#include "exec/functional.h"

typedef struct rig {
    diag *dg;
    arena *mem;
    isa_program *p;
    const isa_kernel *k;
    mem_image *image;
    mem_view *view;
    uint8_t *bank[CBANKS];
    exec_launch launch;
    exec_fault fault;
    exec_totals totals;
    uint32_t param_at; /* bytes of parameters given so far */
} rig;

static inline void rig_free(rig *r)
{
    mem_view_free(r->view);
    mem_image_free(r->image);
    for (unsigned i = 0; i < CBANKS; i++)
        free(r->bank[i]);
    isa_program_free(r->p);
    arena_free(r->mem);
    diag_free(r->dg);
}

/* Every instruction must be well formed. */
static inline bool rig_check_code(const rig *r, isa_arch arch)
{
    bool good = true;

    for (uint32_t k = 0; k < r->p->kernel_count; k++) {
        for (uint32_t i = 0; i < r->p->kernels[k].code_count; i++) {
            const isa_inst *in = &r->p->kernels[k].code[i];
            const char *why = isa_check(in, arch);

            if (why) {
                fprintf(stderr, "%s at %u: %s: %s\n", r->p->kernels[k].name, i,
                        isa_table[in->op].text, why);
                good = false;
            }
        }
    }
    return good;
}

static inline status rig_compile(rig *r, const char *file, const char *text,
                                 const cg_options *o)
{
    ptx_module *m;
    status st;

    memset(r, 0, sizeof *r);
    r->dg = diag_new();
    r->mem = arena_new();
    diag_source(r->dg, file, text, strlen(text));
    st = ptx_parse(file, text, strlen(text), r->mem, r->dg, &m);
    if (st == ST_OK)
        st = cg_compile(m, o, r->dg, &r->p);
    if (st == ST_OK && !rig_check_code(r, o->arch))
        st = ST_INTERNAL;
    return st;
}

static inline void rig_word(uint8_t *bank, unsigned at, uint64_t v, unsigned n)
{
    memcpy(bank + at, &v, n);
}

static inline uint64_t rig_alloc(rig *r, const char *name, uint64_t size,
                                 const void *init)
{
    uint64_t at = mem_alloc(r->image, size ? size : 1, name);

    if (init && size)
        memcpy(mem_host(r->image, at), init, size);
    return at;
}

/* Places variables and fills in the addresses that the program names. A
 * constant variable's generic address is that of a copy in global memory. */
static inline void rig_load_vars(rig *r)
{
    const isa_program *p = r->p;
    uint64_t *at = calloc(p->var_count + 1, sizeof *at);

    for (uint32_t i = 0; i < p->var_count; i++) {
        const isa_var *v = &p->vars[i];

        at[i] = rig_alloc(r, v->name, v->size, v->init);
        if (v->space == SPACE_CONST && v->init)
            memcpy(r->bank[CBANK_USER] + v->offset, v->init, v->size);
    }
    for (uint32_t i = 0; i < p->reloc_count; i++) {
        const isa_reloc *e = &p->relocs[i];
        uint64_t to = at[e->target] + (uint64_t)e->addend;

        if (e->var < 0)
            rig_word(r->bank[CBANK_SYMBOL], e->offset, to, 8);
        else
            memcpy(mem_host(r->image, at[e->var] + e->offset), &to, 8);
    }
    free(at);
}

/* Gets ready to launch kernel `name` (NULL: the first). */
static inline void rig_prepare(rig *r, const char *name, isa_arch arch,
                               const uint32_t grid[3], const uint32_t cta[3],
                               uint32_t dynamic)
{
    uint8_t *c0;

    r->k = name ? isa_program_kernel(r->p, name) : &r->p->kernels[0];
    r->image = mem_image_new(1 << 26);
    r->view = mem_view_new(r->image, true);
    for (unsigned i = 0; i < CBANKS; i++)
        r->bank[i] = calloc(1, CBANK_BYTES);
    c0 = r->bank[CBANK_PARAM];
    r->launch = (exec_launch){.kernel = r->k,
                              .arch = arch,
                              .sms = 1,
                              .sm_warps = 64,
                              .clock_khz = 1000000};
    r->launch.threads = 1;
    for (unsigned i = 0; i < 3; i++) {
        r->launch.grid[i] = grid[i];
        r->launch.block[i] = cta[i];
        r->launch.threads *= cta[i];
        rig_word(c0, C0_NTID_X + 4 * i, cta[i], 4);
        rig_word(c0, C0_NCTAID_X + 4 * i, grid[i], 4);
        rig_word(c0, C0_CGA_X + 4 * i, 1, 4);
        rig_word(c0, C0_NCGA_X + 4 * i, grid[i], 4);
    }
    r->launch.warps = (r->launch.threads + 31) / 32;
    r->launch.shared_bytes = r->k->shared_bytes + dynamic;
    rig_word(c0, C0_SHARED_BYTES, dynamic, 4);
    rig_word(c0, C0_CGA_CTAS, 1, 4);
    rig_word(c0, C0_SHARED_TOTAL, r->launch.shared_bytes, 4);
    rig_word(c0, C0_SHARED_WINDOW, MEM_SHARED_WINDOW, 8);
    rig_word(c0, C0_LOCAL_WINDOW, MEM_LOCAL_WINDOW, 8);
    rig_word(c0, C0_WORK_DIM, 3, 4);
    if (r->k->constant_bytes)
        memcpy(r->bank[CBANK_CODE], r->k->constants, r->k->constant_bytes);
    rig_load_vars(r);
    for (unsigned i = 0; i < CBANKS; i++)
        r->launch.cbank[i] = r->bank[i];
}

static inline void rig_param(rig *r, const void *value, unsigned size)
{
    uint8_t *c0 = r->bank[CBANK_PARAM];

    r->param_at = (r->param_at + size - 1) / size * size;
    memcpy(c0 + cbank_param_base(r->launch.arch) + r->param_at, value, size);
    r->param_at += size;
}

static inline status rig_run(rig *r)
{
    exec_limits limits = {.warp_instructions = 20000000};

    return exec_run_grid(&r->launch, r->view, &limits, &r->fault, &r->totals);
}

static inline void rig_tell(const rig *r, status st)
{
    char text[512] = "";

    if (r->image && (st == ST_FAULT || st == ST_HANG))
        exec_fault_text(&r->fault, &r->launch, r->image, text, sizeof text);
    fprintf(stderr, "status %d %s\n", st, text);
    diag_print(r->dg, stderr, false);
}

#endif
