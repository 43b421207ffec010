/* tests/unit/suite/test_suite.c - suite files: what they mean, and what is said
 * about wrong ones. */
#include "suite/suite.h"

#include <unistd.h>

#include "base/strbuf.h"
#include "test.h"

/* Reads a text as a suite file. */
static status read_text(const char *text, diag *dg, suite **out)
{
    char path[] = "/tmp/heddle-suite-test-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    status st;

    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    st = suite_read(path, dg, out);
    unlink(path);
    return st;
}

static suite *good(const char *text)
{
    diag *dg = diag_new();
    suite *s = NULL;
    status st = read_text(text, dg, &s);

    if (st != ST_OK)
        diag_print(dg, stderr, false);
    CHECK_EQ(st, ST_OK);
    diag_free(dg);
    return s;
}

/* "line:column: text" of the first error. */
static const char *error(const char *text)
{
    static char out[512];
    diag *dg = diag_new();
    suite *s = NULL;

    CHECK_EQ(read_text(text, dg, &s), ST_CONFIG);
    CHECK(!s && diag_errors(dg) > 0);
    const diag_item *it = diag_get(dg, 0);

    CHECK(it->file && strstr(it->file, "heddle-suite-test"));
    snprintf(out, sizeof out, "%u:%u: %s", it->line, it->column, it->text);
    diag_free(dg);
    return out;
}

TEST(programs_take_what_they_do_not_say_from_the_defaults)
{
    suite *s = good("name: s\n"
                    "defaults:\n"
                    "  run: [\"{build}/{name}\", -n, \"{size}\"]\n"
                    "  sizes: [small, large]\n"
                    "  timeout: 7\n"
                    "  expect: {status: 3, stdout: 'ok$'}\n"
                    "programs:\n"
                    "  - one\n"
                    "  - {name: two, timeout: 9, expect: {status: any, "
                    "memory: any}}\n");
    const suite_program *one = suite_find(s, "one"), *two = &s->programs[1];

    CHECK_EQ(s->count, 2);
    CHECK(one == &s->programs[0] && !suite_find(s, "three"));
    CHECK_EQ(one->timeout_s, 7);
    CHECK_EQ(two->timeout_s, 9);
    CHECK_EQ(one->expect.status, 3);
    CHECK(!one->expect.any_status && two->expect.any_status);
    CHECK(!one->expect.any_memory && two->expect.any_memory);
    CHECK_STR(one->expect.out, "ok$");
    CHECK_STR(two->expect.out, "ok$");
    CHECK_EQ(two->size_count, 2);
    CHECK(!suite_size_find(two, "medium"));
    CHECK_STR(suite_size_find(two, "large")->is.text[0], "large");
    suite_free(s);
}

TEST(a_draw_is_the_first_if_nothing_is_said)
{
    suite *s = good("programs:\n"
                    "  - {name: p, run: [mix, --seed, \"{draw}\"]}\n"
                    "  - {name: q, run: \"mix --seed 7{draw}\"}\n"
                    "  - {name: r, run: [mix, \"${draw}\"]}\n");
    suite_values v = {.name = "p"};

    CHECK_STR(suite_expand_all(s->mem, s->programs[0].run, &v)[2], "1");
    v.draw = 12;
    CHECK_STR(suite_expand_all(s->mem, s->programs[0].run, &v)[2], "12");
    CHECK_STR(suite_expand(s->mem, s->programs[1].run.text[0], &v),
              "mix --seed 712");
    CHECK(suite_is_drawn(&s->programs[0]) && suite_is_drawn(&s->programs[1]));
    CHECK(!suite_is_drawn(&s->programs[2]));
    suite_free(s);
}

TEST(words_stand_for_values)
{
    suite *s = good("programs:\n"
                    "  - name: p\n"
                    "    run: [\"{build}/{name}\", \"{size}\", \"x{size}\", "
                    "\"${size}\", \"{a b}\", \"\"]\n"
                    "    sizes: {small: [-n, 4], none: []}\n");
    const suite_program *p = &s->programs[0];
    const suite_values v = {
        .build = "/b", .name = "p", .size = suite_size_find(p, "small")};
    const char *const want[] = {"/b/p",    "-n",    "4", "x-n 4",
                                "${size}", "{a b}", ""};
    const char **got = suite_expand_all(s->mem, p->run, &v);

    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        CHECK_STR(got[i], want[i]);
    CHECK(!got[7]);
    suite_values none = v;

    none.size = suite_size_find(p, "none");
    CHECK_STR(suite_expand_all(s->mem, p->run, &none)[1], "x");
    suite_free(s);
}

TEST(a_text_is_run_by_a_shell)
{
    suite *s = good("programs:\n  - name: p\n    run: cat {dir}/x | wc\n");

    CHECK(s->programs[0].shell);
    CHECK_STR(s->programs[0].run.text[0], "cat {dir}/x | wc");
    suite_free(s);
}

TEST(files_are_compared_with_files)
{
    suite *s = good("programs:\n"
                    "  - name: p\n"
                    "    run: [p]\n"
                    "    stdin: in.txt\n"
                    "    env: {A: 1, B: \"{dir}\"}\n"
                    "    expect: {stdout_is: out.txt, tolerance: 0.5,\n"
                    "             files: {\"{tmp}/a\": a.ref}}\n");
    const suite_program *p = &s->programs[0];

    CHECK_STR(p->input, "in.txt");
    CHECK_STR(p->env.text[0], "A=1");
    CHECK_STR(p->env.text[1], "B={dir}");
    CHECK_EQ(p->expect.file_count, 2);
    CHECK(!p->expect.files[0].made && p->expect.words);
    CHECK(p->expect.tolerance == 0.5);
    CHECK_STR(p->expect.files[1].made, "{tmp}/a");
    CHECK_STR(p->expect.files[1].wanted, "a.ref");
    suite_free(s);
}

