/* tests/reference/gen.c - lines, registers and control flow of random
 * programs. */
#include "reference/gen.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"

unsigned gen_below(gen *g, unsigned n) { return rng_below(&g->r, n); }

bool gen_chance(gen *g, unsigned of) { return gen_below(g, of) == 0; }

void gen_say(gen *g, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    strbuf_vprintf(&g->s, fmt, ap);
    va_end(ap);
}

/* ---- operands ---- */

static const unsigned counts[128] = {
    ['r'] = NR, ['d'] = ND, ['h'] = NH, ['f'] = NF,
    ['e'] = NE, ['x'] = NX, ['p'] = NP};

static void reg(gen *g, char kind)
{
    gen_say(g, "%%%c%u", kind, gen_below(g, counts[(unsigned char)kind]));
}

static void word(gen *g, char kind)
{
    static const int64_t values[] = {
        0,    1,  -1,   2,     3,      5,          31,  255, 256,  65535, 65536,
        4096, -7, 1000, 32767, -32768, 0x7fffffff, 100, 24,  -128, 0x55};
    int64_t v = values[gen_below(g, COUNTOF(values))];

    if (!gen_chance(g, 4)) {
        reg(g, kind);
        return;
    }
    if (kind == 'h' && (v > 32767 || v < -32768))
        v = 77;
    if (kind == 'd' && gen_chance(g, 4))
        v = v * 0x100000001 + 3;
    gen_say(g, "%lld", (long long)v);
}

static void number(gen *g, char kind)
{
    static const char *const single[] = {
        "0f00000000", "0f80000000", "0f3F800000", "0fBF800000", "0f40000000",
        "0f3F000000", "0f40490FDB", "0f7F800000", "0f00400000", "0f4B000001"};
    static const char *const wide[] = {
        "0d0000000000000000", "0d3FF0000000000000", "0dBFF0000000000000",
        "0d4000000000000000", "0d3FE0000000000000", "0d3FB999999999999A"};

    if (!gen_chance(g, 5))
        reg(g, kind);
    else if (kind == 'f')
        gen_say(g, "%s", single[gen_below(g, COUNTOF(single))]);
    else
        gen_say(g, "%s", wide[gen_below(g, COUNTOF(wide))]);
}

typedef struct place {
    const char *space, *base;
} place;

static void choose_place(gen *g)
{
    static const place kernel[] = {{".global", "%mine"}, {".shared", "%tile"},
                                   {".local", "%spot"},  {"", "%mine"},
                                   {"", "%gtile"},       {"", "%gspot"}};
    static const place func[] = {
        {".local", "%spot"}, {"", "%gspot"}, {"", "%ptr"}};
    place p = g->in_func ? func[gen_below(g, COUNTOF(func))]
                         : kernel[gen_below(g, COUNTOF(kernel))];

    g->space = p.space;
    g->base = p.base;
}

static const char *one_of(gen *g, const char *const *list, unsigned n)
{
    return list[gen_below(g, n)];
}

