/* tests/test.h - a table of tests and checks, one binary per file.
 * A failing check ends its test; the others still run. With an argument only
 * tests whose name contains it run. */
#ifndef TEST_H
#define TEST_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_case {
    const char *name;
    void (*run)(void);
    struct test_case *next;
} test_case;

static test_case *test_first, **test_last = &test_first;
static jmp_buf test_out;
static const char *test_skip_why;

#define TEST(id)                                                               \
    static void test_##id(void);                                               \
    static test_case case_##id = {#id, test_##id, NULL};                       \
    __attribute__((constructor)) static void add_##id(void)                    \
    {                                                                          \
        *test_last = &case_##id;                                               \
        test_last = &case_##id.next;                                           \
    }                                                                          \
    static void test_##id(void)

#define TEST_FAIL(...)                                                         \
    do {                                                                       \
        fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                        \
        fprintf(stderr, __VA_ARGS__);                                          \
        fputc('\n', stderr);                                                   \
        longjmp(test_out, 1);                                                  \
    } while (0)

#define TEST_SKIP(why)                                                         \
    do {                                                                       \
        test_skip_why = (why);                                                 \
        longjmp(test_out, 2);                                                  \
    } while (0)

#define CHECK(cond)                                                            \
    do {                                                                       \
        if (!(cond))                                                           \
            TEST_FAIL("not true: %s", #cond);                                  \
    } while (0)

/* Integers of any kind, compared as 64 bits and shown both ways. */
#define CHECK_EQ(got, want)                                                    \
    do {                                                                       \
        uint64_t got_ = (uint64_t)(got), want_ = (uint64_t)(want);             \
        if (got_ != want_)                                                     \
            TEST_FAIL("%s is %" PRId64 " (0x%" PRIx64 "), not %" PRId64        \
                      " (0x%" PRIx64 ")",                                      \
                      #got, (int64_t)got_, got_, (int64_t)want_, want_);       \
    } while (0)

#define CHECK_STR(got, want)                                                   \
    do {                                                                       \
        const char *got_ = (got), *want_ = (want);                             \
        if (!got_ || strcmp(got_, want_))                                      \
            TEST_FAIL("%s is \"%s\", not \"%s\"", #got,                        \
                      got_ ? got_ : "(null)", want_);                          \
    } while (0)

int main(int argc, char **argv)
{
    volatile unsigned passed = 0, failed = 0, skipped = 0; /* over longjmp */

    for (test_case *volatile t = test_first; t; t = t->next) {
        if (argc > 1 && !strstr(t->name, argv[1]))
            continue;
        int how = setjmp(test_out);
        if (how == 0) {
            t->run();
            passed++;
        } else if (how == 2) {
            printf("SKIP %s: %s\n", t->name,
                   test_skip_why ? test_skip_why : "");
            skipped++;
        } else {
            printf("FAIL %s\n", t->name);
            failed++;
        }
    }
    printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
    return failed || passed + skipped == 0 ? 1 : passed ? 0 : 77;
}

#endif
