/* Warps that go as one, with stacks and with groups of lanes: random programs,
 * each warp by itself and then all of them together. Leaving out what a warp
 * runs without lanes, it has to run the same instructions with the same lanes
 * in the same order. */
#include "base/rng.h"
#include "exec/wide_warp.h"
#include "test.h"

enum { WARPS = 4, CODE = 512, STEPS = 1 << 16, ROUNDS = 300 };

typedef enum kind {
    OP,
    BRANCH, /* where `lanes` says so */
    JUMP,
    SSY,      /* BSSY */
    SYNC,     /* BSYNC */
    TURN,     /* YIELD */
    QUIT,     /* EXIT of some lanes */
    INDIRECT, /* one of three targets, each a JUMP away */
    END,
} kind;

typedef struct inst {
    kind kind;
    unsigned bar; /* of BSSY, BSYNC */
    uint32_t to[3];
    bool alike; /* the lanes of a warp agree */
    bool back;
} inst;

typedef struct step {
    uint32_t pc, lanes;
} step;

typedef struct run { /* of a warp */
    simt s;
    uint16_t visits[ISA_WARP][CODE];
    step trace[STEPS];
    unsigned steps;
} run;

static inst code[CODE];
static unsigned count, seed;
static isa_arch arch;
static rng source;
static run alone[WARPS], together[WARPS];

static unsigned put(inst in)
{
    CHECK(count < CODE);
    code[count] = in;
    return count++;
}

static unsigned pick(unsigned n) { return rng_below(&source, n); }

static void statements(unsigned level);

static void put_if(unsigned level, bool meets)
{
    unsigned ssy = meets ? put((inst){.kind = SSY, .bar = level}) : 0;
    unsigned other = put((inst){.kind = BRANCH, .alike = !meets || !pick(3)});

    statements(level + 1);
    unsigned end = put((inst){.kind = JUMP});
    code[other].to[0] = count;
    statements(level + 1);
    code[end].to[0] = count;
    if (!meets)
        return;
    put((inst){.kind = SYNC, .bar = level});
    code[ssy].to[0] = count;
}

static void put_loop(unsigned level)
{
    unsigned ssy = put((inst){.kind = SSY, .bar = level}), top = count;

    statements(level + 1);
    put((inst){.kind = BRANCH, .to = {top}, .alike = !pick(3), .back = true});
    put((inst){.kind = SYNC, .bar = level});
    code[ssy].to[0] = count;
}

static void put_switch(unsigned level)
{
    unsigned ssy = put((inst){.kind = SSY, .bar = level}), end[3];
    unsigned at = put((inst){.kind = INDIRECT});

    for (unsigned i = 0; i < 3; i++) {
        code[at].to[i] = count;
        put((inst){.kind = OP});
        end[i] = put((inst){.kind = JUMP});
    }
    for (unsigned i = 0; i < 3; i++)
        code[end[i]].to[0] = count;
    put((inst){.kind = SYNC, .bar = level});
    code[ssy].to[0] = count;
}

static void statements(unsigned level)
{
    for (unsigned n = pick(3) + (level == 0); n > 0; n--) {
        unsigned what = level > 3 ? 0 : pick(8);

        if (what <= 1)
            put((inst){.kind = pick(3) ? OP : TURN});
        else if (what <= 3)
            put_if(level, true);
        else if (what == 4)
            put_if(level, false);
        else if (what == 5)
            put_loop(level);
        else if (what == 6)
            put_switch(level);
        else
            put((inst){.kind = QUIT});
    }
}

static uint32_t mixed(uint32_t a, uint32_t b)
{
    a = (a ^ b) * 0x9e3779b1u;
    a ^= a >> 15;
    a *= 0x85ebca77u;
    return a ^ a >> 13;
}

