/* Divergence: programs whose lanes take different ways, on both models. Every
 * lane counts what it executes, so that a lost or doubled lane shows. */
#include "lanes.h"

TEST(if_else_runs_each_side_once_and_meets)
{
    EACH_ARCH(arch)
    {
        unsigned r, e, x;

        begin(arch);
        cmpi(0, CMP_LT, 0, 10);
        region_begin(arch, 0, &r);
        e = jump(ISA_BRA, 0 | PRED_NOT, 0, 0);
        addi(1, 1, 100);
        x = jump(ISA_BRA, ISA_PT, 0, 0);
        land(e);
        addi(1, 1, 200);
        land(x);
        region_end(arch, 0, r);
        addi(2, 2, 1); /* once for all lanes */
        jump(ISA_EXIT, ISA_PT, 0, 0);
        uint64_t n = run();
        for (unsigned l = 0; l < 32; l++) {
            CHECK_EQ(M.reg[1][l], l < 10 ? 100 : 200);
            CHECK_EQ(M.reg[2][l], 1);
        }
        /* Both sides, the end of the region twice, the rest once. */
        CHECK_EQ(n, arch == ARCH_VOLTA ? 4 + 2 + 1 + 2 + 2 : 4 + 2 + 1 + 2 + 2);
    }
}

static void bmov(isa_op op, unsigned reg)
{
    isa_inst in = inst(op);

    if (op == ISA_BMOVS)
        in.dst = (uint8_t)reg;
    else
        in.src[0] = (uint8_t)reg;
    in.src_kind[0] = op == ISA_BMOVL ? SRC_REG : SRC_NONE;
    machine_put(&M, in);
}

/* if (lane < 16) { a function that uses B0 too and where lanes part } */
TEST(lanes_at_a_barrier_wait_for_those_that_use_its_number_inside)
{
    unsigned outer, inner, in, out, skip;

    begin(ARCH_VOLTA);
    cmpi(0, CMP_LT, 0, 16);
    region_begin(ARCH_VOLTA, 0, &outer);
    in = jump(ISA_BRA, 0, 0, 0);
    out = jump(ISA_BRA, ISA_PT, 0, 0); /* these wait first */
    land(in);
    bmov(ISA_BMOVS, 5);
    cmpi(1, CMP_LT, 0, 8);
    region_begin(ARCH_VOLTA, 0, &inner);
    skip = jump(ISA_BRA, 1, 0, 0);
    addi(1, 1, 7);
    land(skip);
    region_end(ARCH_VOLTA, 0, inner);
    bmov(ISA_BMOVL, 5);
    land(out);
    region_end(ARCH_VOLTA, 0, outer);
    jump(ISA_EXIT, ISA_PT, 0, 0);
    /* Each once, but the ends of both regions twice. */
    CHECK_EQ(run(), 14 + 2);
    for (unsigned l = 0; l < 32; l++)
        CHECK_EQ(M.reg[1][l], l >= 8 && l < 16 ? 7 : 0);
}

/* for (i = 0; i < lane; i++) for (j = 0; j < i; j++) count++ */
TEST(nested_loops_of_different_length_meet_after_each)
{
    EACH_ARCH(arch)
    {
        unsigned outer, inner, top, in_top, out, in_out;

        begin(arch);
        mov(1, 0);
        mov(4, 0);
        region_begin(arch, 0, &outer);
        top = here();
        /* i < lane ?  R5 = lane - i */
        isa_inst sub = inst(ISA_IADD3);
        sub.dst = 5;
        sub.src_kind[0] = sub.src_kind[1] = sub.src_kind[2] = SRC_REG;
        sub.src[0] = 0;
        sub.src[1] = 1;
        sub.src_mod[1] = SRC_NEG;
        machine_put(&M, sub);
        cmpi(0, CMP_EQ, 5, 0);
        out = jump(ISA_BRA, 0, 0, 0);
        mov(2, 0);
        region_begin(arch, 1, &inner);
        in_top = here();
        sub.src[0] = 1;
        sub.src[1] = 2;
        machine_put(&M, sub);
        cmpi(0, CMP_EQ, 5, 0);
        in_out = jump(ISA_BRA, 0, 0, 0);
        addi(4, 4, 1);
        addi(2, 2, 1);
        jump(ISA_BRA, ISA_PT, 0, in_top);
        land(in_out);
        region_end(arch, 1, inner);
        addi(1, 1, 1);
        jump(ISA_BRA, ISA_PT, 0, top);
        land(out);
        region_end(arch, 0, outer);
        addi(6, 6, 1);
        jump(ISA_EXIT, ISA_PT, 0, 0);
        run();
        for (unsigned l = 0; l < 32; l++) {
            CHECK_EQ(M.reg[4][l], l ? l * (l - 1) / 2 : 0);
            CHECK_EQ(M.reg[6][l], 1);
        }
        /* The code behind the loops ran once, not once per lane. */
        CHECK(M.warp.executed < 4000);
    }
}

