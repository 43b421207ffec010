/* src/codegen/opt/uniform.c - chains of operations whose values are the same in
 * all lanes go to the uniform datapath, where the lanes of a warp are together:
 * their registers become uniform ones, their constants are loaded there once.
 *
 * What lanes do with such a value must be able to read it: an operand in the
 * place of a constant. A set of values that depend on each other, through
 * operations, is moved as a whole, and only if it spares the lanes more
 * operations, by frequency, than they read results of it, which come later than
 * their own would, and than it adds loads of constants. Each value keeps
 * its uniform registers for the whole function; sets that find none left stay
 * where they are. From here on nothing but schedules and control codes knows
 * them: cg_inst.udst and SRC_UREG. */
#include <string.h>

#include "codegen/ir/pass.h"

enum { FREQUENCY = 8, DEEP = 4 }; /* of a loop's body [guess]; loops counted */
enum { LOOK_BACK = 256 };

typedef struct load { /* a constant in uniform registers */
    cg_src s;
    unsigned words, at;
} load;

typedef struct uniform {
    cg_func *f;
    arena *mem;
    bool *can;       /* registers that may be uniform ones */
    uint32_t *root;  /* by register: the set it is in */
    double *gain;    /* by root */
    uint8_t *at;     /* by register: 1 + its first uniform register */
    vreg *as;        /* by register: the one whose registers it gets, too */
    cg_block **only; /* by register: the block of all its uses and writes */
    bool changed;
    unsigned next; /* uniform register that is free */
    load *loads;
    uint32_t nloads, room_loads;
} uniform;

/* ---- operations -------------------------------------------------------- */

/* The same on the uniform datapath; ISA_COUNT: there is none. */
static unsigned namesake(const cg_inst *in)
{
    switch (in->op) {
    case ISA_MOV:
        return ISA_UMOV;
    case ISA_IADD3:
        return ISA_UIADD3;
    case ISA_IMAD:
        return ISA_UIMAD;
    case ISA_IMADW:
        return ISA_UIMADW;
    case ISA_LEA:
        return ISA_ULEA;
    case ISA_LOP3:
        return ISA_ULOP3;
    case ISA_SHL:
    case ISA_SHF_L:
        return ISA_USHF_L;
    case ISA_SHR:
    case ISA_SHF_R:
        return ISA_USHF_R;
    case ISA_PRMT:
        return ISA_UPRMT;
    case ISA_POPC:
        return ISA_UPOPC;
    case ISA_FLO:
        return ISA_UFLO;
    case ISA_BREV:
        return ISA_UBREV;
    case ISA_BMSK:
        return ISA_UBMSK;
    case ISA_SGXT:
        return ISA_USGXT;
    case ISA_S2R: /* of the CTA and the grid */
        return in->lut >= SR_CTAID_X && in->lut <= SR_CTAID_Z ? ISA_S2UR
                                                              : ISA_COUNT;
    default:
        return ISA_COUNT;
    }
}

static bool is_number(const cg_src *s)
{
    return s->kind == SRC_IMM || s->kind == SRC_CONST;
}

/* A copy, which saves nothing. */
static bool is_copy(const cg_inst *in)
{
    return in->op == ISA_MOV || in->op == ISA_S2R;
}

/* Its result could be uniform, as far as its operands can. */
static bool can_move(const uniform *u, const cg_inst *in)
{
    unsigned numbers = 0;

    if (namesake(in) == ISA_COUNT || in->guard.reg || in->guard.neg ||
        in->pdst[0] || in->pdst[1] || in->psrc[0].reg || in->psrc[1].reg ||
        in->block->apart)
        return false;
    for (unsigned i = 0; i < 3; i++) {
        const cg_src *s = &in->src[i];

        numbers += s->kind == SRC_IMM;
        if (s->kind == SRC_REG && s->reg && !u->can[s->reg])
            return false;
        if (s->kind == SRC_CONST && s->mod & ~SRC_NEG)
            return false;
    }
    return numbers <= 1;
}

