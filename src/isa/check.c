/* src/isa/check.c - the rules of a well-formed instruction. The canonical form
 * that isa_finish gives is taken for granted; what remains unused must be
 * empty, so that encodings lose nothing. */
#include "isa/check.h"

#include "base/must.h"
#include "isa/operand.h"
#include "isa/program.h"
#include "isa/tensor.h"

enum { BARRIERS = 16, LEA_SHIFT_MAX = 31, SCOREBOARDS = 6 };

typedef struct checker {
    const isa_inst *in;
    isa_arch arch;
    isa_operand o[ISA_OPERANDS_MAX];
    unsigned count;
    bool dst, num, uaddr; /* fields that some operand uses */
    bool pdst[2], src[3], psrc[3], val[3];
    unsigned not_reg; /* sources that are no registers of a lane's */
} checker;

static const char *check_range(unsigned reg, unsigned regs, const char *odd)
{
    if (reg == ISA_RZ)
        return NULL;
    if (!regs)
        return "a register of which nothing is read";
    if (reg % regs)
        return odd;
    if (reg + regs > ISA_REGS_MAX)
        return "registers above R254";
    return NULL;
}

static const char *check_registers(unsigned reg, unsigned regs)
{
    return check_range(reg, regs,
                       regs == 2 ? "a register pair must start at an even "
                                   "register"
                                 : "four registers must start at a multiple "
                                   "of 4");
}

static const char *check_uniform(unsigned reg, unsigned regs)
{
    if (reg == ISA_RZ)
        return NULL;
    if (reg % regs)
        return regs == 2 ? "a pair of uniform registers must start at an even "
                           "one"
                         : "four uniform registers must start at a multiple "
                           "of 4";
    if (reg + regs > ISA_UREGS)
        return "uniform registers above UR62";
    return NULL;
}

/* Of bulk copies: as many as there are coordinates. */
static const char *check_uniform_row(unsigned reg, unsigned regs)
{
    return reg % 2 && regs > 1 ? "uniform registers must start at an even one"
           : reg + regs > ISA_UREGS ? "uniform registers above UR62"
                                    : NULL;
}

/* Registers of the file that the operand is of. */
static const char *check_file(const isa_operand *o, unsigned reg, unsigned regs)
{
    return o->uniform ? check_uniform(reg, regs) : check_registers(reg, regs);
}

static const char *check_const(uint32_t val, unsigned bytes)
{
    if (val >> 16 >= CBANKS)
        return "no such constant bank";
    if (bytes == 8 && val % 8)
        return "a 64-bit constant must be 8-byte aligned";
    if (val % 4)
        return "a constant must be 4-byte aligned";
    return NULL;
}

static const char *check_source(checker *c, const isa_operand *o)
{
    const isa_inst *in = c->in;
    unsigned i = o->index, regs = isa_operand_regs(in, o);

    c->src[i] = true;
    if (in->src_mod[i] & ~isa_operand_mods(in->op, o))
        return "the operation does not take this source modifier";
    if (in->src_mod[i] & SRC_NEG && in->src_mod[i] & SRC_NOT)
        return "either minus or a complement";
    switch (in->src_kind[i]) {
    case SRC_NONE:
        return o->optional ? NULL : "an operand is missing";
    case SRC_REG:
        if (isa_is_bulk(in->op) && in->src_kind[0] == SRC_UREG)
            return "either all or none are uniform registers";
        c->val[i] |= o->letter == 'o'; /* its offset */
        if (o->letter == 'X' && !isa_atom_compares(isa_mod_get(in, MOD_ATOMOP)))
            return "only CAS takes a second value";
        return check_file(o, in->src[i], regs);
    case SRC_IMM:
        c->val[i] = true;
        c->not_reg++;
        if (o->kind != OPND_SRC)
            return "must be a register";
        if (in->src_mod[i])
            return "an immediate takes no modifier";
        return NULL;
    case SRC_CONST:
        c->val[i] = true;
        c->not_reg++;
        if (o->kind != OPND_SRC)
            return "must be a register";
        return check_const(in->val[i], 4 * regs);
    case SRC_UREG:
        if (isa_is_bulk(in->op)) /* all of them */
            return in->src_kind[0] == SRC_UREG
                       ? check_uniform_row(in->src[i], regs)
                       : "either all or none are uniform registers";
        c->not_reg++;
        if (o->kind != OPND_SRC)
            return "must be a register of each lane";
        return check_uniform(in->src[i], regs);
    default:
        return "unknown kind of operand";
    }
}