TEST(wrong_files_are_refused_with_the_place)
{
    CHECK_STR(error("name: x\n"), "1:1: the suite has no programs");
    CHECK_STR(error("programs: []\n"), "1:1: the suite has no programs");
    CHECK_STR(error("programs: {a: b}\n"),
              "1:11: programs must be a list [...]");
    CHECK_STR(error("programz: [a]\nprograms: []\n"),
              "1:1: unknown key 'programz' (did you mean 'programs'?)");
    CHECK_STR(error("programs:\n  - p\n"), "2:5: 'p' has nothing to run");
    CHECK_STR(error("programs:\n  - {run: [a]}\n"),
              "2:5: a program needs a name");
    CHECK_STR(error("programs:\n  - {name: a/b, run: [a]}\n"),
              "2:12: 'a/b' is no name: letters, digits and _ . + - are "
              "allowed");
    CHECK_STR(error("defaults: {run: [a]}\nprograms: [a, b, a]\n"),
              "2:18: there are two programs 'a'");
    CHECK_STR(error("programs: [{name: a, run: []}]\n"),
              "1:27: nothing is given for run");
    CHECK_STR(error("programs: [{name: a, run: [\"{bild}\"]}]\n"),
              "1:28: '{bild}' means nothing; there are {dir}, {build}, "
              "{tmp}, {name}, {size} and {draw}");
    CHECK_STR(error("programs: [{name: a, run: [a], timeout: 0}]\n"),
              "1:41: '0' is no whole number from 1 to 2592000");
    CHECK_STR(error("programs: [{name: a, run: [a], sizes: 3}]\n"),
              "1:39: sizes must be a list [...]");
    CHECK_STR(error("defaults: {name: a}\nprograms: [a]\n"),
              "1:12: unknown key 'name'; there are about, run, build, folder, "
              "stdin, inputs, from, timed, env, sizes, tags, timeout, ...");
}

TEST(launches_inputs_and_origin)
{
    suite *s = good("programs:\n"
                    "  - {name: a, run: [a], timed: 'k*:2', inputs: [x, "
                    "'{tmp}/y'], from: there}\n"
                    "  - {name: b, run: [b], timed: [one, 'two:3-5']}\n");
    const suite_program *a = &s->programs[0], *b = &s->programs[1];

    CHECK_EQ(a->timed_count, 1);
    CHECK_STR(a->timed[0].kernel, "k*");
    CHECK_EQ(a->timed[0].first, 2);
    CHECK_EQ(a->timed[0].last, 2);
    CHECK_EQ(b->timed_count, 2);
    CHECK_STR(b->timed[1].kernel, "two");
    CHECK_EQ(b->timed[1].first, 3);
    CHECK_EQ(b->timed[1].last, 5);
    CHECK_EQ(a->inputs.count, 2);
    CHECK_STR(a->inputs.text[1], "{tmp}/y");
    CHECK_STR(a->from, "there");
    CHECK(!b->from && !b->inputs.count);
    suite_free(s);
    CHECK_STR(error("programs: [{name: a, run: [a], timed: ['k:5-3']}]\n"),
              "1:40: timed: 'k:5-3' is not like gemm, gemm:3, gemm:3-7 or "
              "'gemm*'");
}

/* As a file of another kind has it. */
TEST(words_of_the_files_own)
{
    static const char *const keys[] = {"rows", NULL};
    static const suite_named words[] = {{"programs", "/p"}};
    static const char text[] = "programs: [{name: a, run: ['{programs}/{name}',"
                               " '{build}']}]\nrows: 3\n";
    const suite_other more = {keys, words, 1};
    diag *dg = diag_new();
    arena *mem = arena_new();
    yml_node *root;
    suite *s = NULL;

    CHECK_EQ(yml_read("x.yaml", text, strlen(text), mem, dg, &root), ST_OK);
    CHECK_EQ(suite_read_tree("x.yaml", root, &more, dg, &s), ST_OK);
    const suite_values v = suite_values_of(s, &s->programs[0], "/b");
    const char **got = suite_expand_all(s->mem, s->programs[0].run, &v);

    CHECK_STR(got[0], "/p/a");
    CHECK_STR(got[1], "/b");
    suite_free(s);
    s = NULL;
    CHECK_EQ(suite_read_tree("x.yaml", root, NULL, dg, &s), ST_CONFIG);
    CHECK(!s);
    arena_free(mem);
    diag_free(dg);
}

TEST(wrong_expectations_are_refused_with_the_place)
{
    CHECK_STR(error("programs: [{name: a, run: [a], expect: {status: 256}}]\n"),
              "1:49: '256' is no whole number from 0 to 255");
    CHECK_STR(
        error("programs: [{name: a, run: [a], expect: {stdout: '(x'}}]\n"),
        "1:49: '(x' is no regular expression: Unmatched ( or \\(");
    CHECK_STR(
        error("programs: [{name: a, run: [a], expect: {tolerance: few}}]\n"),
        "1:52: 'few' is no number from 0 on");
    CHECK_STR(error("programs: [{name: a, run: [a], expect: ok}]\n"),
              "1:40: expect must be a mapping {...}");
}

TEST(a_file_that_is_not_there)
{
    diag *dg = diag_new();
    suite *s = NULL;

    CHECK_EQ(suite_read("/nowhere/at/all.yaml", dg, &s), ST_INPUT);
    CHECK(!s && diag_errors(dg) == 1);
    diag_free(dg);
}
