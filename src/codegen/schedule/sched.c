/* src/codegen/schedule/sched.c - list scheduling within blocks. Before
 * allocation an operation waits for its operands by priority (the longest way
 * to the end of the block), as long as few enough registers are live; after it,
 * only the order of physical registers and latencies count.
 *
 * A block is cut where nothing may pass: at the end of lanes, at reads of a
 * clock, at traps and sleep. */

#include "codegen/flow/live.h"
#include "codegen/ir/access.h"
#include "codegen/ir/latency.h"
#include "codegen/ir/pass.h"

enum {
    PHYS_WORDS = 264, /* physical registers, then predicates */
    PHYS_PRED = 256,
    PRED_LIVE_MAX = 6,
    PIECE_MAX = 1024, /* operations looked at together: what a piece costs
                         grows with the square of its length */
};

enum { NAMES_MAX = 16 };

typedef struct names { /* what an operation reads, or writes */
    uint32_t of[NAMES_MAX];
    unsigned n;
} names;

typedef struct edge {
    uint32_t to;
    int32_t latency;
    uint32_t next; /* edge + 1 */
} edge;

typedef struct node {
    cg_inst *in;
    names reads, writes;
    uint8_t order;    /* ORDER_x */
    uint32_t first;   /* edge + 1 */
    uint32_t waits;   /* predecessors not yet placed */
    int32_t priority; /* cycles to the end */
    int32_t ready;    /* earliest cycle */
} node;

typedef struct accesses { /* of one word, since its last definition */
    uint32_t def;         /* node + 1 */
    uint32_t uses;        /* use + 1 */
} accesses;

typedef struct use_link {
    uint32_t node, next;
} use_link;

typedef struct sched {
    cg_func *f;
    arena *mem;
    bool allocated;
    cg_live *live;
    unsigned limit; /* registers that may be live */
    unsigned here;  /* the same in this block */
    node *n;
    uint32_t count, room;
    edge *e;
    uint32_t nedges, room_edges;
    accesses *acc; /* by word */
    use_link *use;
    uint32_t nuses, room_uses;
    uint32_t *touched;
    uint32_t ntouched;
    uint32_t *ordered; /* nodes of which link_order takes care */
    uint32_t nordered, room_ordered;
    /* pressure, before allocation */
    uint32_t *left; /* uses still to come in this piece, by word */
    bool *alive;    /* by word */
    bool *beyond;   /* read behind this piece, by word */
    bool *pred;     /* predicates, by word */
    int pressure, pred_pressure;
    int end_pressure, end_preds;  /* where the piece ends */
    uint64_t cost, least;         /* of all pieces; see cost_of_piece */
    uint32_t *order, *ready_list; /* scratch */
} sched;

/* ---- what an operation is ---------------------------------------------- */

/* The top of the stack moves: what is spilled is found from there, so nothing
 * that may yet be spilled may change sides. */
static bool moves_stack(const sched *s, const cg_inst *in)
{
    return in->dst.reg && in->dst.reg == s->f->fixed[ABI_SP];
}

static bool cuts(const sched *s, const cg_inst *in)
{
    if (moves_stack(s, in))
        return true;
    switch (in->op) {
    case ISA_EXIT:
    case ISA_BPT:
    case ISA_NANOSLEEP:
    case ISA_MBWAIT:
    case ISA_MBTEST:
    case ISA_WGARRIVE: /* about the registers of products under way */
    case ISA_WGWAIT:
    case ISA_BRA:
    case ISA_BRX:
    case ISA_RET:
    case ISA_BSYNC:
    case ISA_SYNC:
    case ISA_CS2R:
    case ISA_CALL:
    case ISA_CALLX:
    case ISA_PRINT:
    case ISA_MALLOC:
    case ISA_FREE:
    case CG_USE:
    case CG_DEF:
        return true;
    case ISA_S2R:
        return in->lut >= SR_ACTIVE;
    default:
        return false;
    }
}

static bool orders_lanes(const cg_inst *in)
{
    return cg_flags(in) & (ISA_F_CONVERGE | ISA_F_BARRIER);
}

/* A load under a guard is taken to be this fast: the vendor's compiler starts
 * what was in a branch where the branch was, not ahead of what waits for other
 * loads [PTXAS11:stencil]. */
