#include "sm/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "sm/collect.h"
#include "sm/sm.h"

static void touch(sm_inst *si, unsigned reg, unsigned count)
{
    for (unsigned r = reg; r < reg + count && r < ISA_RZ; r++)
        si->touch[r / 64] |= (uint64_t)1 << (r % 64);
}

static void add_read(sm_inst *si, unsigned reg)
{
    for (unsigned i = 0; i < si->reads; i++)
        if (si->read[i] == reg)
            return;
    MUST(si->reads < INST_READS);
    si->read[si->reads++] = (uint8_t)reg;
}

static void load_operands(sm_inst *si, const isa_inst *in)
{
    touch(si, in->dst, in->dst_regs);
    for (unsigned i = 0; i < 3; i++) {
        touch(si, in->src[i], in->src_regs[i]);
        for (unsigned r = 0; r < in->src_regs[i]; r++)
            if (in->src[i] + r < ISA_RZ)
                add_read(si, in->src[i] + r);
        if (in->src_kind[i] == SRC_CONST)
            si->constant[si->consts++] = in->val[i];
    }
    si->preds = in->pread | in->pwrite;
    si->guard = in->pwrite;
    if ((in->guard & 7) != ISA_PT)
        si->guard |= (uint8_t)(1u << (in->guard & 7));
}

static uint8_t inst_flags(const sm_inst *si, const isa_inst *in)
{
    uint8_t f = 0;

    if (in->class == ISA_CLASS_MEM)
        f |= INST_MEM | INST_LATE;
    if (in->class == ISA_CLASS_LDC)
        f |= INST_LDC | INST_LATE;
    if (si->consts && in->class != ISA_CLASS_LDC)
        f |= INST_CONST;
    if ((in->flags & ISA_F_CLOCK) || in->op == ISA_S2R)
        f |= INST_TIMED;
    if (in->flags & ISA_F_BRANCH)
        f |= INST_BRANCH;
    if (in->dst_regs || in->pwrite)
        f |= INST_RESULT;
    return f;
}

/* Instructions from `pc` on that lie in the same aligned group of `width`. */
static uint8_t group_left(isa_arch arch, uint32_t pc, uint32_t count,
                          unsigned width)
{
    uint64_t bytes = (uint64_t)width * isa_bytes(arch);
    uint64_t group = isa_address(arch, pc) / bytes;
    uint8_t n = 1;

    while (pc + n < count && isa_address(arch, pc + n) / bytes == group)
        n++;
    return n;
}

bool sm_code_load(sm_code *c, const config *cfg, const isa_kernel *kernel,
                  isa_arch arch)
{
    config_op op[ISA_CLASSES];
    unsigned first_line =
        cfg->sm.l0i.bytes ? cfg->sm.l0i.line : cfg->sm.l1i.line;

    if (kernel->code_count > c->room) {
        free(c->inst);
        c->room = 0;
        c->inst = aligned_alloc(sizeof *c->inst,
                                kernel->code_count * sizeof *c->inst);
        if (!c->inst)
            return false;
        c->room = kernel->code_count;
    }
    for (unsigned i = 0; i < ISA_CLASSES; i++)
        MUST(config_op_find(cfg, isa_class_names[i], &op[i]));
    c->count = kernel->code_count;
    for (uint32_t pc = 0; pc < c->count; pc++) {
        const isa_inst *in = &kernel->code[pc];
        sm_inst *si = &c->inst[pc];

        memset(si, 0, sizeof *si);
        si->in = in;
        load_operands(si, in);
        for (unsigned i = 0; i < si->reads; i++)
            si->bank[i] = (uint8_t)sm_collect_bank(cfg, si->read[i]);
        si->flags = inst_flags(si, in);
        si->class = in->class;
        si->unit = (uint8_t)op[in->class].unit;
        si->latency = (uint16_t)op[in->class].latency;
        si->interval = (uint16_t)op[in->class].interval;
        if (si->flags & INST_CONST)
            si->latency += (uint16_t)cfg->sm.constant.operand;
        si->group = group_left(arch, pc, c->count, cfg->sm.fetch.width);
        si->line =
            (SM_CODE_BASE + isa_address(arch, pc)) / first_line * first_line;
    }
    return true;
}

void sm_code_fini(sm_code *c)
{
    free(c->inst);
    *c = (sm_code){0};
}
