/* src/codegen/schedule/ctl.c
 *
 * Results of fixed latency are covered by stall cycles: within a block counted
 * from instruction to instruction, at its end as the next blocks need them.
 * Others set a scoreboard, which counts up at issue and down when the result
 * (write) or the operands (read) are done; what may still be on its way at the
 * start of each block is found by data flow over the kernel. */
#include "codegen/schedule/ctl.h"

#include <string.h>

#include "base/arena.h"
#include "base/must.h"
#include "codegen/ir/pair.h"
#include "codegen/schedule/order.h"
#include "codegen/schedule/reuse.h"

enum { BARS = 6, NO_BAR = 7 };

enum { KEPLER_WAIT = 0x20 }; /* [PPOPP:control-codes] */

typedef struct regset {
    uint64_t reg[4];
    uint64_t ureg; /* uniform registers */
    uint8_t pred, upred;
} regset;

/* Outstanding operations by scoreboard: registers that will be written, and
 * registers that will be read. */
typedef struct pending {
    regset write[BARS], read[BARS];
} pending;

typedef struct control {
    const cg_options *opt;
    isa_inst *code;
    uint32_t n;
    const bool *leader;
    const uint32_t *table;
    uint32_t tables;
    uint32_t *block_of;
    uint32_t *first; /* by block; [nblocks] is n */
    uint32_t nblocks;
    pending *in; /* by block */
} control;

/* ---- sets -------------------------------------------------------------- */

static void add_regs(regset *s, unsigned first, unsigned n)
{
    for (unsigned i = first; i < first + n; i++)
        s->reg[i / 64] |= 1ull << (i % 64);
}

static uint64_t uniform_bits(unsigned first, unsigned n)
{
    return n ? ((1ull << n) - 1) << first : 0;
}

static regset written_registers(const isa_inst *in)
{
    regset s = {.pred = in->pwrite,
                .upred = in->upwrite,
                .ureg = uniform_bits(in->dst, in->udst_regs)};

    add_regs(&s, in->dst, in->dst_regs);
    return s;
}

static regset read_registers(const isa_inst *in)
{
    unsigned n, plus = isa_uaddr(in, &n);
    regset s = {
        .pred = in->pread, .upred = in->upread, .ureg = uniform_bits(plus, n)};

    for (unsigned i = 0; i < 3; i++) {
        add_regs(&s, in->src[i], in->src_regs[i]);
        s.ureg |= uniform_bits(in->src[i], in->usrc_regs[i]);
    }
    return s;
}

static bool meets(const regset *a, const regset *b)
{
    uint64_t any =
        (a->pred & b->pred) | (a->upred & b->upred) | (a->ureg & b->ureg);

    for (unsigned i = 0; i < 4; i++)
        any |= a->reg[i] & b->reg[i];
    return any != 0;
}

static bool regset_is_empty(const regset *a)
{
    return !(a->reg[0] | a->reg[1] | a->reg[2] | a->reg[3] | a->ureg | a->pred |
             a->upred);
}

/* True if it grew. */
static bool add_regset(regset *to, const regset *s)
{
    bool grew = (s->pred & ~to->pred) || (s->upred & ~to->upred) ||
                (s->ureg & ~to->ureg);

    to->pred |= s->pred;
    to->upred |= s->upred;
    to->ureg |= s->ureg;
    for (unsigned i = 0; i < 4; i++) {
        grew |= (s->reg[i] & ~to->reg[i]) != 0;
        to->reg[i] |= s->reg[i];
    }
    return grew;
}

/* ---- scoreboards ------------------------------------------------------- */

static unsigned get_bar(const isa_inst *in, unsigned at)
{
    return in->ctl >> at & 7;
}

static void set_bar(isa_inst *in, unsigned at, unsigned bar)
{
    in->ctl = (in->ctl & ~(7u << at)) | bar << at;
}

static bool is_variable_latency(const isa_inst *in)
{
    return in->class == ISA_CLASS_MEM || in->class == ISA_CLASS_LDC ||
           in->class == ISA_CLASS_TEX;
}

static bool is_slow(const control *c, const isa_inst *in)
{
    int guard = in->pwrite ? c->opt->latency.guard : 0;

    return in->flags & ISA_F_VARIABLE ||
           c->opt->latency.class[in->class] + guard > CTL_COVERED;
}

