/* All levels of vector code give the same bits, for every operation, random
 * operands and every modifier, under full and partial masks; and lanes that do
 * not execute keep what they had. */
#include "isa/operand.h"
#include "machine.h"

static machine M;
static uint64_t seed;

static uint32_t operand(void)
{
    static const uint32_t hard[] = {
        0,          0x80000000, 1,          0x3f800000, 0x7f800000,
        0xff800000, 0x7fc00000, 0x7f7fffff, 0x00800000, 0x007fffff,
        0xffffffff, 0x3ff00000, 0x7ff00000, 0x7ff80000, 0x7c003c00};
    uint64_t r = noise(&seed);

    switch (r % 4) {
    case 0:
        return hard[(r >> 8) % (sizeof hard / sizeof *hard)];
    case 1: /* near one */
        return 0x3f000000 + (uint32_t)(r >> 40);
    case 2:
        return (uint32_t)(r >> 32) >> (r >> 8) % 32;
    default:
        return (uint32_t)(r >> 32);
    }
}

static isa_inst random_inst(isa_op op)
{
    isa_operand o[ISA_OPERANDS_MAX];
    isa_inst in = isa_new(op);
    unsigned n = isa_operands(op, o);

    for (isa_mod m = 0; m < ISA_MODS; m++) {
        size_t length;
        unsigned value;

        if (!(isa_table[op].mods >> m & 1))
            continue;
        do
            value =
                (unsigned)noise(&seed) & ((1u << isa_mod_table[m].width) - 1);
        while (!isa_mod_text(m, value, &length));
        isa_mod_put(&in, m, value);
    }
    in.lut = (uint8_t)noise(&seed);
    for (unsigned i = 0; i < n; i++)
        switch (o[i].kind) {
        case OPND_DST:
            in.dst = REG_D;
            break;
        case OPND_DST2:
            break;
        case OPND_PDST:
            in.pdst[o[i].index] = (uint8_t)(noise(&seed) % 8);
            break;
        case OPND_PSRC:
            in.psrc[o[i].index] = (uint8_t)(noise(&seed) % 16);
            break;
        case OPND_SRC:
            in.src_kind[o[i].index] = SRC_REG;
            in.src[o[i].index] = (uint8_t)(REG_A + 2 * o[i].index);
            in.src_mod[o[i].index] =
                isa_operand_mods(op, &o[i]) & (unsigned)noise(&seed);
            if (o[i].index == 1 && noise(&seed) % 4 == 0) {
                in.src_kind[1] = SRC_IMM;
                in.src_mod[1] = 0;
                in.val[1] = operand();
            }
            break;
        case OPND_SREG:
            in.lut %= ISA_SREGS;
            break;
        case OPND_REG:
        case OPND_MEM:
        case OPND_CMEM:
        case OPND_NUM:
        case OPND_BAR:
        case OPND_CONV:
        case OPND_TARGET:
            break;
        }
    if (op == ISA_LEA || op == ISA_LEAHI)
        in.lut %= 32;
    return in;
}

/* Where an operation can have other things than registers of its own: numbers,
 * constants, RZ, and the registers of the result. */
static void vary_sources(isa_inst *in)
{
    unsigned first = noise(&seed) % 3;

    for (unsigned k = 0; k < 3; k++) {
        unsigned i = (first + k) % 3;

        if (in->src_kind[i] != SRC_REG)
            continue;
        switch (noise(&seed) % 8) {
        case 0:
            in->src[i] = ISA_RZ;
            break;
        case 1:
            in->src[i] = REG_D;
            break;
        case 2:
            if (k || isa_table[in->op].class == ISA_CLASS_SHUFFLE)
                break; /* one in an instruction */
            in->src_kind[i] = SRC_CONST;
            in->val[i] = (uint32_t)(noise(&seed) % 64 * 8);
            break;
        default:
            break;
        }
    }
}

/* As code has them most, where plans know other bodies. */
static void simplify(isa_inst *in)
{
    static const uint8_t luts[] = {0xc0, 0xfc, 0x3c};

    if (in->op == ISA_ISETP) {
        ISA_PUT(in, EX, 0);
        ISA_PUT(in, BOOL, BOOL_AND);
        in->psrc[0] = ISA_PT;
    } else {
        in->pdst[0] = ISA_PT;
    }
    in->pdst[1] = ISA_PT;
    memset(in->src_mod, 0, sizeof in->src_mod);
    if (in->flags & ISA_F_FLOAT)
        in->mod = 0;
    if (in->op == ISA_LOP3)
        in->lut = luts[noise(&seed) % 3];
    if (in->src_kind[1] == SRC_IMM)
        in->val[1] = in->op == ISA_IMADW ? 1u << noise(&seed) % 32
                                         : (uint32_t)(noise(&seed) % 34);
}

