/* tests/reference/program.c - random programs: functions and the kernel. */
#include "reference/program.h"

#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "reference/gen.h"

/* ---- functions ---- */

static void own_memory(gen *g)
{
    gen_say(g,
            ".local .align 16 .b8 depot[%u]; " PROGRAM_KEEP "\n"
            ".reg .b64 %%spot, %%gspot, %%ptr; " PROGRAM_KEEP "\n"
            "mov.u64 %%spot, depot; " PROGRAM_KEEP "\n"
            "cvta.local.u64 %%gspot, %%spot; " PROGRAM_KEEP "\n",
            SLOT);
    for (unsigned k = 0; k < SLOT; k += 8)
        gen_say(g, "st.local.u64 [%%spot+%u], %u; " PROGRAM_KEEP "\n", k,
                k * 77 + 5);
}

/* Calls itself up to three times over, by the low bits of its argument. */
static void call_itself(gen *g, unsigned number)
{
    unsigned l = g->labels++;

    gen_form(g,
             "{.reg .b32 n; .reg .pred q; and.b32 n, %%arg, 3; "
             "setp.eq.u32 q, n, 0; @q bra B%u; sub.u32 n, n, 1; "
             "{.param .b32 a, c, r; .param .b64 b, d; st.param.b32 [a], n; "
             "st.param.b64 [b], $w; st.param.f32 [c], $f; "
             "st.param.b64 [d], %s; call (r), f%u, (a, b, c, d); "
             "ld.param.b32 $R, [r];} B%u: }",
             l, gen_chance(g, 2) ? "%ptr" : "%gspot", number, l);
}

/* fN(word, doubleword, float, pointer to the caller's words) -> word. */
static void plain_func(gen *g, unsigned number)
{
    gen_say(g,
            ".func (.param .b32 out) f%u(.param .b32 a, .param .b64 b, "
            ".param .b32 c, .param .b64 d)%s\n{\n",
            number, gen_chance(g, 2) ? " .noinline" : "");
    gen_say(g, ".reg .b32 %%arg; ld.param.b32 %%arg, [a]; " PROGRAM_KEEP "\n");
    gen_registers(g, "%arg");
    own_memory(g);
    gen_say(g, "ld.param.u64 %%ptr, [d]; " PROGRAM_KEEP "\n"
               "ld.param.b64 %%d0, [b]; " PROGRAM_KEEP "\n"
               "ld.param.f32 %%f0, [c]; " PROGRAM_KEEP "\n");
    for (g->budget = 3 + gen_below(g, 6); g->budget;)
        gen_block(g, 3);
    if (g->kind[number] == F_DEEP) {
        call_itself(g, number);
        for (g->budget = 1 + gen_below(g, 4); g->budget;)
            gen_block(g, 3);
    }
    gen_line(g,
             "{.reg .b32 x, y; ld.local.u32 x, [%spot+8]; "
             "mad.lo.u32 y, x, 3, $v; st.param.b32 [out], y;} " PROGRAM_KEEP);
    gen_say(g, "ret; " PROGRAM_KEEP "\n}\n");
}

/* Takes and gives 16 bytes. */
static void bytes_func(gen *g, unsigned number)
{
    gen_say(g,
            ".func (.param .align 16 .b8 out[16]) f%u("
            ".param .align 16 .b8 a[16], .param .b64 d)\n{\n"
            ".reg .b32 %%arg; ld.param.b32 %%arg, [a+4]; " PROGRAM_KEEP "\n",
            number);
    gen_registers(g, "%arg");
    own_memory(g);
    gen_say(g, "ld.param.u64 %%ptr, [d]; " PROGRAM_KEEP "\n"
               "ld.param.v2.b32 {%%r0, %%r1}, [a]; " PROGRAM_KEEP "\n"
               "ld.param.b64 %%d0, [a+8]; " PROGRAM_KEEP "\n");
    for (g->budget = 3 + gen_below(g, 5); g->budget;)
        gen_block(g, 3);
    gen_line(g, "st.param.v2.b32 [out], {$v, $v}; " PROGRAM_KEEP);
    gen_line(g, "st.param.b64 [out+8], $w; " PROGRAM_KEEP);
    gen_say(g, "ret; " PROGRAM_KEEP "\n}\n");
}