/* Scoreboards that instruction `in` must see at zero: of results that it reads
 * or overwrites, and of operands that it overwrites; all of them where the
 * outstanding operations are unknown. */
static unsigned must_wait(const pending *p, const isa_inst *in)
{
    regset r = read_registers(in), w = written_registers(in);
    unsigned mask = 0;
    bool all = in->op == ISA_CALL || in->op == ISA_CALLX || in->op == ISA_RET ||
               in->op == ISA_BRXB;

    for (unsigned b = 0; b < BARS; b++)
        if ((all && !(regset_is_empty(&p->write[b]) &&
                      regset_is_empty(&p->read[b]))) ||
            meets(&p->write[b], &r) || meets(&p->write[b], &w) ||
            meets(&p->read[b], &w))
            mask |= 1u << b;
    return mask;
}

static void await_barriers(pending *p, unsigned mask)
{
    for (unsigned b = 0; b < BARS; b++)
        if (mask >> b & 1)
            p->write[b] = p->read[b] = (regset){0};
}

/* What is on its way after `in`. */
static void depart(pending *p, const isa_inst *in)
{
    unsigned write = get_bar(in, CTL_WRITE_BAR);
    unsigned read = get_bar(in, CTL_READ_BAR);
    regset r = read_registers(in), w = written_registers(in);

    if (write != NO_BAR) {
        add_regset(&p->write[write], &w);
        if (read == NO_BAR)
            add_regset(&p->read[write], &r);
    }
    if (read != NO_BAR)
        add_regset(&p->read[read], &r);
}

/* The scoreboard for another result or operand: an idle one, else the one
 * with the fewest registers on it. */
static unsigned pick_barrier(const pending *p)
{
    unsigned best = 0, least = UINT32_MAX;

    for (unsigned b = 0; b < BARS; b++) {
        unsigned n = 0;

        for (unsigned i = 0; i < 4; i++)
            n += (unsigned)__builtin_popcountll(p->write[b].reg[i]) +
                 (unsigned)__builtin_popcountll(p->read[b].reg[i]);
        n += (unsigned)__builtin_popcountll(p->write[b].ureg);
        n += p->write[b].pred != 0 || p->read[b].pred != 0;
        if (n < least) {
            least = n;
            best = b;
        }
    }
    return best;
}

/* The operands of `in` may be overwritten before its result is used: then they
 * have a scoreboard of their own, since waiting for the result's scoreboard
 * means waiting for memory. Only the block itself is searched. */
static bool operands_first(const control *c, uint32_t i, uint32_t end)
{
    regset r = read_registers(&c->code[i]), w = written_registers(&c->code[i]);

    for (uint32_t k = i + 1; k < end; k++) {
        regset rk = read_registers(&c->code[k]),
               wk = written_registers(&c->code[k]);

        if (meets(&w, &rk))
            return false;
        if (meets(&wk, &r))
            return true;
    }
    return true;
}

/* The next instruction may be another than the one behind it, but not that. */
static bool never_falls_through(const isa_inst *last)
{
    return last->guard == ISA_PT &&
           (last->op == ISA_BRA || last->op == ISA_BRX ||
            last->op == ISA_EXIT || last->op == ISA_RET);
}

/* Does it go to val[0], or on? (BRA.DIV and BRA.CONV are of machine code.) */
static bool jumps(const isa_inst *in)
{
    return in->op == ISA_BRA || in->op == ISA_BRADIV || in->op == ISA_BRACONV;
}

/* Scoreboards of a block. In: what is on its way where it is entered from the
 * block above, so that its loads do not share theirs; out: the same for the
 * block below. */
static void assign(control *c, uint32_t block, pending *p)
{
    for (uint32_t i = c->first[block]; i < c->first[block + 1]; i++) {
        isa_inst *in = &c->code[i];
        regset w = written_registers(in), r = read_registers(in);
        bool result = !regset_is_empty(&w);

        await_barriers(p, must_wait(p, in));
        in->ctl = CTL_NONE;
        if (!is_slow(c, in))
            continue;
        if (result) {
            set_bar(in, CTL_WRITE_BAR, pick_barrier(p));
            add_regset(&p->write[get_bar(in, CTL_WRITE_BAR)], &w);
        }
        if (is_variable_latency(in) && !regset_is_empty(&r) &&
            (!result || operands_first(c, i, c->first[block + 1])))
            set_bar(in, CTL_READ_BAR, pick_barrier(p));
        depart(p, in);
    }
    if (never_falls_through(&c->code[c->first[block + 1] - 1]))
        *p = (pending){0};
}

