/* tests/unit/codegen/random_program.h - PTX made at random: structured control
 * flow, bounded loops, guards, memory of each thread's own. The kernel `test`
 * has the parameters `in` (unused) and `out`: 256 bytes for each of THREADS
 * threads. */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include <stdarg.h>
#include <stdio.h>

#include "base/rng.h"
#include "base/strbuf.h"

enum { REGS = 12, WIDE = 6, PREDS = 6, THREADS = 64, OUT = 16 };

typedef struct gen {
    rng r;
    strbuf s;
    unsigned labels, depth, budget;
} gen;

static unsigned below(gen *g, unsigned n) { return rng_below(&g->r, n); }

static void say(gen *g, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void say(gen *g, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    strbuf_vprintf(&g->s, fmt, ap);
    va_end(ap);
}

static void guard(gen *g)
{
    if (below(g, 8) == 0)
        say(g, "@%s%%p%u ", below(g, 2) ? "!" : "", below(g, PREDS));
}

/* An operand of 32 bits. */
static const char *word(gen *g, char buf[24])
{
    static const int consts[] = {0, 1, -1, 2, 3, 5, 31, 255, 65535, 4096};

    if (below(g, 4) == 0)
        snprintf(buf, 24, "%d", consts[below(g, 10)]);
    else
        snprintf(buf, 24, "%%r%u", below(g, REGS));
    return buf;
}

static void arithmetic32(gen *g)
{
    static const char *const two[] = {
        "add.s32",    "sub.s32", "mul.lo.s32", "and.b32",
        "or.b32",     "xor.b32", "min.s32",    "max.u32",
        "shl.b32",    "shr.u32", "shr.s32",    "mul.hi.u32",
        "mul.hi.s32", "add.u32", "and.b32",    "mul24.lo.u32"};
    char a[24], b[24], c[24];
    unsigned d = below(g, REGS);

    guard(g);
    switch (below(g, 10)) {
    case 0:
        say(g, "mad.lo.s32 %%r%u, %s, %s, %s;\n", d, word(g, a), word(g, b),
            word(g, c));
        break;
    case 1:
        say(g, "selp.b32 %%r%u, %s, %s, %%p%u;\n", d, word(g, a), word(g, b),
            below(g, PREDS));
        break;
    case 2:
        say(g, "not.b32 %%r%u, %%r%u;\n", d, below(g, REGS));
        break;
    case 3:
        say(g, "cvt.u32.u64 %%r%u, %%d%u;\n", d, below(g, WIDE));
        break;
    case 4:
        say(g, "bfe.s32 %%r%u, %%r%u, %u, %u;\n", d, below(g, REGS),
            below(g, 34), below(g, 34));
        break;
    case 5:
        say(g, "lop3.b32 %%r%u, %s, %s, %s, %u;\n", d, word(g, a), word(g, b),
            word(g, c), below(g, 256));
        break;
    case 6:
        say(g, "mov.u32 %%r%u, %s;\n", d, word(g, a));
        break;
    default:
        say(g, "%s %%r%u, %s, %s;\n", two[below(g, 16)], d, word(g, a),
            word(g, b));
    }
}

static void arithmetic64(gen *g)
{
    static const char *const two[] = {"add.s64", "sub.s64", "mul.lo.s64",
                                      "and.b64", "or.b64",  "xor.b64",
                                      "min.s64", "max.u64"};
    unsigned d = below(g, WIDE);
    char a[24], b[24];

    guard(g);
    switch (below(g, 8)) {
    case 0:
        say(g, "cvt.%s %%d%u, %%r%u;\n", below(g, 2) ? "s64.s32" : "u64.u32", d,
            below(g, REGS));
        break;
    case 1:
        say(g, "mul.wide.%s %%d%u, %s, %s;\n", below(g, 2) ? "s32" : "u32", d,
            word(g, a), word(g, b));
        break;
    case 2:
        say(g, "mad.wide.%s %%d%u, %%r%u, %s, %%d%u;\n",
            below(g, 2) ? "s32" : "u32", d, below(g, REGS), word(g, b),
            below(g, WIDE));
        break;
    case 3:
        say(g, "%s %%d%u, %%d%u, %u;\n", below(g, 2) ? "shl.b64" : "shr.s64", d,
            below(g, WIDE), below(g, 66));
        break;
    case 4:
        say(g, "mov.b64 %%d%u, {%%r%u, %%r%u};\n", d, below(g, REGS),
            below(g, REGS));
        break;
    case 5:
        say(g, "selp.b64 %%d%u, %%d%u, %%d%u, %%p%u;\n", d, below(g, WIDE),
            below(g, WIDE), below(g, PREDS));
        break;
    default:
        say(g, "%s %%d%u, %%d%u, %%d%u;\n", two[below(g, 8)], d, below(g, WIDE),
            below(g, WIDE));
    }
}

static void predicate(gen *g)
{
    static const char *const cmp[] = {"lt", "le", "gt", "ge", "eq", "ne"};
    static const char *const how[] = {"and", "or", "xor"};
    unsigned d = below(g, PREDS);
    char a[24], b[24];

    switch (below(g, 5)) {
    case 0:
        say(g, "%s.pred %%p%u, %%p%u, %%p%u;\n", how[below(g, 3)], d,
            below(g, PREDS), below(g, PREDS));
        break;
    case 1:
        say(g, "not.pred %%p%u, %%p%u;\n", d, below(g, PREDS));
        break;
    case 2:
        say(g, "setp.%s.s64 %%p%u, %%d%u, %%d%u;\n", cmp[below(g, 6)], d,
            below(g, WIDE), below(g, WIDE));
        break;
    case 3:
        say(g, "setp.%s.%s.%s %%p%u|%%p%u, %s, %s, %s%%p%u;\n",
            cmp[below(g, 6)], how[below(g, 3)], below(g, 2) ? "s32" : "u32", d,
            (d + 1) % PREDS, word(g, a), word(g, b), below(g, 2) ? "!" : "",
            below(g, PREDS));
        break;
    default:
        say(g, "setp.%s.%s %%p%u, %s, %s;\n", cmp[below(g, 6)],
            below(g, 2) ? "s32" : "u32", d, word(g, a), word(g, b));
    }
}

/* Each thread has 16 words of its own in each space. */
static void memory(gen *g)
{
    static const char *const space[] = {"global", "shared", "local"};
    static const char *const base[] = {"%mine", "%tile", "%spot"};
    unsigned k = below(g, 3), r = below(g, REGS), at = 4 * below(g, OUT);

    guard(g);
    switch (below(g, 6)) {
    case 0:
        say(g, "ld.%s.u32 %%r%u, [%s+%u];\n", space[k], r, base[k], at);
        break;
    case 1:
        say(g, "st.%s.u32 [%s+%u], %%r%u;\n", space[k], base[k], at, r);
        break;
    case 2:
        say(g, "ld.%s.v2.u32 {%%r%u, %%r%u}, [%s+%u];\n", space[k], r,
            (r + 1) % REGS, base[k], at & ~7u);
        break;
    case 3:
        say(g, "st.%s.v4.u32 [%s+%u], {%%r%u, %%r%u, %%r%u, 7};\n", space[k],
            base[k], at & ~15u, r, below(g, REGS), below(g, REGS));
        break;
    case 4:
        say(g, "st.%s.u64 [%s+%u], %%d%u;\n", space[k], base[k], at & ~7u,
            below(g, WIDE));
        break;
    default:
        say(g, "ld.%s.%s %%r%u, [%s+%u];\n", space[k],
            below(g, 2) ? "u8" : "s16", r, base[k], at);
    }
}

static void block(gen *g, unsigned length);

static void branch(gen *g)
{
    unsigned l = g->labels++, p = below(g, PREDS);

    say(g, "@%s%%p%u bra E%u;\n", below(g, 2) ? "!" : "", p, l);
    block(g, 4);
    if (below(g, 2)) {
        say(g, "bra.uni F%u;\nE%u:\n", l, l);
        block(g, 3);
        say(g, "F%u:\n", l);
    } else {
        say(g, "E%u:\n", l);
    }
}

/* At most 5 rounds, less where a lane breaks out. */
static void loop(gen *g)
{
    unsigned l = g->labels++;

    say(g, "mov.u32 %%n%u, %u;\nL%u:\n", g->depth, below(g, 5), l);
    block(g, 4);
    if (below(g, 3) == 0)
        say(g, "@%%p%u bra X%u;\n", below(g, PREDS), l);
    if (below(g, 3) == 0)
        say(g, "@%%p%u bra C%u;\n", below(g, PREDS), l);
    block(g, 3);
    say(g, "C%u:\nsub.s32 %%n%u, %%n%u, 1;\n", l, g->depth, g->depth);
    say(g, "setp.ge.s32 %%q, %%n%u, 0;\n@%%q bra L%u;\nX%u:\n", g->depth, l, l);
}

static void divide(gen *g)
{
    static const char *const op[] = {"div.u32", "rem.u32", "div.s32",
                                     "rem.s32"};
    unsigned k = below(g, 8);

    guard(g);
    if (k < 4)
        say(g, "%s %%r%u, %%r%u, %%r%u;\n", op[k], below(g, REGS),
            below(g, REGS), below(g, REGS));
    else
        say(g, "%s.%s %%d%u, %%d%u, %%d%u;\n", k & 1 ? "div" : "rem",
            k & 2 ? "u64" : "s64", below(g, WIDE), below(g, WIDE),
            below(g, WIDE));
}

static void statement(gen *g)
{
    unsigned k = below(g, 20);

    if (g->budget)
        g->budget--;
    if (k < 7 || !g->budget)
        arithmetic32(g);
    else if (k < 11)
        arithmetic64(g);
    else if (k < 14)
        predicate(g);
    else if (k < 17)
        memory(g);
    else if (k == 17 && below(g, 3) == 0)
        divide(g);
    else if (k == 18 && g->depth < 4)
        loop(g);
    else if (g->depth < 4)
        branch(g);
}

static void block(gen *g, unsigned length)
{
    g->depth++;
    for (unsigned i = 1 + below(g, length); i; i--)
        statement(g);
    g->depth--;
}

/* Every value is set at the start and stored at the end, so that there are
 * none that mean nothing. */
static inline void program(gen *g)
{
    say(g,
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .entry test(.param .u64 in, .param .u64 out)\n{\n"
        ".reg .b32 %%r<%u>;\n.reg .b64 %%d<%u>;\n.reg .pred %%p<%u>;\n"
        ".reg .pred %%q;\n.reg .b32 %%n<8>;\n.reg .b32 %%t<4>;\n"
        ".reg .b64 %%mine, %%tile, %%spot, %%x;\n"
        ".local .align 16 .b8 depot[%u];\n"
        ".shared .align 16 .b8 sh[%u];\n",
        REGS, WIDE, PREDS, 4 * OUT, 4 * OUT * THREADS);
    say(g,
        "mov.u32 %%t0, %%tid.x;\nld.param.u64 %%x, [out];\n"
        "mad.wide.u32 %%mine, %%t0, 256, %%x;\n"
        "mov.u64 %%tile, sh;\nmul.wide.u32 %%x, %%t0, %u;\n"
        "add.s64 %%tile, %%tile, %%x;\nmov.u64 %%spot, depot;\n",
        4 * OUT);
    for (unsigned i = 0; i < OUT; i++)
        say(g,
            "st.local.u32 [%%spot+%u], %u;\nst.shared.u32 [%%tile+%u], %u;\n",
            4 * i, i * 77, 4 * i, i * 1001);
    for (unsigned i = 0; i < REGS; i++)
        say(g, "mad.lo.u32 %%r%u, %%t0, %u, %u;\n", i, below(g, 1 << 16),
            below(g, 1 << 16));
    for (unsigned i = 0; i < WIDE; i++)
        say(g, "mul.wide.s32 %%d%u, %%r%u, %%r%u;\n", i, i, i + 1);
    for (unsigned i = 0; i < PREDS; i++)
        say(g, "setp.lt.u32 %%p%u, %%t0, %u;\n", i, below(g, 70));
    while (g->budget)
        statement(g);
    for (unsigned i = 0; i < REGS; i++)
        say(g, "st.global.u32 [%%mine+%u], %%r%u;\n", 64 + 4 * i, i);
    for (unsigned i = 0; i < WIDE; i++)
        say(g, "st.global.u64 [%%mine+%u], %%d%u;\n", 128 + 8 * i, i);
    for (unsigned i = 0; i < PREDS; i++)
        say(g,
            "selp.u32 %%t1, 1, 0, %%p%u;\nst.global.u32 [%%mine+%u], %%t1;\n",
            i, 176 + 4 * i);
    say(g, "ld.local.u32 %%t1, [%%spot+8];\nst.global.u32 [%%mine+200], %%t1;\n"
           "ld.shared.u32 %%t1, [%%tile+12];\n"
           "st.global.u32 [%%mine+204], %%t1;\nret;\n}\n");
}

/* The text of program `seed`; free with strbuf_fini. */
static inline strbuf random_program(uint64_t seed, unsigned statements)
{
    gen g = {.budget = statements};

    rng_init(&g.r, seed, "programs");
    program(&g);
    return g.s;
}

#endif
