/* tests/unit/probe/test_template.c - assembly text from templates. */
#include "probe/template.h"

#include "test.h"

static const probe_var vars[] = {
    {"n", "3"}, {"op", "FADD R$(8 + i), R$r, R$r"}, {"r", "4"}, {"me", "$me"}};

/* Appends nothing on an error, whose text is then returned. */
static const char *expand(const char *text)
{
    static strbuf out; /* freed when the next comes */
    static diag *dg;

    strbuf_fini(&out);
    diag_free(dg);
    out = (strbuf){0};
    dg = diag_new();
    strbuf_puts(&out, "");
    if (!probe_expand_text("t", text, vars, sizeof vars / sizeof *vars, &out,
                           dg)) {
        CHECK_EQ(diag_count(dg), 1);
        strbuf_fini(&out);
        out = (strbuf){0};
        strbuf_printf(&out, "%u: %s", diag_get(dg, 0)->line,
                      diag_get(dg, 0)->text);
    }
    return out.text ? out.text : "";
}

TEST(variables_and_numbers)
{
    CHECK_STR(expand("MOV R$r, 0x$(n * 2 + 1)\n"), "MOV R4, 0x7\n");
    CHECK_STR(expand("$(1 + 2 * 3 << 1 | 32)"), "46");
    CHECK_STR(expand("$(-n + 10 % 4) $((1 + 2) * 3)"), "-1 9");
    CHECK_STR(expand("$(n <= 3) $(n < 3) $(n == 3 & n != 4)"), "1 0 1");
    CHECK_STR(expand("$(0x10 >> 2 ^ 1)"), "5");
}

TEST(loops_and_texts_in_them)
{
    CHECK_STR(expand("%for i n\n$op\n%end\nEXIT"),
              "FADD R8, R4, R4\nFADD R9, R4, R4\nFADD R10, R4, R4\nEXIT");
    CHECK_STR(expand("%for i 2\n%for j i + 1\n$i$j\n%end\n%end\n"),
              "00\n10\n11\n");
    CHECK_STR(expand("%for i 0\nx\n%end\n"), "");
}

TEST(choices)
{
    CHECK_STR(expand("%if n == 3\na\n%else\nb\n%end\nc\n"), "a\nc\n");
    CHECK_STR(expand("%if n > 3\na\n%else\nb\n%end\n"), "b\n");
    CHECK_STR(expand("%if 0\n%if 1\na\n%else\nb\n%end\n%end\nc\n"), "c\n");
}

TEST(instructions_are_aligned)
{
    CHECK_STR(expand(".arch a\n    A\nb:\n    C\n%align n\n    D\n%align 2\n"),
              ".arch a\n    A\nb:\n    C\n    NOP\n    D\n");
    CHECK_STR(expand("%align 0\n"), "1: %align needs a number above 0");
}

TEST(comments_are_left_out)
{
    CHECK_STR(expand("// costs $me\nNOP\n  // %for\n"), "NOP\n");
}

TEST(what_is_wrong_is_told_with_its_line)
{
    CHECK_STR(expand("a\n$x\n"), "2: no variable of this name: x");
    CHECK_STR(expand("$(op)"), "1: this variable is no number: op");
    CHECK_STR(expand("%for i 2\na\n"), "2: %end is missing");
    CHECK_STR(expand("\n\n%loop\n"), "3: no directive of this name: loop");
    CHECK_STR(expand("$(1 / 0)"), "1: division by zero");
    CHECK_STR(expand("$(1 + )"), "1: a number or name is missing");
    CHECK_STR(expand("$(1"), "1: ')' is missing");
    CHECK_STR(expand("$me"), "1: a variable that contains itself: me");
    CHECK_STR(expand("%include nothing\n"),
              "1: no template of this name: nothing");
}

TEST(templates_of_the_binary)
{
    const probe_var body[] = {{"arch", "volta"}, {"shared", "0"},
                              {"n", "2"},        {"setup", ""},
                              {"passes", "2"},   {"body", "NOP"}};
    strbuf out = {0};
    diag *dg = diag_new();

    CHECK(probe_expand("timed", body, 6, &out, dg));
    CHECK(strstr(out.text, ".arch volta\n") != NULL);
    CHECK(!probe_expand("nothing", body, 6, &out, dg));
    CHECK_STR(diag_get(dg, 0)->text, "there is no probe template 'nothing'");
    strbuf_fini(&out);
    diag_free(dg);
}