#define MANY_PARAMS                                                            \
    "(.param .b8 a, .param .b16 b, .param .b64 c, .param .f64 d, "             \
    ".param .b32 e, .param .align 8 .b8 s[24], .param .b64 h, .param .f32 i, " \
    ".param .b32 j, .param .b64 ptr)"

static void many_func(gen *g, unsigned number)
{
    gen_say(g, ".func (.param .b64 out) f%u" MANY_PARAMS "%s\n{\n", number,
            gen_chance(g, 2) ? " .noinline" : "");
    gen_say(g, ".reg .b32 %%arg; ld.param.b32 %%arg, [e]; " PROGRAM_KEEP "\n");
    gen_registers(g, "%arg");
    own_memory(g);
    gen_say(g, "ld.param.u64 %%ptr, [ptr]; ld.param.s8 %%r0, [a]; "
               "ld.param.u16 %%h0, [b]; ld.param.b64 %%d0, [c]; " PROGRAM_KEEP
               "\nld.param.f64 %%e0, [d]; ld.param.b32 %%r1, [s+4]; "
               "ld.param.v2.b32 {%%r2, %%r3}, [s+16]; " PROGRAM_KEEP
               "\nld.param.b64 %%d1, [h]; ld.param.f32 %%f0, [i]; "
               "ld.param.u32 %%r4, [j]; " PROGRAM_KEEP "\n");
    for (g->budget = 3 + gen_below(g, 5); g->budget;)
        gen_block(g, 3);
    gen_say(g, "{.reg .b64 p, x; .reg .b32 n; and.b32 n, %%arg, 3; "
               "mad.lo.u32 n, n, 8, 16; cvt.u64.u32 x, n; alloca.u64 p, x, 8; "
               "st.local.u64 [p+8], %%d1; st.local.u32 [p], %%r2; "
               "ld.local.u64 %%d2, [p+8]; ld.local.u32 %%r3, [p];}\n");
    gen_line(g, "st.param.b64 [out], $w; " PROGRAM_KEEP);
    gen_say(g, "ret; " PROGRAM_KEEP "\n}\n");
}

void gen_func(gen *g, unsigned number)
{
    g->in_func = true;
    g->uniform = false;
    g->loops = 0;
    g->funcs = number; /* those before it */
    if (g->kind[number] == F_BYTES)
        bytes_func(g, number);
    else if (g->kind[number] == F_MANY)
        many_func(g, number);
    else
        plain_func(g, number);
}

/* One of those that have the same parameters. */
static bool is_plain(const gen *g, unsigned f)
{
    return g->kind[f] == F_PLAIN || g->kind[f] == F_DEEP;
}

/* A plain function that may be called from here, the nearest below `f`. */
static unsigned plain_below(const gen *g, unsigned f)
{
    while (f && !is_plain(g, f))
        f--;
    return f;
}

/* Each thread calls one of two functions, whose addresses stand in memory or
 * in the code. */
static void call_by_address(gen *g, const char *ptr, unsigned f)
{
    unsigned l = g->labels++, other = plain_below(g, gen_below(g, g->funcs));
    bool from_memory = gen_chance(g, 2);
    char load[128];

    if (!is_plain(g, other))
        other = f;
    if (from_memory)
        snprintf(load, sizeof load,
                 "ld.global.u64 to, [calls+%u]; ld.global.u64 or, [calls+%u]; ",
                 8 * f, 8 * other);
    else
        snprintf(load, sizeof load, "mov.u64 to, f%u; mov.u64 or, f%u; ", f,
                 other);
    gen_form(g,
             "{.reg .b64 to, or; .param .b32 a, c, r; .param .b64 b, d; %s"
             "selp.b64 to, to, or, $p; st.param.b32 [a], $v; "
             "st.param.b64 [b], $w; st.param.f32 [c], $f; "
             "st.param.b64 [d], %s; P%u: .callprototype (.param .b32 _) _ "
             "(.param .b32 _, .param .b64 _, .param .b32 _, .param .b64 _); "
             "call (r), to, (a, b, c, d), P%u; ld.param.b32 $R, [r];}",
             load, ptr, l, l);
}