TEST(early_exit_inside_a_region_frees_the_others)
{
    EACH_ARCH(arch)
    {
        unsigned r, skip;

        begin(arch);
        region_begin(arch, 0, &r);
        cmpi(0, CMP_GE, 0, 16);
        skip = jump(ISA_BRA, 0, 0, 0);
        cmpi(1, CMP_LT, 0, 8);
        jump(ISA_EXIT, 1, 0, 0); /* lanes 0..7 end here */
        addi(1, 1, 1);
        land(skip);
        region_end(arch, 0, r);
        addi(2, 2, 1);
        jump(ISA_EXIT, ISA_PT, 0, 0);
        run();
        for (unsigned l = 0; l < 32; l++) {
            CHECK_EQ(M.reg[1][l], l >= 8 && l < 16);
            CHECK_EQ(M.reg[2][l], l >= 8);
        }
    }
}

TEST(exit_of_all_running_lanes_resumes_those_that_wait)
{
    EACH_ARCH(arch)
    {
        unsigned r, skip;

        begin(arch);
        region_begin(arch, 0, &r);
        cmpi(0, CMP_GE, 0, 5);
        skip = jump(ISA_BRA, 0, 0, 0);
        addi(1, 1, 1);
        jump(ISA_EXIT, ISA_PT, 0, 0); /* the whole side ends */
        land(skip);
        region_end(arch, 0, r);
        addi(2, 2, 1);
        jump(ISA_EXIT, ISA_PT, 0, 0);
        run();
        for (unsigned l = 0; l < 32; l++) {
            CHECK_EQ(M.reg[1][l], l < 5);
            CHECK_EQ(M.reg[2][l], l >= 5);
        }
    }
}

TEST(branch_to_many_targets)
{
    EACH_ARCH(arch)
    {
        unsigned r, base, ends[4];
        isa_inst brx = inst(ISA_BRX), lop = inst(ISA_LOP3);

        begin(arch);
        lop.dst = 3; /* lane & 3 */
        lop.src_kind[0] = SRC_REG;
        lop.src[0] = 0;
        lop.src_kind[1] = SRC_IMM;
        lop.val[1] = 3;
        lop.src_kind[2] = SRC_REG;
        lop.lut = 0xc0;
        machine_put(&M, lop);
        region_begin(arch, 0, &r);
        isa_inst mad = inst(ISA_IMAD); /* R4 = R3 * 2 + base */
        mad.dst = 4;
        mad.src_kind[0] = mad.src_kind[2] = SRC_REG;
        mad.src[0] = 3;
        mad.src[2] = 5;
        mad.src_kind[1] = SRC_IMM;
        mad.val[1] = 2;
        base = here() + 3;
        mov(5, base);
        machine_put(&M, mad);
        brx.src_kind[0] = SRC_REG;
        brx.src[0] = 4;
        machine_put(&M, brx);
        for (unsigned k = 0; k < 4; k++) {
            addi(1, 1, 10 + k);
            ends[k] = jump(ISA_BRA, ISA_PT, 0, 0);
        }
        for (unsigned k = 0; k < 4; k++)
            land(ends[k]);
        region_end(arch, 0, r);
        addi(2, 2, 1);
        jump(ISA_EXIT, ISA_PT, 0, 0);
        uint64_t n = run();
        for (unsigned l = 0; l < 32; l++) {
            CHECK_EQ(M.reg[1][l], 10 + l % 4);
            CHECK_EQ(M.reg[2][l], 1);
        }
        CHECK_EQ(n, 6 + 4 * 3 + 2);
    }
}

