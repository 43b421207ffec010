/* Modules that were compiled apart become one. What is expected is what the
 * linkage of PTX means. */
#include "ptx/link.h"

#include <stdio.h>

#include "test.h"

#define HEAD(version, target)                                                  \
    ".version " version "\n.target " target "\n.address_size 64\n"

typedef struct bench {
    arena *mem;
    diag *dg;
    ptx_module *part[3], *all;
    strbuf text;
} bench;

/* Links the texts, and parses what came out. */
static status join(bench *b, const char *const *texts, size_t count)
{
    *b = (bench){.mem = arena_new(), .dg = diag_new()};
    for (size_t i = 0; i < count; i++) {
        const char *name = arena_printf(b->mem, "part%zu.ptx", i + 1);

        if (ptx_parse(name, texts[i], strlen(texts[i]), b->mem, b->dg,
                      &b->part[i]))
            TEST_FAIL("%s:%u: %s", name, diag_get(b->dg, 0)->line,
                      diag_get(b->dg, 0)->text);
    }
    status st = ptx_link(b->part, count, b->mem, b->dg, &b->text);
    if (st == ST_OK && ptx_parse("all.ptx", b->text.text, b->text.size, b->mem,
                                 b->dg, &b->all))
        TEST_FAIL("%s\n%s", diag_get(b->dg, 0)->text, b->text.text);
    return st;
}

static void part(bench *b)
{
    strbuf_fini(&b->text);
    diag_free(b->dg);
    arena_free(b->mem);
}

/* The value of a variable's first four bytes. */
static uint32_t value(const bench *b, const char *name)
{
    const ptx_var *v = ptx_find_global(b->all, name);
    uint32_t word = 0;

    if (!v)
        TEST_FAIL("no %s in\n%s", name, b->text.text);
    if (v->has_init)
        memcpy(&word, v->init, 4);
    return word;
}

static unsigned times(const bench *b, const char *text)
{
    unsigned n = 0;

    for (const char *at = b->text.text; (at = strstr(at, text)); at++)
        n++;
    return n;
}

TEST(what_is_declared_in_one_is_defined_in_another)
{
    static const char *const texts[] = {
        HEAD("7.0", "sm_75") ".extern .func (.param .b32 r) f(.param .b32 x);\n"
                             ".extern .global .align 4 .u32 v;\n"
                             ".visible .entry k() { .reg .u32 %r<2>;\n"
                             ".param .b32 x; .param .b32 r;\n"
                             "ld.global.u32 %r1, [v]; st.param.b32 [x], %r1;\n"
                             "call (r), f, (x); ret; }\n",
        HEAD("7.0", "sm_75") ".visible .global .align 4 .u32 v = 5;\n"
                             ".visible .func (.param .b32 r) f(.param .b32 y)\n"
                             "{ .reg .u32 %r<2>; ld.param.u32 %r1, [y];\n"
                             "st.param.b32 [r], %r1; ret; }\n",
    };
    bench b;

    /* also where the definition comes first */
    for (unsigned swap = 0; swap < 2; swap++) {
        CHECK_EQ(join(&b, (const char *const[]){texts[swap], texts[!swap]}, 2),
                 ST_OK);
        CHECK_EQ(value(&b, "v"), 5);
        CHECK_EQ(b.all->nglobals, 1);
        CHECK(ptx_find_func(b.all, "f")->has_body);
        CHECK(ptx_find_func(b.all, "k")->has_body);
        part(&b);
    }
}

TEST(what_is_a_modules_own_does_not_meet)
{
    static const char *const texts[] = {
        HEAD("7.0", "sm_75") ".global .align 4 .u32 own = 1;\n"
                             ".func g() { ret; }\n"
                             ".visible .entry a() { .reg .u32 %r<2>;\n"
                             "ld.global.u32 %r1, [own]; call g; ret; }\n",
        HEAD("7.0", "sm_75") ".global .align 4 .u32 own = 2;\n"
                             ".func g() { ret; }\n"
                             ".visible .entry b() { .reg .u32 %r<2>;\n"
                             "ld.global.u32 %r1, [own]; call g; ret; }\n",
        HEAD("7.0", "sm_75") ".visible .global .align 4 .u32 own = 3;\n",
    };
    bench b;

    CHECK_EQ(join(&b, texts, 3), ST_OK);
    CHECK_EQ(value(&b, "own$part1"), 1);
    CHECK_EQ(value(&b, "own$part2"), 2);
    CHECK_EQ(value(&b, "own"), 3);
    CHECK_EQ(times(&b, "[own$part1]"), 1);
    CHECK_EQ(times(&b, "[own$part2]"), 1);
    CHECK(ptx_find_func(b.all, "g$part1")->has_body);
    CHECK(ptx_find_func(b.all, "g$part2")->has_body);
    part(&b);
}