enum { GUARDED = 4 };

static int scheduled_latency(const sched *s, const cg_inst *in)
{
    int latency = cg_latency(&s->f->opt->latency, in->op, in->mod);

    if (in->guard.reg && cg_flags(in) & ISA_F_LOAD && latency > GUARDED)
        return GUARDED;
    if (in->op < ISA_COUNT && isa_table[in->op].class == ISA_CLASS_UNIFORM)
        latency += s->f->opt->latency.uniform_lanes;
    return latency;
}

/* ---- the graph --------------------------------------------------------- */

static void add_dependence(sched *s, uint32_t from, uint32_t to, int latency)
{
    if (from == to)
        return;
    ARENA_GROW(s->mem, s->e, s->nedges, s->room_edges);
    s->e[s->nedges] = (edge){to, latency, s->n[from].first};
    s->n[from].first = ++s->nedges;
    s->n[to].waits++;
}

/* ---- words and physical registers -------------------------------------- */

static void name(const sched *s, names *to, vreg v, unsigned off,
                 unsigned words)
{
    const cg_reg *r = &s->f->regs[v];

    for (unsigned i = 0; v && i < words; i++) {
        MUST(to->n < NAMES_MAX);
        if (!s->allocated)
            to->of[to->n++] = r->word + off + i;
        else if (r->cls == CG_PRED)
            to->of[to->n++] = (uint32_t)PHYS_PRED + r->phys;
        else
            to->of[to->n++] = r->phys + off + i;
    }
}

static names words_read(const sched *s, const cg_inst *in)
{
    names r = {.n = 0};

    for (unsigned i = 0; i < 3; i++) {
        if (in->src[i].kind == SRC_REG)
            name(s, &r, in->src[i].reg, in->src[i].off, cg_src_words(in, i));
        name(s, &r, in->psrc[i].reg, 0, 1);
    }
    name(s, &r, in->guard.reg, 0, 1);
    return r;
}

static names words_written(const sched *s, const cg_inst *in)
{
    names w = {.n = 0};

    name(s, &w, in->dst.reg, in->dst.off, cg_dst_words(in));
    for (unsigned i = 0; i < 2; i++)
        name(s, &w, in->pdst[i], 0, 1);
    return w;
}

static void touch_word(sched *s, uint32_t w)
{
    if (!s->acc[w].def && !s->acc[w].uses)
        s->touched[s->ntouched++] = w;
}

static void link_uses(sched *s, uint32_t i, const names *r)
{
    for (unsigned k = 0; k < r->n; k++) {
        accesses *a = &s->acc[r->of[k]];

        touch_word(s, r->of[k]);
        if (a->def)
            add_dependence(s, a->def - 1, i,
                           scheduled_latency(s, s->n[a->def - 1].in));
        ARENA_GROW(s->mem, s->use, s->nuses, s->room_uses);
        s->use[s->nuses] = (use_link){i, a->uses};
        a->uses = ++s->nuses;
    }
}

static void link_defs(sched *s, uint32_t i, const names *w)
{
    for (unsigned k = 0; k < w->n; k++) {
        accesses *a = &s->acc[w->of[k]];

        touch_word(s, w->of[k]);
        if (a->def)
            add_dependence(s, a->def - 1, i, 1);
        for (uint32_t u = a->uses; u; u = s->use[u - 1].next)
            add_dependence(s, s->use[u - 1].node, i, 0);
        a->def = i + 1;
        a->uses = 0;
    }
}

/* Uniform registers are named behind all others. */
static uint32_t uniform_names_from(const sched *s)
{
    return s->allocated ? (uint32_t)PHYS_WORDS : s->f->nwords;
}

static void link_uniform(sched *s, uint32_t i)
{
    const cg_inst *in = s->n[i].in;
    names r = {.n = 0}, w = {.n = 0};
    uint32_t from = uniform_names_from(s);

    for (unsigned k = 0; k < 3; k++)
        for (unsigned n = 0;
             in->src[k].kind == SRC_UREG && n < cg_src_words(in, k); n++)
            r.of[r.n++] = from + (uint32_t)in->src[k].val + n;
    for (unsigned n = 0; in->udst && n < cg_dst_words(in); n++)
        w.of[w.n++] = from + in->udst - 1 + n;
    link_uses(s, i, &r);
    link_defs(s, i, &w);
}

