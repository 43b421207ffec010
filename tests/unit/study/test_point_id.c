/* tests/unit/study/test_point_id.c - what makes runs the same and what does
 * not. */
#include "study/point_id.h"

#include <unistd.h>

#include "base/file.h"
#include "test.h"

static char root[] = "/tmp/heddle-id-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[64];
    diag *dg = diag_new();

    if (access(root, F_OK) != 0)
        CHECK(mkdtemp(root) != NULL);
    snprintf(path, sizeof path, "%s/%s", root, name);
    CHECK_EQ(file_write(path, text, strlen(text), dg), ST_OK);
    diag_free(dg);
}

static void remove_all(void)
{
    char line[64];

    snprintf(line, sizeof line, "rm -rf %s", root);
    CHECK_EQ(system(line), 0);
    strcpy(strrchr(root, '-'), "-XXXXXX");
}

static bool equal(point_hash a, point_hash b)
{
    return a.a == b.a && a.b == b.b;
}

/* ---- Launches ---- */

static point_hash of_line(const plan_line *l)
{
    workload w = {.name = "x", .launch = l};
    arena *mem = arena_new();
    const char *missing;
    point_hash h = point_id_workload(&w, "/", NULL, 0, mem, &missing);

    CHECK(missing == NULL);
    arena_free(mem);
    return h;
}

TEST(a_launch_is_its_shape_its_arguments_and_its_files)
{
    char a[64], b[64];
    plan_line l = PLAN_LINE_NONE, other;
    point_hash is;

    put("a.ptx", "//\n");
    put("b.ptx", "//\n");
    snprintf(a, sizeof a, "%s/a.ptx", root);
    snprintf(b, sizeof b, "%s/b.ptx", root);
    l.program = a;
    plan_texts_add(&l.args, "u32:1");
    is = of_line(&l);
    CHECK(equal(is, of_line(&l)));
    other = l;
    other.program = b; /* the same under another name */
    CHECK(equal(is, of_line(&other)));
    other = l;
    other.grid[2] = 2;
    CHECK(!equal(is, of_line(&other)));
    other = l;
    other.block[0] = 2;
    CHECK(!equal(is, of_line(&other)));
    other = l;
    other.shared_bytes = 4;
    CHECK(!equal(is, of_line(&other)));
    other = l;
    other.kernel = "k";
    CHECK(!equal(is, of_line(&other)));
    other = l;
    other.tolerance = 0.5;
    CHECK(!equal(is, of_line(&other)));
    other = l;
    other.args = (plan_texts){0};
    plan_texts_add(&other.args, "u32:2");
    CHECK(!equal(is, of_line(&other)));
    plan_line_fini(&other);
    put("a.ptx", "// changed\n");
    CHECK(!equal(is, of_line(&l)));
    plan_line_fini(&l);
    remove_all();
}

/* ---- Programs ---- */

static point_hash of_program(suite_program *p, const char *const *inputs,
                             size_t count, bool there)
{
    suite s = {.folder = root, .path = "", .name = "", .programs = p};
    workload w = {.name = "x", .suite = &s, .program = p};
    arena *mem = arena_new();
    const char *missing;
    point_hash h = point_id_workload(&w, "/", inputs, count, mem, &missing);

    CHECK_EQ(missing == NULL, there);
    arena_free(mem);
    return h;
}

TEST(a_program_is_its_words_its_environment_and_what_it_reads)
{
    const char *run[] = {"./go", "data"}, *env[] = {"A=1"};
    suite_program p = {
        .name = "go", .folder = "", .run = {run, 2}, .plain = true};
    char input[64];
    const char *inputs[] = {input};
    point_hash is, with;

    put("go", "#!/bin/sh\n");
    put("data", "1");
    put("more", "1");
    snprintf(input, sizeof input, "%s/more", root);
    is = of_program(&p, NULL, 0, true);
    p.env = (suite_texts){env, 1};
    CHECK(!equal(is, of_program(&p, NULL, 0, true)));
    p.env = (suite_texts){0};
    with = of_program(&p, inputs, 1, true);
    CHECK(!equal(is, with));
    put("more", "2");
    CHECK(!equal(with, of_program(&p, inputs, 1, true)));
    CHECK(equal(is, of_program(&p, NULL, 0, true)));
    put("data", "2");
    CHECK(!equal(is, of_program(&p, NULL, 0, true)));
    put("data", "1");
    put("go", "#!/bin/sh\nfalse\n");
    CHECK(!equal(is, of_program(&p, NULL, 0, true)));
    unlink(input);
    of_program(&p, inputs, 1, false);
    remove_all();
}

/* Programs of a suite may share their words, among them {name}. */
TEST(a_program_of_a_suite_is_its_name_too)
{
    const char *run[] = {"./go", "--shape", "{name}"};
    suite_program p = {.name = "wide", .folder = "", .run = {run, 3}};
    point_hash is;

    put("go", "#!/bin/sh\n");
    is = of_program(&p, NULL, 0, true);
    CHECK(equal(is, of_program(&p, NULL, 0, true)));
    p.name = "narrow";
    CHECK(!equal(is, of_program(&p, NULL, 0, true)));
    remove_all();
}

TEST(the_driver_counts_for_programs_only)
{
    point_parts p = {.driver = {1, 2}};
    char a[POINT_ID_SIZE], b[POINT_ID_SIZE];

    point_id(&p, a);
    CHECK_EQ(strspn(a, "0123456789abcdef"), POINT_ID_SIZE - 1);
    p.driver.a = 3;
    point_id(&p, b);
    CHECK_STR(a, b);
    p.program = true;
    point_id(&p, a);
    p.driver.a = 1;
    point_id(&p, b);
    CHECK(strcmp(a, b) != 0);
}