TEST(calls_return_to_each_caller)
{
    EACH_ARCH(arch)
    {
        unsigned call1, call2, skip, r;
        isa_inst ret = inst(ISA_RET);

        begin(arch);
        region_begin(arch, 0, &r);
        cmpi(0, CMP_LT, 0, 7);
        skip = jump(ISA_BRA, 0, 0, 0);
        call1 = jump(ISA_CALL, ISA_PT, 0, 0);
        M.code[call1].dst = 8;
        land(skip);
        region_end(arch, 0, r);
        call2 = jump(ISA_CALL, ISA_PT, 0, 0);
        M.code[call2].dst = 8;
        jump(ISA_EXIT, ISA_PT, 0, 0);
        land(call1);
        land(call2);
        addi(1, 1, 1);
        ret.src_kind[0] = SRC_REG;
        ret.src[0] = 8;
        machine_put(&M, ret);
        run();
        for (unsigned l = 0; l < 32; l++)
            CHECK_EQ(M.reg[1][l], l < 7 ? 1 : 2);
    }
}

TEST(volta_break_leaves_the_barrier)
{
    unsigned r, out, top;

    /* Lanes leave a loop through BREAK and wait at an outer barrier. */
    begin(ARCH_VOLTA);
    jump(ISA_BSSY, ISA_PT, 1, 0);
    region_begin(ARCH_VOLTA, 0, &r);
    top = here();
    addi(1, 1, 1);
    isa_inst set = inst(ISA_ISETP);
    set.pdst[0] = 0;
    set.src_kind[0] = set.src_kind[1] = SRC_REG;
    set.src[0] = 1;
    set.src[1] = 0;
    ISA_PUT(&set, ICMP, CMP_GT);
    machine_put(&M, set);
    jump(ISA_BREAK, 0, 0, 0);
    out = jump(ISA_BRA, 0, 0, 0);
    cmpi(1, CMP_LT, 1, 20);
    jump(ISA_BRA, 1, 0, top);
    land(r);
    jump(ISA_BSYNC, ISA_PT, 0, 0);
    addi(2, 2, 1); /* those that ran all 20 rounds, together */
    land(out);
    jump(ISA_BSYNC, ISA_PT, 1, 0);
    addi(3, 3, 1);
    jump(ISA_EXIT, ISA_PT, 0, 0);
    run();
    for (unsigned l = 0; l < 32; l++) {
        CHECK_EQ(M.reg[1][l], l < 20 ? l + 1 : 20);
        CHECK_EQ(M.reg[2][l], l >= 20);
        CHECK_EQ(M.reg[3][l], 1);
    }
}

TEST(volta_both_sides_may_use_one_barrier)
{
    unsigned r0, e, x, s1, s2, ra, rb;

    begin(ARCH_VOLTA);
    region_begin(ARCH_VOLTA, 0, &r0);
    cmpi(0, CMP_LT, 0, 16);
    e = jump(ISA_BRA, 0, 0, 0);
    /* side A: its region of B1 diverges and yields in the middle */
    region_begin(ARCH_VOLTA, 1, &ra);
    cmpi(1, CMP_LT, 0, 24);
    s1 = jump(ISA_BRA, 1, 0, 0);
    jump(ISA_YIELD, ISA_PT, 0, 0);
    addi(1, 1, 1);
    land(s1);
    region_end(ARCH_VOLTA, 1, ra);
    addi(2, 2, 1);
    x = jump(ISA_BRA, ISA_PT, 0, 0);
    land(e);
    /* side B: the same barrier */
    region_begin(ARCH_VOLTA, 1, &rb);
    cmpi(1, CMP_LT, 0, 4);
    s2 = jump(ISA_BRA, 1, 0, 0);
    jump(ISA_YIELD, ISA_PT, 0, 0);
    addi(1, 1, 2);
    land(s2);
    region_end(ARCH_VOLTA, 1, rb);
    addi(2, 2, 1);
    land(x);
    region_end(ARCH_VOLTA, 0, r0);
    addi(3, 3, 1);
    jump(ISA_EXIT, ISA_PT, 0, 0);
    uint64_t n = run();
    for (unsigned l = 0; l < 32; l++) {
        CHECK_EQ(M.reg[1][l], l >= 24 ? 1 : l >= 16 ? 0 : l >= 4 ? 2 : 0);
        CHECK_EQ(M.reg[2][l], 1);
        CHECK_EQ(M.reg[3][l], 1);
    }
    /* The addition behind each inner region ran once per side. */
    CHECK_EQ(n, 4 + (3 + 2 + 2 + 2) + (3 + 2 + 2 + 1) + 2 + 2);
}

