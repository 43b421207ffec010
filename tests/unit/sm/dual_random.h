/* tests/unit/sm/dual_random.h - random Kepler programs with control codes: the
 * programs of random.h, any code before any instruction, and in between runs
 * of arithmetic with all that may stand in a pair. */
#ifndef SM_DUAL_RANDOM_H
#define SM_DUAL_RANDOM_H

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "random.h"

/* Any of the 256 codes, those of pairs and short waits more often. */
static inline unsigned any_code(rng *r)
{
    switch (rng_below(r, 10)) {
    case 0:
    case 1:
    case 2:
        return 0x04;
    case 3:
    case 4:
        return 0x05 + rng_below(r, 3);
    case 5:
    case 6:
        return 0x20;
    case 7:
    case 8:
        return 0x20 + rng_below(r, 6);
    default:
        return rng_below(r, 256);
    }
}

/* A source of a float operation: registers of all banks, RZ. */
static inline unsigned any_source(rng *r)
{
    unsigned pick = rng_below(r, 8);

    return pick == 0  ? 255
           : pick < 5 ? 16 + rng_below(r, 12)
                      : 48 + rng_below(r, 8);
}

static inline unsigned any_result(rng *r)
{
    return rng_below(r, 2) ? 16 + rng_below(r, 12) : 48 + rng_below(r, 8);
}

static inline void put_register(strbuf *b, const char *before, unsigned reg)
{
    if (reg == 255)
        strbuf_printf(b, "%sRZ", before);
    else
        strbuf_printf(b, "%sR%u", before, reg);
}

/* One more instruction that has no part in where the program goes; `only_fma`:
 * for the units that schedulers share. */
static inline void put_float(rng *r, strbuf *b, bool only_fma)
{
    static const char *const op[] = {"FFMA", "FMUL", "FADD"};
    static const char *const guard[] = {"", "", "", "", "@!PT ", "@P1 "};
    unsigned pick = rng_below(r, only_fma ? 9 : 13), first = any_source(r);

    if (pick == 9) {
        strbuf_printf(b, "LDG.E R%u, [R4+0x%x]\n", 16 + rng_below(r, 12),
                      4 * rng_below(r, 60));
        return;
    }
    if (pick == 12) {
        strbuf_printf(b, "MUFU.RCP R%u, R%u\n", any_result(r), 48);
        return;
    }
    if (pick > 9) {
        static const char *const slow[] = {"NOP\n", "DADD R56, R56, R58\n"};

        strbuf_puts(b, slow[pick - 10]);
        return;
    }
    const char *name = op[pick % 3];
    strbuf_printf(b, "%s%s R%u", guard[rng_below(r, COUNTOF(guard))], name,
                  any_result(r));
    put_register(b, ", ", first);
    if (pick == 8) { /* FADD */
        strbuf_printf(b, ", c[0x0][0x%x]\n", 0x140 + 4 * rng_below(r, 200));
        return;
    }
    put_register(b, ", ", rng_below(r, 4) ? any_source(r) : first);
    if (pick % 3 == 0)
        put_register(b, ", ", any_source(r));
    strbuf_puts(b, "\n");
}

/* A pair whose second has three operands of a bank, none of which is near. */
static inline void put_narrow(rng *r, strbuf *b)
{
    unsigned reg = 64 + 8 * rng_below(r, 8), result = 48 + rng_below(r, 4);

    strbuf_printf(b, "{0x04} FADD R%u, RZ, RZ\n", result);
    strbuf_printf(b, "{0x05} FFMA R%u, R%u, R%u, R%u\n", result + 4, reg,
                  reg + 2, 64 + 8 * rng_below(r, 8));
}

/* As the orders of single and paired instructions, or with any codes. */
static inline void put_run(rng *r, strbuf *b, bool only_fma)
{
    unsigned n = 1 + rng_below(r, 20);
    bool pairs = rng_below(r, 2);

    if (!rng_below(r, 8))
        for (unsigned i = 0; i < n; i++)
            put_narrow(r, b);
    for (unsigned i = 0; i < n; i++) {
        unsigned code = pairs ? 0x04 + i % 2 : any_code(r);

        strbuf_printf(b, "{0x%02x} ", code);
        put_float(r, b, only_fma);
    }
}

static inline bool is_label(const char *line)
{
    return memchr(line, ':', strcspn(line, "\n")) != NULL;
}

/* `n` of these lines, then the end of the program. */
static inline char *dual_straight(uint64_t seed, unsigned n)
{
    strbuf b = {0};
    rng r;

    rng_init(&r, seed, "straight");
    while (n--)
        put_run(&r, &b, true);
    strbuf_puts(&b, "{0x20} EXIT\n");
    return b.text;
}

static inline char *dual_program(uint64_t seed)
{
    char *plain = program(seed, ARCH_KEPLER);
    strbuf b = {0};
    rng r;

    rng_init(&r, seed, "codes");
    for (const char *line = plain; *line;) {
        size_t size = strcspn(line, "\n") + 1;

        if (!is_label(line))
            strbuf_printf(&b, "{0x%02x} ", any_code(&r));
        strbuf_write(&b, line, size);
        line += size;
        if (*line && line > plain + 400 && !rng_below(&r, 4))
            put_run(&r, &b, false);
    }
    free(plain);
    return b.text;
}

#endif
