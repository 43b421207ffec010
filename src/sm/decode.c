#include "sm/decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/must.h"
#include "isa/tensor.h"
#include "sm/collect.h"
#include "sm/dual.h"
#include "sm/sm.h"

enum { NEST_UNKNOWN = UINT8_MAX };

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
    si->result = si->touch[in->dst / 64];
    touch(si, isa_second(in), in->dst2_regs);
    for (unsigned i = 0; i < 3; i++) {
        touch(si, in->src[i], in->src_regs[i]);
        for (unsigned r = 0; r < in->src_regs[i]; r++)
            if (in->src[i] + r < ISA_RZ)
                add_read(si, in->src[i] + r);
        if (in->src_kind[i] == SRC_CONST)
            si->constant[si->consts++] = in->val[i];
    }
    if (in->op == ISA_ULDC) /* as an operand: found before it issues */
        si->constant[si->consts++] =
            (uint32_t)in->lut << 16 | (in->val[0] & 0xffff);
    si->preds = in->pread | in->pwrite;
    si->guard = in->pwrite;
    if ((in->guard & 7) != ISA_PT && !isa_guard_uniform(in))
        si->guard |= (uint8_t)(1u << (in->guard & 7));
}

/* Reads through the texture unit. */
static bool is_texture(const config *cfg, const isa_inst *in)
{
    return exec_is_fetch(in) ||
           (in->op == ISA_LDG && ISA_GET(in, CACHE) == CACHE_NC &&
            cfg->rocache.sets && cfg->rocache.nc);
}

static uint16_t inst_flags(const sm_inst *si, const isa_inst *in)
{
    uint16_t f = 0;

    if (in->class == ISA_CLASS_MEM ||
        (in->class == ISA_CLASS_TEX && in->op != ISA_TXQ))
        f |= INST_MEM | INST_LATE;
    if (in->class == ISA_CLASS_LDC)
        f |= INST_LDC | INST_LATE;
    if (si->consts && in->class != ISA_CLASS_LDC)
        f |= INST_CONST;
    if (isa_has_uniform(in))
        f |= INST_UNIFORM;
    if ((in->flags & ISA_F_CLOCK) || in->op == ISA_S2R || in->op == ISA_S2UR)
        f |= INST_TIMED;
    if (in->flags & ISA_F_BRANCH)
        f |= INST_BRANCH;
    if (in->dst_regs || in->pwrite || in->udst_regs || in->upwrite)
        f |= INST_RESULT;
    if (in->op == ISA_LDGSTS)
        f |= INST_COPY;
    if (in->dst2_regs)
        f |= INST_SECOND;
    return f;
}

/* Control codes do not cover its result: what codegen/schedule/ctl.c has. */
static bool is_slow(const config *cfg, const sm_inst *si, unsigned latency)
{
    unsigned guard = si->in->pwrite ? cfg->sm.issue.predicate : 0;

    return si->flags & INST_LATE || si->in->flags & ISA_F_VARIABLE ||
           latency + guard > CTL_COVERED;
}

/* Instructions from `pc` on that lie in the same aligned group of those that
 * are fetched at once, as far as they fit into an empty buffer. */
static uint8_t group_left(isa_arch arch, uint32_t pc, uint32_t count,
                          const config *cfg)
{
    uint64_t bytes = (uint64_t)cfg->sm.fetch.width * isa_bytes(arch);
    uint64_t group = isa_address(arch, pc) / bytes;
    uint8_t n = 1;

    while (pc + n < count && n < cfg->sm.fetch.buffer &&
           isa_address(arch, pc + n) / bytes == group)
        n++;
    return n;
}