static void modifier(gen *g, char c)
{
    static const char *const cmp[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const real[] = {"eq",  "ne",  "lt",  "le",  "gt",
                                       "ge",  "equ", "neu", "ltu", "leu",
                                       "gtu", "geu", "num", "nan"};
    static const char *const boolean[] = {"and", "or", "xor"};
    static const char *const round[] = {"rn", "rz", "rm", "rp"};

    switch (c) {
    case 'c':
        gen_say(g, "%s", one_of(g, cmp, COUNTOF(cmp)));
        break;
    case 'm':
        gen_say(g, "%s", one_of(g, real, COUNTOF(real)));
        break;
    case 'b':
        gen_say(g, "%s", one_of(g, boolean, COUNTOF(boolean)));
        break;
    case 'z':
        gen_say(g, "%s", one_of(g, round, COUNTOF(round)));
        break;
    case 't':
        gen_say(g, "%s", gen_chance(g, 3) ? ".ftz" : "");
        break;
    default:
        gen_say(g, "%s", gen_chance(g, 4) ? ".sat" : "");
    }
}

static void operand(gen *g, char c)
{
    switch (c) {
    case 'r':
    case 'd':
    case 'h':
        word(g, c);
        break;
    case 'f':
    case 'e':
        number(g, c);
        break;
    case 'v':
        reg(g, 'r');
        break;
    case 'w':
        reg(g, 'd');
        break;
    case 'k':
        reg(g, 'h');
        break;
    case 'n':
        gen_say(g, "%s", gen_chance(g, 2) ? "!" : "");
        reg(g, 'p');
        break;
    case 'i':
        gen_say(g, "%u", gen_below(g, 67));
        break;
    case 'l':
        gen_say(g, "%u", gen_below(g, 256));
        break;
    case 'j':
        gen_say(g, "%u", gen_below(g, 16));
        break;
    case 's':
        gen_say(g, "%s", g->space);
        break;
    case 'g':
        gen_say(g, "%s", g->base);
        break;
    case '1':
    case '2':
    case '4':
    case '8':
        gen_say(g, "%u", gen_below(g, SLOT) & ~((unsigned)(c - '0') - 1));
        break;
    case '6':
        gen_say(g, "%u", gen_below(g, SLOT) & ~15u);
        break;
    case 'x':
    case 'p':
        reg(g, c);
        break;
    default:
        if (c >= 'A' && c <= 'Z')
            reg(g, (char)(c | 0x20));
        else
            modifier(g, c);
    }
}

void gen_line(gen *g, const char *text)
{
    choose_place(g);
    for (; *text; text++) {
        if (*text == '$')
            operand(g, *++text);
        else
            strbuf_putc(&g->s, *text);
    }
    strbuf_putc(&g->s, '\n');
}

void gen_form(gen *g, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    gen_line(g, text);
}

/* ---- all registers ---- */

void gen_registers(gen *g, const char *from)
{
    gen_say(g,
            ".reg .b32 %%r<%u>, %%n<64>, %%t<8>; " PROGRAM_KEEP "\n"
            ".reg .b64 %%d<%u>, %%a<4>; " PROGRAM_KEEP "\n"
            ".reg .b16 %%h<%u>; " PROGRAM_KEEP "\n"
            ".reg .f32 %%f<%u>; " PROGRAM_KEEP "\n"
            ".reg .f64 %%e<%u>; " PROGRAM_KEEP "\n"
            ".reg .b32 %%x<%u>; " PROGRAM_KEEP "\n"
            ".reg .pred %%p<%u>, %%q<4>; " PROGRAM_KEEP "\n",
            NR, ND, NH, NF, NE, NX, NP);
    for (unsigned k = 0; k < NR; k++) {
        unsigned wide = gen_below(g, 31), step = gen_below(g, 1u << wide) | 1;
        wide = gen_below(g, 31);
        gen_say(g, "mad.lo.u32 %%r%u, %s, %u, %u; " PROGRAM_KEEP "\n", k, from,
                step, gen_below(g, 1u << wide));
    }
    for (unsigned k = 0; k < ND; k++)
        gen_say(g, "mul.wide.s32 %%d%u, %%r%u, %%r%u; " PROGRAM_KEEP "\n", k, k,
                k + 1);
    for (unsigned k = 0; k < NH; k++)
        gen_say(g, "cvt.u16.u32 %%h%u, %%r%u; " PROGRAM_KEEP "\n", k, k);
    for (unsigned k = 0; k < NF; k++)
        gen_say(g, "%s %%f%u, %%r%u; " PROGRAM_KEEP "\n",
                k & 1 ? "cvt.rn.f32.s32" : "mov.b32", k, k);
    for (unsigned k = 0; k < NE; k++)
        gen_say(g, "cvt.rn.f64.s32 %%e%u, %%r%u; " PROGRAM_KEEP "\n", k, k);
    for (unsigned k = 0; k < NX; k++)
        gen_say(g, "mov.b32 %%x%u, %%r%u; " PROGRAM_KEEP "\n", k, k + 3);
    for (unsigned k = 0; k < NP; k++)
        gen_say(g, "setp.lt.u32 %%p%u, %s, %u; " PROGRAM_KEEP "\n", k, from,
                gen_below(g, 70));
}

void gen_store_all(gen *g, const char *base, unsigned at)
{
    for (unsigned k = 0; k < NR; k++, at += 4)
        gen_say(g, "st.global.u32 [%s+%u], %%r%u;\n", base, at, k);
    for (unsigned k = 0; k < ND; k++, at += 8)
        gen_say(g, "st.global.u64 [%s+%u], %%d%u;\n", base, at, k);
    for (unsigned k = 0; k < NE; k++, at += 8)
        gen_say(g,
                "{.reg .f64 x; setp.nan.f64 %%q0, %%e%u, %%e%u; "
                "selp.f64 x, 0d7FF8000000000000, %%e%u, %%q0; "
                "st.global.f64 [%s+%u], x;}\n",
                k, k, k, base, at);
    for (unsigned k = 0; k < NF; k++, at += 4)
        gen_say(g,
                "{.reg .f32 x; setp.nan.f32 %%q0, %%f%u, %%f%u; "
                "selp.f32 x, 0f7FC00000, %%f%u, %%q0; "
                "st.global.f32 [%s+%u], x;}\n",
                k, k, k, base, at);
    for (unsigned k = 0; k < NX; k++, at += 4)
        gen_say(g,
                "{.reg .b16 x, y; mov.b32 {x, y}, %%x%u; "
                "setp.nan.f16 %%q0, x, x; setp.nan.f16 %%q1, y, y; "
                "selp.b16 x, 1, x, %%q0; selp.b16 y, 1, y, %%q1; "
                "st.global.v2.b16 [%s+%u], {x, y};}\n",
                k, base, at);
    for (unsigned k = 0; k < NH; k++, at += 2)
        gen_say(g, "st.global.b16 [%s+%u], %%h%u;\n", base, at, k);
    gen_say(g, "mov.u32 %%t0, 0; " PROGRAM_KEEP "\n");
    for (unsigned k = 0; k < NP; k++)
        gen_say(g, "@%%p%u or.b32 %%t0, %%t0, %u;\n", k, 1u << k);
    gen_say(g, "st.global.u32 [%s+%u], %%t0;\n", base, at);
}

/* ---- control flow ---- */

/* A body that only some threads may run. */
static void apart(gen *g, unsigned length)
{
    bool was = g->uniform;

    g->uniform = false;
    gen_block(g, length);
    g->uniform = was;
}

static void branch(gen *g)
{
    unsigned l = g->labels++;
    bool together = g->uniform && gen_chance(g, 3), was = g->uniform;

    if (together)
        gen_say(g, "setp.gt.u32 %%q3, %%uni, %u;\n@%%q3 bra E%u;\n",
                gen_below(g, 2), l);
    else
        gen_form(g, "@$n bra E%u;", l);
    g->uniform = together;
    gen_block(g, 4);
    if (gen_chance(g, 2)) {
        gen_say(g, "bra%s F%u;\nE%u:\n", gen_chance(g, 2) ? ".uni" : "", l, l);
        gen_block(g, 3);
        gen_say(g, "F%u:\n", l);
    } else {
        gen_say(g, "E%u:\n", l);
    }
    g->uniform = was;
}

/* Rounds that every thread counts alike, so that they may meet inside. */
static void counted_loop(gen *g)
{
    unsigned l = g->labels++, n = g->loops++;

    gen_say(g, "mov.u32 %%n%u, 0;\nL%u:\n", n, l);
    gen_block(g, 4);
    gen_say(g,
            "add.u32 %%n%u, %%n%u, 1;\nsetp.lt.u32 %%q2, %%n%u, %u;\n"
            "@%%q2 bra L%u;\n",
            n, n, n, 1 + gen_below(g, 4), l);
}

static void leave_some(gen *g, unsigned l)
{
    unsigned k = gen_below(g, 4);

    if (k == 0)
        gen_form(g, "@$p bra X%u;", l);
    else if (k == 1)
        gen_form(g, "@$n bra C%u;", l);
    else if (k == 2 && g->nexits > 1 && gen_chance(g, 2))
        gen_form(g, "@$p bra X%u;", g->exits[gen_below(g, g->nexits)]);
}

/* At most 5 rounds, fewer where a thread breaks out; each thread may count
 * another number. The end is tested first or last. */
static void loop(gen *g)
{
    unsigned l = g->labels++, n = g->loops++;
    bool first = gen_chance(g, 2);
    bool was = g->uniform;

    g->uniform = false;
    if (gen_chance(g, 2))
        gen_say(g, "and.b32 %%n%u, %%r%u, 3;\n", n, gen_below(g, NR));
    else
        gen_say(g, "mov.u32 %%n%u, %u;\n", n, gen_below(g, 5));
    gen_say(g, "L%u:\n", l);
    if (first)
        gen_say(g, "setp.eq.s32 %%q2, %%n%u, 0;\n@%%q2 bra X%u;\n", n, l);
    g->exits[g->nexits++] = l;
    gen_block(g, 4);
    leave_some(g, l);
    leave_some(g, l);
    gen_block(g, 3);
    g->nexits--;
    gen_say(g, "C%u:\nsub.s32 %%n%u, %%n%u, 1;\n", l, n, n);
    if (first)
        gen_say(g, "bra L%u;\nX%u:\n", l, l);
    else
        gen_say(g, "setp.ge.s32 %%q2, %%n%u, 0;\n@%%q2 bra L%u;\nX%u:\n", n, l,
                l);
    g->uniform = was;
}

static void choose(gen *g)
{
    unsigned l = g->labels++, n = 2 + gen_below(g, 3);

    gen_form(g, "{.reg .b32 x; rem.u32 x, $v, %u;", n);
    gen_say(g, "T%u: .branchtargets ", l);
    for (unsigned k = 0; k < n; k++)
        gen_say(g, "%sS%u_%u", k ? ", " : "", l, gen_chance(g, 5) ? 0 : k);
    gen_say(g, ";\nbrx.idx x, T%u;}\n", l);
    for (unsigned k = 0; k < n; k++) {
        gen_say(g, "S%u_%u:\n", l, k);
        apart(g, 3);
        if (k + 1 < n && !gen_chance(g, 4))
            gen_say(g, "bra W%u;\n", l);
    }
    gen_say(g, "W%u:\n", l);
}

static void leave_for_good(gen *g)
{
    gen_form(g, "@$n %s;", gen_chance(g, 2) ? "exit" : "ret");
}

static void control(gen *g)
{
    unsigned k = gen_below(g, 8);

    if (g->loops >= 60)
        return;
    if (k < 4)
        branch(g);
    else if (k == 4)
        choose(g);
    else if (k == 5 && g->uniform)
        counted_loop(g);
    else if (g->nexits < 6)
        loop(g);
}

static void statement(gen *g)
{
    unsigned k = gen_below(g, 24);

    if (g->budget)
        g->budget--;
    if (k < 3 && g->budget && g->depth < 5)
        control(g);
    else if (k == 3 && g->funcs)
        gen_call(g);
    else if (k < 6 && g->uniform)
        gen_together(g);
    else if (k == 6 && !g->in_func)
        gen_atomic(g);
    else if (k == 7 && g->tail && !g->in_func)
        leave_for_good(g);
    else
        gen_operation(g);
}

void gen_block(gen *g, unsigned length)
{
    g->depth++;
    for (unsigned k = 1 + gen_below(g, length); k; k--)
        statement(g);
    g->depth--;
}