static const char *check_memory(checker *c, const isa_operand *o)
{
    const isa_inst *in = c->in;
    unsigned regs, plus = isa_uaddr(in, &regs);
    const char *why;

    c->src[0] = c->val[0] = true;
    c->uaddr = o->kind == OPND_MEM;
    if (in->src_kind[0] != SRC_REG)
        return "an address must be a register";
    if (in->src_mod[0])
        return "an address takes no modifier";
    if (o->kind == OPND_CMEM) {
        c->num = true;
        if (in->lut >= CBANKS)
            return "no such constant bank";
    }
    if (c->uaddr && in->uaddr & UADDR_U32 &&
        (!(isa_table[in->op].mods >> MOD_EXT & 1) || !ISA_GET(in, EXT)))
        return ".U32 is of addresses of 64 bits: .E";
    if (c->uaddr && regs && (why = check_uniform(plus, regs)))
        return why;
    return check_file(o, in->src[0], isa_operand_regs(in, o));
}

static bool is_shifted_sum(unsigned op)
{
    return op == ISA_LEA || op == ISA_LEAX || op == ISA_LEAHI ||
           op == ISA_LEAHIS || op == ISA_ULEA || op == ISA_ULEAX ||
           op == ISA_ULEAHI || op == ISA_ULEAHIS;
}

static const char *check_number(checker *c, const isa_operand *o)
{
    const isa_inst *in = c->in;

    c->num = true;
    switch (o->kind) {
    case OPND_BAR:
        c->src[0] = true;
        if (in->src_mod[0])
            return "a barrier takes no modifier";
        if (in->src_kind[0] == SRC_REG)
            return in->lut ? "either a barrier number or a register" : NULL;
        if (in->src_kind[0] != SRC_NONE)
            return "a barrier is a number or a register";
        return in->lut < BARRIERS ? NULL : "barriers are numbered 0 to 15";
    case OPND_CONV:
        return in->lut < ISA_BARRIERS ? NULL
                                      : "convergence barriers are B0 to B15";
    case OPND_SREG:
        return in->lut < ISA_SREGS ? NULL : "no such special register";
    case OPND_DST:
    case OPND_DST2:
    case OPND_PDST:
    case OPND_SRC:
    case OPND_REG:
    case OPND_PSRC:
    case OPND_MEM:
    case OPND_CMEM:
    case OPND_NUM:
    case OPND_TARGET:
        if (isa_table[in->op].class == ISA_CLASS_TEX &&
            (!in->lut || in->lut > 15))
            return "the channels are 1 to 15, a bit each";
        if (is_shifted_sum(in->op) && in->lut > LEA_SHIFT_MAX)
            return "the shift is at most 31";
        if ((in->op == ISA_P2R || in->op == ISA_R2P || in->op == ISA_UP2UR ||
             in->op == ISA_UR2UP) &&
            in->lut > 0x7f)
            return "the mask has 7 bits, one per predicate";
        return NULL;
    }
    MUST(!"every value is above");
}

static const char *check_pred(const isa_inst *in, const isa_operand *o)
{
    unsigned p = in->psrc[o->index];

    if (p & PRED_UNIFORM &&
        ((in->op != ISA_PLOP3 && in->op != ISA_PLOP3T) || o->index != 2))
        return "of predicates of lanes, only the third source of PLOP3.LUT can "
               "be a uniform one";
    return (p & ~(unsigned)PRED_UNIFORM) > (ISA_PT | PRED_NOT)
               ? "no such predicate"
               : NULL;
}

static const char *check_second(const isa_inst *in, const isa_operand *o)
{
    unsigned regs = isa_operand_regs(in, o), at = in->uaddr - 1u;

    if (!in->uaddr)
        return NULL;
    if (!regs)
        return "a second destination for no channel";
    if (in->dst != ISA_RZ && at < in->dst + 2u && in->dst < at + regs)
        return "both destinations are the same register";
    return check_registers(at, regs);
}

static const char *check_one(checker *c, const isa_operand *o)
{
    const isa_inst *in = c->in;

    switch (o->kind) {
    case OPND_DST:
        c->dst = true;
        return check_file(o, in->dst, isa_operand_regs(in, o));
    case OPND_DST2:
        c->uaddr = true;
        return check_second(in, o);
    case OPND_PDST:
        c->pdst[o->index] = true;
        return in->pdst[o->index] > ISA_PT ? "no such predicate" : NULL;
    case OPND_PSRC:
        c->psrc[o->index] = true;
        return check_pred(in, o);
    case OPND_SRC:
    case OPND_REG:
        return check_source(c, o);
    case OPND_MEM:
    case OPND_CMEM:
        return check_memory(c, o);
    case OPND_TARGET:
        c->val[0] = true;
        return NULL;
    case OPND_NUM:
    case OPND_BAR:
    case OPND_CONV:
    case OPND_SREG:
        return check_number(c, o);
    }
    MUST(!"every value is above");
}

