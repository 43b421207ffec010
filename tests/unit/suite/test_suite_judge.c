/* tests/unit/suite/test_suite_judge.c - outputs against what a suite expects.
 */
#include "suite/suite_judge.h"

#include <unistd.h>

#include "base/file.h"
#include "test.h"

static const suite_values values = {.dir = "/tmp"};

static const char *judge(const suite_expect *x, const char *out, arena *mem)
{
    return suite_judge(x, (suite_output){out, strlen(out)},
                       (suite_output){"warning: w\n", 11}, "/tmp", &values,
                       mem);
}

TEST(patterns_match_lines)
{
    arena *mem = arena_new();
    suite_expect x = {.out = "^PASS$", .err = "w$"};

    CHECK(!judge(&x, "a\nPASS\nb\n", mem));
    CHECK_STR(judge(&x, "a\nPASSED\nb\n", mem),
              "its output does not match '^PASS$'");
    x.err = "^w$";
    CHECK_STR(judge(&x, "PASS", mem), "its messages do not match '^w$'");
    arena_free(mem);
}

TEST(patterns_match_behind_zero_bytes)
{
    arena *mem = arena_new();
    const suite_expect x = {.out = "PASS"};

    CHECK(!suite_judge(&x, (suite_output){"a\0PASS", 6}, (suite_output){"", 0},
                       "/tmp", &values, mem));
    CHECK(suite_judge(&x, (suite_output){"a\0PASS", 5}, (suite_output){"", 0},
                      "/tmp", &values, mem));
    arena_free(mem);
}

/* What is said if `out` should be `wanted`. */
static const char *differ(const char *out, const char *wanted, bool words,
                          double tolerance)
{
    static char said[256];
    char path[] = "/tmp/heddle-judge-test-XXXXXX";
    int fd = mkstemp(path);
    arena *mem = arena_new();
    suite_compare c = {NULL, path};
    const suite_expect x = {
        .files = &c, .file_count = 1, .words = words, .tolerance = tolerance};
    const char *why;

    CHECK(fd >= 0 &&
          write(fd, wanted, strlen(wanted)) == (ssize_t)strlen(wanted));
    close(fd);
    why = judge(&x, out, mem);
    snprintf(said, sizeof said, "%s", why ? why : "");
    unlink(path);
    arena_free(mem);
    return said;
}

TEST(bytes_are_compared)
{
    CHECK_STR(differ("a\nb\n", "a\nb\n", false, 0), "");
    CHECK_STR(differ("a\nc\n", "a\nb\n", false, 0),
              "standard output:2: differs");
    CHECK_STR(differ("a\n", "a\nb\n", false, 0),
              "standard output:2: ends too early");
    CHECK_STR(differ("a\nb\nc", "a\nb\n", false, 0),
              "standard output:3: goes on after its end");
}

TEST(words_and_numbers_are_compared)
{
    CHECK_STR(differ("x  1.01\n\ny", "x 1.0 y", true, 0.02), "");
    CHECK_STR(differ("x\n1.03 y", "x 1.0 y", true, 0.02),
              "standard output:2: '1.03', not '1.0'");
    CHECK_STR(differ("101", "100", true, 0.02), "");
    CHECK_STR(differ("x", "y", true, 9), "standard output:1: 'x', not 'y'");
    CHECK_STR(differ("1 2", "1", true, 9), "standard output:1: '2', not ''");
    CHECK_STR(differ("nan", "1", true, 9), "standard output:1: 'nan', not '1'");
}

TEST(a_pattern_that_must_not_match)
{
    arena *mem = arena_new();
    const suite_expect x = {.out_not = "FAIL"};

    CHECK(!judge(&x, "PASS\n", mem));
    CHECK_STR(judge(&x, "1 PASS\n2 FAILED\n", mem),
              "its output matches 'FAIL'");
    arena_free(mem);
}

TEST(lines_left_out_of_the_comparison)
{
    char path[] = "/tmp/heddle-judge-test-XXXXXX";
    int fd = mkstemp(path);
    arena *mem = arena_new();
    suite_compare c = {NULL, path};
    suite_expect x = {.files = &c, .file_count = 1, .ignore = "^time:|GPU$"};

    CHECK(fd >= 0 && write(fd, "a\ntime: 3 s\nb\nmy GPU", 20) == 20);
    close(fd);
    CHECK(!judge(&x, "a\ntime: 4 s\nb\nanother GPU", mem));
    CHECK_STR(judge(&x, "a\ntime: 4 s\nc\nGPU", mem),
              "standard output:3: differs");
    CHECK(judge(&x, "a\nb\nGPU", mem)); /* a line too few */
    x.words = true;
    CHECK(!judge(&x, "a\nb\nGPU", mem));
    unlink(path);
    arena_free(mem);
}

TEST(a_file_that_was_not_made)
{
    arena *mem = arena_new();
    suite_compare c = {"no-such-file-here", "/dev/null"};
    const suite_expect x = {.files = &c, .file_count = 1};

    CHECK(strstr(judge(&x, "", mem), "no-such-file-here"));
    arena_free(mem);
}
