/* tests/unit/exec/lanes.h - a tiny assembler for programs whose lanes take
 * different ways. */
#ifndef LANES_H
#define LANES_H

#include "machine.h"

static machine M;

static isa_inst inst(isa_op op) { return isa_new(op); }

static void mov(unsigned d, uint32_t v)
{
    isa_inst in = inst(ISA_MOV);

    in.dst = (uint8_t)d;
    in.src_kind[1] = SRC_IMM;
    in.val[1] = v;
    machine_put(&M, in);
}

static void addi(unsigned d, unsigned a, uint32_t v)
{
    isa_inst in = inst(ISA_IADD3);

    in.dst = (uint8_t)d;
    in.src_kind[0] = SRC_REG;
    in.src[0] = (uint8_t)a;
    in.src_kind[1] = SRC_IMM;
    in.val[1] = v;
    in.src_kind[2] = SRC_REG;
    machine_put(&M, in);
}

/* P[p] = R[a] cmp v, unsigned */
static void cmpi(unsigned p, unsigned cmp, unsigned a, uint32_t v)
{
    isa_inst in = inst(ISA_ISETP);

    in.pdst[0] = (uint8_t)p;
    in.src_kind[0] = SRC_REG;
    in.src[0] = (uint8_t)a;
    in.src_kind[1] = SRC_IMM;
    in.val[1] = v;
    ISA_PUT(&in, ICMP, cmp);
    ISA_PUT(&in, U32, 1);
    ISA_PUT(&in, BOOL, BOOL_AND);
    machine_put(&M, in);
}

static unsigned here(void) { return M.kernel.code_count; }

static unsigned jump(isa_op op, unsigned guard, unsigned lut, uint32_t to)
{
    isa_inst in = inst(op);

    in.guard = (uint8_t)guard;
    in.lut = (uint8_t)lut;
    in.val[0] = to;
    machine_put(&M, in);
    return here() - 1;
}

static void land(unsigned at) { M.code[at].val[0] = here(); }

static void lane_id(unsigned d)
{
    isa_inst in = inst(ISA_S2R);

    in.dst = (uint8_t)d;
    in.lut = SR_LANEID;
    machine_put(&M, in);
}

static void begin(isa_arch arch)
{
    machine_init(&M, arch);
    lane_id(0);
}

/* Runs to the end; the number of warp instructions. */
static uint64_t run(void)
{
    exec_result r = EXEC_DONE;

    machine_start(&M, 0);
    for (unsigned n = 0; n < 2000000; n++) {
        r = machine_step(&M);
        if (r == EXEC_EXIT)
            break;
        CHECK(r == EXEC_DONE || r == EXEC_BARRIER || r == EXEC_MEM);
    }
    CHECK_EQ(r, EXEC_EXIT);
    CHECK_EQ(M.warp.simt.live, 0);
    return M.warp.executed;
}

static void region_begin(isa_arch arch, unsigned bar, unsigned *at)
{
    *at = jump(arch == ARCH_VOLTA ? ISA_BSSY : ISA_SSY, ISA_PT, bar, 0);
}

/* The end of a region: `at` is its beginning. */
static void region_end(isa_arch arch, unsigned bar, unsigned at)
{
    if (arch == ARCH_VOLTA) {
        land(at);
        jump(ISA_BSYNC, ISA_PT, bar, 0);
    } else {
        jump(ISA_SYNC, ISA_PT, 0, 0);
        land(at);
    }
}

static const isa_arch archs[] = {ARCH_FERMI, ARCH_KEPLER, ARCH_VOLTA};
#define EACH_ARCH(a)                                                           \
    for (unsigned a##_i = 0; a##_i < 3; a##_i++)                               \
        for (isa_arch a = archs[a##_i], a##_once = 1; a##_once; a##_once = 0)

#endif
