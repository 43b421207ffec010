/* src/codegen/opt/dce.c - dead code: from the operations that have an effect
 * backwards through the words they read. What is not reached goes, and so do
 * upper halves of 64-bit results that are not read. */
#include <string.h>

#include "codegen/ir/pass.h"

typedef struct sweep {
    cg_func *f;
    arena *mem;
    uint32_t *at; /* definitions of word w: defs[at[w]] .. [at[w + 1]) */
    cg_inst **defs;
    bool *needed; /* words */
    cg_inst **work;
    uint32_t nwork;
    bool grew; /* a word has become needed */
} sweep;

/* Calls `visit` for each word that `in` writes. */
static void each_result(const cg_func *f, cg_inst *in,
                        void (*visit)(sweep *, uint32_t, cg_inst *), sweep *s)
{
    if (in->dst.reg)
        for (unsigned i = 0; i < cg_dst_words(in); i++)
            visit(s, cg_word_of(f, in->dst.reg, in->dst.off + i), in);
    for (unsigned i = 0; i < 2; i++)
        if (in->pdst[i])
            visit(s, cg_word_of(f, in->pdst[i], 0), in);
}

static void count_def(sweep *s, uint32_t word, cg_inst *in)
{
    (void)in;
    s->at[word + 1]++;
}

static void place_def(sweep *s, uint32_t word, cg_inst *in)
{
    s->defs[s->at[word]++] = in;
}

static uint32_t collect_defs(sweep *s)
{
    cg_func *f = s->f;
    uint32_t total, count = 0;

    s->at = ARENA_ARRAY(s->mem, uint32_t, f->nwords + 2);
    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH(in, f->blocks[i])
        {
            in->mark = false;
            count++;
            each_result(f, in, count_def, s);
        }
    for (uint32_t w = 0; w < f->nwords; w++)
        s->at[w + 1] += s->at[w];
    total = s->at[f->nwords];
    s->defs = ARENA_ARRAY(s->mem, cg_inst *, total + 1);
    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH(in, f->blocks[i]) each_result(f, in, place_def, s);
    for (uint32_t w = f->nwords; w > 0; w--)
        s->at[w] = s->at[w - 1];
    s->at[0] = 0;
    return count;
}

static void keep_inst(sweep *s, cg_inst *in)
{
    if (in->mark)
        return;
    in->mark = true;
    s->work[s->nwork++] = in;
}

static void need(sweep *s, vreg v, unsigned off, unsigned words)
{
    if (!v)
        return;
    for (unsigned i = 0; i < words; i++) {
        uint32_t w = cg_word_of(s->f, v, off + i);

        if (s->needed[w])
            continue;
        s->needed[w] = s->grew = true;
        for (uint32_t k = s->at[w]; k < s->at[w + 1]; k++)
            keep_inst(s, s->defs[k]);
    }
}

/* The operations that a narrowed one becomes; 0: it stays. */
static unsigned narrow_op(const cg_inst *in)
{
    switch (in->op) {
    case CG_ADD64:
        return ISA_IADD3;
    case CG_MUL64:
    case ISA_IMADW:
        return ISA_IMAD;
    case CG_SHL64:
        return ISA_SHL;
    case CG_LEA64:
        return ISA_LEA;
    default:
        return 0;
    }
}

/* Only the lower word of the result is read, so only the lower words of the
 * operands are needed. */
static void narrow_inst(cg_inst *in)
{
    unsigned op = narrow_op(in);

    if (op == ISA_SHL) {
        if (in->lut > 31) {
            op = ISA_MOV;
            in->src[0] = (cg_src){0};
            in->src[1] = cg_zero();
        } else {
            in->src[0] = cg_word(in->src[0], 0);
            in->src[1] = cg_imm(in->lut);
        }
        in->lut = 0;
    } else {
        for (unsigned i = 0; i < 3; i++)
            if (in->src[i].kind)
                in->src[i] = cg_word(in->src[i], 0);
        if (op != ISA_LEA && !in->src[2].kind)
            in->src[2] = cg_zero();
    }
    in->op = (uint16_t)op;
    in->mod = 0;
}

static bool upper_unused(const sweep *s, const cg_inst *in)
{
    return in->dst.reg && narrow_op(in) &&
           !s->needed[cg_word_of(s->f, in->dst.reg, in->dst.off + 1)];
}

static void mark_operands(sweep *s, const cg_inst *in, bool low_only)
{
    for (unsigned i = 0; i < 3; i++) {
        if (in->src[i].kind == SRC_REG)
            need(s, in->src[i].reg, in->src[i].off,
                 low_only ? 1 : cg_src_words(in, i));
        need(s, in->psrc[i].reg, 0, 1);
    }
    need(s, in->guard.reg, 0, 1);
}

/* Until a fixed point: operations that may be narrowed read lower words
 * first, and the rest if their upper word turns out to be needed. */
static void mark_live(sweep *s)
{
    do {
        s->grew = false;
        while (s->nwork) {
            cg_inst *in = s->work[--s->nwork];

            mark_operands(s, in, upper_unused(s, in));
        }
        s->grew = false;
        for (uint32_t i = 0; i < s->f->nblocks; i++)
            CG_EACH(in, s->f->blocks[i])
        if (in->mark && narrow_op(in) && !upper_unused(s, in))
            mark_operands(s, in, false);
    } while (s->grew);
}

static bool drop_results(sweep *s, cg_inst *in)
{
    bool changed = false;
    unsigned words = in->dst.reg ? cg_dst_words(in) : 0, used = 0;

    for (unsigned i = 0; i < words; i++)
        used += s->needed[cg_word_of(s->f, in->dst.reg, in->dst.off + i)];
    if (words && !used) {
        in->dst = (cg_dst){0};
        changed = true;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (in->pdst[i] && !s->needed[cg_word_of(s->f, in->pdst[i], 0)]) {
            in->pdst[i] = 0;
            changed = true;
        }
    }
    return changed;
}

/* A predicate result alone needs no register, but a dropped register of an
 * operation that has both is RZ: fine for all of them. */
bool cg_eliminate(cg_func *f)
{
    sweep s = {.f = f, .mem = arena_new()};
    bool changed = false;

    uint32_t count = collect_defs(&s);
    s.needed = ARENA_ARRAY(s.mem, bool, f->nwords + 1);
    s.work = ARENA_ARRAY(s.mem, cg_inst *, count + 1);
    for (uint32_t i = 0; i < f->nblocks; i++)
        CG_EACH(in, f->blocks[i])
    if (cg_has_effect(in))
        keep_inst(&s, in);
    mark_live(&s);
    for (uint32_t i = 0; i < f->nblocks; i++) {
        CG_EACH_SAFE(in, f->blocks[i])
        {
            if (!in->mark) {
                cg_remove(in);
                changed = true;
                continue;
            }
            if (upper_unused(&s, in)) {
                narrow_inst(in);
                changed = true;
            }
            changed |= drop_results(&s, in);
        }
    }
    arena_free(s.mem);
    return changed;
}
