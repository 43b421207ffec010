/* src/codegen/opt/rewrite.c - what patterns ask of operations, and how they
 * change them. */
#include "codegen/opt/rewrite.h"

enum { LOOK_BACK = 200 };

bool co_known(const cg_src *s, int64_t *value)
{
    if (s->mod)
        return false;
    if (s->kind == SRC_IMM)
        *value = s->val;
    else if (s->kind == SRC_REG && !s->reg)
        *value = 0;
    else
        return false;
    return true;
}

/* ---- availability ------------------------------------------------------ */

static bool writes_words(const cg_inst *in, vreg v, unsigned off, unsigned n)
{
    if (in->pdst[0] == v || in->pdst[1] == v)
        return true;
    return in->dst.reg == v && in->dst.off < off + n &&
           off < in->dst.off + cg_dst_words(in);
}

/* Register words that `def` read still hold that at `in`. */
static bool unchanged(const combine *c, const cg_inst *def, const cg_inst *in,
                      vreg v, unsigned off, unsigned n)
{
    unsigned steps = 0;
    bool stable = true;

    if (!v)
        return true;
    for (unsigned i = 0; i < n; i++)
        stable &= cg_du_of(c->d, v, off + i)->ssa;
    if (stable)
        return true;
    if (def->block != in->block)
        return false;
    for (const cg_inst *x = def; x != in; x = x->next)
        if (!x || steps++ > LOOK_BACK || writes_words(x, v, off, n))
            return false;
    return true;
}

static bool operands_unchanged(const combine *c, const cg_inst *def,
                               const cg_inst *in)
{
    for (unsigned i = 0; i < 3; i++) {
        const cg_src *s = &def->src[i];

        if (s->kind == SRC_REG &&
            !unchanged(c, def, in, s->reg, s->off, cg_src_words(def, i)))
            return false;
        if (!unchanged(c, def, in, def->psrc[i].reg, 0, 1))
            return false;
    }
    return true;
}

cg_inst *co_def(const combine *c, const cg_inst *in, const cg_src *s,
                unsigned words)
{
    cg_inst *def = cg_def_of(c->d, s, words);

    if (!def || def == in || !operands_unchanged(c, def, in))
        return NULL;
    return def;
}

cg_inst *co_pred_def(const combine *c, const cg_inst *in, vreg p)
{
    cg_inst *def = cg_pred_def(c->d, p);

    if (!def || def == in || !operands_unchanged(c, def, in))
        return NULL;
    return def;
}

bool co_only_use(const combine *c, const cg_src *s, unsigned words)
{
    for (unsigned i = 0; i < words; i++)
        if (cg_du_of(c->d, s->reg, s->off + i)->nuses > 1)
            return false;
    return true;
}

/* ---- changing ---------------------------------------------------------- */

void co_become(combine *c, cg_inst *in, unsigned op, cg_src x, cg_src y,
               cg_src z)
{
    cg_defuse_count(c->d, in, -1);
    in->op = (uint16_t)op;
    in->mod = 0;
    in->lut = 0;
    in->fuse = false;
    in->src[0] = x;
    in->src[1] = y;
    in->src[2] = z;
    for (unsigned i = 0; i < 3; i++)
        in->psrc[i] = (cg_pred){0};
    cg_defuse_count(c->d, in, 1);
}

void co_set_src(combine *c, cg_inst *in, unsigned i, cg_src s)
{
    cg_defuse_count(c->d, in, -1);
    in->src[i] = s;
    cg_defuse_count(c->d, in, 1);
}

void co_set_psrc(combine *c, cg_inst *in, unsigned i, cg_pred p)
{
    cg_defuse_count(c->d, in, -1);
    in->psrc[i] = p;
    cg_defuse_count(c->d, in, 1);
}

cg_src co_value(combine *c, cg_inst *in, unsigned op, cg_src x, cg_src y,
                cg_src z)
{
    cg_build b = cb_before(c->f, in);
    cg_src r = cb_op(&b, op, x, y, z);
    cg_inst *made = cb_last(&b);

    made->at = in->at;
    cg_defuse_define(c->d, made);
    cg_defuse_count(c->d, made, 1);
    return r;
}

void co_copy(combine *c, cg_inst *in, cg_src s)
{
    unsigned words = cg_dst_words(in);

    for (unsigned i = 1; i < words; i++) {
        cg_inst *mov = cg_inst_new(c->f, ISA_MOV);

        mov->line = in->line;
        mov->guard = in->guard;
        mov->at = in->at;
        mov->dst = (cg_dst){in->dst.reg, (uint8_t)(in->dst.off + i)};
        mov->src[1] = cg_word(s, i);
        cg_insert_before(mov, in);
        cg_defuse_count(c->d, mov, 1);
        cg_du *u = &c->d->of[cg_word_of(c->f, in->dst.reg, mov->dst.off)];
        u->def = mov;
    }
    co_become(c, in, ISA_MOV, cb_none(), cg_word(s, 0), cb_none());
}

/* ---- extended values --------------------------------------------------- */

bool co_extended(const combine *c, const cg_inst *in, const cg_src *s,
                 cg_src *low, bool *is_signed)
{
    const cg_inst *lo, *hi;
    cg_src w0, w1;

    if (s->kind != SRC_REG || !s->reg || s->mod)
        return false;
    w0 = cg_word(*s, 0);
    w1 = cg_word(*s, 1);
    lo = co_def(c, in, &w0, 1);
    hi = co_def(c, in, &w1, 1);
    if (!hi)
        return false;
    *low = lo && lo->op == ISA_MOV ? lo->src[1] : w0;
    if (hi->op == ISA_MOV && hi->src[1].kind == SRC_REG && !hi->src[1].reg) {
        *is_signed = false;
        return true;
    }
    *is_signed = true;
    return hi->op == ISA_SHR && !CG_GET(hi, U32) &&
           hi->src[1].kind == SRC_IMM && hi->src[1].val == 31 &&
           (cg_src_same(&hi->src[0], low) || cg_src_same(&hi->src[0], &w0));
}