/* What no operand uses must be empty. */
static const char *check_unused(const checker *c)
{
    const isa_inst *in = c->in;
    bool bad = (!c->dst && in->dst != ISA_RZ) || (!c->num && in->lut);

    for (unsigned i = 0; i < 2; i++)
        bad |= !c->pdst[i] && in->pdst[i] != ISA_PT;
    for (unsigned i = 0; i < 3; i++) {
        bad |= !c->psrc[i] && in->psrc[i] != ISA_PT;
        bad |= !c->src[i] &&
               (in->src[i] != ISA_RZ || in->src_kind[i] || in->src_mod[i]);
        bad |= !c->val[i] && in->val[i];
    }
    bad |= in->uaddr && !c->uaddr;
    return bad ? "an operand that the operation does not have" : NULL;
}

static const char *check_modifiers(const isa_inst *in)
{
    uint32_t left = in->mod;
    isa_mod_set mods = isa_table[in->op].mods;
    size_t length;

    for (unsigned g = 0; g < ISA_MODS; g++) {
        const isa_mod_desc *m = &isa_mod_table[g];

        if (!(mods >> g & 1))
            continue;
        left &= ~(((1u << m->width) - 1) << m->shift);
        if (!isa_mod_text((isa_mod)g, isa_mod_get(in, (isa_mod)g), &length))
            return "a modifier has no such value";
    }
    return left ? "a modifier that the operation does not have" : NULL;
}

/* Types that an atomic operation has, as a set of isa_atype [PTX85:atom]. */
const char *isa_check_atomic(const isa_inst *in)
{
    enum {
        WORD = 1 << ATYPE_U32 | 1 << ATYPE_S32,
        INT = WORD | 1 << ATYPE_U64 | 1 << ATYPE_S64,
        REAL = 1 << ATYPE_F32 | 1 << ATYPE_F64,
        HALF = 1 << ATYPE_F16 | 1 << ATYPE_F16X2 | 1 << ATYPE_BF16X2 |
               1 << ATYPE_BF16,
        WIDE = 1 << ATYPE_B128,
    };
    static const uint16_t types[] = {
        [ATOM_ADD] = INT | REAL | HALF,
        [ATOM_MIN] = INT | HALF,
        [ATOM_MAX] = INT | HALF,
        [ATOM_INC] = WORD,
        [ATOM_DEC] = WORD,
        [ATOM_AND] = INT,
        [ATOM_OR] = INT,
        [ATOM_XOR] = INT,
        [ATOM_EXCH] = INT | REAL | WIDE,
        [ATOM_CAS] = INT | REAL | HALF | WIDE,
        [ATOM_ARRIVE] = 1 << ATYPE_U64,
        [ATOM_DROP] = 1 << ATYPE_U64,
        [ATOM_ARRIVE80] = 1 << ATYPE_U64,
        [ATOM_POPC_INC] = 1 << ATYPE_U32,
        [ATOM_CAST] = WORD | 1 << ATYPE_U64,
    };
    unsigned op = isa_mod_get(in, MOD_ATOMOP);

    if ((in->op == ISA_RED || isa_is_bulk(in->op) ||
         isa_table[in->op].class == ISA_CLASS_TEX) &&
        (op == ATOM_EXCH || isa_atom_compares(op)))
        return "a reduction cannot exchange";
    if ((op == ATOM_ARRIVE || op == ATOM_DROP || op == ATOM_ARRIVE80 ||
         op == ATOM_POPC_INC) &&
        in->op != ISA_ATOMS && in->op != ISA_ATOM && in->op != ISA_MBARRIVE)
        return "arrivals are counted in shared memory";
    if (!(types[op] >> isa_mod_get(in, MOD_ATYPE) & 1))
        return "the atomic operation does not exist for this type";
    return NULL;
}

