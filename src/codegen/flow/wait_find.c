/* src/codegen/flow/wait_find.c */
#include "codegen/flow/wait_find.h"

#include <string.h>

#include "codegen/flow/diverge.h"
#include "codegen/flow/live.h"

enum { ROOTS = 4, DEEP = 8 /* operations that are looked through */ };

/* ---- memory operations ------------------------------------------------- */

bool wt_is_read(const cg_inst *in)
{
    unsigned flags = cg_flags(in);
    isa_mod_set has = in->op < ISA_COUNT ? isa_table[in->op].mods : 0;

    if (cg_is_call(in))
        return in->callee && in->callee->reads_shared;
    if (!(flags & ISA_F_LOAD) || !in->dst.reg ||
        !(flags & (ISA_F_GLOBAL | ISA_F_SHARED)))
        return false;
    if (flags & ISA_F_ATOMIC)
        return true;
    return (has >> MOD_ORDER & 1 && CG_GET(in, ORDER) != ORDER_WEAK) ||
           (has >> MOD_CACHE & 1 && CG_GET(in, CACHE) == CACHE_CV);
}

static bool is_cas(const cg_inst *in)
{
    return cg_flags(in) & ISA_F_ATOMIC && CG_GET(in, ATOMOP) == ATOM_CAS;
}

bool wt_is_write(const cg_inst *in)
{
    unsigned flags = cg_flags(in);

    if (cg_is_call(in))
        return in->callee && in->callee->writes_shared;
    return flags & ISA_F_STORE && flags & (ISA_F_GLOBAL | ISA_F_SHARED) &&
           !is_cas(in);
}

bool wt_is_meeting(const cg_inst *in)
{
    return cg_flags(in) & (ISA_F_BARRIER | ISA_F_CROSS) ||
           in->op == ISA_WARPSYNC;
}

/* ---- blocks ------------------------------------------------------------ */

bool wt_in_loop(const waits *w, uint32_t l, uint32_t block)
{
    uint32_t of = w->loops->of_node[block];

    while (of != GRAPH_NONE && of > l) /* outer before inner */
        of = w->loops->loops[of].parent;
    return of == l;
}

/* Block b is behind loop l if lanes come to it: they do not go round a loop
 * that l is in. */
static bool is_onward(const waits *w, uint32_t l, uint32_t b)
{
    for (uint32_t k = l; k != GRAPH_NONE; k = w->loops->loops[k].parent)
        if (w->loops->loops[k].header == b)
            return false;
    return !wt_in_loop(w, l, b);
}

/* Adds to w->work the successors behind loop l that have no stamp yet. */
static void add_onward(waits *w, uint32_t l, uint32_t from, uint32_t *n)
{
    for (uint32_t k = w->g->succ_at[from]; k < w->g->succ_at[from + 1]; k++) {
        uint32_t s = w->g->succ[k];

        if (!is_onward(w, l, s) || w->stamps[s] == w->stamp)
            continue;
        w->stamps[s] = w->stamp;
        w->work[(*n)++] = s;
    }
}

/* The blocks that loop l is left to, in w->work; their number. */
static uint32_t first_behind(waits *w, uint32_t l)
{
    const graph_loop *loop = &w->loops->loops[l];
    uint32_t n = 0;

    w->stamp++;
    for (uint32_t i = 0; i < loop->count; i++)
        add_onward(w, l, loop->nodes[i], &n);
    return n;
}

static void find_behind(waits *w, uint32_t l)
{
    waiting *x = &w->of[l];
    uint32_t n = first_behind(w, l);

    for (uint32_t next = 0; next < n; next++)
        add_onward(w, l, w->work[next], &n);
    x->behind = ARENA_ARRAY(w->mem, uint32_t, n + 1);
    memcpy(x->behind, w->work, n * sizeof *x->behind);
    x->nbehind = n;
}

uint32_t wt_onward_between(waits *w, uint32_t l, uint32_t from, uint32_t to)
{
    uint32_t n = 0;

    w->stamp++;
    if (from == to)
        return 0;
    if (to != GRAPH_NONE)
        w->stamps[to] = w->stamp;
    w->stamps[from] = w->stamp;
    w->work[n++] = from;
    for (uint32_t next = 0; next < n; next++)
        add_onward(w, l, w->work[next], &n);
    return n;
}