void gen_call(gen *g)
{
    static const char *const places[] = {"%gspot", "%gspot", "%mine", "%gtile"};
    unsigned f = gen_below(g, g->funcs);
    const char *ptr = g->in_func ? (gen_chance(g, 2) ? "%ptr" : "%gspot")
                                 : places[gen_below(g, COUNTOF(places))];

    if (g->kind[f] == F_BYTES)
        gen_form(g,
                 "{.param .align 16 .b8 a[16], r[16]; .param .b64 d; "
                 "st.param.v2.b32 [a], {$v, $v}; st.param.b64 [a+8], $w; "
                 "st.param.b64 [d], %s; call (r), f%u, (a, d); "
                 "ld.param.v2.b32 {%%r2, %%r5}, [r]; ld.param.b64 $D, [r+8];}",
                 ptr, f);
    else if (g->kind[f] == F_MANY)
        gen_form(g,
                 "{.param .b8 a; .param .b16 b; .param .b64 c, h, p, r; "
                 ".param .f64 d; .param .b32 e, j; .param .f32 i; "
                 ".param .align 8 .b8 s[24]; st.param.b8 [a], $v; "
                 "st.param.b16 [b], $k; st.param.b64 [c], $w; "
                 "st.param.f64 [d], $e; st.param.b32 [e], $v; "
                 "st.param.v2.b32 [s], {$v, $v}; st.param.b64 [s+8], $w; "
                 "st.param.b64 [s+16], $w; st.param.b64 [h], $w; "
                 "st.param.f32 [i], $f; st.param.b32 [j], $v; "
                 "st.param.b64 [p], %s; "
                 "call (r), f%u, (a, b, c, d, e, s, h, i, j, p); "
                 "ld.param.b64 $D, [r];}",
                 ptr, f);
    else if (g->kept && gen_chance(g, 3))
        call_by_address(g, ptr, f);
    else
        gen_form(g,
                 "{.param .b32 a, c, r; .param .b64 b, d; "
                 "st.param.b32 [a], $v; st.param.b64 [b], $w; "
                 "st.param.f32 [c], $f; st.param.b64 [d], %s; "
                 "call (r), f%u, (a, b, c, d); ld.param.b32 $R, [r];}",
                 ptr, f);
}

/* ---- the module ---- */

static void declare(gen *g, unsigned number)
{
    if (g->kind[number] == F_BYTES)
        gen_say(g,
                ".func (.param .align 16 .b8 out[16]) f%u("
                ".param .align 16 .b8 a[16], .param .b64 d);\n",
                number);
    else if (g->kind[number] == F_MANY)
        gen_say(g, ".func (.param .b64 out) f%u" MANY_PARAMS ";\n", number);
    else
        gen_say(g,
                ".func (.param .b32 out) f%u(.param .b32 a, .param .b64 b, "
                ".param .b32 c, .param .b64 d);\n",
                number);
}

static void tables(gen *g, unsigned funcs)
{
    gen_say(g, ".version 8.8\n.target sm_100\n.address_size 64\n"
               ".const .align 16 .b32 table[64] = {");
    for (unsigned k = 0; k < 64; k++)
        gen_say(g, "%s%u", k ? ", " : "", gen_below(g, 1u << (k & 30)));
    gen_say(g, "};\n.global .align 16 .b32 fixed[32] = {");
    for (unsigned k = 0; k < 32; k++)
        gen_say(g, "%s%u", k ? ", " : "", gen_below(g, 1u << (k & 30)));
    gen_say(g, "};\n");
    if (!g->kept)
        return;
    for (unsigned k = 0; k < funcs; k++)
        declare(g, k);
    gen_say(g, ".global .align 8 .u64 calls[%u] = {", funcs);
    for (unsigned k = 0; k < funcs; k++)
        gen_say(g, "%sf%u", k ? ", " : "", k);
    gen_say(g, "};\n");
}

