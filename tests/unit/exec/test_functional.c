/* Whole grids without timing. */
#include <fenv.h>

#include "grid_program.h"
#include "mem/touched.h"

TEST(every_thread_of_every_cta_runs)
{
    /* buf[ctaid * 100 + tid] = ctaid + tid */
    begin(ARCH_VOLTA, 5, 100);
    sreg(0, SR_TID_X);
    sreg(1, SR_CTAID_X);
    isa_inst mad = three(ISA_IMAD, 2, 1, -1, 0);
    mad.src_kind[1] = SRC_IMM;
    mad.val[1] = 100;
    put(mad);
    element();
    put(three(ISA_IADD3, 6, 0, 1, ISA_RZ));
    store(6);
    put(plain(ISA_EXIT));
    CHECK_EQ(go(NULL), ST_OK);
    for (unsigned i = 0; i < 500; i++)
        CHECK_EQ(word(i), i / 100 + i % 100);
    CHECK_EQ(word(500), 0);
    CHECK_EQ(total.ctas, 5);
    CHECK_EQ(total.warps, 20);
    CHECK_EQ(total.warp_instructions, 20 * 7);
    CHECK_EQ(total.thread_instructions, 500 * 7);
    machine_fini(&M);
}

static void count_lines(void *arg, uint64_t addr, uint64_t bytes)
{
    for (uint64_t at = addr; at < addr + bytes; at += MEM_LINE)
        ((uint8_t *)arg)[(at - buf) / MEM_LINE]++;
}

/* Where someone keeps what is written, as checkpoints do, all stores are told,
 * whole warps' and others; buf[ctaid * 64 + tid] has every second line, and
 * thread 3 of the last CTA buf[1000]. */
TEST(stores_are_told_to_who_tracks_the_memory)
{
    mem_touched *t = mem_touched_new();
    uint8_t told[64] = {0};

    begin(ARCH_VOLTA, 4, 32);
    mem_image_track(M.image, t);
    mem_view_free(M.view);
    M.view = mem_view_new(M.image, true);
    sreg(0, SR_TID_X);
    sreg(1, SR_CTAID_X);
    isa_inst mad = three(ISA_IMAD, 2, 1, -1, 0);
    mad.src_kind[1] = SRC_IMM;
    mad.val[1] = 64;
    put(mad);
    element();
    store(0);
    setp(0, CMP_NE, 2, 3 * 64 + 3);
    guarded(plain(ISA_EXIT), 0);
    mov_imm(2, 1000);
    element();
    store(0);
    put(plain(ISA_EXIT));
    CHECK_EQ(go(NULL), ST_OK);
    CHECK_EQ(word(1000), 3);
    mem_touched_take(t, buf, 64 * MEM_LINE, count_lines, told);
    for (unsigned i = 0; i < 64; i++)
        CHECK_EQ(told[i], i == 0 || i == 2 || i == 4 || i == 6 || i == 31);
    machine_fini(&M);
    mem_touched_free(t);
}

/* Warp 0 ends early; the others exchange values through shared memory and
 * reduce at a barrier. */
