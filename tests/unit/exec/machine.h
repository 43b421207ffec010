/* tests/unit/exec/machine.h - one warp to run single instructions and small
 * programs on, at every level of vector code this host has. */
#ifndef MACHINE_H
#define MACHINE_H

#include "exec/arrivals.h"
#include "exec/exec.h"
#include "exec/level.h"
#include "exec/plan.h"
#include "test.h"

enum { M_REGS = 64, M_CODE = 256, M_LOCAL = 64, M_SHARED = 4096 };

typedef struct machine {
    isa_inst code[M_CODE];
    isa_kernel kernel;
    exec_launch launch;
    exec_cta cta;
    exec_warp warp;
    uint32_t reg[M_REGS][ISA_WARP];
    uint8_t local[M_LOCAL * ISA_WARP], shared[M_SHARED];
    uint8_t cbank[CBANK_BYTES];
    exec_mem mem;
    exec_bar bar;
    exec_fault fault;
    mem_image *image;
    mem_view *view;
} machine;

static inline void machine_init(machine *m, isa_arch arch)
{
    memset(m, 0, sizeof *m);
    m->kernel.name = "k";
    m->kernel.code = m->code;
    m->kernel.registers = M_REGS;
    m->kernel.local_bytes = M_LOCAL;
    m->launch.kernel = &m->kernel;
    m->launch.arch = arch;
    for (unsigned d = 0; d < 3; d++)
        m->launch.grid[d] = m->launch.block[d] = 1;
    m->launch.block[0] = m->launch.threads = 32;
    m->launch.warps = 1;
    m->launch.shared_bytes = M_SHARED;
    m->launch.cbank[0] = m->cbank;
    m->cta.launch = &m->launch;
    m->cta.shared = m->shared;
    m->warp.reg = m->reg;
    m->warp.cta = &m->cta;
    m->warp.local = m->local;
}

static inline void machine_put(machine *m, isa_inst in)
{
    isa_finish(&in);
    m->code[m->kernel.code_count++] = in;
}

static inline void machine_memory(machine *m, bool direct)
{
    m->image = mem_image_new(1 << 20);
    m->view = mem_view_new(m->image, direct);
}

static inline void machine_fini(machine *m)
{
    exec_arrivals_free(&m->cta);
    mem_view_free(m->view);
    mem_image_free(m->image);
}

/* Puts the warp at the start again, at a level; registers become 0. */
static inline void machine_start(machine *m, unsigned level)
{
    exec_warp_start(&m->warp);
    m->warp.ops = exec_ops_level(level);
}

static inline exec_result machine_step(machine *m)
{
    exec_result r = exec_step(&m->warp, &m->mem, &m->bar, &m->fault);

    if (r == EXEC_MEM &&
        !exec_mem_perform(&m->warp, &m->mem, 7, m->view, &m->fault))
        return EXEC_FAULT;
    return r;
}

/* As machine_step, by a plan. */
static inline exec_result machine_run(machine *m, uint32_t insts)
{
    exec_turn t = {.most = insts,
                   .view = m->view,
                   .mem = &m->mem,
                   .bar = &m->bar,
                   .fault = &m->fault};

    m->warp.plan = exec_plan_new(&m->launch, m->warp.ops, m->view);
    exec_result r = exec_run(&m->warp, &t);
    exec_plan_free(m->warp.plan);
    m->warp.plan = NULL;
    if (r == EXEC_MEM &&
        !exec_mem_perform(&m->warp, &m->mem, 7, m->view, &m->fault))
        return EXEC_FAULT;
    return r;
}

#define EACH_LEVEL(level)                                                      \
    for (unsigned level = 0; exec_ops_name(level); level++)                    \
        if (exec_ops_level(level))

/* `in` is all there is, and lanes `mask` of a running machine stand there. */
static inline void machine_only(machine *m, isa_inst in, uint32_t mask)
{
    isa_finish(&in);
    m->code[0] = in;
    m->kernel.code_count = m->warp.code_count = 1;
    m->warp.simt.pc = 0;
    m->warp.simt.active = m->warp.simt.live = mask;
}

/* Executes `in` alone on lanes `mask` of a running machine. */
static inline exec_result machine_one(machine *m, isa_inst in, uint32_t mask)
{
    machine_only(m, in, mask);
    return machine_step(m);
}

static inline uint32_t bits_of_float(float f)
{
    uint32_t u;

    memcpy(&u, &f, 4);
    return u;
}

static inline float float_of_bits(uint32_t u)
{
    float f;

    memcpy(&f, &u, 4);
    return f;
}

static inline uint64_t bits_of_double(double d)
{
    uint64_t u;

    memcpy(&u, &d, 8);
    return u;
}

static inline double double_of_bits(uint64_t u)
{
    double d;

    memcpy(&d, &u, 8);
    return d;
}

/* Deterministic noise. */
static inline uint64_t noise(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* An instruction with register sources R8, R10, R12 (pairs) and destination
 * R16: what the tests of single operations use. */
enum { REG_A = 8, REG_B = 10, REG_C = 12, REG_D = 16 };

static inline isa_inst machine_inst(isa_op op, unsigned sources)
{
    isa_inst in = isa_new(op);

    in.dst = REG_D;
    for (unsigned i = 0; i < 3; i++)
        if (sources >> i & 1) {
            in.src_kind[i] = SRC_REG;
            in.src[i] = (uint8_t)(REG_A + 2 * i);
        }
    return in;
}

enum { SRC_A = 1, SRC_B = 2, SRC_C = 4 };

static inline void machine_set64(machine *m, unsigned reg, unsigned lane,
                                 uint64_t v)
{
    m->reg[reg][lane] = (uint32_t)v;
    m->reg[reg + 1][lane] = (uint32_t)(v >> 32);
}

static inline uint64_t machine_get64(const machine *m, unsigned reg,
                                     unsigned lane)
{
    return m->reg[reg][lane] | (uint64_t)m->reg[reg + 1][lane] << 32;
}

/* The result of one instruction on one set of operands, which must be the same
 * in all lanes and at all levels. */
static inline uint64_t machine_eval(machine *m, isa_inst in, uint64_t a,
                                    uint64_t b, uint64_t c)
{
    uint64_t d = 0;
    bool first = true;

    EACH_LEVEL(level)
    {
        machine_start(m, level);
        for (unsigned l = 0; l < ISA_WARP; l++) {
            machine_set64(m, REG_A, l, a);
            machine_set64(m, REG_B, l, b);
            machine_set64(m, REG_C, l, c);
        }
        m->warp.pred[0] = 0;
        m->warp.pred[1] = 0;
        CHECK_EQ(machine_one(m, in, UINT32_MAX), EXEC_DONE);
        for (unsigned l = 0; l < ISA_WARP; l++) {
            uint64_t v = machine_get64(m, REG_D, l);

            if (first)
                d = v;
            first = false;
            CHECK_EQ(v, d);
        }
        for (unsigned p = 0; p < ISA_PREDS; p++)
            CHECK(m->warp.pred[p] == 0 || m->warp.pred[p] == UINT32_MAX);
        CHECK_EQ(m->warp.pred[ISA_PT], UINT32_MAX);
    }
    return d;
}

#endif