/* ---- flow -------------------------------------------------------------- */

static void flow_to(control *c, const pending *p, uint32_t at, bool *grew)
{
    pending *to = &c->in[c->block_of[at]];

    for (unsigned b = 0; b < BARS; b++) {
        *grew |= add_regset(&to->write[b], &p->write[b]);
        *grew |= add_regset(&to->read[b], &p->read[b]);
    }
}

static bool flow(control *c, uint32_t block)
{
    uint32_t end = c->first[block + 1];
    const isa_inst *last = &c->code[end - 1];
    pending p = c->in[block];
    bool grew = false;

    for (uint32_t i = c->first[block]; i < end; i++) {
        await_barriers(&p, must_wait(&p, &c->code[i]));
        depart(&p, &c->code[i]);
    }
    if (jumps(last))
        flow_to(c, &p, last->val[0], &grew);
    if (last->op == ISA_BRX)
        for (uint32_t i = 0; i < c->tables; i++)
            flow_to(c, &p, c->table[i], &grew);
    if (end < c->n && !never_falls_through(last))
        flow_to(c, &p, end, &grew);
    return grew;
}

static void insert_waits(control *c, uint32_t block)
{
    pending p = c->in[block];

    for (uint32_t i = c->first[block]; i < c->first[block + 1]; i++) {
        isa_inst *in = &c->code[i];
        unsigned mask = must_wait(&p, in);

        in->ctl |= mask << CTL_WAIT;
        await_barriers(&p, mask);
        depart(&p, in);
    }
}

/* ---- stalls ------------------------------------------------------------ */

/* Who sees results of the uniform datapath at another time than itself. */
enum { OWN, LANES, LATE, GUARD, VIEWS };

typedef struct times { /* cycles until registers are ready, by register */
    int reg[256], pred[8], guard[8];
    int ureg[VIEWS][64], upred[VIEWS][8];
} times;

static unsigned view_of(const isa_inst *in)
{
    if (in->op == ISA_ULDC)
        return GUARD;
    if (isa_is_uniform(in->op))
        return OWN;
    return in->flags & ISA_F_VARIABLE ? LATE : LANES;
}

/* When the uniform registers and predicates that `in` has to do with are ready
 * for it. */
static int soonest_uniform(const times *t, const isa_inst *in, const regset *r,
                           const regset *w)
{
    unsigned view = view_of(in), guard = in->guard & 7;
    int need = 0;

    for (unsigned i = 0; i < ISA_UREGS; i++) {
        if (r->ureg >> i & 1 && t->ureg[view][i] > need)
            need = t->ureg[view][i];
        if (w->ureg >> i & 1 && t->ureg[OWN][i] > need)
            need = t->ureg[OWN][i];
    }
    for (unsigned i = 0; i < 7; i++) {
        if (r->upred >> i & 1 && t->upred[view][i] > need)
            need = t->upred[view][i];
        if (w->upred >> i & 1 && t->upred[OWN][i] > need)
            need = t->upred[OWN][i];
    }
    if (isa_guard_uniform(in) && guard != ISA_PT &&
        t->upred[GUARD][guard] > need)
        need = t->upred[GUARD][guard];
    return need;
}

static int soonest(const times *t, const isa_inst *in, int latency)
{
    regset r = read_registers(in), w = written_registers(in);
    int need = r.ureg | w.ureg | r.upred | w.upred
                   ? soonest_uniform(t, in, &r, &w)
                   : 0;

    for (unsigned i = 0; i < 256; i++) {
        if (r.reg[i / 64] >> (i % 64) & 1 && t->reg[i] > need)
            need = t->reg[i];
        if (w.reg[i / 64] >> (i % 64) & 1 && t->reg[i] - latency + 1 > need)
            need = t->reg[i] - latency + 1;
    }
    for (unsigned i = 0; i < 7; i++) {
        if (r.pred >> i & 1 && t->pred[i] > need)
            need = t->pred[i];
        if (w.pred >> i & 1 && t->pred[i] - latency + 1 > need)
            need = t->pred[i] - latency + 1;
    }
    if (!isa_guard_uniform(in) && t->guard[in->guard & 7] > need)
        need = t->guard[in->guard & 7];
    return need;
}

