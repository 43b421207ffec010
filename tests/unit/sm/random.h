/* tests/unit/sm/random.h - random programs: arithmetic, memory, divergence,
 * loops, barriers. */
#ifndef SM_RANDOM_H
#define SM_RANDOM_H

#include "base/rng.h"
#include "base/strbuf.h"
#include "isa/program.h"

enum { THREADS = 96, CTAS = 6, BYTES = 65536 };

typedef struct writer {
    rng r;
    strbuf b;
    bool volta;
    unsigned label;
} writer;

static inline unsigned reg(writer *w) { return 16 + rng_below(&w->r, 12); }

/* The first of `n` registers of a value. */
static inline unsigned regs(writer *w, unsigned n)
{
    return 16 + n * rng_below(&w->r, 12 / n);
}

/* Values of several registers, which need not come from memory. */
static inline void wide(writer *w)
{
    if (rng_below(&w->r, 2))
        strbuf_printf(&w->b, "IMAD.WIDE.U32 R%u, R%u, R%u, R%u\n", regs(w, 2),
                      reg(w), reg(w), regs(w, 2));
    else
        strbuf_printf(&w->b, "DADD R%u, R%u, R%u\n", regs(w, 2), regs(w, 2),
                      regs(w, 2));
}

static inline void simple(writer *w)
{
    static const char *const form[] = {
        "IADD3 R%u, R%u, R%u, R%u\n",
        "IMAD R%u, R%u, R%u, R%u\n",
        "LOP3.LUT R%u, R%u, R%u, R%u, 0x96\n",
        "FFMA R%u, R%u, R%u, R%u\n",
    };
    unsigned pick = rng_below(&w->r, 9);

    if (pick < 4)
        strbuf_printf(&w->b, form[pick], reg(w), reg(w), reg(w), reg(w));
    else if (pick == 4)
        strbuf_printf(&w->b, "MUFU.RCP R%u, R%u\n", reg(w), reg(w));
    else if (pick == 5)
        strbuf_printf(&w->b, "ISETP.LT.AND P%u, PT, R%u, R%u, PT\n",
                      rng_below(&w->r, 3), reg(w), reg(w));
    else if (pick == 6)
        strbuf_printf(&w->b, "@%sP%u IADD3 R%u, R%u, 0x%x, RZ\n",
                      rng_below(&w->r, 2) ? "!" : "", rng_below(&w->r, 3),
                      reg(w), reg(w), rng_below(&w->r, 1000));
    else if (pick == 7)
        wide(w);
    else
        strbuf_printf(&w->b, "SHFL.BFLY PT, R%u, R%u, 0x%x, R29\n", reg(w),
                      reg(w), 1u << rng_below(&w->r, 5));
}

/* Each thread has 256 bytes of its own in global memory (R4), 16 in shared
 * memory (R6, stride changes); counters that all add to are at R8. */
static inline void memory(writer *w)
{
    unsigned at = 4 * rng_below(&w->r, 4);

    switch (rng_below(&w->r, 11)) {
    case 0:
        strbuf_printf(&w->b, "LDG.E R%u, [R4+0x%x]\n", reg(w),
                      4 * rng_below(&w->r, 60));
        break;
    case 1:
        strbuf_printf(&w->b, "STG.E [R4+0x%x], R%u\n", 4 * rng_below(&w->r, 60),
                      reg(w));
        break;
    case 2:
        strbuf_printf(&w->b, "LDS R%u, [R6+0x%x]\n", reg(w), at);
        break;
    case 3:
        strbuf_printf(&w->b, "STS [R6+0x%x], R%u\n", at, reg(w));
        break;
    case 4:
        strbuf_printf(&w->b, "STL [0x%x], R%u\n", at, reg(w));
        break;
    case 5:
        strbuf_printf(&w->b, "LDL R%u, [0x%x]\n", reg(w), at);
        break;
    case 6:
        strbuf_printf(&w->b, "RED.E.ADD [R8+0x%x], R%u\n", at, reg(w));
        break;
    case 7:
        strbuf_printf(&w->b, "LDG.E.64 R%u, [R4+0x%x]\n", regs(w, 2),
                      8 * rng_below(&w->r, 30));
        break;
    case 8:
        strbuf_printf(&w->b, "LDG.E.128 R%u, [R4+0x%x]\n", regs(w, 4),
                      16 * rng_below(&w->r, 15));
        break;
    case 9:
        strbuf_printf(&w->b, "STG.E.128 [R4+0x%x], R%u\n",
                      16 * rng_below(&w->r, 15), regs(w, 4));
        break;
    default:
        strbuf_printf(&w->b, "MOV R%u, c[0x0][0x%x]\n", reg(w),
                      0x140 + 4 * rng_below(&w->r, 200));
    }
}