/* A lock in the registers of a fake memory is not needed: lanes above 0 spin
 * until lane 0, which waits for them at the end of the loop, has gone on. */
static uint64_t spin(bool yield)
{
    unsigned r, top;
    isa_inst ld = inst(ISA_LDS), st = inst(ISA_STS);

    /* An outer region, at whose end the holder waits again. */
    begin(ARCH_VOLTA);
    jump(ISA_BSSY, ISA_PT, 1, 0);
    region_begin(ARCH_VOLTA, 0, &r);
    cmpi(0, CMP_EQ, 0, 0);
    land(r);
    unsigned out = jump(ISA_BRA, 0, 0, 0);
    top = here();
    if (yield)
        jump(ISA_YIELD, ISA_PT, 0, 0);
    ld.dst = 4;
    ld.src_kind[0] = SRC_REG;
    machine_put(&M, ld);
    cmpi(1, CMP_EQ, 4, 0);
    jump(ISA_BRA, 1, 0, top);
    land(out);
    jump(ISA_BSYNC, ISA_PT, 0, 0);
    mov(5, 1);
    st.src_kind[0] = st.src_kind[1] = SRC_REG;
    st.src[1] = 5;
    machine_put(&M, st); /* opens the lock */
    jump(ISA_BSYNC, ISA_PT, 1, 0);
    addi(3, 3, 1);
    jump(ISA_EXIT, ISA_PT, 0, 0);

    machine_start(&M, 0);
    exec_result res = EXEC_DONE;
    while (res != EXEC_EXIT && M.warp.executed < 8000000)
        res = machine_step(&M);
    CHECK_EQ(res, EXEC_EXIT);
    for (unsigned l = 0; l < 32; l++)
        CHECK_EQ(M.reg[3][l], 1);
    return M.warp.executed;
}

TEST(volta_spinning_lanes_do_not_starve_the_holder)
{
    CHECK(spin(true) < 500);
    CHECK(spin(false) < 8000000);
}

TEST(volta_warpsync_joins_groups)
{
    unsigned e;
    isa_inst ws = inst(ISA_WARPSYNC);

    begin(ARCH_VOLTA);
    cmpi(0, CMP_LT, 0, 16);
    e = jump(ISA_BRA, 0, 0, 0);
    addi(1, 1, 1);
    land(e);
    ws.src_kind[1] = SRC_IMM;
    ws.val[1] = UINT32_MAX;
    machine_put(&M, ws);
    addi(2, 2, 1);
    jump(ISA_EXIT, ISA_PT, 0, 0);
    CHECK_EQ(run(), 3 + 1 + 2 + 2);
    for (unsigned l = 0; l < 32; l++)
        CHECK_EQ(M.reg[2][l], 1);
}

TEST(volta_warpsync_counts_ended_lanes_as_come)
{
    unsigned e;
    isa_inst ws = inst(ISA_WARPSYNC);

    begin(ARCH_VOLTA);
    cmpi(0, CMP_LT, 0, 16);
    e = jump(ISA_BRA, 0, 0, 0);
    jump(ISA_EXIT, ISA_PT, 0, 0);
    land(e);
    ws.src_kind[1] = SRC_IMM;
    ws.val[1] = UINT32_MAX;
    machine_put(&M, ws);
    addi(2, 2, 1);
    jump(ISA_EXIT, ISA_PT, 0, 0);
    run();
    for (unsigned l = 0; l < 32; l++)
        CHECK_EQ(M.reg[2][l], l < 16);
}