/* Flow, memory and what has no result of its own. */
static bool skipped(isa_op op)
{
    return isa_table[op].flags &
               (ISA_F_BRANCH | ISA_F_CONVERGE | ISA_F_BARRIER | ISA_F_LOAD |
                ISA_F_STORE | ISA_F_FENCE) ||
           isa_table[op].class == ISA_CLASS_TENSOR || /* test_tensor.c */
           op == ISA_BPT || op == ISA_NANOSLEEP || op == ISA_MBWAIT ||
           op == ISA_CCTL || isa_is_uniform(op) || /* test_uniform.c */
           op == ISA_R2UR || op == ISA_VOTEU || op == ISA_S2UR;
}

static void compare(isa_op op)
{
    static uint32_t before[M_REGS][ISA_WARP], after[M_REGS][ISA_WARP];
    uint32_t preds[ISA_PREDS + 1], preds_after[ISA_PREDS + 1] = {0};
    isa_inst in = random_inst(op);
    uint32_t mask = noise(&seed) % 3 ? (uint32_t)noise(&seed) : UINT32_MAX;
    unsigned reference = UINT32_MAX;

    mask |= 1;
    for (unsigned r = 0; r < 24; r++)
        for (unsigned l = 0; l < ISA_WARP; l++)
            before[r][l] = operand();
    for (unsigned p = 0; p < ISA_PREDS; p++)
        preds[p] = (uint32_t)noise(&seed);
    preds[ISA_PT] = UINT32_MAX;
    EACH_LEVEL(level)
    {
        machine_start(&M, level);
        memcpy(M.reg, before, sizeof before);
        memcpy(M.warp.pred, preds, sizeof preds);
        CHECK_EQ(machine_one(&M, in, mask), EXEC_DONE);
        for (unsigned r = 0; r < M_REGS; r++)
            for (unsigned l = 0; l < ISA_WARP; l++)
                if (!(mask >> l & 1) || (r != REG_D && r != REG_D + 1))
                    CHECK_EQ(M.reg[r][l], before[r][l]);
        for (unsigned p = 0; p <= ISA_PREDS; p++)
            CHECK_EQ((M.warp.pred[p] ^ preds[p]) & ~mask, 0);
        CHECK_EQ(M.warp.pred[ISA_PT], UINT32_MAX);
        if (reference == UINT32_MAX) {
            reference = level;
            memcpy(after, M.reg, sizeof after);
            memcpy(preds_after, M.warp.pred, sizeof preds_after);
            continue;
        }
        for (unsigned l = 0; l < ISA_WARP; l++)
            if (M.reg[REG_D][l] != after[REG_D][l] ||
                M.reg[REG_D + 1][l] != after[REG_D + 1][l])
                TEST_FAIL("%s mod 0x%08x lane %u: %08x%08x, not %08x%08x",
                          isa_table[op].id, in.mod, l, M.reg[REG_D + 1][l],
                          M.reg[REG_D][l], after[REG_D + 1][l],
                          after[REG_D][l]);
        CHECK(!memcmp(preds_after, M.warp.pred, sizeof preds_after));
    }
}

TEST(levels_agree_on_every_operation)
{
    unsigned ops = 0;

    machine_init(&M, ARCH_VOLTA);
    M.launch.clock_khz = 1000;
    for (isa_op op = 0; op < ISA_COUNT; op++) {
        if (skipped(op))
            continue;
        ops++;
        for (unsigned n = 0; n < 400; n++) {
            seed = (uint64_t)op << 32 | n;
            compare(op);
        }
    }
    CHECK(ops > 60);
}

/* Step by step by a plan, as timed runs do. */
static exec_result step_planned(machine *m)
{
    m->warp.plan = exec_plan_new_steps(&m->launch, m->warp.ops);
    exec_result r = machine_step(m);
    exec_plan_free(m->warp.plan);
    m->warp.plan = NULL;
    return r;
}

/* Executed by a plan, it does the same. */
static void compare_planned(isa_op op)
{
    static uint32_t before[M_REGS][ISA_WARP], after[M_REGS][ISA_WARP];
    isa_inst in = random_inst(op);
    uint32_t mask = noise(&seed) % 2 ? (uint32_t)noise(&seed) : UINT32_MAX;

    vary_sources(&in);
    in.flags = isa_table[op].flags;
    if (noise(&seed) % 2)
        simplify(&in);
    in.guard = noise(&seed) % 4 ? ISA_PT : (uint8_t)(noise(&seed) % 16);
    EACH_LEVEL(level)
    {
        exec_result want;

        machine_start(&M, level);
        for (unsigned r = 0; r < 24; r++)
            for (unsigned l = 0; l < ISA_WARP; l++)
                M.reg[r][l] = operand();
        for (unsigned p = 0; p < ISA_PREDS; p++)
            M.warp.pred[p] = (uint32_t)noise(&seed);
        memcpy(before, M.reg, sizeof before);
        machine_only(&M, in, mask | 1);
        exec_warp start = M.warp;
        want = machine_step(&M);
        exec_warp stepped = M.warp;
        memcpy(after, M.reg, sizeof after);
        for (unsigned how = 0; how < 2; how++) {
            M.warp = start;
            memcpy(M.reg, before, sizeof before);
            CHECK_EQ(how ? step_planned(&M) : machine_run(&M, 1), want);
            if (memcmp(M.reg, after, sizeof after))
                TEST_FAIL("%s mod 0x%08x differs", isa_table[op].id, in.mod);
            CHECK(!memcmp(M.warp.pred, stepped.pred, sizeof stepped.pred));
            CHECK_EQ(M.warp.simt.pc, stepped.simt.pc);
            CHECK_EQ(M.warp.ran, stepped.ran);
            CHECK_EQ(M.warp.executed, stepped.executed);
        }
    }
}

