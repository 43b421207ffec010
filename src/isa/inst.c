/* src/isa/inst.c - the tables made from isa.def and its companions, and what
 * follows from them for one instruction. */
#include "isa/isa.h"

#include <string.h>

#include "base/must.h"
#include "isa/operand.h"

/* Shorthands of isa.def. */
#define M(group)   ((isa_mod_set)1 << MOD_##group)
#define F_LOAD     ISA_F_LOAD
#define F_STORE    ISA_F_STORE
#define F_ATOMIC   ISA_F_ATOMIC
#define F_GLOBAL   ISA_F_GLOBAL
#define F_SHARED   ISA_F_SHARED
#define F_LOCAL    ISA_F_LOCAL
#define F_CONST    ISA_F_CONST
#define F_BRANCH   ISA_F_BRANCH
#define F_BARRIER  ISA_F_BARRIER
#define F_EXIT     ISA_F_EXIT
#define F_FENCE    ISA_F_FENCE
#define F_CONVERGE ISA_F_CONVERGE
#define F_CROSS    ISA_F_CROSS
#define F_CLOCK    ISA_F_CLOCK
#define F_FLOAT    ISA_F_FLOAT
#define F_VARIABLE ISA_F_VARIABLE

const isa_desc isa_table[ISA_COUNT] = {
#define INST(id, code, text, form, mods, class, flags, source)                 \
    [ISA_##                                                                    \
        id] = {#id, code, text, form, mods, ISA_CLASS_##class, flags, source},
#include "isa/isa.def"
#undef INST
};

const isa_mod_desc isa_mod_table[ISA_MODS] = {
#define MOD(id, shift, width, texts) [MOD_##id] = {#id, shift, width, texts},
#include "isa/mod.def"
#undef MOD
};

const char *const isa_class_names[ISA_CLASSES] = {
#define CLASS(id, name, help) [ISA_CLASS_##id] = #name,
#include "isa/class.def"
#undef CLASS
};

const char *const isa_class_helps[ISA_CLASSES] = {
#define CLASS(id, name, help) [ISA_CLASS_##id] = help,
#include "isa/class.def"
#undef CLASS
};

const char *const isa_sreg_names[ISA_SREGS] = {
#define SREG(id, text, help) [SR_##id] = text,
#include "isa/sreg.def"
#undef SREG
};

const char *const isa_sreg_helps[ISA_SREGS] = {
#define SREG(id, text, help) [SR_##id] = help,
#include "isa/sreg.def"
#undef SREG
};

const char *const isa_arch_names[ISA_ARCHS] = {"fermi", "kepler", "volta",
                                               "ampere", "hopper"};

_Static_assert(ISA_MODS <= 128, "isa_mod_set has 128 bits");

const char *isa_mod_text(isa_mod group, unsigned value, size_t *length)
{
    const char *s = isa_mod_table[group].texts;

    for (;; s++) {
        *length = strcspn(s, "|");
        if (value-- == 0)
            return s;
        s += *length;
        if (!*s)
            return NULL;
    }
}

unsigned isa_mod_get(const isa_inst *in, isa_mod group)
{
    const isa_mod_desc *m = &isa_mod_table[group];

    return in->mod >> m->shift & ((1u << m->width) - 1);
}

void isa_mod_put(isa_inst *in, isa_mod group, unsigned value)
{
    const isa_mod_desc *m = &isa_mod_table[group];

    in->mod &= ~(((1u << m->width) - 1) << m->shift);
    in->mod |= value << m->shift;
}

isa_inst isa_new(isa_op op)
{
    isa_inst in = {
        .op = (uint16_t)op,
        .guard = ISA_PT,
        .dst = ISA_RZ,
        .pdst = {ISA_PT, ISA_PT},
        .src = {ISA_RZ, ISA_RZ, ISA_RZ},
        .psrc = {ISA_PT, ISA_PT, ISA_PT},
        .ctl = CTL_NONE,
    };

    return in;
}

/* One spelling for each meaning: no register number behind an immediate, no
 * value behind a register, registers where only a register can stand. */
static void canonical_source(isa_inst *in, const isa_operand *o)
{
    unsigned i = o->index;
    bool reg = in->src[i] != ISA_RZ;
    bool memory = o->kind == OPND_MEM || o->kind == OPND_CMEM;
    bool needed =
        memory || (o->kind == OPND_REG && !o->optional) ||
        (o->letter == 'X' && isa_atom_compares(isa_mod_get(in, MOD_ATOMOP)));

    if (in->src_kind[i] == SRC_NONE && (reg || needed))
        in->src_kind[i] = SRC_REG;
    else if (in->src_kind[i] == SRC_REG && !reg && !needed &&
             (o->optional || o->kind == OPND_BAR))
        in->src_kind[i] = SRC_NONE;
    if (in->src_kind[i] == SRC_UREG && (o->uniform || !reg)) /* URZ is RZ */
        in->src_kind[i] = SRC_REG;
    if (in->src_kind[i] == SRC_IMM || in->src_kind[i] == SRC_CONST)
        in->src[i] = ISA_RZ;
    else if (!memory && o->letter != 'o')
        in->val[i] = 0;
}

static uint8_t pred_bit(uint8_t pred)
{
    unsigned p = pred & 7u;

    return p == ISA_PT ? 0 : (uint8_t)(1u << p);
}

static void finish_operand(isa_inst *in, const isa_operand *o)
{
    unsigned i = o->index;

    switch (o->kind) {
    case OPND_DST:
        *(o->uniform ? &in->udst_regs : &in->dst_regs) =
            in->dst == ISA_RZ ? 0 : (uint8_t)isa_operand_regs(in, o);
        break;
    case OPND_DST2:
        in->dst2_regs = in->uaddr ? (uint8_t)isa_operand_regs(in, o) : 0;
        break;
    case OPND_PDST:
        *(o->uniform ? &in->upwrite : &in->pwrite) |= pred_bit(in->pdst[i]);
        break;
    case OPND_PSRC:
        *(o->uniform || in->psrc[i] & PRED_UNIFORM ? &in->upread
                                                   : &in->pread) |=
            pred_bit(in->psrc[i]);
        break;
    case OPND_SRC:
    case OPND_REG:
    case OPND_MEM:
    case OPND_CMEM:
    case OPND_BAR:
        canonical_source(in, o);
        if (in->src[i] != ISA_RZ &&
            (in->src_kind[i] == SRC_REG || in->src_kind[i] == SRC_UREG))
            *(o->uniform || in->src_kind[i] == SRC_UREG ? &in->usrc_regs[i]
                                                        : &in->src_regs[i]) =
                (uint8_t)isa_operand_regs(in, o);
        break;
    case OPND_NUM:
    case OPND_CONV:
    case OPND_SREG:
    case OPND_TARGET:
        break;
    }
    if (o->width == OPND_WSIZE || o->width == OPND_WATYPE)
        in->bytes = (uint8_t)isa_operand_bytes(in, o);
}

static bool is_clock(unsigned sreg)
{
    return sreg >= SR_CLOCKLO && sreg <= SR_TIMERHI;
}

void isa_finish(isa_inst *in)
{
    isa_operand o[ISA_OPERANDS_MAX];
    unsigned n = isa_operands(in->op, o);

    in->flags = isa_table[in->op].flags;
    in->class = isa_table[in->op].class;
    in->dst_regs = in->dst2_regs = in->pwrite = in->bytes = 0;
    memset(in->src_regs, 0, sizeof in->src_regs);
    memset(in->usrc_regs, 0, sizeof in->usrc_regs);
    in->pread = in->upread = in->udst_regs = in->upwrite = 0;
    *(isa_guard_uniform(in) ? &in->upread : &in->pread) = pred_bit(in->guard);
    if (!(in->ctl >> CTL_HAS))
        in->ctl = CTL_NONE;
    if (!in->line)
        in->file = 0;
    for (unsigned i = 0; i < n; i++)
        finish_operand(in, &o[i]);
    if (in->op == ISA_P2R)
        in->pread |= in->lut & 0x7f;
    if (in->op == ISA_R2P)
        in->pwrite |= in->lut & 0x7f;
    if (in->op == ISA_UP2UR)
        in->upread |= in->lut & 0x7f;
    if (in->op == ISA_UR2UP)
        in->upwrite |= in->lut & 0x7f;
    if ((in->op == ISA_S2R || in->op == ISA_S2UR) && is_clock(in->lut))
        in->flags |= ISA_F_CLOCK;
}

unsigned isa_immediates(const isa_inst *in)
{
    return in->op == ISA_SHFL || in->op == ISA_QSPC ? 2 : 1;
}

unsigned isa_bytes(isa_arch arch) { return arch >= ARCH_VOLTA ? 16 : 8; }

/* Kepler: a control word stands before every seven instructions. */
uint64_t isa_address(isa_arch arch, uint32_t index)
{
    if (arch == ARCH_KEPLER)
        return index / 7 * 64ull + 8 + index % 7 * 8ull;
    return (uint64_t)index * isa_bytes(arch);
}