TEST(barriers_order_shared_memory_and_reduce)
{
    begin(ARCH_KEPLER, 2, 128);
    M.launch.shared_bytes = 512;
    sreg(0, SR_TID_X);
    setp(0, CMP_LT, 0, 32);
    guarded(plain(ISA_EXIT), 0);
    isa_inst shl = three(ISA_SHL, 7, 0, -1, -1);
    shl.src_kind[1] = SRC_IMM;
    shl.val[1] = 2;
    put(shl);
    put(three(ISA_STS, ISA_RZ, 7, 0, -1));
    put(plain(ISA_BARSYNC));
    isa_inst sub = three(ISA_IADD3, 8, 7, -1, ISA_RZ); /* 159 - tid */
    sub.src_mod[0] = SRC_NEG;
    sub.src_kind[1] = SRC_IMM;
    sub.val[1] = 159 * 4;
    put(sub);
    put(three(ISA_LDS, 9, 8, -1, -1));
    isa_inst red = isa_new(ISA_BARPOPC);
    setp(1, CMP_GE, 0, 50);
    red.dst = 10;
    red.psrc[0] = 1;
    red.lut = 3;
    put(red);
    isa_inst and = isa_new(ISA_BARAND);
    and.pdst[0] = 2;
    and.psrc[0] = 1;
    put(and);
    isa_inst or = isa_new(ISA_BAROR);
    or.pdst[0] = 3;
    or.psrc[0] = 1;
    put(or);
    put(three(ISA_IMAD, 9, 9, 10, ISA_RZ));
    mov_imm(11, 1);
    isa_inst bump = three(ISA_IADD3, 9, 9, 11, ISA_RZ);
    guarded(bump, 2); /* not: some threads are below 50 */
    guarded(bump, 3);
    put(three(ISA_MOV, 2, -1, 0, -1));
    element();
    store(9);
    put(plain(ISA_EXIT));
    CHECK_EQ(go(NULL), ST_OK);
    for (unsigned i = 0; i < 128; i++)
        CHECK_EQ(word(i), i < 32 ? 0 : (159 - i) * 78 + 1);
    machine_fini(&M);
}

/* Warp 0 waits, then warp 1 ends without coming; the last warp has 8 lanes. */
TEST(ended_warps_and_missing_lanes_are_not_waited_for)
{
    begin(ARCH_VOLTA, 1, 72);
    sreg(0, SR_WARPID);
    sreg(2, SR_TID_X);
    element();
    setp(0, CMP_EQ, 0, 1);
    guarded(plain(ISA_EXIT), 0);
    isa_inst and = isa_new(ISA_BARAND);
    and.pdst[0] = 1; /* true in all 40 lanes that come */
    put(and);
    mov_imm(6, 3);
    store(6);
    mov_imm(6, 5);
    isa_inst st = three(ISA_STG, ISA_RZ, 4, 6, -1);
    ISA_PUT(&st, EXT, 1);
    guarded(st, 1);
    put(plain(ISA_EXIT));
    /* Warps that come before the one that ends, and after it. */
    for (unsigned ends = 0; ends < 3; ends++) {
        M.code[3].val[1] = ends;
        CHECK_EQ(go(NULL), ST_OK);
        for (unsigned i = 0; i < 72; i++)
            CHECK(i / 32 == ends || word(i) == 5);
    }
    machine_fini(&M);
}

/* Producer and consumer warps on a named barrier of 64 threads. */
TEST(arriving_does_not_wait)
{
    begin(ARCH_VOLTA, 1, 64);
    sreg(0, SR_WARPID);
    sreg(2, SR_TID_X);
    element();
    setp(0, CMP_EQ, 0, 0);
    isa_inst arv = isa_new(ISA_BARARV), wait = isa_new(ISA_BARSYNC);
    arv.lut = wait.lut = 5;
    arv.src_kind[1] = wait.src_kind[1] = SRC_IMM;
    arv.val[1] = wait.val[1] = 64;
    guarded(arv, 0);
    guarded(wait, 0 | PRED_NOT);
    mov_imm(6, 3);
    store(6);
    put(plain(ISA_EXIT));
    CHECK_EQ(go(NULL), ST_OK);
    CHECK_EQ(word(63), 3);
    machine_fini(&M);
}

TEST(deadlocks_are_found)
{
    begin(ARCH_VOLTA, 1, 64);
    sreg(0, SR_WARPID);
    setp(0, CMP_EQ, 0, 0);
    isa_inst wait = isa_new(ISA_BARSYNC);
    wait.lut = 1;
    wait.src_kind[1] = SRC_IMM;
    wait.val[1] = 64;
    guarded(wait, 0);
    put(plain(ISA_EXIT));
    CHECK_EQ(go(NULL), ST_HANG);
    CHECK_EQ(M.fault.kind, FAULT_DEADLOCK);
    CHECK_EQ(M.fault.warp, 0);
    machine_fini(&M);
}