/* What lane `l` of warp `k` finds at `pc` the next time it comes there. */
static uint32_t chance(run *r, unsigned k, unsigned l, uint32_t pc)
{
    unsigned n = r->visits[l][pc]++;
    uint32_t lane = code[pc].alike ? 99 : l;
    uint32_t x = mixed(mixed(mixed(mixed(seed, k), lane), pc), n);

    return code[pc].back && n > 6 ? 1 : x;
}

static void execute(run *r, unsigned k)
{
    simt *s = &r->s;
    const inst *in = &code[s->pc];
    uint32_t lanes = 0, to[ISA_WARP] = {0}, every = in->kind == QUIT ? 7 : 2;

    CHECK(r->steps < STEPS && s->pc < count);
    r->trace[r->steps++] = (step){s->pc, s->active};
    for (unsigned l = 0; l < ISA_WARP; l++) {
        if (!(s->active >> l & 1))
            continue;
        uint32_t x = chance(r, k, l, s->pc);
        lanes |= (uint32_t)(x % every == 0) << l;
        to[l] = in->to[x % 3];
    }
    switch (in->kind) {
    case OP:
        simt_next(s);
        break;
    case BRANCH:
        CHECK(simt_branch(s, lanes, in->to[0]));
        break;
    case JUMP:
        CHECK(simt_branch(s, s->active, in->to[0]));
        break;
    case SSY:
        if (arch == ARCH_VOLTA)
            simt_bssy(s, in->bar, s->active);
        else
            CHECK(simt_ssy(s, in->to[0]));
        break;
    case SYNC:
        if (arch == ARCH_VOLTA)
            simt_bsync(s, in->bar, s->active);
        else
            CHECK(simt_sync(s, s->active));
        break;
    case TURN:
        simt_yield(s);
        break;
    case QUIT:
    case END:
        simt_exit(s, in->kind == END ? s->active : lanes);
        break;
    case INDIRECT:
        CHECK(simt_branch_indirect(s, s->active, to));
        break;
    }
}

static simt_entry deep[WARPS][SIMT_DEEP];

static void start(run *r, unsigned k)
{
    memset(r->visits, 0, sizeof r->visits);
    r->steps = 0;
    r->s.deep = deep[k];
    simt_start(&r->s, arch, k == 3 ? 0xffff : UINT32_MAX);
}

static void run_alone(run *r, unsigned k)
{
    while (r->s.live)
        execute(r, k);
}

/* What exec_skip does. */
static void skip(simt *s)
{
    if (code[s->pc].kind == SSY && arch != ARCH_VOLTA)
        simt_ssy(s, code[s->pc].to[0]);
    else
        simt_next(s);
    if (simt_aside(s) == s->pc)
        simt_come_back(s);
}

static wide_place place_at(const void *none, uint32_t pc)
{
    (void)none;
    return (wide_place){.meets = pc < count && code[pc].kind == SYNC};
}

static const wide_code random_code = {place_at, NULL};

static wide_place in_no_region(const void *none, uint32_t pc)
{
    (void)none;
    (void)pc;
    return (wide_place){0};
}

static const wide_code flat = {in_no_region, NULL};

static bool differ(const simt *a, const simt *b)
{
    return !a->live != !b->live || a->pc != b->pc ||
           (a->depth != b->depth && arch != ARCH_VOLTA);
}

/* One instruction of those that `go`: the first, and the others until they have
 * ended. False: they cannot go on as one. */
static bool go_on(bool go[WARPS])
{
    simt *stack[WARPS];
    simt_mark was[WARPS];
    unsigned n = 0;
    bool same = arch == ARCH_VOLTA || code[together[0].s.pc].kind != INDIRECT;

    for (unsigned k = 0; k < WARPS; k++) {
        run *r = &together[k];

        if (!go[k])
            continue;
        stack[n] = &r->s;
        was[n++] = simt_mark_of(&r->s);
        if (r->s.active)
            execute(r, k);
        else
            skip(&r->s);
        same = same && !differ(&together[0].s, &r->s);
    }
    if (!same && !wide_warp_unite(stack, was, n, &random_code))
        return false;
    for (unsigned k = 1; k < WARPS; k++) {
        go[k] = go[k] && together[k].s.live;
        CHECK(!go[k] || together[0].s.pc == together[k].s.pc);
        CHECK(!go[k] || arch == ARCH_VOLTA ||
              wide_stack_alike(&together[0].s, &together[k].s));
    }
    return true;
}

