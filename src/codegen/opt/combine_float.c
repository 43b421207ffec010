/* src/codegen/opt/combine_float.c - products and sums fused where PTX leaves it
 * open; changes of sign become modifiers of the operands they reach. */
#include "codegen/opt/combine.h"

/* The operation for a * b + c of a sum, and that of its product; 0: none. */
static unsigned fused(unsigned sum, unsigned *product)
{
    switch (sum) {
    case ISA_FADD:
        *product = ISA_FMUL;
        return ISA_FFMA;
    case ISA_DADD:
        *product = ISA_DMUL;
        return ISA_DFMA;
    case ISA_HADD2:
        *product = ISA_HMUL2;
        return ISA_HFMA2;
    default:
        return 0;
    }
}

static bool has_mod(unsigned op, isa_mod g)
{
    return isa_table[op].mods >> g & 1;
}

static bool fuse(combine *c, cg_inst *in, unsigned i)
{
    unsigned mul, op = fused(in->op, &mul), words = cg_src_words(in, i);
    const cg_inst *def;
    cg_src a, b, z;
    uint32_t mod = in->mod;

    if (!op || !in->fuse || in->src[i].mod & SRC_ABS)
        return false;
    def = co_def(c, in, &in->src[i], words);
    if (!def || def->op != mul || !def->fuse ||
        !co_only_use(c, &in->src[i], words))
        return false;
    if (has_mod(mul, MOD_SAT) && CG_GET(def, SAT))
        return false;
    if (has_mod(mul, MOD_FTZ) && CG_GET(def, FTZ) != CG_GET(in, FTZ))
        return false;
    if (has_mod(mul, MOD_HFMT) && CG_GET(def, HFMT) != CG_GET(in, HFMT))
        return false;
    a = def->src[0];
    b = def->src[1];
    z = in->src[!i];
    if (in->src[i].mod & SRC_NEG) {
        if (a.kind != SRC_IMM)
            a.mod ^= SRC_NEG;
        else if (b.kind != SRC_IMM)
            b.mod ^= SRC_NEG;
        else
            return false;
    }
    co_become(c, in, op, a, b, z);
    in->mod = mod;
    return true;
}

/* x + -0: nothing but x with its modifiers. */
static bool is_sign_change(const cg_inst *def, unsigned words)
{
    const cg_src *z = &def->src[1];

    return def->op == (words == 2 ? ISA_DADD : ISA_FADD) && !def->mod &&
           z->kind == SRC_REG && !z->reg && z->mod == SRC_NEG;
}

static bool move_signs(combine *c, cg_inst *in, unsigned i)
{
    unsigned words = cg_src_words(in, i);
    const cg_inst *def;
    cg_src s;

    if (in->src[i].kind != SRC_REG || !in->src[i].reg ||
        cg_src_mods(in->op, i) != (SRC_NEG | SRC_ABS) ||
        isa_table[in->op].class == ISA_CLASS_HALF)
        return false;
    def = co_def(c, in, &in->src[i], words);
    if (!def || !is_sign_change(def, words))
        return false;
    s = def->src[0];
    if (in->src[i].mod & SRC_ABS)
        s.mod = in->src[i].mod;
    else
        s.mod ^= in->src[i].mod;
    if (!cg_src_fits(in, i, &s))
        return false;
    co_set_src(c, in, i, s);
    return true;
}

/* saturate(x op y): the operation saturates itself. */
static bool combine_saturate(combine *c, cg_inst *in)
{
    const cg_inst *def;
    cg_src a, b, z;
    uint32_t mod;
    unsigned op;

    if (in->op != ISA_FADD || !CG_GET(in, SAT) || in->src[0].mod ||
        in->src[1].kind != SRC_REG || in->src[1].reg ||
        in->src[1].mod != SRC_NEG || !co_only_use(c, &in->src[0], 1))
        return false;
    def = co_def(c, in, &in->src[0], 1);
    if (!def ||
        (def->op != ISA_FADD && def->op != ISA_FMUL && def->op != ISA_FFMA))
        return false;
    if (CG_GET(in, FTZ) && !CG_GET(def, FTZ))
        return false;
    op = def->op;
    mod = def->mod;
    a = def->src[0];
    b = def->src[1];
    z = def->src[2];
    co_become(c, in, op, a, b, z);
    in->mod = mod;
    CG_PUT(in, SAT, 1);
    return true;
}

bool co_float(combine *c, cg_inst *in)
{
    if (in->op >= ISA_COUNT || !(isa_table[in->op].flags & ISA_F_FLOAT))
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (move_signs(c, in, i))
            return true;
    if (combine_saturate(c, in))
        return true;
    for (unsigned i = 0; i < 2; i++)
        if (in->src[i].kind == SRC_REG && in->src[i].reg && fuse(c, in, i))
            return true;
    return false;
}
