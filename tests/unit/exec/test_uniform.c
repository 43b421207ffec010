/* The uniform datapath: each operation gives what its namesake gives every
 * lane, whatever lanes are active; what goes between the files of registers. */
#include "isa/operand.h"
#include "machine.h"

static machine M;

enum { U_D = 20, U_A = 2, U_B = 4, U_C = 6 };

static uint64_t seed = 1;

static uint32_t random_word(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32) >> ((seed >> 24 & 3) * 8);
}

typedef struct pair {
    isa_op uniform, lanes;
} pair;

static const pair pairs[] = {
    {ISA_UMOV, ISA_MOV},       {ISA_UIADD3, ISA_IADD3},
    {ISA_UIADD3X, ISA_IADD3X}, {ISA_UIMAD, ISA_IMAD},
    {ISA_UIMADW, ISA_IMADW},   {ISA_UIMADWX, ISA_IMADWX},
    {ISA_UIMADHX, ISA_IMADHX}, {ISA_ULEAX, ISA_LEAX},
    {ISA_ULEAHIS, ISA_LEAHIS}, {ISA_UISETP, ISA_ISETP},
    {ISA_ULEA, ISA_LEA},       {ISA_ULEAHI, ISA_LEAHI},
    {ISA_ULOP3, ISA_LOP3},     {ISA_UPLOP3, ISA_PLOP3},
    {ISA_USHF_L, ISA_SHF_L},   {ISA_USHF_R, ISA_SHF_R},
    {ISA_UPRMT, ISA_PRMT},     {ISA_USEL, ISA_SEL},
    {ISA_UFLO, ISA_FLO},       {ISA_UPOPC, ISA_POPC},
    {ISA_UBREV, ISA_BREV},     {ISA_UBMSK, ISA_BMSK},
    {ISA_USGXT, ISA_SGXT},     {ISA_UP2UR, ISA_P2R},
    {ISA_UR2UP, ISA_R2P},      {ISA_USIGN, ISA_SIGN},
};

/* The operation of the lanes with something in every operand. */
static isa_inst fill(isa_op op)
{
    isa_operand o[ISA_OPERANDS_MAX];
    unsigned n = isa_operands(op, o);
    bool shifts =
        op == ISA_LEA || op == ISA_LEAX || op == ISA_LEAHI || op == ISA_LEAHIS;
    unsigned most = shifts ? 32 : op == ISA_P2R || op == ISA_R2P ? 128 : 256;
    isa_inst in = isa_new(op);

    for (isa_mod m = 0; m < ISA_MODS; m++) {
        size_t length;
        unsigned v;

        if (!(isa_table[op].mods >> m & 1))
            continue;
        do
            v = random_word() & ((1u << isa_mod_table[m].width) - 1);
        while (!isa_mod_text(m, v, &length));
        isa_mod_put(&in, m, v);
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned at = o[i].index;

        if (o[i].kind == OPND_NUM)
            in.lut = (uint8_t)(random_word() % most);
        if (o[i].kind == OPND_DST)
            in.dst = U_D;
        if (o[i].kind == OPND_PDST)
            in.pdst[at] = (uint8_t)(random_word() % 8);
        if (o[i].kind == OPND_PSRC)
            in.psrc[at] = (uint8_t)(random_word() % 16);
        if (o[i].kind != OPND_SRC)
            continue;
        in.src_kind[at] = SRC_REG;
        in.src[at] = random_word() % 8 ? (uint8_t)(U_A + 2 * at) : ISA_RZ;
        in.src_mod[at] = (uint8_t)(isa_operand_mods(op, &o[i]) & random_word());
        if (in.src_mod[at] & SRC_NEG) /* either this or a complement */
            in.src_mod[at] &= (uint8_t)~SRC_NOT;
        if (at == 1 && random_word() % 4 == 0) {
            in.src_kind[1] = SRC_IMM;
            in.src[1] = ISA_RZ;
            in.src_mod[1] = 0;
            in.val[1] = random_word();
        }
    }
    isa_finish(&in);
    return in;
}

/* The same bits in the uniform registers and in each lane's. */
static void set_all(void)
{
    for (unsigned r = 0; r < 24; r++) {
        M.warp.ureg[r] = random_word();
        for (unsigned l = 0; l < ISA_WARP; l++)
            M.reg[r][l] = M.warp.ureg[r];
    }
    M.warp.upred = (uint8_t)(1u << ISA_PT | (random_word() & 0x7f));
    for (unsigned p = 0; p < ISA_PREDS; p++)
        M.warp.pred[p] = M.warp.upred >> p & 1 ? UINT32_MAX : 0;
}

