/* src/isa/program.c - a program's end, and its kernels by name. */
#include "isa/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/map.h"
#include "isa/operand.h"

enum { BANK0_LEAST = 0x160 }; /* before parameters, in layouts of real GPUs */

/* Where the vendor's tools put them; no manual documents it. [guess] */
unsigned cbank_param_base(isa_arch arch)
{
    return arch >= ARCH_VOLTA ? 0x160 : 0x140;
}

unsigned isa_kernel_param_base(const isa_kernel *k, isa_arch arch)
{
    return k->param_base ? k->param_base : cbank_param_base(arch);
}

isa_program *isa_program_new(isa_arch arch)
{
    arena *mem = arena_new();
    isa_program *p;

    p = ARENA_NEW(mem, isa_program);
    p->mem = mem;
    p->arch = arch;
    return p;
}

void isa_program_free(isa_program *p)
{
    if (p)
        arena_free(p->mem); /* *p included */
}

bool isa_name_is(const char *name, const char *asked)
{
    size_t n = strlen(asked);
    char *rest;

    if (!strcmp(name, asked))
        return true;
    if (strncmp(name, "_Z", 2))
        return false;
    name += name[2] == 'L' ? 3 : 2;
    return *name >= '1' && *name <= '9' && strtoul(name, &rest, 10) == n &&
           !strncmp(rest, asked, n);
}

const isa_kernel *isa_program_kernel(const isa_program *p, const char *name)
{
    for (uint32_t i = 0; i < p->kernel_count; i++)
        if (!strcmp(p->kernels[i].name, name))
            return &p->kernels[i];
    return NULL;
}

const isa_kernel *isa_program_kernel_by_name(const isa_program *p,
                                             const char *asked)
{
    const isa_kernel *found = isa_program_kernel(p, asked);
    unsigned alike = 0;

    for (uint32_t i = 0; !found && i < p->kernel_count; i++)
        alike += isa_name_is(p->kernels[i].name, asked);
    for (uint32_t i = 0; alike == 1 && !found; i++)
        if (isa_name_is(p->kernels[i].name, asked))
            found = &p->kernels[i];
    return found;
}

void isa_program_files(isa_program *p)
{
    for (uint32_t i = 0; i < p->kernel_count; i++)
        p->kernels[i].files = p->files;
}

const char *isa_kernel_file(const isa_kernel *k, const isa_inst *in)
{
    return in->file && k->files ? k->files[in->file - 1] : NULL;
}

static void note_registers(uint32_t *registers, unsigned first, unsigned count)
{
    if (count && first + count > *registers)
        *registers = first + count;
}

void isa_kernel_usage(const isa_kernel *k, uint32_t *registers,
                      uint32_t *barriers)
{
    *registers = *barriers = 0;
    for (uint32_t i = 0; i < k->code_count; i++) {
        const isa_inst *in = &k->code[i];
        uint32_t bar = in->src_kind[0] == SRC_REG ? 16 : in->lut + 1u;

        note_registers(registers, in->dst, in->dst_regs);
        note_registers(registers, isa_second(in), in->dst2_regs);
        for (unsigned s = 0; s < 3; s++)
            note_registers(registers, in->src[s], in->src_regs[s]);
        if (in->op >= ISA_BARSYNC && in->op <= ISA_BARPOPC && bar > *barriers)
            *barriers = bar;
    }
}

static bool check_code(const isa_program *p, const isa_kernel *k, strbuf *why)
{
    for (uint32_t i = 0; i < k->code_count; i++) {
        const char *bad = isa_check(&k->code[i], p->arch);

        if (!bad && isa_has_target((isa_op)k->code[i].op) &&
            k->code[i].val[0] >= k->code_count)
            bad = "branch target outside the code";
        if (!bad && k->code[i].file > p->file_count)
            bad = "no such source file";
        if (bad) {
            strbuf_printf(why, "kernel %s, instruction %" PRIu32 ": %s",
                          k->name, i, bad);
            return false;
        }
    }
    return true;
}

static const char *check_params(const isa_program *p, const isa_kernel *k)
{
    if (k->bank0 >= ISA_BANK0S || k->param_base > CBANK_BYTES ||
        k->param_base % 4 || (k->bank0 && k->param_base < BANK0_LEAST))
        return "no such layout of constant bank 0";
    if (k->param_bytes > CBANK_BYTES - isa_kernel_param_base(k, p->arch))
        return "too many bytes of parameters";
    for (uint32_t i = 0; i < k->param_count; i++) {
        const isa_param *a = &k->params[i];

        if (a->kind > PARAM_SAMPLER || !bits_is_pow2(a->align) ||
            a->offset % a->align)
            return "a parameter is not aligned";
        if ((uint64_t)a->offset + a->size > k->param_bytes)
            return "a parameter lies outside the parameter bytes";
    }
    return NULL;
}

