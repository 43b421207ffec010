/* CTAs on several host threads: the same as on one, where they cannot tell in
 * which order they run, and not at all where they can. */
#include <pthread.h>

#include "exec/grid_parts.h"
#include "grid_program.h"

enum { CTAS = 200, MOST = 8 };

typedef struct worker {
    exec_parts *parts;
    unsigned i;
} worker;

static void *work(void *arg)
{
    worker *w = arg;

    exec_parts_work(w->parts, w->i);
    return NULL;
}

/* The grid on `n` threads; 0: as without parts. */
static status run_parts(unsigned n, const exec_limits *limits)
{
    exec_grid *g = exec_grid_new(&M.launch, M.view, limits, &M.fault, &total);
    exec_parts *p = n ? exec_parts_new(g, n) : NULL;
    pthread_t thread[MOST];
    worker w[MOST];
    status st = ST_OK;

    CHECK_EQ(p != NULL, n != 0);
    for (unsigned i = 0; p && i < n; i++) {
        w[i] = (worker){p, i};
        CHECK_EQ(pthread_create(&thread[i], NULL, work, &w[i]), 0);
    }
    for (unsigned i = 0; p && i < n; i++)
        pthread_join(thread[i], NULL);
    if (p)
        st = exec_parts_end(p);
    for (bool ended = false; st == ST_OK && !ended;)
        st = exec_grid_run(g, &ended);
    exec_grid_free(g);
    return st;
}

/* R2 = ctaid * 64 + tid, R0 = tid, R1 = ctaid; R4:R5 its place in buf. */
static void index_of_thread(void)
{
    sreg(0, SR_TID_X);
    sreg(1, SR_CTAID_X);
    isa_inst mad = three(ISA_IMAD, 2, 1, -1, 0);

    mad.src_kind[1] = SRC_IMM;
    mad.val[1] = 64;
    put(mad);
    element();
}

/* Each CTA loops ctaid times, so that some take longer than others. */
TEST(memory_and_counts_are_those_of_one_thread)
{
    for (unsigned n = 0; n <= MOST; n = n ? 2 * n : 1) {
        if (n == 1)
            continue;
        begin(ARCH_VOLTA, CTAS, 64);
        index_of_thread();
        mov_imm(6, 0);
        uint32_t loop = M.kernel.code_count;
        add_imm(6, 6, 1);
        isa_inst less = three(ISA_ISETP, ISA_RZ, 6, 1, -1);
        less.pdst[0] = 0;
        ISA_PUT(&less, ICMP, CMP_LT);
        ISA_PUT(&less, U32, 1);
        put(less);
        branch(0, loop);
        store(6);
        put(plain(ISA_EXIT));
        CHECK_EQ(run_parts(n, NULL), ST_OK);
        for (unsigned i = 0; i < CTAS * 64; i++)
            CHECK_EQ(word(i), i / 64 ? i / 64 : 1);
        CHECK_EQ(total.ctas, CTAS);
        CHECK_EQ(total.warps, 2 * CTAS);
        /* 7 around the loop, whose 3 run once, and once for each CTA before. */
        uint64_t loops = 1 + CTAS * (CTAS - 1) / 2;
        CHECK_EQ(total.warp_instructions, 2 * (7 * CTAS + 3 * loops));
        /* The branch behind the last time round is no thread's. */
        CHECK_EQ(total.thread_instructions, 64 * (6 * CTAS + 3 * loops));
        machine_fini(&M);
    }
}

/* From CTA 100 on all fail, each of which would be the first of its thread; the
 * first of all takes longer, so that others have failed before. */
TEST(the_first_that_fails_is_told)
{
    uint64_t insts = 0;

    for (unsigned round = 0; round < 20; round++) {
        begin(ARCH_VOLTA, CTAS, 64);
        index_of_thread();
        setp(0, CMP_LT, 1, 100);
        guarded(plain(ISA_EXIT), 0);
        mov_imm(6, 0);
        setp(1, CMP_NE, 1, 100);
        branch(1, M.kernel.code_count + 4); /* behind the loop */
        uint32_t loop = M.kernel.code_count;
        add_imm(6, 6, 1);
        setp(2, CMP_LT, 6, 20000);
        branch(2, loop);
        mov_imm(5, 0xdead);
        store(0);
        put(plain(ISA_EXIT));
        CHECK_EQ(run_parts(2 + round % 4, NULL), ST_FAULT);
        CHECK_EQ(M.fault.kind, FAULT_BOUNDS);
        CHECK_EQ(M.fault.cta[0], 100);
        CHECK_EQ(M.fault.warp, 0);
        CHECK_EQ(M.fault.lane, 0);
        CHECK_EQ(total.ctas, 100);
        CHECK(!insts || total.warp_instructions == insts);
        insts = total.warp_instructions;
        machine_fini(&M);
    }
}