TEST(arithmetic_does_not_depend_on_the_mode_of_the_host)
{
    begin(ARCH_VOLTA, 1, 1);
    mov_imm(6, bits_of_float(1.0f));
    isa_inst add = three(ISA_FADD, 6, 6, -1, -1);
    add.src_kind[1] = SRC_IMM;
    add.val[1] = bits_of_float(0x1p-30f);
    put(add);
    mov_imm(2, 0);
    element();
    store(6);
    put(plain(ISA_EXIT));
    fesetround(FE_UPWARD);
    status st = go(NULL);
    int mode = fegetround();
    fesetround(FE_TONEAREST);
    CHECK_EQ(st, ST_OK);
    CHECK_EQ(word(0), bits_of_float(1.0f));
    CHECK_EQ(mode, FE_UPWARD);
    machine_fini(&M);
}

static bool stop_now(void *arg)
{
    ++*(unsigned *)arg;
    return true;
}

TEST(endless_kernels_stop_at_the_limit_or_when_told)
{
    isa_inst bra = isa_new(ISA_BRA);
    unsigned asked = 0;
    exec_limits lim = {.warp_instructions = 1000};
    exec_limits told = {.stop = stop_now, .arg = &asked};

    begin(ARCH_FERMI, 3, 64);
    put(bra);
    CHECK_EQ(go(&lim), ST_LIMIT);
    CHECK(total.warp_instructions >= 1000 && total.warp_instructions < 2000);
    CHECK_EQ(go(&told), ST_INTERRUPTED);
    CHECK_EQ(asked, 1);
    machine_fini(&M);
}

TEST(faults_name_the_thread)
{
    begin(ARCH_VOLTA, 4, 64);
    sreg(0, SR_CTAID_X);
    sreg(2, SR_TID_X);
    setp(0, CMP_EQ, 0, 2);
    setp(1, CMP_EQ, 2, 37);
    isa_inst both = isa_new(ISA_PLOP3);
    both.pdst[0] = 0;
    both.psrc[0] = 0;
    both.psrc[1] = 1;
    both.lut = 0xc0;
    put(both);
    guarded(plain(ISA_BPT), 0);
    put(plain(ISA_EXIT));
    CHECK_EQ(go(NULL), ST_FAULT);
    CHECK_EQ(M.fault.kind, FAULT_TRAP);
    CHECK_EQ(M.fault.cta[0], 2);
    CHECK_EQ(M.fault.thread[0], 37);
    CHECK_EQ(total.ctas, 2);
    CHECK_EQ(M.fault.pc, 5);
    machine_fini(&M);

    begin(ARCH_VOLTA, 1, 32);
    sreg(0, SR_TID_X); /* no EXIT */
    CHECK_EQ(go(NULL), ST_FAULT);
    CHECK_EQ(M.fault.kind, FAULT_PC);
    machine_fini(&M);
}

/* One warp waits for a value that another one writes: turns are fair. */
TEST(warps_take_turns)
{
    begin(ARCH_KEPLER, 1, 64);
    sreg(0, SR_WARPID);
    mov_imm(2, 0);
    element();
    setp(0, CMP_EQ, 0, 1);
    mov_imm(6, 1);
    isa_inst st = three(ISA_STG, ISA_RZ, 4, 6, -1);
    ISA_PUT(&st, EXT, 1);
    guarded(st, 0);
    guarded(plain(ISA_EXIT), 0);
    unsigned top = M.kernel.code_count;
    isa_inst ld = three(ISA_LDG, 7, 4, -1, -1);
    ISA_PUT(&ld, EXT, 1);
    put(ld);
    setp(1, CMP_EQ, 7, 0);
    isa_inst bra = isa_new(ISA_BRA);
    bra.val[0] = top;
    guarded(bra, 1);
    put(plain(ISA_EXIT));
    CHECK_EQ(go(NULL), ST_OK);
    machine_fini(&M);
}

/* ---- CTAs that wait for each other ---- */