enum { /* what keeps an operation in order */
       ORDER_LOAD = 1,
       ORDER_STORE = 2,
       ORDER_ACCESS = 4, /* among all accesses */
       ORDER_MEMORY = 8, /* fences and barriers */
       ORDER_CROSS = 16, /* reads other lanes */
       ORDER_LANES = 32,
};

static unsigned memory_order(const cg_inst *in)
{
    unsigned flags = cg_flags(in), o = 0;

    if (cg_is_access(in))
        o |= flags & ISA_F_STORE ? ORDER_STORE : ORDER_LOAD;
    if (cg_is_ordered_access(in))
        o |= ORDER_ACCESS;
    if (cg_orders_memory(in))
        o |= ORDER_MEMORY;
    if (flags & ISA_F_CROSS)
        o |= ORDER_CROSS;
    if (orders_lanes(in))
        o |= ORDER_LANES;
    return o;
}

static bool in_order(const node *a, const node *b)
{
    enum { MEMORY = ORDER_LOAD | ORDER_STORE };
    unsigned x = a->order, y = b->order, both = x | y;

    if ((x & ORDER_MEMORY && y & (MEMORY | ORDER_MEMORY)) ||
        (y & ORDER_MEMORY && x & MEMORY) ||
        (y & ORDER_LANES && x & (ORDER_LANES | ORDER_CROSS)) ||
        (x & ORDER_LANES && y & ORDER_CROSS))
        return true;
    if (!(x & MEMORY) || !(y & MEMORY))
        return false;
    return both & ORDER_ACCESS ||
           (both & ORDER_STORE && !cg_accesses_apart(a->in, b->in));
}

/* Memory, other lanes: against all such before in this piece. */
static void link_order(sched *s, uint32_t i)
{
    node *n = &s->n[i];

    n->order = (uint8_t)memory_order(n->in);
    if (!n->order)
        return;
    for (uint32_t at = 0; at < s->nordered; at++)
        if (in_order(&s->n[s->ordered[at]], n))
            add_dependence(s, s->ordered[at], i, 1);
    ARENA_GROW(s->mem, s->ordered, s->nordered, s->room_ordered);
    s->ordered[s->nordered++] = i;
}

static void clear_accesses(sched *s)
{
    while (s->ntouched)
        s->acc[s->touched[--s->ntouched]] = (accesses){0};
    s->nuses = s->nordered = 0;
}

static void build_graph(sched *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        s->n[i].reads = words_read(s, s->n[i].in);
        s->n[i].writes = words_written(s, s->n[i].in);
        link_uses(s, i, &s->n[i].reads);
        link_defs(s, i, &s->n[i].writes);
        link_uniform(s, i);
        link_order(s, i);
    }
    clear_accesses(s);
    for (uint32_t i = s->count; i-- > 0;) {
        node *n = &s->n[i];

        n->priority = scheduled_latency(s, n->in);
        for (uint32_t k = n->first; k; k = s->e[k - 1].next) {
            const edge *e = &s->e[k - 1];
            int way = e->latency + s->n[e->to].priority;

            n->priority = way > n->priority ? way : n->priority;
        }
    }
}

/* ---- pressure ---------------------------------------------------------- */

static bool is_pred(const sched *s, uint32_t word) { return s->pred[word]; }

/* From what is alive behind `in` to what is alive before it. */
static void step_back(const sched *s, const cg_inst *in, const names *r,
                      const names *w, bool *alive, int *regs, int *preds)
{
    for (unsigned k = 0; k < w->n; k++) {
        if (!alive[w->of[k]] || !cg_kills(s->live, in, w->of[k]))
            continue;
        alive[w->of[k]] = false;
        *(is_pred(s, w->of[k]) ? preds : regs) -= 1;
    }
    for (unsigned k = 0; k < r->n; k++) {
        if (alive[r->of[k]])
            continue;
        alive[r->of[k]] = true;
        *(is_pred(s, r->of[k]) ? preds : regs) += 1;
    }
}