/* ---- addresses --------------------------------------------------------- */

/* What an address is made of: kernel parameters and symbols, by their place
 * in the constant banks. */
typedef struct roots {
    uint32_t n;
    int64_t at[ROOTS];
    bool many;
} roots;

static void add_root(roots *r, int64_t at)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (r->at[i] == at)
            return;
    if (r->n == ROOTS)
        r->many = true;
    else
        r->at[r->n++] = at;
}

/* Values are followed through whatever computes them up to loads. */
static void find_roots(const waits *w, const cg_src *s, roots *r, unsigned deep)
{
    const cg_inst *def;

    if (s->kind == SRC_CONST) {
        add_root(r, s->val);
        return;
    }
    if (s->kind != SRC_REG || !s->reg)
        return;
    def = cg_du_of(w->d, s->reg, s->off)->def;
    if (!def || cg_flags(def) & (ISA_F_LOAD | ISA_F_ATOMIC))
        return;
    if (!deep) {
        r->many = true;
        return;
    }
    for (unsigned i = 0; i < 3; i++)
        if (cg_has_src(def, i))
            find_roots(w, &def->src[i], r, deep - 1);
}

static bool share_root(const roots *a, const roots *b)
{
    if (!a->n || !b->n || a->many || b->many)
        return true; /* unknown */
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t k = 0; k < b->n; k++)
            if (a->at[i] == b->at[k])
                return true;
    return false;
}

/* One of `n` blocks writes the register. */
static bool is_written(const waits *w, const uint32_t *blocks, uint32_t n,
                       vreg reg)
{
    for (uint32_t i = 0; i < n; i++)
        CG_EACH(in, w->f->blocks[blocks[i]])
    if (in->dst.reg == reg)
        return true;
    return false;
}

static bool same_base(const waits *w, uint32_t l, const cg_inst *a,
                      const cg_inst *b)
{
    const cg_src *x = &a->src[0], *y = &b->src[0];
    const waiting *of = &w->of[l];

    return x->reg == y->reg && x->off == y->off &&
           (cg_is_stable(w->d, x, 1) ||
            !is_written(w, of->behind, of->nbehind, x->reg));
}

/* The address is the same for all lanes: a parameter or symbol alone. */
static bool is_root(const waits *w, const cg_src *s)
{
    const cg_inst *def;

    if (!s->reg)
        return true;
    def = cg_du_of(w->d, s->reg, s->off)->def;
    return cg_is_stable(w->d, s, 1) && def && def->op == ISA_MOV &&
           !def->guard.reg && def->src[1].kind != SRC_REG;
}

/* One address: `a` in loop l, `b` in it or behind it. */
static bool same_address(const waits *w, uint32_t l, const cg_inst *a,
                         const cg_inst *b)
{
    return !cg_is_call(a) && !cg_is_call(b) && same_base(w, l, a, b) &&
           a->src[0].val == b->src[0].val;
}

static bool may_be_same(const waits *w, uint32_t l, const cg_inst *a,
                        const cg_inst *b)
{
    const unsigned spaces = ISA_F_GLOBAL | ISA_F_SHARED;
    roots r = {0}, q = {0};

    if (cg_is_call(a) || cg_is_call(b))
        return true;
    if (!(cg_flags(a) & cg_flags(b) & spaces))
        return false;
    if (same_base(w, l, a, b) && is_root(w, &a->src[0]))
        return a->src[0].val == b->src[0].val;
    find_roots(w, &a->src[0], &r, DEEP);
    find_roots(w, &b->src[0], &q, DEEP);
    return share_root(&r, &q);
}

/* ---- what a read decides ----------------------------------------------- */

typedef struct flow {
    waits *w;
    bool any, changed;
} flow;

static void see_use(void *arg, uint32_t word)
{
    flow *x = arg;

    x->any |= x->w->tainted[word];
}

static void taint(void *arg, uint32_t word)
{
    flow *x = arg;

    x->changed |= !x->w->tainted[word];
    x->w->tainted[word] = true;
}