static void pass_cycles(times *t, int cycles)
{
    for (unsigned i = 0; i < 256; i++)
        t->reg[i] -= cycles;
    for (unsigned i = 0; i < VIEWS * 64; i++)
        t->ureg[i / 64][i % 64] -= cycles;
    for (unsigned i = 0; i < VIEWS * 8; i++)
        t->upred[i / 8][i % 8] -= cycles;
    for (unsigned i = 0; i < 8; i++) {
        t->pred[i] -= cycles;
        t->guard[i] -= cycles;
    }
}

static void produce_uniform(times *t, const isa_inst *in, int latency,
                            const cg_latencies *l)
{
    const int delays[VIEWS] = {0, l->uniform_lanes, l->uniform_late,
                               l->uniform_guard};
    bool later = in->class == ISA_CLASS_UNIFORM;

    for (unsigned v = 0; v < VIEWS; v++) {
        int ready = latency + (later ? delays[v] : 0);

        for (unsigned i = 0; i < in->udst_regs; i++)
            t->ureg[v][in->dst + i] = ready;
        for (unsigned i = 0; i < 7; i++)
            if (in->upwrite >> i & 1)
                t->upred[v][i] = ready;
    }
}

static void produce(times *t, const isa_inst *in, int latency, int guard)
{
    for (unsigned i = 0; i < in->dst_regs; i++)
        t->reg[in->dst + i] = latency;
    for (unsigned i = 0; i < 7; i++)
        if (in->pwrite >> i & 1) {
            t->pred[i] = latency;
            t->guard[i] = latency + guard;
        }
}

static int latest(const times *t)
{
    int most = 0;

    for (unsigned i = 0; i < 256; i++)
        most = t->reg[i] > most ? t->reg[i] : most;
    for (unsigned i = 0; i < VIEWS * 64; i++)
        most = t->ureg[i / 64][i % 64] > most ? t->ureg[i / 64][i % 64] : most;
    for (unsigned i = 0; i < VIEWS * 8; i++)
        most = t->upred[i / 8][i % 8] > most ? t->upred[i / 8][i % 8] : most;
    for (unsigned i = 0; i < 7; i++) {
        most = t->pred[i] > most ? t->pred[i] : most;
        most = t->guard[i] > most ? t->guard[i] : most;
    }
    return most;
}

/* A scoreboard counts from the cycle after the next on: an instruction that
 * waits for it must not issue sooner. [guess] */
static int least_stall(const isa_inst *in, const isa_inst *next)
{
    unsigned mask = next ? next->ctl >> CTL_WAIT & 0x3f : 0;
    unsigned write = get_bar(in, CTL_WRITE_BAR);
    unsigned read = get_bar(in, CTL_READ_BAR);
    bool sets = (write != NO_BAR && mask >> write & 1) ||
                (read != NO_BAR && mask >> read & 1);

    return sets ? 2 : 1;
}

static void put_stall(const control *c, isa_inst *in, int stall)
{
    if (c->opt->arch == ARCH_KEPLER) {
        unsigned n = stall > 32 ? 31 : (unsigned)stall - 1;

        in->ctl = CTL_NONE | (KEPLER_WAIT + n) << CTL_CODE;
    } else {
        MUST(stall <= CTL_COVERED);
        in->ctl |= (unsigned)stall << CTL_STALL;
    }
    in->ctl |= 1u << CTL_HAS;
}

static int fixed_latency(const control *c, const isa_inst *in)
{
    return is_slow(c, in) ? 1 : c->opt->latency.class[in->class];
}

/* Cycles until the block at `first` may begin if `t` is on its way: each of its
 * instructions, or pairs, takes one at least. What it does not touch is there
 * at its end, since what follows is not looked at. */
static int cycles_before_block(const control *c, const times *t, uint32_t first)
{
    uint32_t end = c->first[c->block_of[first] + 1];
    int need = 0, at = 0, last = latest(t);

    for (uint32_t i = first; i < end && at < last; i++) {
        const isa_inst *in = &c->code[i];
        int n = soonest(t, in, fixed_latency(c, in)) - at;

        need = n > need ? n : need;
        at += !cg_is_head(in);
    }
    return last - at > need ? last - at : need;
}