static bool check_kernel(const isa_program *p, const isa_kernel *k, strbuf *why)
{
    const char *bad = check_params(p, k);
    uint32_t registers, barriers;

    isa_kernel_usage(k, &registers, &barriers);
    if (!bad && !k->code_count)
        bad = "no instructions";
    if (!bad && (k->registers < registers || k->registers > ISA_REGS_MAX))
        bad = "the number of registers is not what the code needs";
    if (!bad && k->launch_registers > ISA_REGS_MAX)
        bad = "more registers at the launch than there are";
    if (!bad && (k->barriers < barriers || k->barriers > 16))
        bad = "the number of barriers is not what the code needs";
    if (!bad && k->constant_bytes > CBANK_BYTES)
        bad = "too many bytes of constants";
    if (!bad && k->shared_reserved > CBANK_BYTES)
        bad = "too many bytes of shared memory reserved";
    if (!bad && k->spill_bytes > k->local_bytes)
        bad = "more bytes spilled than local";
    if (bad) {
        strbuf_printf(why, "kernel %s: %s", k->name, bad);
        return false;
    }
    return check_code(p, k, why);
}

static const char *check_var(const isa_program *p, const isa_var *v)
{
    uint64_t room = UINT32_MAX;

    if (v->space > SPACE_HANDLE)
        return "no such space";
    if (!bits_is_pow2(v->align))
        return "the alignment is no power of two";
    if (v->size > ISA_VAR_BYTES_MAX)
        return "larger than all memory";
    if (v->space == SPACE_HANDLE)
        return v->size != ISA_HANDLE_BYTES || !v->init || v->offset
                   ? "a handle has a description of 8 bytes"
                   : NULL;
    if (v->space == SPACE_GLOBAL)
        return v->offset ? "a global variable has no offset" : NULL;
    if (v->offset % v->align)
        return "the offset is not aligned";
    if (v->space == SPACE_SHARED && v->init)
        return "shared memory has no initial value";
    if (v->space == SPACE_CONST)
        room = p->user_const_bytes;
    if (v->size > room || v->offset > room - v->size)
        return "outside the memory of its space";
    return NULL;
}

static const char *check_reloc(const isa_program *p, const isa_reloc *r)
{
    uint64_t room = p->symbol_const_bytes;

    if (r->var < -1 || r->var >= (int64_t)p->var_count)
        return "no such variable";
    if (r->var >= 0 && !p->vars[r->var].init)
        return "the variable has no initial value";
    if (r->var >= 0)
        room = p->vars[r->var].size;
    if (room < 8 || r->offset > room - 8)
        return "outside the variable";
    if (r->target_kernel < 0 && r->target >= p->var_count)
        return "no such target";
    if (r->target_kernel >= (int64_t)p->kernel_count || r->target_kernel < -1)
        return "no such kernel";
    return NULL;
}

static bool check_names(const isa_program *p, strbuf *why)
{
    strmap *names = strmap_new(), *files = strmap_new();
    bool unique = true;

    for (uint32_t i = 0; unique && i < p->file_count; i++) {
        const char *name = p->files[i];

        if (!*name || strmap_get(files, name)) {
            strbuf_puts(why, *name ? "a source file is listed twice"
                                   : "a source file has no name");
            unique = false;
        }
        strmap_put(files, name, &p->files[i]);
    }
    strmap_free(files);
    for (uint32_t i = 0; unique && i < p->kernel_count; i++) {
        const char *name = p->kernels[i].name;

        if (strmap_get(names, name)) {
            strbuf_printf(why, "two kernels are called %s", name);
            unique = false;
        }
        strmap_put(names, name, &p->kernels[i]);
    }
    strmap_free(names);
    return unique;
}

bool isa_program_check(const isa_program *p, strbuf *why)
{
    const char *bad;

    if (p->file_count > ISA_FILES_MAX) {
        strbuf_puts(why, "too many source files");
        return false;
    }
    if ((unsigned)p->arch >= ISA_ARCHS || p->user_const_bytes > CBANK_BYTES ||
        p->symbol_const_bytes > CBANK_BYTES) {
        strbuf_puts(why, "constant bank or architecture out of range");
        return false;
    }
    for (uint32_t i = 0; i < p->var_count; i++) {
        if ((bad = check_var(p, &p->vars[i]))) {
            strbuf_printf(why, "variable %s: %s", p->vars[i].name, bad);
            return false;
        }
    }
    for (uint32_t i = 0; i < p->reloc_count; i++) {
        if ((bad = check_reloc(p, &p->relocs[i]))) {
            strbuf_printf(why, "relocation %" PRIu32 ": %s", i, bad);
            return false;
        }
    }
    for (uint32_t i = 0; i < p->kernel_count; i++)
        if (!check_kernel(p, &p->kernels[i], why))
            return false;
    return check_names(p, why);
}
