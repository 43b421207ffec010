/* src/codegen/opt/legal.c - constants that an instruction cannot hold: at most
 * one operand of each is not a register, wide immediates are 32 bits. Within a
 * block a constant is put into a register once, a few in front of the loop, and
 * a few of a block serve those that it dominates, too. */
#include <string.h>

#include "codegen/ir/build.h"
#include "codegen/ir/pass.h"

enum {
    KNOWN_MAX = 32,
    HOIST_MAX = 6, /* constants kept over loops, a register each [guess] */
    SHARE_MAX = 8, /* registers with constants of blocks before [guess] */
};

typedef struct known { /* a constant in a register */
    cg_src s;
    unsigned words;
    vreg reg;
    const cg_block *from; /* made there; a loop's front, or the block itself */
} known;

typedef struct legal {
    cg_func *f;
    cg_defuse *d;
    graph_loops *loops;
    known here[KNOWN_MAX]; /* of this block, and of those that dominate it */
    unsigned n;
    known hoisted[HOIST_MAX];
    unsigned nhoisted;
} legal;

static const known *find_known(const known *k, unsigned n, const cg_src *s,
                               unsigned words, const cg_block *from)
{
    for (unsigned i = 0; i < n; i++)
        if (k[i].words == words && cg_src_same(&k[i].s, s) &&
            (!from || k[i].from == from))
            return &k[i];
    return NULL;
}

/* The block in front of the outermost loop around `b`; NULL if there is
 * none. */
static cg_block *front(const legal *l, const cg_block *b)
{
    uint32_t loop = l->loops->of_node[b->id], up;

    if (loop == GRAPH_NONE || l->loops->irreducible)
        return NULL;
    while (l->loops->loops[loop].parent != GRAPH_NONE)
        loop = l->loops->loops[loop].parent;
    up = l->d->idom[l->loops->loops[loop].header];
    return up == GRAPH_NONE ? NULL : l->f->blocks[up];
}

/* Before the jump at the end of a block and what belongs to it. */
static cg_inst *jump_at_end(const cg_block *b)
{
    cg_inst *in = b->last;

    if (!in || !cg_is_branch(in))
        return NULL;
    while (in->prev && (in->prev->op == ISA_BSSY || in->prev->op == ISA_SSY))
        in = in->prev;
    return in;
}

/* In front of the loop, if that is one of the first such constants. */
static vreg hoist(legal *l, const cg_inst *in, cg_src s, unsigned words)
{
    cg_block *to = front(l, in->block);
    const known *k;
    cg_build b = {.f = l->f, .b = to, .line = in->line};
    cg_src r;

    if (!to || words != 1)
        return 0;
    k = find_known(l->hoisted, l->nhoisted, &s, words, to);
    if (k)
        return k->reg;
    if (l->nhoisted == HOIST_MAX)
        return 0;
    b.before = jump_at_end(to);
    r = cb_reg(&b, s, words);
    l->hoisted[l->nhoisted++] = (known){s, words, r.reg, to};
    return r.reg;
}