/* True: as one, to the end. */
static bool run_together(void)
{
    bool go[WARPS] = {true, true, true, true}, one = true;
    uint32_t live = 1;

    while (one && live) {
        one = go_on(go);
        live = 0;
        for (unsigned k = 0; k < WARPS; k++)
            live |= together[k].s.live;
    }
    for (unsigned k = 0; k < WARPS; k++) {
        wide_warp_leave(&together[k].s);
        run_alone(&together[k], k);
    }
    return one;
}

static bool same_traces(void)
{
    for (unsigned k = 0; k < WARPS; k++) {
        if (alone[k].steps != together[k].steps)
            return false;
        for (unsigned i = 0; i < alone[k].steps; i++)
            if (alone[k].trace[i].pc != together[k].trace[i].pc ||
                alone[k].trace[i].lanes != together[k].trace[i].lanes)
                return false;
    }
    return true;
}

/* Of ROUNDS random programs, how many run as one to the end. */
static unsigned run_programs(isa_arch which)
{
    unsigned to_the_end = 0;

    arch = which;
    rng_init(&source, 1, "unite");
    for (seed = 0; seed < ROUNDS; seed++) {
        count = 0;
        statements(0);
        put((inst){.kind = END});
        for (unsigned k = 0; k < WARPS; k++) {
            start(&alone[k], k);
            start(&together[k], k);
            run_alone(&alone[k], k);
        }
        to_the_end += run_together();
        if (!same_traces())
            TEST_FAIL("program %u", seed);
    }
    return to_the_end;
}

TEST(random_programs_run_as_they_do_alone)
{
    unsigned to_the_end = run_programs(ARCH_KEPLER);

    /* Some end with targets of a switch in orders that contradict. */
    CHECK(to_the_end > ROUNDS / 2 && to_the_end < ROUNDS);
}

/* Each warp keeps its groups and their order, so there is nothing to
 * contradict. */
TEST(random_programs_run_as_they_do_alone_in_groups)
{
    CHECK_EQ(run_programs(ARCH_VOLTA), ROUNDS);
}

static wide_place in_if(const void *none, uint32_t pc)
{
    (void)none;
    return (wide_place){.nest = pc < 3};
}

/* Of two warps the first is through with a loop, the second goes round. */
TEST(lanes_that_leave_a_loop_go_first)
{
    simt a, b, *both[] = {&a, &b};
    simt_mark was[2] = {{.pc = 5}, {.pc = 5}};

    simt_start(&a, ARCH_VOLTA, UINT32_MAX);
    simt_start(&b, ARCH_VOLTA, UINT32_MAX);
    a.pc = b.pc = 5;
    CHECK(simt_branch(&a, 0, 1) && simt_branch(&b, UINT32_MAX, 1));
    CHECK(wide_warp_unite(both, was, 2, &flat));
    CHECK_EQ(b.pc, 6);
    CHECK_EQ(b.active, 0);
    /* But not out of a region that the other is in. */
    simt_come_back(&b);
    CHECK(wide_warp_unite(both, was, 2, &(wide_code){in_if, NULL}));
    CHECK_EQ(a.pc, 1);
    CHECK_EQ(a.active, 0);
    CHECK_EQ(b.active, UINT32_MAX);
}

/* 0 @p BRA 3; 1 OP; 2 OP; 3 OP: of two warps the second takes the branch, and
 * the first comes by. */