static bool moves(const uniform *u, const cg_inst *in)
{
    return in->dst.reg && u->can[in->dst.reg] && can_move(u, in);
}

/* ---- values ------------------------------------------------------------ */

static void start_value(uniform *u, vreg v)
{
    const cg_reg *r = &u->f->regs[v];

    u->root[v] = v;
    u->can[v] = r->same && !r->fixed && (r->cls == CG_W1 || r->cls == CG_W2);
}

static void cannot(uniform *u, vreg v)
{
    if (v && u->can[v]) {
        u->can[v] = false;
        u->changed = true;
    }
}

/* A number that a comparison finds in a register instead, put there before the
 * loop. */
static bool gives_way(const cg_inst *in, const cg_src *s)
{
    return in->op == ISA_ISETP && is_number(s) && in->block->depth;
}

/* An operation of the lanes reads operand i: in the place of a constant, and no
 * other is there. */
static bool lanes_can_read(const uniform *u, const cg_inst *in, unsigned i)
{
    const cg_src as = {
        .kind = SRC_UREG, .mod = in->src[i].mod, .val = in->src[i].off};

    for (unsigned k = 0; k < 3; k++) {
        const cg_src *s = &in->src[k];

        if (k != i && ((is_number(s) && !gives_way(in, s)) ||
                       (s->kind == SRC_REG && s->reg && u->can[s->reg])))
            return false;
    }
    return in->op < ISA_COUNT && !(cg_flags(in) & ISA_F_CROSS) && !in->target &&
           !in->callee && cg_src_legal(in, i, &as);
}

static void look(uniform *u, const cg_inst *in)
{
    if (in->dst.reg && u->can[in->dst.reg] && !can_move(u, in))
        cannot(u, in->dst.reg);
    cannot(u, in->pdst[0]);
    cannot(u, in->pdst[1]);
    if (moves(u, in))
        return;
    for (unsigned i = 0; i < 3; i++)
        if (in->src[i].kind == SRC_REG && in->src[i].reg &&
            u->can[in->src[i].reg] && !lanes_can_read(u, in, i))
            cannot(u, in->src[i].reg);
}

static void find_values(uniform *u)
{
    u->can = ARENA_ARRAY(u->mem, bool, u->f->nregs);
    u->root = ARENA_ARRAY(u->mem, uint32_t, u->f->nregs);
    u->gain = ARENA_ARRAY(u->mem, double, u->f->nregs);
    u->at = ARENA_ARRAY(u->mem, uint8_t, u->f->nregs);
    for (vreg v = 1; v < u->f->nregs; v++)
        start_value(u, v);
    do {
        u->changed = false;
        for (uint32_t b = 0; b < u->f->nblocks; b++)
            CG_EACH(in, u->f->blocks[b]) look(u, in);
    } while (u->changed);
}

/* ---- sets -------------------------------------------------------------- */

static uint32_t root_of(uniform *u, vreg v)
{
    while (u->root[v] != v)
        v = u->root[v] = u->root[u->root[v]];
    return v;
}

static void join_sets(uniform *u, const cg_inst *in)
{
    for (unsigned i = 0; i < 3; i++)
        if (in->src[i].kind == SRC_REG && in->src[i].reg)
            u->root[root_of(u, in->src[i].reg)] = root_of(u, in->dst.reg);
}

static double frequency(const cg_block *b)
{
    double f = 1;

    for (uint32_t i = 0; i < b->depth && i < DEEP; i++)
        f *= FREQUENCY;
    return f;
}

/* What the lanes are spared, less what is loaded for it. */
static void count_gain(uniform *u, const cg_inst *in)
{
    double *gain = &u->gain[root_of(u, in->dst.reg)];

    *gain += is_copy(in) ? 0 : frequency(in->block);
    for (unsigned i = 0; i < 3; i++)
        *gain -= in->src[i].kind == SRC_CONST && !is_copy(in);
}

