/* Control information holds on every path: a machine that checks no hazard,
 * in which results of variable latency never come by themselves, but only
 * when they are waited for, never reads or overwrites what is not there yet.
 * Random programs, walked along random paths. */
#include "unit/codegen/rig.h"

#include "test.h"
#include "unit/codegen/random_program.h"

enum { NONE = 7, OPEN = 64, STEPS = 3000 };

typedef struct set {
    bool reg[256], pred[8];
} set;

typedef struct open { /* an instruction under way */
    bool used;
    unsigned bar;
    set regs;
    bool writes;
} open;

typedef struct entry { /* of the register cache, by bank and operand slot */
    bool valid, old, alone;
    unsigned reg;
} entry;

typedef struct walk {
    entry kept[2][3];
    unsigned finds;
    const isa_kernel *k;
    const cg_options *o;
    long now;
    long reg[256], pred[8]; /* cycle from which the value is there */
    open open[OPEN];
    const char *why;
} walk;

static set reads_of(const isa_inst *in)
{
    set s = {{0}, {0}};

    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < in->src_regs[i]; k++)
            s.reg[in->src[i] + k] = true;
    for (unsigned i = 0; i < 7; i++)
        s.pred[i] = in->pread >> i & 1;
    return s;
}

static set writes_of(const isa_inst *in)
{
    set s = {{0}, {0}};

    for (unsigned k = 0; k < in->dst_regs; k++)
        s.reg[in->dst + k] = true;
    for (unsigned i = 0; i < 7; i++)
        s.pred[i] = in->pwrite >> i & 1;
    return s;
}

static bool meet(const set *a, const set *b)
{
    for (unsigned i = 0; i < 256; i++)
        if (a->reg[i] && b->reg[i])
            return true;
    for (unsigned i = 0; i < 8; i++)
        if (a->pred[i] && b->pred[i])
            return true;
    return false;
}

static void start(walk *w, set regs, bool writes, unsigned bar)
{
    for (unsigned i = 0; i < OPEN; i++) {
        if (w->open[i].used)
            continue;
        w->open[i] = (open){true, bar, regs, writes};
        return;
    }
    w->why = "too many under way";
}

static void check(walk *w, const isa_inst *in, const set *r, const set *s,
                  long latency)
{
    for (unsigned i = 0; i < OPEN; i++) {
        const open *o = &w->open[i];

        if (!o->used)
            continue;
        if (o->writes && (meet(&o->regs, r) || meet(&o->regs, s)))
            w->why = "a result of variable latency is not waited for";
        if (!o->writes && meet(&o->regs, s))
            w->why = "an operand still to be read is overwritten";
    }
    for (unsigned i = 0; i < 256; i++) {
        if (r->reg[i] && w->reg[i] > w->now)
            w->why = "a register is read too soon";
        if (s->reg[i] && w->reg[i] > w->now + latency)
            w->why = "results come in the wrong order";
    }
    for (unsigned i = 0; i < 7; i++)
        if (r->pred[i] && w->pred[i] > w->now)
            w->why = "a predicate is read too soon";
    (void)in;
}

/* Slot `slot` asks for `reg`: the cache as [HUERTA:register-file-cache] has it.
 */
static void ask(walk *w, const isa_inst *in, unsigned slot, unsigned reg)
{
    entry *e = &w->kept[reg % 2][slot];
    bool found = e->valid && e->reg == reg;

    if (found && e->old)
        w->why = "the register cache has an old value";
    if (e->valid && !found && e->alone)
        w->why = "a register is kept in vain";
    w->finds += found;
    *e = (entry){in->ctl >> (CTL_REUSE + slot) & 1, false,
                 in->src_regs[slot] == 1, reg};
}

static void keep(walk *w, const isa_inst *in, const set *writes)
{
    bool queued = in->flags & ISA_F_VARIABLE || in->class == ISA_CLASS_MEM ||
                  in->class == ISA_CLASS_LDC || in->class == ISA_CLASS_TEX;

    if (queued && in->ctl >> CTL_REUSE & 15)
        w->why = "operands that wait in a queue are kept";
    for (unsigned s = 0; s < 3 && !queued; s++)
        for (unsigned i = 0; i < in->src_regs[s]; i++)
            ask(w, in, s, in->src[s] + i);
    for (unsigned i = 0; i < 6; i++) {
        entry *e = &w->kept[i % 2][i / 2];

        e->old |= writes->reg[e->reg];
        if (e->valid && e->alone && in->flags & ISA_F_BRANCH)
            w->why = "a register is kept for other lanes";
    }
}