/* Cycles from the last instruction of a block on. Where a warp may turn to
 * lanes that are elsewhere nothing is on its way. */
static int at_end(const control *c, const times *t, uint32_t end)
{
    const isa_inst *last = &c->code[end - 1];
    bool branch = jumps(last);
    int need = 0, n;

    if (end == c->n || (last->flags & ISA_F_BRANCH && !branch))
        return latest(t);
    if (branch)
        need = cycles_before_block(c, t, last->val[0]);
    if (!branch || last->guard != ISA_PT) {
        n = cycles_before_block(c, t, end);
        need = n > need ? n : need;
    }
    return need;
}

/* Cycles until code[i] may issue, with the one behind it if they pair.
 */
static int soonest_at(const control *c, const times *t, uint32_t i)
{
    const isa_inst *in = &c->code[i];
    int need = soonest(t, in, fixed_latency(c, in)), more;

    if (!cg_is_head(in))
        return need;
    more = soonest(t, in + 1, fixed_latency(c, in + 1));
    return more > need ? more : need;
}

static void count_stalls(control *c, uint32_t block)
{
    uint32_t end = c->first[block + 1];
    times t = {0};

    for (uint32_t i = c->first[block]; i < end; i++) {
        isa_inst *in = &c->code[i];
        const isa_inst *next = i + 1 < c->n ? &c->code[i + 1] : NULL;
        int stall = least_stall(in, next), need;

        if (!is_slow(c, in)) {
            produce(&t, in, fixed_latency(c, in), c->opt->latency.guard);
            produce_uniform(&t, in, fixed_latency(c, in), &c->opt->latency);
        }
        if (cg_is_head(in))
            continue;
        need = i + 1 == end ? at_end(c, &t, end) : soonest_at(c, &t, i + 1);
        stall = need > stall ? need : stall;
        put_stall(c, in, stall);
        pass_cycles(&t, stall);
    }
}

/* ---- all --------------------------------------------------------------- */

static void find_blocks(control *c, arena *a)
{
    c->block_of = ARENA_ARRAY(a, uint32_t, c->n + 1);
    c->first = ARENA_ARRAY(a, uint32_t, c->n + 2);
    for (uint32_t i = 0; i < c->n; i++) {
        if (i == 0 || c->leader[i] ||
            c->code[i - 1].flags & (ISA_F_BRANCH | ISA_F_CONVERGE))
            c->first[c->nblocks++] = i;
        c->block_of[i] = c->nblocks - 1;
    }
    c->first[c->nblocks] = c->n;
}

void cg_control(const cg_options *opt, isa_kernel *k, const bool *leader,
                const uint32_t *table, uint32_t tables)
{
    arena *a;
    control c = {.opt = opt,
                 .code = k->code,
                 .n = k->code_count,
                 .leader = leader,
                 .table = table,
                 .tables = tables};

    if (opt->arch == ARCH_FERMI || !c.n)
        return;
    a = arena_new();
    find_blocks(&c, a);
    c.in = ARENA_ARRAY(a, pending, c.nblocks);
    if (opt->arch >= ARCH_VOLTA) {
        pending p = {0};

        for (uint32_t b = 0; b < c.nblocks; b++)
            assign(&c, b, &p);
        for (bool again = true; again;) {
            again = false;
            for (uint32_t b = 0; b < c.nblocks; b++)
                again |= flow(&c, b);
        }
        for (uint32_t b = 0; b < c.nblocks; b++)
            insert_waits(&c, b);
    }
    for (uint32_t b = 0; b < c.nblocks && cg_wants_pairs(opt); b++)
        cg_order(opt, a, c.code, c.first[b], c.first[b + 1]);
    for (uint32_t b = 0; b < c.nblocks; b++)
        count_stalls(&c, b);
    for (uint32_t b = 0; b < c.nblocks && opt->arch >= ARCH_VOLTA; b++)
        cg_reuse(c.code + c.first[b], c.first[b + 1] - c.first[b]);
    arena_free(a);
}

void cg_control_code(isa_arch arch, isa_inst *code, uint32_t count,
                     const bool *leader, const uint32_t *table, uint32_t tables)
{
    const cg_options opt = cg_default_options(arch);
    isa_kernel k = {.code = code, .code_count = count};

    cg_control(&opt, &k, leader, table, tables);
}
