/* src/codegen/opt/ifconv.c - short pieces of code behind a branch are executed
 * under a guard instead, where that is cheaper than parting and meeting. */
#include "codegen/ir/pass.h"

/* Operations that may be guarded: about what a branch and the two instructions
 * for meeting again cost. [guess] */
enum { DIVERGENT_MAX = 6, UNIFORM_MAX = 2 };

static bool can_guard(const cg_inst *in)
{
    enum {
        NO = ISA_F_BRANCH | ISA_F_BARRIER | ISA_F_EXIT | ISA_F_FENCE |
             ISA_F_CONVERGE | ISA_F_CROSS
    };

    return !in->guard.reg && !in->guard.neg && !(cg_flags(in) & NO) &&
           in->op != ISA_BPT && in->op != ISA_NANOSLEEP && in->op != ISA_MBWAIT;
}

static bool writes_pred(const cg_inst *in, vreg p)
{
    return in->pdst[0] == p || in->pdst[1] == p;
}

/* The block can be executed under predicate p; its operations but for the
 * jump at its end. */
static bool is_short(const cg_block *b, vreg p, unsigned most, unsigned *count)
{
    CG_EACH(in, b)
    {
        if (in == b->last && in->op == ISA_BRA && !in->guard.reg)
            return true;
        if (!can_guard(in) || writes_pred(in, p) || ++*count > most)
            return false;
    }
    return true;
}

/* Where the only way out of the block leads. */
static cg_block *way_out(const cg_block *b)
{
    const cg_inst *last = b->last;

    if (last && last->op == ISA_BRA)
        return last->guard.reg ? NULL : last->target;
    return last && cg_is_branch(last) ? NULL : b->fall;
}

static void splice(cg_block *to, cg_block *from, cg_pred guard)
{
    while (from->first) {
        cg_inst *in = from->first;

        cg_remove(in);
        if (in->op == ISA_BRA)
            continue;
        in->guard = guard;
        cg_append(to, in);
    }
}

static bool convert_branch(const graph *g, cg_block *b)
{
    cg_inst *br = b->last;
    cg_block *yes, *no, *join;
    unsigned most, count = 0;
    cg_pred p;

    if (!br || br->op != ISA_BRA || !br->guard.reg || !b->fall)
        return false;
    yes = br->target;
    no = b->fall;
    p = br->guard;
    most = br->uniform ? UNIFORM_MAX : DIVERGENT_MAX;
    if (yes == no || graph_npred(g, no->id) != 1)
        return false;
    join = way_out(no);
    if (!join || join == b || !is_short(no, p.reg, most, &count))
        return false;
    if (join != yes) { /* both sides */
        if (graph_npred(g, yes->id) != 1 || way_out(yes) != join ||
            !is_short(yes, p.reg, most, &count))
            return false;
    }
    cg_remove(br);
    splice(b, no, cg_not(p));
    if (join != yes)
        splice(b, yes, p);
    b->fall = join;
    return true;
}

void cg_convert_branches(cg_func *f)
{
    for (bool again = true; again;) {
        arena *a = arena_new();
        graph *g;

        again = false;
        cg_clean_cfg(f);
        g = cg_graph(a, f);
        /* The graph stays that of before: edges only go. */
        for (uint32_t i = f->nblocks; i-- > 0;)
            again |= convert_branch(g, f->blocks[i]);
        arena_free(a);
    }
}