static void taint_joined(void *arg, uint32_t word)
{
    flow *x = arg;

    if (!x->w->d->of[word].ssa)
        taint(arg, word);
}

static bool is_tainted(flow *x, const cg_inst *in)
{
    x->any = false;
    cg_each_use(x->w->f, in, see_use, x);
    return x->any;
}

/* Words that are set on some of the ways from block b until these meet. */
static void taint_ways(flow *x, uint32_t l, uint32_t b)
{
    waits *w = x->w;
    uint32_t end = w->meet_in_loop[b];
    uint32_t n = cg_between(w->g, b, end, w->stamps, ++w->stamp, w->work);

    for (uint32_t i = 0; i < n; i++)
        if (wt_in_loop(w, l, w->work[i]))
            CG_EACH(in, w->f->blocks[w->work[i]])
    cg_each_def(w->f, in, taint_joined, x);
}

/* What `read` gives; a call, in the registers of the ABI. */
static void taint_results(flow *x, const cg_inst *read)
{
    if (!cg_is_call(read)) {
        cg_each_def(x->w->f, read, taint, x);
        return;
    }
    for (const cg_inst *in = read->next; in; in = in->next)
        if (in->op == CG_DEF)
            cg_each_def(x->w->f, in, taint, x);
}

static bool leaves_loop(const waits *w, uint32_t l, uint32_t b)
{
    for (uint32_t k = w->g->succ_at[b]; k < w->g->succ_at[b + 1]; k++)
        if (!wt_in_loop(w, l, w->g->succ[k]))
            return true;
    return false;
}

/* True if the end of block b depends on what is tainted and may leave loop
 * l. */
static bool leaves_tainted(flow *x, uint32_t l, uint32_t b)
{
    const cg_inst *last = x->w->f->blocks[b]->last;

    CG_EACH(in, x->w->f->blocks[b])
    if (is_tainted(x, in))
        cg_each_def(x->w->f, in, taint, x);
    if (!last || !cg_is_branch(last) || !is_tainted(x, last))
        return false;
    if (leaves_loop(x->w, l, b))
        return true;
    taint_ways(x, l, b);
    return false;
}

/* Whether `read` decides if loop l is left. */
static bool decides(waits *w, uint32_t l, const cg_inst *read)
{
    const graph_loop *loop = &w->loops->loops[l];
    flow x = {.w = w};

    memset(w->tainted, 0, w->f->nwords * sizeof *w->tainted);
    taint_results(&x, read);
    do {
        x.changed = false;
        for (uint32_t i = 0; i < loop->count; i++)
            if (leaves_tainted(&x, l, loop->nodes[i]))
                return true;
    } while (x.changed);
    return false;
}

/* ---- the reads of a loop ----------------------------------------------- */

/* The operand is the same in every round of loop l. */
static bool is_steady(const waits *w, uint32_t l, const cg_src *s,
                      unsigned deep)
{
    const cg_du *u;

    if (s->kind != SRC_REG || !s->reg)
        return true;
    u = cg_du_of(w->d, s->reg, s->off);
    if (!u->ssa)
        return !is_written(w, w->loops->loops[l].nodes,
                           w->loops->loops[l].count, s->reg);
    if (!wt_in_loop(w, l, u->def->block->id))
        return true;
    if (!deep || cg_flags(u->def) & (ISA_F_LOAD | ISA_F_CLOCK) ||
        u->def->op >= ISA_COUNT || u->def->psrc[0].reg)
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (cg_has_src(u->def, i) &&
            !is_steady(w, l, &u->def->src[i], deep - 1))
            return false;
    return true;
}

static bool is_steady_read(const waits *w, uint32_t l, const cg_inst *in)
{
    if (cg_is_call(in))
        return true;
    return is_steady(w, l, &in->src[0], DEEP) &&
           (!(cg_flags(in) & ISA_F_ATOMIC) ||
            (is_steady(w, l, &in->src[1], DEEP) &&
             is_steady(w, l, &in->src[2], DEEP)));
}

