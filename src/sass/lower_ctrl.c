/* src/sass/lower_ctrl.c - jumps, convergence, barriers; lanes, special
 * registers; tensor cores. */
#include "sass/lower.h"

#include <string.h>

#include "isa/program.h"

/* Where what stands behind the instruction begins, in bytes. */
static int64_t behind(const sass_lowering *l)
{
    return ((int64_t)l->index + 1) * SASS_BYTES;
}

static int64_t jump_to(const sass_lowering *l)
{
    return behind(l) + sass_jump_bytes(sass_table_sm(l->t), l->w);
}

uint32_t sass_jump_target(sass_lowering *l)
{
    int64_t to = jump_to(l);

    if (to < 0 || to % SASS_BYTES || to / SASS_BYTES > INT32_MAX)
        sass_refuse(l, "a jump that leaves the code");
    return (uint32_t)(to / SASS_BYTES);
}

/* Most instructions have a second predicate that nothing uses. */
static void refuse_condition(sass_lowering *l)
{
    if (l->in.psrc[0] != ISA_PT)
        sass_refuse(l, "a second predicate");
    l->in.psrc[0] = ISA_PT;
}

void sass_lower_BRA(sass_lowering *l)
{
    enum { NOTHING, UNIFORM, DIV, CONV };
    unsigned kind = sass_value(l, "brau");

    if (kind <= UNIFORM)
        return;
    l->in.op = kind == DIV ? ISA_BRADIV : ISA_BRACONV; /* of all lanes */
    l->in.src_kind[1] = SRC_REG;
    l->in.src_mod[1] = SRC_NOT;
    sass_lower_BRADIV(l);
}

/* Lanes of its guard branch even where all run together: so the slow way is
 * taken where masks differ by lane; without one, only those that have parted
 * do. Found by what the compiler does for votes under masks of lanes' own. */
void sass_lower_BRADIV(sass_lowering *l)
{
    refuse_condition(l);
    l->in.psrc[0] = l->in.guard;
    l->in.guard = ISA_PT;
}

void sass_lower_BRAANY(sass_lowering *l)
{
    refuse_condition(l);
    if (sass_value(l, "brau") != 1)
        sass_refuse(l, "a branch of any lane that is not uniform");
    l->in.psrc[0] = l->in.guard;
    l->in.guard = ISA_PT;
}

/* To a register and `offset` bytes. */
static void jump_to_register(sass_lowering *l, unsigned reg, int64_t offset)
{
    l->in.op = ISA_BRXB;
    l->in.src_kind[0] = SRC_REG;
    l->in.src[0] = (uint8_t)reg;
    l->in.val[0] = (uint32_t)offset;
}

static unsigned register_a(const sass_lowering *l)
{
    return (unsigned)sass_get(l->w, 24, 8);
}

void sass_lower_BRX(sass_lowering *l)
{
    refuse_condition(l);
    jump_to_register(l, register_a(l), jump_to(l));
}

void sass_lower_BRXU(sass_lowering *l)
{
    refuse_condition(l);
    jump_to_register(l, SASS_RZ, jump_to(l));
    l->in.uaddr = (uint8_t)(sass_get(l->w, 24, 6) + 1);
}

/* Who calls has put the way back into registers. */
void sass_lower_CALL(sass_lowering *l)
{
    refuse_condition(l);
    switch (l->e->row->code) {
    case 0x343: /* absolute, a register at 39..32 */
        jump_to_register(l, register_a(l), 0);
        break;
    case 0x344:
        jump_to_register(l, register_a(l), jump_to(l));
        break;
    case 0x943:
        l->in.op = ISA_BRA;
        l->in.val[0] = (uint32_t)(sass_get(l->w, 32, 32) / SASS_BYTES);
        break;
    default:
        l->in.op = ISA_BRA;
    }
}

void sass_lower_RET(sass_lowering *l)
{
    int64_t bytes = sass_jump_bytes(sass_table_sm(l->t), l->w);
    bool absolute = sass_value(l, "jump");

    jump_to_register(l, register_a(l), absolute ? bytes : behind(l) + bytes);
}

/* Its own address, which compilers subtract again; from 9.0 on that of a place
 * behind it. */
void sass_lower_LEPC(sass_lowering *l)
{
    bool new = sass_table_sm(l->t) >= 90;

    l->in.src_kind[0] = l->in.src_kind[1] = SRC_REG;
    l->in.src_kind[2] = SRC_IMM;
    l->in.val[2] = (uint32_t)(behind(l) + (new ? (int64_t)sass_get(l->w, 24, 8)
                                               : -(int64_t)SASS_BYTES));
}