static void check_pair(const pair *p, uint32_t mask)
{
    isa_inst lanes = fill(p->lanes), uniform = lanes;
    uint32_t before[24], pred[ISA_PREDS + 1];

    uniform.op = (uint16_t)p->uniform;
    isa_finish(&uniform);
    CHECK(!isa_check(&uniform, ARCH_AMPERE));
    set_all();
    memcpy(before, M.warp.ureg, sizeof before);
    memcpy(pred, M.warp.pred, sizeof pred);
    CHECK_EQ(machine_one(&M, uniform, mask), EXEC_DONE);
    for (unsigned r = 0; r < 24; r++) /* nothing of the lanes has changed */
        for (unsigned l = 0; l < ISA_WARP; l++)
            CHECK_EQ(M.reg[r][l], before[r]);
    CHECK(!memcmp(M.warp.pred, pred, sizeof pred));
    CHECK_EQ(machine_one(&M, lanes, UINT32_MAX), EXEC_DONE);
    for (unsigned r = 0; r < 24; r++)
        if (M.warp.ureg[r] != M.reg[r][5])
            TEST_FAIL("%s: UR%u is %08x, not %08x", isa_table[p->uniform].text,
                      r, M.warp.ureg[r], M.reg[r][5]);
    for (unsigned i = 0; i <= ISA_PREDS; i++)
        CHECK_EQ(M.warp.upred >> i & 1, M.warp.pred[i] & 1);
    CHECK_EQ(M.warp.ureg[ISA_UREGS], 0);
}

TEST(each_operation_is_its_namesake_once)
{
    machine_init(&M, ARCH_AMPERE);
    EACH_LEVEL(level)
    for (size_t i = 0; i < COUNTOF(pairs); i++)
        for (unsigned n = 0; n < 200; n++) {
            machine_start(&M, level);
            check_pair(&pairs[i],
                       n % 3 ? random_word() | 1u << n % 32 : UINT32_MAX);
        }
}

TEST(sums_of_pairs_carry)
{
    isa_inst in = isa_new(ISA_UIADD3L);

    machine_init(&M, ARCH_AMPERE);
    machine_start(&M, 0);
    M.warp.ureg[4] = 0xffffffff;
    M.warp.ureg[5] = 7;
    in.dst = 8;
    in.src[0] = 4;
    in.src_kind[0] = SRC_REG;
    in.src_kind[1] = SRC_IMM;
    in.val[1] = 0x1000;
    isa_finish(&in);
    CHECK(!isa_check(&in, ARCH_AMPERE));
    CHECK_EQ(machine_one(&M, in, UINT32_MAX), EXEC_DONE);
    CHECK_EQ(M.warp.ureg[8], 0xfff);
    CHECK_EQ(M.warp.ureg[9], 8);
}

TEST(all_of_the_datapath_are_compared)
{
    /* but UIADD3.64, and SYNCS.EXCH.64, which stores */
    CHECK_EQ(COUNTOF(pairs) + 2, ISA_ULDC - ISA_UMOV);
}

TEST(a_uniform_guard_holds_for_the_warp)
{
    isa_inst in = isa_new(ISA_UMOV);

    in.dst = 3;
    in.src_kind[1] = SRC_IMM;
    in.val[1] = 77;
    machine_init(&M, ARCH_AMPERE);
    machine_start(&M, 0);
    M.warp.pred[1] = UINT32_MAX; /* the lanes' P1 is another */
    in.guard = 1;
    machine_one(&M, in, UINT32_MAX);
    CHECK_EQ(M.warp.ureg[3], 0);
    CHECK_EQ(M.warp.ran, 0);
    in.guard = 1 | PRED_NOT;
    machine_one(&M, in, 0xf0);
    CHECK_EQ(M.warp.ureg[3], 77);
    M.warp.upred |= 1u << 1;
    in.guard = 1;
    in.val[1] = 78;
    machine_one(&M, in, 1);
    CHECK_EQ(M.warp.ureg[3], 78);
}

TEST(the_first_active_lane_goes_to_a_uniform_register)
{
    isa_inst in = isa_new(ISA_R2UR);

    in.dst = 9;
    in.src_kind[0] = SRC_REG;
    in.src[0] = 3;
    machine_init(&M, ARCH_AMPERE);
    machine_start(&M, 0);
    for (unsigned l = 0; l < ISA_WARP; l++)
        M.reg[3][l] = 100 + l;
    machine_one(&M, in, 0xffffff00);
    CHECK_EQ(M.warp.ureg[9], 108);
    in.guard = 2; /* of the lanes */
    M.warp.pred[2] = 0xff000000;
    machine_one(&M, in, UINT32_MAX);
    CHECK_EQ(M.warp.ureg[9], 124);
}