TEST(plans_change_no_result)
{
    machine_init(&M, ARCH_VOLTA);
    machine_memory(&M, true);
    M.launch.clock_khz = 1000;
    seed = 7;
    for (unsigned i = 0; i < 512; i += 4) {
        uint32_t v = operand();

        memcpy(M.cbank + i, &v, 4);
    }
    for (isa_op op = 0; op < ISA_COUNT; op++)
        for (unsigned n = 0; n < 400 && !skipped(op); n++) {
            seed = (uint64_t)op << 32 | n;
            compare_planned(op);
        }
    machine_fini(&M);
}

/* Destination and source may be the same registers. */
TEST(results_may_replace_operands)
{
    machine_init(&M, ARCH_VOLTA);
    for (isa_op op = 0; op < ISA_COUNT; op++) {
        if (skipped(op) || op == ISA_R2P)
            continue;
        for (unsigned n = 0; n < 60; n++) {
            seed = (uint64_t)op << 32 | n;
            isa_inst in = random_inst(op);
            uint32_t want[2][ISA_WARP];

            EACH_LEVEL(level)
            for (unsigned same = 0; same < 4; same++) {
                in.dst = same ? (uint8_t)(REG_A + 2 * (same - 1)) : REG_D;
                if (isa_table[op].form[0] != 'd' &&
                    isa_table[op].form[0] != 'D')
                    continue;
                machine_start(&M, level);
                uint64_t again = seed;
                seed = 99 + n;
                for (unsigned r = REG_A; r < REG_A + 6; r++)
                    for (unsigned l = 0; l < ISA_WARP; l++)
                        M.reg[r][l] = operand();
                seed = again;
                machine_one(&M, in, UINT32_MAX);
                unsigned words = isa_table[op].form[0] == 'D' ? 2 : 1;
                if (!same)
                    memcpy(want, M.reg[REG_D], sizeof want);
                for (unsigned k = 0; k < words; k++)
                    CHECK(!memcmp(want[k], M.reg[in.dst + k], sizeof want[k]));
            }
        }
    }
}

/* Random lanes on few places, so that they meet. */
static isa_inst random_atomic(unsigned op, unsigned type)
{
    isa_inst in = isa_new(ISA_ATOMS);

    ISA_PUT(&in, ATOMOP, op);
    ISA_PUT(&in, ATYPE, type);
    in.dst = 36;
    in.src_kind[0] = in.src_kind[1] = in.src_kind[2] = SRC_REG;
    in.src[0] = REG_A;
    in.src[1] = 20;
    in.src[2] = op == ATOM_CAS ? 24 : ISA_RZ;
    for (unsigned l = 0; l < ISA_WARP; l++) {
        M.reg[REG_A][l] = (uint32_t)(noise(&seed) % 8 * 16);
        for (unsigned r = 20; r < 28; r++)
            M.reg[r][l] = noise(&seed) % 2 ? operand() : 0;
    }
    for (unsigned k = 0; k < 8 * 16; k += 4) {
        uint32_t v = noise(&seed) % 2 ? operand() : 0;
        memcpy(&M.shared[k], &v, 4);
    }
    return in;
}

/* Old values and memory: the same at all levels, for every type there is. */
TEST(levels_agree_on_atomics)
{
    static uint32_t want[4][ISA_WARP];
    static uint8_t memory[8 * 16];
    unsigned forms = 0;

    machine_init(&M, ARCH_VOLTA);
    for (unsigned op = 0; op <= ATOM_CAS; op++)
        for (unsigned type = 0; type <= ATYPE_B128; type++) {
            isa_inst in = random_atomic(op, type);
            bool first = true;

            isa_finish(&in);
            if (isa_check(&in, ARCH_VOLTA))
                continue;
            forms++;
            EACH_LEVEL(level)
            {
                machine_start(&M, level);
                seed = op << 8 | type;
                in = random_atomic(op, type);
                CHECK_EQ(machine_one(&M, in, 0xfffffff7), EXEC_MEM);
                if (first) {
                    memcpy(want, M.reg[36], sizeof want);
                    memcpy(memory, M.shared, sizeof memory);
                    first = false;
                }
                CHECK(!memcmp(want, M.reg[36], sizeof want));
                CHECK(!memcmp(memory, M.shared, sizeof memory));
            }
        }
    CHECK(forms > 50);
}