void sass_lower_EXIT(sass_lowering *l)
{
    if (sass_value(l, "exit"))
        sass_refuse(l, "an exit of this kind");
}

void sass_lower_BSSY(sass_lowering *l)
{
    int64_t to = behind(l) + sass_get_signed(l->w, 34, 30) * 4;

    refuse_condition(l);
    if (to < 0 || to % SASS_BYTES)
        sass_refuse(l, "a place to meet that is not in the code");
    l->in.val[0] = (uint32_t)(to / SASS_BYTES);
}

void sass_lower_BSYNC(sass_lowering *l) { (void)l; }

void sass_lower_BMOV(sass_lowering *l)
{
    if (sass_value(l, "PQUAD"))
        sass_refuse(l, "convergence of lanes by four");
}

/* A number at 63..32 in the place of source B. */
static void number_as_b(sass_lowering *l)
{
    l->in.src_kind[1] = SRC_IMM;
    l->in.val[1] = (uint32_t)sass_get(l->w, 32, 32);
}

void sass_lower_UMOV(sass_lowering *l) { number_as_b(l); }

/* Lanes that a branch has parted do together what stands behind it. */
void sass_lower_COLLECTIVE(sass_lowering *l)
{
    refuse_condition(l);
    l->in.val[0] = 0; /* where that ends */
    l->in.src_kind[1] = SRC_REG;
    l->in.src[1] = (uint8_t)register_a(l);
    if (l->e->row->code == 0x348)
        return;
    l->in.src_kind[1] = SRC_IMM; /* .ALL */
    l->in.src[1] = ISA_RZ;
    l->in.val[1] = UINT32_MAX;
}

void sass_lower_WARPSYNC(sass_lowering *l)
{
    refuse_condition(l);
    if (l->e->row->code != 0x948)
        return;
    number_as_b(l);
    if (sass_table_sm(l->t) >= 90) /* .ALL */
        l->in.val[1] = UINT32_MAX;
}

/* Others may run first. */
void sass_lower_YIELD(sass_lowering *l)
{
    refuse_condition(l);
    l->in.op = ISA_YIELD;
}

void sass_lower_NANOSLEEP(sass_lowering *l)
{
    refuse_condition(l);
    if (l->e->row->code == 0x95d)
        number_as_b(l);
}

void sass_lower_TRAP(sass_lowering *l) { (void)l; }

/* ---- barriers ---- */

void sass_lower_BAR(sass_lowering *l)
{
    static const uint16_t kinds[4] = {ISA_BARPOPC, ISA_BARAND, ISA_BAROR,
                                      ISA_BARPOPC};
    unsigned count = (unsigned)sass_get(l->w, 42, 12);

    if (l->in.op == ISA_BARPOPC)
        l->in.op = kinds[sass_value(l, "barred") & 3];
    l->in.src_mod[1] = 0;
    switch (l->e->row->code) {
    case 0x91d: /* threads in a register */
        l->in.lut = (uint8_t)sass_get(l->w, 54, 4);
        return;
    case 0x31d: /* both in one register */
        l->in.src_kind[0] = l->in.src_kind[1] = SRC_REG;
        l->in.src[0] = l->in.src[1] = (uint8_t)sass_get(l->w, 32, 8);
        return;
    case 0x51d: /* its number in a register */
        l->in.src_kind[0] = SRC_REG;
        l->in.src[0] = (uint8_t)sass_get(l->w, 32, 8);
        l->in.src_kind[1] = SRC_NONE;
        l->in.src[1] = ISA_RZ;
        break;
    default:
        l->in.lut = (uint8_t)sass_get(l->w, 54, 4);
    }
    if (count) {
        l->in.src_kind[1] = SRC_IMM;
        l->in.val[1] = count;
    }
}

/* Waits for copies to shared memory, which count on a scoreboard; so do bulk
 * stores. */
void sass_lower_DEPBAR(sass_lowering *l)
{
    l->in.lut = (uint8_t)sass_get(l->w, 38, 6);
    ISA_PUT(&l->in, TBULK, sass_table_sm(l->t) >= 90);
}

/* ---- lanes and special registers ---- */

void sass_lower_SHFL(sass_lowering *l)
{
    bool lane_number = l->e->row->code & 0x800,
         limit_number = l->e->row->code & 0x400;

    if (l->e->row->code == 0x989)
        limit_number = false;
    if (lane_number) {
        l->in.src_kind[1] = SRC_IMM;
        l->in.val[1] = (uint32_t)sass_get(l->w, 53, 5);
    }
    if (limit_number) {
        l->in.src_kind[2] = SRC_IMM;
        l->in.val[2] = (uint32_t)sass_get(l->w, 40, 13);
    }
}