enum { AWAITED = 1000, NOBODY = 999 };

/* Each CTA keeps 100 + its number in shared and local memory, that must be
 * zero before, waits until the word of buf that its word of AWAITED names is
 * not zero, and puts what it kept into the word of its number. */
static void waiting_ctas(isa_arch arch, uint32_t ctas)
{
    uint32_t one = 1, nobody = NOBODY;

    begin(arch, ctas, 64);
    M.launch.shared_bytes = 256;
    M.kernel.local_bytes = 4;
    memcpy(mem_host(M.image, buf + 4 * NOBODY), &one, 4);
    for (unsigned i = 0; i < ctas; i++)
        memcpy(mem_host(M.image, buf + 4 * (AWAITED + i)), &nobody, 4);
    sreg(0, SR_CTAID_X);
    sreg(1, SR_TID_X);
    put(three(ISA_IADD3, 1, 1, 1, ISA_RZ));
    put(three(ISA_IADD3, 1, 1, 1, ISA_RZ));
    put(three(ISA_LDS, 8, 1, -1, -1));
    put(three(ISA_LDL, 9, ISA_RZ, -1, -1));
    add_imm(10, 0, 100);
    put(three(ISA_STS, ISA_RZ, 1, 10, -1));
    put(three(ISA_STL, ISA_RZ, ISA_RZ, 10, -1));
    add_imm(2, 0, AWAITED);
    element();
    load(2);
    element();
    unsigned top = M.kernel.code_count;
    load(7);
    setp(0, CMP_EQ, 7, 0);
    branch(0, top);
    put(three(ISA_LDS, 11, 1, -1, -1));
    put(three(ISA_IADD3, 8, 8, 11, 9));
    put(three(ISA_LDL, 12, ISA_RZ, -1, -1));
    put(three(ISA_IMAD, 8, 8, 12, ISA_RZ));
    put(three(ISA_MOV, 2, -1, 0, -1));
    element();
    store(8);
    put(plain(ISA_EXIT));
}

static void waits(uint32_t cta, uint32_t for_cta)
{
    memcpy(mem_host(M.image, buf + 4 * (AWAITED + cta)), &for_cta, 4);
}

/* Runs it with so many in flight at most: does it end? */
static bool ends(uint64_t in_flight)
{
    exec_limits lim = {.warp_instructions = 3000000, .ctas = in_flight};
    uint32_t ctas = M.launch.grid[0];

    memset(mem_host(M.image, buf), 0, 4 * ctas);
    status st = go(&lim);
    if (st == ST_LIMIT)
        return false;
    CHECK_EQ(st, ST_OK);
    CHECK_EQ(total.ctas, ctas);
    CHECK_EQ(total.warps, 2 * ctas);
    for (uint32_t i = 0; i < ctas; i++)
        CHECK_EQ(word(i), (100 + i) * (100 + i));
    return true;
}

TEST(a_cta_may_wait_for_one_before_and_behind_it)
{
    static const isa_arch arch[] = {ARCH_FERMI, ARCH_KEPLER, ARCH_VOLTA};

    for (unsigned a = 0; a < COUNTOF(arch); a++) {
        waiting_ctas(arch[a], 2);
        waits(0, 1);
        CHECK(ends(0));
        CHECK(!ends(1));
        waits(0, NOBODY);
        waits(1, 0);
        CHECK(ends(0));
        CHECK(ends(1));
        machine_fini(&M);
    }
}

TEST(the_first_may_wait_for_the_last_of_many)
{
    waiting_ctas(ARCH_VOLTA, 300);
    waits(0, 299);
    CHECK(ends(2));
    CHECK(!ends(1));
    machine_fini(&M);
}

/* A chain: what all of 40 wait for is behind them. */
TEST(as_many_wait_as_may_be_in_flight)
{
    waiting_ctas(ARCH_VOLTA, 100);
    for (uint32_t i = 0; i < 40; i++)
        waits(i, i + 1);
    CHECK(ends(41));
    CHECK(ends(0));
    CHECK(!ends(40));
    machine_fini(&M);
}