TEST(whether_all_lanes_have_the_value_of_the_first)
{
    static const uint32_t masks[] = {UINT32_MAX, 0xffffff00, 0x80000000, 0x11};
    isa_inst in = isa_new(ISA_R2UR);

    in.dst = 9;
    in.pdst[0] = 3;
    in.src_kind[0] = SRC_REG;
    in.src[0] = 3;
    machine_init(&M, ARCH_AMPERE);
    for (unsigned n = 0; n < COUNTOF(masks); n++)
        for (unsigned other = 0; other < ISA_WARP; other++) {
            uint32_t mask = masks[n], bit = 1u << other;
            bool first = other == (unsigned)__builtin_ctz(mask);
            bool equal = !(mask & bit) || mask == bit;

            machine_start(&M, 0);
            for (unsigned l = 0; l < ISA_WARP; l++)
                M.reg[3][l] = l == other ? 6 : 5;
            M.warp.pred[3] = 0x5a5a5a5a;
            machine_one(&M, in, mask);
            CHECK_EQ(M.warp.ureg[9], first ? 6 : 5);
            CHECK_EQ(M.warp.pred[3], (equal ? mask : 0) | (0x5a5a5a5a & ~mask));
        }
}

TEST(reductions_are_uniform)
{
    static const uint32_t masks[] = {UINT32_MAX, 0xfffffff0, 0x80000000, 0x12};

    machine_init(&M, ARCH_AMPERE);
    for (unsigned n = 0; n < 4 * 6 * 2; n++) {
        isa_inst in = isa_new(ISA_UREDUX), lanes = isa_new(ISA_REDUX);
        uint32_t mask = masks[n % 4], sum = 0;

        in.dst = 9;
        lanes.dst = 4;
        in.src_kind[0] = lanes.src_kind[0] = SRC_REG;
        in.src[0] = lanes.src[0] = 3;
        ISA_PUT(&in, REDUXOP, n / 4 % 6);
        ISA_PUT(&in, U32, n / 24);
        lanes.mod = in.mod;
        CHECK(!isa_check(&in, ARCH_AMPERE));
        machine_start(&M, 0);
        for (unsigned l = 0; l < ISA_WARP; l++) {
            M.reg[3][l] = random_word() ^ (l & 1 ? UINT32_MAX : 0);
            sum += mask >> l & 1 ? M.reg[3][l] : 0;
        }
        machine_one(&M, in, mask);
        machine_one(&M, lanes, mask);
        CHECK_EQ(M.warp.ureg[9], M.reg[4][31 - __builtin_clz(mask)]);
        if (n / 4 % 6 == REDUX_SUM)
            CHECK_EQ(M.warp.ureg[9], sum);
    }
}

TEST(votes_are_uniform)
{
    isa_inst in = isa_new(ISA_VOTEU);

    in.dst = 9;
    in.pdst[0] = 4;
    in.psrc[0] = 1;
    machine_init(&M, ARCH_AMPERE);
    machine_start(&M, 0);
    M.warp.pred[1] = 0x0ff0;
    ISA_PUT(&in, VOTEOP, VOTE_ALL);
    machine_one(&M, in, 0xffff);
    CHECK_EQ(M.warp.ureg[9], 0x0ff0);
    CHECK_EQ(M.warp.upred >> 4 & 1, 0);
    machine_one(&M, in, 0x0180);
    CHECK_EQ(M.warp.ureg[9], 0x0180);
    CHECK_EQ(M.warp.upred >> 4 & 1, 1);
    ISA_PUT(&in, VOTEOP, VOTE_ANY);
    machine_one(&M, in, 0xf000);
    CHECK_EQ(M.warp.upred >> 4 & 1, 0);
}