TEST(volta_exit_completes_a_warpsync)
{
    unsigned e, x;
    isa_inst ws = inst(ISA_WARPSYNC);

    /* Lanes 16 and above wait first, then the others end. */
    begin(ARCH_VOLTA);
    cmpi(0, CMP_LT, 0, 16);
    e = jump(ISA_BRA, 0, 0, 0);
    mov(5, UINT32_MAX); /* in the lanes that execute, not in lane 0 */
    ws.src_kind[1] = SRC_REG;
    ws.src[1] = 5;
    machine_put(&M, ws);
    addi(2, 2, 1);
    x = jump(ISA_BRA, ISA_PT, 0, 0);
    land(e);
    land(x);
    jump(ISA_EXIT, ISA_PT, 0, 0);
    run();
    for (unsigned l = 0; l < 32; l++)
        CHECK_EQ(M.reg[2][l], l >= 16);
}

TEST(volta_lanes_that_broke_out_pass_the_barrier)
{
    begin(ARCH_VOLTA);
    cmpi(0, CMP_LT, 0, 16);
    jump(ISA_BSSY, ISA_PT, 0, 0);
    jump(ISA_BREAK, 0, 0, 0);
    unsigned e = jump(ISA_BRA, 0 | PRED_NOT, 0, 0);
    jump(ISA_BSYNC, ISA_PT, 0, 0); /* does not wait for the upper lanes */
    addi(1, 1, 1);
    isa_inst st = inst(ISA_STS), ld = inst(ISA_LDS);
    st.src_kind[0] = st.src_kind[1] = SRC_REG;
    st.src[1] = 1;
    machine_put(&M, st);
    jump(ISA_EXIT, ISA_PT, 0, 0);
    land(e);
    ld.dst = 3; /* written already if the lower lanes went first */
    ld.src_kind[0] = SRC_REG;
    machine_put(&M, ld);
    jump(ISA_EXIT, ISA_PT, 0, 0);
    run();
    CHECK_EQ(M.reg[3][31], 1);
}

/* Lanes 0 to 15 wait at a WARPSYNC for the others, which wait for them at the
 * end of the region, or `crossed` at a WARPSYNC for lane 0 alone. */
static exec_result run_waiting(bool crossed)
{
    unsigned e;
    isa_inst ws = inst(ISA_WARPSYNC);
    exec_result r;

    begin(ARCH_VOLTA);
    jump(ISA_BSSY, ISA_PT, 0, 0);
    cmpi(0, CMP_LT, 0, 16);
    e = jump(ISA_BRA, 0, 0, 0);
    ws.src_kind[1] = SRC_IMM;
    ws.val[1] = 0xffff0001;
    if (crossed)
        machine_put(&M, ws);
    else
        jump(ISA_BSYNC, ISA_PT, 0, 0);
    land(e);
    ws.val[1] = UINT32_MAX;
    machine_put(&M, ws);
    jump(ISA_EXIT, ISA_PT, 0, 0);
    machine_start(&M, 0);
    do
        r = machine_step(&M);
    while (r == EXEC_DONE);
    return r;
}

TEST(volta_lanes_that_wait_for_each_other_are_reported)
{
    CHECK_EQ(run_waiting(true), EXEC_BLOCKED);
}

/* ptxas leaves regions for a WARPSYNC without a BREAK. */
TEST(volta_the_end_of_a_region_gives_way_to_warpsync)
{
    CHECK_EQ(run_waiting(false), EXEC_EXIT);
}

