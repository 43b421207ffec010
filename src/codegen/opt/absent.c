/* src/codegen/opt/absent.c - operations that Volta's assembler makes of others
 * [PTXAS11:absent]: fields of bits of known place and length, of PRMT, shifts
 * and logic, where Heddle's BFE, BFI and SGXT would wait for the slow unit of
 * bit counts; and minima of integers, of a comparison and a selection. */
#include "codegen/ir/build.h"
#include "codegen/ir/pass.h"

enum { BYTE = 8, WORD = 32 };

/* Place and length of a field within a word; false if they are not known. */
static bool field_of(const cg_inst *in, unsigned *pos, unsigned *len)
{
    const cg_src *s = &in->src[1];

    if (s->kind != SRC_IMM || s->mod || in->src[0].mod ||
        (in->op == ISA_SGXT && (s->val < 1 || s->val >= WORD)))
        return false;
    *pos = in->op == ISA_SGXT ? 0 : (unsigned)s->val & 0xff;
    *len = in->op == ISA_SGXT ? (unsigned)s->val : (unsigned)s->val >> 8 & 0xff;
    return *len && *pos + *len <= WORD;
}

static bool is_bytes(unsigned pos, unsigned len)
{
    return pos % BYTE == 0 && (len == BYTE || len == 2 * BYTE);
}

/* The selector that takes those bytes of the first operand and fills up with
 * zeros, the second operand, or the sign. */
static unsigned selector(unsigned pos, unsigned len, bool sign)
{
    unsigned first = pos / BYTE, last = (pos + len) / BYTE - 1, out = 0;

    for (unsigned i = 0; i < 4; i++) {
        unsigned from = first + i <= last ? first + i : sign ? last | 8 : 4;

        out |= from << 4 * i;
    }
    return out;
}

static void take_field(cg_build *b, cg_inst *in, unsigned pos, unsigned len)
{
    bool sign = !CG_GET(in, U32);
    cg_src x = in->src[0];

    if (is_bytes(pos, len)) {
        cb_to(b, ISA_PRMT, in->dst, x, cg_imm(selector(pos, len, sign)),
              cg_zero());
        return;
    }
    if (sign && pos + len < WORD)
        x = cb_shl(b, x, cg_imm(WORD - pos - len));
    if (!sign && pos && pos + len < WORD)
        x = cb_shr(b, false, x, cg_imm(pos));
    if (sign || pos + len == WORD) {
        cb_to(b, ISA_SHR, in->dst, x, cg_imm(WORD - len), cb_none());
        CG_PUT(cb_last(b), U32, !sign);
    } else {
        cb_to(b, ISA_LOP3, in->dst, x, cg_imm((int64_t)((1u << len) - 1)),
              cg_zero());
        cb_last(b)->lut = LUT_A & LUT_B;
    }
}

/* The lowest bits of the first operand among those of the third. */
static void put_field(cg_build *b, cg_inst *in, unsigned pos, unsigned len)
{
    uint32_t mask = (len < WORD ? (1u << len) - 1 : UINT32_MAX) << pos;
    cg_src x = pos ? cb_shl(b, in->src[0], cg_imm(pos)) : in->src[0];

    cb_to(b, ISA_LOP3, in->dst, x, cg_imm((int32_t)mask), in->src[2]);
    cb_last(b)->lut = (LUT_A & LUT_B) | (LUT_C & ~LUT_B & 0xff);
}

/* Both operands are compared, and one is selected. */
static void select_lesser(cg_build *b, cg_inst *in)
{
    cg_src x = in->src[0], y = in->src[1];
    vreg less = cb_isetp(b, CMP_LT, !CG_GET(in, U32), x, y);

    cb_to(b, ISA_SEL, in->dst, x, y, cb_none());
    cb_last(b)->psrc[0] = (cg_pred){less, in->psrc[0].neg};
}

/* Adds what `in` is to become; false: nothing. */
static bool replace(cg_func *f, cg_inst *in)
{
    cg_build b = cb_before(f, in);
    unsigned pos, len;

    switch (in->op) {
    case ISA_BFE:
    case ISA_SGXT:
        if (!field_of(in, &pos, &len))
            return false;
        take_field(&b, in, pos, len);
        break;
    case ISA_BFI:
        if (!field_of(in, &pos, &len))
            return false;
        put_field(&b, in, pos, len);
        break;
    case ISA_IMNMX:
        if (in->psrc[0].reg)
            return false;
        select_lesser(&b, in);
        break;
    default:
        return false;
    }
    cb_last(&b)->guard = in->guard;
    return true;
}

void cg_replace_absent(cg_func *f)
{
    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH_SAFE(in, f->blocks[i])
        {
            if (replace(f, in))
                cg_remove(in);
        }
}
