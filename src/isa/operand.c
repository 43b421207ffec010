/* src/isa/operand.c - forms read through the table of their letters. */
#include "isa/operand.h"

#include <stddef.h>

#include "base/must.h"
#include "isa/tensor.h"

static const isa_operand letters[] = {
#define OPERAND(letter, kind, index, width, help)                              \
    {letter, false, false, OPND_##kind, index, OPND_##width, help},
#include "isa/operand.def"
#undef OPERAND
};

static const isa_operand *find_letter(char letter)
{
    for (size_t i = 0; i < COUNTOF(letters); i++)
        if (letters[i].letter == letter)
            return &letters[i];
    MUST(!"letter of a form in isa.def");
    return NULL;
}

unsigned isa_operands(isa_op op, isa_operand out[ISA_OPERANDS_MAX])
{
    unsigned n = 0;
    bool optional = false, uniform = false;

    MUST(op < ISA_COUNT);
    for (const char *s = isa_table[op].form; *s; s++) {
        if (*s == '?') {
            optional = true;
        } else if (*s == '^') {
            uniform = true;
        } else if (*s != ',') {
            MUST(n < ISA_OPERANDS_MAX);
            out[n] = *find_letter(*s);
            out[n].uniform = uniform;
            out[n++].optional = optional;
            optional = uniform = false;
        }
    }
    return n;
}

static unsigned size_bytes(unsigned size)
{
    static const uint8_t bytes[] = {
        [SIZE_32] = 4, [SIZE_64] = 8,  [SIZE_128] = 16, [SIZE_U8] = 1,
        [SIZE_S8] = 1, [SIZE_U16] = 2, [SIZE_S16] = 2,
    };

    return size < COUNTOF(bytes) ? bytes[size] : 4;
}

static unsigned atype_bytes(unsigned type)
{
    static const uint8_t bytes[] = {
        [ATYPE_U32] = 4,   [ATYPE_S32] = 4,    [ATYPE_U64] = 8,
        [ATYPE_S64] = 8,   [ATYPE_F32] = 4,    [ATYPE_F64] = 8,
        [ATYPE_F16X2] = 4, [ATYPE_BF16X2] = 4, [ATYPE_F16] = 2,
        [ATYPE_BF16] = 2,  [ATYPE_B128] = 16,
    };

    return type < COUNTOF(bytes) ? bytes[type] : 4;
}

/* Registers of the coordinates; three take four. */
unsigned isa_geom_regs(unsigned geom)
{
    static const uint8_t regs[] = {
        [GEOM_1D] = 1,  [GEOM_2D] = 2,   [GEOM_3D] = 4,    [GEOM_A1D] = 2,
        [GEOM_A2D] = 4, [GEOM_CUBE] = 4, [GEOM_ACUBE] = 4,
    };

    return geom < COUNTOF(regs) ? regs[geom] : 4;
}

unsigned isa_channel_regs(unsigned channels)
{
    static const uint8_t regs[16] = {1, 1, 1, 2, 1, 2, 2, 4,
                                     1, 2, 2, 4, 2, 4, 4, 4};

    return regs[channels & 15];
}

/* Registers for `count` words in a row. */
static unsigned row_regs(unsigned count) { return count > 2 ? 4 : count; }

isa_texture_row isa_texture_rows(const isa_inst *in)
{
    static const uint8_t coordinates[] = {
        [GEOM_1D] = 1,  [GEOM_2D] = 2,   [GEOM_3D] = 3,    [GEOM_A1D] = 2,
        [GEOM_A2D] = 3, [GEOM_CUBE] = 3, [GEOM_ACUBE] = 4,
    };
    unsigned geom = ISA_GET(in, GEOM);
    bool within =
        in->src_kind[2] <= SRC_REG && in->src[2] == ISA_RZ; /* handle */
    isa_texture_row r = {
        .coordinates = geom < COUNTOF(coordinates) ? coordinates[geom] : 1};

    if (in->op == ISA_TXDV) {
        r.a = r.coordinates + within;
        r.b = 4;
        return r;
    }
    r.level = in->op == ISA_TEXV && ISA_GET(in, TLOD) >= 2;
    r.a = ISA_GET(in, TSCR) && r.coordinates > 2 ? 2 : r.coordinates;
    r.b = r.coordinates - r.a + within + r.level + ISA_GET(in, TOFF);
    return r;
}

unsigned isa_operand_bytes(const isa_inst *in, const isa_operand *o)
{
    if (isa_is_bulk(in->op) && o->index < 3 &&
        in->src_kind[o->index] == SRC_UREG)
        return 4 * isa_bulk_uniform_regs(in, o->index);
    switch (o->width) {
    case OPND_W32:
        return 4;
    case OPND_W64:
        return 8;
    case OPND_WSIZE:
        return size_bytes(ISA_GET(in, SIZE));
    case OPND_WATYPE:
        return atype_bytes(ISA_GET(in, ATYPE));
    case OPND_WGEOM:
        return 4 * isa_geom_regs(ISA_GET(in, GEOM));
    case OPND_WCHANNELS:
        return 4 * isa_channel_regs(in->lut);
    case OPND_WCHANNELS1:
        return isa_channel_regs(in->lut) > 1 ? 8 : 4;
    case OPND_WCHANNELS2:
        return in->lut == 15 ? 8 : isa_channel_regs(in->lut) > 2 ? 4 : 0;
    case OPND_WTEXA:
        return 4 * row_regs(isa_texture_rows(in).a);
    case OPND_WTEXB:
        return 4 * row_regs(isa_texture_rows(in).b);
    case OPND_WMATD:
        return 4 * isa_tensor_regs(in->op, in->mod).d;
    case OPND_WMATA:
        return 4 * isa_tensor_regs(in->op, in->mod).a;
    case OPND_WMATB:
        return 4 * isa_tensor_regs(in->op, in->mod).b;
    case OPND_WMATC:
        return 4 * isa_tensor_regs(in->op, in->mod).c;
    }
    return 4;
}

/* The address of a memory operation is a pair under .E. */
static bool wide_address(const isa_inst *in)
{
    return isa_table[in->op].mods >> MOD_EXT & 1 && ISA_GET(in, EXT);
}

unsigned isa_uaddr(const isa_inst *in, unsigned *regs)
{
    unsigned plus = in->uaddr & UADDR_REG;

    bool wide = wide_address(in) && !isa_is_to_shared(in);

    *regs = !plus ? 0 : wide ? 2 : 1;
    return plus ? plus - 1 : ISA_RZ;
}

unsigned isa_operand_regs(const isa_inst *in, const isa_operand *o)
{
    if (o->kind == OPND_MEM)
        return wide_address(in) && !(in->uaddr & UADDR_U32) ? 2 : 1;
    return (isa_operand_bytes(in, o) + 3) / 4;
}

isa_imm isa_operand_imm(isa_op op, const isa_operand *o)
{
    const isa_desc *d = &isa_table[op];

    if (!(d->flags & ISA_F_FLOAT))
        return o->width == OPND_W64 ? IMM_INT64 : IMM_INT;
    if (op == ISA_F2F_SH || op == ISA_F2F_DH || op == ISA_HRND ||
        op == ISA_F2I_H || op == ISA_F2I_HL)
        return IMM_HALF;
    if (d->class == ISA_CLASS_HALF)
        return IMM_HALF;
    return o->width == OPND_W64 ? IMM_F64 : IMM_F32;
}

unsigned isa_operand_mods(isa_op op, const isa_operand *o)
{
    const isa_desc *d = &isa_table[op];

    if (o->kind != OPND_SRC)
        return 0;
    if (d->flags & ISA_F_FLOAT)
        return SRC_NEG | SRC_ABS;
    switch ((unsigned)op) {
    case ISA_LEAHI:
    case ISA_LEAHIS:
    case ISA_ULEAHI:
    case ISA_ULEAHIS:
        return o->index == 2 ? 0 : SRC_NEG | SRC_NOT;
    case ISA_UIADD3:
    case ISA_UIADD3X:
    case ISA_UIMAD:
    case ISA_UIMADW:
    case ISA_ULEA:
    case ISA_VIADDMNMX:
        return SRC_NEG;
    case ISA_IMADWX:
    case ISA_IMADHX:
    case ISA_UIMADWX:
    case ISA_UIMADHX:
        return 0;
    case ISA_IMADX:
        return o->index ? SRC_NOT : 0;
    case ISA_LEAX:
    case ISA_ULEAX:
    case ISA_LOP3:
    case ISA_LOP3P:
    case ISA_ULOP3:
    case ISA_FLO:
    case ISA_POPC:
    case ISA_BREV:
    case ISA_UFLO:
    case ISA_UPOPC:
    case ISA_UBREV:
    case ISA_BRADIV:
    case ISA_BRACONV:
        return SRC_NOT;
    default:
        return d->class == ISA_CLASS_INT_ADD || d->class == ISA_CLASS_INT_MUL
                   ? SRC_NEG
                   : 0;
    }
}

bool isa_operand_absent(const isa_inst *in, const isa_operand *o)
{
    switch (o->kind) {
    case OPND_DST:
        return in->dst == ISA_RZ;
    case OPND_DST2:
        return !in->uaddr;
    case OPND_PDST:
        return in->pdst[o->index] == ISA_PT;
    case OPND_PSRC:
        return in->psrc[o->index] == ISA_PT;
    case OPND_SRC:
    case OPND_REG:
        return in->src_kind[o->index] == SRC_NONE;
    case OPND_MEM:
    case OPND_CMEM:
    case OPND_NUM:
    case OPND_BAR:
    case OPND_CONV:
    case OPND_SREG:
    case OPND_TARGET:
        return false;
    }
    MUST(!"every value is above");
}

bool isa_has_target(isa_op op)
{
    isa_operand o[ISA_OPERANDS_MAX];
    unsigned n = isa_operands(op, o);

    return n && o[n - 1].kind == OPND_TARGET;
}