static inline void block(writer *w, unsigned depth);

/* Lanes part by a random predicate and meet again. */
static inline void diverge(writer *w, unsigned depth)
{
    unsigned l = w->label++, p = rng_below(&w->r, 3), n = depth;

    strbuf_printf(&w->b, "ISETP.GT.AND P%u, PT, R%u, R%u, PT\n", p, reg(w),
                  reg(w));
    if (w->volta)
        strbuf_printf(&w->b, "BSSY B%u, join%u\n", n, l);
    else
        strbuf_printf(&w->b, "SSY join%u\n", l);
    strbuf_printf(&w->b, "@P%u BRA else%u\n", p, l);
    block(w, depth + 1);
    if (w->volta)
        strbuf_printf(&w->b, "BRA join%u\nelse%u:\n", l, l);
    else
        strbuf_printf(&w->b, "SYNC\nelse%u:\n", l);
    block(w, depth + 1);
    if (w->volta)
        strbuf_printf(&w->b, "join%u:\nBSYNC B%u\n", l, n);
    else
        strbuf_printf(&w->b, "SYNC\njoin%u:\n", l);
}

static inline void loop(writer *w, unsigned depth)
{
    unsigned l = w->label++, counter = 40 + depth;

    strbuf_printf(&w->b, "MOV R%u, RZ\nloop%u:\n", counter, l);
    block(w, depth + 1);
    strbuf_printf(&w->b,
                  "IADD3 R%u, R%u, 0x1, RZ\n"
                  "ISETP.LT.AND P3, PT, R%u, 0x%x, PT\n@P3 BRA loop%u\n",
                  counter, counter, counter, 1 + rng_below(&w->r, 4), l);
}

static inline void block(writer *w, unsigned depth)
{
    unsigned n = 1 + rng_below(&w->r, 8);

    for (unsigned i = 0; i < n; i++) {
        unsigned kind = rng_below(&w->r, 12);
        if (kind == 0 && depth < 3)
            diverge(w, depth);
        else if (kind == 1 && depth < 3)
            loop(w, depth);
        else if (kind < 6)
            memory(w);
        else
            simple(w);
    }
}

static inline char *program(uint64_t seed, isa_arch arch)
{
    writer w = {.volta = arch == ARCH_VOLTA};
    unsigned base = cbank_param_base(arch);

    rng_init(&w.r, seed, "program");
    strbuf_printf(&w.b,
                  "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nMOV R2, 0x%x\n"
                  "IMAD R2, R1, R2, R0\nMOV R3, 0x100\n"
                  "IMAD.WIDE.U32 R4, R2, R3, c[0x0][0x%x]\n"
                  "MOV R3, 0x%x\nIMAD R6, R0, R3, RZ\n"
                  "MOV R29, 0x1f\nMOV R8, c[0x0][0x%x]\nMOV R9, c[0x0][0x%x]\n",
                  THREADS, base, 16 + 4 * rng_below(&w.r, 8), base + 8,
                  base + 12);
    for (unsigned i = 16; i < 28; i++)
        strbuf_printf(&w.b, "IMAD R%u, R2, R%u, R%u\n", i, i - 3 - i % 2,
                      i - 1);
    /* What the CTA before has left there is not the same in every run. */
    for (unsigned at = 0; at < 16; at += 4)
        strbuf_printf(&w.b, "STL [0x%x], RZ\nSTS [R6+0x%x], RZ\n", at, at);
    for (unsigned part = 0; part < 4; part++) {
        block(&w, 0);
        if (rng_below(&w.r, 2))
            strbuf_puts(&w.b, "BAR.SYNC 0x0\n");
        if (!rng_below(&w.r, 3))
            strbuf_puts(&w.b, "MEMBAR.GPU\n");
    }
    for (unsigned i = 16; i < 28; i++)
        strbuf_printf(&w.b, "STG.E [R4+0x%x], R%u\n", 4 * (i + 16), i);
    strbuf_puts(&w.b, "EXIT\n");
    return w.b.text;
}

#endif