/* Rows of sm.op, by class. */
static void load_ops(const config *cfg, config_op op[ISA_CLASSES])
{
#define CLASS(id, name, help)                                                  \
    op[ISA_CLASS_##id] =                                                       \
        (config_op){cfg->sm.op.name.unit, cfg->sm.op.name.interval,            \
                    cfg->sm.op.name.latency};
#include "isa/class.def"
#undef CLASS
}

/* Steps of HMMA.884, and of HGMMA, that follow each other use the same A and B:
 * the tensor core holds them in operand buffers [RAIHAN:operand-buffers], and
 * the vendor's compiler marks them for reuse [JIA-V:HMMA]. C is read first. */
static void keep_factors(sm_inst *si, const isa_inst *in,
                         const isa_inst *before)
{
    unsigned own = si->reads;

    si->reads = 0;
    for (unsigned i = 3; i-- > 0;)
        for (unsigned r = 0; r < in->src_regs[i]; r++)
            if (in->src[i] + r < ISA_RZ)
                add_read(si, in->src[i] + r);
    if (before && before->op == in->op && before->src[0] == in->src[0] &&
        before->src[1] == in->src[1] && before->dst != in->src[0] &&
        before->dst != in->src[1])
        si->kept = (uint8_t)(own - in->src_regs[2]);
}

/* Bytes of shared memory that a warp's part of a step reads: its share of B,
 * and A, if it is there, with the first step. */
static uint16_t shared_bytes(const isa_inst *in)
{
    isa_tensor t = isa_tensor_shape(in->op, in->mod);
    unsigned b = t.k * t.n * t.bits / 8 / 4;
    unsigned a = t.k * t.m * t.bits / 8;

    return (uint16_t)(in->lut || ISA_GET(in, GREGA) ? b : a + b);
}

/* One instruction as so many steps, one behind the other. */
static void repeat(sm_inst *si, unsigned steps)
{
    si->latency += (uint16_t)((steps - 1) * si->interval);
    si->interval = (uint16_t)(steps * si->interval);
}

/* Cycles of a tensor core, to the nearest. HMMA.884 is of the V100, whose
 * steps all take as long. */
static unsigned tensor_cycles(const config *cfg, const isa_inst *in)
{
    unsigned steps = isa_tensor_steps(in->op, in->mod), n;
    unsigned rate = in->op == ISA_DMMA ? 16 * cfg->sm.tensor.double_rate
                                       : cfg->sm.tensor.warp_rate;

    if (in->op == ISA_HMMA884)
        return steps;
    n = (256 * steps + rate / 2) / rate;
    return n ? n : 1;
}

/* Notes that `pc` stands in `nest` regions, if nothing was known of it, and
 * that it has to be looked at. */
static void enter(sm_decoded *c, uint32_t *todo, uint32_t *n, uint32_t pc,
                  unsigned nest)
{
    if (pc >= c->count || c->inst[pc].nest != NEST_UNKNOWN)
        return;
    c->inst[pc].nest = (uint8_t)(nest < NEST_UNKNOWN ? nest : NEST_UNKNOWN - 1);
    todo[(*n)++] = pc;
}

/* Follows the code from `from`, which stands in no region, to all that it leads
 * to but by calls and indirect branches. */
static void follow_regions(sm_decoded *c, uint32_t *todo, uint32_t from)
{
    uint32_t n = 0;

    enter(c, todo, &n, from, 0);
    while (n) {
        uint32_t pc = todo[--n];
        const isa_inst *in = c->inst[pc].in;
        unsigned nest = c->inst[pc].nest;
        bool always = in->guard == ISA_PT;

        nest += in->op == ISA_BSSY;
        nest -= in->op == ISA_BSYNC && nest;
        if (in->op == ISA_BRA)
            enter(c, todo, &n, in->val[0], nest);
        if (!always || (in->op != ISA_BRA && in->op != ISA_EXIT &&
                        in->op != ISA_RET && in->op != ISA_BRX))
            enter(c, todo, &n, pc + 1, nest);
    }
}

static void count_regions(sm_decoded *c)
{
    uint32_t *todo = new0(c->count, sizeof *todo);

    for (uint32_t pc = 0; pc < c->count; pc++)
        c->inst[pc].nest = NEST_UNKNOWN;
    for (uint32_t pc = 0; pc < c->count; pc++)
        follow_regions(c, todo, pc);
    free(todo);
}

void sm_decode_load(sm_decoded *c, const config *cfg, const isa_kernel *kernel,
                    isa_arch arch, uint64_t base)
{
    config_op op[ISA_CLASSES];
    unsigned first_line =
        cfg->sm.l0i.bytes ? cfg->sm.l0i.line : cfg->sm.l1i.line;

    if (kernel->code_count > c->room) {
        free(c->inst);
        c->room = 0;
        c->inst =
            new_aligned(sizeof *c->inst, kernel->code_count * sizeof *c->inst);
        c->room = kernel->code_count;
    }
    load_ops(cfg, op);
    c->count = kernel->code_count;
    for (uint32_t pc = 0; pc < c->count; pc++) {
        const isa_inst *in = &kernel->code[pc];
        sm_inst *si = &c->inst[pc];

        memset(si, 0, sizeof *si);
        si->in = in;
        load_operands(si, in);
        if (in->op == ISA_HMMA884 || in->op == ISA_HGMMA)
            keep_factors(si, in, pc ? in - 1 : NULL);
        for (unsigned i = 0; i < si->reads; i++)
            si->bank[i] = (uint8_t)sm_collect_bank(cfg, si->read[i]);
        si->flags = inst_flags(si, in);
        si->texture = is_texture(cfg, in);
        si->class = in->class;
        if (in->class == ISA_CLASS_TENSOR && in->op != ISA_HMMA884)
            si->more = (uint16_t)(isa_tensor_steps(in->op, in->mod) - 1);
        unsigned as = si->texture ? ISA_CLASS_TEX : in->class;
        si->unit = (uint8_t)op[as].unit;
        si->latency = (uint16_t)op[as].latency;
        si->interval = (uint16_t)op[as].interval;
        si->slow = is_slow(cfg, si, op[in->class].latency);
        if (in->op == ISA_HGMMA) { /* handed over; see sm/warp_group.h */
            si->unit = CFG_UNIT_CTL;
            si->interval = 1;
            si->shared_bytes = shared_bytes(in);
        } else if (in->class == ISA_CLASS_TENSOR)
            repeat(si, tensor_cycles(cfg, in));
        if (si->flags & INST_CONST)
            si->latency += (uint16_t)cfg->sm.constant.operand;
        si->group = group_left(arch, pc, c->count, cfg);
        si->line = (SM_CODE_BASE + base + isa_address(arch, pc)) / first_line *
                   first_line;
    }
    if (arch >= ARCH_VOLTA && cfg->gpu.cluster.size > 1)
        count_regions(c);
    if (cfg->sm.dual.codes)
        sm_dual_load(cfg, c->inst, c->count);
}

void sm_decode_fini(sm_decoded *c)
{
    free(c->inst);
    *c = (sm_decoded){0};
}