/* The first of `words` uniform registers; ISA_UREGS: there are none left. */
static unsigned take_registers(uniform *u, unsigned words)
{
    unsigned at = (u->next + words - 1) / words * words;

    if (at + words > ISA_UREGS)
        return ISA_UREGS;
    u->next = at + words;
    return at;
}

/* Uniform registers for the set with the most gain, that has some. */
static bool place_best(uniform *u)
{
    uint32_t best = 0;
    unsigned before = u->next;

    for (vreg v = 1; v < u->f->nregs; v++)
        if (u->can[v] && root_of(u, v) == v && u->gain[v] > 0 &&
            (!best || u->gain[v] > u->gain[best]))
            best = v;
    if (!best)
        return false;
    for (vreg v = 1; v < u->f->nregs; v++) {
        unsigned at;

        if (!u->can[v] || root_of(u, v) != best || (u->as[v] && u->as[v] != v))
            continue;
        at = take_registers(u, u->f->regs[v].words);
        u->at[v] = (uint8_t)(at + 1);
        if (at == ISA_UREGS)
            u->gain[best] = -1;
    }
    for (vreg v = 1; v < u->f->nregs; v++)
        if (u->can[v] && root_of(u, v) == best && u->as[v])
            u->at[v] = u->at[u->as[v]];
    for (vreg v = 1; v < u->f->nregs && u->gain[best] < 0; v++)
        if (u->can[v] && root_of(u, v) == best)
            u->at[v] = 0;
    if (u->gain[best] < 0)
        u->next = before;
    u->gain[best] = 0;
    return true;
}

/* ---- copies ------------------------------------------------------------- */

/* A block that a register has to do with. */
static void note_block(uniform *u, vreg v, cg_block *b)
{
    static cg_block several;

    if (v)
        u->only[v] = !u->only[v] || u->only[v] == b ? b : &several;
}

static bool reads(const cg_inst *in, vreg v)
{
    for (unsigned i = 0; i < 3; i++)
        if (in->src[i].kind == SRC_REG && in->src[i].reg == v)
            return true;
    return false;
}

/* The operation that makes the s of `d = s`, if it can stand behind all that
 * needs what d was before: it is put there. */
static bool reaches_def(cg_inst *mov, vreg d, vreg s)
{
    cg_inst *last = NULL, *def = mov->prev; /* the last that reads d */
    unsigned steps = 0;

    for (; def && steps++ < LOOK_BACK; def = def->prev) {
        if (def->dst.reg == s)
            break;
        if (def->dst.reg == d || (last && reads(def, s)))
            return false;
        if (!last && reads(def, d))
            last = def;
        if (last == def && reads(def, s))
            return false;
    }
    if (!def || def->dst.reg != s)
        return false;
    for (const cg_inst *x = def; last && x != last->next; x = x->next)
        if (x != def && x->dst.reg && reads(def, x->dst.reg))
            return false;
    if (last) {
        cg_remove(def);
        cg_insert_after(def, last);
    }
    return true;
}

/* `d = s` where s is of this block alone: both can be in one place. */
static bool joins(const uniform *u, cg_inst *mov)
{
    vreg d = mov->dst.reg, s = mov->src[1].reg;

    if (mov->op != ISA_MOV || mov->src[1].kind != SRC_REG || !s ||
        mov->src[1].mod || !u->can[d] || !u->can[s] ||
        u->f->regs[d].words != 1 || u->f->regs[s].words != 1 ||
        u->only[s] != mov->block || u->as[d] || u->as[s])
        return false;
    for (const cg_inst *x = mov->next; x; x = x->next)
        if (x->dst.reg == d || x->dst.reg == s)
            return false;
    return reaches_def(mov, d, s);
}