/* CTA 0 looks at a word until CTA 150 has written it: no thread waits for ever,
 * and what is left of the grid runs in turns. */
TEST(a_cta_that_waits_all_the_same_ends)
{
    begin(ARCH_VOLTA, CTAS, 32);
    sreg(1, SR_CTAID_X);
    mov_imm(2, 0);
    element();
    mov_imm(6, 1);
    setp(1, CMP_EQ, 1, 150);
    isa_inst st = three(ISA_STG, ISA_RZ, 4, 6, -1);
    ISA_PUT(&st, EXT, 1);
    guarded(st, 1);
    setp(0, CMP_NE, 1, 0);
    guarded(plain(ISA_EXIT), 0);
    uint32_t loop = M.kernel.code_count;
    load(7);
    setp(0, CMP_EQ, 7, 0);
    branch(0, loop);
    mov_imm(2, 1);
    element();
    store(7);
    put(plain(ISA_EXIT));

    exec_grid *g = exec_grid_new(&M.launch, M.view, NULL, &M.fault, &total);
    exec_parts *p = exec_parts_new(g, 2);
    bool ended = false;
    status end;

    exec_parts_work(p, 0); /* alone, so that it has CTA 0 */
    exec_parts_work(p, 1);
    CHECK_EQ(exec_parts_end(p), ST_OK);
    CHECK_EQ(total.ctas, 5); /* those with it in its share */
    CHECK_EQ(word(1), 0);
    do {
        end = exec_grid_run(g, &ended);
    } while (end == ST_OK && !ended);
    CHECK_EQ(end, ST_OK);
    CHECK_EQ(total.ctas, CTAS);
    CHECK_EQ(word(1), 1);
    exec_grid_free(g);
    machine_fini(&M);
}

static bool runs_in_parts(const exec_limits *limits)
{
    exec_grid *g = exec_grid_new(&M.launch, M.view, limits, &M.fault, &total);
    exec_parts *p = exec_parts_new(g, 2);
    bool is = p != NULL;

    if (p)
        exec_parts_end(p);
    exec_grid_free(g);
    return is;
}

/* `in` alone. */
static bool is_beside(isa_inst in)
{
    begin(ARCH_VOLTA, CTAS, 32);
    put(in);
    put(plain(ISA_EXIT));
    bool is = runs_in_parts(NULL);
    machine_fini(&M);
    return is;
}

TEST(what_tells_the_order_of_ctas_runs_on_one_thread)
{
    isa_inst ldg = three(ISA_LDG, 6, 4, -1, -1), cs2r = isa_new(ISA_CS2R);
    isa_inst s2r = isa_new(ISA_S2R);

    CHECK(is_beside(ldg));
    CHECK(is_beside(three(ISA_ATOMS, 6, 4, 8, -1)));
    CHECK(!is_beside(three(ISA_ATOMG, 6, 4, 8, -1)));
    CHECK(!is_beside(three(ISA_ATOM, 6, 4, 8, -1)));
    CHECK(!is_beside(three(ISA_RED, ISA_RZ, 4, 8, -1)));
    CHECK(!is_beside(plain(ISA_PRINT)));
    ISA_PUT(&ldg, ORDER, ORDER_WEAK + 1);
    CHECK(!is_beside(ldg));
    s2r.lut = SR_TID_X;
    CHECK(is_beside(s2r));
    s2r.lut = SR_CLOCKLO;
    CHECK(!is_beside(s2r));
    cs2r.lut = SR_TIMER;
    CHECK(!is_beside(cs2r));
}

TEST(who_looks_on_and_limits_keep_one_thread)
{
    exec_limits limits = {.warp_instructions = 1000};
    exec_inst_total insts[1];

    begin(ARCH_VOLTA, CTAS, 32);
    put(plain(ISA_EXIT));
    CHECK(runs_in_parts(NULL));
    CHECK(!runs_in_parts(&limits));
    total.insts = insts;
    CHECK(!runs_in_parts(NULL));
    total.insts = NULL;
    M.launch.grid[0] = 1;
    CHECK(!runs_in_parts(NULL));
    machine_fini(&M);
}