TEST(special_registers_and_constants)
{
    isa_inst s = isa_new(ISA_S2UR), c = isa_new(ISA_ULDC);
    uint64_t wide = 0x1122334455667788u;

    machine_init(&M, ARCH_AMPERE);
    machine_start(&M, 0);
    M.cta.id[1] = 41;
    s.dst = 1;
    s.lut = SR_CTAID_Y;
    machine_one(&M, s, 0xf0);
    CHECK_EQ(M.warp.ureg[1], 41);
    s.lut = SR_LANEID;
    machine_one(&M, s, 0xf0);
    CHECK_EQ(M.warp.ureg[1], 4);

    memcpy(M.cbank + 0x168, &wide, 8);
    c.dst = 2;
    c.val[0] = 0x168;
    ISA_PUT(&c, SIZE, SIZE_64);
    machine_one(&M, c, 2);
    CHECK_EQ(M.warp.ureg[2], 0x55667788);
    CHECK_EQ(M.warp.ureg[3], 0x11223344);
    c.src_kind[0] = SRC_REG;
    c.src[0] = 5;
    c.val[0] = 0x100;
    M.warp.ureg[5] = 0x69;
    ISA_PUT(&c, SIZE, SIZE_U8);
    machine_one(&M, c, 2);
    CHECK_EQ(M.warp.ureg[2], 0x77);
    M.warp.ureg[5] = CBANK_BYTES;
    CHECK_EQ(machine_one(&M, c, 2), EXEC_FAULT);
    CHECK_EQ(M.fault.kind, FAULT_CONST_BOUNDS);
}

TEST(lanes_take_a_uniform_register)
{
    isa_inst in = machine_inst(ISA_IADD3, SRC_A | SRC_B | SRC_C);

    machine_init(&M, ARCH_AMPERE);
    EACH_LEVEL(level)
    {
        machine_start(&M, level);
        in.src_kind[1] = SRC_UREG;
        in.src[1] = 62;
        in.src_mod[1] = SRC_NEG;
        M.warp.ureg[62] = 7;
        for (unsigned l = 0; l < ISA_WARP; l++)
            M.reg[REG_A][l] = 1000 * l;
        machine_one(&M, in, 0xff);
        for (unsigned l = 0; l < ISA_WARP; l++)
            CHECK_EQ(M.reg[REG_D][l], l < 8 ? 1000 * l - 7 : 0);
    }
}

TEST(predicates_of_the_warp_go_to_the_lanes)
{
    isa_inst in = isa_new(ISA_PLOP3);

    in.lut = 0x80; /* and */
    in.pdst[0] = 0;
    in.psrc[0] = 1;
    in.psrc[2] = 3 | PRED_UNIFORM;
    machine_init(&M, ARCH_AMPERE);
    machine_start(&M, 0);
    M.warp.pred[1] = 0x12345678;
    M.warp.pred[3] = UINT32_MAX;
    machine_one(&M, in, UINT32_MAX);
    CHECK_EQ(M.warp.pred[0], 0);
    M.warp.upred |= 1u << 3;
    machine_one(&M, in, UINT32_MAX);
    CHECK_EQ(M.warp.pred[0], 0x12345678);
}

static uint64_t address_of(isa_inst in, uint32_t mask)
{
    isa_finish(&in);
    M.code[0] = in;
    M.kernel.code_count = M.warp.code_count = 1;
    M.warp.simt.pc = 0;
    M.warp.simt.active = M.warp.simt.live = mask;
    CHECK_EQ(exec_step(&M.warp, &M.mem, &M.bar, &M.fault), EXEC_MEM);
    return M.mem.addr[3];
}

TEST(a_uniform_register_adds_to_addresses)
{
    isa_inst in = isa_new(ISA_LDG);

    machine_init(&M, ARCH_AMPERE);
    machine_start(&M, 0);
    in.dst = 8;
    in.src_kind[0] = SRC_REG;
    in.src[0] = 2;
    in.val[0] = (uint32_t)-16;
    in.uaddr = 4 + 1;
    ISA_PUT(&in, EXT, 1);
    for (unsigned l = 0; l < ISA_WARP; l++) {
        M.reg[2][l] = 0xfffffff0 + l;
        M.reg[3][l] = 1;
    }
    M.warp.ureg[4] = 0x20;
    M.warp.ureg[5] = 0x7;
    CHECK_EQ(address_of(in, UINT32_MAX), 0x900000003u);
    in.uaddr |= UADDR_U32; /* the lane's part is R2 without a sign */
    CHECK_EQ(address_of(in, UINT32_MAX), 0x800000003u);
    in.uaddr = UADDR_U32;
    CHECK_EQ(address_of(in, UINT32_MAX), 0xffffffe3u);
    in.uaddr = 4 + 1;
    in.src[0] = ISA_RZ;
    CHECK_EQ(address_of(in, UINT32_MAX), 0x700000010u);
    in = isa_new(ISA_LDS);
    in.dst = 8;
    in.src_kind[0] = SRC_REG;
    in.src[0] = 2;
    in.uaddr = 4 + 1;
    CHECK_EQ(address_of(in, UINT32_MAX), 0x13u); /* modulo 2^32 */
}