void sass_lower_MATCH(sass_lowering *l)
{
    ISA_PUT(&l->in, MATCHOP, !sass_get(l->w, 79, 1));
}

void sass_lower_REDUX(sass_lowering *l)
{
    static const uint8_t ops[8] = {REDUX_AND, REDUX_OR,  REDUX_XOR, REDUX_SUM,
                                   REDUX_MIN, REDUX_MAX, 0,         0};

    ISA_PUT(&l->in, REDUXOP, ops[sass_value(l, "redux")]);
    ISA_PUT(&l->in, U32, !sass_value(l, "s32"));
}

void sass_lower_R2UR(sass_lowering *l) { (void)l; }

/* Tells lanes that have another value, which then wait for their turn: so code
 * goes through values that differ, with a jump of all behind it. */
void sass_lower_R2URP(sass_lowering *l)
{
    if (l->in.pdst[0] == ISA_PT)
        l->in.op = ISA_R2UR;
    else
        l->in.psrc[0] = sass_value(l, "OR") ? l->in.pdst[0] : ISA_PT | PRED_NOT;
}

/* Bank 0 has the address of the window of shared memory, too, in all layouts of
 * real GPUs (runtime/bank0.def). */
static void load_window(sass_lowering *l)
{
    enum { WINDOW_HIGH = 0x1c };

    l->in.op = l->in.op == ISA_S2UR ? ISA_ULDC : ISA_LDC;
    l->in.src_kind[0] = SRC_REG;
    l->in.src[0] = ISA_RZ;
    l->in.val[0] = WINDOW_HIGH;
    l->in.lut = CBANK_PARAM;
}

void sass_lower_S2R(sass_lowering *l)
{
    if (l->in.op != ISA_CS2R) {
        if (sass_get(l->w, 72, 8) == SASS_SHARED_WINDOW_HIGH)
            load_window(l);
        return;
    }
    if (!sass_value(l, "cs2r")) {
        l->in.op = ISA_CS2R32;
        return;
    }
    if (l->in.lut == SR_ZERO) { /* a pair of zeros takes no way round */
        l->in.op = ISA_IMADW;
        l->in.lut = 0;
        for (unsigned i = 0; i < 3; i++)
            l->in.src_kind[i] = SRC_REG;
        return;
    }
    if (l->in.lut == SR_CLOCKLO)
        l->in.lut = SR_CLOCK64;
    else if (l->in.lut == SR_TIMERLO)
        l->in.lut = SR_TIMER;
}

/* ---- tensor cores ---- */

void sass_lower_HMMA884(sass_lowering *l)
{
    ISA_PUT(&l->in, MMAD, !sass_get(l->w, 76, 1));
    ISA_PUT(&l->in, MMAC, !sass_get(l->w, 78, 1));
    ISA_PUT(&l->in, LAYA, sass_get(l->w, 73, 1));
    ISA_PUT(&l->in, LAYB, !sass_get(l->w, 74, 1));
}

void sass_lower_HMMA(sass_lowering *l)
{
    bool k16 = sass_get(l->w, 75, 1), k4 = sass_get(l->w, 78, 1);

    ISA_PUT(&l->in, HSHAPE, k16 ? 1 : k4 ? 2 : 0);
    ISA_PUT(&l->in, MMAD, !sass_value(l, "f16f32"));
}

void sass_lower_IMMA(sass_lowering *l)
{
    bool four = sass_get(l->w, 83, 1), tall = sass_get(l->w, 86, 1);
    bool more = four ? sass_get(l->w, 85, 1) && tall : sass_get(l->w, 75, 1);
    unsigned shape =
        four ? (tall ? (more ? 4 : 3) : 1) : (tall ? (more ? 3 : 2) : 0);

    ISA_PUT(&l->in, ISHAPE, shape);
    ISA_PUT(&l->in, IFORMA,
            (four ? IFORM_S4 : IFORM_S8) + !sass_get(l->w, 76, 1));
    ISA_PUT(&l->in, IFORMB,
            (four ? IFORM_S4 : IFORM_S8) + !sass_get(l->w, 78, 1));
}

void sass_lower_DMMA(sass_lowering *l)
{
    if (sass_value(l, "rnd"))
        sass_refuse(l, "products of doubles that are rounded otherwise");
    for (unsigned i = 0; i < 3; i++)
        if (l->in.src_mod[i])
            sass_refuse(l, "negated matrices of doubles");
}