static void places(gen *g)
{
    gen_say(
        g,
        ".shared .align 16 .b8 tiles[%u]; " PROGRAM_KEEP "\n"
        ".shared .align 16 .b8 pass[%u]; " PROGRAM_KEEP "\n"
        ".shared .align 16 .b8 sumw[%u]; " PROGRAM_KEEP "\n"
        ".reg .b64 %%in, %%mine, %%sums, %%tile, %%gtile, %%slot; " PROGRAM_KEEP
        "\n"
        ".reg .b64 %%ssum, %%gssum, %%y; .reg .b32 %%lin, %%all, "
        "%%uni; " PROGRAM_KEEP "\n",
        SLOT * g->threads, 4 * g->threads, 4 * PROGRAM_SUMS);
    gen_say(g,
            "{.reg .b32 x, y, z, nx, ny; mov.u32 x, %%tid.x; "
            "mov.u32 y, %%tid.y; mov.u32 z, %%tid.z; mov.u32 nx, %%ntid.x; "
            "mov.u32 ny, %%ntid.y; mad.lo.u32 y, z, ny, y; "
            "mad.lo.u32 %%lin, y, nx, x; mov.u32 %%uni, %%ctaid.x; "
            "mov.u32 y, %%ctaid.y; mov.u32 nx, %%nctaid.x; "
            "mad.lo.u32 y, y, nx, %%uni; mad.lo.u32 %%all, y, %u, "
            "%%lin;} " PROGRAM_KEEP "\n",
            g->threads);
    gen_say(
        g,
        "ld.param.u64 %%in, [in]; ld.param.u64 %%mine, [out]; "
        "ld.param.u64 %%sums, [sums]; " PROGRAM_KEEP "\n"
        "mad.wide.u32 %%mine, %%all, %u, %%mine; " PROGRAM_KEEP "\n"
        "mov.u64 %%y, tiles; mad.wide.u32 %%tile, %%lin, %u, %%y; "
        "cvta.shared.u64 %%gtile, %%tile; " PROGRAM_KEEP "\n"
        "mov.u64 %%y, pass; mad.wide.u32 %%slot, %%lin, 4, %%y; " PROGRAM_KEEP
        "\n"
        "mov.u64 %%ssum, sumw; cvta.shared.u64 %%gssum, %%ssum; " PROGRAM_KEEP
        "\n",
        PROGRAM_OUT, SLOT);
}

/* Everything has a value before the body begins. */
static void set_memory(gen *g)
{
    for (unsigned k = 0; k < SLOT; k += 4)
        gen_say(g,
                "{.reg .b32 x; mul.lo.u32 x, %%all, %u; "
                "st.global.u32 [%%mine+%u], x; st.shared.u32 [%%tile+%u], "
                "x;} " PROGRAM_KEEP "\n",
                gen_below(g, 1u << k % 32) | 1, k, k);
    gen_say(g,
            "{.reg .b32 i; .reg .b64 y; .reg .pred q; mov.u32 i, "
            "%%lin; " PROGRAM_KEEP "\n"
            "FILL: setp.ge.u32 q, i, %u; @q bra FULL; " PROGRAM_KEEP "\n"
            "mad.wide.u32 y, i, 4, %%ssum; st.shared.u32 [y], i; " PROGRAM_KEEP
            "\n"
            "add.u32 i, i, %u; bra FILL; FULL: bar.sync 0;} " PROGRAM_KEEP "\n",
            PROGRAM_SUMS, g->threads);
    gen_say(g, "{.reg .b32 x; .reg .b64 y; and.b32 x, %%all, 1023; "
               "mad.wide.u32 y, x, 4, %%in; ld.global.u32 %%r0, [y]; "
               "ld.global.nc.f32 %%f1, [y];} " PROGRAM_KEEP "\n");
}

