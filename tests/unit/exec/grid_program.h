/* tests/unit/exec/grid_program.h - a grid to run without timing, and its code,
 * one instruction after the other: for tests of whole grids. */
#ifndef GRID_PROGRAM_H
#define GRID_PROGRAM_H

#include "exec/functional.h"
#include "machine.h"

static machine M;
static uint64_t buf;
static exec_totals total;

static inline void begin(isa_arch arch, uint32_t ctas, uint32_t threads)
{
    machine_init(&M, arch);
    machine_memory(&M, true);
    buf = mem_alloc(M.image, 1 << 16, "buf");
    memcpy(M.cbank + 0x140, &buf, 8);
    M.launch.grid[0] = ctas;
    M.launch.block[0] = M.launch.threads = threads;
    M.launch.warps = (threads + 31) / 32;
    M.kernel.registers = 16;
}

static inline status go(const exec_limits *limits)
{
    status st = exec_run_grid(&M.launch, M.view, limits, &M.fault, &total);

    return st;
}

static inline uint32_t word(unsigned i)
{
    uint32_t v;

    memcpy(&v, mem_host(M.image, buf + 4 * i), 4);
    return v;
}

static inline isa_inst plain(isa_op op) { return isa_new(op); }

static inline isa_inst three(isa_op op, int d, int a, int b, int c)
{
    isa_inst in = isa_new(op);
    int src[3] = {a, b, c};

    in.dst = (uint8_t)d;
    for (unsigned i = 0; i < 3; i++)
        if (src[i] >= 0) {
            in.src_kind[i] = SRC_REG;
            in.src[i] = (uint8_t)src[i];
        }
    return in;
}

static inline void put(isa_inst in) { machine_put(&M, in); }

static inline void sreg(unsigned d, unsigned which)
{
    isa_inst in = isa_new(ISA_S2R);

    in.dst = (uint8_t)d;
    in.lut = (uint8_t)which;
    put(in);
}

static inline void mov_imm(unsigned d, uint32_t v)
{
    isa_inst in = isa_new(ISA_MOV);

    in.dst = (uint8_t)d;
    in.src_kind[1] = SRC_IMM;
    in.val[1] = v;
    put(in);
}

/* R4:R5 = &buf[R2] */
static inline void element(void)
{
    isa_inst in = three(ISA_IMADW, 4, 2, -1, -1);

    in.src_kind[1] = SRC_IMM;
    in.val[1] = 4;
    in.src_kind[2] = SRC_CONST;
    in.val[2] = 0x140;
    put(in);
}

static inline void store(unsigned reg)
{
    isa_inst in = three(ISA_STG, ISA_RZ, 4, (int)reg, -1);

    ISA_PUT(&in, EXT, 1);
    put(in);
}

static inline void setp(unsigned p, unsigned cmp, unsigned a, uint32_t v)
{
    isa_inst in = three(ISA_ISETP, ISA_RZ, (int)a, -1, -1);

    in.pdst[0] = (uint8_t)p;
    in.src_kind[1] = SRC_IMM;
    in.val[1] = v;
    ISA_PUT(&in, ICMP, cmp);
    ISA_PUT(&in, U32, 1);
    put(in);
}

static inline void guarded(isa_inst in, unsigned guard)
{
    in.guard = (uint8_t)guard;
    put(in);
}

/* R(d) = buf[R2] */
static inline void load(unsigned d)
{
    isa_inst in = three(ISA_LDG, (int)d, 4, -1, -1);

    ISA_PUT(&in, EXT, 1);
    put(in);
}

/* d = a + v */
static inline void add_imm(unsigned d, unsigned a, uint32_t v)
{
    isa_inst in = three(ISA_IADD3, (int)d, (int)a, -1, ISA_RZ);

    in.src_kind[1] = SRC_IMM;
    in.val[1] = v;
    put(in);
}

static inline void branch(unsigned guard, uint32_t to)
{
    isa_inst in = isa_new(ISA_BRA);

    in.val[0] = to;
    guarded(in, guard);
}

#endif