/* How many registers more are live behind `in`. */
static int growth(const sched *s, const node *n, int *preds)
{
    const names *r = &n->reads, *w = &n->writes;
    int regs = 0;

    *preds = 0;
    for (unsigned k = 0; k < w->n; k++)
        if (!s->alive[w->of[k]] && (s->left[w->of[k]] || s->beyond[w->of[k]]))
            *(is_pred(s, w->of[k]) ? preds : &regs) += 1;
    for (unsigned k = 0; k < r->n; k++) {
        uint32_t x = r->of[k];
        unsigned here = 0, before = 0;

        for (unsigned j = 0; j < r->n; j++) {
            here += r->of[j] == x;
            before += j < k && r->of[j] == x;
        }
        if (!before && s->alive[x] && s->left[x] == here && !s->beyond[x])
            *(is_pred(s, x) ? preds : &regs) -= 1;
    }
    return regs;
}

static void place_pressure(sched *s, const node *n)
{
    const names *r = &n->reads, *w = &n->writes;
    int preds, regs = growth(s, n, &preds);

    s->pressure += regs;
    s->pred_pressure += preds;
    for (unsigned k = 0; k < r->n; k++) {
        uint32_t x = r->of[k];

        s->left[x]--;
        if (!s->left[x] && !s->beyond[x])
            s->alive[x] = false;
    }
    for (unsigned k = 0; k < w->n; k++)
        if (s->left[w->of[k]] || s->beyond[w->of[k]])
            s->alive[w->of[k]] = true;
}

/* ---- the list ---------------------------------------------------------- */

typedef struct choice {
    uint32_t node;
    int late;   /* cycles until it could issue */
    int growth; /* of pressure, where that matters */
} choice;

/* Nearest in time first, then by priority, then as written; under pressure,
 * what frees registers first. */
static bool better(const sched *s, const choice *a, const choice *b, bool tight)
{
    if (tight && a->growth != b->growth)
        return a->growth < b->growth;
    if (a->late != b->late)
        return a->late < b->late;
    if (s->n[a->node].priority != s->n[b->node].priority)
        return s->n[a->node].priority > s->n[b->node].priority;
    return a->node < b->node;
}

static choice rate_node(const sched *s, uint32_t i, int now, bool *tight)
{
    choice c = {.node = i};
    int preds = 0;

    c.late = s->n[i].ready > now ? s->n[i].ready - now : 0;
    if (s->allocated)
        return c;
    c.growth = growth(s, &s->n[i], &preds);
    *tight = s->pressure + c.growth > (int)s->here ||
             s->pred_pressure + preds > PRED_LIVE_MAX;
    if (s->pred_pressure + preds > PRED_LIVE_MAX)
        c.growth += 4 * preds;
    return c;
}

/* Order of the nodes in out[]; returns the cycles that they take. */
static int place_all(sched *s, uint32_t *out)
{
    uint32_t *ready = s->ready_list, n = 0;
    int now = 0;

    for (uint32_t i = 0; i < s->count; i++)
        if (!s->n[i].waits)
            ready[n++] = i;
    for (uint32_t placed = 0; placed < s->count; placed++) {
        choice best = {0};
        uint32_t at = 0;
        bool best_tight = false;

        MUST(n);
        for (uint32_t k = 0; k < n; k++) {
            bool tight = false;
            choice c = rate_node(s, ready[k], now, &tight);

            /* one that fits goes before one that does not */
            if (k == 0 || tight < best_tight ||
                (tight == best_tight && better(s, &c, &best, tight))) {
                best = c;
                best_tight = tight;
                at = k;
            }
        }
        node *x = &s->n[best.node];

        out[placed] = best.node;
        ready[at] = ready[--n];
        now = (x->ready > now ? x->ready : now);
        if (!s->allocated)
            place_pressure(s, x);
        for (uint32_t k = x->first; k; k = s->e[k - 1].next) {
            const edge *e = &s->e[k - 1];
            node *to = &s->n[e->to];

            if (now + e->latency > to->ready)
                to->ready = now + e->latency;
            if (!--to->waits)
                ready[n++] = e->to;
        }
        now++;
    }
    return now;
}

/* ---- pieces ------------------------------------------------------------ */

/* What is alive where the piece begins, and how much of it; `beyond` is what is
 * alive where it ends. */
static void begin_pressure(sched *s)
{
    s->pressure = s->end_pressure;
    s->pred_pressure = s->end_preds;
    for (uint32_t i = s->count; i-- > 0;) {
        const node *n = &s->n[i];

        step_back(s, n->in, &n->reads, &n->writes, s->alive, &s->pressure,
                  &s->pred_pressure);
        for (unsigned k = 0; k < n->reads.n; k++)
            s->left[n->reads.of[k]]++;
    }
}