/* `s` without its modifier in a register. */
static cg_src in_register(legal *l, cg_inst *in, cg_src s, unsigned words)
{
    cg_build b = cb_before(l->f, in);
    const known *k;
    uint8_t mod = s.mod;
    cg_src r;
    vreg v;

    s.mod = 0;
    v = hoist(l, in, s, words);
    k = v ? NULL : find_known(l->here, l->n, &s, words, NULL);
    r = v ? cg_r(v) : k ? cg_r(k->reg) : cb_reg(&b, s, words);
    if (!v && !k) {
        if (l->n == KNOWN_MAX) {
            memmove(&l->here[0], &l->here[1],
                    sizeof l->here[0] * (KNOWN_MAX - 1));
            l->n--;
        }
        l->here[l->n++] = (known){s, words, r.reg, in->block};
    }
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

/* ---- wide constants that stand in registers ----------------------------- */

/* The number that a word of a register always is. */
static bool number_in(const legal *l, vreg v, unsigned off, uint32_t *value)
{
    const cg_du *u = cg_du_of(l->d, v, off);
    const cg_inst *def = u->ssa ? u->def : NULL;

    if (!def || def->op != ISA_MOV || def->guard.reg || def->guard.neg ||
        def->src[1].mod)
        return false;
    if (def->src[1].kind == SRC_IMM)
        *value = (uint32_t)def->src[1].val;
    else if (def->src[1].kind == SRC_REG && !def->src[1].reg)
        *value = 0;
    else
        return false;
    return true;
}

/* `in` is about to change, or has: a register that nobody reads is not
 * written. */
static void drop_if_unread(legal *l, vreg v, unsigned off)
{
    const cg_du *u = cg_du_of(l->d, v, off);

    if (!u->nuses)
        cg_remove(u->def);
}

/* A number of 64 bits whose halves were put into registers is read from the
 * constant bank instead, if the instruction reads nothing else from there. */
static void numbers_to_bank(legal *l, cg_inst *in)
{
    for (unsigned i = 0; i < 3; i++) {
        cg_src s = in->src[i], c;
        uint32_t low, high;

        if (s.kind != SRC_REG || !s.reg || l->f->regs[s.reg].fixed ||
            in->op >= ISA_COUNT || cg_src_words(in, i) != 2 ||
            !cg_src_mods(in->op, i) || !number_in(l, s.reg, s.off, &low) ||
            !number_in(l, s.reg, s.off + 1, &high))
            continue;
        c = cg_const(CBANK_CODE,
                     cg_constant64(l->f, (uint64_t)high << 32 | low));
        c.mod = s.mod;
        if (!cg_src_fits(in, i, &c))
            continue;
        cg_defuse_count(l->d, in, -1);
        in->src[i] = c;
        cg_defuse_count(l->d, in, 1);
        drop_if_unread(l, s.reg, s.off);
        drop_if_unread(l, s.reg, s.off + 1);
    }
}

static void legalise(legal *l, cg_inst *in)
{
    unsigned others = 0;

    if (in->udst) /* legal as uniform.c made it: no register of lanes fits */
        return;
    for (unsigned i = 0; i < 3; i++) {
        cg_src *s = &in->src[i];

        if (!s->kind || cg_src_legal(in, i, s) || to_bank(l->f, in, i))
            continue;
        *s = in_register(l, in, *s, cg_src_words(in, i));
    }
    for (unsigned i = 0; i < 3; i++)
        others += in->src[i].kind == SRC_IMM || in->src[i].kind == SRC_CONST ||
                  in->src[i].kind == SRC_UREG;
    /* An immediate goes first: it is likely to be met again. */
    for (unsigned kind = SRC_IMM; kind <= SRC_CONST; kind++)
        for (unsigned i = 0; i < 3 && others > 1; i++)
            if (in->src[i].kind == kind) {
                in->src[i] =
                    in_register(l, in, in->src[i], cg_src_words(in, i));
                others--;
            }
}

/* The constants that `b` can have of blocks before, the latest of them. */
static void share(legal *l, const cg_block *b)
{
    unsigned words = 0, n = 0, first = l->n;

    while (first && !l->f->has_calls) {
        const known *k = &l->here[first - 1];
        bool reaches = cg_block_dominates(l->d, k->from, b);

        if (reaches && words + k->words > SHARE_MAX)
            break;
        words += reaches ? k->words : 0;
        first--;
    }
    for (unsigned i = first; i < l->n && !l->f->has_calls; i++)
        if (cg_block_dominates(l->d, l->here[i].from, b))
            l->here[n++] = l->here[i];
    l->n = n;
}

void cg_legalise(cg_func *f)
{
    arena *a = arena_new();
    legal l = {.f = f};

    l.d = cg_defuse_new(a, f);
    l.loops = graph_find_loops(a, l.d->g, 0);
    for (uint32_t i = 0; i < f->nblocks && f->opt->optimise; i++)
        CG_EACH(in, f->blocks[i]) numbers_to_bank(&l, in);
    for (uint32_t i = 0; i < f->nblocks; i++) {
        share(&l, f->blocks[i]);
        CG_EACH(in, f->blocks[i]) legalise(&l, in);
    }
    arena_free(a);
}