/* Loop l has another write to where `in` reads and writes. */
static bool takes_back(const waits *w, uint32_t l, const cg_inst *in)
{
    const graph_loop *loop = &w->loops->loops[l];

    for (uint32_t i = 0; i < loop->count; i++)
        CG_EACH(x, w->f->blocks[loop->nodes[i]])
    if (x != in && wt_is_write(x) && same_address(w, l, in, x))
        return true;
    return false;
}

/* The atomic can leave memory as it was: a failed attempt. One that counts
 * moves on, unless it adds nothing, or what it added is taken back. */
static bool attempts(const waits *w, uint32_t l, const cg_inst *in)
{
    switch ((enum isa_atom)CG_GET(in, ATOMOP)) {
    case ATOM_CAS:
    case ATOM_EXCH:
    case ATOM_AND:
    case ATOM_OR:
        return true;
    case ATOM_ADD:
    case ATOM_INC:
    case ATOM_DEC:
    case ATOM_MIN:
    case ATOM_MAX:
    case ATOM_XOR:
    case ATOM_ARRIVE:
    case ATOM_DROP:
    case ATOM_ARRIVE80:
    case ATOM_POPC_INC:
    case ATOM_CAST:
        break;
    }
    return (in->src[1].kind == SRC_REG && !in->src[1].reg) ||
           takes_back(w, l, in);
}

/* Adds what loop l may wait for, of one instruction. */
static void add_read(waits *w, uint32_t l, const cg_inst *in)
{
    bool atomic = cg_flags(in) & ISA_F_ATOMIC, steady;
    sync *s;

    if (!wt_is_read(in) || (atomic && !attempts(w, l, in)))
        return;
    steady = is_steady_read(w, l, in);
    if (!steady && !atomic)
        return; /* it reads on: a search */
    if (!decides(w, l, in))
        return;
    s = ARENA_NEW(w->mem, sync);
    *s = (sync){.in = in, .steady = steady, .next = w->of[l].reads};
    w->of[l].reads = s;
}

bool wt_reads(const cg_block *b)
{
    CG_EACH(in, b)
    if (wt_is_read(in))
        return true;
    return false;
}

/* ---- leaving together -------------------------------------------------- */

typedef struct common {
    const waits *w;
    const waiting *of;
    const cg_inst *at; /* whose operands are followed */
    unsigned deep;
    bool is; /* the same for all lanes */
} common;

typedef struct wanted {
    uint32_t word;
    bool found;
} wanted;

static void see_def(void *arg, uint32_t word)
{
    wanted *x = arg;

    x->found |= x->word == word;
}

/* The only operation that can have written the word that `at` reads; NULL:
 * there may be several. */
static const cg_inst *writer(const waits *w, const cg_inst *at, uint32_t word)
{
    wanted x = {.word = word};

    if (w->d->of[word].ssa)
        return w->d->of[word].def;
    for (const cg_inst *in = at->prev; in; in = in->prev) {
        cg_each_def(w->f, in, see_def, &x);
        if (x.found)
            return in->guard.reg ? NULL : in;
    }
    return NULL;
}

static bool is_common_read(const common *x, const cg_inst *in)
{
    for (const sync *s = x->of->reads; s; s = s->next)
        if (s->in == in)
            return !cg_is_call(in) && !in->guard.reg &&
                   !(cg_flags(in) & ISA_F_ATOMIC) && is_root(x->w, &in->src[0]);
    return false;
}

static void see_common(void *arg, uint32_t word)
{
    common *x = arg;
    const cg_inst *at = x->at, *in = writer(x->w, at, word);

    if (!x->is || (in && is_common_read(x, in)))
        return;
    if (!in || !x->deep || cg_varies(in) || cg_is_call(in) ||
        cg_flags(in) & (ISA_F_LOAD | ISA_F_CROSS)) {
        x->is = false;
        return;
    }
    x->at = in;
    x->deep--;
    cg_each_use(x->w->f, in, see_common, x);
    x->deep++;
    x->at = at;
}

/* All lanes that are in loop l go the same way in it, out of it, too. */
static bool leave_together(const waits *w, uint32_t l)
{
    const graph_loop *loop = &w->loops->loops[l];
    common x = {.w = w, .of = &w->of[l], .deep = DEEP, .is = true};

    for (uint32_t i = 0; i < loop->count; i++) {
        uint32_t b = loop->nodes[i];
        const cg_inst *last = w->f->blocks[b]->last;

        x.at = last;
        if (graph_nsucc(w->g, b) > 1 && last)
            cg_each_use(w->f, last, see_common, &x);
    }
    return x.is;
}

