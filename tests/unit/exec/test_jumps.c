/* Jumps of the vendor's machine code: by bytes, by whether lanes are together,
 * beside a second predicate; and lanes that wait under masks of their own. */
#include "machine.h"

static machine M;

enum { R_MASK = 5, R_TO = 6, R_ACTIVE = 7, R_COUNT = 8, R_PART = 9 };
enum { P_GUARD = 0, P_ALSO = 1, P_SPLIT = 2, P_DEAD = 3 };

static const uint32_t lanes[] = {0,          1,          0x80000000,
                                 0x0000ffff, 0xffff0000, 0xaaaaaaaa,
                                 0x00ffff00, UINT32_MAX};

#define EACH(v)                                                                \
    for (unsigned v##_i = 0; v##_i < COUNTOF(lanes); v##_i++)                  \
        for (uint32_t v = lanes[v##_i], v##_1 = 1; v##_1; v##_1 = 0)

/* ---- programs ---- */

static unsigned put(isa_op op, unsigned guard, unsigned also, uint32_t to)
{
    isa_inst in = isa_new(op);

    in.guard = (uint8_t)guard;
    in.psrc[0] = (uint8_t)also;
    in.val[0] = to;
    machine_put(&M, in);
    return M.kernel.code_count - 1;
}

static unsigned plain(isa_op op) { return put(op, ISA_PT, ISA_PT, 0); }

static void land(unsigned at) { M.code[at].val[0] = M.kernel.code_count; }

/* R_COUNT += n */
static void count(unsigned n)
{
    isa_inst in = isa_new(ISA_IADD3);

    in.dst = R_COUNT;
    in.src_kind[0] = in.src_kind[2] = SRC_REG;
    in.src[0] = R_COUNT;
    in.src_kind[1] = SRC_IMM;
    in.val[1] = n;
    machine_put(&M, in);
}

static void note_active(void)
{
    isa_inst in = isa_new(ISA_S2R);

    in.dst = R_ACTIVE;
    in.lut = SR_ACTIVE;
    machine_put(&M, in);
}

static void wait_for(uint8_t kind)
{
    isa_inst in = isa_new(ISA_WARPSYNC);

    in.src_kind[1] = kind;
    if (kind == SRC_REG)
        in.src[1] = R_MASK;
    else
        in.val[1] = UINT32_MAX;
    machine_put(&M, in);
}

static void check_program(isa_arch arch)
{
    for (unsigned i = 0; i < M.kernel.code_count; i++) {
        const char *why = isa_check(&M.code[i], arch);

        if (why)
            TEST_FAIL("%s: %s", isa_table[M.code[i].op].text, why);
    }
}

/* From where machine_start() left the warp to its end. */
static void run(void)
{
    exec_result r = EXEC_DONE;

    check_program(M.launch.arch);
    for (unsigned n = 0; n < 10000 && r != EXEC_EXIT; n++) {
        r = machine_step(&M);
        CHECK(r == EXEC_DONE || r == EXEC_EXIT);
    }
    CHECK_EQ(r, EXEC_EXIT);
}

/* ---- BRX.B ---- */

enum { WAYS = 4 };

/* The way of lane l adds 1 << 8 * way. */
static void ways_begin(unsigned offset, uint32_t guard)
{
    isa_inst in = isa_new(ISA_BRXB);
    unsigned out[WAYS];

    machine_init(&M, ARCH_VOLTA);
    in.src_kind[0] = SRC_REG;
    in.src[0] = R_TO;
    in.val[0] = offset;
    in.guard = P_GUARD;
    machine_put(&M, in);
    plain(ISA_EXIT); /* 1: not guarded */
    for (unsigned w = 0; w < WAYS; w++) {
        count(1u << 8 * w);
        out[w] = put(ISA_BRA, ISA_PT, ISA_PT, 0);
    }
    for (unsigned w = 0; w < WAYS; w++)
        land(out[w]);
    plain(ISA_EXIT);
    machine_start(&M, 0);
    M.warp.pred[P_GUARD] = guard;
}

TEST(brxb_goes_to_the_byte_of_each_lane)
{
    static const uint32_t offsets[] = {
        0, 16, 0x20, 0x1000, 1, (uint32_t)-16, (uint32_t)-7, 0x80000000};

    EACH(guard)
    for (unsigned i = 0; i < COUNTOF(offsets); i++)
        for (unsigned every = 1; every <= 32; every *= 2) {
            ways_begin(offsets[i], guard);
            for (unsigned l = 0; l < ISA_WARP; l++)
                M.reg[R_TO][l] = (2 + l / every % WAYS * 2) * 16 - offsets[i];
            run();
            for (unsigned l = 0; l < ISA_WARP; l++)
                CHECK_EQ(M.reg[R_COUNT][l],
                         guard >> l & 1 ? 1u << l / every % WAYS * 8 : 0);
        }
}

TEST(brxb_takes_the_lanes_of_its_second_predicate)
{
    EACH(second)
    {
        ways_begin(0, 0x0ff0ff0f);
        M.code[0].psrc[0] = P_ALSO | PRED_NOT;
        M.warp.pred[P_ALSO] = second;
        for (unsigned l = 0; l < ISA_WARP; l++)
            M.reg[R_TO][l] = (2 + l % WAYS * 2) * 16;
        run();
        for (unsigned l = 0; l < ISA_WARP; l++)
            CHECK_EQ(M.reg[R_COUNT][l],
                     (0x0ff0ff0f & ~second) >> l & 1 ? 1u << l % WAYS * 8 : 0);
    }
}

/* Everybody goes to the last instruction, but one lane. */
static void astray(unsigned lane, uint32_t to, uint32_t guard)
{
    ways_begin(0, guard);
    for (unsigned l = 0; l < ISA_WARP; l++)
        M.reg[R_TO][l] = (M.kernel.code_count - 1) * 16;
    M.reg[R_TO][lane] = to;
}

TEST(brxb_faults_between_instructions_and_behind_the_last)
{
    for (unsigned lane = 0; lane < ISA_WARP; lane++)
        for (unsigned bad = 1; bad < 19; bad++) {
            uint32_t end = (3 + 2 * WAYS) * 16;
            uint32_t to = bad < 16    ? 32 + bad
                          : bad == 16 ? end
                          : bad == 17 ? UINT32_MAX
                                      : 0xfffffff0;

            astray(lane, to, ~(1u << lane)); /* it does not execute */
            CHECK_EQ(M.kernel.code_count * 16, end);
            CHECK_EQ(machine_step(&M), EXEC_DONE);
            astray(lane, to, UINT32_MAX);
            CHECK_EQ(machine_step(&M), EXEC_FAULT);
            CHECK_EQ(M.fault.kind, FAULT_CALL);
            CHECK_EQ(M.fault.lane, lane);
            CHECK_EQ(M.fault.pc, 0);
        }
}

/* ---- second predicates ---- */

/* Starts the program with all that its predicates can be. */
static void start_with(uint32_t guard, uint32_t also)
{
    machine_start(&M, 0);
    M.warp.pred[P_GUARD] = guard;
    M.warp.pred[P_ALSO] = also;
}

TEST(bra_takes_lanes_of_both_predicates)
{
    for (unsigned how = 0; how < 4; how++) {
        machine_init(&M, ARCH_VOLTA);
        unsigned at = put(ISA_BRA, P_GUARD | (how & 1 ? PRED_NOT : 0),
                          P_ALSO | (how & 2 ? PRED_NOT : 0), 0);

        count(1);
        land(at);
        plain(ISA_EXIT);
        EACH(guard)
        EACH(also)
        {
            uint32_t both =
                (how & 1 ? ~guard : guard) & (how & 2 ? ~also : also);

            start_with(guard, also);
            run();
            for (unsigned l = 0; l < ISA_WARP; l++)
                CHECK_EQ(M.reg[R_COUNT][l], !(both >> l & 1));
        }
    }
}

TEST(exit_ends_lanes_of_both_predicates)
{
    machine_init(&M, ARCH_VOLTA);
    put(ISA_EXIT, P_GUARD, P_ALSO, 0);
    count(1);
    note_active();
    plain(ISA_EXIT);
    EACH(guard)
    EACH(also)
    {
        uint32_t stay = ~(guard & also);

        start_with(guard, also);
        run();
        for (unsigned l = 0; l < ISA_WARP; l++) {
            CHECK_EQ(M.reg[R_COUNT][l], stay >> l & 1);
            CHECK_EQ(M.reg[R_ACTIVE][l], stay >> l & 1 ? stay : 0);
        }
    }
}

TEST(break_takes_lanes_of_both_predicates_out)
{
    isa_inst in = isa_new(ISA_BMOVS);

    machine_init(&M, ARCH_VOLTA);
    plain(ISA_BSSY);
    put(ISA_BREAK, P_GUARD, P_ALSO, 0);
    in.dst = R_PART;
    machine_put(&M, in);
    plain(ISA_EXIT);
    EACH(guard)
    EACH(also)
    {
        uint32_t both = guard & also;

        start_with(guard, also);
        run();
        for (unsigned l = 0; l < ISA_WARP; l++)
            CHECK_EQ(M.reg[R_PART][l], both >> l & 1 ? 0 : ~both);
    }
}

/* Those for which it does not hold go on alone; the others once they come. */
TEST(bsync_holds_lanes_of_both_predicates)
{
    machine_init(&M, ARCH_VOLTA);
    plain(ISA_BSSY);
    put(ISA_BSYNC, P_GUARD, P_ALSO, 0);
    note_active();
    count(1);
    plain(ISA_BSYNC);
    count(1);
    plain(ISA_EXIT);
    EACH(guard)
    EACH(also)
    {
        uint32_t both = guard & also;

        start_with(guard, also);
        run();
        for (unsigned l = 0; l < ISA_WARP; l++) {
            CHECK_EQ(M.reg[R_ACTIVE][l], both >> l & 1 ? both : ~both);
            CHECK_EQ(M.reg[R_COUNT][l], 2);
        }
    }
}

/* ---- BRA.DIV and BRA.CONV ---- */

/* Lanes of P_DEAD end, those of P_SPLIT part from the others; then both parts
 * jump over an addition, or do not. */
static void parted(isa_op op, unsigned also, bool complement)
{
    isa_inst in = isa_new(op);
    unsigned at, meet;

    machine_init(&M, ARCH_VOLTA);
    put(ISA_EXIT, P_DEAD, ISA_PT, 0);
    meet = plain(ISA_BSSY);
    at = put(ISA_BRA, P_SPLIT, ISA_PT, 0);
    plain(ISA_NOP);
    land(at);
    in.src_kind[1] = SRC_REG;
    in.src[1] = R_MASK;
    in.src_mod[1] = complement ? SRC_NOT : 0;
    in.psrc[0] = (uint8_t)also;
    at = M.kernel.code_count;
    machine_put(&M, in);
    count(1);
    land(at);
    land(meet);
    plain(ISA_BSYNC);
    plain(ISA_EXIT);
}

static void try_parted(bool div, bool tells, bool complement, uint32_t split,
                       uint32_t dead)
{
    uint32_t live = ~dead, also = 0x3c3c3c3c;

    EACH(mask)
    {
        machine_start(&M, 0);
        M.warp.pred[P_SPLIT] = split;
        M.warp.pred[P_DEAD] = dead;
        M.warp.pred[P_ALSO] = also;
        for (unsigned l = 0; l < ISA_WARP; l++)
            M.reg[R_MASK][l] = complement ? ~mask : mask;
        run();
        for (unsigned l = 0; l < ISA_WARP; l++) {
            uint32_t part = (split >> l & 1 ? split : ~split) & live;
            bool together = part == (mask & live);
            bool jumps = together != div || (tells && also >> l & 1);

            CHECK_EQ(M.reg[R_COUNT][l], live >> l & 1 && !jumps);
        }
    }
}

TEST(lanes_that_are_not_those_of_the_mask_jump)
{
    for (unsigned how = 0; how < 8; how++) {
        parted(how & 1 ? ISA_BRADIV : ISA_BRACONV, how & 2 ? P_ALSO : ISA_PT,
               how & 4);
        EACH(split)
        EACH(dead)
        try_parted(how & 1, how & 2, how & 4, split, dead);
    }
}

/* ---- WARPSYNC ---- */

/* Masks that divide the warp, by how. */
static uint32_t mask_of(unsigned lane, unsigned how)
{
    unsigned size = 1u << how % 6;
    uint32_t mask = 0;

    for (unsigned l = 0; l < ISA_WARP; l++)
        if (how < 6 ? l / size == lane / size : l % size == lane % size)
            mask |= 1u << l;
    return mask;
}

/* Lanes part by P_SPLIT, so that some wait for some of the other side. */
TEST(lanes_wait_for_those_of_their_own_mask)
{
    unsigned at;

    machine_init(&M, ARCH_VOLTA);
    at = put(ISA_BRA, P_SPLIT, ISA_PT, 0);
    count(0x100);
    land(at);
    wait_for(SRC_REG);
    note_active();
    count(1);
    wait_for(SRC_IMM);
    count(1);
    plain(ISA_EXIT);
    for (unsigned how = 0; how < 12; how++)
        EACH(split)
        {
            machine_start(&M, 0);
            M.warp.pred[P_SPLIT] = split;
            for (unsigned l = 0; l < ISA_WARP; l++)
                M.reg[R_MASK][l] = mask_of(l, how);
            run();
            for (unsigned l = 0; l < ISA_WARP; l++) {
                CHECK_EQ(M.reg[R_COUNT][l], split >> l & 1 ? 2 : 0x102);
                CHECK_EQ(M.reg[R_ACTIVE][l] & mask_of(l, how), mask_of(l, how));
            }
        }
}

/* A guard that some lanes fail: those do not wait. */
TEST(lanes_of_a_guard_wait_for_their_own_mask)
{
    isa_inst in = isa_new(ISA_WARPSYNC);

    machine_init(&M, ARCH_VOLTA);
    in.guard = P_GUARD;
    in.src_kind[1] = SRC_REG;
    in.src[1] = R_MASK;
    machine_put(&M, in);
    count(1);
    plain(ISA_EXIT);
    for (unsigned how = 0; how < 12; how++)
        EACH(guard)
        {
            machine_start(&M, 0);
            M.warp.pred[P_GUARD] = guard;
            for (unsigned l = 0; l < ISA_WARP; l++)
                M.reg[R_MASK][l] = mask_of(l, how) & guard;
            run();
            for (unsigned l = 0; l < ISA_WARP; l++)
                CHECK_EQ(M.reg[R_COUNT][l], 1);
        }
}

/* Where lanes wait for none they stay together, whatever the masks. */
TEST(before_volta_masks_part_nobody)
{
    machine_init(&M, ARCH_KEPLER);
    wait_for(SRC_REG);
    note_active();
    plain(ISA_EXIT);
    machine_start(&M, 0);
    for (unsigned l = 0; l < ISA_WARP; l++)
        M.reg[R_MASK][l] = 1u << l;
    run();
    CHECK_EQ(M.warp.executed, 3);
    for (unsigned l = 0; l < ISA_WARP; l++)
        CHECK_EQ(M.reg[R_ACTIVE][l], UINT32_MAX);
}
