/* tests/unit/explain/test_look_ptx.c - which lines of PTX are of a kernel, and
 * of which line of source. */
#include <stdlib.h>
#include <string.h>

#include "explain/look_code.h"
#include "test.h"

static const char text[] = ".version 7.0\n"
                           ".target sm_70\n"
                           ".func (.param .b32 r) twice(.param .b32 a);\n"
                           "// .entry work was here {\n"
                           ".visible .entry other(.param .u64 p)\n"
                           "{\n"
                           "\t.loc 2 7 1\n"
                           "\tret;\n"
                           "}\n"
                           ".visible .entry work(\n"
                           "\t.param .u64 p\n"
                           ")\n"
                           "{\n"
                           "\t.reg .b32 %r<4>;\n"
                           "\t.loc\t2 5 0\n"
                           "\tmov.u32 %r1, %tid.x; /* } */\n"
                           "$L1:\n"
                           "\t.loc 2 0 9\n"
                           "\tadd.u32 %r1, %r1, 1; // }\n"
                           "\t.loc 1 6 2, function_name $x, inlined_at 2 5 1\n"
                           "\t@%p1 bra $L1;\n"
                           "\t.loc 9 5 1\n"
                           "\tbar.sync 0;\n"
                           "}\n"
                           ".func (.param .b32 r) twice(.param .b32 a)\n"
                           "{\n"
                           "\t.loc 2 6 1\n"
                           "\tret;\n"
                           "}\n"
                           ".func unused()\n"
                           "{\n"
                           "\tret;\n"
                           "}\n"
                           ".file 1 \"k.h\"\n"
                           ".file 2 \"/src\" \"k.cu\", 12, 34\n";

static const char *const paths[] = {"/src/k.cu", "k.h"};

/* Line 5 of the first file is number 1, line 6 of both number 2 and 3. */
static unsigned known_line(const void *arg, uint16_t file, uint32_t line)
{
    (void)arg;
    return file == 1 && line == 5   ? 1
           : file == 1 && line == 6 ? 2
           : file == 2 && line == 6 ? 3
                                    : 0;
}

static look_text *lines_of(const char *ptx, const char *kernel, arena *mem,
                           size_t *count)
{
    static isa_function functions[] = {{"twice", 12}};
    static const isa_kernel code = {.functions = functions,
                                    .function_count = 1};

    return look_ptx_lines(&(look_ptx){.text = ptx,
                                      .kernel = kernel,
                                      .code = &code,
                                      .paths = paths,
                                      .path_count = 2,
                                      .line_of = known_line},
                          mem, count);
}

TEST(lines_of_a_kernel_and_of_what_it_calls_are_taken)
{
    /* Without .loc and without what is of others. */
    static const uint32_t numbers[] = {10, 11, 12, 13, 14, 16, 17, 19,
                                       21, 23, 24, 25, 26, 28, 29};
    arena *mem = arena_new();
    size_t n;
    look_text *t = lines_of(text, "work", mem, &n);

    CHECK_EQ(n, sizeof numbers / sizeof *numbers);
    for (size_t i = 0; i < n; i++)
        CHECK_EQ(t[i].number, numbers[i]);
    CHECK(!strcmp(t[5].text, "\tmov.u32 %r1, %tid.x; /* } */"));
    CHECK(!t[0].function);
    CHECK(t[11].function && !strcmp(t[11].function, "twice"));
    arena_free(mem);
}

TEST(lines_have_the_source_line_of_the_loc_before_them)
{
    arena *mem = arena_new();
    size_t n;
    look_text *t = lines_of(text, "work", mem, &n);

    CHECK_EQ(t[4].line, 0);  /* a directive */
    CHECK_EQ(t[5].line, 1);  /* .loc 2 5: /src/k.cu */
    CHECK_EQ(t[6].line, 0);  /* a label */
    CHECK_EQ(t[7].line, 1);  /* line 0 changes nothing */
    CHECK_EQ(t[8].line, 3);  /* .loc 1 6: k.h, not where it was inlined */
    CHECK_EQ(t[9].line, 0);  /* a file that is not there */
    CHECK_EQ(t[13].line, 2); /* of the function */
    arena_free(mem);
}

TEST(ptx_without_lines_of_source_has_none)
{
    arena *mem = arena_new();
    size_t n = 9;

    lines_of(".visible .entry work()\n{\n\tret;\n}\n", "work", mem, &n);
    CHECK_EQ(n, 0);
    lines_of(text, "none", mem, &n);
    CHECK_EQ(n, 0);
    arena_free(mem);
}

TEST(text_that_ends_anywhere_is_read)
{
    arena *mem = arena_new();
    size_t most = 0, n;

    for (size_t end = 0; end < sizeof text; end++) {
        char *part = arena_strndup(mem, text, end);

        lines_of(part, "work", mem, &n);
        CHECK(n <= 15);
        most = n > most ? n : most;
    }
    CHECK_EQ(most, 15);
    arena_free(mem);
}

TEST(long_paths_are_cut)
{
    arena *mem = arena_new();
    char *name = arena_alloc(mem, 5001);
    size_t n;

    memset(name, 'x', 5000);
    lines_of(arena_printf(mem, ".file 1 \"%s\" \"%s\"\n.file 1 \"%s\n", name,
                          name, name),
             "work", mem, &n);
    CHECK_EQ(n, 0);
    arena_free(mem);
}