/* ---- what ends a wait -------------------------------------------------- */

/* `in`, behind loop l, ends its wait; not sure: it may. */
static bool ends_wait(const waits *w, uint32_t l, const cg_inst *in)
{
    if (!wt_is_write(in))
        return false;
    for (const sync *s = w->of[l].reads; s; s = s->next)
        if (w->of[l].sure ? same_address(w, l, s->in, in)
                          : s->steady && may_be_same(w, l, s->in, in))
            return true;
    return false;
}

cg_inst *wt_last_end(const waits *w, uint32_t l, uint32_t b, bool *closed)
{
    cg_inst *found = NULL;

    *closed = true;
    CG_EACH(in, w->f->blocks[b])
    {
        if (wt_is_meeting(in))
            return found;
        if (ends_wait(w, l, in))
            found = in;
    }
    *closed = w->of[l].sure && found;
    return found;
}

/* The blocks behind loop l with writes that end its wait. */
static void find_ends(waits *w, uint32_t l, bool sure)
{
    waiting *x = &w->of[l];
    uint32_t n = first_behind(w, l);

    x->n = 0;
    x->sure = sure;
    for (uint32_t next = 0; next < n; next++) {
        uint32_t b = w->work[next];
        bool closed;

        if (wt_last_end(w, l, b, &closed))
            x->ends[x->n++] = b;
        if (!closed)
            add_onward(w, l, b, &n);
    }
}

/* A loop within another that waits for the same address is a part of its wait:
 * it reads until a new try makes sense. */
static bool is_part(const waits *w, uint32_t l)
{
    for (uint32_t k = w->loops->loops[l].parent; k != GRAPH_NONE;
         k = w->loops->loops[k].parent)
        for (const sync *a = w->of[k].reads; a; a = a->next)
            for (const sync *b = w->of[l].reads; b; b = b->next)
                if (a->in != b->in && same_address(w, l, b->in, a->in))
                    return true;
    return false;
}

static void look_at_loop(waits *w, uint32_t l)
{
    const graph_loop *loop = &w->loops->loops[l];
    waiting *x = &w->of[l];
    bool steady = false, together;

    for (uint32_t i = 0; i < loop->count; i++) {
        const cg_block *b = w->f->blocks[loop->nodes[i]];

        if (!wt_reads(b))
            continue;
        if (!x->behind)
            find_behind(w, l);
        CG_EACH(in, b) add_read(w, l, in);
    }
    if (!x->reads)
        return;
    for (const sync *s = x->reads; s; s = s->next)
        steady |= s->steady;
    x->ends = ARENA_ARRAY(w->mem, uint32_t, w->g->n + 1);
    together = leave_together(w, l);
    if (!together && !is_part(w, l)) {
        find_ends(w, l, true);
        if (!x->n && steady)
            find_ends(w, l, false);
    }
    x->waits = steady || x->n;
    x->outlives = steady && !x->n && !together && w->f->is_function;
    w->any |= x->waits;
}

bool wt_find(arena *a, const cg_defuse *d, const graph_loops *loops, waits *w)
{
    cg_func *f = d->f;
    bool reads = false;

    for (uint32_t i = 0; i < f->nblocks && !reads; i++)
        reads = wt_reads(f->blocks[i]);
    if (!loops->count || !reads)
        return false;
    *w = (waits){.mem = a, .f = f, .d = d, .g = d->g, .loops = loops};
    w->meet_in_loop = cg_meeting_points_in_loops(a, w->g, loops);
    w->of = ARENA_ARRAY(a, waiting, loops->count);
    w->tainted = ARENA_ARRAY(a, bool, f->nwords + 1);
    w->stamps = ARENA_ARRAY(a, uint32_t, w->g->n + 1);
    w->work = ARENA_ARRAY(a, uint32_t, w->g->n + 1);
    for (uint32_t l = 0; l < loops->count; l++)
        look_at_loop(w, l);
    return w->any;
}