/* Both sides of a branch reach a CTA barrier of their own. */
static unsigned barrier_program(bool exit_side)
{
    unsigned e, x, arrivals = 0;

    begin(ARCH_VOLTA);
    cmpi(0, CMP_LT, 0, 16);
    e = jump(ISA_BRA, 0, 0, 0);
    if (exit_side)
        jump(ISA_EXIT, ISA_PT, 0, 0);
    jump(ISA_BARSYNC, ISA_PT, 0, 0);
    addi(1, 1, 1);
    x = jump(ISA_BRA, ISA_PT, 0, 0);
    land(e);
    jump(ISA_BARSYNC, ISA_PT, 0, 0);
    addi(1, 1, 2);
    land(x);
    jump(ISA_EXIT, ISA_PT, 0, 0);
    machine_start(&M, 0);
    for (exec_result r = EXEC_DONE; r != EXEC_EXIT;) {
        r = machine_step(&M);
        CHECK(r == EXEC_DONE || r == EXEC_EXIT || r == EXEC_BARRIER);
        if (r == EXEC_BARRIER) {
            arrivals++;
            CHECK_EQ(M.bar.lanes, exit_side ? 0xffff : UINT32_MAX);
        }
    }
    return arrivals;
}

TEST(volta_warp_arrives_once_when_all_its_lanes_have)
{
    CHECK_EQ(barrier_program(false), 1);
    for (unsigned l = 0; l < 32; l++)
        CHECK_EQ(M.reg[1][l], l < 16 ? 2 : 1);
    CHECK_EQ(barrier_program(true), 1);
    for (unsigned l = 0; l < 32; l++)
        CHECK_EQ(M.reg[1][l], l < 16 ? 2 : 0);
}

TEST(volta_exit_makes_waiting_lanes_arrive)
{
    unsigned e, arrivals = 0;

    /* The lanes that fall through wait at the barrier first, then the others
     * end without it. */
    begin(ARCH_VOLTA);
    cmpi(0, CMP_LT, 0, 16);
    e = jump(ISA_BRA, 0, 0, 0);
    jump(ISA_BARSYNC, ISA_PT, 0, 0);
    addi(1, 1, 1);
    land(e);
    jump(ISA_EXIT, ISA_PT, 0, 0);
    machine_start(&M, 0);
    for (exec_result r = EXEC_DONE; r != EXEC_EXIT;) {
        r = machine_step(&M);
        CHECK(r == EXEC_DONE || r == EXEC_EXIT || r == EXEC_BARRIER);
        arrivals += r == EXEC_BARRIER;
    }
    CHECK_EQ(arrivals, 1);
    for (unsigned l = 0; l < 32; l++)
        CHECK_EQ(M.reg[1][l], l >= 16);
}

TEST(scalar_operands_come_from_an_executing_lane)
{
    isa_inst in = machine_inst(ISA_NANOSLEEP, SRC_B);

    machine_init(&M, ARCH_VOLTA);
    machine_start(&M, 0);
    M.reg[REG_B][0] = 1;
    M.reg[REG_B][4] = 50;
    CHECK_EQ(machine_one(&M, in, 0xf0), EXEC_SLEEP);
    CHECK_EQ(M.bar.count, 50);
    CHECK_EQ(M.warp.simt.pc, 1);
}

TEST(sync_without_ssy_is_a_fault)
{
    begin(ARCH_KEPLER);
    jump(ISA_SYNC, ISA_PT, 0, 0);
    machine_start(&M, 0);
    CHECK_EQ(machine_step(&M), EXEC_DONE);
    CHECK_EQ(machine_step(&M), EXEC_FAULT);
    CHECK_EQ(M.fault.kind, FAULT_STACK);
    CHECK_EQ(M.fault.pc, 1);
}

TEST(endless_ssy_is_a_fault)
{
    begin(ARCH_FERMI);
    jump(ISA_SSY, ISA_PT, 0, 1);
    jump(ISA_BRA, ISA_PT, 0, 1);
    machine_start(&M, 0);
    exec_result r;
    do
        r = machine_step(&M);
    while (r == EXEC_DONE);
    CHECK_EQ(r, EXEC_FAULT);
    CHECK_EQ(M.fault.kind, FAULT_STACK);
}

/* Random structured programs: every lane must do what it would do alone. */

static uint64_t seed;