TEST(waiting_is_deterministic)
{
    exec_totals first;

    waiting_ctas(ARCH_VOLTA, 30);
    for (uint32_t i = 0; i < 29; i += 2)
        waits(i, i + 1);
    CHECK(ends(8));
    first = total;
    CHECK(ends(8));
    CHECK_EQ(total.warp_instructions, first.warp_instructions);
    CHECK_EQ(total.thread_instructions, first.thread_instructions);
    machine_fini(&M);
}

/* Each CTA reads a word at first, counts for a while, then increments it. */
/* CTA 1 of three waits for itself: told always, the end only where nobody
 * else could write. What the lanes read last is the word of CTA 1. */
static status spin(bool alone, exec_spins *found)
{
    exec_limits lim = {.warp_instructions = 2000000, .alone = alone};
    exec_grid *g;
    bool ended = false;
    status st = ST_OK;

    waiting_ctas(ARCH_KEPLER, 3);
    waits(1, 1);
    M.kernel.name = "waits";
    g = exec_grid_new(&M.launch, M.view, &lim, &M.fault, &total);
    CHECK(g != NULL);
    while (st == ST_OK && !ended)
        st = exec_grid_run(g, &ended);
    exec_spins_copy(found, exec_grid_spins(g));
    exec_grid_free(g);
    machine_fini(&M);
    return st;
}

TEST(what_spins_for_ever_ends_if_nobody_else_writes)
{
    exec_spins found;

    for (unsigned alone = 0; alone < 2; alone++) {
        CHECK_EQ(spin(alone, &found), alone ? ST_HANG : ST_LIMIT);
        CHECK_EQ(found.endless, alone);
        CHECK_EQ(found.count, 1);
        CHECK_EQ(found.is->addr, buf + 4);
        CHECK_EQ(found.is->lanes, 64);
        CHECK_EQ(found.is->ctas, 1);
        CHECK_EQ(found.live, 2);
        CHECK_EQ(found.started, 3);
        CHECK(!found.timed);
        CHECK(found.to - found.from < 1 << 16); /* a small part of it */
        exec_spins_fini(&found);
    }
}

TEST(ctas_that_wait_for_none_run_one_by_one)
{
    begin(ARCH_VOLTA, 6, 1);
    mov_imm(2, 500);
    element();
    load(8);
    mov_imm(9, 20000);
    unsigned top = M.kernel.code_count;
    add_imm(9, 9, UINT32_MAX);
    setp(0, CMP_NE, 9, 0);
    branch(0, top);
    add_imm(10, 8, 1);
    store(10);
    sreg(2, SR_CTAID_X);
    element();
    store(8);
    put(plain(ISA_EXIT));
    CHECK_EQ(go(NULL), ST_OK);
    for (unsigned i = 0; i < 6; i++)
        CHECK_EQ(word(i), i);
    CHECK_EQ(word(500), 6);
    machine_fini(&M);
}

/* CTA 0 waits for 1, which waits at a barrier that it never reaches. */
TEST(a_deadlock_is_found_behind_a_cta_that_waits)
{
    isa_inst bar = isa_new(ISA_BARSYNC);
    exec_limits lim = {.warp_instructions = 3000000};

    begin(ARCH_KEPLER, 3, 64);
    bar.lut = 1;
    bar.src_kind[1] = SRC_IMM;
    bar.val[1] = 96;
    sreg(0, SR_CTAID_X);
    setp(0, CMP_EQ, 0, 1);
    guarded(bar, 0);
    mov_imm(2, 1);
    element();
    load(7);
    setp(0, CMP_EQ, 7, 0);
    branch(0, 5);
    put(plain(ISA_EXIT));
    CHECK_EQ(go(&lim), ST_HANG);
    CHECK_EQ(M.fault.kind, FAULT_DEADLOCK);
    CHECK_EQ(M.fault.cta[0], 1);
    CHECK_EQ(total.ctas, 0);
    machine_fini(&M);
}