static void join_copies(uniform *u)
{
    u->as = ARENA_ARRAY(u->mem, vreg, u->f->nregs);
    u->only = ARENA_ARRAY(u->mem, cg_block *, u->f->nregs);
    for (uint32_t b = 0; b < u->f->nblocks; b++)
        CG_EACH(in, u->f->blocks[b])
        {
            note_block(u, in->dst.reg, in->block);
            for (unsigned i = 0; i < 3; i++)
                if (in->src[i].kind == SRC_REG)
                    note_block(u, in->src[i].reg, in->block);
        }
    for (uint32_t b = 0; b < u->f->nblocks; b++)
        CG_EACH(in, u->f->blocks[b])
    if (in->dst.reg && joins(u, in)) {
        u->as[in->src[1].reg] = in->dst.reg;
        u->as[in->dst.reg] = in->dst.reg;
    }
}

/* ---- moving them ------------------------------------------------------- */

static bool is_placed(const uniform *u, const cg_src *s)
{
    return s->kind == SRC_REG && s->reg && u->at[s->reg];
}

static cg_src in_uniform(const uniform *u, cg_src s)
{
    return (cg_src){
        .kind = SRC_UREG, .mod = s.mod, .val = u->at[s.reg] - 1 + s.off};
}

static void emit_load(uniform *u, const load *l)
{
    cg_inst *in = cg_inst_new(u->f, ISA_ULDC), *first = u->f->blocks[0]->first;

    in->udst = (uint8_t)(l->at + 1);
    in->lut = (uint8_t)(l->s.val >> 16);
    in->src[0] = (cg_src){.kind = SRC_REG, .val = l->s.val & 0xffff};
    if (l->words == 2)
        CG_PUT(in, SIZE, SIZE_64);
    if (first)
        cg_insert_before(in, first);
    else
        cg_append(u->f->blocks[0], in);
}

/* The constant in uniform registers; false: there are none left. */
static bool loaded(uniform *u, cg_src *s, unsigned words)
{
    cg_src plain = *s;
    unsigned at;

    plain.mod = 0;
    for (uint32_t i = 0; i < u->nloads; i++)
        if (u->loads[i].words == words && cg_src_same(&u->loads[i].s, &plain)) {
            *s = (cg_src){
                .kind = SRC_UREG, .mod = s->mod, .val = u->loads[i].at};
            return true;
        }
    if ((at = take_registers(u, words)) == ISA_UREGS)
        return false;
    ARENA_GROW(u->mem, u->loads, u->nloads, u->room_loads);
    u->loads[u->nloads] = (load){plain, words, at};
    emit_load(u, &u->loads[u->nloads++]);
    *s = (cg_src){.kind = SRC_UREG, .mod = s->mod, .val = at};
    return true;
}

/* Shifts of one word are funnel shifts. */
static void as_funnel(cg_inst *in, unsigned op)
{
    bool right = op == ISA_SHR, wrap = CG_GET(in, WRAP);
    bool sign = right && !CG_GET(in, U32);

    in->mod = 0;
    CG_PUT(in, WRAP, wrap);
    CG_PUT(in, STYPE, sign ? ITYPE_S32 : ITYPE_U32);
    CG_PUT(in, HI, right);
    in->src[2] = right ? in->src[0] : cg_zero();
    if (right)
        in->src[0] = cg_zero();
}

static void move_one(uniform *u, cg_inst *in)
{
    unsigned op = in->op;
    bool constant = op == ISA_MOV && in->src[1].kind == SRC_CONST;

    in->udst = (uint8_t)(u->at[in->dst.reg] + in->dst.off);
    in->dst = (cg_dst){0};
    if (constant) {
        in->op = ISA_ULDC;
        in->lut = (uint8_t)(in->src[1].val >> 16);
        in->src[0] = (cg_src){.kind = SRC_REG, .val = in->src[1].val & 0xffff};
        in->src[1] = (cg_src){0};
        return;
    }
    in->op = (uint16_t)namesake(in);
    if (op == ISA_SHL || op == ISA_SHR)
        as_funnel(in, op);
}