/* What a piece costs a scheduler with FEW warps to choose from, in cycles of
 * one of them: it can do no better than to issue all of the time, and no worse
 * than to wait as a lone warp waits. A block in a loop counts LOOP times. */
enum { FEW = 4, LOOP = 8, DEEPEST = 4 };

static void add_cost(sched *s, const cg_block *b, int cycles)
{
    uint64_t weight = 1, issue = (uint64_t)FEW * s->count;

    for (uint32_t i = 0; i < b->depth && i < DEEPEST; i++)
        weight *= LOOP;
    s->least += weight * issue;
    s->cost += weight * ((uint64_t)cycles > issue ? (uint64_t)cycles : issue);
}

/* Reorders the operations from `first` to `last`. */
static void schedule_piece(sched *s, cg_block *b, cg_inst *first, cg_inst *last)
{
    cg_inst *end = last->next;
    uint32_t *order;

    s->nedges = 0;
    s->count = 0;
    for (cg_inst *in = first; in != end; in = in->next) {
        ARENA_GROW(s->mem, s->n, s->count, s->room);
        s->n[s->count++] = (node){.in = in};
    }
    if (s->count < 2)
        return;
    build_graph(s);
    if (!s->allocated)
        begin_pressure(s);
    order = s->order;
    add_cost(s, b, place_all(s, order));
    for (uint32_t i = 0; i < s->count; i++)
        cg_remove(s->n[i].in);
    for (uint32_t i = 0; i < s->count; i++) {
        if (end)
            cg_insert_before(s->n[order[i]].in, end);
        else
            cg_append(b, s->n[order[i]].in);
    }
}

/* Goes over the operations from `last` up to `first`. */
static void pass_back(sched *s, const cg_inst *first, const cg_inst *last)
{
    const cg_inst *stop = first->prev;
    int unused = 0;

    if (s->allocated)
        return;
    for (const cg_inst *in = last; in != stop; in = in->prev) {
        names r = words_read(s, in), w = words_written(s, in);

        step_back(s, in, &r, &w, s->beyond, &s->end_pressure, &s->end_preds);
        step_back(s, in, &r, &w, s->alive, &unused, &unused);
    }
}

static void set_alive(sched *s, const cg_words *words, bool to)
{
    s->end_pressure = s->end_preds = 0;
    for (uint32_t i = 0; i < words->n; i++) {
        uint32_t w = words->word[i];

        s->alive[w] = s->beyond[w] = to;
        *(is_pred(s, w) ? &s->end_preds : &s->end_pressure) += to;
    }
}

/* From the end backwards, because each piece needs what is alive behind it. */
static void schedule_block(sched *s, cg_block *b)
{
    cg_inst *last = b->last;

    s->here = b->limit && b->limit - 2 < s->limit ? b->limit - 2 : s->limit;
    if (!s->allocated)
        set_alive(s, &s->live->out[b->id], true);
    while (last) {
        cg_inst *first = last, *before, *after = last->next;
        uint32_t n = 1;

        while (!cuts(s, last) && first->prev && !cuts(s, first->prev) &&
               n++ < PIECE_MAX)
            first = first->prev;
        before = first->prev;
        if (!cuts(s, last))
            schedule_piece(s, b, first, last);
        pass_back(s, before ? before->next : b->first,
                  after ? after->prev : b->last);
        last = before;
    }
    if (!s->allocated)
        set_alive(s, &s->live->in[b->id], false);
}

/* ---- how many registers ------------------------------------------------ */

/* Registers that a thread may use without costing resident threads. */
static unsigned free_registers(isa_arch arch)
{
    return arch == ARCH_FERMI ? 20 : 32; /* [CG42:features] [CUDA12:features] */
}

/* Registers with which half of the threads that an SM can have, or of a Fermi's
 * a third, have room; two are left for what is spilled and expanded. */
static unsigned many_registers(isa_arch arch)
{
    return arch == ARCH_FERMI ? 40 : 62;
}

