/* src/codegen/legal.c - constants that an instruction cannot hold: at most one
 * operand of each is not a register, wide immediates are 32 bits. Within a
 * block a constant is put into a register once. */
#include <string.h>

#include "codegen/build.h"
#include "codegen/pass.h"

typedef struct known { /* constants in registers, in this block */
    struct {
        cg_src s;
        unsigned words;
        vreg reg;
    } at[32];
    unsigned n;
} known;

/* `s` without its modifier in a register, above `in`. */
static cg_src in_register(cg_func *f, known *k, cg_inst *in, cg_src s,
                          unsigned words)
{
    cg_build b = cb_before(f, in);
    uint8_t mod = s.mod;
    cg_src r;

    s.mod = 0;
    for (unsigned i = 0; i < k->n; i++) {
        if (k->at[i].words == words && cg_src_same(&k->at[i].s, &s)) {
            r = cg_r(k->at[i].reg);
            r.mod = mod;
            return r;
        }
    }
    r = cb_reg(&b, s, words);
    if (k->n == COUNTOF(k->at)) {
        memmove(&k->at[0], &k->at[1], sizeof k->at[0] * (COUNTOF(k->at) - 1));
        k->n--;
    }
    k->at[k->n].s = s;
    k->at[k->n].words = words;
    k->at[k->n++].reg = r.reg;
    r.mod = mod;
    return r;
}

/* A wide constant may live in the kernel's constant bank. */
static bool to_bank(cg_func *f, cg_inst *in, unsigned i)
{
    cg_src c;

    if (in->src[i].kind != SRC_IMM || cg_src_words(in, i) != 2 ||
        in->op >= ISA_COUNT)
        return false;
    c = cg_const(CBANK_CODE, cg_constant64(f, (uint64_t)in->src[i].val));
    c.mod = in->src[i].mod;
    if (!cg_src_legal(in, i, &c))
        return false;
    in->src[i] = c;
    return true;
}

static void legalise(cg_func *f, known *k, cg_inst *in)
{
    unsigned others = 0;

    for (unsigned i = 0; i < 3; i++) {
        cg_src *s = &in->src[i];

        if (!s->kind || cg_src_legal(in, i, s) || to_bank(f, in, i))
            continue;
        *s = in_register(f, k, in, *s, cg_src_words(in, i));
    }
    for (unsigned i = 0; i < 3; i++)
        others += in->src[i].kind == SRC_IMM || in->src[i].kind == SRC_CONST;
    /* An immediate goes first: it is likely to be met again. */
    for (unsigned kind = SRC_IMM; kind <= SRC_CONST; kind++)
        for (unsigned i = 0; i < 3 && others > 1; i++)
            if (in->src[i].kind == kind) {
                in->src[i] =
                    in_register(f, k, in, in->src[i], cg_src_words(in, i));
                others--;
            }
}

void cg_legalise(cg_func *f)
{
    for (uint32_t i = 0; i < f->nblocks; i++) {
        known k = {.n = 0};

        CG_EACH(in, f->blocks[i]) legalise(f, &k, in);
    }
}