/* Its operands; false: a constant finds no register. */
static bool move_operands(uniform *u, cg_inst *in)
{
    bool moved = in->dst.reg && u->at[in->dst.reg];

    for (unsigned i = 0; i < 3; i++) {
        unsigned words = cg_src_words(in, i);

        if (is_placed(u, &in->src[i]))
            in->src[i] = in_uniform(u, in->src[i]);
        else if (moved && in->op != ISA_MOV && in->src[i].kind == SRC_CONST &&
                 !loaded(u, &in->src[i], words))
            return false;
    }
    return true;
}

static void move_all(uniform *u)
{
    for (uint32_t b = 0; b < u->f->nblocks; b++)
        CG_EACH_SAFE(in, u->f->blocks[b])
        {
            bool moved = in->dst.reg && u->at[in->dst.reg];

            if (moved && in->op == ISA_MOV && in->src[1].kind == SRC_REG &&
                in->src[1].reg && u->as[in->src[1].reg] == in->dst.reg) {
                cg_remove(in); /* one place */
                continue;
            }

            MUST(move_operands(u, in)); /* room was kept */
            if (moved)
                move_one(u, in);
        }
}

/* Registers that the constants of what is placed take, at most. */
static unsigned words_of_constants(const uniform *u)
{
    unsigned n = 0;

    for (uint32_t b = 0; b < u->f->nblocks; b++)
        CG_EACH(in, u->f->blocks[b])
    for (unsigned i = 0; i < 3; i++)
        if (in->dst.reg && u->at[in->dst.reg] && in->op != ISA_MOV &&
            in->src[i].kind == SRC_CONST)
            n += cg_src_words(in, i) + 1;
    return n;
}

/* Places one set after another, as long as their constants have room. */
static void place_sets(uniform *u)
{
    for (;;) {
        uint8_t *before = ARENA_ARRAY(u->mem, uint8_t, u->f->nregs);
        unsigned next = u->next;

        memcpy(before, u->at, u->f->nregs);
        if (!place_best(u))
            return;
        if (u->next + words_of_constants(u) <= ISA_UREGS)
            continue;
        memcpy(u->at, before, u->f->nregs);
        u->next = next;
    }
}

static bool has_yield(const cg_func *f)
{
    for (uint32_t b = 0; b < f->nblocks; b++)
        CG_EACH(in, f->blocks[b])
    if (in->op == ISA_YIELD)
        return true;
    return false;
}

/* What readers among the lanes lose: they see the result some cycles later than
 * one of their own, and a number that gave way takes a register. */
static void count_loss(uniform *u, const cg_inst *in)
{
    for (unsigned i = 0; i < 3; i++) {
        vreg v = in->src[i].kind == SRC_REG ? in->src[i].reg : 0;

        if (!v || !u->can[v])
            continue;
        u->gain[root_of(u, v)] -= frequency(in->block);
        for (unsigned k = 0; k < 3; k++)
            u->gain[root_of(u, v)] -= gives_way(in, &in->src[k]);
    }
}

void cg_use_uniform(cg_func *f)
{
    uniform u = {.f = f, .mem = arena_new()};

    /* Lanes that wait for one another are not together; callees would have to
     * keep what callers have there. */
    if (f->is_function || f->has_calls || has_yield(f)) {
        arena_free(u.mem);
        return;
    }
    cg_find_depths(f);
    find_values(&u);
    for (uint32_t b = 0; b < f->nblocks; b++)
        CG_EACH(in, f->blocks[b])
    if (moves(&u, in))
        join_sets(&u, in);
    for (uint32_t b = 0; b < f->nblocks; b++)
        CG_EACH(in, f->blocks[b])
    if (moves(&u, in))
        count_gain(&u, in);
    else
        count_loss(&u, in);
    join_copies(&u);
    place_sets(&u);
    move_all(&u);
    arena_free(u.mem);
}
