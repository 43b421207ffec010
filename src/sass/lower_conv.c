/* src/sass/lower_conv.c - conversions: types on both sides choose the
 * operation. */
#include "sass/lower.h"

#include <string.h>

/* Sizes as these fields have them. */
enum { F16 = 1, F32 = 2, F64 = 3, BF16 = 4, TF32 = 6 };
enum { BITS64 = 3 };

/* isa_itype of a size and a sign. */
static unsigned itype(unsigned size, bool is_signed)
{
    static const uint8_t types[4] = {ITYPE_U8, ITYPE_U16, ITYPE_U32, ITYPE_U64};

    return types[size] + is_signed;
}

/* Which part of its source it takes; all of a number. */
static unsigned part_of(const sass_lowering *l)
{
    return l->in.src_kind[0] == SRC_IMM ? 0 : (unsigned)sass_get(l->w, 60, 2);
}

void sass_lower_I2F(sass_lowering *l)
{
    static const isa_op ops[4][2] = {{ISA_COUNT, ISA_COUNT},
                                     {ISA_I2F_H, ISA_I2F_HL},
                                     {ISA_I2F, ISA_I2F_L},
                                     {ISA_I2F_D, ISA_I2F_DL}};
    unsigned to = (unsigned)sass_get(l->w, 75, 2);
    unsigned size = (unsigned)sass_get(l->w, 84, 2);
    unsigned part = part_of(l);
    bool is_signed = sass_get(l->w, 74, 1);

    l->in.op = (uint16_t)ops[to][size == BITS64];
    ISA_PUT(&l->in, ITYPE, itype(size, is_signed));
    if (size < F32)
        ISA_PUT(&l->in, BSEL, size == F16 ? 2 * part : part);
}

void sass_lower_I2FP(sass_lowering *l)
{
    ISA_PUT(&l->in, ITYPE, sass_value(l, "i32") ? ITYPE_S32 : ITYPE_U32);
}

/* NaN becomes zero with NTZ; without, what the manual says of 64 bits. */
void sass_lower_F2I(sass_lowering *l)
{
    static const isa_op ops[4][2] = {{ISA_COUNT, ISA_COUNT},
                                     {ISA_F2I_H, ISA_F2I_HL},
                                     {ISA_F2I, ISA_F2I_L},
                                     {ISA_F2I_D, ISA_F2I_DL}};
    unsigned from = (unsigned)sass_get(l->w, 84, 2);
    unsigned size = (unsigned)sass_get(l->w, 75, 2);
    bool ftz = sass_value(l, "FTZ");

    l->in.op = (uint16_t)ops[from][size == BITS64];
    ISA_PUT(&l->in, DTYPE, itype(size, sass_get(l->w, 72, 1)));
    if (isa_table[l->in.op].mods >> MOD_FTZ & 1)
        ISA_PUT(&l->in, FTZ, ftz);
    if (part_of(l) && from == F16)
        ISA_PUT(&l->in, SWZA, SWZ_H1_H1);
}

void sass_lower_F2F(sass_lowering *l)
{
    static const isa_op ops[8][4] = {
        [F16] = {ISA_COUNT, ISA_COUNT, ISA_F2F_HS, ISA_F2F_HD},
        [F32] = {ISA_COUNT, ISA_F2F_SH, ISA_COUNT, ISA_F2F_SD},
        [F64] = {ISA_COUNT, ISA_F2F_DH, ISA_F2F_DS, ISA_COUNT},
        [BF16] = {ISA_COUNT, ISA_COUNT, ISA_F2F_BS, ISA_F2F_BD},
        [TF32] = {ISA_COUNT, ISA_COUNT, ISA_F2F_TS, ISA_COUNT},
        [5] = {ISA_COUNT, ISA_COUNT, ISA_COUNT, ISA_COUNT},
        [7] = {ISA_COUNT, ISA_COUNT, ISA_COUNT, ISA_COUNT},
        [0] = {ISA_COUNT, ISA_COUNT, ISA_COUNT, ISA_COUNT},
    };
    isa_op op = ops[sass_get(l->w, 75, 3)][sass_get(l->w, 84, 2)];
    unsigned rnd = sass_value(l, "rnd");

    if (op == ISA_COUNT) {
        sass_refuse(l, "a conversion between these types");
        return;
    }
    l->in.op = (uint16_t)op;
    l->in.mod = 0;
    if (isa_table[op].mods >> MOD_FTZ & 1)
        ISA_PUT(&l->in, FTZ, sass_value(l, "FTZ"));
    if (isa_table[op].mods >> MOD_RND & 1)
        ISA_PUT(&l->in, RND, rnd);
    if (part_of(l) && (op == ISA_F2F_SH || op == ISA_F2F_DH))
        ISA_PUT(&l->in, SWZA, SWZ_H1_H1);
    else if (part_of(l))
        sass_refuse(l, "the upper half of a register");
}

void sass_lower_I2I(sass_lowering *l)
{
    ISA_PUT(&l->in, DTYPE,
            itype((unsigned)sass_get(l->w, 77, 2), sass_get(l->w, 76, 1)));
    ISA_PUT(&l->in, ITYPE, ITYPE_S32);
    ISA_PUT(&l->in, SAT, 1);
}

void sass_lower_FRND(sass_lowering *l)
{
    if (l->in.op == ISA_HRND && part_of(l))
        ISA_PUT(&l->in, SWZA, SWZ_H1_H1);
}

static bool says(const sass_lowering *l, const char *text)
{
    return strstr(l->e->row->mods, text);
}

void sass_lower_F2FP(sass_lowering *l)
{
    if (says(l, "=BF16"))
        ISA_PUT(&l->in, HFMT, HFMT_BF16);
}

void sass_lower_FP8(sass_lowering *l)
{
    ISA_PUT(&l->in, F8FMT, says(l, "=E4M3") ? F8FMT_E4M3 : F8FMT_E5M2);
    if (l->in.op == ISA_F2F_F8)
        ISA_PUT(&l->in, BSEL, 2 * sass_get(l->w, 88, 1));
}

void sass_lower_I2IP(sass_lowering *l)
{
    static const uint8_t types[4] = {ITYPE_U8, ITYPE_S8, ITYPE_U16, ITYPE_S16};

    ISA_PUT(&l->in, DTYPE, types[sass_value(l, "iptype")]);
}