/* Words live at once, at most, in the order as it is. */
static int most_alive(sched *s)
{
    int most = 0;

    for (uint32_t i = 0; i < s->f->nblocks; i++) {
        const cg_block *b = s->f->blocks[i];

        set_alive(s, &s->live->out[i], true);
        for (const cg_inst *in = b->last; in; in = in->prev) {
            most = s->end_pressure > most ? s->end_pressure : most;
            pass_back(s, in, in);
        }
        most = s->end_pressure > most ? s->end_pressure : most;
        set_alive(s, &s->live->in[i], false);
    }
    return most;
}

/* The order of all operations, as it is. */
static cg_inst **order_of(const sched *s)
{
    uint32_t n = 0;
    cg_inst **order;

    for (uint32_t i = 0; i < s->f->nblocks; i++)
        CG_EACH(in, s->f->blocks[i]) n++;
    order = ARENA_ARRAY(s->mem, cg_inst *, n + 1);
    n = 0;
    for (uint32_t i = 0; i < s->f->nblocks; i++)
        CG_EACH(in, s->f->blocks[i]) order[n++] = in;
    return order;
}

static void restore_order(const sched *s, cg_inst *const *order)
{
    for (uint32_t i = 0; i < s->f->nblocks; i++) {
        cg_block *b = s->f->blocks[i];
        uint32_t n = 0;

        CG_EACH(in, b) n++;
        for (uint32_t k = 0; k < n; k++)
            cg_remove(order[k]);
        for (uint32_t k = 0; k < n; k++)
            cg_append(b, order[k]);
        order += n;
    }
}

static void schedule_blocks(sched *s)
{
    s->cost = s->least = 0;
    for (uint32_t i = 0; i < s->f->nblocks; i++)
        schedule_block(s, s->f->blocks[i]);
}

/* With more registers, if that saves a tenth of the time or more: threads of
 * that many are still enough to keep the schedulers of an SM busy. */
static void try_more_registers(sched *s, unsigned limit, cg_inst *const *before)
{
    unsigned most = many_registers(s->f->opt->arch);
    uint64_t cost = s->cost;
    cg_inst **order;

    if (most + 2 > limit)
        most = limit > 2 ? limit - 2 : 0;
    if (s->limit >= most || s->cost <= s->least)
        return;
    order = order_of(s);
    restore_order(s, before);
    s->limit = most;
    schedule_blocks(s);
    if (10 * s->cost > 9 * cost)
        restore_order(s, order);
}

static void prepare_function(sched *s, unsigned limit)
{
    cg_func *f = s->f;

    s->live = cg_live_new(s->mem, f);
    s->left = ARENA_ARRAY(s->mem, uint32_t, f->nwords);
    s->alive = ARENA_ARRAY(s->mem, bool, f->nwords);
    s->beyond = ARENA_ARRAY(s->mem, bool, f->nwords);
    s->pred = ARENA_ARRAY(s->mem, bool, f->nwords);
    for (vreg v = 1; v < f->nregs; v++)
        for (unsigned k = 0; k < f->regs[v].words; k++)
            s->pred[f->regs[v].word + k] = f->regs[v].cls == CG_PRED;
    s->limit = (unsigned)most_alive(s);
    /* what a slow path writes its callers cannot use */
    if (!f->keeps_nothing && s->limit < free_registers(f->opt->arch) - 4)
        s->limit = free_registers(f->opt->arch) - 4;
    if (s->limit + 2 > limit)
        s->limit = limit > 8 ? limit - 2 : 6;
}

void cg_schedule(cg_func *f, bool allocated, unsigned limit)
{
    sched s = {.f = f, .mem = arena_new(), .allocated = allocated};
    uint32_t most = uniform_names_from(&s) + ISA_UREGS;

    if (!allocated)
        prepare_function(&s, limit);
    s.acc = ARENA_ARRAY(s.mem, accesses, most);
    s.touched = ARENA_ARRAY(s.mem, uint32_t, most);
    s.order = ARENA_ARRAY(s.mem, uint32_t, PIECE_MAX + 1);
    s.ready_list = ARENA_ARRAY(s.mem, uint32_t, PIECE_MAX + 1);
    if (allocated) {
        schedule_blocks(&s);
    } else {
        cg_inst **before = order_of(&s);

        schedule_blocks(&s);
        try_more_registers(&s, limit, before);
    }
    arena_free(s.mem);
}