TEST(of_weak_definitions_one_stays)
{
    static const char *const texts[] = {
        HEAD("7.0", "sm_75") ".weak .global .align 4 .u32 w = 1;\n"
                             ".weak .global .align 4 .u32 s = 1;\n"
                             ".weak .func f() { .reg .u32 %a; ret; }\n",
        HEAD("7.0", "sm_75") ".weak .global .align 4 .u32 w = 2;\n"
                             ".visible .global .align 4 .u32 s = 2;\n"
                             ".weak .func f() { .reg .u32 %b; ret; }\n",
    };
    bench b;

    CHECK_EQ(join(&b, texts, 2), ST_OK);
    CHECK_EQ(value(&b, "w"), 1);
    CHECK_EQ(value(&b, "s"), 2);
    CHECK_EQ(times(&b, "%a"), 1);
    CHECK_EQ(times(&b, "%b"), 0);
    part(&b);
}

TEST(what_is_visible_is_defined_once)
{
    static const char *const texts[] = {
        HEAD("7.0", "sm_75") ".visible .func f() { ret; }\n",
        HEAD("7.0", "sm_75") "\n.visible .func f() { ret; }\n",
    };
    static const char *const kinds[] = {
        HEAD("7.0", "sm_75") ".visible .func f() { ret; }\n",
        HEAD("7.0", "sm_75") ".extern .global .align 4 .u32 f;\n",
    };
    bench b;

    CHECK_EQ(join(&b, texts, 2), ST_PROGRAM);
    CHECK_EQ(diag_errors(b.dg), 1);
    CHECK_STR(diag_get(b.dg, 0)->text, "'f' is defined in 'part1.ptx', too");
    CHECK_EQ(diag_get(b.dg, 0)->line, 5);
    part(&b);
    CHECK_EQ(join(&b, kinds, 2), ST_PROGRAM);
    CHECK_STR(diag_get(b.dg, 0)->text,
              "'f' is something else in 'part1.ptx', too");
    part(&b);
}

TEST(lines_and_targets_are_those_of_all)
{
    static const char *const texts[] = {
        HEAD("8.0", "sm_75") ".visible .entry a() {\n.loc 2 10 1\nret; }\n"
                             ".file 1 \"x.h\"\n.file 2 \"a.cu\"\n",
        HEAD("7.8", "sm_80") ".visible .entry b() {\n"
                             ".loc 1 20 3, function_name $L, inlined_at 1 2 3\n"
                             "ret; }\n.file 1 \"b.cu\"\n"
                             ".section .debug_str\n{\n$L:\n.b8 97\n}\n",
    };
    bench b;

    CHECK_EQ(join(&b, texts, 2), ST_OK);
    CHECK_EQ(b.all->version_major, 8);
    CHECK_EQ(b.all->version_minor, 0);
    CHECK_EQ(b.all->sm, 80);
    const ptx_func *f = ptx_find_func(b.all, "a");
    CHECK_STR(ptx_file_path(b.all, f->insts[0].source.file), "a.cu");
    f = ptx_find_func(b.all, "b");
    CHECK_STR(ptx_file_path(b.all, f->insts[0].source.file), "b.cu");
    CHECK_EQ(f->insts[0].source.line, 20);
    part(&b);
}

TEST(each_has_its_dynamic_shared_memory)
{
    static const char *const texts[] = {
        HEAD("7.0", "sm_75") ".extern .shared .align 4 .f32 s[];\n"
                             ".visible .entry a() { .reg .f32 %f<2>;\n"
                             "ld.shared.f32 %f1, [s]; ret; }\n",
        HEAD("7.0", "sm_75") ".extern .shared .align 16 .b8 s[];\n"
                             ".visible .entry b() { .reg .u32 %r<2>;\n"
                             "ld.shared.u8 %r1, [s]; ret; }\n",
    };
    bench b;

    CHECK_EQ(join(&b, texts, 2), ST_OK);
    CHECK_EQ(times(&b, "[s$part1]"), 1);
    CHECK_EQ(times(&b, "[s$part2]"), 1);
    part(&b);
}
