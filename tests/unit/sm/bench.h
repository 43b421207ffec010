/* tests/unit/sm/bench.h - a hazard policy and a few instructions. */
#ifndef SM_BENCH_H
#define SM_BENCH_H

#include "config/config.h"
#include "isa/program.h"
#include "sm/decode.h"
#include "sm/hazard/hazard.h"
#include "test.h"

enum { BENCH_INSTS = 16 };

/* A hazard policy and instructions, without an SM around them. */
typedef struct bench {
    config cfg;
    sm_hazard *h;
    sm_decoded code;
    isa_kernel kernel;
    isa_inst inst[BENCH_INSTS];
    sm_stats st;
} bench;

/* With the configuration that b->cfg already is. */
static inline void bench_start(bench *b, const isa_inst *inst, unsigned n)
{
    CHECK(n <= BENCH_INSTS);
    memcpy(b->inst, inst, n * sizeof *inst);
    for (unsigned i = 0; i < n; i++)
        isa_finish(&b->inst[i]);
    b->kernel.code = b->inst;
    b->kernel.code_count = n;
    sm_decode_load(&b->code, &b->cfg, &b->kernel, ARCH_FERMI, 0);
    b->h = sm_hazard_new(&b->cfg, &b->st);
    CHECK(b->h);
}

static inline void bench_init(bench *b, const isa_inst *inst, unsigned n)
{
    memset(b, 0, sizeof *b);
    config_defaults(&b->cfg);
    bench_start(b, inst, n);
}

static inline void bench_fini(bench *b)
{
    b->h->ops->free(b->h);
    sm_decode_fini(&b->code);
}

static inline sm_why ask(const bench *b, unsigned warp, unsigned i)
{
    return b->h->ops->check(b->h, warp, &b->code.inst[i]);
}

static inline isa_inst op3(isa_op op, unsigned d, unsigned a, unsigned b)
{
    isa_inst in = isa_new(op);

    in.dst = (uint8_t)d;
    in.src[0] = (uint8_t)a;
    in.src[1] = (uint8_t)b;
    in.src_kind[0] = in.src_kind[1] = SRC_REG;
    return in;
}

#endif