/* What the thread's local and shared words hold, and one of the sums. */
static void store_memory(gen *g, unsigned at)
{
    gen_say(g,
            "{.reg .b32 x, h; .reg .b64 y; mov.u32 h, 17; " PROGRAM_KEEP "\n");
    for (unsigned k = 0; k < SLOT; k += 4)
        gen_say(g, "ld.local.u32 x, [%%spot+%u]; mad.lo.u32 h, h, 31, x;\n", k);
    for (unsigned k = 0; k < SLOT; k += 4)
        gen_say(g, "ld.shared.u32 x, [%%tile+%u]; mad.lo.u32 h, h, 31, x;\n",
                k);
    gen_say(g,
            "st.global.u32 [%%mine+%u], h;\n"
            "bar.sync 0; and.b32 x, %%lin, %u; mad.wide.u32 y, x, 4, %%ssum;\n"
            "ld.shared.u32 x, [y]; st.global.u32 [%%mine+%u], x; bar.sync "
            "0;\n} " PROGRAM_KEEP "\n",
            at, PROGRAM_SUMS - 1, at + 4);
}

static void kernel(gen *g, unsigned statements)
{
    g->in_func = false;
    g->uniform = true;
    g->loops = 0;
    gen_say(g, ".visible .entry test(.param .u64 in, .param .u64 out, "
               ".param .u64 sums)\n{\n");
    places(g);
    gen_registers(g, "%all");
    own_memory(g);
    set_memory(g);
    for (g->budget = statements; g->budget;)
        gen_block(g, 4);
    gen_store_all(g, "%mine", 64);
    store_memory(g, 240);
    g->tail = true;
    g->uniform = false;
    for (g->budget = gen_chance(g, 2) ? statements / 3 : 0; g->budget;)
        gen_block(g, 4);
    gen_store_all(g, "%mine", 256);
    gen_say(g, "%s\n}\n", gen_chance(g, 2) ? "ret;" : "exit;");
}

static void choose_shape(gen *g)
{
    static const uint16_t shapes[][3] = {
        {1, 1, 1},  {7, 1, 1},  {32, 1, 1}, {33, 1, 1}, {64, 1, 1},
        {8, 8, 1},  {16, 2, 2}, {64, 1, 1}, {32, 2, 1}, {5, 3, 3},
        {96, 1, 1}, {4, 4, 4},  {32, 1, 1}, {64, 1, 2}};
    static const uint8_t grids[][2] = {{1, 1}, {2, 1}, {1, 2}, {3, 1}, {1, 1}};
    unsigned k = gen_below(g, COUNTOF(shapes)), j;

    for (unsigned i = 0; i < 3; i++)
        g->cta[i] = shapes[k][i];
    g->threads = g->cta[0] * g->cta[1] * g->cta[2];
    j = gen_below(g, COUNTOF(grids));
    g->grid[0] = grids[j][0];
    g->grid[1] = grids[j][1];
    g->grid[2] = 1;
}

void program_make(program *p, uint64_t seed, unsigned statements)
{
    gen g = {.budget = 0};
    unsigned funcs;

    rng_init(&g.r, seed, "reference programs");
    choose_shape(&g);
    funcs = gen_below(&g, FUNCS);
    for (unsigned k = 0; k < funcs; k++)
        g.kind[k] = (func_kind)gen_below(&g, F_MANY + 1);
    g.kept = funcs && gen_chance(&g, 2);
    tables(&g, funcs);
    for (unsigned k = 0; k < funcs; k++)
        gen_func(&g, k);
    g.funcs = funcs;
    kernel(&g, statements);
    p->text = g.s;
    p->calls = funcs > 0;
    memcpy(p->grid, g.grid, sizeof p->grid);
    memcpy(p->cta, g.cta, sizeof p->cta);
}

void program_fini(program *p) { strbuf_fini(&p->text); }