static const char *check_control(const checker *c)
{
    uint32_t ctl = c->in->ctl, rest = ctl & ~(1u << CTL_HAS);
    uint32_t code = 0xffu << CTL_CODE;
    unsigned read = ctl >> CTL_READ_BAR & 7, write = ctl >> CTL_WRITE_BAR & 7;

    if (rest == ctl)
        return ctl == CTL_NONE ? NULL : "control information not marked so";
    if (c->arch == ARCH_FERMI)
        return "Fermi has no control information";
    if (c->arch == ARCH_KEPLER)
        return (rest & ~code) == CTL_NONE ? NULL
                                          : "Kepler has 8-bit codes only";
    if (rest & (code | 3u << 29))
        return "8-bit codes are Kepler's";
    if ((read >= SCOREBOARDS && read != 7) ||
        (write >= SCOREBOARDS && write != 7))
        return "scoreboards are numbered 0 to 5";
    if (ctl >> (CTL_REUSE + 3) & 1)
        return "reuse of a source that does not exist";
    for (unsigned i = 0; i < c->count; i++) {
        const isa_operand *o = &c->o[i];

        if (o->kind == OPND_SRC && !o->uniform &&
            c->in->src_kind[o->index] == SRC_REG)
            rest &= ~(1u << (CTL_REUSE + o->index));
    }
    return rest >> CTL_REUSE & 15 ? "reuse of a source that is no register"
                                  : NULL;
}

/* [PTX85:setmaxnreg] */
static const char *check_pool(const isa_inst *in)
{
    enum { LEAST = 24, MOST = 256, UNIT = 8 };
    uint32_t n = in->val[1];

    if (in->src_kind[1] != SRC_IMM || n < LEAST || n > MOST || n % UNIT)
        return "the registers are a multiple of 8 from 24 to 256";
    return NULL;
}

static const char *check_arch(const isa_inst *in, isa_arch arch)
{
    bool uniform = isa_is_uniform(in->op) || isa_has_uniform(in) ||
                   (in->uaddr && !in->dst2_regs) || in->op == ISA_R2UR ||
                   in->op == ISA_R2URP || in->op == ISA_VOTEU ||
                   in->op == ISA_UREDUX || in->op == ISA_S2UR;

    if (uniform && arch < ARCH_AMPERE)
        return "uniform registers exist from Turing on, here on ampere and "
               "hopper";
    switch (in->op) {
    case ISA_SSY:
    case ISA_SYNC:
        return arch >= ARCH_VOLTA ? "Volta and later have BSSY and BSYNC"
                                  : NULL;
    case ISA_BSSY:
    case ISA_BSYNC:
    case ISA_BREAK:
    case ISA_BMOVS:
    case ISA_BMOVL:
        return arch < ARCH_VOLTA ? "convergence barriers exist from Volta on"
                                 : NULL;
    case ISA_LDSM:
    case ISA_STSM:
    case ISA_MOVM:
    case ISA_LDGSTS:
    case ISA_LDGDEPBAR:
    case ISA_DEPBAR:
        return arch < ARCH_VOLTA ? "newer than this architecture" : NULL;
    default:
        if (isa_is_bulk(in->op) && arch < ARCH_VOLTA)
            return "newer than this architecture";
        if (isa_table[in->op].class == ISA_CLASS_TENSOR && arch < ARCH_VOLTA)
            return "tensor cores exist from Volta on";
        return NULL;
    }
}

static const char *check_whole(const checker *c)
{
    const isa_inst *in = c->in;
    const char *why;

    if (in->guard > (ISA_PT | PRED_NOT))
        return "no such predicate";
    if (c->not_reg > isa_immediates(in))
        return "at most one source can be an immediate or a constant";
    if ((why = check_modifiers(in)) || (why = check_unused(c)) ||
        (why = check_control(c)) || (why = check_arch(in, c->arch)))
        return why;
    if (isa_table[in->op].mods >> MOD_ATOMOP & 1 &&
        (why = isa_check_atomic(in)))
        return why;
    if (in->op == ISA_USETMAXREG && (why = check_pool(in)))
        return why;
    return isa_tensor_check(in);
}

const char *isa_check_operand(const isa_inst *in, isa_arch arch, int *operand)
{
    checker c = {.in = in, .arch = arch};
    const char *why = NULL;

    *operand = -1;
    if (in->op >= ISA_COUNT)
        return "no such operation";
    c.count = isa_operands(in->op, c.o);
    for (unsigned i = 0; i < c.count; i++) {
        if ((why = check_one(&c, &c.o[i]))) {
            *operand = (int)i;
            return why;
        }
    }
    return check_whole(&c);
}

const char *isa_check(const isa_inst *in, isa_arch arch)
{
    int operand;

    return isa_check_operand(in, arch, &operand);
}