TEST(a_group_stands_aside_until_the_others_come)
{
    simt a, b, *both[] = {&a, &b};
    simt_mark was[2] = {{0}};

    simt_start(&a, ARCH_VOLTA, UINT32_MAX);
    simt_start(&b, ARCH_VOLTA, UINT32_MAX);
    CHECK(simt_branch(&a, 0, 3) && simt_branch(&b, UINT32_MAX, 3));
    CHECK(wide_warp_unite(both, was, 2, &(wide_code){in_if, NULL}));
    CHECK_EQ(a.pc, 1);
    CHECK_EQ(a.active, UINT32_MAX);
    CHECK_EQ(b.pc, 1);
    CHECK_EQ(b.active, 0);
    CHECK_EQ(simt_aside(&b), 3);
    CHECK(!wide_warp_alike(&a, &b));
    simt_next(&a);
    simt_next(&a);
    b.pc = 3;
    CHECK(wide_warp_unite(both, was, 2, &flat));
    CHECK_EQ(b.pc, 3);
    CHECK_EQ(b.active, UINT32_MAX);
    CHECK_EQ(b.depth, 0);
    CHECK(wide_warp_alike(&a, &b));
}

/* Half of a warp waits where the other half never comes. */
TEST(lanes_that_wait_for_ever_are_not_taken_along)
{
    simt a, b, *both[] = {&a, &b};
    simt_mark was[2] = {{0}};
    uint32_t pred = 0;

    simt_start(&a, ARCH_VOLTA, 3);
    simt_start(&b, ARCH_VOLTA, 3);
    CHECK(simt_branch(&b, 1, 9));
    CHECK(!simt_cta_barrier(&b, 0, 2, &pred));
    simt_warpsync(&b, 1, 3);
    CHECK_EQ(b.active, 0);
    CHECK(!wide_warp_unite(both, was, 2, &flat));
    CHECK_EQ(a.active, 3);
}

/* Two warps that stand at a branch, of which the first takes it. */
TEST(the_side_that_falls_through_runs_first_in_all)
{
    simt a, b, *both[] = {&a, &b};
    simt_mark was[2];

    a.deep = b.deep = NULL;
    simt_start(&a, ARCH_FERMI, UINT32_MAX);
    simt_start(&b, ARCH_FERMI, UINT32_MAX);
    was[0] = simt_mark_of(&a);
    was[1] = simt_mark_of(&b);
    CHECK(simt_branch(&a, UINT32_MAX, 7) && simt_branch(&b, 0, 7));
    CHECK(wide_stack_unite(both, was, 2));
    CHECK(wide_stack_alike(&a, &b));
    CHECK_EQ(a.pc, 1);
    CHECK_EQ(a.active, 0);
    CHECK_EQ(b.active, UINT32_MAX);
    CHECK_EQ(a.depth, 1);
    was[0] = simt_mark_of(&a);
    was[1] = simt_mark_of(&b);
    simt_next(&a);
    simt_exit(&b, UINT32_MAX); /* b ends, a has lanes below */
    CHECK(wide_stack_unite(both, was, 2));
    CHECK_EQ(a.pc, 7);
    CHECK_EQ(a.active, UINT32_MAX);
    CHECK_EQ(b.live, 0);
}

/* Each pushes first what the other runs first. */
TEST(contradicting_orders_are_refused)
{
    static const uint32_t to[2][ISA_WARP] = {{5, 9}, {9, 5}};
    simt s[2], *both[] = {&s[0], &s[1]};
    simt_mark was[2];

    for (unsigned k = 0; k < 2; k++) {
        s[k].deep = NULL;
        simt_start(&s[k], ARCH_FERMI, 3);
        was[k] = simt_mark_of(&s[k]);
        CHECK(simt_branch_indirect(&s[k], 3, to[k]));
    }
    CHECK(!wide_stack_unite(both, was, 2));
    CHECK_EQ(s[0].pc, 9); /* as they went by themselves */
    CHECK_EQ(s[1].pc, 5);
}