/* One instruction at its cycle. */
static void step(walk *w, const isa_inst *in)
{
    set r = reads_of(in), s = writes_of(in);

    keep(w, in, &s);
    unsigned wait = in->ctl >> CTL_WAIT & 63, wb = in->ctl >> CTL_WRITE_BAR & 7,
             rb = in->ctl >> CTL_READ_BAR & 7;
    bool slow = in->flags & ISA_F_VARIABLE;
    long latency = slow ? 1 : w->o->latency.class[in->class];

    for (unsigned i = 0; i < OPEN; i++)
        if (w->open[i].used && wait >> w->open[i].bar & 1)
            w->open[i].used = false;
    check(w, in, &r, &s, latency);
    for (unsigned i = 0; i < 256; i++)
        if (s.reg[i])
            w->reg[i] = w->now + latency;
    for (unsigned i = 0; i < 7; i++)
        if (s.pred[i])
            w->pred[i] = w->now + latency;
    if (slow && (in->dst_regs || in->pwrite)) {
        if (wb == NONE)
            w->why = "no scoreboard for a result of variable latency";
        start(w, s, true, wb);
    }
    if (in->class == ISA_CLASS_MEM || in->class == ISA_CLASS_LDC) {
        unsigned bar = rb != NONE ? rb : wb;
        bool any = in->src_regs[0] || in->src_regs[1] || in->src_regs[2];

        if (any && bar == NONE)
            w->why = "no scoreboard for operands of a memory operation";
        if (any && bar != NONE)
            start(w, r, false, bar);
    }
    if (!(in->ctl >> CTL_STALL & 15))
        w->why = "no stall";
    w->now += in->ctl >> CTL_STALL & 15;
}

/* Where to go from instruction `at`; the end is code_count. */
static uint32_t next(const walk *w, uint32_t at, rng *r)
{
    const isa_inst *in = &w->k->code[at];
    bool taken = in->guard == ISA_PT || rng_below(r, 2);

    if (in->op == ISA_BRA && taken)
        return in->val[0];
    if (in->op == ISA_EXIT && in->guard == ISA_PT)
        return w->k->code_count;
    return at + 1;
}

static bool walk_once(const isa_kernel *k, const cg_options *o, rng *r,
                      unsigned *finds)
{
    walk w = {.k = k, .o = o};
    unsigned steps = 0;

    for (uint32_t at = 0; at < k->code_count && steps++ < STEPS;
         at = next(&w, at, r)) {
        step(&w, &k->code[at]);
        if (w.why) {
            fprintf(stderr, "at %u: %s\n", at, w.why);
            return false;
        }
    }
    *finds += w.finds;
    return true;
}

TEST(control_information_covers_every_hazard)
{
    unsigned finds = 0;
    rng r;

    rng_init(&r, 1, "paths");
    for (uint64_t seed = 1; seed <= 60; seed++) {
        strbuf text = random_program(seed, 40);
        cg_options o = cg_default_options(ARCH_VOLTA);
        bool good = true;
        rig g;

        o.max_registers = seed % 2 ? 0 : 20;
        CHECK_EQ(rig_compile(&g, "random.ptx", text.text, &o), ST_OK);
        for (unsigned i = 0; i < 8 && good; i++)
            good = walk_once(&g.p->kernels[0], &o, &r, &finds);
        strbuf_fini(&text);
        rig_free(&g);
        if (!good)
            fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
        CHECK(good);
    }
    CHECK(finds > 1000);
}

static unsigned bar(const isa_inst *in, unsigned at)
{
    return in->ctl >> at & 7;
}

/* Who waits for the second load must not wait for the first, which is under
 * way when a block begins, nor who overwrites its address, which is not known
 * where the block ends. */