static void block(isa_arch arch, unsigned depth)
{
    unsigned parts = 1 + noise(&seed) % 3;

    for (unsigned k = 0; k < parts && here() < M_CODE - 60; k++) {
        unsigned what = depth ? (unsigned)(noise(&seed) % 5) : 0;
        unsigned bit = (unsigned)(noise(&seed) % 32), r, e, x, top;
        isa_inst rot = inst(ISA_SHF_L), mad = inst(ISA_IMAD);

        /* R1 = R1 * 5 + odd; R7 = rotated R1: fresh bits to branch on */
        mad.dst = 1;
        mad.src_kind[0] = mad.src_kind[2] = SRC_REG;
        mad.src[0] = 1;
        mad.src[2] = 9;
        mad.src_kind[1] = SRC_IMM;
        mad.val[1] = 0x343fd;
        machine_put(&M, mad);
        rot.dst = 7;
        rot.src_kind[0] = rot.src_kind[2] = SRC_REG;
        rot.src[0] = rot.src[2] = 1;
        rot.src_kind[1] = SRC_IMM;
        rot.val[1] = bit % 12; /* the low bits of R1 have short periods */
        ISA_PUT(&rot, HI, 1);
        machine_put(&M, rot);
        cmpi(depth, CMP_LT, 7, 0x80000000);
        if (what == 1 || what == 2) { /* if, if-else */
            region_begin(arch, depth, &r);
            e = jump(ISA_BRA, depth, 0, 0);
            block(arch, depth - 1);
            if (what == 2) {
                x = jump(ISA_BRA, ISA_PT, 0, 0);
                land(e);
                block(arch, depth - 1);
                land(x);
            } else {
                land(e);
            }
            region_end(arch, depth, r);
        } else if (what == 3) { /* loop until the bit is clear */
            region_begin(arch, depth, &r);
            top = here();
            block(arch, depth - 1);
            machine_put(&M, mad);
            machine_put(&M, rot);
            cmpi(depth, CMP_LT, 7, 0x80000000);
            jump(ISA_BRA, depth, 0, top);
            region_end(arch, depth, r);
        } else if (what == 4 && bit > 24 && arch == ARCH_VOLTA) {
            jump(ISA_YIELD, ISA_PT, 0, 0);
        } else if (what == 4 && bit < 4) {
            cmpi(depth, CMP_LT, 7, 0x08000000);
            jump(ISA_EXIT, depth, 0, 0);
        }
        addi(2, 2, 1);
    }
}

TEST(random_programs_do_for_each_lane_what_it_does_alone)
{
    for (uint64_t n = 0; n < 300; n++) {
        isa_arch arch = archs[n % 3];
        uint32_t together[2][32];

        seed = n / 3;
        begin(arch);
        block(arch, 4);
        jump(ISA_EXIT, ISA_PT, 0, 0);
        for (unsigned alone = 0; alone < 33; alone++) {
            exec_result r = EXEC_DONE;

            machine_start(&M, 0);
            for (unsigned l = 0; l < 32; l++) {
                M.reg[1][l] = l * 0x9e3779b9u + (uint32_t)n / 3;
                M.reg[9][l] = 2 * l + 1;
            }
            if (alone < 32)
                M.warp.simt.active = M.warp.simt.live = 1u << alone;
            while (r != EXEC_EXIT && M.warp.executed < 100000) {
                r = machine_step(&M);
                CHECK(r == EXEC_DONE || r == EXEC_EXIT);
            }
            CHECK_EQ(r, EXEC_EXIT);
            if (alone < 32) {
                together[0][alone] = M.reg[1][alone];
                together[1][alone] = M.reg[2][alone];
            }
        }
        for (unsigned l = 0; l < 32; l++) {
            CHECK_EQ(M.reg[1][l], together[0][l]);
            CHECK_EQ(M.reg[2][l], together[1][l]);
        }
    }
}

/* A slot is given to the next warp as the last one left it. */
TEST(a_warp_begins_without_participants)
{
    static simt s;
    uint32_t all[ISA_BARRIERS][ISA_WARP];

    simt_start(&s, ARCH_VOLTA, UINT32_MAX);
    simt_bssy(&s, 3, 0xff);
    simt_parts(&s, all);
    CHECK_EQ(all[3][7], 0xff);
    CHECK_EQ(all[3][8], 0);
    simt_start(&s, ARCH_VOLTA, UINT32_MAX);
    simt_parts(&s, all);
    CHECK_EQ(all[3][7], 0);
    CHECK_EQ(simt_part(&s, 3)[7], 0);
}