TEST(loads_of_neighbouring_blocks_do_not_share_scoreboards)
{
    static const char text[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u32 n)\n"
        "{\n"
        ".reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<3>;\n"
        "ld.param.u64 %d1, [a];\n"
        "ld.param.u32 %r1, [n];\n"
        "mov.u32 %r2, %tid.x;\n"
        "mul.wide.u32 %d2, %r2, 4;\n"
        "add.s64 %d1, %d1, %d2;\n"
        "ld.global.u32 %r3, [%d1];\n"
        "mov.u32 %r5, 0;\n"
        "LOOP:\n"
        "ld.global.u32 %r4, [%d1+256];\n"
        "st.global.u32 [%d1+512], %r4;\n"
        "add.s64 %d1, %d1, 4;\n"
        "add.u32 %r5, %r5, 1;\n"
        "setp.lt.u32 %p, %r5, %r1;\n"
        "@%p bra LOOP;\n"
        "st.global.u32 [%d2], %r3;\n"
        "ret;\n"
        "}\n";
    cg_options o = cg_default_options(ARCH_VOLTA);
    const isa_inst *load[2];
    unsigned n = 0;
    rig g;

    CHECK_EQ(rig_compile(&g, "blocks.ptx", text, &o), ST_OK);
    for (uint32_t i = 0; i < g.p->kernels[0].code_count; i++) {
        const isa_inst *in = &g.p->kernels[0].code[i];

        if (in->class == ISA_CLASS_MEM && in->dst_regs && n < 2)
            load[n++] = in;
    }
    CHECK_EQ(n, 2);
    CHECK(bar(load[0], CTL_WRITE_BAR) != NONE);
    CHECK(bar(load[1], CTL_WRITE_BAR) != bar(load[0], CTL_WRITE_BAR));
    CHECK(bar(load[0], CTL_READ_BAR) != NONE);
    CHECK(bar(load[0], CTL_READ_BAR) != bar(load[0], CTL_WRITE_BAR));
    rig_free(&g);
}

/* Whether results of `in` come at a time that codes can cover. */
static bool is_fixed(const cg_options *o, const isa_inst *in)
{
    return !(in->flags & ISA_F_VARIABLE) &&
           o->latency.class[in->class] + (in->pwrite ? o->latency.guard : 0) <=
               15;
}

/* One instruction of a Kepler, which issues at w->now. */
static void step_code(walk *w, const isa_inst *in)
{
    set r = reads_of(in), s = writes_of(in);
    long latency = is_fixed(w->o, in) ? w->o->latency.class[in->class] : 0;
    unsigned code = in->ctl >> CTL_CODE & 255, guard = in->guard & 7;

    check(w, in, &r, &s, is_fixed(w->o, in) ? latency : 256);
    if (guard != ISA_PT && w->pred[guard] + w->o->latency.guard > w->now)
        w->why = "a guard is used too soon";
    for (unsigned i = 0; i < 256; i++)
        if (s.reg[i])
            w->reg[i] = w->now + latency;
    for (unsigned i = 0; i < 7; i++)
        if (s.pred[i])
            w->pred[i] = w->now + latency;
    if (!(in->ctl >> CTL_HAS & 1) ||
        (code != 0x04 && (code < 0x20 || code > 0x3f)))
        w->why = "no code";
    w->now += code == 0x04 ? 0 : code - 0x20 + 1;
}

/* Also where pairs take less time than their instructions, and from block to
 * block. */
TEST(codes_of_pairs_cover_results_of_fixed_latency)
{
    rng r;

    rng_init(&r, 1, "codes");
    for (uint64_t seed = 1; seed <= 40; seed++) {
        strbuf text = random_program(seed, 60);
        cg_options o = cg_default_options(ARCH_KEPLER);
        rig g;

        o.pairs = seed % 4 != 0;
        o.latency.guard = 4;
        CHECK_EQ(rig_compile(&g, "random.ptx", text.text, &o), ST_OK);
        for (unsigned i = 0; i < 8; i++) {
            walk w = {.k = &g.p->kernels[0], .o = &o};
            unsigned steps = 0;

            for (uint32_t at = 0; at < w.k->code_count && steps++ < STEPS;
                 at = next(&w, at, &r)) {
                step_code(&w, &w.k->code[at]);
                if (w.why)
                    TEST_FAIL("seed %u, at %u: %s", (unsigned)seed, at, w.why);
            }
        }
        strbuf_fini(&text);
        rig_free(&g);
    }
}
